import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  createApp,
  defineController,
  defineModule,
  DefinitionError,
  defineVersioningScheme,
  VERSION_NEUTRAL,
  VersioningSchemes,
} from 'octavo'
import type { App, VersioningOptions } from 'octavo'

import { mistakes, tell } from './boot-support.ts'
import type { Told } from './boot-support.ts'
import { serve } from './support.ts'
import type { Row } from './support.ts'
import { assertProblems, placeless } from '../support/places.ts'
import type { ExpectedProblem } from '../support/places.ts'

const { HEADER, HOST, QUERY, URL } = VersioningSchemes

const x = (version: Row[2], path: Row[1] = '/x'): Row => ['GET', path, version, 'x']

type Case = readonly [title: string, app: () => App, expected: readonly ExpectedProblem[]]

function table(cases: readonly Case[]): void {
  for (const [title, app, expected] of cases) {
    it(title, async () => assertProblems(await mistakes(app()), expected))
  }
}

describe('a default version by its place needs known versions with an order', () => {
  const unknown = (selector: string, kind: string, known: string): ExpectedProblem => ({
    code: 'default_version_unknown',
    where: 'enableVersioning(QUERY)',
    message: `defaultVersion: '${selector}' needs ${kind}; ${known}`,
    fix: 'give routes a version, or list one in versions',
  })
  const stable = 'a version without a status such as -beta'
  const unordered = (selector: string): ExpectedProblem => ({
    code: 'versions_without_order',
    where: 'enableVersioning(QUERY)',
    message: `defaultVersion: '${selector}' needs versions that have an order; not all of blue, green are numbers or dates, and versions does not list green`,
    fix: 'list every version, the newest first',
  })
  const colours = [x('blue'), x('green')]
  table([
    [
      'latest of none',
      () => serve([x(undefined)], QUERY, { defaultVersion: 'latest' }),
      [unknown('latest', 'a version', 'there are none')],
    ],
    [
      'oldest of none',
      () => serve([x(undefined)], QUERY, { defaultVersion: 'oldest' }),
      [unknown('oldest', 'a version', 'there are none')],
    ],
    [
      'latestStable of none that is stable',
      () => serve([x(['2-beta', '1-rc.1'])], QUERY, { defaultVersion: 'latestStable' }),
      [unknown('latestStable', stable, 'known are 1-rc.1, 2-beta')],
    ],
    ...(['latest', 'latestStable', 'oldest'] as const).map((defaultVersion): Case => [
      `${defaultVersion} of versions without order`,
      () => serve(colours, QUERY, { defaultVersion, versions: ['blue'] }),
      [unordered(defaultVersion)],
    ]),
    [
      'the order of the list is enough for latest',
      () => serve(colours, QUERY, { defaultVersion: 'latest', versions: ['green', 'blue'] }),
      [],
    ],
    [
      'a version that is called latest needs no order',
      () => serve([x('latest'), x('blue')], QUERY, { defaultVersion: 'latest' }),
      [],
    ],
  ])
})

describe('options that contradict each other are definition errors', () => {
  const both = (given: string): ExpectedProblem => ({
    code: 'required_with_default',
    where: 'enableVersioning',
    message: `required is true, and defaultVersion is ${given}`,
    fix: 'keep one of them',
  })
  const closed = (index: number, path: string, version: string, list: string): ExpectedProblem => ({
    code: 'version_not_listed',
    where: `api.r${index}: GET ${path}`,
    message: `the version "${version}" is not listed, and versions is closed: it has ${list}`,
    fix: 'list it, or correct it',
  })
  const needless = (message: string, fix: string): ExpectedProblem => ({
    code: 'invalid_option',
    where: 'enableVersioning',
    message,
    fix,
  })
  const noList = needless('closed is true, and versions lists none', "list them: versions: ['2', '1']")
  const noPath = needless(
    'successorLinks is true, and no scheme puts versions into the path: newer versions have the same URL',
    'leave it out, or use VersioningSchemes.URL',
  )
  const rows = [x('1'), x('2'), x('3', '/y')]
  table([
    [
      'required beside a default version',
      () => serve(rows, QUERY, { required: true, defaultVersion: '1' }),
      [both('"1"')],
    ],
    [
      'required beside a default version by its place',
      () => serve(rows, QUERY, { required: true, defaultVersion: 'latest' }),
      [both('"latest"')],
    ],
    [
      'required beside a function that chooses the default',
      () => serve(rows, QUERY, { required: true, defaultVersion: () => '1' }),
      [both('a function')],
    ],
    [
      'but not required beside defaultVersion: null',
      () => serve(rows, QUERY, { required: true, defaultVersion: null }),
      [],
    ],
    [
      'a version outside a closed list',
      () => serve(rows, QUERY, { closed: true, versions: ['2', '1'] }),
      [closed(2, '/y', '3', '2, 1')],
    ],
    [
      'every route with a version outside a closed list',
      () => serve([x(['3', '1']), x('3', '/y'), x('2', '/z')], QUERY, { closed: true, versions: ['2', '1'] }),
      [closed(0, '/x', '3', '2, 1'), closed(1, '/y', '3', '2, 1')],
    ],
    [
      'a version outside a closed list is reported once, even if ranges are used',
      () => serve([x('>=1'), x('3', '/y')], QUERY, { closed: true, versions: ['2', '1'] }),
      [closed(1, '/y', '3', '2, 1')],
    ],
    [
      'but not another spelling of a version in a closed list',
      () => serve([x('1.0')], QUERY, { closed: true, versions: ['1'], format: 'semver' }),
      [],
    ],
    [
      'but not neutral and unversioned routes beside a closed list',
      () => serve([x(undefined), x(VERSION_NEUTRAL, '/y')], QUERY, { closed: true, versions: ['1'] }),
      [],
    ],
    ['closed without a list', () => serve(rows, QUERY, { closed: true }), [noList]],
    ['closed with an empty list', () => serve(rows, QUERY, { closed: true, versions: [] }), [noList]],
    [
      'closed with a record, which lists nothing',
      () => serve(rows, QUERY, { closed: true, versions: { '1': {} } }),
      [noList],
    ],
    [
      'unknown: floor with versions that have no order',
      () => serve([x('blue'), x('green')], QUERY, { unknown: 'floor' }),
      [
        {
          code: 'versions_without_order',
          where: 'enableVersioning',
        },
      ],
    ],
    [
      'but not unknown: floor with a listed order',
      () => serve([x('blue'), x('green')], QUERY, { unknown: 'floor', versions: ['green', 'blue'] }),
      [],
    ],
    ['but not unknown: floor with an order by value', () => serve(rows, QUERY, { unknown: 'floor' }), []],
    [
      'successorLinks without versions in the path',
      () => serve(rows, QUERY, { successorLinks: true }),
      [noPath],
    ],
    [
      'but not successorLinks: false without versions in the path',
      () => serve(rows, QUERY, { successorLinks: false }),
      [],
    ],
    [
      'but not successorLinks with versions in the path',
      () => serve(rows, URL, { successorLinks: true }),
      [],
    ],
    [
      'all mistakes are reported at once, with duplicates and lifetimes',
      () =>
        serve([x('1'), x('1'), x('3', '/y')], QUERY, {
          required: true,
          defaultVersion: '9',
          successorLinks: true,
          versions: [{ version: '1', deprecated: '2027-01-01', sunset: '2026-01-01' }],
        }),
      [
        {
          code: 'default_version_unknown',
          where: 'enableVersioning(QUERY)',
        },
        both('"9"'),
        noPath,
        {
          code: 'duplicate_route',
          where: 'api.r1: GET /x',
        },
        {
          code: 'sunset_before_deprecation',
          where: 'enableVersioning',
          message:
            'in version 1, the sunset 2026-01-01T00:00:00.000Z comes before the deprecation 2027-01-01T00:00:00.000Z',
          fix: 'move one of them: a version is deprecated before it ends',
        },
      ],
    ],
  ])
})

describe('schemes of which there are several', () => {
  const several = (schemes: readonly (readonly [object, object?])[], options?: VersioningOptions): App => {
    const app = serve([x('1/2'), x('2')])
    // the types refuse some of these
    app.enableVersioning(schemes as never, options)
    return app
  }
  const invalid = (message: string): ExpectedProblem => ({
    code: 'invalid_option',
    where: 'enableVersioning',
    message,
    fix: 'give one scheme, or several different ones',
  })
  const encodable: ExpectedProblem = { code: 'version_not_encodable', where: 'api.r0: GET /x' }
  const text: ExpectedProblem = {
    code: 'unknown_option',
    where: 'enableVersioning',
    fix: 'use one of versionParameter, statusCodes',
  }
  const own = defineVersioningScheme({ name: 'own', read: () => undefined })
  table([
    [
      'two schemes in the path are a definition error',
      () => several([[URL], [URL, { versionParameter: 'w' }]]),
      [invalid('two schemes put versions into the path')],
    ],
    [
      'every scheme has to carry every version',
      () => several([[URL], [HOST], [QUERY], [own]]),
      [encodable, encodable],
    ],
    ['schemes that carry every version are fine', () => several([[HEADER], [QUERY], [own]]), []],
    [
      'common options are refused among those of one scheme',
      () => several([[QUERY, { defaultVersion: '2' }], [HEADER]]),
      [text],
    ],
    [
      'options of one scheme are refused among the common ones',
      () => several([[QUERY], [HEADER]], { versionParameter: 'v' } as VersioningOptions),
      [
        {
          code: 'unknown_option',
          where: 'enableVersioning',
          message: 'there is no option "versionParameter"',
        },
      ],
    ],
    [
      'a mistake in common options names all schemes',
      () => several([[QUERY], [HEADER]], { defaultVersion: '9' }),
      [
        {
          code: 'default_version_unknown',
          where: 'enableVersioning(QUERY, HEADER)',
        },
      ],
    ],
    [
      'successorLinks need only one scheme in the path',
      () => {
        const app = serve([x('1')])
        app.enableVersioning([[QUERY], [URL]], { successorLinks: true })
        return app
      },
      [],
    ],
  ])

  const message =
    'enableVersioning: a scheme is one of VersioningSchemes or made by defineVersioningScheme; write several as [[scheme, options], …]'
  const wrong: readonly (readonly [title: string, given: unknown])[] = [
    ['a name', 'url'],
    ['undefined', undefined],
    ['null', null],
    ['an object that is no scheme', { name: 'URL' }],
    ['a list with a name', [['url']]],
    ['an empty list', []],
    ['a list with a scheme whose options are none', [[URL, 'v']]],
    ['a list with a scheme whose options are null', [[URL, null]]],
  ]
  for (const [title, given] of wrong) {
    it(`${title} is a TypeError`, () => {
      assert.throws(() => serve([x('1')]).enableVersioning(given as typeof URL), {
        name: 'TypeError',
        message,
      })
    })
  }
})

describe('the option versioning of createApp', () => {
  const open = (versioning: unknown): App =>
    createApp(defineModule({}), { logger: false, versioning: versioning as { scheme: typeof URL } })
  const one = 'give { scheme: VersioningSchemes.URL, … } with the options of the scheme'
  const list =
    'give a list of schemes, each in a list with its options, such as [[VersioningSchemes.URL, {}]]'
  const wrong: readonly (readonly [title: string, given: unknown, found: string, fix: string])[] = [
    ['a scheme alone', URL, ' is an object with write, segments, candidate, statusCodes, fold', one],
    ['a name', 'url', ' is a string of 3 characters', one],
    ['null', null, ' is null', one],
    ['options without a scheme', { defaultVersion: '1' }, ' has no scheme', one],
    [
      'a scheme beside schemes',
      { scheme: URL, schemes: [[QUERY]] },
      ' has scheme and schemes',
      'leave scheme out and list it in schemes',
    ],
    [
      'a name as the scheme',
      { scheme: 'url' },
      '.scheme is a string of 3 characters',
      'give a scheme, such as VersioningSchemes.URL',
    ],
    [
      'one scheme as the list',
      { schemes: URL },
      '.schemes is an object with write, segments, candidate, statusCodes, fold',
      list,
    ],
    [
      'schemes without brackets',
      { schemes: [URL] },
      '.schemes[0] is an object with write, segments, candidate, statusCodes, fold',
      list,
    ],
    [
      'several schemes, one of them a name',
      { schemes: [[URL], ['query']] },
      '.schemes[1] is a list of 1',
      list,
    ],
    ['options of a scheme that are none', { schemes: [[URL, 'v']] }, '.schemes[0] is a list of 2', list],
  ]
  for (const [title, given, found, fix] of wrong) {
    it(`refuses ${title}`, () => {
      assert.throws(
        () => open(given),
        (error) => {
          assert.ok(error instanceof DefinitionError, String(error))
          assert.deepEqual(placeless(error.errors), [
            { code: 'invalid_option', where: 'createApp', message: `versioning${found}`, fix },
          ])
          return true
        },
      )
    })
  }
  it('takes one scheme, and several', async () => {
    assertProblems(await mistakes(open({ scheme: URL })), [])
    assertProblems(await mistakes(open({ schemes: [[URL], [QUERY, {}]] })), [])
  })
  it('applies the options of each scheme and the common ones', async () => {
    const routes = ['1', '2'].map(
      (version) => ({ method: 'GET', path: '/x', version, handler: () => version }) as const,
    )
    const module = defineModule({ controllers: [defineController({ prefix: '/', routes })] })
    const bodies = async (app: App, requests: readonly object[]): Promise<readonly unknown[]> =>
      Promise.all(requests.map(async (request) => (await app.inject({ url: '/x', ...request })).json()))
    const alone = createApp(module, {
      logger: false,
      versioning: { scheme: URL, versionParameter: 'r', defaultVersion: '1' },
    })
    assert.deepEqual(await bodies(alone, [{}, { url: '/r2/x' }]), ['1', '2'])
    const several = createApp(module, {
      logger: false,
      versioning: {
        schemes: [[URL], [QUERY, { versionParameter: 'edition' }]],
        defaultVersion: '1',
      },
    })
    assert.deepEqual(await bodies(several, [{}, { url: '/v2/x' }, { url: '/x?edition=2' }]), ['1', '2', '2'])
  })
  it('refuses an option that no scheme has', async () => {
    const [first] = await mistakes(open({ scheme: URL, headerParameter: 'x-version' }))
    assert.equal(first?.message, 'the scheme URL has no option "headerParameter"')
  })
})

describe('policies for unknown versions are definition errors', () => {
  const unknown = (where: string, field: string, version: string, known: string): ExpectedProblem => ({
    code: 'unknown_policy_version',
    where,
    message: `${field} has a policy for "${version}", which is not a known version; ${known}`,
    fix: 'correct it, or list the version in the option versions',
  })
  const told = (given: Told, options: VersioningOptions = {}): App => {
    const app = tell(given)
    app.enableVersioning(QUERY, options)
    return app
  }
  const nine = { versions: { '9': { deprecated: true } } }
  table([
    [
      'in the record of enableVersioning',
      () => told({ version: '1' }, { versions: { '1': {}, '9': { deprecated: true } } }),
      [unknown('enableVersioning', 'versions', '9', 'known are 1')],
    ],
    [
      'not in the list, which makes versions known',
      () => told({ version: '1' }, { versions: ['9', '1'] }),
      [],
    ],
    [
      'of a route',
      () => told({ version: '1', route: nine }),
      [unknown('api.r: GET /x', 'policy.versions', '9', 'known are 1')],
    ],
    [
      'of a controller',
      () => told({ version: '1', controller: nine }),
      [unknown('controller api', 'policy.versions', '9', 'known are 1')],
    ],
    [
      'of a module',
      () => told({ module: nine }),
      [unknown('AppModule', 'policy.versions', '9', 'there are none')],
    ],
    [
      'but not in another spelling of a known version',
      () => told({ version: '1', route: { versions: { '1.0': {} } } }, { format: 'semver' }),
      [],
    ],
    [
      'but not for a known version that the route does not answer',
      () => told({ version: '1', route: { versions: { '2': {} } } }, { versions: ['2', '1'] }),
      [],
    ],
    ['but not without versioning', () => tell({ version: '1', route: nine }), []],
  ])
  it('of a level with many routes, once', async () => {
    const routes = ['/a', '/b'].map(
      (path) => ({ method: 'GET', path, version: '1', handler: () => 1 }) as const,
    )
    const controller = defineController({ name: 'api', policy: nine, routes: routes as never })
    const app = createApp(defineModule({ controllers: [controller] }), {
      logger: false,
      versioning: { scheme: QUERY },
    })
    assertProblems(await mistakes(app), [unknown('controller api', 'policy.versions', '9', 'known are 1')])
  })
})

describe('a sunset before the deprecation is a definition error', () => {
  const early = (where: string, versions: string, sunset: string, deprecated: string): ExpectedProblem => ({
    code: 'sunset_before_deprecation',
    where,
    message: `${versions === '' ? '' : `in version ${versions}, `}the sunset ${sunset} comes before the deprecation ${deprecated}`,
  })
  const [january, june] = ['2026-01-01T00:00:00.000Z', '2026-06-01T00:00:00.000Z']
  const wrong = { deprecated: '2026-06-01', sunset: '2026-01-01' }
  const told = (given: Told, options: VersioningOptions = {}): App => {
    const app = tell(given)
    app.enableVersioning(QUERY, options)
    return app
  }
  const route = 'api.r: GET /x'
  table([
    [
      'of a version',
      () => told({ version: '1' }, { versions: [{ version: '1', ...wrong }] }),
      [early('enableVersioning', '1', january, june)],
    ],
    [
      'of a version in the record',
      () => told({ version: '1' }, { versions: { '1': wrong } }),
      [early('enableVersioning', '1', january, june)],
    ],
    ['of a route', () => told({ version: '1', route: wrong }), [early(route, '1', january, june)]],
    [
      'of a controller, for each of its routes',
      () => told({ version: '1', controller: wrong }),
      [early(route, '1', january, june)],
    ],
    [
      'of a module',
      () => told({ version: ['1', '2'], module: wrong }),
      [early(route, '1, 2', january, june)],
    ],
    [
      'of levels that contradict each other',
      () => told({ version: '1', route: { sunset: '2026-01-01' }, module: { deprecated: '2026-06-01' } }),
      [early(route, '1', january, june)],
    ],
    [
      'of a route and a version that contradict each other',
      () =>
        told(
          { version: ['1', '2'], route: { deprecated: '2026-06-01' } },
          { versions: { '2': { sunset: '2026-01-01' } } },
        ),
      [early(route, '2', january, june)],
    ],
    [
      'of a route in one of its versions',
      () => told({ version: ['1', '2'], route: { versions: { '2': wrong } } }),
      [early(route, '2', january, june)],
    ],
    [
      'of a route, different in each of its versions',
      () =>
        told({
          version: ['1', '2'],
          route: {
            deprecated: '2026-06-01',
            versions: { '1': { sunset: '2026-01-01' }, '2': { sunset: '2026-05-31' } },
          },
        }),
      [early(route, '1', january, june), early(route, '2', '2026-05-31T00:00:00.000Z', june)],
    ],
    [
      'of a version and of the route that says something else of it: once',
      () => told({ version: '1', route: { retired: 'gone' } }, { versions: { '1': wrong } }),
      [early('enableVersioning', '1', january, june)],
    ],
    ['of a route without version', () => told({ route: wrong }), [early(route, '', january, june)]],
    [
      'of a neutral route',
      () => told({ version: VERSION_NEUTRAL, route: wrong }, { versions: ['1'] }),
      [early(route, '', january, june)],
    ],
    [
      'of a route without versioning',
      () => tell({ version: '1', route: wrong }),
      [early(route, '', january, june)],
    ],
    [
      'of a policy by hours only',
      () => tell({ route: { deprecated: '2026-01-01T12:00:00+02:00', sunset: '2026-01-01T09:59:59Z' } }),
      [early(route, '', '2026-01-01T09:59:59.000Z', '2026-01-01T10:00:00.000Z')],
    ],
    [
      'but not the same moment',
      () => tell({ route: { deprecated: '2026-01-01', sunset: '2026-01-01' } }),
      [],
    ],
    ['but not without a date', () => tell({ route: { deprecated: true, sunset: '2026-01-01' } }), []],
    [
      'but not when the route takes the sunset back',
      () =>
        told(
          { version: '1', route: { deprecated: '2026-06-01', sunset: false } },
          { versions: { '1': { sunset: '2026-01-01' } } },
        ),
      [],
    ],
    [
      'but not of versions that the route does not answer',
      () =>
        told(
          { version: '1', route: { deprecated: '2026-06-01', versions: { '2': { sunset: '2026-01-01' } } } },
          { versions: ['2', '1'] },
        ),
      [],
    ],
  ])
})

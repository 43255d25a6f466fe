import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineVersioningScheme, VERSION_NEUTRAL, VersioningSchemes } from 'octavo'
import type { DefinitionWarning, HostOptions, UrlVersioningOptions } from 'octavo'

import { warnings } from './boot-support.ts'
import type { Row } from './support.ts'

const { HEADER, HOST, QUERY, URL } = VersioningSchemes

const x = (version: Row[2], path: Row[1] = '/x', method: Row[0] = 'GET'): Row => [method, path, version, 'x']

const label = (index: number, path = '/x', method = 'GET'): string => `api.r${index}: ${method} ${path}`

type Case = readonly [
  title: string,
  given: Parameters<typeof warnings<HostOptions & UrlVersioningOptions>>,
  ...expected: readonly DefinitionWarning[],
]

function table(cases: readonly Case[]): void {
  for (const [title, given, ...expected] of cases) {
    it(title, async () => assert.deepEqual(await warnings(...given), expected))
  }
}

const unreachable = (where: string, message: string): DefinitionWarning => ({
  code: 'unreachable_route',
  where,
  message,
  fix: 'remove it, or change its path, method or version',
})
const goesTo = (labels: string): string => `this route can never be reached: its requests go to ${labels}`

describe('a route that is never reached is warned of', () => {
  const twice = (where: string, other: string, version = '1'): DefinitionWarning => ({
    code: 'default_twice',
    where,
    message: `${other} answers version ${version}, which is the default: this route without version never answers`,
    fix: 'remove it, or give it a version',
  })
  table([
    [
      'an unversioned route beside one for the default version',
      [[x('1'), x(undefined)], QUERY, { defaultVersion: '1' }],
      twice(label(1), label(0)),
    ],
    [
      'an unversioned route beside the default version in another spelling',
      [[x('1'), x(undefined)], QUERY, { defaultVersion: '1.0', format: 'semver' }],
      twice(label(1), label(0)),
    ],
    [
      'an unversioned route beside a default that is chosen by its place',
      [[x('1'), x('2'), x(undefined)], QUERY, { defaultVersion: 'latest' }],
      twice(label(2), label(1), '2'),
    ],
    [
      'an unversioned route beside a range with the default version',
      [[x('>=1'), x(undefined)], QUERY, { defaultVersion: '1', versions: ['2', '1'] }],
      twice(label(1), label(0)),
    ],
    [
      'not an unversioned route beside other versions',
      [[x('2'), x('1', '/y'), x(undefined)], QUERY, { defaultVersion: '1' }],
    ],
    ['not an unversioned route without a default', [[x('1'), x(undefined)], QUERY]],
    [
      'not an unversioned route if a function chooses the default',
      [[x('1'), x(undefined)], QUERY, { defaultVersion: () => null }],
    ],
    [
      'a range whose versions another route names',
      [[x('>=1 <2'), x('1'), x('2')], QUERY, { versions: ['2', '1'] }],
      unreachable(label(0), goesTo(label(1))),
    ],
    [
      'a range whose versions many routes name',
      [
        [x('<=7'), ...['1', '2', '3', '4', '5', '6', '7'].map((version) => x(version))],
        QUERY,
        { versions: ['7', '6', '5', '4', '3', '2', '1'] },
      ],
      unreachable(label(0), goesTo(`${[1, 2, 3, 4, 5].map((index) => label(index)).join(', ')} and 2 more`)),
    ],
    [
      'a neutral route beside the default and every other version',
      [[x(VERSION_NEUTRAL), x('1'), x('2')], QUERY, { defaultVersion: '1' }],
      unreachable(label(0), goesTo(`${label(1)}, ${label(2)}`)),
    ],
    [
      'an unversioned route if versions are required',
      [[x('1'), x(undefined)], QUERY, { required: true }],
      unreachable(
        label(1),
        'versions are required at this path, and this route has none: it can never be reached',
      ),
    ],
    [
      'an unversioned route for a method of its own if versions are required',
      [[x('1'), x(undefined, '/x', 'POST')], QUERY, { required: true }],
      unreachable(
        label(1, '/x', 'POST'),
        'versions are required at this path, and this route has none: it can never be reached',
      ),
    ],
  ])
})

describe('neutral routes that answer less than they seem to are warned of', () => {
  const shadowed = (where: string, others: string): DefinitionWarning => ({
    code: 'neutral_shadowed',
    where,
    message: `every known version is answered by ${others}: this neutral route only answers requests without one`,
    fix: 'remove it, or its version',
  })
  const nobody: DefinitionWarning = {
    code: 'everything_neutral',
    where: 'enableVersioning',
    message: 'no route has a version: all of them are unversioned or neutral',
    fix: "give routes, controllers or modules a version, as in version: '1', or do not enable versioning",
  }
  const other = x('1', '/other')
  table([
    [
      'beside unversioned ones, under URL',
      [[x(undefined), x(VERSION_NEUTRAL), other], URL],
      unreachable(label(1), goesTo(label(0))),
    ],
    [
      'beside unversioned ones, where these answer every version too',
      [[x(undefined), x(VERSION_NEUTRAL), other], QUERY],
      unreachable(label(1), goesTo(label(0))),
    ],
    [
      'not beside unversioned ones at a path with versions',
      [[x(undefined), x(VERSION_NEUTRAL), x('1'), other, x('2', '/other')], QUERY],
    ],
    ['nothing but neutral and unversioned routes', [[x(VERSION_NEUTRAL), x(undefined, '/y')], QUERY], nobody],
    [
      'nothing but neutral routes, though versions are listed',
      [[x(VERSION_NEUTRAL)], QUERY, { versions: ['2', '1'] }],
      nobody,
    ],
    ['nothing but unversioned routes', [[x(undefined)], URL], nobody],
    ['not if one route has a version', [[x(VERSION_NEUTRAL), other], QUERY]],
    ['not without routes', [[], QUERY]],
    [
      'replaced in every version',
      [[x(VERSION_NEUTRAL), x('1'), x('2')], QUERY],
      shadowed(label(0), `${label(1)}, ${label(2)}`),
    ],
    [
      'replaced in every version by one route',
      [[x(VERSION_NEUTRAL), x(['1', '2'])], URL],
      shadowed(label(0), label(1)),
    ],
    ['not in a version that another path has', [[x(VERSION_NEUTRAL), x('1'), x('2', '/y')], QUERY]],
    ['not if the neutral route names a version itself', [[x([VERSION_NEUTRAL, '1']), x('2')], QUERY]],
    ['not for another method', [[x(VERSION_NEUTRAL), x('1', '/x', 'POST')], QUERY]],
    [
      'not if the neutral route is never reached',
      [[x(VERSION_NEUTRAL), x('1')], QUERY, { required: true }],
      unreachable(label(0), goesTo(label(1))),
    ],
    [
      'not beside an unversioned one',
      [[x(VERSION_NEUTRAL), x('1'), x(undefined)], QUERY],
      unreachable(label(0), goesTo(`${label(1)}, ${label(2)}`)),
    ],
  ])
})

describe('a parameter in place of a version segment is warned of', () => {
  const hidden = (routes: string, segments: string): DefinitionWarning => ({
    code: 'parameter_hidden',
    where: 'enableVersioning',
    message: `the parameter in the first segment of ${routes} is never ${segments}: a path that begins so asks for a version`,
    fix: 'put a literal segment before the parameter, or choose another versionParameter',
  })
  const cars = x(undefined, '/{tenant}/cars')
  table([
    [
      'a version segment in the path of a route that has a version: one warning for all',
      [[x('1', '/v1/x'), x(['1', '2'], '/v2/y'), x(['1', '2'])], URL],
      {
        code: 'version_written_twice',
        where: 'enableVersioning',
        message: `the version segment is put before the paths of ${label(0, '/v1/x')}, ${label(1, '/v2/y')}, which begin with one already`,
        fix: 'take it out of their prefix or path',
      },
    ],
    ['not at a path without versions', [[x(undefined, '/v1/z'), x('1')], URL]],
    ['not where versions are not in the path', [[x('1', '/v1/x')], QUERY]],
    [
      'a parameter of an unversioned route',
      [[cars, x(['1', '2'])], URL],
      hidden(label(0, '/{tenant}/cars'), 'v1, v2'),
    ],
    [
      'one warning for all of them',
      [[cars, x(undefined, '/{tenant}/vans'), x('1')], URL],
      hidden(`${label(0, '/{tenant}/cars')}, ${label(1, '/{tenant}/vans')}`, 'v1'),
    ],
    [
      'a long list of routes is cut',
      [[...'abcdefg'.split('').map((path) => x(undefined, `/{t}/${path}`)), x('12345678'.split(''))], URL],
      hidden(
        `${'abcde'
          .split('')
          .map((path, index) => label(index, `/{t}/${path}`))
          .join(', ')} and 2 more`,
        'v1, v2, v3, v4, v5 and 3 more',
      ),
    ],
    [
      'a parameter behind the prefix of the application',
      [[cars, x('1')], URL, {}, { prefix: '/api' }],
      hidden(label(0, '/api/{tenant}/cars'), 'v1'),
    ],
    [
      'a parameter that is mixed with text',
      [[x(undefined, '/v{n}'), x('1')], URL],
      hidden(label(0, '/v{n}'), 'v1'),
    ],
    [
      'a number, if versions are numbers too',
      [[x(undefined, '/{id:int}'), x('1')], URL, { allowBare: true }],
      hidden(label(0, '/{id:int}'), '1'),
    ],
    [
      'a parameter of a neutral route',
      [[x(VERSION_NEUTRAL, '/{a}'), x('1')], URL],
      hidden(label(0, '/{a}'), 'v1'),
    ],
    [
      'a parameter of a route of the default version',
      [[x('1', '/{a}'), x('2')], URL, { defaultVersion: '1' }],
      hidden(label(0, '/{a}'), 'v1, v2'),
    ],
    [
      'a parameter of any version, if a function chooses the default',
      [[x('1', '/{a}')], URL, { defaultVersion: () => '1' }],
      hidden(label(0, '/{a}'), 'v1'),
    ],
    ['not where the type refuses versions', [[x(undefined, '/{id:int}'), x('1')], URL]],
    ['not in other segments', [[x(undefined, '/cars/{tenant}'), x('1')], URL]],
    ['not of a version that is always in the path', [[x('1', '/{a}')], URL]],
    [
      'not of a neutral route if versions are required',
      [[x(VERSION_NEUTRAL, '/{a}'), x('1', '/{a}'), x('2')], URL, { required: true }],
    ],
    ['not for the rest of all paths', [[x(undefined, '/{page:path}'), x('1')], URL]],
    ['not in other schemes', [[cars, x('1')], QUERY]],
    [
      'not without versions',
      [[cars], URL],
      {
        code: 'everything_neutral',
        where: 'enableVersioning',
        message: 'no route has a version: all of them are unversioned or neutral',
        fix: "give routes, controllers or modules a version, as in version: '1', or do not enable versioning",
      },
    ],
  ])
})

describe('holes between versions, and versions without routes, are warned of', () => {
  const hole = (where: string, message: string): DefinitionWarning => ({
    code: 'version_hole',
    where,
    message,
    fix: 'give one of them the versions between, unless you left it out on purpose',
  })
  const none = (versions: string): DefinitionWarning => ({
    code: 'version_without_routes',
    where: 'enableVersioning',
    message: `no route has ${versions}`,
    fix: 'give a route this version, or take it out of versions',
  })
  const all = x(['1', '2', '3'], '/all')
  const between = (older: string, holes: string, from = '1', to = '3'): string =>
    `it exists in version ${from} (${older}) and in version ${to}, but not in ${holes}`
  table([
    [
      'a version without the route between two that have it',
      [[x('1'), x('3'), all], QUERY],
      hole(label(1), between(label(0), 'version 2')),
    ],
    [
      'a version that the list of one route leaves out',
      [[x(['1', '3']), all], QUERY],
      hole(label(0), between(label(0), 'version 2')),
    ],
    [
      'several holes get one warning',
      [[x('1'), x('3'), x('5'), x(['1', '2', '3', '4', '5'], '/all')], QUERY],
      hole(label(2), between(label(0), 'versions 2, 4', '1', '5')),
    ],
    [
      'a hole by value, not by place in the list',
      [[x('10'), x('2'), x(['2', '9', '10'], '/all')], QUERY],
      hole(label(0), between(label(1), 'version 9', '2', '10')),
    ],
    ['not before the first or after the last', [[x('2'), all], QUERY]],
    ['not where a neutral route fills it', [[x('1'), x(VERSION_NEUTRAL), x('3'), all], QUERY]],
    [
      'not where an unversioned route fills it as the default',
      [[x('1'), x(undefined), x('3'), all], QUERY, { defaultVersion: '2' }],
    ],
    ['not without order', [[x('blue'), x('red'), x(['blue', 'green', 'red'], '/all')], QUERY]],
    [
      'a hole in the versions of one method',
      [[x('1'), x('2', '/x', 'POST'), x('3'), all], QUERY],
      hole(label(2), between(label(0), 'version 2')),
    ],
    ['a version that is listed only', [[x('1')], QUERY, { versions: ['2', '1'] }], none('version 2')],
    [
      'many listed versions get one warning, and the list is cut',
      [[x('1')], QUERY, { versions: '87654321'.split('') }],
      none('versions 2, 3, 4, 5, 6 and 2 more'),
    ],
    [
      'a version without routes is no hole in each of them',
      [[x(['1', '3'])], QUERY, { versions: ['3', '2', '1'] }],
      none('version 2'),
    ],
    [
      'neutral routes do not count',
      [[x('1'), x(VERSION_NEUTRAL, '/y')], QUERY, { versions: ['2', '1'] }],
      none('version 2'),
    ],
    [
      'the default of an unversioned route counts',
      [[x('1'), x(undefined)], QUERY, { versions: ['2', '1'], defaultVersion: '2' }],
    ],
    [
      'not where 410 is meant to answer',
      [[x('2')], QUERY, { versions: ['2', { version: '1', sunset: '2026-01-01', retired: 'gone' }] }],
    ],
    ['a range counts', [[x('>=1')], QUERY, { versions: ['2', '1'] }]],
  ])
})

describe('common host labels that would be versions are warned of', () => {
  const taken = (message: string, labels: string): DefinitionWarning => ({
    code: 'host_label_version',
    where: 'enableVersioning(HOST)',
    message,
    fix: `ignoreLabels: [${labels}]`,
  })
  const www = 'www.example.com asks for a version "www"'
  const api = 'api.example.com asks for a version "api"'
  const rows = [x('1')]
  table([
    ['www and api', [rows, HOST], taken(`${www}, ${api}`, "'www', 'api'")],
    [
      'the one that is not ignored',
      [rows, HOST, { ignoreLabels: ['API', 'app'] }],
      taken(www, "'API', 'app', 'www'"),
    ],
    ['not when they are ignored', [rows, HOST, { ignoreLabels: ['WWW', 'api'] }]],
    ['not when they are versions', [[x('www'), x('api')], HOST]],
    ['not with a pattern of your own', [rows, HOST, { hostPattern: /^v(\d+)\./ }]],
    ['not in other schemes', [rows, HEADER]],
  ])
})

describe('applications without surprises log no warning', () => {
  const own = defineVersioningScheme({ name: 'own', read: () => undefined })
  table([
    ['without versioning', [[x('1'), x(undefined, '/y')]]],
    [
      'versions, neutral and unversioned routes',
      [[x('1'), x('2'), x(VERSION_NEUTRAL, '/ping'), x(undefined, '/docs')], URL, { defaultVersion: '2' }],
    ],
    ['ranges', [[x('<2'), x('>=2'), x('>=1', '/y')], QUERY, { versions: ['3', '2', '1'] }]],
    ['an own scheme', [[x('1')], own]],
  ])
})

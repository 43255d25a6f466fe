import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  createApp,
  defineController,
  defineModule,
  DefinitionError,
  VERSION_NEUTRAL,
  VersioningSchemes,
} from 'octavo'
import type { App } from 'octavo'

import { mistakes } from './boot-support.ts'
import { ask, ok, serve } from './support.ts'
import type { Row } from './support.ts'
import { assertProblems } from '../support/places.ts'
import type { ExpectedProblem } from '../support/places.ts'

const { HEADER, HOST, QUERY, URL } = VersioningSchemes

const x = (version: Row[2], path: Row[1] = '/x'): Row => ['GET', path, version, 'x']

const label = (index: number, path = '/x', method = 'GET'): string => `api.r${index}: ${method} ${path}`

const duplicate = (a: string, b: string, version: string | undefined, method = 'GET'): ExpectedProblem => ({
  code: 'duplicate_route',
  where: b,
  message: `${a} answers ${method} on the same path${version === undefined ? '' : ` for version ${version}`} too`,
  fix: 'change the path, the method or the version of one of them',
})

describe('duplicate routes are definition errors', () => {
  const cases: readonly (readonly [title: string, app: () => App, expected: readonly ExpectedProblem[]])[] = [
    ['one version twice', () => serve([x('1'), x('1')], QUERY), [duplicate(label(0), label(1), '1')]],
    [
      'lists that meet',
      () => serve([x(['1', '2']), x(['2', '3'])], QUERY),
      [duplicate(label(0), label(1), '2')],
    ],
    [
      'paths that differ in the names of their parameters',
      () => serve([x('1', '/{a}'), x('1', '/{b}')], QUERY),
      [duplicate(label(0, '/{a}'), label(1, '/{b}'), '1')],
    ],
    [
      'paths that differ in a slash at the end',
      () => serve([x('1'), x('1', '/x/')], QUERY),
      [duplicate(label(0), label(1, '/x/'), '1')],
    ],
    [
      'but not a slash at the end where slashes count',
      () => serve([x('1'), x('1', '/x/')], QUERY, {}, { trailingSlash: 'strict' }),
      [],
    ],
    [
      'two neutral ones',
      () => serve([x(VERSION_NEUTRAL), x(VERSION_NEUTRAL)], QUERY),
      [duplicate(label(0), label(1), undefined)],
    ],
    [
      'two unversioned ones',
      () => serve([x(undefined), x(undefined)], QUERY),
      [duplicate(label(0), label(1), undefined)],
    ],
    [
      'each of three equal routes',
      () => serve([x('1'), x('1'), x('1')], QUERY),
      [duplicate(label(0), label(1), '1'), duplicate(label(0), label(2), '1')],
    ],
    [
      'versions that the format treats as equal',
      () => serve([x('1'), x('1.0')], QUERY, { format: 'semver' }),
      [duplicate(label(0), label(1), '1')],
    ],
    ['but not different spellings without a format', () => serve([x('1'), x('1.0')], QUERY), []],
    [
      'but not an unversioned, a neutral and a versioned route together',
      () => serve([x(undefined), x(VERSION_NEUTRAL), x('1')], QUERY),
      [],
    ],
    [
      'neutral in two lists',
      () => serve([x([VERSION_NEUTRAL, '1']), x([VERSION_NEUTRAL, '2'])], QUERY),
      [duplicate(label(0), label(1), undefined)],
    ],
    [
      'ranges that cover the same known versions',
      () => serve([x('>1'), x('>=1.5')], QUERY, { versions: ['2', '1'] }),
      [duplicate(label(0), label(1), '2')],
    ],
    [
      'but not ranges that cover different known versions',
      () => serve([x('>=1'), x('>=2')], QUERY, { versions: ['2', '1'] }),
      [],
    ],
    [
      'two routes of one method among others',
      () =>
        serve(
          [
            ['POST', '/x', '1', 'a'],
            ['GET', '/x', '1', 'b'],
            ['POST', '/x', '1', 'c'],
          ],
          QUERY,
        ),
      [duplicate(label(0, '/x', 'POST'), label(2, '/x', 'POST'), '1', 'POST')],
    ],
    [
      'two unversioned routes without versioning',
      () => serve([x(undefined), x(undefined)]),
      [duplicate(label(0), label(1), undefined)],
    ],
    [
      'two versioned routes without versioning, with a hint to enable it',
      () => serve([x('1'), x('2')]),
      [
        {
          ...duplicate(label(0), label(1), undefined),
          fix: 'call app.enableVersioning: their versions do not count before',
        },
      ],
    ],
  ]
  for (const [title, app, expected] of cases) {
    it(title, async () => assertProblems(await mistakes(app()), expected))
  }
  it('but not versioned routes of different paths without versioning', async () => {
    const app = serve([x('1'), x('2', '/y')])
    assert.deepEqual([await ask(app, '/x'), await ask(app, '/y')], [ok('x@null'), ok('x@null')])
  })
  it('createApp does not throw them, because versioning may still be enabled', async () => {
    const app = serve([x('1'), x('2')])
    app.enableVersioning(QUERY)
    assertProblems(await mistakes(app), [])
  })
  it('inject, listen and urlFor all throw them', async () => {
    await assert.rejects(serve([x('1'), x('1')], QUERY).inject('/x'), DefinitionError)
    await assert.rejects(serve([x('1'), x('1')], QUERY).listen({ port: 0 }), DefinitionError)
    assert.throws(
      () => serve([x('1'), x('1')], QUERY).urlFor('api.r0' as never, {} as never),
      DefinitionError,
    )
  })
})

describe('unknown defaults, and versions that a scheme cannot carry, are definition errors', () => {
  const encodable = (where: string, version: string, scheme: string, reason: string): ExpectedProblem => ({
    code: 'version_not_encodable',
    where,
    message: `the version "${version}" cannot travel in the scheme ${scheme}: ${reason}`,
    fix: 'rename the version, or choose another scheme',
  })
  const inPath = 'a path segment cannot hold / ? # or \\'
  const inAddress = 'addresses cannot hold half a surrogate pair'
  const inHost = 'a host label of this scheme holds letters and digits only'
  const inHeader = 'a header value holds ASCII characters only, no ; , " \\ and no space at its ends'
  const repeated = (
    where: string,
    version: string,
    rest: string,
    { versionParameter = 'v' }: { readonly versionParameter?: string },
  ): ExpectedProblem => ({
    code: 'invalid_version',
    where,
    message: `the scheme URL writes "${versionParameter}" before versions, so "${version}" would be served at /${versionParameter}${version}`,
    fix: `write '${rest}'`,
  })
  const unknownDefault = (scheme: string, version: string, known: string): ExpectedProblem => ({
    code: 'default_version_unknown',
    where: `enableVersioning(${scheme})`,
    message: `the default version "${version}" is not a known version; ${known}`,
    fix: 'name a version that a route has, or list it in versions',
  })
  const cases: readonly (readonly [title: string, app: () => App, expected: readonly ExpectedProblem[]])[] = [
    [
      'a default that no route names',
      () => serve([x('1'), x('2')], URL, { defaultVersion: '3' }),
      [unknownDefault('URL', '3', 'known are 1, 2')],
    ],
    [
      'a default without versions',
      () => serve([x(undefined)], QUERY, { defaultVersion: '1' }),
      [unknownDefault('QUERY', '1', 'there are none')],
    ],
    [
      'but not a default that is only listed',
      () => serve([x('1')], QUERY, { defaultVersion: '2', versions: ['2', '1'] }),
      [],
    ],
    [
      'but not a default in another spelling that the format treats as equal',
      () => serve([x('1')], QUERY, { defaultVersion: '1.0', format: 'semver' }),
      [],
    ],
    [
      'a default in another spelling without a format',
      () => serve([x('1')], QUERY, { defaultVersion: '1.0' }),
      [unknownDefault('QUERY', '1.0', 'known are 1')],
    ],
    [
      'a default that the format refuses',
      () => serve([x('1')], QUERY, { defaultVersion: 'one', format: 'integer' }),
      [unknownDefault('QUERY', 'one', 'known are 1')],
    ],
    [
      'a default of a neutral application',
      () => serve([x(VERSION_NEUTRAL)], HOST, { defaultVersion: '__proto__' }),
      [unknownDefault('HOST', '__proto__', 'there are none')],
    ],
    ['URL: a slash', () => serve([x('1/2')], URL), [encodable(label(0), '1/2', 'URL', inPath)]],
    ['URL: a question mark', () => serve([x('1?')], URL), [encodable(label(0), '1?', 'URL', inPath)]],
    ['URL: a hash', () => serve([x('#1')], URL), [encodable(label(0), '#1', 'URL', inPath)]],
    [
      'URL: half a surrogate pair',
      () => serve([x('\ud83d')], URL),
      [encodable(label(0), '\ud83d', 'URL', inAddress)],
    ],
    [
      'QUERY: half a surrogate pair',
      () => serve([x('\ud83d')], QUERY),
      [encodable(label(0), '\ud83d', 'QUERY', inAddress)],
    ],
    [
      'URL: a prefix with a slash',
      () => serve([x('1')], URL, { versionParameter: 'api/v' }),
      [encodable(label(0), '1', 'URL', inPath)],
    ],
    ...(
      [
        ['v1', '1', {}],
        ['version-2', '2', { versionParameter: 'version-' }],
      ] as const
    ).map(
      ([version, rest, options]) =>
        [
          `URL: the version ${version}, which would have two prefixes`,
          () => serve([x(version)], URL, options),
          [repeated(label(0), version, rest, options)],
        ] as const,
    ),
    ['URL: but not a version that only begins alike', () => serve([x('vega')], URL), []],
    ['QUERY: but not v1', () => serve([x('v1')], QUERY), []],
    ['HOST: a dot', () => serve([x('1.0')], HOST), [encodable(label(0), '1.0', 'HOST', inHost)]],
    ['HOST: a dash', () => serve([x('1-beta')], HOST), [encodable(label(0), '1-beta', 'HOST', inHost)]],
    [
      'HOST: a prefix with a dash',
      () => serve([x('1')], HOST, { versionParameter: 'v-' }),
      [encodable(label(0), '1', 'HOST', inHost)],
    ],
    [
      'HOST: but not a dash, with a pattern of your own',
      () => serve([x('1-beta')], HOST, { hostPattern: /^([^.]+)\./ }),
      [],
    ],
    [
      'HOST: versions that differ by case',
      () => serve([x('Beta'), x('beta')], HOST),
      [
        {
          code: 'version_not_encodable',
          where: 'enableVersioning',
          message: 'the scheme HOST cannot tell the versions "Beta" and "beta" apart',
          fix: 'rename one of them, or choose another scheme',
        },
      ],
    ],
    [
      'HEADER: a semicolon',
      () => serve([x('1;2')], HEADER),
      [encodable(label(0), '1;2', 'HEADER', inHeader)],
    ],
    [
      'HEADER: a comma',
      () => serve([x('1,2')], HEADER, { headerParameter: 'x' }),
      [encodable(label(0), '1,2', 'HEADER', inHeader)],
    ],
    [
      'HEADER: a control character',
      () => serve([x('1\u00012')], HEADER),
      [encodable(label(0), '1\u00012', 'HEADER', inHeader)],
    ],
    [
      'HEADER: a letter outside ASCII',
      () => serve([x('\u00e9')], HEADER),
      [encodable(label(0), '\u00e9', 'HEADER', inHeader)],
    ],
    [
      'HEADER: a space at the end',
      () => serve([x('1')], HEADER, { versions: ['1 ', '1'] }),
      [encodable('enableVersioning', '1 ', 'HEADER', inHeader)],
    ],
    ['QUERY takes anything', () => serve([x('1/2?;,#\u00e9')], QUERY), []],
    [
      'listed versions too',
      () => serve([x('1')], URL, { versions: ['a/b', '1'] }),
      [encodable('enableVersioning', 'a/b', 'URL', inPath)],
    ],
    [
      'a version that the format refuses',
      () => serve([x('one')], QUERY, { format: 'integer' }),
      [
        {
          code: 'invalid_version',
          where: label(0),
          message: 'the version "one" does not have the format integer',
          fix: 'correct it, or choose another format',
        },
      ],
    ],
    [
      'a listed version that the format refuses',
      () => serve([x('2026-01-01')], QUERY, { format: 'date', versions: ['2026-02-30', '2026-01-01'] }),
      [
        {
          code: 'invalid_version',
          where: 'enableVersioning',
          message: '"2026-02-30" in versions does not have the format date',
        },
      ],
    ],
    [
      'a version over 64 characters',
      () => serve([x('1')], QUERY, { versions: ['1'.repeat(65), '1'] }),
      [
        {
          code: 'invalid_version',
          where: 'enableVersioning',
        },
      ],
    ],
    [
      'a version listed twice',
      () => serve([x('1')], QUERY, { versions: ['2', '1', '2'] }),
      [
        {
          code: 'duplicate_version',
          where: 'enableVersioning',
          message: 'versions lists "2" after "2"',
          fix: 'list each version once',
        },
      ],
    ],
    [
      'a version listed in two spellings',
      () => serve([x('1')], QUERY, { format: 'semver', versions: ['1.0', '1'] }),
      [
        {
          code: 'duplicate_version',
          where: 'enableVersioning',
        },
      ],
    ],
    [
      'names that every object has are versions',
      () => serve([x('__proto__'), x('constructor')], QUERY, { versions: ['toString'] }),
      [],
    ],
  ]
  for (const [title, app, expected] of cases) {
    it(title, async () => assertProblems(await mistakes(app()), expected))
  }
})

describe('unreadable ranges, and ranges without an ordered list, are definition errors', () => {
  const unreadable = (range: string): ExpectedProblem => ({
    code: 'invalid_version',
    where: label(0),
    message: `the range "${range}" cannot be read`,
    fix: "write comparators joined by spaces, as in '>=1.2 <2'",
  })
  const cases: readonly (readonly [title: string, app: () => App, expected: readonly ExpectedProblem[]])[] = [
    [
      'a range without a list',
      () => serve([x('>=1'), x('1', '/y')], QUERY),
      [
        {
          code: 'range_without_versions',
          where: label(0),
          message: 'the range ">=1" needs an ordered list of versions',
          fix: "list them: versions: ['2', '1']",
        },
      ],
    ],
    [
      'a range that matches nothing',
      () => serve([x('>5')], QUERY, { versions: ['2', '1'] }),
      [
        {
          code: 'range_empty',
          where: label(0),
          message: 'the range ">5" matches none of 1, 2',
          fix: 'change the range, or list the versions it is for',
        },
      ],
    ],
    [
      'a range between two versions',
      () => serve([x('>1 <2')], QUERY, { versions: ['2', '1'] }),
      [
        {
          code: 'range_empty',
          where: label(0),
        },
      ],
    ],
    [
      'a declared version that is not listed',
      () => serve([x('>=1'), x('3', '/y')], QUERY, { versions: ['2', '1'] }),
      [
        {
          code: 'version_not_listed',
          where: label(0),
          message: 'ranges are used, and versions does not list 3',
          fix: 'list every version',
        },
      ],
    ],
    [
      'but not an unlisted version without ranges',
      () => serve([x('1'), x('3', '/y')], QUERY, { versions: ['2', '1'] }),
      [],
    ],
    [
      'a comparator without a version',
      () => serve([x('>=')], QUERY, { versions: ['1'] }),
      [unreadable('>=')],
    ],
    ['an unknown comparator', () => serve([x('=>1')], QUERY, { versions: ['1'] }), [unreadable('=>1')]],
    [
      'two comparators without space',
      () => serve([x('>=1<2')], QUERY, { versions: ['1'] }),
      [unreadable('>=1<2')],
    ],
    [
      'a version without a comparator',
      () => serve([x('>=1 2')], QUERY, { versions: ['1'] }),
      [unreadable('>=1 2')],
    ],
    [
      'a bound that has no order',
      () => serve([x('>=two')], QUERY, { versions: ['1'] }),
      [unreadable('>=two')],
    ],
    [
      'a bound that the format refuses',
      () => serve([x('>=1.5')], QUERY, { versions: ['1'], format: 'integer' }),
      [unreadable('>=1.5')],
    ],
    [
      'each range of a list',
      () => serve([x(['>5', '>=', '1'])], QUERY, { versions: ['2', '1'] }),
      [
        {
          code: 'range_empty',
          where: label(0),
        },
        unreadable('>='),
      ],
    ],
  ]
  for (const [title, app, expected] of cases) {
    it(title, async () => assertProblems(await mistakes(app()), expected))
  }
})

describe('an ordinary path that hides a path of a version is a definition error', () => {
  const clash = (where: string, twin: string, version: string): ExpectedProblem => ({
    code: 'version_literal_clash',
    where,
    message: `${twin} is served at the same path in version ${version}`,
    fix: 'change one of the paths',
  })
  const ordinary = x(undefined, '/v1/x')
  const cases: readonly (readonly [title: string, app: () => App, expected: readonly ExpectedProblem[]])[] = [
    [
      'the same path in that version',
      () => serve([ordinary, x('1')], URL),
      [clash(label(0, '/v1/x'), label(1), '1')],
    ],
    [
      'paths that differ in the names of their parameters',
      () => serve([x(undefined, '/v1/{a}'), x('1', '/{b}')], URL),
      [clash(label(0, '/v1/{a}'), label(1, '/{b}'), '1')],
    ],
    [
      'a range that covers the version',
      () => serve([ordinary, x('>=1')], URL, { versions: ['2', '1'] }),
      [clash(label(0, '/v1/x'), label(1), '1')],
    ],
    [
      'a neutral route',
      () => serve([ordinary, x(VERSION_NEUTRAL), x('1', '/y')], URL),
      [clash(label(0, '/v1/x'), label(1), '1')],
    ],
    [
      'below the prefix of the application',
      () => serve([ordinary, x('1')], URL, {}, { prefix: '/api' }),
      [clash(label(0, '/api/v1/x'), label(1, '/api/x'), '1')],
    ],
    [
      'a version without its own prefix, under allowBare',
      () => serve([x(undefined, '/1/x'), x('1')], URL, { allowBare: true }),
      [clash(label(0, '/1/x'), label(1), '1')],
    ],
    [
      'a path of the default version, which is served without a version too',
      () => serve([x('2', '/v1/x'), x('1')], URL, { defaultVersion: '2' }),
      [clash(label(0, '/v1/x'), label(1), '1')],
    ],
    ['but not a path of another version than the default', () => serve([x('2', '/v1/x'), x('1')], URL), []],
    [
      'but not beside the same path in another version',
      () => serve([ordinary, x('2'), x('1', '/y')], URL),
      [],
    ],
    ['but not beside another path of that version', () => serve([ordinary, x('1', '/y')], URL), []],
    ['but not a segment that is no known version', () => serve([x(undefined, '/v9/x'), x('1')], URL), []],
    ['but not under other schemes', () => serve([ordinary, x('1')], QUERY), []],
  ]
  for (const [title, app, expected] of cases) {
    it(title, async () => assertProblems(await mistakes(app()), expected))
  }
})

describe('wrong options of enableVersioning are definition errors', () => {
  const unknown = (scheme: string, name: string, fix: string): ExpectedProblem => ({
    code: 'unknown_option',
    where: 'enableVersioning',
    message: `the scheme ${scheme} has no option "${name}"`,
    fix,
  })
  const invalid = (name: string, expected: string, found: string): ExpectedProblem => ({
    code: 'invalid_option',
    where: 'enableVersioning',
    message: `${name}${found}`,
    fix: `give ${expected}`,
  })
  const statuses = 'statuses from 400 to 499 for unsupported, unspecified, invalid, ambiguous and retired'
  const list = 'a list of versions and { version, … } objects, or a record from versions to policies'
  const common =
    'defaultVersion, required, versions, history, closed, format, unknown, report, echo, successorLinks, vary, clock'
  const cases: readonly (readonly [
    title: string,
    scheme: object,
    options: object,
    expected: readonly ExpectedProblem[],
  ])[] = [
    [
      'an unknown option',
      URL,
      { version_parameter: 'v' },
      [unknown('URL', 'version_parameter', 'did you mean "versionParameter"?')],
    ],
    [
      'an option of another scheme',
      QUERY,
      { headerParameter: 'x' },
      [unknown('QUERY', 'headerParameter', `use one of versionParameter, statusCodes, ${common}`)],
    ],
    [
      'a name that every object has',
      HEADER,
      { constructor: 'x' },
      [
        unknown(
          'HEADER',
          'constructor',
          `use one of headerParameter, versionParameter, mediaType, contentType, statusCodes, ${common}`,
        ),
      ],
    ],
    [
      'several mistakes at once',
      HOST,
      { a: 1, format: 'x' },
      [
        unknown(
          'HOST',
          'a',
          `use one of versionParameter, ignoreLabels, hostPattern, statusCodes, ${common}`,
        ),
        invalid('format', "'string', 'integer', 'semver' or 'date'", ' is "x"'),
      ],
    ],
    [
      'but not undefined',
      URL,
      { versionParameter: undefined, format: undefined, statusCodes: { invalid: undefined } },
      [],
    ],
    [
      'defaultVersion',
      URL,
      { defaultVersion: 1 },
      [
        invalid(
          'defaultVersion',
          "a version, 'latest', 'latestStable', 'oldest', a function of the request, or null",
          ' is 1',
        ),
      ],
    ],
    ['versions', URL, { versions: '1' }, [invalid('versions', list, ' is a string of 1 character')]],
    ['versions of numbers', URL, { versions: [1] }, [invalid('versions', list, '[0] is 1')]],
    [
      'a listing without version',
      URL,
      { versions: [{ sunset: '2027-01-01' }] },
      [invalid('versions', list, '[0] is an object with sunset')],
    ],
    ['versions that are null', URL, { versions: null }, [invalid('versions', list, ' is null')]],
    ['required', URL, { required: 1 }, [invalid('required', 'true or false', ' is 1')]],
    ['closed', URL, { closed: 'yes' }, [invalid('closed', 'true or false', ' is "yes"')]],
    ['unknown', URL, { unknown: 'ceiling' }, [invalid('unknown', "'error' or 'floor'", ' is "ceiling"')]],
    ['report', URL, { report: true }, [invalid('report', "'errors', 'always' or false", ' is true')]],
    ['echo', URL, { echo: 'a b' }, [invalid('echo', "true, false or 'contentType'", ' is "a b"')]],
    ['but not echo in the content type', URL, { echo: 'contentType' }, []],
    ['successorLinks', URL, { successorLinks: 1 }, [invalid('successorLinks', 'true or false', ' is 1')]],
    ['vary', URL, { vary: 'accept' }, [invalid('vary', 'a list of header names', ' is "accept"')]],
    ['but not vary without a function', URL, { vary: ['accept'] }, []],
    [
      'clock',
      URL,
      { clock: 0 },
      [invalid('clock', 'a function that returns milliseconds since 1970', ' is 0')],
    ],
    [
      'format',
      URL,
      { format: '__proto__' },
      [invalid('format', "'string', 'integer', 'semver' or 'date'", ' is "__proto__"')],
    ],
    [
      'statusCodes: no error',
      URL,
      { statusCodes: { unsupported: 200 } },
      [invalid('statusCodes', statuses, '.unsupported is 200')],
    ],
    [
      'statusCodes: an unknown kind',
      URL,
      { statusCodes: { missing: 400 } },
      [invalid('statusCodes', statuses, '.missing is 400')],
    ],
    ['versionParameter', URL, { versionParameter: 1 }, [invalid('versionParameter', 'a string', ' is 1')]],
    ['allowBare', URL, { allowBare: 'yes' }, [invalid('allowBare', 'true or false', ' is "yes"')]],
    [
      'headerParameter',
      HEADER,
      { headerParameter: 'x y' },
      [invalid('headerParameter', 'a name of letters, digits and -', ' is "x y"')],
    ],
    [
      'headerParameter that is no text',
      HEADER,
      { headerParameter: 5 },
      [invalid('headerParameter', 'a name of letters, digits and -', ' is 5')],
    ],
    [
      'versionParameter of a header',
      HEADER,
      { versionParameter: 'a=b' },
      [invalid('versionParameter', 'a name of letters, digits and -', ' is "a=b"')],
    ],
    [
      'ignoreLabels',
      HOST,
      { ignoreLabels: 'www' },
      [invalid('ignoreLabels', 'a list of strings', ' is a string of 3 characters')],
    ],
    [
      'hostPattern',
      HOST,
      { hostPattern: '^v' },
      [invalid('hostPattern', 'a regular expression', ' is a string of 2 characters')],
    ],
  ]
  for (const [title, scheme, options, expected] of cases) {
    it(title, async () => {
      const app = serve([x('1')])
      // options that the types refuse
      app.enableVersioning(scheme as typeof URL, options)
      assertProblems(await mistakes(app), expected)
    })
  }
  it('wrong versioning options of createApp too, which name the option', async () => {
    const app = createApp(defineModule({ controllers: [] }), {
      logger: false,
      versioning: { scheme: URL, allowBare: 1 } as object as { scheme: typeof URL },
    })
    const wrong = invalid('allowBare', 'true or false', ' is 1')
    assertProblems(await mistakes(app), [{ ...wrong, where: 'createApp({ versioning })' }])
    const defaulted = createApp(defineModule({ controllers: [] }), {
      logger: false,
      versioning: { scheme: URL, defaultVersion: '9' },
    })
    assertProblems(await mistakes(defaulted), [
      { code: 'default_version_unknown', where: 'createApp({ versioning: URL })' },
    ])
  })
})

describe('enableVersioning can be called until the application is ready', () => {
  const rows = [x('1'), x('2')]
  it('a second call replaces the first', async () => {
    const app = serve(rows, URL, { defaultVersion: '1' })
    app.enableVersioning(QUERY)
    assert.deepEqual(
      [await ask(app, '/x?version=2'), (await ask(app, '/v1/x')).status, (await ask(app, '/x')).status],
      [ok('x@2'), 404, 400],
    )
  })
  it('a second call replaces mistakes of the first', async () => {
    const app = serve(rows, URL, { defaultVersion: '9' })
    app.enableVersioning(URL)
    assertProblems(await mistakes(app), [])
  })
  it('a call replaces the option of createApp', async () => {
    const controller = defineController({
      prefix: '/',
      version: '1',
      routes: [{ method: 'GET', path: '/x', name: 'x', handler: () => 1 }],
    })
    const module = defineModule({ controllers: [controller] })
    const app = createApp(module, { logger: false, versioning: { scheme: URL } })
    const replaced = createApp(module, { logger: false, versioning: { scheme: URL } })
    replaced.enableVersioning(QUERY)
    assert.deepEqual(
      [(await app.inject('/v1/x')).statusCode, (await replaced.inject('/x?version=1')).statusCode],
      [200, 200],
    )
  })
  it('after urlFor it still works', async () => {
    const app = serve(rows, URL)
    assert.equal(app.urlFor('api.r0' as never, {} as never), '/v1/x')
    app.enableVersioning(QUERY)
    assert.deepEqual(
      [app.urlFor('api.r0' as never, {} as never), await ask(app, '/x?version=1')],
      ['/x?version=1', ok('x@1')],
    )
  })
  const late: readonly (readonly [title: string, open: (app: App) => Promise<unknown>])[] = [
    ['the first request', (app) => app.inject('/v1/x')],
    ['ready', (app) => app.ready()],
  ]
  for (const [title, open] of late) {
    it(`not after ${title}`, async () => {
      const app = serve(rows, URL)
      await open(app)
      assert.throws(() => app.enableVersioning(QUERY), {
        message: 'enableVersioning: call it before the first request',
      })
      assert.deepEqual(await ask(app, '/v1/x'), ok('x@1'))
    })
  }
})

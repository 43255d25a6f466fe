import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { VERSION_NEUTRAL, VersioningSchemes } from 'octavo'

import { allowed, ambiguous, ask, invalid, notAllowed, notFound, ok, serve } from './support.ts'
import { unspecified, unsupported, varying } from './support.ts'
import type { Answer, Row } from './support.ts'

const { HEADER } = VersioningSchemes

const ROUTES: readonly Row[] = [
  ['GET', '/cars', '1', 'cars'],
  ['GET', '/cars', '3', 'cars'],
  ['POST', '/cars', '3', 'create'],
  ['GET', '/new', '3', 'new'],
  ['GET', '/health', undefined, 'health'],
  ['GET', '/ping', VERSION_NEUTRAL, 'ping'],
]
const ALL = ['1', '3']
const NAME = 'X-Custom-Header'
const where = { in: 'header', name: 'x-custom-header' }
const vary = (answer: Answer): Answer => varying('x-custom-header', answer)
const missing = vary(unspecified(400, ALL))
const unknown = (requested: string): Answer => vary(unsupported(406, requested, ALL))
const several = (...values: string[]): Answer => vary(ambiguous(where, values, ALL))

describe('HEADER, a header of its own: where the version is found', () => {
  const app = serve(ROUTES, HEADER, { headerParameter: NAME, versionParameter: 'version_header' })
  const cases: readonly (readonly [title: string, value: string | string[] | undefined, expected: Answer])[] =
    [
      ['S4 name and value', 'version_header=3', vary(ok('cars@3'))],
      ['S4 with a semicolon', 'version_header=3;', vary(ok('cars@3'))],
      ['H1 one of several', 'other=1; version_header=3; more=2', vary(ok('cars@3'))],
      ['H1 names in any case', 'Version_Header=3', vary(ok('cars@3'))],
      ['H1 quoted', 'version_header="3"', vary(ok('cars@3'))],
      ['H1 an escape in quotes', 'version_header="\\3"', vary(ok('cars@3'))],
      ['H1 space', '  version_header = 3 ; ', vary(ok('cars@3'))],
      ['H1 semicolons in quotes', 'other="a;version_header=1"; version_header=3', vary(ok('cars@3'))],
      ['H1 several semicolons', ';;version_header=3;;', vary(ok('cars@3'))],
      ['H2 the value alone', '3', vary(ok('cars@3'))],
      ['H2 the value alone with a semicolon', '3;', vary(ok('cars@3'))],
      ['H2 the value alone in quotes', '"3"', vary(ok('cars@3'))],
      ['H2 an unknown value alone', '9', unknown('9')],
      ['H3 another parameter', 'other=3', missing],
      ['H3 a longer name', 'xversion_header=3', missing],
      ['H3 a value beside another parameter', '3; other=1', missing],
      ['H3 no name', '=3', missing],
      ['H4 repeated and equal', ['version_header=3', 'version_header=3'], vary(ok('cars@3'))],
      ['H4 repeated and different', ['version_header=1', 'version_header=3'], several('1', '3')],
      ['H4 joined by a proxy', '1, 3', several('1', '3')],
      ['H4 joined and equal', '3, version_header=3', vary(ok('cars@3'))],
      ['H4 the same name twice in a line', 'version_header=1; version_header=3', several('1', '3')],
      ['H4 one of them empty', ['', 'version_header=3'], vary(ok('cars@3'))],
      ['H4 unknown ones are ambiguous too', '8, 9', several('8', '9')],
      ['H4 sources are cut', `${'8'.repeat(70)}, 9`, several('8'.repeat(64), '9')],
      ['H5 empty', '', missing],
      ['H5 white space', ' \t ', missing],
      ['H5 an empty value', 'version_header=', missing],
      ['H5 an empty quoted value', 'version_header=""', missing],
      ['H5 separators', ';,;', missing],
      ['H6 absent', undefined, missing],
      ['V1 exact equality', 'version_header=03', unknown('03')],
      ['V1 with a prefix of another scheme', 'version_header=v3', unknown('v3')],
      ['2.2.4 __proto__', 'version_header=__proto__', unknown('__proto__')],
      ['2.2.4 constructor', 'constructor', unknown('constructor')],
      ['2.2.4 toString', 'toString', unknown('toString')],
      ['R36 5,000 characters', '9'.repeat(5000), unknown('9'.repeat(64))],
      ['R36 65 characters', '9'.repeat(65), unknown('9'.repeat(64))],
      ['R36 many semicolons', ';'.repeat(5000), missing],
      ['R36 many quotes', '"'.repeat(5001), unknown('"'.repeat(64))],
      ['R36 much space', `version_header=${' '.repeat(5000)}3`, vary(ok('cars@3'))],
    ]
  for (const [title, value, expected] of cases) {
    it(`${title}: ${JSON.stringify(value)?.slice(0, 50)}`, async () => {
      assert.deepEqual(await ask(app, { url: '/cars', headers: { [NAME]: value } }), expected)
    })
  }
  it('2.4 Accept is not looked at', async () => {
    const headers = { accept: 'a/b;version=3;version_header=3' }
    assert.deepEqual(await ask(app, { url: '/cars', headers }), missing)
  })
})

describe('HEADER, a header of its own: other paths and methods', () => {
  const app = serve(ROUTES, HEADER, { headerParameter: NAME })
  const cases: readonly (readonly [title: string, method: string, url: string, value: string, Answer])[] = [
    ['2.3 a: nowhere, unknown', 'GET', '/planes', '9', notFound],
    ['2.3 a: nowhere, ambiguous', 'GET', '/planes', '1, 3', notFound],
    ['2.3 e: another method', 'POST', '/cars', '1', vary(notAllowed('GET, HEAD, OPTIONS'))],
    ['2.3 g: another version', 'GET', '/new', '1', vary(unsupported(406, '1', ['3']))],
    ['M3 another version, another method', 'PUT', '/new', '1', vary(unsupported(406, '1', ['3']))],
    ['P6 never versioned, unknown', 'GET', '/health', '9', ok('health@null')],
    ['P6 never versioned, ambiguous', 'GET', '/health', '1, 3', ok('health@null')],
    ['P6 never versioned, known', 'GET', '/health', '3', ok('health@3')],
    ['P8 neutral only, unknown', 'GET', '/ping', '9', ok('ping@null')],
    ['P8 neutral only, ambiguous', 'GET', '/ping', '1, 3', ok('ping@null')],
    ['P8 neutral only, known', 'GET', '/ping', '1', ok('ping@1')],
    ['R6 never versioned, another method, unknown', 'PUT', '/health', '9', notAllowed('GET, HEAD, OPTIONS')],
    [
      'R6 never versioned, another method, ambiguous',
      'PUT',
      '/health',
      '1, 3',
      notAllowed('GET, HEAD, OPTIONS'),
    ],
    ['R6 neutral only, another method', 'PUT', '/ping', '9', notAllowed('GET, HEAD, OPTIONS')],
    [
      'R31 OPTIONS of a never-versioned path, unknown',
      'OPTIONS',
      '/health',
      '9',
      allowed('GET, HEAD, OPTIONS'),
    ],
    ['R10 OPTIONS, unknown', 'OPTIONS', '/cars', '9', unknown('9')],
    ['R10 OPTIONS, ambiguous', 'OPTIONS', '/cars', '1, 3', several('1', '3')],
    ['R10 OPTIONS, known', 'OPTIONS', '/cars', '1', vary(allowed('GET, HEAD, OPTIONS'))],
    ['R10 OPTIONS, none', 'OPTIONS', '/cars', '', vary(allowed('GET, HEAD, POST, OPTIONS'))],
  ]
  for (const [title, method, url, value, expected] of cases) {
    it(`${title}: ${method} ${url} ${value}`, async () => {
      assert.deepEqual(await ask(app, { method, url, headers: { [NAME]: value } }), expected)
    })
  }
})

describe('HEADER, a header of its own: options', () => {
  it('H2 bare: false takes no value alone', async () => {
    const app = serve(ROUTES, HEADER, { headerParameter: NAME, bare: false })
    assert.deepEqual(
      [
        await ask(app, { url: '/cars', headers: { [NAME]: '3' } }),
        await ask(app, { url: '/cars', headers: { [NAME]: 'version=3' } }),
      ],
      [missing, vary(ok('cars@3'))],
    )
  })
  it('2.3 step 3: equal versions of a format are one', async () => {
    const app = serve(ROUTES, HEADER, { headerParameter: NAME, format: 'semver' })
    assert.deepEqual(
      [
        await ask(app, { url: '/cars', headers: { [NAME]: '3.0, 3' } }),
        await ask(app, { url: '/cars', headers: { [NAME]: '3.0, 3.1' } }),
        await ask(app, { url: '/cars', headers: { [NAME]: 'three' } }),
        await ask(app, { url: '/cars', headers: { [NAME]: 'three, 3' } }),
      ],
      [vary(ok('cars@3')), several('3.0', '3.1'), vary(invalid(400, 'three', ALL)), several('three', '3')],
    )
  })
  it('R15 statusCodes change the statuses', async () => {
    const app = serve(ROUTES, HEADER, {
      headerParameter: NAME,
      format: 'integer',
      statusCodes: { ambiguous: 409, invalid: 422 },
    })
    assert.deepEqual(
      [
        await ask(app, { url: '/cars', headers: { [NAME]: '1, 3' } }),
        await ask(app, { url: '/cars', headers: { [NAME]: 'x' } }),
        await ask(app, { url: '/cars', headers: { [NAME]: '9' } }),
      ],
      [vary(ambiguous(where, ['1', '3'], ALL, 409)), vary(invalid(422, 'x', ALL)), unknown('9')],
    )
  })
  it('S7 the default, and api 10: inject({ version })', async () => {
    const app = serve(ROUTES, HEADER, { headerParameter: NAME, defaultVersion: '3' })
    assert.deepEqual(
      [await ask(app, '/cars'), await ask(app, { url: '/cars', version: '1' })],
      [vary(ok('cars@3')), vary(ok('cars@1'))],
    )
  })
})

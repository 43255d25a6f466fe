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

describe('HEADER, a header of its own: the version is a parameter, or the value alone', () => {
  const app = serve(ROUTES, HEADER, { headerParameter: NAME, versionParameter: 'version_header' })
  const cases: readonly (readonly [title: string, value: string | string[] | undefined, expected: Answer])[] =
    [
      ['name=value is the version', 'version_header=3', vary(ok('cars@3'))],
      ['name=value with a semicolon is the version', 'version_header=3;', vary(ok('cars@3'))],
      ['one of several parameters is the version', 'other=1; version_header=3; more=2', vary(ok('cars@3'))],
      ['names match in any case', 'Version_Header=3', vary(ok('cars@3'))],
      ['a quoted value is the same as a bare one', 'version_header="3"', vary(ok('cars@3'))],
      ['an escape in quotes is resolved', 'version_header="\\3"', vary(ok('cars@3'))],
      ['space does not count', '  version_header = 3 ; ', vary(ok('cars@3'))],
      [
        'semicolons in quotes do not split',
        'other="a;version_header=1"; version_header=3',
        vary(ok('cars@3')),
      ],
      ['empty items do not count', ';;version_header=3;;', vary(ok('cars@3'))],
      ['a value without name is the version', '3', vary(ok('cars@3'))],
      ['a value without name and with a semicolon is the version', '3;', vary(ok('cars@3'))],
      ['a quoted value without name is the version', '"3"', vary(ok('cars@3'))],
      ['an unknown value without name is unsupported', '9', unknown('9')],
      ['another parameter is no version', 'other=3', missing],
      ['a longer name is another parameter', 'xversion_header=3', missing],
      ['a value beside another parameter is no version', '3; other=1', missing],
      ['a value after an equals sign alone is no version', '=3', missing],
      ['repeated lines that are equal agree', ['version_header=3', 'version_header=3'], vary(ok('cars@3'))],
      [
        'repeated lines that differ are ambiguous',
        ['version_header=1', 'version_header=3'],
        several('1', '3'),
      ],
      ['lines that a proxy joined are ambiguous if they differ', '1, 3', several('1', '3')],
      ['lines that a proxy joined agree if they are equal', '3, version_header=3', vary(ok('cars@3'))],
      ['the same name twice in a line is ambiguous', 'version_header=1; version_header=3', several('1', '3')],
      ['an empty line does not count', ['', 'version_header=3'], vary(ok('cars@3'))],
      ['unknown versions are ambiguous too', '8, 9', several('8', '9')],
      ['sources are cut at 64 characters', `${'8'.repeat(70)}, 9`, several('8'.repeat(64), '9')],
      ['an empty header is no version', '', missing],
      ['a header of white space is no version', ' \t ', missing],
      ['an empty value is no version', 'version_header=', missing],
      ['an empty quoted value is no version', 'version_header=""', missing],
      ['nothing but separators is no version', ';,;', missing],
      ['no header is no version', undefined, missing],
      ['versions are equal as text only', 'version_header=03', unknown('03')],
      ['the prefix of another scheme is part of the version', 'version_header=v3', unknown('v3')],
      ['__proto__', 'version_header=__proto__', unknown('__proto__')],
      ['constructor', 'constructor', unknown('constructor')],
      ['toString', 'toString', unknown('toString')],
      ['5,000 characters are cut to 64 in the answer', '9'.repeat(5000), unknown('9'.repeat(64))],
      ['65 characters are cut to 64 in the answer', '9'.repeat(65), unknown('9'.repeat(64))],
      ['many semicolons', ';'.repeat(5000), missing],
      ['many quotes', '"'.repeat(5001), unknown('"'.repeat(64))],
      ['much space', `version_header=${' '.repeat(5000)}3`, vary(ok('cars@3'))],
    ]
  for (const [title, value, expected] of cases) {
    it(`${title}: ${JSON.stringify(value)?.slice(0, 50)}`, async () => {
      assert.deepEqual(await ask(app, { url: '/cars', headers: { [NAME]: value } }), expected)
    })
  }
  it('Accept is not looked at', async () => {
    const headers = { accept: 'a/b;version=3;version_header=3' }
    assert.deepEqual(await ask(app, { url: '/cars', headers }), missing)
  })
})

describe('HEADER, a header of its own: other paths and methods', () => {
  const app = serve(ROUTES, HEADER, { headerParameter: NAME })
  const cases: readonly (readonly [title: string, method: string, url: string, value: string, Answer])[] = [
    ['an unknown version does not matter at a path that no version has', 'GET', '/planes', '9', notFound],
    [
      'an ambiguous version does not matter at a path that no version has',
      'GET',
      '/planes',
      '1, 3',
      notFound,
    ],
    [
      'a method that the version lacks is a 405',
      'POST',
      '/cars',
      '1',
      vary(notAllowed('GET, HEAD, OPTIONS')),
    ],
    [
      'a path that only another version has is unsupported',
      'GET',
      '/new',
      '1',
      vary(unsupported(406, '1', ['3'])),
    ],
    [
      'a path that the version lacks is unsupported whatever the method',
      'PUT',
      '/new',
      '1',
      vary(unsupported(406, '1', ['3'])),
    ],
    ['a never-versioned path answers an unknown version', 'GET', '/health', '9', ok('health@null')],
    ['a never-versioned path answers an ambiguous version', 'GET', '/health', '1, 3', ok('health@null')],
    ['a never-versioned path answers a known version', 'GET', '/health', '3', ok('health@3')],
    ['a neutral path answers an unknown version', 'GET', '/ping', '9', ok('ping@null')],
    ['a neutral path answers an ambiguous version', 'GET', '/ping', '1, 3', ok('ping@null')],
    ['a neutral path answers a known version', 'GET', '/ping', '1', ok('ping@1')],
    [
      'a never-versioned path has only 405 for an unknown version',
      'PUT',
      '/health',
      '9',
      notAllowed('GET, HEAD, OPTIONS'),
    ],
    [
      'a never-versioned path has only 405 for an ambiguous version',
      'PUT',
      '/health',
      '1, 3',
      notAllowed('GET, HEAD, OPTIONS'),
    ],
    [
      'a neutral path has only 405 for an unknown version',
      'PUT',
      '/ping',
      '9',
      notAllowed('GET, HEAD, OPTIONS'),
    ],
    [
      'OPTIONS of a never-versioned path answers an unknown version',
      'OPTIONS',
      '/health',
      '9',
      allowed('GET, HEAD, OPTIONS'),
    ],
    ['OPTIONS with an unknown version is unsupported', 'OPTIONS', '/cars', '9', unknown('9')],
    ['OPTIONS with two versions is ambiguous', 'OPTIONS', '/cars', '1, 3', several('1', '3')],
    [
      'OPTIONS lists the methods of the version',
      'OPTIONS',
      '/cars',
      '1',
      vary(allowed('GET, HEAD, OPTIONS')),
    ],
    [
      'OPTIONS without version lists the methods of all versions',
      'OPTIONS',
      '/cars',
      '',
      vary(allowed('GET, HEAD, POST, OPTIONS')),
    ],
  ]
  for (const [title, method, url, value, expected] of cases) {
    it(`${title}: ${method} ${url} ${value}`, async () => {
      assert.deepEqual(await ask(app, { method, url, headers: { [NAME]: value } }), expected)
    })
  }
})

describe('HEADER, a header of its own: options', () => {
  it('equal versions of a format are one', async () => {
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
  it('statusCodes change the statuses', async () => {
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
  it('the default, and inject({ version })', async () => {
    const app = serve(ROUTES, HEADER, { headerParameter: NAME, defaultVersion: '3' })
    assert.deepEqual(
      [await ask(app, '/cars'), await ask(app, { url: '/cars', version: '1' })],
      [vary(ok('cars@3')), vary(ok('cars@1'))],
    )
  })
})

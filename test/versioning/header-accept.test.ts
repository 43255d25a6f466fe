import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { VERSION_NEUTRAL, VersioningSchemes } from 'octavo'

import {
  ask,
  invalid,
  notAllowed,
  notFound,
  ok,
  serve,
  unspecified,
  unsupported,
  varying,
} from './support.ts'
import type { Answer, Row } from './support.ts'

const { HEADER } = VersioningSchemes

const ROUTES: readonly Row[] = [
  ['GET', '/cars', '1', 'cars'],
  ['GET', '/cars', '2', 'cars'],
  ['GET', '/cars', '3', 'cars'],
  ['POST', '/cars', '2', 'create'],
  ['GET', '/old', '1', 'old'],
  ['GET', '/old', '2', 'old'],
  ['GET', '/health', undefined, 'health'],
  ['GET', '/ping', VERSION_NEUTRAL, 'ping'],
]
const ALL = ['1', '2', '3']
const vary = (answer: Answer): Answer => varying('accept', answer)
const missing = vary(unspecified(400, ALL))
const unknown = (requested: string): Answer => vary(unsupported(406, requested, ALL))

describe('HEADER, Accept: where the version is found', () => {
  const app = serve(ROUTES, HEADER)
  const cases: readonly (readonly [title: string, accept: string | undefined, expected: Answer])[] = [
    ['S3 a parameter of the media type', 'application/json; version=2', vary(ok('cars@2'))],
    ['S3 of any media type', 'text/html;version=1', vary(ok('cars@1'))],
    ['S3 of every media type', '*/*;version=2', vary(ok('cars@2'))],
    ['ACC1 commas in quotes do not split', 'a/b;x="1,c/d;version=1";version=2', vary(ok('cars@2'))],
    ['ACC1 semicolons in quotes do not split', 'a/b;x="1;version=1"', missing],
    ['ACC1 escapes in quotes', 'a/b;x="\\",c/d;version=1";version=2', vary(ok('cars@2'))],
    ['ACC1 space around separators', 'a/b \t;\t version=2 , c/d', vary(ok('cars@2'))],
    ['ACC1 a quote that never ends', 'a/b;version="2', missing],
    ['ACC1 after a quote that never ends', 'a/b;x="2, c/d;version=2', missing],
    ['ACC2 names in any case', 'a/b;VERSION=2', vary(ok('cars@2'))],
    ['ACC2 quoted values', 'a/b;version="2"', vary(ok('cars@2'))],
    ['ACC2 escapes in quoted values', 'a/b;version="\\2"', vary(ok('cars@2'))],
    ['ACC2 an empty value', 'a/b;version=', missing],
    ['ACC2 an empty quoted value', 'a/b;version=""', missing],
    ['ACC2 a name without value', 'a/b;version', missing],
    ['ACC2 a longer name', 'a/b;xversion=2', missing],
    ['ACC3 the version after q', 'application/json;q=0.9;version=2', vary(ok('cars@2'))],
    ['ACC3 q in capitals', 'a/b;Q=0;version=2', missing],
    ['ACC4 q=0 is excluded', 'a/b;version=2;q=0', missing],
    ['ACC4 q=0.000 is excluded', 'a/b;version=2;q=0.000, c/d;version=1', vary(ok('cars@1'))],
    ['ACC4 q above 1', 'a/b;version=2;q=1.5', missing],
    ['ACC4 q with four decimals', 'a/b;version=2;q=0.1234', missing],
    ['ACC4 q that is a word', 'a/b;version=2;q=x, c/d;version=1', vary(ok('cars@1'))],
    ['ACC4 q below 0', 'a/b;version=2;q=-1', missing],
    ['ACC4 a member without subtype', 'json;version=2', missing],
    ['ACC4 a broken member beside a good one', 'a b/c;version=2, c/d;version=1', vary(ok('cars@1'))],
    ['ACC4 a value that is no token', 'a/b;version=a@b', missing],
    ['ACC5 signed-exchange does not count', 'application/signed-exchange;version=b3;q=0.7', missing],
    [
      'ACC5 a browser',
      'text/html,application/xhtml+xml,*/*;q=0.8,application/signed-exchange;version=b3;q=0.7',
      missing,
    ],
    ['ACC6 the heavier first', 'a/b;version=1;q=0.5, c/d;version=2', vary(ok('cars@2'))],
    ['ACC6 ties in order', 'a/b;version=3, c/d;version=2', vary(ok('cars@3'))],
    ['ACC6 no version does not mean any', 'application/json;version=9, */*', unknown('9')],
    ['ACC6 the member with a version decides', '*/*, a/b;version=2;q=0.1', vary(ok('cars@2'))],
    ['ACC7 no header', undefined, missing],
    ['ACC7 an empty header', '', missing],
    ['ACC7 nothing but separators', ' , ;, ', missing],
    ['ACC7 no member with a version', 'application/json, */*', missing],
    ['ACC8 the first that exists', 'a/b;version=9, c/d;version=2', vary(ok('cars@2'))],
    ['ACC8 none exists', 'a/b;version=8, c/d;version=9', unknown('8, 9')],
    [
      'ACC8 eight versions at most',
      ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', '1'].map((version) => `a/b;version=${version}`).join(),
      unknown('a, b, c, d, e, f, g, h'),
    ],
    [
      'ACC8 repeated versions count once',
      [...Array.from({ length: 8 }, () => 'a'), '1'].map((version) => `a/b;version=${version}`).join(),
      vary(ok('cars@1')),
    ],
    ['ACC9 several versions are no contradiction', 'a/b;version=1, a/b;version=2', vary(ok('cars@1'))],
    ['V1 exact equality', 'a/b;version=01', unknown('01')],
    ['V1 case counts', 'a/b;version=V1', unknown('V1')],
    ['2.2.4 __proto__', 'a/b;version=__proto__', unknown('__proto__')],
    ['2.2.4 constructor', 'a/b;version=constructor', unknown('constructor')],
    ['2.2.4 toString', 'a/b;version=toString', unknown('toString')],
    ['2.2.4 markup is data', 'a/b;version="<b>"', unknown('<b>')],
    ['R36 5,000 characters', `a/b;version=${'9'.repeat(5000)}`, unknown('9'.repeat(64))],
    ['R36 many members', `${'a/b;q=0.1,'.repeat(1000)}a/b;version=2`, vary(ok('cars@2'))],
    ['R36 many quotes', `a/b;x=${'"'.repeat(5000)}`, missing],
    ['R36 many escapes', `a/b;x="${'\\'.repeat(5000)}`, missing],
    ['R36 much space', `a/b;version=2${' '.repeat(5000)};`, vary(ok('cars@2'))],
  ]
  for (const [title, accept, expected] of cases) {
    it(`${title}: ${String(accept).slice(0, 50)}`, async () => {
      const headers = accept === undefined ? {} : { accept }
      assert.deepEqual(await ask(app, { url: '/cars', headers }), expected)
      // what is remembered is the same
      assert.deepEqual(await ask(app, { url: '/cars', headers }), expected)
    })
  }
  it('ACC1 several field lines are one list', async () => {
    const headers = { accept: ['a/b;version=9', 'c/d;version=2'] }
    assert.deepEqual(await ask(app, { url: '/cars', headers }), vary(ok('cars@2')))
  })
  it('2.2.7 more headers than are remembered', async () => {
    const asked = Array.from({ length: 600 }, (_, index) => `a/b${index};version=${(index % 3) + 1}`)
    const bodies = await Promise.all(
      asked.map(async (accept) => (await ask(app, { url: '/cars', headers: { accept } })).body),
    )
    assert.deepEqual(
      bodies,
      asked.map((accept) => `cars@${accept.slice(-1)}`),
    )
  })
})

describe('HEADER, Accept: the first version served at the path', () => {
  const app = serve(ROUTES, HEADER, { defaultVersion: '3' })
  const cases: readonly (readonly [title: string, method: string, url: string, accept: string, Answer])[] = [
    ['ACC8 "v3 else v2"', 'GET', '/old', 'a/b;version=3, a/b;version=2', vary(ok('old@2'))],
    ['ACC8 one that lacks the path', 'GET', '/old', 'a/b;version=3', vary(unsupported(406, '3', ['1', '2']))],
    [
      'R35 the path decides, then the method',
      'POST',
      '/cars',
      'a/b;version=1, a/b;version=2',
      vary(notAllowed('GET, HEAD, OPTIONS')),
    ],
    [
      'R35 the first that has the path',
      'POST',
      '/cars',
      'a/b;version=9, a/b;version=2',
      vary(ok('create@2')),
    ],
    [
      'ACC8 none at this path',
      'GET',
      '/old',
      'a/b;version=3, a/b;version=9',
      vary(unsupported(406, '3, 9', ['1', '2'])),
    ],
    ['P6 a never-versioned path', 'GET', '/health', 'a/b;version=8, a/b;version=9', ok('health@null')],
    [
      'P6 a never-versioned path, one is known',
      'GET',
      '/health',
      'a/b;version=8, a/b;version=2',
      ok('health@2'),
    ],
    ['P8 a neutral-only path', 'GET', '/ping', 'a/b;version=8, a/b;version=9', ok('ping@null')],
    ['P8 a neutral-only path, one is known', 'GET', '/ping', 'a/b;version=8, a/b;version=2', ok('ping@2')],
    ['ACC7 the default', 'GET', '/cars', '*/*', vary(ok('cars@3'))],
    ['2.3 a: nowhere', 'GET', '/planes', 'a/b;version=9', notFound],
  ]
  for (const [title, method, url, accept, expected] of cases) {
    it(`${title}: ${method} ${url} ${accept}`, async () => {
      assert.deepEqual(await ask(app, { method, url, headers: { accept } }), expected)
    })
  }
})

describe('HEADER, Accept: options', () => {
  it('ACC5 the parameter v, as browsers misuse it', async () => {
    const app = serve(ROUTES, HEADER, { versionParameter: 'v', headerParameter: 'Accept' })
    const browser = 'text/html, application/signed-exchange;v=b3;q=0.7'
    assert.deepEqual(
      [
        await ask(app, { url: '/cars', headers: { accept: browser } }),
        await ask(app, { url: '/cars', headers: { accept: 'a/b;v=2' } }),
        await ask(app, { url: '/cars', headers: { accept: 'a/b;version=2' } }),
      ],
      [missing, vary(ok('cars@2')), missing],
    )
  })
  it('2.3 c: a version that the format refuses', async () => {
    const app = serve(ROUTES, HEADER, { format: 'integer' })
    assert.deepEqual(
      [
        await ask(app, { url: '/cars', headers: { accept: 'a/b;version=one' } }),
        await ask(app, { url: '/cars', headers: { accept: 'a/b;version=02' } }),
        await ask(app, { url: '/cars', headers: { accept: 'a/b;version=one, a/b;version=two' } }),
        await ask(app, { url: '/cars', headers: { accept: 'a/b;version=one, a/b;version=2' } }),
        await ask(app, { url: '/cars', headers: { accept: `a/b;version=${'1'.repeat(65)}` } }),
        await ask(app, { url: '/health', headers: { accept: 'a/b;version=one' } }),
      ],
      [
        vary(invalid(400, 'one', ALL)),
        vary(ok('cars@2')),
        unknown('one, two'),
        vary(ok('cars@2')),
        vary(invalid(400, '1'.repeat(64), ALL)),
        ok('health@null'),
      ],
    )
  })
  it('R15 statusCodes change the statuses', async () => {
    const app = serve(ROUTES, HEADER, { statusCodes: { unsupported: 400, unspecified: 406 } })
    assert.deepEqual(
      [await ask(app, { url: '/cars', headers: { accept: 'a/b;version=9' } }), await ask(app, '/cars')],
      [vary(unsupported(400, '9', ALL)), vary(unspecified(406, ALL))],
    )
  })
  it('api 10: inject({ version }) writes the parameter, beside a given Accept', async () => {
    const app = serve(ROUTES, HEADER)
    assert.deepEqual(
      [
        await ask(app, { url: '/cars', version: '2' }),
        await ask(app, { url: '/cars', version: '2', headers: { Accept: 'application/json' } }),
        await ask(app, { url: '/cars', version: 'a b' }),
      ],
      [vary(ok('cars@2')), vary(ok('cars@2')), unknown('a b')],
    )
  })
})

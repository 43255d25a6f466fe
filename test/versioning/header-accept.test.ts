import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { VersioningSchemes } from 'octavo'

import {
  ask,
  CARS,
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
  ...CARS,
  ['GET', '/cars', '3', 'cars'],
  ['GET', '/old', '1', 'old'],
  ['GET', '/old', '2', 'old'],
]
const ALL = ['1', '2', '3']
const vary = (answer: Answer): Answer => varying('accept', answer)
const missing = vary(unspecified(400, ALL))
const unknown = (requested: string): Answer => vary(unsupported(406, requested, ALL))

describe('HEADER, Accept: the version is a parameter of a media type', () => {
  const app = serve(ROUTES, HEADER)
  const cases: readonly (readonly [title: string, accept: string | undefined, expected: Answer])[] = [
    ['the parameter of a media type counts', 'application/json; version=2', vary(ok('cars@2'))],
    ['the parameter of any media type counts', 'text/html;version=1', vary(ok('cars@1'))],
    ['the parameter of */* counts', '*/*;version=2', vary(ok('cars@2'))],
    ['commas in quotes do not split', 'a/b;x="1,c/d;version=1";version=2', vary(ok('cars@2'))],
    ['semicolons in quotes do not split', 'a/b;x="1;version=1"', missing],
    ['escaped quotes do not end a quoted value', 'a/b;x="\\",c/d;version=1";version=2', vary(ok('cars@2'))],
    ['space around separators does not count', 'a/b \t;\t version=2 , c/d', vary(ok('cars@2'))],
    ['a quote that never ends drops the member', 'a/b;version="2', missing],
    ['a quote that never ends takes what follows', 'a/b;x="2, c/d;version=2', missing],
    ['names of parameters match in any case', 'a/b;VERSION=2', vary(ok('cars@2'))],
    ['quoted values are the same as bare ones', 'a/b;version="2"', vary(ok('cars@2'))],
    ['escapes in quoted values are resolved', 'a/b;version="\\2"', vary(ok('cars@2'))],
    ['an empty value is no version', 'a/b;version=', missing],
    ['an empty quoted value is no version', 'a/b;version=""', missing],
    ['a name without value is no version', 'a/b;version', missing],
    ['a longer name is another parameter', 'a/b;xversion=2', missing],
    ['parameters after q count', 'application/json;q=0.9;version=2', vary(ok('cars@2'))],
    ['q in capitals is the weight too', 'a/b;Q=0;version=2', missing],
    ['a member with q=0 is excluded', 'a/b;version=2;q=0', missing],
    ['a member with q=0.000 is excluded', 'a/b;version=2;q=0.000, c/d;version=1', vary(ok('cars@1'))],
    ['a member with q above 1 is ignored', 'a/b;version=2;q=1.5', missing],
    ['a member with q of four decimals is ignored', 'a/b;version=2;q=0.1234', missing],
    ['a member with a word as q is ignored', 'a/b;version=2;q=x, c/d;version=1', vary(ok('cars@1'))],
    ['a member with q below 0 is ignored', 'a/b;version=2;q=-1', missing],
    ['a member without subtype is ignored', 'json;version=2', missing],
    ['a broken member leaves the others as they are', 'a b/c;version=2, c/d;version=1', vary(ok('cars@1'))],
    ['a member with a value that is no token is ignored', 'a/b;version=a@b', missing],
    ['signed-exchange does not count', 'application/signed-exchange;version=b3;q=0.7', missing],
    [
      'the Accept of a browser names no version',
      'text/html,application/xhtml+xml,*/*;q=0.8,application/signed-exchange;version=b3;q=0.7',
      missing,
    ],
    ['the member of more weight comes first', 'a/b;version=1;q=0.5, c/d;version=2', vary(ok('cars@2'))],
    ['members of equal weight come in their order', 'a/b;version=3, c/d;version=2', vary(ok('cars@3'))],
    ['a member without version does not mean any version', 'application/json;version=9, */*', unknown('9')],
    ['a member with a version decides, whatever its weight', '*/*, a/b;version=2;q=0.1', vary(ok('cars@2'))],
    ['no header is no version', undefined, missing],
    ['an empty header is no version', '', missing],
    ['nothing but separators is no version', ' , ;, ', missing],
    ['no member with a version is no version', 'application/json, */*', missing],
    ['the first version that exists answers', 'a/b;version=9, c/d;version=2', vary(ok('cars@2'))],
    ['versions that do not exist are unsupported', 'a/b;version=8, c/d;version=9', unknown('8, 9')],
    [
      'only the first eight versions count',
      ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', '1'].map((version) => `a/b;version=${version}`).join(),
      unknown('a, b, c, d, e, f, g, h'),
    ],
    [
      'repeated versions count once',
      [...Array.from({ length: 8 }, () => 'a'), '1'].map((version) => `a/b;version=${version}`).join(),
      vary(ok('cars@1')),
    ],
    ['several versions are no contradiction', 'a/b;version=1, a/b;version=2', vary(ok('cars@1'))],
    ['versions are equal as text only', 'a/b;version=01', unknown('01')],
    ['versions are case-sensitive', 'a/b;version=V1', unknown('V1')],
    ['__proto__', 'a/b;version=__proto__', unknown('__proto__')],
    ['constructor', 'a/b;version=constructor', unknown('constructor')],
    ['toString', 'a/b;version=toString', unknown('toString')],
    ['markup is data', 'a/b;version="<b>"', unknown('<b>')],
    [
      '5,000 characters are cut to 64 in the answer',
      `a/b;version=${'9'.repeat(5000)}`,
      unknown('9'.repeat(64)),
    ],
    ['many members', `${'a/b;q=0.1,'.repeat(1000)}a/b;version=2`, vary(ok('cars@2'))],
    ['many quotes', `a/b;x=${'"'.repeat(5000)}`, missing],
    ['many escapes', `a/b;x="${'\\'.repeat(5000)}`, missing],
    ['much space', `a/b;version=2${' '.repeat(5000)};`, vary(ok('cars@2'))],
  ]
  for (const [title, accept, expected] of cases) {
    it(`${title}: ${String(accept).slice(0, 50)}`, async () => {
      const headers = accept === undefined ? {} : { accept }
      assert.deepEqual(await ask(app, { url: '/cars', headers }), expected)
      // what is remembered is the same
      assert.deepEqual(await ask(app, { url: '/cars', headers }), expected)
    })
  }
  it('several field lines are one list', async () => {
    const headers = { accept: ['a/b;version=9', 'c/d;version=2'] }
    assert.deepEqual(await ask(app, { url: '/cars', headers }), vary(ok('cars@2')))
  })
  it('more headers than the cache holds are read all the same', async () => {
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

describe('HEADER, Accept: the first version that is served at the path answers', () => {
  const app = serve(ROUTES, HEADER, { defaultVersion: '3' })
  const cases: readonly (readonly [title: string, method: string, url: string, accept: string, Answer])[] = [
    ['"v3 else v2"', 'GET', '/old', 'a/b;version=3, a/b;version=2', vary(ok('old@2'))],
    [
      'a version that lacks the path is passed over',
      'GET',
      '/old',
      'a/b;version=3',
      vary(unsupported(406, '3', ['1', '2'])),
    ],
    [
      'the path decides which version answers, not the method',
      'POST',
      '/cars',
      'a/b;version=1, a/b;version=2',
      vary(notAllowed('GET, HEAD, OPTIONS')),
    ],
    [
      'the first version that has the path answers with 405',
      'POST',
      '/cars',
      'a/b;version=9, a/b;version=2',
      vary(ok('create@2')),
    ],
    [
      'no version at this path is unsupported',
      'GET',
      '/old',
      'a/b;version=3, a/b;version=9',
      vary(unsupported(406, '3, 9', ['1', '2'])),
    ],
    [
      'a never-versioned path answers whatever the versions',
      'GET',
      '/health',
      'a/b;version=8, a/b;version=9',
      ok('health@null'),
    ],
    [
      'a never-versioned path answers in the known version',
      'GET',
      '/health',
      'a/b;version=8, a/b;version=2',
      ok('health@2'),
    ],
    [
      'a neutral path answers whatever the versions',
      'GET',
      '/ping',
      'a/b;version=8, a/b;version=9',
      ok('ping@null'),
    ],
    [
      'a neutral path answers in the known version',
      'GET',
      '/ping',
      'a/b;version=8, a/b;version=2',
      ok('ping@2'),
    ],
    ['without version the default answers', 'GET', '/cars', '*/*', vary(ok('cars@3'))],
    ['a path that no version has is an ordinary 404', 'GET', '/planes', 'a/b;version=9', notFound],
  ]
  for (const [title, method, url, accept, expected] of cases) {
    it(`${title}: ${method} ${url} ${accept}`, async () => {
      assert.deepEqual(await ask(app, { method, url, headers: { accept } }), expected)
    })
  }
})

describe('HEADER, Accept: options', () => {
  it('the parameter v, as browsers misuse it', async () => {
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
  it('a version that the format refuses is malformed', async () => {
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
  it('statusCodes change the statuses', async () => {
    const app = serve(ROUTES, HEADER, { statusCodes: { unsupported: 400, unspecified: 406 } })
    assert.deepEqual(
      [await ask(app, { url: '/cars', headers: { accept: 'a/b;version=9' } }), await ask(app, '/cars')],
      [vary(unsupported(400, '9', ALL)), vary(unspecified(406, ALL))],
    )
  })
  it('inject({ version }) writes the parameter, beside a given Accept', async () => {
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

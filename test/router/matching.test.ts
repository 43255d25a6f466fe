import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineParamType } from 'octavo'

import { ask, serve } from './support.ts'

const UUID = '6F9619ff-8b86-d011-b42d-00cf4fc964ff'

defineParamType({
  name: 'month',
  pattern: /\d{4}-\d{2}/,
  parse: (text) => text.split('-').map(Number),
})
defineParamType({ name: 'either', pattern: 'on|off' })
defineParamType({ name: 'insensitive', pattern: /[a-c]+/gi })
defineParamType({ name: 'withSlash', pattern: /[a-z/]+/ })

/** Routes, and what requests to them are answered with. */
type Table = readonly (readonly [
  title: string,
  routes: readonly string[],
  answers: Readonly<Record<string, unknown>>,
])[]

function tell(table: Table, options: Parameters<typeof serve>[1] = {}): void {
  for (const [title, routes, answers] of table) {
    for (const [order, listed] of [
      ['', routes] as const,
      [', declared backwards', routes.toReversed()] as const,
    ]) {
      it(title + order, async () => {
        const app = serve(listed, options)
        const actual: Record<string, unknown> = {}
        for (const request of Object.keys(answers)) actual[request] = await ask(app, request)
        assert.deepEqual(actual, answers)
      })
    }
  }
}

describe('specificity', () => {
  tell([
    [
      'is literal, mixed, uuid, int, float, own types, str, path',
      [
        'GET /x/{a:path}',
        'GET /x/{a}',
        'GET /x/{a:month}',
        'GET /x/{a:float}',
        'GET /x/{a:int}',
        'GET /x/{a:uuid}',
        'GET /x/v{a}',
        'GET /x/v1',
      ],
      {
        'GET /x/v1': { route: 'GET /x/v1' },
        'GET /x/v2': { route: 'GET /x/v{a}', a: '2' },
        [`GET /x/${UUID}`]: { route: 'GET /x/{a:uuid}', a: UUID },
        'GET /x/7': { route: 'GET /x/{a:int}', a: 7 },
        'GET /x/7.5': { route: 'GET /x/{a:float}', a: 7.5 },
        'GET /x/2026-11': { route: 'GET /x/{a:month}', a: [2026, 11] },
        'GET /x/w': { route: 'GET /x/{a}', a: 'w' },
        'GET /x/w/w': { route: 'GET /x/{a:path}', a: 'w/w' },
        'GET /x': { route: 'GET /x/{a:path}', a: '' },
      },
    ],
    [
      'of own types is by name',
      ['GET /{a:month}', 'GET /{a:insensitive}', 'GET /{a:either}'],
      {
        'GET /off': { route: 'GET /{a:either}', a: 'off' },
        'GET /ABC': { route: 'GET /{a:insensitive}', a: 'ABC' },
        'GET /offon': 404,
        'GET /2026-11-01': 404,
      },
    ],
    [
      'puts typed parameters before others where the text of mixed segments is equal',
      ['GET /{a}.json', 'GET /{n:int}.json', 'GET /{id:uuid}.json'],
      {
        'GET /x.json': { route: 'GET /{a}.json', a: 'x' },
        'GET /7.json': { route: 'GET /{n:int}.json', n: 7 },
        [`GET /${UUID}.json`]: { route: 'GET /{id:uuid}.json', id: UUID },
      },
    ],
    [
      'of mixed segments is more text, then more text at the start, then the text itself',
      ['GET /{a}-b', 'GET /a-{a}', 'GET /a{a}', 'GET /{a}-{b}', 'GET /{a}.{b}', 'GET /a{a}.json'],
      {
        'GET /a-x.json': { route: 'GET /a{a}.json', a: '-x' },
        'GET /a-b': { route: 'GET /a-{a}', a: 'b' },
        'GET /x-b': { route: 'GET /{a}-b', a: 'x' },
        'GET /ax-y.z': { route: 'GET /a{a}', a: 'x-y.z' },
        'GET /x-y.z': { route: 'GET /{a}-{b}', a: 'x', b: 'y.z' },
      },
    ],
    [
      'counts from the left',
      ['GET /{a}/b', 'GET /a/{b}', 'GET /{a:path}'],
      {
        'GET /a/b': { route: 'GET /a/{b}', b: 'b' },
        'GET /x/b': { route: 'GET /{a}/b', a: 'x' },
        'GET /x/y': { route: 'GET /{a:path}', a: 'x/y' },
      },
    ],
  ])
})

describe('backtracking', () => {
  tell([
    [
      'leaves a literal, a typed and a mixed segment again',
      ['GET /a/b/c', 'GET /a/{x:int}/d', 'GET /a/{x}.1/e', 'GET /{x}/{y}/f', 'GET /{x:path}'],
      {
        'GET /a/b/c': { route: 'GET /a/b/c' },
        'GET /a/b/f': { route: 'GET /{x}/{y}/f', x: 'a', y: 'b' },
        'GET /a/1/f': { route: 'GET /{x}/{y}/f', x: 'a', y: '1' },
        'GET /a/2.1/e': { route: 'GET /a/{x}.1/e', x: '2' },
        'GET /a/2.1/f': { route: 'GET /{x}/{y}/f', x: 'a', y: '2.1' },
        'GET /a/1/e': { route: 'GET /{x:path}', x: 'a/1/e' },
      },
    ],
    [
      'goes on where the method is missing',
      ['GET /car/welcome', 'DELETE /car/{id}', 'POST /car/{id:int}', 'PUT /car/{rest:path}'],
      {
        'GET /car/welcome': { route: 'GET /car/welcome' },
        'DELETE /car/welcome': { route: 'DELETE /car/{id}', id: 'welcome' },
        'DELETE /car/7': { route: 'DELETE /car/{id}', id: '7' },
        'PUT /car/7': { route: 'PUT /car/{rest:path}', rest: '7' },
        'POST /car/welcome': [405, 'GET, HEAD, PUT, DELETE, OPTIONS'],
        'GET /car/7': [405, 'POST, PUT, DELETE, OPTIONS'],
        'PATCH /car': [405, 'PUT, OPTIONS'],
        'GET /cars': 404,
      },
    ],
    [
      'shares nodes between parameters of other names',
      ['GET /u/{id}/posts', 'GET /u/{name}/pics', 'GET /u/{who}'],
      {
        'GET /u/1/posts': { route: 'GET /u/{id}/posts', id: '1' },
        'GET /u/1/pics': { route: 'GET /u/{name}/pics', name: '1' },
        'GET /u/1': { route: 'GET /u/{who}', who: '1' },
        'GET /u': 404,
      },
    ],
  ])
})

describe('values', () => {
  tell([
    [
      'of mixed segments are greedy from the left',
      [
        'GET /a/{from}-{to}',
        'GET /b/{x:int}-{y}',
        'GET /c/{x:float}.{y}',
        'GET /d/{a}.{b}.json',
        'GET /e/{x:uuid}-{y}',
      ],
      {
        'GET /a/a-b-c': { route: 'GET /a/{from}-{to}', from: 'a-b', to: 'c' },
        'GET /a/a--': { route: 'GET /a/{from}-{to}', from: 'a', to: '-' },
        'GET /a/-b': 404,
        'GET /a/a-': 404,
        'GET /b/1-2-3': { route: 'GET /b/{x:int}-{y}', x: 1, y: '2-3' },
        'GET /b/x-2': 404,
        'GET /c/1.5.x': { route: 'GET /c/{x:float}.{y}', x: 1.5, y: 'x' },
        'GET /c/1.5': { route: 'GET /c/{x:float}.{y}', x: 1, y: '5' },
        'GET /d/a.b.c.json': { route: 'GET /d/{a}.{b}.json', a: 'a.b', b: 'c' },
        'GET /d/a.json': 404,
        [`GET /e/${UUID}-${UUID}`]: { route: 'GET /e/{x:uuid}-{y}', x: UUID, y: UUID },
      },
    ],
    [
      'that do not fit a type are not matched',
      ['GET /i/{x:int}', 'GET /f/{x:float}', 'GET /u/{x:uuid}'],
      {
        'GET /i/007': { route: 'GET /i/{x:int}', x: 7 },
        'GET /i/9007199254740991': { route: 'GET /i/{x:int}', x: 9007199254740991 },
        'GET /i/9007199254740992': 404,
        'GET /i/-1': 404,
        'GET /i/1e3': 404,
        'GET /i/%31': { route: 'GET /i/{x:int}', x: 1 },
        'GET /i/%D9%A1': 404,
        'GET /f/1.50': { route: 'GET /f/{x:float}', x: 1.5 },
        'GET /f/1.': 404,
        'GET /f/.5': 404,
        [`GET /f/${'9'.repeat(309)}`]: 404,
        [`GET /u/${UUID.slice(1)}`]: 404,
        [`GET /u/${UUID.replaceAll('-', '')}`]: 404,
      },
    ],
    [
      'are percent-decoded, and so is the text around them',
      ['GET /café/{x}', 'GET /s/{x}/{y}', 'GET /m/{a}-{b}', 'GET /r/{x:path}', 'GET /w/{x:withSlash}'],
      {
        'GET /caf%C3%A9/%20': { route: 'GET /café/{x}', x: ' ' },
        'GET /%73/a%2Fb/%2f': { route: 'GET /s/{x}/{y}', x: 'a/b', y: '/' },
        'GET /s/%252F/%25': { route: 'GET /s/{x}/{y}', x: '%2F', y: '%' },
        'GET /s%2Fa/b': 404,
        'GET /m/a%2Fb%2Dc': { route: 'GET /m/{a}-{b}', a: 'a/b', b: 'c' },
        'GET /r/a%2Fb/c%0A': { route: 'GET /r/{x:path}', x: 'a/b/c\n' },
        'GET /w/a%2Fb': { route: 'GET /w/{x:withSlash}', x: 'a/b' },
        'GET /w/a%2F1': 404,
        'GET /S/a/b': 404,
      },
    ],
    [
      'may be named like members of every object',
      ['GET /{constructor}/{toString}'],
      { 'GET /a/b': { route: 'GET /{constructor}/{toString}', constructor: 'a', toString: 'b' } },
    ],
    [
      'of a literal path like an inherited member do not exist',
      ['GET /a'],
      { 'GET /constructor': 404, 'GET /__proto__': 404, 'GET /a/toString': 404 },
    ],
  ])
})

describe('a malformed escape', () => {
  tell([
    [
      'is 400 before anything else',
      ['GET /{x}', 'POST /a'],
      { 'GET /%': 400, 'GET /%zz': 400, 'GET /%C3': 400, 'DELETE /a/%2': 400, 'PATCH /b/c/%ff': 400 },
    ],
  ])
})

describe('slashes of which two follow each other', () => {
  tell([
    [
      'are never one',
      ['GET /', 'GET /{x}', 'GET /a/{x}', 'GET /a/b'],
      {
        'GET /': { route: 'GET /' },
        'GET //': 404,
        'GET //a': 404,
        'GET /a//b': 404,
        'GET /a//': 404,
        'GET /a/b//': 404,
      },
    ],
    [
      'stay in the rest',
      ['GET /f/{x:path}'],
      {
        'GET /f//': { route: 'GET /f/{x:path}', x: '/' },
        'GET /f//a//': { route: 'GET /f/{x:path}', x: '/a//' },
      },
    ],
  ])
})

describe('HEAD, OPTIONS and other methods', () => {
  tell([
    [
      'HEAD answers from GET, a declared one competes by specificity',
      ['GET /a', 'GET /b/{x}', 'HEAD /b/c', 'HEAD /{x:path}', 'POST /d'],
      {
        'HEAD /a': { head: '/a' },
        'HEAD /b/x': { head: '/b/{x}' },
        'HEAD /b/c': { head: '/b/c' },
        'HEAD /d': { head: '/{x:path}' },
        'GET /d': [405, 'HEAD, POST, OPTIONS'],
      },
    ],
    [
      'OPTIONS lists the methods, unless it is declared',
      ['GET /a', 'POST /a', 'DELETE /{x}', 'OPTIONS /b', 'TRACE /c'],
      {
        'OPTIONS /a': [204, 'GET, HEAD, POST, DELETE, OPTIONS'],
        'OPTIONS /b': { route: 'OPTIONS /b' },
        'OPTIONS /c': [204, 'DELETE, OPTIONS, TRACE'],
        'OPTIONS /a/b': 404,
        'PROPFIND /a': [405, 'GET, HEAD, POST, DELETE, OPTIONS'],
        'PROPFIND /a/b': 404,
      },
    ],
  ])
})

const SLASHES = ['GET /', 'GET /a', 'GET /b/', 'POST /a/{x}/', 'GET /f/{x:path}']

describe('trailing slashes', () => {
  tell([
    [
      'are ignored by default',
      SLASHES,
      {
        'GET /a': { route: 'GET /a' },
        'GET /a/': { route: 'GET /a' },
        'GET /b': { route: 'GET /b/' },
        'POST /a/x': { route: 'POST /a/{x}/', x: 'x' },
        'GET /a/x/': [405, 'POST, OPTIONS'],
        'GET /f': { route: 'GET /f/{x:path}', x: '' },
        'GET /f/': { route: 'GET /f/{x:path}', x: '' },
        'GET /f/a/': { route: 'GET /f/{x:path}', x: 'a/' },
      },
    ],
  ])
  tell(
    [
      [
        "count under 'strict'",
        [...SLASHES, 'GET /b'],
        {
          'GET /': { route: 'GET /' },
          'GET /a': { route: 'GET /a' },
          'GET /a/': 404,
          'GET /b': { route: 'GET /b' },
          'GET /b/': { route: 'GET /b/' },
          'POST /a/x': 404,
          'POST /a/x/': { route: 'POST /a/{x}/', x: 'x' },
          'GET /f': 404,
          'GET /f/': { route: 'GET /f/{x:path}', x: '' },
        },
      ],
      [
        "behind the rest belong to it under 'strict'",
        ['GET /f/{x:path}/'],
        {
          'GET /f/a': { route: 'GET /f/{x:path}/', x: 'a' },
          'GET /f/a/': { route: 'GET /f/{x:path}/', x: 'a/' },
        },
      ],
    ],
    { trailingSlash: 'strict' },
  )
  tell(
    [
      [
        "are sent to the declared spelling under 'redirect', with their query",
        SLASHES,
        {
          'GET /': { route: 'GET /' },
          'GET /a/': [308, '/a'],
          'GET /a/?q=1&q=/': [308, '/a?q=1&q=/'],
          'HEAD /a/': [308, '/a'],
          'GET /b?q': [308, '/b/?q'],
          'POST /a/x%2F%20?y': [308, '/a/x%2F%20/?y'],
          'GET /a/x': [405, 'POST, OPTIONS'],
          'OPTIONS /a/': [204, 'GET, HEAD, OPTIONS'],
          'GET /f': { route: 'GET /f/{x:path}', x: '' },
          'GET /c/': 404,
        },
      ],
      [
        'never lead to another host',
        ['GET /{x}', 'GET /{x}/{y}/'],
        {
          'GET /%5Cevil.example/': [308, '/%5Cevil.example'],
          'GET /\\evil.example/': [308, '/%5Cevil.example'],
          'GET //evil.example/': 404,
          'GET /%2Fevil.example/': [308, '/%2Fevil.example'],
          'GET /a/b': [308, '/a/b/'],
        },
      ],
    ],
    { trailingSlash: 'redirect' },
  )
  for (const trailingSlash of ['ignore', 'redirect'] as const) {
    it(`may not tell two routes apart under '${trailingSlash}'`, async () => {
      await assert.rejects(serve(['GET /x', 'GET /x/'], { trailingSlash }).ready(), /duplicate_route/)
    })
  }
})

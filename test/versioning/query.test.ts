import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import { z } from 'zod'

import { allowed, ambiguous, ask, CARS, invalid, notAllowed, notFound, ok, serve } from './support.ts'
import { unspecified, unsupported } from './support.ts'
import type { Answer, Row } from './support.ts'

const { QUERY } = VersioningSchemes

const ROUTES: readonly Row[] = [...CARS, ['GET', '/new', '2', 'new'], ['GET', '/plus', 'a+b', 'plus']]
const ALL = ['1', '2']
const where = { in: 'query', name: 'version' }
const missing = unspecified(400, ALL)
const unknown = (requested: string): Answer => unsupported(404, requested, ALL)
const several = (...values: string[]): Answer => ambiguous(where, values, ALL)

describe('QUERY: the version is a parameter of the query', () => {
  const app = serve(ROUTES, QUERY)
  const cases: readonly (readonly [title: string, url: string, expected: Answer])[] = [
    ['the parameter is the version', '/cars?version=2', ok('cars@2')],
    ['the parameter is found among others', '/cars?a=1&version=1&b=2', ok('cars@1')],
    ['the name is case-sensitive', '/cars?Version=2', missing],
    ['an escaped value is decoded', '/cars?version=%32', ok('cars@2')],
    ['an escaped name is decoded', '/cars?%76ersion=2', ok('cars@2')],
    ['a value is decoded once only', '/cars?version=%2532', unknown('%32')],
    ['+ is a space', '/cars?version=+2', unknown(' 2')],
    ['an escaped + is itself', '/plus?version=a%2Bb', ok('plus@a+b')],
    ['a malformed escape stays', '/cars?version=%zz', unknown('%zz')],
    ['half an escape stays', '/cars?version=2%', unknown('2%')],
    ['a repeated parameter with equal values agrees', '/cars?version=2&version=2', ok('cars@2')],
    [
      'a repeated parameter with different values is ambiguous',
      '/cars?version=1&version=2',
      several('1', '2'),
    ],
    ['an empty value does not count', '/cars?version=&version=2', ok('cars@2')],
    ['a version that is repeated is listed once', '/cars?version=2&version=1&version=2', several('2', '1')],
    ['unknown versions are ambiguous too', '/cars?version=8&version=9', several('8', '9')],
    ['an empty value is no version', '/cars?version=', missing],
    ['a name without value is no version', '/cars?version', missing],
    ['no query is no version', '/cars', missing],
    ['an empty query is no version', '/cars?', missing],
    ['repeated empty values are no version', '/cars?version=&version', missing],
    ['brackets are another name', '/cars?version[]=1', missing],
    ['escaped brackets are another name', '/cars?version%5B%5D=1', missing],
    ['a key in brackets is another name', '/cars?version[a]=1', missing],
    ['versions are equal as text only', '/cars?version=2.0', unknown('2.0')],
    ['the prefix of another scheme is part of the version', '/cars?version=v2', unknown('v2')],
    ['__proto__', '/cars?version=__proto__', unknown('__proto__')],
    ['constructor', '/cars?version=constructor', unknown('constructor')],
    ['toString', '/cars?version=toString', unknown('toString')],
    ['a name that every object has', '/cars?__proto__=1&constructor=2', missing],
    ['markup is data', '/cars?version=%3Cb%3E', unknown('<b>')],
    ['line ends are data', '/cars?version=1%0D%0A', unknown('1\r\n')],
    [
      '5,000 characters are cut to 64 in the answer',
      `/cars?version=${'9'.repeat(5000)}`,
      unknown('9'.repeat(64)),
    ],
    ['64 characters are kept in the answer', `/cars?version=${'9'.repeat(64)}`, unknown('9'.repeat(64))],
    [
      'half a surrogate pair at the cut is dropped',
      `/cars?version=${'9'.repeat(63)}%F0%9F%9A%97`,
      unknown(`${'9'.repeat(63)}\ud83d`),
    ],
    ['a path that no version has is an ordinary 404', '/planes?version=9', notFound],
    [
      'an ambiguous version does not matter at a path that no version has',
      '/planes?version=1&version=2',
      notFound,
    ],
    ['a path that only another version has is unsupported', '/new?version=1', unsupported(404, '1', ['2'])],
    ['a never-versioned path answers an unknown version', '/health?version=9', ok('health@null')],
    ['a never-versioned path answers a known version', '/health?version=2', ok('health@2')],
    ['a never-versioned path answers an ambiguous version', '/health?version=1&version=2', ok('health@null')],
    ['a neutral path answers an unknown version', '/ping?version=9', ok('ping@null')],
    ['a neutral path answers an ambiguous version', '/ping?version=1&version=2', ok('ping@null')],
    ['a neutral path answers a known version', '/ping?version=1', ok('ping@1')],
    ['a neutral path answers without version', '/ping', ok('ping@null')],
    ['a target in absolute form has the parameter too', 'http://h/cars?version=2', ok('cars@2')],
    ['the path is no version', '/v2/cars?version=2', notFound],
  ]
  for (const [title, url, expected] of cases) {
    it(`${title}: ${url.slice(0, 50)}`, async () => assert.deepEqual(await ask(app, url), expected))
  }
})

describe('QUERY: methods and versions', () => {
  const app = serve(ROUTES, QUERY)
  const cases = [
    ['without version, a method of some version is unspecified', 'POST', '/cars', missing],
    [
      'without version, a method that no version has is a 405',
      'PUT',
      '/cars',
      notAllowed('GET, HEAD, POST, OPTIONS'),
    ],
    ['a method of another version is a 405', 'POST', '/cars?version=1', notAllowed('GET, HEAD, OPTIONS')],
    ['an unknown version is unsupported whatever the method', 'PUT', '/cars?version=9', unknown('9')],
    [
      'an ambiguous version comes before a wrong method',
      'PUT',
      '/cars?version=1&version=2',
      several('1', '2'),
    ],
    [
      'a never-versioned path has only 405 for an unknown version',
      'PUT',
      '/health?version=9',
      notAllowed('GET, HEAD, OPTIONS'),
    ],
    [
      'OPTIONS of a never-versioned path answers an unknown version',
      'OPTIONS',
      '/health?version=9',
      allowed('GET, HEAD, OPTIONS'),
    ],
    ['OPTIONS lists the methods of the version', 'OPTIONS', '/cars?version=1', allowed('GET, HEAD, OPTIONS')],
    [
      'OPTIONS without version lists the methods of all versions',
      'OPTIONS',
      '/cars',
      allowed('GET, HEAD, POST, OPTIONS'),
    ],
    ['OPTIONS with an unknown version is unsupported', 'OPTIONS', '/cars?version=9', unknown('9')],
    ['OPTIONS * needs no version', 'OPTIONS', '*', { status: 204, body: undefined }],
  ] as const
  for (const [title, method, url, expected] of cases) {
    it(`${title}: ${method} ${url}`, async () => assert.deepEqual(await ask(app, { method, url }), expected))
  }
})

describe('QUERY: options', () => {
  it('versionParameter is the name of the parameter', async () => {
    const app = serve(ROUTES, QUERY, { versionParameter: 'api-version' })
    assert.deepEqual(
      [
        await ask(app, '/cars?api-version=2'),
        await ask(app, '/cars?version=2'),
        await ask(app, '/cars?api-version=1&api-version=2'),
      ],
      [ok('cars@2'), missing, ambiguous({ in: 'query', name: 'api-version' }, ['1', '2'], ALL)],
    )
  })
  it('versionParameter may be a name that every object has', async () => {
    const app = serve(ROUTES, QUERY, { versionParameter: '__proto__' })
    assert.deepEqual([await ask(app, '/cars?__proto__=2'), await ask(app, '/cars')], [ok('cars@2'), missing])
  })
  it('equal versions of a format are one', async () => {
    const app = serve(CARS, QUERY, { format: 'semver' })
    assert.deepEqual(
      [
        await ask(app, '/cars?version=2&version=2.0.0'),
        await ask(app, '/cars?version=2&version=2.0.1'),
        await ask(app, '/cars?version=two'),
        await ask(app, '/cars?version=two&version=2'),
        await ask(app, '/planes?version=two'),
      ],
      [ok('cars@2'), several('2', '2.0.1'), invalid(400, 'two', ALL), several('two', '2'), notFound],
    )
  })
  it('statusCodes change the statuses', async () => {
    const statusCodes = { unsupported: 400, unspecified: 404, ambiguous: 409 }
    const app = serve(ROUTES, QUERY, { statusCodes })
    assert.deepEqual(
      [
        await ask(app, '/cars?version=9'),
        await ask(app, '/cars'),
        await ask(app, '/cars?version=1&version=2'),
      ],
      [unsupported(400, '9', ALL), unspecified(404, ALL), ambiguous(where, ['1', '2'], ALL, 409)],
    )
  })
  it('inject({ version }) writes the parameter, over one in the url', async () => {
    const app = serve(ROUTES, QUERY)
    assert.deepEqual(
      [
        await ask(app, { url: '/cars', version: '2' }),
        await ask(app, { url: '/cars?version=1&a=1', version: '2' }),
        await ask(app, { url: '/plus', version: 'a+b' }),
      ],
      [ok('cars@2'), ok('cars@2'), ok('plus@a+b')],
    )
  })
})

describe('QUERY: handlers do not see the parameter unless they declare it', () => {
  const filter = defineController({
    prefix: '/cars',
    version: '1',
    routes: [
      {
        method: 'GET',
        path: '/strict',
        name: 'strict',
        input: { query: z.strictObject({ limit: z.number().optional() }) },
        handler: ({ query }) => query,
      },
      {
        method: 'GET',
        path: '/declared',
        name: 'declared',
        input: { query: z.strictObject({ version: z.string() }) },
        handler: ({ query }) => query,
      },
      {
        method: 'GET',
        path: '/loose',
        name: 'loose',
        input: { query: z.looseObject({}) },
        handler: ({ query }) => query,
      },
      {
        method: 'GET',
        path: '/raw',
        name: 'raw',
        handler: (_input, { request }) => request.query,
      },
    ],
  })
  const app = createApp(defineModule({ controllers: [filter] }), { logger: false })
  app.enableVersioning(QUERY)
  const cases = [
    ['a strict schema does not see it', '/cars/strict?version=1&limit=5', 200, { limit: 5 }],
    ['a strict schema that declares it sees it', '/cars/declared?version=1', 200, { version: '1' }],
    ['a loose schema does not see it', '/cars/loose?version=1&a=b', 200, { a: 'b' }],
    ['the request still has it', '/cars/raw?version=1&a=b', 200, { version: '1', a: 'b' }],
  ] as const
  for (const [title, url, status, body] of cases) {
    it(`${title}: ${url}`, async () => assert.deepEqual(await ask(app, url), { status, body }))
  }
  it('other keys are still refused', async () => {
    assert.equal((await app.inject('/cars/strict?version=1&x=1')).statusCode, 422)
  })
})

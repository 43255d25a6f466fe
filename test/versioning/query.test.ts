import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, VERSION_NEUTRAL, VersioningSchemes } from 'octavo'
import { z } from 'zod'

import { allowed, ambiguous, ask, invalid, notAllowed, notFound, ok, serve } from './support.ts'
import { unspecified, unsupported } from './support.ts'
import type { Answer, Row } from './support.ts'

const { QUERY } = VersioningSchemes

const ROUTES: readonly Row[] = [
  ['GET', '/cars', '1', 'cars'],
  ['GET', '/cars', '2', 'cars'],
  ['POST', '/cars', '2', 'create'],
  ['GET', '/new', '2', 'new'],
  ['GET', '/plus', 'a b', 'plus'],
  ['GET', '/health', undefined, 'health'],
  ['GET', '/ping', VERSION_NEUTRAL, 'ping'],
]
const ALL = ['1', '2']
const where = { in: 'query', name: 'version' }
const missing = unspecified(400, ALL)
const unknown = (requested: string): Answer => unsupported(404, requested, ALL)
const several = (...values: string[]): Answer => ambiguous(where, values, ALL)

describe('QUERY: where the version is found', () => {
  const app = serve(ROUTES, QUERY)
  const cases: readonly (readonly [title: string, url: string, expected: Answer])[] = [
    ['S5 the parameter', '/cars?version=2', ok('cars@2')],
    ['S5 among others', '/cars?a=1&version=1&b=2', ok('cars@1')],
    ['Q1 the name is case-sensitive', '/cars?Version=2', missing],
    ['Q1 an escaped value', '/cars?version=%32', ok('cars@2')],
    ['Q1 an escaped name', '/cars?%76ersion=2', ok('cars@2')],
    ['Q1 escaped twice', '/cars?version=%2532', unknown('%32')],
    ['Q1 + is a space', '/cars?version=+2', unknown(' 2')],
    ['Q1 + is a space in a version with a space', '/plus?version=a+b', ok('plus@a b')],
    ['Q1 a malformed escape stays', '/cars?version=%zz', unknown('%zz')],
    ['Q1 half an escape', '/cars?version=2%', unknown('2%')],
    ['Q2 repeated and equal', '/cars?version=2&version=2', ok('cars@2')],
    ['Q2 repeated and different', '/cars?version=1&version=2', several('1', '2')],
    ['Q2 one of them empty', '/cars?version=&version=2', ok('cars@2')],
    ['Q2 three of them, two different', '/cars?version=2&version=1&version=2', several('2', '1')],
    ['Q2 unknown ones are ambiguous too', '/cars?version=8&version=9', several('8', '9')],
    ['Q3 an empty value', '/cars?version=', missing],
    ['Q3 no value', '/cars?version', missing],
    ['Q3 no query', '/cars', missing],
    ['Q3 an empty query', '/cars?', missing],
    ['Q3 repeated and empty', '/cars?version=&version', missing],
    ['Q6 brackets are another name', '/cars?version[]=1', missing],
    ['Q6 escaped brackets are another name', '/cars?version%5B%5D=1', missing],
    ['Q6 a key in brackets', '/cars?version[a]=1', missing],
    ['V1 exact equality', '/cars?version=2.0', unknown('2.0')],
    ['V1 with a prefix of another scheme', '/cars?version=v2', unknown('v2')],
    ['2.2.4 __proto__', '/cars?version=__proto__', unknown('__proto__')],
    ['2.2.4 constructor', '/cars?version=constructor', unknown('constructor')],
    ['2.2.4 toString', '/cars?version=toString', unknown('toString')],
    ['2.2.4 a name that every object has', '/cars?__proto__=1&constructor=2', missing],
    ['2.2.4 markup is data', '/cars?version=%3Cb%3E', unknown('<b>')],
    ['2.2.4 line ends are data', '/cars?version=1%0D%0A', unknown('1\r\n')],
    ['R36 5,000 characters', `/cars?version=${'9'.repeat(5000)}`, unknown('9'.repeat(64))],
    ['R36 64 characters', `/cars?version=${'9'.repeat(64)}`, unknown('9'.repeat(64))],
    [
      'R36 half a pair at the cut',
      `/cars?version=${'9'.repeat(63)}%F0%9F%9A%97`,
      unknown(`${'9'.repeat(63)}\ud83d`),
    ],
    ['2.3 a: nowhere', '/planes?version=9', notFound],
    ['2.3 a: nowhere, ambiguous', '/planes?version=1&version=2', notFound],
    ['2.3 g: another version', '/new?version=1', unsupported(404, '1', ['2'])],
    ['P6 never versioned, unknown', '/health?version=9', ok('health@null')],
    ['P6 never versioned, known', '/health?version=2', ok('health@2')],
    ['P6 never versioned, ambiguous', '/health?version=1&version=2', ok('health@null')],
    ['P8 neutral only, unknown', '/ping?version=9', ok('ping@null')],
    ['P8 neutral only, ambiguous', '/ping?version=1&version=2', ok('ping@null')],
    ['P8 neutral only, known', '/ping?version=1', ok('ping@1')],
    ['P8 neutral only, none', '/ping', ok('ping@null')],
    ['U11 absolute form', 'http://h/cars?version=2', ok('cars@2')],
    ['O2 the path is no version', '/v2/cars?version=2', notFound],
  ]
  for (const [title, url, expected] of cases) {
    it(`${title}: ${url.slice(0, 50)}`, async () => assert.deepEqual(await ask(app, url), expected))
  }
})

describe('QUERY: methods', () => {
  const app = serve(ROUTES, QUERY)
  const cases = [
    ['2.3 d: none, a method of some version', 'POST', '/cars', missing],
    ['2.3 d: none, a method of no version', 'PUT', '/cars', notAllowed('GET, HEAD, POST, OPTIONS')],
    ['2.3 e: a method of another version', 'POST', '/cars?version=1', notAllowed('GET, HEAD, OPTIONS')],
    ['2.3 g: a method of no version, unknown', 'PUT', '/cars?version=9', unknown('9')],
    ['2.3 b: a method of no version, ambiguous', 'PUT', '/cars?version=1&version=2', several('1', '2')],
    [
      'R6 never versioned, another method, unknown',
      'PUT',
      '/health?version=9',
      notAllowed('GET, HEAD, OPTIONS'),
    ],
    ['R31 OPTIONS never versioned, unknown', 'OPTIONS', '/health?version=9', allowed('GET, HEAD, OPTIONS')],
    ['R10 OPTIONS, known', 'OPTIONS', '/cars?version=1', allowed('GET, HEAD, OPTIONS')],
    ['R10 OPTIONS, none: the union', 'OPTIONS', '/cars', allowed('GET, HEAD, POST, OPTIONS')],
    ['R10 OPTIONS, unknown', 'OPTIONS', '/cars?version=9', unknown('9')],
    ['M5 OPTIONS *', 'OPTIONS', '*', { status: 204, body: undefined }],
  ] as const
  for (const [title, method, url, expected] of cases) {
    it(`${title}: ${method} ${url}`, async () => assert.deepEqual(await ask(app, { method, url }), expected))
  }
})

describe('QUERY: options', () => {
  it('S1 versionParameter', async () => {
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
  it('2.2.4 a parameter that every object has', async () => {
    const app = serve(ROUTES, QUERY, { versionParameter: '__proto__' })
    assert.deepEqual([await ask(app, '/cars?__proto__=2'), await ask(app, '/cars')], [ok('cars@2'), missing])
  })
  it('2.3 step 3: equal versions of a format are one', async () => {
    const app = serve(ROUTES.slice(0, 4), QUERY, { format: 'semver' })
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
  it('R15 statusCodes change the statuses', async () => {
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
  it('api 10: inject({ version }) writes the parameter, over one in the url', async () => {
    const app = serve(ROUTES, QUERY)
    assert.deepEqual(
      [
        await ask(app, { url: '/cars', version: '2' }),
        await ask(app, { url: '/cars?version=1&a=1', version: '2' }),
        await ask(app, { url: '/plus', version: 'a b' }),
      ],
      [ok('cars@2'), ok('cars@2'), ok('plus@a b')],
    )
  })
})

describe('QUERY: what handlers see', () => {
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
    ['Q4 a strict schema does not see it', '/cars/strict?version=1&limit=5', 200, { limit: 5 }],
    ['Q4 unless it declares it', '/cars/declared?version=1', 200, { version: '1' }],
    ['Q4 a loose schema does not see it', '/cars/loose?version=1&a=b', 200, { a: 'b' }],
    ['Q4 the request has it', '/cars/raw?version=1&a=b', 200, { version: '1', a: 'b' }],
  ] as const
  for (const [title, url, status, body] of cases) {
    it(`${title}: ${url}`, async () => assert.deepEqual(await ask(app, url), { status, body }))
  }
  it('Q4 other keys are still refused', async () => {
    assert.equal((await app.inject('/cars/strict?version=1&x=1')).statusCode, 422)
  })
})

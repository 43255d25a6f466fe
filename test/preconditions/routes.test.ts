import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, reply } from 'octavo'
import type { AppOptions, InjectResponse, Logger } from 'octavo'
import { idempotency } from 'octavo/idempotency'
import { etag } from 'octavo/middleware'
import { preconditions } from 'octavo/preconditions'
import { z } from 'zod'
import type { AnyRoute } from '../inside/parts.ts'

interface CarState {
  readonly name: string
  readonly version: number
}

/** A car whose routes stand beside a list and a summary, which are no states. */
function serve() {
  let car: CarState = { name: 'Ford', version: 1 }
  const unchanged = preconditions({
    etag: ({ version }: CarState) => version,
    current: () => car,
    lastModified: ({ version }) => new Date(version * 1000),
  })
  const controller = defineController({
    name: 'car',
    interceptors: [idempotency({ methods: ['PUT'] }), unchanged],
    routes: [
      { method: 'GET', path: '/one', handler: () => car },
      { method: 'GET', path: '/list', handler: () => [car] },
      { method: 'GET', path: '/summary', handler: () => ({ count: car.version }) },
      {
        method: 'PUT',
        path: '/one',
        input: { body: z.object({ name: z.string() }) },
        handler: ({ body }) => (car = { ...body, version: car.version + 1 }),
      },
    ],
  })
  const app = createApp(defineModule({ controllers: [controller] }), { logger: false, middleware: [etag()] })
  const get = async (url: string, headers: Record<string, string> = {}): Promise<InjectResponse> =>
    app.inject({ url, headers })
  const put = async (headers: Record<string, string>, name = 'Fiat'): Promise<InjectResponse> =>
    app.inject({ method: 'PUT', url: '/car/one', headers, body: { name } })
  return { get, put }
}

describe('results that are no states', () => {
  for (const url of ['/car/list', '/car/summary'])
    it(`of ${url} get no tag of a state, so a client never keeps an old one`, async () => {
      const { get, put } = serve()
      const first = await get(url)
      assert.equal(first.statusCode, 200)
      const tag = String(first.headers['etag'])
      // that of the bytes
      assert.match(tag, /^"[\w-]{22}"$/)
      assert.equal(first.headers['last-modified'], undefined)
      assert.equal((await get(url, { 'if-none-match': tag })).statusCode, 304)
      await put({})
      assert.equal((await get(url, { 'if-none-match': tag })).statusCode, 200)
    })
})

describe('preconditions beside other parts', () => {
  it('keep their tag with the middleware etag', async () => {
    const { get } = serve()
    assert.equal((await get('/car/one')).headers['etag'], '"1"')
    assert.equal((await get('/car/one', { 'if-none-match': '"1"' })).statusCode, 304)
  })

  it('replay a change by its idempotency key, whose tag is no longer the current one', async () => {
    const { put } = serve()
    const headers = { 'if-match': '"1"', 'idempotency-key': '"a key of 16 characters or more"' }
    const first = await put(headers)
    const again = await put(headers)
    assert.deepEqual([first.statusCode, first.headers['etag']], [200, '"2"'])
    assert.deepEqual([again.statusCode, again.headers['etag'], again.body], [200, '"2"', first.body])
    assert.equal(again.headers['idempotency-replayed'], 'true')
    assert.equal((await put({ 'if-match': '"1"' })).statusCode, 412)
  })

  it('read the three forms of dates', async () => {
    for (const date of [
      'Thu, 01 Jan 1970 00:00:00 GMT',
      'Thursday, 01-Jan-70 00:00:00 GMT',
      'Thu Jan  1 00:00:00 1970',
    ])
      assert.equal((await serve().put({ 'if-unmodified-since': date })).statusCode, 412, date)
    for (const date of [
      'Thu, 01 Jan 1970 00:00:01 GMT',
      'Thursday, 01-Jan-70 00:00:01 GMT',
      'Thu Jan  1 00:00:01 1970',
    ])
      assert.equal((await serve().put({ 'if-unmodified-since': date })).statusCode, 200, date)
  })
})

/** Routes of one car in version 1, changed in 2020, as they are written in JavaScript. */
function routesOf(
  routes: readonly object[],
  options: { readonly lastModified?: () => Date; readonly required?: boolean } = {},
  appOptions: AppOptions = {},
) {
  const loaded: unknown[] = []
  const unchanged = preconditions<CarState>({
    etag: ({ version }) => version,
    lastModified: () => new Date(Date.UTC(2020, 0, 1)),
    current: (input) => {
      loaded.push(input)
      return { name: 'Ford', version: 1 }
    },
    ...options,
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- their types are forgotten
  const typed = routes as readonly AnyRoute[] as never
  const controller = defineController({ prefix: '/car', interceptors: [unchanged], routes: typed })
  const app = createApp(defineModule({ controllers: [controller] }), { logger: false, ...appOptions })
  return { app, loaded, unchanged }
}

const STATE: CarState = { name: 'Ford', version: 1 }

describe('a POST', () => {
  const routes = [{ method: 'POST', path: '/{id:int}/sell', handler: () => STATE }]
  for (const [headers, status] of [
    [{}, 200],
    [{ 'if-match': '"1"' }, 200],
    [{ 'if-match': '"bogus"' }, 412],
    [{ 'if-match': 'bogus' }, 400],
    [{ 'if-none-match': '*' }, 412],
    [{ 'if-unmodified-since': 'Tue, 01 Jan 2019 00:00:00 GMT' }, 412],
  ] as const)
    it(`with ${JSON.stringify(headers)} → ${status}, also where a condition is required of others`, async () => {
      const { app, loaded } = routesOf(routes, { required: true })
      const response = await app.inject({ method: 'POST', url: '/car/7/sell', headers })
      assert.equal(response.statusCode, status)
      assert.deepEqual(
        loaded.map((input) => Object(input).params.id),
        Object.keys(headers).length === 0 ? [] : [7],
      )
    })

  it('shows If-Match and the 412 in documents', async () => {
    const { app } = routesOf(routes, { required: true })
    await app.ready()
    const { post } = Object(app.openapi().paths['/car/{id}/sell'])
    const header = post.parameters.find(({ name }: { readonly name: string }) => name === 'If-Match')
    assert.deepEqual(
      [header.required ?? false, '412' in post.responses, '428' in post.responses],
      [false, true, false],
    )
  })
})

describe('the order of conditions', () => {
  const FUTURE = 'Thu, 01 Jan 2099 00:00:00 GMT'
  const PAST = 'Tue, 01 Jan 2019 00:00:00 GMT'
  for (const [headers, read, written] of [
    [{ 'if-match': '"1"', 'if-unmodified-since': PAST }, 200, 200],
    [{ 'if-match': '"2"', 'if-none-match': '"1"' }, 412, 412],
    [{ 'if-match': '"1"', 'if-none-match': '"1"' }, 304, 412],
    [{ 'if-match': 'W/"1"' }, 412, 412],
    [{ 'if-match': '"0", "1"' }, 200, 200],
    [{ 'if-match': '*' }, 200, 200],
    [{ 'if-unmodified-since': PAST, 'if-none-match': '"1"' }, 412, 412],
    [{ 'if-unmodified-since': FUTURE, 'if-none-match': '"2"' }, 200, 200],
    [{ 'if-none-match': '"2"', 'if-modified-since': FUTURE }, 200, 200],
    [{ 'if-none-match': 'W/"1"', 'if-modified-since': PAST }, 304, 412],
    [{ 'if-none-match': '*' }, 304, 412],
    [{ 'if-modified-since': FUTURE }, 304, 200],
    [{ 'if-modified-since': PAST }, 200, 200],
    [{ 'if-modified-since': 'yesterday' }, 200, 200],
    [{ 'if-unmodified-since': FUTURE }, 200, 200],
    [{ 'if-unmodified-since': 'yesterday' }, 200, 400],
    [{ 'if-unmodified-since': 'Thu, 32 Jan 2099 00:00:00 GMT' }, 200, 400],
  ] as const)
    it(`of ${JSON.stringify(headers)} → GET and HEAD ${read}, PUT ${written}`, async () => {
      const { app } = routesOf([{ method: ['GET', 'PUT'], handler: () => STATE }])
      const found: number[] = []
      for (const method of ['GET', 'HEAD', 'PUT'] as const) {
        const response = await app.inject({ method, url: '/car', headers })
        if (response.statusCode < 400) assert.equal(response.headers['etag'], '"1"')
        if (response.statusCode === 304) assert.equal(response.body, '')
        found.push(response.statusCode)
      }
      assert.deepEqual(found, [read, read, written])
    })
})

describe('responses without a state', () => {
  it('of a change have no tag, and the change is checked', async () => {
    let runs = 0
    const { app } = routesOf([
      { method: 'DELETE', handler: () => void runs++ },
      { method: 'PUT', handler: () => reply(204, void runs++) },
      { method: 'PATCH', items: z.string(), handler: () => [String(runs++)] },
    ])
    for (const [method, status] of [
      ['DELETE', 204],
      ['PUT', 204],
      ['PATCH', 200],
    ] as const) {
      const refused = await app.inject({ method, url: '/car', headers: { 'if-match': '"2"' } })
      assert.deepEqual([refused.statusCode, runs], [412, 0])
      const done = await app.inject({ method, url: '/car', headers: { 'if-match': '"1"' } })
      assert.deepEqual([done.statusCode, done.headers['etag'], runs], [status, undefined, 1])
      runs = 0
    }
  })

  it('have none in documents either', async () => {
    const { app } = routesOf([
      { method: 'DELETE', status: 204, handler: () => undefined },
      {
        method: 'PUT',
        response: { 200: z.object({ version: z.int() }).nullable(), 204: z.void() },
        handler: () => STATE,
      },
      { method: 'PATCH', items: z.string(), handler: () => [''] },
      { method: 'POST', response: z.array(z.string()), handler: () => [''] },
      { method: 'GET', handler: () => STATE },
    ])
    await app.ready()
    const path: Readonly<Record<string, { readonly responses: object }>> = Object(app.openapi().paths['/car'])
    const tagged = Object.entries(path).flatMap(([method, { responses }]) =>
      Object.entries(responses)
        .filter(([, { headers }]) => headers !== undefined && 'ETag' in headers)
        .map(([status]) => `${method} ${status}`),
    )
    assert.deepEqual(tagged.toSorted(), ['get 2XX', 'get 304', 'put 200'])
  })

  it('have the tag of a reply with a status of its own', async () => {
    const { app } = routesOf([{ method: 'PUT', handler: () => reply(201, STATE) }])
    const { statusCode, headers } = await app.inject({ method: 'PUT', url: '/car' })
    assert.deepEqual([statusCode, headers['etag']], [201, '"1"'])
  })
})

describe('a lastModified that returns no date', () => {
  for (const [name, date] of [
    ['an invalid date', new Date(Number.NaN)],
    ['a text', '2026-01-01'],
    ['nothing', undefined],
  ] as const)
    it(`is logged, and the state has no Last-Modified: ${name}`, async () => {
      const errors: unknown[] = []
      const ignore = (): undefined => undefined
      const logger: Logger = {
        debug: ignore,
        info: ignore,
        warn: ignore,
        error: (_fields: object, message: string) => void errors.push(message),
      }
      const { app } = routesOf(
        [{ method: ['GET', 'PUT'], handler: () => STATE }],
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what JavaScript may return
        { lastModified: () => date as Date },
        { logger },
      )
      const response = await app.inject('/car')
      assert.deepEqual([response.statusCode, response.headers['etag']], [200, '"1"'])
      assert.equal(response.headers['last-modified'], undefined)
      assert.deepEqual(errors, [
        'preconditions: lastModified returned no valid Date, so the state has no Last-Modified',
      ])
      const since = { 'if-unmodified-since': new Date().toUTCString() }
      assert.equal((await app.inject({ method: 'PUT', url: '/car', headers: since })).statusCode, 412)
    })
})

describe('routes that cannot have preconditions', () => {
  const own = preconditions<CarState>({ etag: ({ version }) => version, current: () => undefined })
  const second = preconditions<CarState>({ etag: () => 'second', current: () => undefined })
  const handler = (): CarState => STATE
  for (const [name, route, message] of [
    ['a WebSocket', { method: 'GET', upgrade: 'websocket', interceptors: [own] }, /a connection is no state/],
    ['a stream', { method: 'GET', items: z.string(), interceptors: [own] }, /a stream has no version/],
    ['two of them', { method: 'PUT', interceptors: [own, second] }, /twice/],
  ] as const)
    it(`are a mistake if they list it: ${name}`, () => {
      assert.throws(
        () => routesOf([{ ...route, handler }]),
        (error) => message.test(String(error)) && /\[invalid_field\]/.test(String(error)),
      )
    })

  it('leave out that of a level above, and the innermost one counts', async () => {
    const inner = preconditions<CarState>({ etag: () => 'inner', current: () => STATE })
    const { app, loaded } = routesOf([
      { method: 'GET', path: '/items', name: 'items', items: z.string(), handler: () => ['a'] },
      { method: 'PUT', name: 'change', interceptors: [inner], handler },
    ])
    assert.equal((await app.inject('/car/items')).statusCode, 200)
    const response = await app.inject({ method: 'PUT', url: '/car', headers: { 'if-match': '"inner"' } })
    assert.deepEqual([response.statusCode, response.headers['etag'], loaded], [200, '"inner"', []])
  })
})

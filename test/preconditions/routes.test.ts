import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule } from 'octavo'
import type { InjectResponse } from 'octavo'
import { idempotency } from 'octavo/idempotency'
import { etag } from 'octavo/middleware'
import { preconditions } from 'octavo/preconditions'
import { z } from 'zod'

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

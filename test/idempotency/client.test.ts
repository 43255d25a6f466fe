import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import { createApp, defineController, defineModule } from 'octavo'
import { createClient } from 'octavo/client'
import type { CommonClientOptions, RouteMap } from 'octavo/client'
import { idempotency } from 'octavo/idempotency'
import { z } from 'zod'

let runs = 0
const orders = defineController({
  name: 'order',
  routes: [
    {
      method: ['POST', 'PUT'],
      name: 'create',
      input: { body: z.object({ car: z.string(), slow: z.boolean().optional() }) },
      interceptors: [idempotency()],
      handler: async ({ body }) => {
        runs++
        if (body.slow === true) await sleep(200)
        return { run: runs, car: body.car }
      },
    },
    { method: 'POST', path: '/plain', name: 'plain', handler: () => ++runs },
  ],
})
const app = createApp(defineModule({ controllers: [orders] }), { logger: false })

const routes: RouteMap = await Reflect.get(app.fetch, Symbol.for('octavo.route-map'))(undefined, 'localhost')

/** A client whose first response is lost, or not waited for, and the keys that it has sent. */
function createShaky(isWaiting: boolean, options: CommonClientOptions = {}) {
  const keys: (string | null)[] = []
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const request = new Request(url, init)
    keys.push(request.headers.get('idempotency-key'))
    const answering = app.fetch(request)
    if (keys.length > 1) return answering
    if (isWaiting) await answering
    throw new TypeError('The connection is lost')
  }
  const client = createClient<typeof app>({
    baseUrl: 'http://localhost',
    fetch,
    routes,
    retry: { limit: 3, minDelay: 1 },
    ...options,
  })
  return { client, keys }
}

describe('a client of a route with idempotency keys', () => {
  it('knows of them by the route map', () => {
    assert.deepEqual(routes.routes['order.create']?.keys, ['POST'])
    assert.equal(routes.routes['order.plain']?.keys, undefined)
  })

  it('sends a POST again with the same key, and gets the result of the first one', async () => {
    const { client, keys } = createShaky(true)
    const before = runs
    const { data, headers } = await client.order.create({ body: { car: 'A4' } })
    assert.deepEqual(data, { run: before + 1, car: 'A4' })
    assert.equal(headers.get('idempotency-replayed'), 'true')
    assert.equal(runs, before + 1)
    assert.equal(keys.length, 2)
    assert.match(keys[0] ?? '', /^"[\w+/]{22}=="$/)
    assert.equal(keys[0], keys[1])
    await client.order.create({ body: { car: 'A4' } })
    assert.equal(new Set(keys).size, 2)
    assert.equal(runs, before + 2)
  })

  it('waits for a first try that still runs', async () => {
    const { client, keys } = createShaky(false)
    const before = runs
    const { data } = await client.order.create({ body: { car: 'A4', slow: true } })
    assert.deepEqual(data, { run: before + 1, car: 'A4' })
    assert.equal(runs, before + 1)
    assert.equal(keys.length, 3)
  })

  it('keeps a key that the caller gives', async () => {
    const { client, keys } = createShaky(true, { headers: { 'idempotency-key': '"own-00000000000001"' } })
    await client.order.create({ body: { car: 'A4' } })
    assert.deepEqual(keys, ['"own-00000000000001"', '"own-00000000000001"'])
  })

  it('sends the key of a call, so that a write goes on after a restart', async () => {
    const { client, keys } = createShaky(true)
    const before = runs
    const idempotencyKey = 'job "7" \\ 00000000001'
    const first = await client.order.create({ body: { car: 'A4' }, idempotencyKey })
    // another client, as after a restart
    const later = createClient<typeof app>({ baseUrl: 'http://localhost', fetch: app.fetch, routes })
    const second = await later.order.create({ body: { car: 'A4' }, idempotencyKey })
    assert.deepEqual(second.data, first.data)
    assert.equal(runs, before + 1)
    const written = String.raw`"job \"7\" \\ 00000000001"`
    assert.deepEqual(keys, [written, written])
  })

  it('makes a key of its own if that of a call is undefined', async () => {
    const { client, keys } = createShaky(true)
    await client.order.create({ body: { car: 'A4' }, idempotencyKey: undefined })
    assert.match(keys[0] ?? '', /^"[\w+/]{22}=="$/)
  })

  it('prefers a header that the caller gives to the key of a call', async () => {
    const { client, keys } = createShaky(true, { headers: { 'idempotency-key': '"own-00000000000002"' } })
    await client.order.create({ body: { car: 'A4' }, idempotencyKey: 'other-000000000001' })
    assert.deepEqual(keys, ['"own-00000000000002"', '"own-00000000000002"'])
  })

  it('refuses a key for a route or a method that takes none, because the write would not be protected', async () => {
    const { client, keys } = createShaky(true)
    const idempotencyKey = 'other-000000000002'
    await assert.rejects(client.order.plain({ idempotencyKey }), {
      name: 'TypeError',
      message: 'order.plain: idempotencyKey is empty, or POST takes none',
    })
    await assert.rejects(client.order.create({ method: 'PUT', body: { car: 'A4' }, idempotencyKey }), {
      name: 'TypeError',
      message: 'order.create: idempotencyKey is empty, or PUT takes none',
    })
    // a column without a value, which types do not tell
    const missing: string = JSON.parse('null')
    for (const key of ['', missing])
      await assert.rejects(client.order.create({ body: { car: 'A4' }, idempotencyKey: key }), {
        name: 'TypeError',
        message: 'order.create: idempotencyKey is empty, or POST takes none',
      })
    assert.deepEqual(keys, [])
  })

  it('sends a POST of another route once, and so does one that is told which methods to send again', async () => {
    const plain = createShaky(true)
    await assert.rejects(plain.client.order.plain(), { message: 'The connection is lost' })
    assert.deepEqual(plain.keys, [null])
    const told = createShaky(true, { retry: { limit: 2, methods: ['GET'] } })
    await assert.rejects(told.client.order.create({ body: { car: 'A4' } }), TypeError)
    assert.equal(told.keys.length, 1)
  })

  it('sends no key with other methods', async () => {
    const { client, keys } = createShaky(true)
    await client.order.create({ method: 'PUT', body: { car: 'A4' } })
    assert.deepEqual(keys, [null, null])
  })
})

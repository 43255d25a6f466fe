import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'

import { defineController, defineInterceptor, HttpRequest } from 'octavo'
import { z } from 'zod'

import { createTestApp, ENGINES, open, PLACE } from './support.ts'

const Order = z.object({ article: z.string(), count: z.int().default(1) })

const readsEarly = defineInterceptor({
  name: 'readsEarly',
  intercept: async ({ request }, next) => {
    await request.bytes()
    return next()
  },
})

const orders = defineController({
  prefix: '/order',
  routes: [
    { method: 'POST', path: '/', input: { body: Order }, handler: ({ body }) => body },
    {
      method: 'POST',
      path: '/again',
      input: { body: Order, inject: { request: HttpRequest } },
      handler: async ({ body, inject: { request } }) => ({
        body,
        text: await request.text(),
        json: await request.json(),
        size: (await request.bytes()).length,
      }),
    },
    {
      method: 'POST',
      path: '/early',
      interceptors: [readsEarly],
      input: { body: Order },
      handler: ({ body }) => body,
    },
    { method: 'POST', path: '/short', bodyLimit: 10, input: { body: Order }, handler: () => 'short' },
  ],
})

const ORDER = JSON.stringify({ article: 'cup' })
const TYPE = 'Content-Type: application/json\r\n'

const post = (path: string, body: string | Uint8Array, lines = TYPE): Buffer =>
  Buffer.concat([
    Buffer.from(
      `POST /order${path} HTTP/1.1\r\nHost: a.test\r\n${lines}Content-Length: ${body.length}\r\n\r\n`,
      'latin1',
    ),
    typeof body === 'string' ? Buffer.from(body, 'latin1') : body,
  ])

describe('a body that came with its head, on the direct engine', () => {
  const app = createTestApp(orders)
  let url = ''
  let socket: Socket
  before(async () => {
    // what the routes need is imported before, not while promises are counted
    await app.ready()
    url = await app.listen({ ...PLACE, ...ENGINES.direct })
    socket = await open(url)
  })
  after(async () => {
    socket.destroy()
    await app.close()
  })

  async function ask(...packets: readonly Uint8Array[]): Promise<readonly [status: number, body: unknown]> {
    const sent = [...packets]
    for (let packet = sent.shift(); packet !== undefined; packet = sent.shift()) {
      socket.write(packet)
      // each in a packet of its own
      if (sent.length > 0) await new Promise((resolve) => setTimeout(resolve, 20))
    }
    const [data] = await once(socket, 'data')
    const [head = '', body = ''] = String(data).split('\r\n\r\n')
    return [Number(head.split(' ')[1]), JSON.parse(body)]
  }

  async function countPromises(request: Uint8Array): Promise<number> {
    const kinds: string[] = []
    const hook = createHook({ init: (_id, kind) => void kinds.push(kind) })
    const answered = new Promise<void>((resolve) => {
      socket.once('data', () => {
        hook.disable()
        resolve()
      })
    })
    hook.enable()
    socket.write(request)
    await answered
    return kinds.filter((kind) => kind === 'PROMISE').length
  }

  it('is validated and answered with one promise at most', async () => {
    const request = post('/', ORDER)
    assert.deepEqual(await ask(request), [200, { article: 'cup', count: 1 }])
    const promises = await countPromises(request)
    // one is that of the count
    assert.ok(promises <= 2, `${promises} promises`)
  })

  it('can be read again', async () => {
    const body = { article: 'cup', count: 1 }
    const expected = { body, text: ORDER, json: { article: 'cup' }, size: ORDER.length }
    assert.deepEqual(await ask(post('/again', ORDER)), [200, expected])
  })

  it('may have been read before', async () => {
    assert.deepEqual(await ask(post('/early', ORDER)), [200, { article: 'cup', count: 1 }])
  })

  it('is the same as one that comes later', async () => {
    const request = post('/', ORDER)
    const head = request.length - ORDER.length
    assert.deepEqual(await ask(request.subarray(0, head), request.subarray(head)), [
      200,
      { article: 'cup', count: 1 },
    ])
    const parts = [request.subarray(0, head + 3), request.subarray(head + 3)]
    assert.deepEqual(await ask(...parts), [200, { article: 'cup', count: 1 }])
  })

  it('is decompressed', async () => {
    const request = post('/', gzipSync(ORDER), `${TYPE}Content-Encoding: gzip\r\n`)
    assert.deepEqual(await ask(request), [200, { article: 'cup', count: 1 }])
  })

  for (const [title, path, body, status, code] of [
    ['that is no JSON', '/', '{"article":', 400, 'malformed_json'],
    ['that is invalid', '/', '{"article":1}', 422, 'validation_failed'],
    ['that is not UTF-8', '/', '"\xff"', 400, 'malformed_body'],
    ['that is too long', '/short', ORDER, 413, 'body_too_large'],
  ] as const)
    it(`is refused like one ${title}`, async () => {
      const [got, problem] = await ask(post(path, body))
      assert.deepEqual([got, Object(problem).code], [status, code])
      socket.destroy()
      socket = await open(url)
    })
})

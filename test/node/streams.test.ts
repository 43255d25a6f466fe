import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'

import { defineController, ExecutionContext, HttpRequest, reply } from 'octavo'
import type { Logger } from 'octavo'

import { createGate, createTestApp, exchange, LOOPBACK, open, parse, readUntil } from './support.ts'

const CHUNK = new Uint8Array(65_536)
/** Bytes of a stream that a client leaves, and of one that it reads. */
const MANY = 32 * 1024 * 1024
const FEW = 2 * 1024 * 1024
const logged: object[] = []
const ignore = (): void => undefined
const logger: Logger = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: (details) => void logged.push(details),
}

let produced = 0
let total = MANY
let ended = createGate()
let waiting = createGate()

async function* produce() {
  try {
    for (produced = 0; produced < total; produced += CHUNK.length) yield CHUNK
  } finally {
    ended.open()
  }
}

const app = createTestApp(
  defineController({
    prefix: '/',
    routes: [
      { method: 'GET', path: '/generator', handler: () => produce() },
      { method: 'GET', path: '/node', handler: () => Readable.from(produce()) },
      {
        method: 'GET',
        path: '/web',
        handler: () => new Response(Readable.toWeb(Readable.from(produce())) as ReadableStream),
      },
      {
        method: 'GET',
        path: '/parts',
        handler: async function* parts() {
          yield 'a'
          await Promise.resolve()
          yield 'é'
        },
      },
      {
        method: 'GET',
        path: '/fail',
        handler: async function* fail() {
          yield 'start'
          throw new Error('halfway')
        },
      },
      {
        method: 'GET',
        path: '/short',
        handler: () => new Response(new Blob(['abc']).stream(), { headers: { 'content-length': '5' } }),
      },
      {
        method: 'GET',
        path: '/framed',
        handler: () => reply(200, 'abc', { headers: { 'transfer-encoding': 'chunked' } }),
      },
      {
        method: 'GET',
        path: '/trailer',
        handler: () => reply(200, 'abc', { headers: { trailer: 'x-a' } }),
      },
      {
        method: 'GET',
        path: '/idle-web',
        handler: () =>
          new ReadableStream<Uint8Array>({
            start: (controller) => controller.enqueue(Buffer.from('first')),
            cancel: () => ended.open(),
          }),
      },
      {
        method: 'GET',
        path: '/idle-node',
        handler: () => {
          const stream = new Readable({ read: ignore })
          stream.push('first')
          stream.once('close', ended.open)
          return stream
        },
      },
      {
        method: 'GET',
        path: '/wait',
        input: { inject: { context: ExecutionContext } },
        handler: async ({ inject: { context } }) => {
          waiting.enter()
          await once(context.signal, 'abort')
          ended.open()
          return produce()
        },
      },
      {
        method: 'POST',
        path: '/upload',
        input: { inject: { request: HttpRequest } },
        handler: async ({ inject: { request } }) => {
          waiting.enter()
          await request.bytes().finally(ended.open)
          return 'got it'
        },
      },
    ],
  }),
  { logger },
)
let url = ''
before(async () => {
  url = await app.listen(LOOPBACK)
})
after(() => app.close())

const REQUEST = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a.test\r\n\r\n`

describe('streamed bodies', () => {
  it('arrive in chunks', async () => {
    const text = await exchange(url, 'GET /parts HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n')
    // newer Node versions send in one piece what was written in one turn
    const chunks = parse(text).body.replace('3\r\na\u00c3', '1\r\na\r\n2\r\n\u00c3')
    assert.equal(chunks, '1\r\na\r\n2\r\n\u00c3\u00a9\r\n0\r\n\r\n')
  })

  for (const path of ['/generator', '/node', '/web']) {
    it(`${path} is read as fast as the client reads, and given up when it leaves`, async () => {
      ended = createGate()
      total = MANY
      const socket = await open(url)
      socket.write(REQUEST(path))
      await once(socket, 'readable')
      socket.destroy()
      await ended.opened
      assert.ok(produced < MANY / 2, `${produced} bytes were produced`)
    })

    it(`${path} arrives whole`, async () => {
      total = FEW
      const response = await fetch(url + path)
      assert.equal((await response.arrayBuffer()).byteLength, FEW)
    })
  }

  for (const path of ['/idle-web', '/idle-node']) {
    it(`${path} is told that the client left while a chunk is waited for`, async () => {
      ended = createGate()
      const socket = await open(url)
      socket.write(REQUEST(path))
      await readUntil(socket, /first/)
      socket.destroy()
      await ended.opened
    })
  }

  it('that fail break the connection off, and are logged', async () => {
    logged.length = 0
    await assert.rejects(async () => (await fetch(`${url}/fail`)).text(), TypeError)
    assert.deepEqual(
      logged.map((entry) => Reflect.get(Object(entry), 'err')),
      [new Error('halfway')],
    )
    await assert.rejects(app.inject('/fail'), new Error('halfway'))
  })

  it('that do not keep their length break the connection off', async () => {
    await assert.rejects(async () => (await fetch(`${url}/short`)).text(), TypeError)
  })

  it('are framed by the server, not by the handler', async () => {
    const text = await exchange(url, 'GET /framed HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n')
    const { headers, body } = parse(text)
    assert.deepEqual(
      [headers['transfer-encoding'], headers['content-length'], body],
      [undefined, '5', '"abc"'],
    )
  })

  it('that cannot be sent are a 500', async () => {
    const response = await fetch(`${url}/trailer`)
    const { code } = (await response.json()) as { readonly code: string }
    assert.deepEqual([response.status, code], [500, 'internal_error'])
  })

  it('are given up when inject is aborted', async () => {
    ended = createGate()
    const abort = new AbortController()
    const injected = app.inject({ url: '/idle-web', signal: abort.signal })
    setImmediate(() => abort.abort(new Error('enough')))
    await assert.rejects(injected, new Error('enough'))
    await ended.opened
  })
})

describe('a client that leaves', () => {
  it('aborts the signal of its request', async () => {
    ended = createGate()
    waiting = createGate()
    logged.length = 0
    const socket = await open(url)
    socket.write(REQUEST('/wait'))
    await waiting.entered
    socket.destroy()
    await ended.opened
    assert.deepEqual(logged, [])
  })

  it('aborts the signals of requests that are queued behind another', async () => {
    ended = createGate()
    waiting = createGate()
    const socket = await open(url)
    socket.write(REQUEST('/idle-web'))
    await readUntil(socket, /first/)
    socket.write(REQUEST('/wait'))
    await waiting.entered
    ended = createGate()
    socket.destroy()
    await ended.opened
  })

  it('ends the reading of its body, which is no mistake of the server', async () => {
    ended = createGate()
    waiting = createGate()
    logged.length = 0
    const socket = await open(url)
    socket.write('POST /upload HTTP/1.1\r\nHost: a.test\r\nContent-Length: 10\r\n\r\nabc')
    await waiting.entered
    socket.resetAndDestroy()
    await ended.opened
    assert.deepEqual(logged, [])
  })
})

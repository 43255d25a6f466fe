import assert from 'node:assert/strict'
import { once } from 'node:events'
import { ServerResponse } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { connect as connectTcp, createServer } from 'node:net'
import type { Readable } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'

import { defineController, sse } from 'octavo'
import type { App, ListenOptions, Timeouts } from 'octavo'

import { TEST_TLS } from '../support/tls.ts'
import { createTestApp, LOOPBACK, open, readUntil } from './support.ts'

/** Milliseconds. */
const SEND = 200
/** Longer than what comes soon takes on a slow machine. */
const SOON = 60_000
const LARGE = 32_000_000
const PIECE = Buffer.alloc(65_536, 'x')

interface Watched {
  readonly app: App
  readonly seen: { ended: number; aborted: number }
}

/** An application that counts the sources that ended and the signals that were aborted. */
function createWatched(timeouts: Timeouts): Watched {
  const seen = { ended: 0, aborted: 0 }
  const endless = async function* endless() {
    try {
      for (;;) yield PIECE
    } finally {
      seen.ended++
    }
  }
  const quiet = async function* quiet() {
    yield { data: 'first' }
    await delay(4 * SEND)
    yield { data: 'second' }
  }
  const watch = (signal: AbortSignal): void => signal.addEventListener('abort', () => seen.aborted++)
  const controller = defineController({
    prefix: '/',
    routes: [
      {
        method: 'GET',
        path: '/endless',
        handler: (_input, { signal }) => {
          watch(signal)
          return endless()
        },
      },
      {
        method: 'GET',
        path: '/large',
        handler: (_input, { signal }) => {
          watch(signal)
          return new Uint8Array(LARGE)
        },
      },
      { method: 'GET', path: '/quiet', handler: () => sse(quiet()) },
    ],
  })
  return { app: createTestApp(controller, { timeouts }), seen }
}

async function until(isSo: () => boolean): Promise<void> {
  const started = performance.now()
  while (!isSo()) {
    assert.ok(performance.now() - started < SOON, 'this took too long')
    await delay(10)
  }
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a.test\r\n\r\n`

/** A client that has asked and reads nothing. */
interface Client {
  /** Reads what there is until the connection ends; gives how many bytes there were. */
  readonly read: () => Promise<number>
  readonly leave: () => unknown
}

function toClient(readable: Readable, leave: () => unknown): Client {
  readable.on('error', () => undefined).pause()
  const closed = new Promise((resolve) => readable.once('close', resolve))
  let size = 0
  const read = async (): Promise<number> => {
    readable.on('data', (piece: Uint8Array) => (size += piece.length)).resume()
    await closed
    return size
  }
  return { read, leave }
}

async function askPlain(url: string, path: string): Promise<Client> {
  const socket = await open(url)
  socket.write(get(path))
  return toClient(socket, () => socket.destroy())
}

async function askSecure(url: string, path: string): Promise<Client> {
  const socket = connectTls({ port: Number(new URL(url).port), host: '127.0.0.1', ca: TEST_TLS.cert })
  socket.write(get(path))
  return toClient(socket, () => socket.destroy())
}

async function askHttp2(url: string, path: string): Promise<Client> {
  const session = connectHttp2(url)
  session.on('error', () => undefined)
  return toClient(session.request({ ':path': path }), () => session.destroy())
}

type Ask = (url: string, path: string) => Promise<Client>

const ADAPTERS: readonly (readonly [name: string, ask: Ask, options: ListenOptions])[] = [
  ['HTTP', askPlain, {}],
  ['HTTPS', askSecure, { tls: TEST_TLS }],
  ['HTTP/2', askHttp2, { http2: true }],
]

describe('a client that takes nothing of an answer', () => {
  for (const [name, ask, options] of ADAPTERS) {
    it(`is disconnected over ${name}; the source of a stream is told, and the signal is aborted`, async () => {
      const { app, seen } = createWatched({ send: SEND })
      const client = await ask(await app.listen({ ...LOOPBACK, ...options }), '/endless')
      const started = performance.now()
      await until(() => seen.aborted === 1 && seen.ended === 1)
      assert.ok(performance.now() - started > SEND / 2, 'it had no time')
      client.leave()
      await app.close()
    })

    it(`is disconnected over ${name} within one long answer`, async () => {
      const { app } = createWatched({ send: SEND })
      const client = await ask(await app.listen({ ...LOOPBACK, ...options }), '/large')
      // in steps, so that the timers of the server run however busy the machine is
      for (let step = 0; step < 12; step++) await delay(SEND / 2)
      const size = await client.read()
      assert.ok(size < LARGE, `${size} bytes were sent`)
      client.leave()
      await app.close()
    })
  }

  it('is disconnected where something stands in the place of `end`', async (test) => {
    const end: unknown = Reflect.get(ServerResponse.prototype, 'end')
    Object.defineProperty(ServerResponse.prototype, 'end', { configurable: true, value: end })
    test.after(() => Reflect.deleteProperty(ServerResponse.prototype, 'end'))
    const { app, seen } = createWatched({ send: SEND })
    const client = await askPlain(await app.listen(LOOPBACK), '/endless')
    await until(() => seen.aborted === 1 && seen.ended === 1)
    client.leave()
    await app.close()
  })

  it('stays where the time is 0', async () => {
    const { app, seen } = createWatched({ send: 0, idle: 40, grace: 0 })
    const client = await askPlain(await app.listen(LOOPBACK), '/endless')
    await delay(2 * SEND)
    assert.deepEqual(seen, { ended: 0, aborted: 0 })
    client.leave()
    await until(() => seen.aborted === 1 && seen.ended === 1)
    await app.close()
  })
})

describe('a client that takes what there is', () => {
  it('gets all of it, however slowly it reads', async () => {
    // longer than a busy machine keeps the client from reading, shorter than all pauses together
    const send = 5 * SEND
    const { app, seen } = createWatched({ send })
    const socket = await open(await app.listen(LOOPBACK))
    socket.write(get('/large'))
    const started = performance.now()
    let [size, pause] = [0, 0]
    for await (const piece of socket) {
      size += piece.length
      if (size > LARGE) break
      if (size < pause) continue
      pause += 2_000_000
      await delay(SEND / 2)
    }
    assert.ok(performance.now() - started > send, 'it was not slow')
    assert.equal(seen.aborted, 0)
    await app.close()
  })

  it('gets all of it over HTTP/2, however slowly its connection is', async (test) => {
    const send = 5 * SEND
    const { app, seen } = createWatched({ send })
    const { port } = new URL(await app.listen({ ...LOOPBACK, http2: true }))
    const slow = createServer((client) => {
      const server = connectTcp({ port: Number(port), host: '127.0.0.1' })
      client.on('error', () => undefined).pipe(server)
      let [size, pause] = [0, 0]
      server
        .on('error', () => client.destroy())
        .on('data', (piece) => {
          client.write(piece)
          size += piece.length
          if (size < pause) return
          pause += 2_000_000
          server.pause()
          setTimeout(() => server.resume(), SEND / 2)
        })
    }).listen(0, '127.0.0.1')
    test.after(() => slow.close())
    await once(slow, 'listening')
    // windows in which all of the answer has room at once
    const session = connectHttp2(`http://127.0.0.1:${Object(slow.address()).port}`, {
      settings: { initialWindowSize: 2 * LARGE },
    })
    session.once('connect', () => session.setLocalWindowSize(2 * LARGE))
    await once(session, 'connect')
    const started = performance.now()
    const stream = session.request({ ':path': '/large' }).on('error', () => undefined)
    let size = 0
    for await (const piece of stream) size += piece.length
    assert.deepEqual([size, seen.aborted], [LARGE, 0])
    assert.ok(performance.now() - started > send, 'it was not slow')
    session.destroy()
    await app.close()
  })

  it('stays while an event stream has nothing to send', async () => {
    const { app } = createWatched({ send: SEND })
    const socket = await open(await app.listen(LOOPBACK))
    socket.write(get('/quiet'))
    assert.match(await readUntil(socket, /second/), /first/)
    socket.destroy()
    await app.close()
  })
})

import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'

import { defineController, stream, upgrade } from 'octavo'

import { TEST_TLS } from '../support/tls.ts'
import { createGate, createTestApp, ENGINES, open, PLACE, readAll, readUntil } from './support.ts'

const HOST = 'Host: a.test\r\n'
const HOME = `GET / HTTP/1.1\r\n${HOST}\r\n`
const CHUNKED = 'Transfer-Encoding: chunked\r\n'
const post = (path: string, lines: string, body = ''): string =>
  `POST ${path} HTTP/1.1\r\n${HOST}${lines}\r\n${body}`

/** Runs while something watches the requests of node:http. */
async function watched(
  run: () => Promise<void>,
  onRequest: (response: ServerResponse) => void,
): Promise<void> {
  const name = 'http.server.request.start'
  const listener = (message: unknown): void => onRequest((message as { response: ServerResponse }).response)
  subscribe(name, listener)
  try {
    await run()
  } finally {
    unsubscribe(name, listener)
  }
}

const NOBODY = (): void => undefined

describe('a body that fails while its answer is sent', { timeout: 60_000 }, () => {
  let gate = createGate()
  const controller = defineController({
    prefix: '/',
    routes: [
      { method: 'GET', handler: () => 'home' },
      {
        method: 'POST',
        path: '/both',
        handler: (_, { request }) => {
          const failed = request.bytes().then(
            () => 'read',
            () => 'failed',
          )
          return stream(
            (async function* () {
              yield 'begun'
              yield await failed
              await gate.opened
              yield 'over'
            })(),
          )
        },
      },
      {
        method: 'POST',
        path: '/after',
        handler: (_, { request, waitUntil }) => {
          waitUntil(gate.opened.then(async () => request.bytes()).then(NOBODY, gate.enter))
          return 'answered'
        },
      },
    ],
  })
  // a connection that is not ended by its client stays for ever
  const app = createTestApp(controller, { bodyLimit: 100, timeouts: { idle: 0 } })
  let url = ''
  before(async () => {
    url = await app.listen({ ...PLACE, ...ENGINES.direct })
  })
  after(() => app.close())

  const FAILURES = {
    'becomes too long': [`80\r\n${'z'.repeat(128)}\r\n0\r\n\r\n`, /over\r\n0\r\n\r\n$/],
    'is malformed': ['zz\r\n', /begun\r\n$/],
  } as const
  for (const [failure, [rest, end]] of Object.entries(FAILURES))
    for (const isWatched of [false, true])
      it(`ends the connection when it ${failure}${isWatched ? ', also when it is watched' : ''}`, async () => {
        gate = createGate()
        const run = async (): Promise<void> => {
          const socket = await open(url)
          socket.on('error', NOBODY).write(post('/both', CHUNKED))
          let text = await readUntil(socket, /begun/)
          socket.write(rest)
          await delay(20)
          socket.write(HOME)
          gate.open()
          text += await readAll(socket)
          assert.match(text, end)
          assert.equal(text.match(/HTTP\/1\.1/g)?.length, 1)
        }
        await (isWatched ? watched(run, NOBODY) : run())
      })

  it('keeps the connection when somebody asks for one that is too long behind its answer', async () => {
    gate = createGate()
    const socket = await open(url)
    socket.write(post('/after', 'Content-Length: 200\r\n', 'a'))
    await readUntil(socket, /answered/)
    gate.open()
    await gate.entered
    const answer = readUntil(socket, /home/)
    socket.write(`${'a'.repeat(199)}${HOME}${HOME}`)
    assert.match(await answer, /200 OK/)
    socket.destroy()
  })
})

for (const engine of ['direct', 'node'] as const)
  describe(`a client that leaves before its answers, on the engine ${engine}`, () => {
    it('closes the responses that something watches', { timeout: 60_000 }, async () => {
      const gate = createGate()
      const handler = async (): Promise<string> => {
        gate.enter()
        return gate.opened.then(() => 'late')
      }
      const app = createTestApp(defineController({ prefix: '/', routes: [{ method: 'GET', handler }] }))
      const url = await app.listen({ ...PLACE, ...ENGINES[engine] })
      const closed: Promise<unknown>[] = []
      const run = async (): Promise<void> => {
        const socket = await open(url)
        socket.write(HOME + HOME)
        await gate.entered
        await delay(20)
        socket.destroy()
        assert.equal(closed.length, 2)
        await Promise.all(closed)
      }
      await watched(run, (response) => void closed.push(once(response, 'close')))
      gate.open()
      await app.close()
    })
  })

describe('a packet of many requests that ask in vain to leave HTTP', () => {
  it('is not answered one below the other on the stack', async () => {
    const depths: number[] = []
    const { stackTraceLimit } = Error
    const handler = (): string => {
      Error.stackTraceLimit = Number.POSITIVE_INFINITY
      depths.push(new Error('how deep').stack?.split('\n').length ?? 0)
      Error.stackTraceLimit = stackTraceLimit
      return 'home'
    }
    const app = createTestApp(defineController({ prefix: '/', routes: [{ method: 'GET', handler }] }))
    const socket = await open(await app.listen({ ...PLACE, ...ENGINES.direct }))
    const lines = `${HOST}Connection: upgrade\r\nUpgrade: h2c\r\n`
    socket.write(`GET / HTTP/1.1\r\n${lines}\r\n`.repeat(300))
    socket.write(`GET / HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`)
    assert.equal((await readAll(socket)).match(/HTTP\/1\.1 200/g)?.length, 301)
    assert.ok(Math.max(...depths) < Math.min(...depths) + 50, `${Math.max(...depths)} levels`)
    await app.close()
  })
})

for (const engine of ['direct', 'node'] as const)
  describe(`a tunnel beside a route with upgrades, on the engine ${engine}`, () => {
    it('is refused, and the connection ends', { timeout: 60_000 }, async () => {
      const handler = () => upgrade(({ socket }) => void socket.destroy())
      const routes = [{ method: 'GET', upgrade: 'websocket', handler }] as const
      const app = createTestApp(defineController({ prefix: '/', routes }), { timeouts: { idle: 0 } })
      const socket = await open(await app.listen({ ...PLACE, ...ENGINES[engine] }))
      socket.write(`CONNECT a.test:80 HTTP/1.1\r\n${HOST}\r\n${HOME}`)
      assert.match(
        await readAll(socket),
        /^HTTP\/1\.1 400 [^]*connection: close\r\n[^]*"malformed_target"\}$/,
      )
      await app.close()
    })
  })

describe('a client that resets a connection with more requests than are read', { timeout: 60_000 }, () => {
  for (const isTls of [false, true])
    it(`is noticed over ${isTls ? 'TLS' : 'TCP'}`, async () => {
      const gate = createGate()
      const controller = defineController({
        prefix: '/',
        routes: [
          { method: 'GET', handler: () => 'home' },
          {
            method: 'GET',
            path: '/waiting',
            timeout: 0,
            handler: async (_, { signal }) => {
              signal.addEventListener('abort', gate.open)
              gate.enter()
              await gate.opened
            },
          },
        ],
      })
      const app = createTestApp(controller, { timeouts: { idle: 0 } })
      const url = await app.listen({
        ...PLACE,
        ...(isTls && { tls: TEST_TLS, http2: false }),
        ...ENGINES.direct,
      })
      try {
        const tcp = await open(url)
        const socket = isTls ? connectTls({ socket: tcp, ca: TEST_TLS.cert }) : tcp
        if (isTls) await once(socket, 'secureConnect')
        socket.on('error', NOBODY).pause()
        tcp.on('error', NOBODY)
        socket.write(HOME.replace('GET /', 'GET /waiting') + HOME.repeat(200))
        await gate.entered
        tcp.resetAndDestroy()
        await gate.opened
      } finally {
        await app.close()
      }
    })
})

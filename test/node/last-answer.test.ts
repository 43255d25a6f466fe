import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect as connectTcp } from 'node:net'
import type { Server, Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { after, before, describe, it, mock } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'

import { defineController, HttpResponse } from 'octavo'
import type { App } from 'octavo'
import { z } from 'zod'

import { TEST_TLS } from '../support/tls.ts'
import { createGate, createTestApp, LOOPBACK, parse, readUntil } from './support.ts'

const BIG = 300_000
const HOST = 'Host: a.test\r\n'
/** The milliseconds that a connection lingers at most. */
const LINGER = 5_000
/** Below the minutes that it lingers here, so that a slow machine, too, shows what does not wait for it. */
const SOON = 60_000

/** What ran behind a last answer. */
let ran = 0
let gate = createGate()
let given = createGate()

const controller = defineController({
  prefix: '/',
  routes: [
    { method: 'GET', path: '/big', handler: () => 'x'.repeat(BIG) },
    { method: 'GET', path: '/ran', handler: () => ++ran },
    {
      method: 'GET',
      path: '/closing',
      input: { inject: { response: HttpResponse } },
      handler: ({ inject: { response } }) => {
        response.headers.set('connection', 'close')
        return 'x'.repeat(BIG)
      },
    },
    {
      method: 'GET',
      path: '/closing-later',
      input: { inject: { response: HttpResponse } },
      handler: async ({ inject: { response } }) => {
        response.headers.set('connection', 'close')
        await gate.opened
        return 'last'
      },
    },
    {
      method: 'GET',
      path: '/given-up',
      handler: async (_input, { signal }) => {
        gate.enter()
        await once(signal, 'abort')
        given.open()
      },
    },
    {
      method: 'POST',
      path: '/upload',
      bodyLimit: 1000,
      input: { body: z.instanceof(Uint8Array) },
      handler: ({ body }) => body.length,
    },
  ],
})

const get = (path: string, headers = '', version = '1.1'): string =>
  `GET ${path} HTTP/${version}\r\n${HOST}${headers}\r\n`
const post = (length: number): string => `POST /upload HTTP/1.1\r\n${HOST}Content-Length: ${length}\r\n\r\n`
const CLOSE = 'Connection: close\r\n'
const MANY = get('/ran').repeat(3_000)
const GARBAGE = 'y'.repeat(100_000)

type Case = readonly [title: string, text: string, statuses: readonly string[]]

/** What a client sends, and the statuses of the answers that it gets, the first of which is long. */
const CASES: readonly Case[] = [
  ['a request whose handler ends the connection, and then requests', get('/closing') + MANY, ['200']],
  [
    'a body that is refused, and then requests',
    get('/big') + post(5_000) + 'z'.repeat(5_000) + MANY,
    ['200', '413'],
  ],
  ['a part of a body that is refused', get('/big') + post(500_000) + 'z'.repeat(300_000), ['200', '413']],
]

/** What the parser refuses; a server that is not Octavo's breaks the connection off then. */
const REFUSED: readonly Case[] = [
  ['a request that ends the connection, and then anything', get('/big', CLOSE) + GARBAGE, ['200']],
  ['a request that ends the connection, and then requests', get('/big', CLOSE) + MANY, ['200']],
  ['a request of HTTP/1.0, and then requests', get('/big', '', '1.0') + MANY, ['200']],
  ['what is no request', get('/big') + GARBAGE, ['200', '400']],
]

const SERVERS: readonly (readonly [name: string, cases: readonly Case[]])[] = [
  ['HTTP', [...CASES, ...REFUSED]],
  ['HTTPS', [...CASES, ...REFUSED]],
  ['a server of node:http', CASES],
]

interface Adapter {
  readonly url: URL
  readonly connect: () => Promise<Socket>
}

async function connectPlain({ port }: URL): Promise<Socket> {
  const socket = connectTcp({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true })
  await once(socket, 'connect')
  return socket
}

async function connectSecure({ port }: URL): Promise<Socket> {
  const socket = connectTls({ port: Number(port), host: '127.0.0.1', ca: TEST_TLS.cert })
  await once(socket, 'secureConnect')
  return socket
}

async function listenWithNode(app: App): Promise<readonly [Server, URL]> {
  await app.ready()
  const server = createServer(app.handler).listen(LOOPBACK)
  await once(server, 'listening')
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null, 'a port was taken')
  return [server, new URL(`http://127.0.0.1:${address.port}`)]
}

const plainApp = createTestApp(controller)
const secureApp = createTestApp(controller)
const nodeApp = createTestApp(controller)
const adapters: Record<string, Adapter> = {}
let nodeServer: Server | undefined

before(async () => {
  const set = globalThis.setTimeout
  const stretch: typeof set = Object.assign(
    (run: () => void, milliseconds?: number) => set(run, milliseconds === LINGER ? 300_000 : milliseconds),
    set,
  )
  mock.method(globalThis, 'setTimeout', stretch)
  const plain = new URL(await plainApp.listen(LOOPBACK))
  const secure = new URL(await secureApp.listen({ ...LOOPBACK, tls: TEST_TLS }))
  const [server, node] = await listenWithNode(nodeApp)
  nodeServer = server
  adapters['HTTP'] = { url: plain, connect: () => connectPlain(plain) }
  adapters['HTTPS'] = { url: secure, connect: () => connectSecure(secure) }
  adapters['a server of node:http'] = { url: node, connect: () => connectPlain(node) }
})
after(async () => {
  mock.restoreAll()
  nodeServer?.close()
  await Promise.all([plainApp.close(), secureApp.close(), nodeApp.close()])
})

/** What a connection sends until it ends its side; the other stays open. */
async function readToEnd(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('latin1').on('data', (piece: string) => {
    text += piece
  })
  await once(socket.resume(), 'end')
  return text
}

async function connectTo(name: string): Promise<Socket> {
  const adapter = adapters[name]
  assert.ok(adapter !== undefined, name)
  return adapter.connect()
}

for (const [name, cases] of SERVERS) {
  describe(`the last answer on a connection over ${name}`, () => {
    for (const [title, text, statuses] of cases) {
      it(`arrives whole behind ${title}; nothing runs behind it`, async () => {
        ran = 0
        const started = performance.now()
        const socket = await connectTo(name)
        socket.pause().write(text, 'latin1')
        await delay(30)
        const all = await readToEnd(socket)
        socket.end()
        const answers = all.split(/(?=HTTP\/1\.1 \d)/)
        assert.deepEqual(
          answers.map((answer) => answer.slice(9, 12)),
          statuses,
        )
        assert.equal(parse(answers[0] ?? '').body.length, BIG + 2)
        const last = parse(answers.at(-1) ?? '')
        assert.equal(last.headers['connection'], 'close')
        if (statuses.length > 1) assert.equal(last.body.at(-1), '}')
        assert.equal(ran, 0)
        const took = performance.now() - started
        assert.ok(took < SOON, `took ${took} ms`)
      })
    }

    it('arrives whole while the client goes on sending its body', async () => {
      const socket = await connectTo(name)
      let sent = 0
      socket.write(post(100_000_000))
      const sending = setInterval(() => {
        sent += 50_000
        socket.write('z'.repeat(50_000))
      }, 5)
      const { statusLine, body } = parse(await readUntil(socket, /\}$/))
      clearInterval(sending)
      socket.end()
      assert.deepEqual([statusLine, body.at(-1)], ['HTTP/1.1 413 Payload Too Large', '}'])
      assert.ok(sent < 10_000_000, `the client had to send ${sent} bytes`)
    })

    it('is the end of what is read: a client that never stops is cut off', async () => {
      const socket = await connectTo(name)
      socket.on('error', () => undefined)
      const closed = new Promise((resolve) => socket.once('close', resolve))
      const piece = Buffer.alloc(1_048_576, 'z')
      let pieces = 0
      socket.resume().write(get('/ran', CLOSE))
      const sendOn = (): void => {
        if (++pieces < 400 && !socket.destroyed && socket.writable) socket.write(piece, sendOn)
      }
      sendOn()
      await closed
      assert.ok(pieces < 200, `${pieces} MiB were sent`)
    })
  })
}

describe('a connection behind its last answer', () => {
  it('is gone as soon as the client ends its side', async () => {
    assert.ok(nodeServer !== undefined, 'the server is there')
    const socket = await connectTo('a server of node:http')
    socket.write(get('/big', CLOSE))
    assert.equal(parse(await readToEnd(socket)).body.length, BIG + 2)
    const started = performance.now()
    socket.end()
    await once(socket, 'close')
    const count = (server: Server): Promise<number> =>
      new Promise((resolve) => server.getConnections((_error, connections) => resolve(connections)))
    while ((await count(nodeServer)) > 0) {
      await delay(5)
      assert.ok(performance.now() - started < SOON, 'the connection is still there')
    }
  })

  it('does not wait for the client before it ends its own side', async () => {
    const socket = await connectTo('HTTP')
    const started = performance.now()
    socket.write(get('/ran', CLOSE))
    await readToEnd(socket)
    const took = performance.now() - started
    assert.ok(took < SOON, `took ${took} ms`)
    socket.end()
  })

  it('keeps an application from closing for a moment only, also with a client that stays', async () => {
    const app = createTestApp(controller, { timeouts: { grace: 300_000 } })
    const url = new URL(await app.listen(LOOPBACK))
    const [earlier, during] = [await connectPlain(url), await connectPlain(url)]
    for (const socket of [earlier, during]) socket.on('error', () => undefined)
    earlier.write(get('/ran', CLOSE))
    await readUntil(earlier, /\r\n\r\n\d+$/)
    gate = createGate()
    during.write(get('/closing-later') + get('/given-up'))
    await gate.entered
    const started = performance.now()
    const closing = app.close()
    gate.open()
    assert.match(await readUntil(during, /"last"$/), /connection: close/i)
    await closing
    const took = performance.now() - started
    assert.ok(took < SOON, `took ${took} ms`)
  })

  it('tells those at once whose answers nobody will get', async () => {
    ;[gate, given] = [createGate(), createGate()]
    const socket = await connectTo('HTTP')
    socket.write(get('/closing-later') + get('/given-up'))
    await gate.entered
    const started = performance.now()
    gate.open()
    await given.opened
    const took = performance.now() - started
    assert.ok(took < SOON, `took ${took} ms`)
    assert.equal(parse(await readToEnd(socket)).body, '"last"')
    socket.end()
  })
})

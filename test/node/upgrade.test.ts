import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { after, before, describe, it } from 'node:test'

import {
  createApp,
  defineController,
  defineGuard,
  defineModule,
  defineProvider,
  DefinitionError,
  notFound,
  unauthorized,
  upgrade,
  VersioningSchemes,
} from 'octavo'
import type { AppOptions, ExecutionContext, UpgradedConnection } from 'octavo'
import { csrf } from 'octavo/middleware'
import { z } from 'zod'

import { TEST_TLS } from '../support/tls.ts'
import { createGate, LOOPBACK, open, parse, readAll, readUntil, send } from './support.ts'

const KEY = 'dGhlIHNhbXBsZSBub25jZQ=='
const ACCEPT = createHash('sha1').update(`${KEY}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')

/** The head of a handshake, as browsers send it. */
const handshake = (path: string, ...lines: readonly string[]): string =>
  [
    `GET ${path} HTTP/1.1`,
    ...(lines.some((line) => line.startsWith('Host:')) ? [] : ['Host: a.test']),
    'Connection: keep-alive, Upgrade',
    'Upgrade: websocket',
    `Sec-WebSocket-Key: ${KEY}`,
    'Sec-WebSocket-Version: 13',
    ...lines,
    '',
    '',
  ].join('\r\n')

/** Accepts a handshake and sends everything back that comes, what came with the handshake first. */
function echo({ socket, head }: UpgradedConnection, greeting = ''): void {
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${ACCEPT}\r\n\r\n${greeting}`,
  )
  socket.write(head)
  socket.pipe(socket)
}

const SignedIn = defineGuard({
  name: 'SignedIn',
  canActivate: async ({ request }) => {
    await delay(1)
    if (request.header('authorization') === undefined) throw unauthorized('Sign in first')
    return request.header('authorization') !== 'nobody'
  },
})
const log: string[] = []
const Connection = defineProvider({
  name: 'Connection',
  scope: 'request',
  create: () => 'a connection',
  dispose: () => void log.push('dispose'),
})
const signals: AbortSignal[] = []
const waiting = createGate()
let taken = 0

const chat = defineController({
  prefix: '/chat',
  routes: [
    {
      method: 'GET',
      path: '/{room:int}',
      upgrade: 'websocket',
      input: { query: { nick: z.string().max(5).default('Ada') } },
      handler: ({ params, query }, { version }) =>
        upgrade((connection) => echo(connection, `${query.nick} in ${params.room + 1}, ${version}`)),
    },
    { method: 'GET', path: '/plain', handler: () => 'plain' },
    { method: 'POST', path: '/plain', input: { body: z.string() }, handler: ({ body }) => body.length },
    {
      method: 'GET',
      path: '/guarded',
      guards: [SignedIn],
      upgrade: 'websocket',
      handler: () => upgrade((connection) => echo(connection, 'guarded')),
    },
    {
      method: 'GET',
      path: '/both',
      upgrade: 'websocket',
      handler: (_input, { request }) =>
        request.header('upgrade') === undefined
          ? 'a page'
          : upgrade((connection) => echo(connection, 'both')),
    },
    {
      method: 'GET',
      path: '/throws',
      upgrade: 'websocket',
      handler: () => {
        throw new Error('a secret')
      },
    },
    {
      method: 'GET',
      path: '/throws-http',
      upgrade: 'websocket',
      handler: () =>
        upgrade(() => {
          throw notFound('No such room')
        }),
    },
    {
      method: 'GET',
      path: '/take-throws',
      upgrade: 'websocket',
      handler: () =>
        upgrade(() => {
          throw new Error('a secret')
        }),
    },
    {
      method: 'GET',
      path: '/take-rejects',
      upgrade: 'websocket',
      handler: () =>
        upgrade(async () => {
          await delay(1)
          throw new Error('a secret')
        }),
    },
    {
      method: 'GET',
      path: '/rejects-late',
      upgrade: 'websocket',
      handler: () =>
        upgrade(async (connection) => {
          echo(connection, 'late')
          await delay(5)
          throw new Error('a secret')
        }),
    },
    { method: 'GET', path: '/number', upgrade: 'websocket', handler: () => 101 },
    {
      method: 'GET',
      path: '/scoped',
      upgrade: 'websocket',
      input: { inject: { connection: Connection } },
      handler: ({ inject }, { signal }) =>
        upgrade((connection) => {
          signals.push(signal, connection.signal)
          echo(connection, inject.connection)
        }),
    },
    {
      method: 'GET',
      path: '/waits',
      upgrade: 'websocket',
      handler: async () => {
        waiting.enter()
        await waiting.opened
        taken++
        return upgrade((connection) => echo(connection, 'waited'))
      },
    },
  ],
})

const create = (options: AppOptions = {}) =>
  createApp(defineModule({ controllers: [chat], providers: [Connection] }), {
    logger: false,
    allowedHosts: ['a.test', '127.0.0.1', 'localhost'],
    timeouts: { idle: 60, headers: 200, handler: 1000, grace: 200 },
    ...options,
  })

const app = create()
let url = ''
before(async () => {
  url = await app.listen(LOOPBACK)
})
after(() => app.close())

/** Sends a handshake and reads until the text has the pattern. */
async function shake(path: string, pattern: RegExp, ...lines: readonly string[]): Promise<[Socket, string]> {
  const socket = await open(url)
  socket.write(handshake(path, ...lines))
  return [socket, await readUntil(socket, pattern)]
}

/** Status, type and code of the only answer on a connection, which ends with it. */
async function refusal(path: string, ...lines: readonly string[]): Promise<unknown> {
  const socket = await open(url)
  socket.write(handshake(path, ...lines))
  const { statusLine, headers, body } = parse(await readAll(socket))
  assert.equal(headers['connection'], 'close')
  const { code } = JSON.parse(body)
  return [Number(statusLine.slice(9, 12)), headers['content-type'], code]
}

describe('a handshake', () => {
  it('hands its connection over, with parameters and query', async () => {
    const [socket, text] = await shake('/chat/7?nick=Bob', /Bob in 8, null$/)
    assert.match(text, /^HTTP\/1\.1 101 Switching Protocols\r\n/)
    socket.write('ping')
    assert.equal(await readUntil(socket, /ping/), 'ping')
    socket.destroy()
  })

  it('hands over what came behind it', async () => {
    const socket = await open(url)
    socket.write(`${handshake('/chat/7')}early`)
    assert.match(await readUntil(socket, /early$/), /Ada in 8, nullearly$/)
    socket.destroy()
  })

  it('keeps its connection for longer than one of HTTP may be idle', async () => {
    const [socket] = await shake('/chat/7', /null$/)
    await delay(600)
    socket.write('ping')
    assert.equal(await readUntil(socket, /ping/), 'ping')
    socket.destroy()
  })

  it('may come behind requests whose answers are under way', async () => {
    const socket = await open(url)
    const plain = 'GET /chat/plain HTTP/1.1\r\nHost: a.test\r\n\r\n'
    socket.write(plain + plain + handshake('/chat/7'))
    const text = await readUntil(socket, /null$/)
    assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 101'])
    socket.destroy()
  })

  it('is not answered behind a request that ends the connection', async () => {
    const socket = await open(url)
    socket.write(
      `GET /chat/plain HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n${handshake('/chat/7')}`,
    )
    assert.deepEqual((await readAll(socket)).match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200'])
  })

  it('passes guards', async () => {
    const [socket, text] = await shake('/chat/guarded', /guarded$/, 'Authorization: Ada')
    assert.match(text, /^HTTP\/1\.1 101 /)
    socket.destroy()
  })

  it('works over TLS, also beside HTTP/2', async () => {
    for (const http2 of [false, true]) {
      const secure = create()
      const { port } = new URL(await secure.listen({ ...LOOPBACK, tls: TEST_TLS, http2 }))
      const socket = connectTls({
        port: Number(port),
        host: '127.0.0.1',
        ca: TEST_TLS.cert,
        servername: 'localhost',
      })
      await once(socket, 'secureConnect')
      socket.write(handshake('/chat/7'))
      assert.match(await readUntil(socket, /null$/), /^HTTP\/1\.1 101 /)
      socket.write('ping')
      assert.equal(await readUntil(socket, /ping/), 'ping')
      socket.destroy()
      await secure.close()
    }
  })

  it('has a version', async () => {
    const versioned = createApp(
      defineModule({
        controllers: [
          defineController({
            prefix: '/feed',
            version: '2',
            routes: [
              {
                method: 'GET',
                upgrade: 'websocket',
                handler: (_input, { version }) =>
                  upgrade((connection) => echo(connection, `version ${version}`)),
              },
            ],
          }),
        ],
      }),
      { logger: false, versioning: { scheme: VersioningSchemes.URL, versionParameter: 'v' } },
    )
    const base = await versioned.listen(LOOPBACK)
    for (const [path, expected] of [
      ['/v2/feed', /^HTTP\/1\.1 101 [^]*version 2$/],
      ['/v9/feed', /^HTTP\/1\.1 404 [^]*"code":"unsupported_version"/],
    ] as const) {
      const socket = await open(base)
      socket.write(handshake(path))
      assert.match(await readUntil(socket, /version.+$/), expected)
      socket.destroy()
    }
    await versioned.close()
  })
})

describe('a handshake that is refused', () => {
  const PROBLEM = 'application/problem+json'
  const cases: readonly (readonly [
    title: string,
    path: string,
    status: number,
    code: string,
    ...lines: string[],
  ])[] = [
    ['by a guard that throws', '/chat/guarded', 401, 'unauthorized'],
    ['by a guard that denies', '/chat/guarded', 403, 'forbidden', 'Authorization: nobody'],
    ['at a path that does not exist', '/chat', 404, 'route_not_found'],
    ['for its parameters', '/chat/seven', 404, 'route_not_found'],
    ['for its query', '/chat/7?nick=Nobody', 422, 'validation_failed'],
    ['for its host', '/chat/7', 421, 'host_not_allowed', 'Host: b.test'],
    ['for a host that is none', '/chat/7', 400, 'malformed_request', 'Host: a b'],
    ['for its path', '/chat/%zz', 400, 'malformed_path'],
    ['by a handler that throws', '/chat/throws', 500, 'internal_error'],
    ['by an HttpError of what takes it over', '/chat/throws-http', 404, 'not_found'],
    ['by what takes it over and throws', '/chat/take-throws', 500, 'internal_error'],
    ['by what takes it over and rejects', '/chat/take-rejects', 500, 'internal_error'],
  ]
  for (const [title, path, status, code, ...lines] of cases) {
    it(`${title} is answered with a problem document, and its connection ends`, async () => {
      assert.deepEqual(await refusal(path, ...lines), [status, PROBLEM, code])
    })
  }

  it('is answered by a route that has no upgrade as any other request', async () => {
    const socket = await open(url)
    socket.write(handshake('/chat/plain'))
    const { statusLine, body } = parse(await readAll(socket))
    assert.deepEqual([statusLine, body], ['HTTP/1.1 200 OK', '"plain"'])
  })

  it('is not taken for one by a number', async () => {
    const socket = await open(url)
    socket.write(handshake('/chat/number'))
    assert.equal(parse(await readAll(socket)).statusLine, 'HTTP/1.1 200 OK')
  })

  it('by middleware has its answer', async () => {
    const closed = create({ middleware: [() => ({ closed: true })] })
    const socket = await open(await closed.listen(LOOPBACK))
    socket.write(handshake('/chat/7'))
    const { statusLine, body } = parse(await readAll(socket))
    assert.deepEqual([statusLine, body], ['HTTP/1.1 200 OK', '{"closed":true}'])
    await closed.close()
  })

  it('comes from a page of another origin, where csrf is used', async () => {
    const guarded = create({ middleware: [csrf({ origins: ['https://app.test'] })] })
    const base = await guarded.listen(LOOPBACK)
    for (const [origin, status] of [
      ['https://evil.test', '403'],
      ['https://app.test', '101'],
      ['http://a.test', '101'],
    ]) {
      const socket = await open(base)
      socket.write(handshake('/chat/7', `Origin: ${origin}`))
      assert.equal((await readUntil(socket, /\r\n\r\n/)).slice(9, 12), status, origin)
      socket.destroy()
    }
    await guarded.close()
  })

  it('ends the connection if what took it over fails later', async () => {
    const [socket] = await shake('/chat/rejects-late', /late$/)
    socket.resume()
    await once(socket, 'close')
  })
})

describe('a request that is no handshake', () => {
  it('is answered with 426 by a route that only upgrades', async () => {
    const response = await fetch(`${url}/chat/7`)
    const { code } = (await response.json()) as { code: string }
    assert.deepEqual(
      [response.status, response.headers.get('upgrade'), code],
      [426, 'websocket', 'upgrade_required'],
    )
    const injected = await create().inject({
      url: '/chat/7',
      headers: { upgrade: 'websocket', connection: 'upgrade' },
    })
    assert.equal(injected.statusCode, 426)
  })

  it('is answered with 426 over HTTP/2', async () => {
    const other = create()
    const session = connectHttp2(await other.listen({ ...LOOPBACK, http2: true }))
    const request = session.request({ ':path': '/chat/7' })
    const [head] = await once(request, 'response')
    assert.equal(head[':status'], 426)
    session.destroy()
    await other.close()
  })

  it('is answered by a route that does both', async () => {
    // on a connection of its own: the pool of fetch may have one that is about to end
    const plain = await open(url)
    plain.write('GET /chat/both HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n')
    await readUntil(plain, /"a page"$/)
    const [socket] = await shake('/chat/both', /both$/)
    socket.destroy()
  })

  const cases: readonly (readonly [title: string, head: readonly string[], body: string, answer: string])[] =
    [
      [
        'asks for HTTP/2',
        [
          'GET /chat/plain HTTP/1.1',
          'Connection: Upgrade, HTTP2-Settings',
          'Upgrade: h2c',
          'HTTP2-Settings: AA',
        ],
        '',
        '"plain"',
      ],
      [
        'asks for HTTP/2 and has a body',
        [
          'POST /chat/plain HTTP/1.1',
          'Connection: Upgrade',
          'Upgrade: h2c',
          'Content-Type: application/json',
          'Content-Length: 5',
        ],
        '"abc"',
        '3',
      ],
      [
        'has a body',
        [
          'POST /chat/plain HTTP/1.1',
          'Connection: Upgrade',
          'Upgrade: websocket',
          'Content-Type: application/json',
          'Content-Length: 5',
        ],
        '"abc"',
        '3',
      ],
      ['only has the header', ['GET /chat/plain HTTP/1.1', 'Upgrade: websocket'], '', '"plain"'],
    ]
  for (const [title, head, body, answer] of cases) {
    it(`but ${title} is answered as ever, and its connection stays`, async () => {
      const socket = await open(url)
      for (const _ of [1, 2]) {
        socket.write([...head, 'Host: a.test', '', body].join('\r\n'))
        const text = await readUntil(socket, /\r\n\r\n.+$/)
        assert.deepEqual([parse(text).statusLine, parse(text).body], ['HTTP/1.1 200 OK', answer])
      }
      socket.destroy()
    })
  }
})

describe('a connection that was handed over', () => {
  it('has what lives for its request until it closes, and a signal', async () => {
    signals.length = 0
    log.length = 0
    const [socket] = await shake('/chat/scoped', /a connection$/)
    const [ofContext, ofConnection] = signals
    assert.equal(ofContext, ofConnection)
    assert.deepEqual([ofContext?.aborted, log], [false, []])
    socket.destroy()
    await once(ofContext ?? new EventTarget(), 'abort')
    await delay(5)
    assert.deepEqual(log, ['dispose'])
  })

  it('may break at any moment', async () => {
    for (const path of ['/chat/7', '/chat/guarded', '/chat/throws']) {
      const socket = await open(url)
      socket.write(handshake(path, 'Authorization: Ada'))
      socket.resetAndDestroy()
    }
    const [socket] = await shake('/chat/7', /null$/)
    socket.resetAndDestroy()
    await delay(20)
    assert.equal(String((await send(url, { path: '/chat/plain' })).bytes), '"plain"')
  })

  it('is told when the application closes, and waited for', async () => {
    const closing = create()
    signals.length = 0
    const socket = await open(await closing.listen(LOOPBACK))
    socket.write(handshake('/chat/scoped'))
    await readUntil(socket, /a connection$/)
    const [signal] = signals
    const told = once(signal ?? new EventTarget(), 'abort')
    let isClosed = false
    const closed = closing.close().then(() => (isClosed = true))
    await told
    await delay(20)
    assert.equal(isClosed, false)
    socket.end('bye')
    assert.equal(await readAll(socket), 'bye')
    await closed
  })

  it('is broken off when the grace time is over', async () => {
    const closing = create()
    const socket = await open(await closing.listen(LOOPBACK))
    socket.write(handshake('/chat/7'))
    await readUntil(socket, /null$/)
    socket.on('error', () => undefined).resume()
    const started = Date.now()
    const gone = once(socket, 'close')
    await closing.close()
    await gone
    assert.ok(Date.now() - started >= 190, String(Date.now() - started))
  })

  it('is refused if the application closes before it is handed over', async () => {
    const closing = create()
    const socket = await open(await closing.listen(LOOPBACK))
    socket.write(handshake('/chat/waits'))
    await waiting.entered
    const closed = closing.close()
    waiting.open()
    assert.match(await readAll(socket), /^HTTP\/1\.1 503 [^]*"code":"closing"/)
    assert.equal(taken, 1)
    await closed
  })

  it('behind which the client left while it was asked is not handed over', async () => {
    const gone = await open(url)
    gone.write(handshake('/chat/guarded', 'Authorization: Ada'))
    gone.destroy()
    await delay(20)
    assert.equal(String((await send(url, { path: '/chat/plain' })).bytes), '"plain"')
  })
})

describe('a route with an upgrade', () => {
  const define = (route: object) => () =>
    createApp(
      defineModule({
        controllers: [
          (defineController as unknown as (options: object) => never)({
            prefix: '/chat',
            routes: [{ method: 'GET', handler: () => 1, ...route }],
          }),
        ],
      }),
    )

  it('needs the method GET and a protocol that is known', () => {
    for (const [route, code, message] of [
      [{ upgrade: 'h2c' }, 'invalid_field', /upgrade is "h2c"/],
      [{ upgrade: 'websocket', method: 'POST' }, 'invalid_method', /upgrade is beside the method POST/],
      [
        { upgrade: 'websocket', method: ['GET', 'POST'] },
        'invalid_method',
        /upgrade is beside the method GET, POST/,
      ],
    ] as const) {
      assert.throws(define(route), (error) => {
        assert.ok(error instanceof DefinitionError)
        assert.equal(error.errors[0]?.code, code)
        assert.match(error.message, message)
        return true
      })
    }
  })

  it('is shown with 101 in documents', async () => {
    const documented = create()
    await documented.ready()
    const { responses } = documented.openapi().paths['/chat/{room}']?.['get'] ?? {}
    assert.deepEqual(responses?.['101'], { description: 'Switching Protocols' })
    assert.equal(responses?.['2XX'], undefined)
  })

  it('needs upgrade() for the status 101', async () => {
    const wrong = createApp(
      defineModule({
        controllers: [
          defineController({
            prefix: '/',
            routes: [
              {
                method: 'GET',
                handler: (_input: object, context: ExecutionContext) => {
                  context.response.status = 101
                  return 'x'
                },
              },
            ],
          }),
        ],
      }),
      { logger: false },
    )
    assert.equal((await wrong.inject('/')).statusCode, 500)
  })
})

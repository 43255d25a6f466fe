import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect as connectHttp2, createSecureServer, createServer as createHttp2Server } from 'node:http2'
import type { ClientHttp2Session } from 'node:http2'
import type { Server, Socket } from 'node:net'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { text as readText } from 'node:stream/consumers'
import { gunzipSync, gzipSync } from 'node:zlib'

import { createApp, defineController, defineGuard, defineModule, defineRouter, text } from 'octavo'
import type { App, Logger } from 'octavo'
import { defineUpstream } from 'octavo/upstream'
import { z } from 'zod'

import { createRandom } from '../fault/fuzz/random.ts'
import type { Random } from '../fault/fuzz/random.ts'
import { TEST_TLS } from '../support/tls.ts'
import { startRaw } from '../upstream/raw-server.ts'
import { createGate, createTestApp, ENGINES, PLACE } from './support.ts'
import { bodyOf, isStreamed, saidLength, STREAMS, toPlan, toResult } from './framing/plans.ts'
import type { Plan } from './framing/plans.ts'
import { Reader } from './framing/reader.ts'
import type { Asked, Message } from './framing/reader.ts'

const CASES = Number(process.env['OCTAVO_TEST_CASES'] ?? 80)
const SEED = Number(process.env['OCTAVO_TEST_SEED'] ?? 45)

const answer = (_input: unknown, { request }: { request: { query: Readonly<Record<string, unknown>> } }) =>
  // what a test sent
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  toResult(JSON.parse(String(request.query['plan'])) as Plan)

const planned = defineController({
  prefix: '/',
  routes: [
    { method: 'GET', name: 'get', handler: answer },
    { method: 'POST', name: 'post', handler: answer },
    { method: 'HEAD', path: '/head', name: 'head', handler: answer },
    { method: 'GET', path: '/canary', handler: () => text('canary') },
    { method: 'POST', path: '/echo', handler: async (_input, { request }) => text(await request.text()) },
  ],
})

const ignore = (): void => undefined
const logger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore }

/** A request, and what is known of its answer. */
interface Case extends Asked {
  readonly plan: Plan
  readonly path: string
  readonly connection: 'close' | 'keep-alive' | undefined
}

function toCase(random: Random, plan: Plan): Case {
  const method = random.pick(['GET', 'GET', 'POST', 'HEAD'])
  const path = method === 'HEAD' && random.chance(0.5) ? '/head' : '/'
  const query = encodeURIComponent(JSON.stringify(plan))
  const connection = random.pick<Case['connection']>([undefined, undefined, 'close', 'keep-alive'])
  return { plan, method, minor: random.pick([1, 1, 0]), path: `${path}?plan=${query}`, connection }
}

function toHead({ method, path, minor, connection }: Omit<Case, 'plan'>): string {
  const fields = [
    ...(connection === undefined ? [] : [`Connection: ${connection}`]),
    ...(method === 'POST' ? ['Content-Length: 0'] : []),
  ]
  return [`${method} ${path} HTTP/1.${minor}`, 'Host: a.test', ...fields, '', ''].join('\r\n')
}

/** What a client has to see. */
interface Expected {
  readonly body: string
  /** `either`: an error in the place of it, or a body that breaks off. */
  readonly end: 'whole' | 'cut' | 'either'
  /** The lengths that a response to HEAD may have. */
  readonly lengths: readonly (string | undefined)[]
}

const NO_CONTENT: readonly number[] = [204, 205, 304]

/** What a plan of a handler has to look like. */
function expectedOf({ plan, method }: Pick<Case, 'plan' | 'method'>): Expected {
  const said = saidLength(plan)
  if (NO_CONTENT.includes(plan.status))
    return { body: '', end: 'whole', lengths: [plan.status === 205 ? '0' : undefined] }
  const isNothing = plan.kind === 'nothing' || plan.kind === 'response-nothing'
  const isCounted = !isStreamed(plan.kind) && !isNothing
  const lengths = isCounted ? [String(plan.size)] : [said?.toString()]
  if (method === 'HEAD' || isNothing) return { body: '', end: 'whole', lengths }
  const isCut = isStreamed(plan.kind) && (plan.fails || (said !== undefined && said !== plan.size))
  return { body: bodyOf(plan), end: isCut ? 'cut' : 'whole', lengths }
}

/** Compares what a client saw with what it had to see. */
function check(asked: Case, expected: Expected, message: Message | undefined): void {
  const said = message?.headers.get('content-length')?.[0]
  if (expected.end === 'either' && message?.status === 502) return assert.equal(message.isWhole, true)
  // what is wrong from its first part has no head
  if (expected.end !== 'whole' && message === undefined) return
  assert.equal(message?.status, asked.plan.status)
  if (asked.method === 'HEAD') assert.ok(expected.lengths.includes(said), `a length of ${said}`)
  if (expected.end === 'whole') {
    assert.deepEqual([message?.isWhole, message?.body.length], [true, expected.body.length])
    assert.equal(message?.body.toString('latin1'), expected.body)
  } else if (message.isWhole) {
    // a length that was said too short ends there, and so does the connection
    assert.equal(message.body.length, Number(said))
  }
}

/** Sends one request, then another if the connection stays. */
async function ask(url: string, asked: Case, expected: Expected): Promise<void> {
  const socket = await openTo(url)
  try {
    const reader = new Reader(socket)
    socket.write(toHead(asked))
    const message = await reader.read(asked)
    check(asked, expected, message)
    if (message?.isWhole !== true) return
    if (!message.stays) return assert.deepEqual(await reader.rest(), ['', 'fin'])
    const canary = { method: 'GET', path: '/canary', minor: 1, connection: 'close' } as const
    const cutsLater = expected.end !== 'whole'
    socket.write(toHead(canary))
    const next = await reader.read(canary)
    // nothing but an error may be in its place, and nothing of the body before
    if (next === undefined && cutsLater) return
    assert.deepEqual([next?.status, next?.body.toString()], [200, 'canary'])
  } finally {
    socket.destroy()
  }
}

async function openTo(url: string): Promise<Socket> {
  const { port, protocol } = new URL(url)
  const to = { host: '127.0.0.1', port: Number(port), allowHalfOpen: true }
  const socket =
    protocol === 'https:' ? connectTls({ ...to, ca: TEST_TLS.cert, servername: 'localhost' }) : connect(to)
  socket.on('error', ignore)
  await once(socket, protocol === 'https:' ? 'secureConnect' : 'connect')
  return socket
}

/** Runs cases, and names the first that fails. */
async function runCases(
  make: (random: Random) => Case,
  run: (asked: Case) => Promise<void>,
  count = CASES,
): Promise<void> {
  const random = createRandom(SEED)
  const cases = Array.from({ length: count }, () => make(random))
  const WIDTH = 10
  for (let at = 0; at < cases.length; at += WIDTH)
    await Promise.all(
      cases.slice(at, at + WIDTH).map((asked) =>
        run(asked).catch((cause: unknown) => {
          throw new Error(
            `${asked.method} HTTP/1.${asked.minor} ${asked.connection} ${JSON.stringify(asked.plan)}: ${String(cause)}`,
            { cause },
          )
        }),
      ),
    )
}

async function listenOn(server: Server): Promise<{ url: string; close: () => Promise<void> }> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { url: `http://127.0.0.1:${port}`, close: async () => void server.close() }
}

type OpenTarget = (app: App) => Promise<{ readonly url: string; readonly close: () => Promise<void> }>

const listening =
  (options: object): OpenTarget =>
  async (app) => ({ url: await app.listen({ ...PLACE, ...options }), close: async () => undefined })

const TARGETS: Readonly<Record<string, OpenTarget>> = {
  'node:http': listening(ENGINES.node),
  'the direct engine': listening(ENGINES.direct),
  'node:http with TLS': listening({ ...ENGINES.node, tls: TEST_TLS }),
  'the direct engine with TLS': listening({ ...ENGINES.direct, tls: TEST_TLS }),
  'app.handler': (app) => listenOn(createServer(app.handler)),
}

const HTTP2_TARGETS: Readonly<Record<string, OpenTarget>> = {
  'the server of listen': listening({ http2: true }),
  'app.handler': (app) => listenOn(createHttp2Server(app.handler as never)),
}

describe('a response ends where it says', () => {
  for (const [name, openTarget] of Object.entries(TARGETS))
    it(`from handlers, on ${name}`, async (test) => {
      const app = createTestApp(planned, { logger })
      const { url, close } = await openTarget(app)
      test.after(() => Promise.all([close(), app.close()]))
      await runCases(
        (random) => toCase(random, toPlan(random)),
        (asked) => ask(url, asked, expectedOf(asked)),
        name.endsWith('TLS') ? CASES / 3 : CASES,
      )
    })

  for (const [name, options] of Object.entries(ENGINES))
    it(`from an upstream, on ${name}`, async (test) => {
      const behind = await startRaw((socket, head) => {
        const plan = planOf(/plan=([^ &]*)/.exec(head)?.[1])
        if (plan === undefined) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\ncanary')
        else sendRaw(socket, plan, head.startsWith('HEAD'))
      })
      const upstream = defineUpstream({ name: 'behind', url: behind.url })
      const app = createApp(defineModule({ routers: [defineRouter({ mount: upstream })] }), { logger })
      const url = await app.listen({ ...PLACE, ...options })
      test.after(() => app.close().finally(behind.close))
      await runCases(
        (random) => toCase(random, toUpstreamPlan(random)),
        (asked) =>
          ask(url, asked, expectedOfUpstream(asked)).catch((error: unknown) => {
            const { fails, framing } = asked.plan as UpstreamPlan
            if (!fails || framing !== 'close') throw error
            // libuv reads a reset as an end if it arrives together with the bytes before it, which a busy machine lets happen
            const later = JSON.stringify({ ...asked.plan, resetAfter: 1000 })
            return ask(
              url,
              { ...asked, path: `/?plan=${encodeURIComponent(later)}` },
              expectedOfUpstream(asked),
            )
          }),
      )
    })

  for (const [name, openTarget] of Object.entries(HTTP2_TARGETS))
    it(`over HTTP/2, on ${name}`, async (test) => {
      const app = createTestApp(planned, { logger })
      const { url, close } = await openTarget(app)
      const session = connectHttp2(url)
      test.after(() => session.destroy())
      test.after(() => Promise.all([close(), app.close()]))
      await runCases(
        (random) => toCase(random, toPlan(random)),
        async (asked) => check(asked, expectedOf(asked), await askHttp2(session, asked)),
      )
    })

  it('from app.fetch', async () => {
    const app = createTestApp(planned, { logger })
    await runCases(
      (random) => toCase(random, toPlan(random)),
      async (asked) => {
        const response = await app.fetch(new Request(`http://a.test${asked.path}`, { method: asked.method }))
        const { status } = response
        const headers = new Map([...response.headers].map(([key, value]) => [key, [value]]))
        const body = await response.arrayBuffer().catch(() => undefined)
        const isWhole = body !== undefined
        check(asked, expectedOf(asked), {
          status,
          headers,
          body: Buffer.from(body ?? new ArrayBuffer(0)),
          isWhole,
          stays: false,
        })
      },
    )
    await app.close()
  })
})

async function askHttp2(session: ClientHttp2Session, { method, path }: Case): Promise<Message | undefined> {
  const request = session.request({ ':method': method, ':path': path }, { endStream: true })
  const chunks: Buffer[] = []
  let error: unknown
  request.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', (cause) => (error = cause))
  const headers = new Map<string, string[]>()
  request.on('response', (fields) => {
    for (const [key, value] of Object.entries(fields)) headers.set(key, [value ?? []].flat().map(String))
  })
  await once(request, 'close').catch(() => undefined)
  const status = Number(headers.get(':status')?.[0])
  return {
    status,
    headers,
    body: Buffer.concat(chunks),
    isWhole: error === undefined && request.rstCode === 0,
    stays: true,
  }
}

/** How an API behind frames a plan: by its length, in chunks, or by its end. */
type Framing = 'length' | 'chunked' | 'close'

interface UpstreamPlan extends Plan {
  readonly framing: Framing
  /** Milliseconds from the bytes to the reset of one that fails. */
  readonly resetAfter?: number
}

function toUpstreamPlan(random: Random): UpstreamPlan {
  const plan = { ...toPlan(random), kind: random.pick(STREAMS), said: 'nothing' as const }
  const fails = random.chance(0.4)
  return {
    ...plan,
    fails,
    size: fails ? random.pick([5, 20_000, 100_000]) : plan.size,
    framing: random.pick(['length', 'chunked', 'close']),
  }
}

function planOf(given: string | undefined): UpstreamPlan | undefined {
  // what a test sent
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return given === undefined ? undefined : (JSON.parse(decodeURIComponent(given)) as UpstreamPlan)
}

function sendRaw(
  socket: Socket,
  { status, framing, size, fails, resetAfter = 20 }: UpstreamPlan,
  isHead: boolean,
): void {
  const line = {
    length: `Content-Length: ${size}`,
    chunked: 'Transfer-Encoding: chunked',
    close: 'Connection: close',
  }[framing]
  const head = `HTTP/1.1 ${status} Any\r\n${line}\r\nContent-Type: text/plain\r\n\r\n`
  // 205 may have a body by its framing, though it must not
  const hasBody = !isHead && status !== 204 && status !== 304
  const sent = bodyOf({ size: fails ? Math.ceil(size / 2) : size })
  const last = fails || framing !== 'chunked' ? '' : '0\r\n\r\n'
  const body = framing !== 'chunked' || sent === '' ? sent : `${sent.length.toString(16)}\r\n${sent}\r\n`
  socket.write(hasBody ? head + body + last : head)
  if (fails && hasBody) setTimeout(() => socket.resetAndDestroy(), resetAfter)
  else if (framing === 'close') socket.end()
}

function expectedOfUpstream({ plan, method }: Pick<Case, 'plan' | 'method'>): Expected {
  const { framing } = plan as UpstreamPlan
  const length = framing === 'length' ? String(plan.size) : undefined
  if (NO_CONTENT.includes(plan.status))
    return { body: '', end: 'whole', lengths: [plan.status === 205 ? '0' : undefined] }
  if (method === 'HEAD') return { body: '', end: 'whole', lengths: [length] }
  return { body: bodyOf(plan), end: plan.fails ? 'either' : 'whole', lengths: [length] }
}

const endless = defineController({
  prefix: '/',
  routes: [
    {
      method: 'GET',
      handler: async function* parts() {
        yield 'first'
        await new Promise(ignore)
      },
    },
  ],
})

describe('a body without length', () => {
  for (const [name, options] of Object.entries(ENGINES)) {
    const cuts: Readonly<Record<string, (app: App, socket: Socket) => void>> = {
      'the client ends its side': (_app, socket) => socket.end(),
      'the grace time is over': (app) => void app.close(),
    }
    for (const [title, cut] of Object.entries(cuts))
      it(`does not look whole to HTTP/1.0 if ${title}, on ${name}`, async () => {
        const app = createTestApp(endless, { timeouts: { grace: 50 } })
        const socket = await openTo(await app.listen({ ...PLACE, ...options }))
        const reader = new Reader(socket)
        socket.write('GET / HTTP/1.0\r\n\r\n')
        setTimeout(() => cut(app, socket), 50)
        const message = await reader.read({ method: 'GET', minor: 0 })
        assert.deepEqual([message?.body.toString(), message?.isWhole], ['first', false])
        await app.close()
      })
  }
})

describe('a response of fetch that a handler returns', () => {
  for (const method of ['GET', 'HEAD'])
    it(`has nothing of the coding and the connection that it came by: ${method}`, async (test) => {
      const packed = gzipSync('car'.repeat(100))
      const headers = {
        'content-encoding': 'gzip',
        'content-length': packed.length,
        connection: 'keep-alive, x-own',
        'x-own': '1',
        'proxy-connection': 'keep-alive',
        etag: '"1"',
      }
      const behind = await listenOn(
        createServer((_, response) => response.writeHead(200, headers).end(packed)),
      )
      const fetching = defineController({
        prefix: '/',
        routes: [
          {
            method: ['GET', 'HEAD'],
            handler: (_input, { request }) => fetch(behind.url, { method: request.method }),
          },
        ],
      })
      const app = createTestApp(fetching)
      test.after(() => Promise.all([behind.close(), app.close()]))
      const { headers: own, body } = await app.inject({ method, url: '/' })
      assert.equal(body, method === 'HEAD' ? '' : 'car'.repeat(100))
      const names = [
        'content-encoding',
        'content-length',
        'connection',
        'keep-alive',
        'x-own',
        'proxy-connection',
        'etag',
      ]
      assert.deepEqual(
        names.filter((key) => key in own),
        ['etag'],
      )
    })

  it('keeps the coding of one that the handler has made', async () => {
    const packed = gzipSync('car')
    const made = defineController({
      prefix: '/',
      routes: [
        { method: 'GET', handler: () => new Response(packed, { headers: { 'content-encoding': 'gzip' } }) },
      ],
    })
    const { headers, bytes } = await createTestApp(made).inject('/')
    assert.deepEqual([headers['content-encoding'], gunzipSync(bytes).toString()], ['gzip', 'car'])
  })
})

describe('app.handler on a server of HTTP/2', () => {
  const echo = defineController({
    prefix: '/',
    routes: [
      {
        method: 'POST',
        path: '/echo',
        handler: async (_input, { request }) => text(`${request.host} ${await request.text()}`),
      },
      { method: 'POST', path: '/unread', handler: () => text('unread') },
      {
        method: 'GET',
        path: '/signal',
        handler: (_input, { signal }) => {
          signal.addEventListener('abort', () => seen.push('left'))
          return text('answered')
        },
      },
      {
        method: 'GET',
        path: '/slow',
        handler: (_input, { signal }) =>
          new Promise((resolve) => {
            seen.push('waiting')
            signal.addEventListener('abort', () => resolve(seen.push('left')))
          }),
      },
    ],
  })
  const seen: string[] = []

  async function post(
    session: ClientHttp2Session,
    path: string,
    chunks: readonly string[],
    more: object = {},
  ): Promise<string> {
    const request = session.request(
      { ':method': 'POST', ':path': path, ...more },
      { endStream: chunks.length === 0 },
    )
    for (const chunk of chunks) {
      request.write(chunk)
      await new Promise((resolve) => setImmediate(resolve))
    }
    if (chunks.length > 0) request.end()
    let body = ''
    request
      .on('error', ignore)
      .setEncoding('utf8')
      .on('data', (chunk) => (body += String(chunk)))
    const [headers] = await once(request, 'response')
    await once(request, 'close')
    return `${headers[':status']} ${body}`
  }

  for (const [title, open, address] of [
    ['in the clear', (app: App) => createHttp2Server(app.handler as never), 'http'],
    [
      'with allowHTTP1',
      (app: App) => createSecureServer({ ...TEST_TLS, allowHTTP1: true }, app.handler as never),
      'https',
    ],
  ] as const)
    it(`reads bodies with and without a length, ${title}`, async (test) => {
      const app = createTestApp(echo, { bodyLimit: 1000 })
      const { url, close } = await listenOn(open(app))
      const session = connectHttp2(url.replace('http', address), {
        ca: TEST_TLS.cert,
        servername: 'localhost',
      })
      test.after(() => session.destroy())
      test.after(() => Promise.all([close(), app.close()]))
      const host = `localhost:${new URL(url).port}`
      assert.equal(await post(session, '/echo', ['ab', 'c']), `200 ${host} abc`)
      assert.equal(await post(session, '/echo', ['abc'], { 'content-length': 3 }), `200 ${host} abc`)
      assert.equal(await post(session, '/echo', []), `200 ${host} `)
      const asking = session.request({ ':method': 'POST', ':path': '/echo', expect: '100-continue' })
      let told = 0
      asking.on('continue', () => told++).end('abc')
      assert.deepEqual([await readText(asking), told], [`${host} abc`, 1])
      assert.match(await post(session, '/echo', ['x'.repeat(600), 'y'.repeat(600)]), /^413 /)
      assert.equal(await post(session, '/unread', ['x'.repeat(600), 'y'.repeat(60_000)]), '200 unread')
      assert.match(
        await post(session, '/echo', [], { ':authority': 'a.test', host: 'other.test' }),
        /^400 .*not the authority/,
      )
    })

  it('tells handlers that the client has left, and ends sessions as the application closes', async (test) => {
    const app = createTestApp(echo)
    const { url, close } = await listenOn(createHttp2Server(app.handler as never))
    const session = connectHttp2(url)
    test.after(() => session.destroy())
    test.after(close)
    const answered = session.request({ ':path': '/signal' }).resume()
    await once(answered, 'close')
    const left = session.request({ ':path': '/slow' }).on('error', ignore)
    await until(() => seen.includes('waiting'))
    left.close(8)
    await until(() => seen.includes('left'))
    assert.deepEqual(seen, ['waiting', 'left'])
    const ended = once(session, 'goaway')
    await app.close()
    await once(session.request({ ':path': '/signal' }).on('error', ignore).resume(), 'close')
    await ended
  })
})

async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; tries < 200 && !isTrue(); tries++)
    await new Promise((resolve) => setTimeout(resolve, 10))
  assert.equal(isTrue(), true)
}

describe('a client that leaves while a guard runs', () => {
  for (const [name, options] of Object.entries(ENGINES))
    for (const path of ['/bytes', '/json', '/stream'])
      it(`does not lose a body that has arrived: ${path} on ${name}`, async () => {
        const got: unknown[] = []
        const entered = createGate()
        const Slow = defineGuard({
          name: 'Slow',
          canActivate: async ({ signal }) => {
            entered.enter()
            if (!signal.aborted) await once(signal, 'abort')
            return true
          },
        })
        const bodies = defineController({
          prefix: '/',
          guards: [Slow],
          routes: [
            {
              method: 'POST',
              path: '/bytes',
              handler: async (_input, { request }) => got.push(await request.text()),
            },
            {
              method: 'POST',
              path: '/json',
              input: { body: z.unknown() },
              handler: ({ body }) => got.push(JSON.stringify(body)),
            },
            {
              method: 'POST',
              path: '/stream',
              input: { files: { file: z.file() } },
              handler: async ({ files }) => got.push(await files.file.text()),
            },
          ],
        })
        const app = createTestApp(bodies)
        const socket = await openTo(await app.listen({ ...PLACE, ...options }))
        const part =
          '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n{"a":1}\r\n--b--\r\n'
        const [type, body] =
          path === '/stream' ? ['multipart/form-data; boundary=b', part] : ['application/json', '{"a":1}']
        socket.write(
          `POST ${path} HTTP/1.1\r\nHost: a.test\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        )
        await entered.entered
        socket.destroy()
        await until(() => got.length > 0)
        assert.deepEqual(got, ['{"a":1}'])
        await app.close()
      })
})

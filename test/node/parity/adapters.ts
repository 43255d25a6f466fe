import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, createServer, request as httpRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:http2'
import type { ClientHttp2Session, IncomingHttpHeaders } from 'node:http2'
import { Agent as SecureAgent, request as httpsRequest } from 'node:https'
import type { RequestOptions } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'

import type { App } from 'octavo'
import { createDispatcher } from 'octavo/undici'
import { createTestClient } from 'octavo/testing'
import { fetch as undiciFetch } from 'undici'
import type { Dispatcher } from 'undici'

import { TEST_TLS } from '../../support/tls.ts'
import { LOOPBACK } from '../support.ts'

/** A request that goes through every adapter. */
export interface Sent {
  readonly method: string
  /** Path and query, as they stand on the request line. */
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** A list is sent as a stream of its chunks, without a length. */
  readonly body: string | Uint8Array | readonly (string | Uint8Array)[] | undefined
}

/** An answer, as an adapter shows it. */
export interface Seen {
  readonly status: number
  /** By lower-case name; lines of one name are joined, but for `set-cookie`. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: Buffer
}

/** What not every client can send or show. */
export type Skill = 'bad heads' | 'lines' | 'trace' | 'bodies of GET' | 'raw paths' | 'star'

/** A way into an application. */
export interface Adapter {
  readonly name: string
  /** How requests through it come. @default 'http' */
  readonly protocol?: 'https'
  /** What its client cannot do. */
  readonly lacks: readonly Skill[]
  /** Opens it; gives what sends a request through it, and what closes it again. */
  open(app: App): Promise<{ readonly send: (sent: Sent) => Promise<Seen>; readonly close: () => unknown }>
}

/** The Fetch standard has neither TRACE nor bodies of GET, normalises paths and joins the lines of a header. */
const FETCH: readonly Skill[] = ['bad heads', 'lines', 'trace', 'bodies of GET', 'raw paths', 'star']

/** To add an adapter, add an entry. */
export const ADAPTERS: readonly Adapter[] = [
  {
    name: 'inject with stream: true',
    lacks: [],
    open: async (app) => ({ send: (sent) => injectStream(app, sent), close }),
  },
  {
    name: 'client()',
    lacks: [],
    open: async (app) => ({ send: (sent) => inject(createTestClient(app), sent), close }),
  },
  {
    name: 'fetch',
    lacks: FETCH,
    open: async (app) => ({
      send: (sent) => web(sent, (url, init) => app.fetch(new Request(url, init))),
      close,
    }),
  },
  {
    name: 'fetch of an https URL',
    protocol: 'https',
    lacks: FETCH,
    open: async (app) => ({
      send: (sent) => web(sent, (url, init) => app.fetch(new Request(url.replace('http:', 'https:'), init))),
      close,
    }),
  },
  {
    name: 'handler on http.createServer',
    lacks: [],
    open: async (app) => {
      const server = createServer({ maxHeaderSize: 65_536 }, app.handler)
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      const url = `http://127.0.0.1:${port}`
      return { send: (sent) => overSocket(httpRequest, toUrl(url), sent), close: () => server.close() }
    },
  },
  {
    name: 'listen',
    lacks: [],
    open: async (app) => {
      const url = await app.listen(LOOPBACK)
      return { send: (sent) => overSocket(httpRequest, toUrl(url), sent), close }
    },
  },
  {
    name: 'listen on kept connections',
    lacks: [],
    open: async (app) => {
      const url = await app.listen(LOOPBACK)
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      return {
        send: (sent) => overSocket(httpRequest, { ...toUrl(url), agent }, sent),
        close: () => agent.destroy(),
      }
    },
  },
  {
    name: 'listen on a Unix socket',
    lacks: [],
    open: async (app) => {
      const folder = await mkdtemp(join(tmpdir(), 'octavo-'))
      const socketPath = join(folder, 'app.sock')
      await app.listen({ path: socketPath })
      return {
        send: (sent) => overSocket(httpRequest, { socketPath }, sent),
        close: () => rm(folder, { recursive: true }),
      }
    },
  },
  {
    name: 'listen with TLS',
    protocol: 'https',
    lacks: [],
    open: async (app) => {
      const url = await app.listen({ ...LOOPBACK, tls: TEST_TLS })
      // kept, because a handshake takes longer than a request
      const agent = new SecureAgent({ keepAlive: true, maxSockets: 1, ca: TEST_TLS.cert })
      const to = { ...toUrl(url), agent, servername: 'localhost' }
      return { send: (sent) => overSocket(httpsRequest, to, sent), close: () => agent.destroy() }
    },
  },
  {
    name: 'listen with HTTP/2',
    protocol: 'https',
    // its client refuses them itself
    lacks: ['bad heads'],
    open: async (app) => {
      const session = connect(await app.listen({ ...LOOPBACK, tls: TEST_TLS, http2: true }), {
        ca: TEST_TLS.cert,
      })
      return { send: (sent) => overStream(session, sent), close: () => session.close() }
    },
  },
  {
    name: 'dispatcher()',
    lacks: ['bad heads', 'star'],
    open: async (app) => {
      const dispatcher = createDispatcher(app)
      return { send: (sent) => byUndici(dispatcher, sent), close: () => dispatcher.close() }
    },
  },
  {
    name: 'dispatcher() with undici.fetch',
    lacks: FETCH,
    open: async (app) => {
      const dispatcher = createDispatcher(app)
      return {
        // its types are those of the package, not those of the platform
        send: (sent) => web(sent, (url, init) => undiciFetch(url, { ...init, dispatcher } as never)),
        close: () => dispatcher.close(),
      }
    },
  },
  {
    name: 'dispatcher() with the fetch of Node',
    lacks: FETCH,
    open: async (app) => {
      const dispatcher = createDispatcher(app)
      return {
        send: (sent) => web(sent, (url, init) => fetch(url, { ...init, dispatcher })),
        close: () => dispatcher.close(),
      }
    },
  },
]

const close = (): void => undefined

async function* chunksOf(body: readonly (string | Uint8Array)[]) {
  for (const chunk of body) {
    await Promise.resolve()
    yield Buffer.from(chunk)
  }
}

function isList(body: Sent['body']): body is readonly (string | Uint8Array)[] {
  return Array.isArray(body)
}

function toOptions({ method, path, headers, body }: Sent) {
  return {
    method,
    url: path,
    headers,
    ...(body === undefined ? {} : { body: isList(body) ? chunksOf(body) : body }),
  }
}

/** The answer of `inject`, which all others are compared with. */
export async function inject(
  client: Pick<App, 'inject'>,
  sent: Sent,
  protocol: 'http' | 'https' = 'http',
): Promise<Seen> {
  const { statusCode, headers, bytes } = await client.inject({ ...toOptions(sent), protocol })
  return toSeen(statusCode, headers, bytes)
}

async function injectStream(app: App, sent: Sent): Promise<Seen> {
  const { statusCode, headers, stream } = await app.inject({ ...toOptions(sent), stream: true })
  return toSeen(statusCode, headers, Buffer.concat(await stream.toArray()))
}

async function byUndici(dispatcher: Dispatcher, { method, path, headers, body }: Sent): Promise<Seen> {
  const response = await dispatcher.request({
    origin: 'http://localhost',
    path,
    method,
    headers: toOutgoing(headers),
    body: body === undefined ? null : isList(body) ? Readable.from(chunksOf(body)) : body,
  })
  const bytes = await response.body.bytes()
  return toSeen(response.statusCode, response.headers, bytes)
}

async function web(
  { method, path, headers, body }: Sent,
  send: (url: string, init: RequestInit) => Promise<Response>,
): Promise<Seen> {
  const { host: _, ...rest } = headers
  const lines = Object.entries(rest).map(([name, value]) => [name, [value].flat().join(', ')] as const)
  const response = await send(`http://${hostOf(headers)}${path}`, {
    method,
    headers: Object.fromEntries(lines),
    redirect: 'manual',
    // bytes, for a text would bring a content type
    body: body === undefined ? null : isList(body) ? toWebStream(body) : Buffer.from(body),
    ...(isList(body) ? { duplex: 'half' as const } : {}),
  })
  const seen = Object.fromEntries(response.headers)
  const cookies = response.headers.getSetCookie()
  return toSeen(
    response.status,
    { ...seen, ...(cookies.length > 0 ? { 'set-cookie': cookies } : {}) },
    new Uint8Array(await response.arrayBuffer()),
  )
}

function toWebStream(body: readonly (string | Uint8Array)[]): ReadableStream<Uint8Array> {
  return Readable.toWeb(Readable.from(chunksOf(body))) as ReadableStream<Uint8Array>
}

function toUrl(url: string): RequestOptions {
  const { hostname, port } = new URL(url)
  return { host: hostname, port, agent: false }
}

async function overSocket(
  open: typeof httpRequest,
  to: RequestOptions,
  { method, path, headers, body }: Sent,
): Promise<Seen> {
  const lines = { ...lengthOf(body), host: hostOf(headers), ...headers }
  const request = open({ ...to, method, path, headers: toOutgoing(lines) })
  if (isList(body)) Readable.from(chunksOf(body)).pipe(request)
  else request.end(body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  // what the server did not want to read may still be under way
  request.on('error', close)
  const bytes = await readAll(response)
  const seen: Record<string, string[]> = {}
  for (const [at, name] of response.rawHeaders.entries()) {
    if (at % 2 === 0) (seen[name.toLowerCase()] ??= []).push(response.rawHeaders[at + 1] ?? '')
  }
  return toSeen(response.statusCode ?? 0, seen, bytes)
}

async function overStream(session: ClientHttp2Session, { method, path, headers, body }: Sent): Promise<Seen> {
  const { host: _, ...lines } = headers
  const pseudo = { ':method': method, ':path': path, ':authority': hostOf(headers) }
  const stream = session.request({ ...toOutgoing(lines), ...pseudo }, { endStream: body === undefined })
  if (isList(body)) Readable.from(chunksOf(body)).pipe(stream)
  else if (body !== undefined) stream.end(body)
  const [{ ':status': status, ...seen }] = (await once(stream, 'response')) as [IncomingHttpHeaders]
  return toSeen(Number(status), seen, await readAll(stream))
}

async function readAll(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function toOutgoing(headers: Sent['headers']): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  )
}

/** For methods that seldom have a body, node:http sends none without this. */
function lengthOf(body: Sent['body']): Sent['headers'] {
  return body === undefined || isList(body) ? {} : { 'content-length': String(Buffer.byteLength(body)) }
}

function hostOf({ host = 'localhost' }: Sent['headers']): string {
  return String(host)
}

/** What is of a connection, not of an answer. */
const OF_CONNECTION = ['date', 'connection', 'keep-alive', 'transfer-encoding']

function toSeen(
  status: number,
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  bytes: Uint8Array,
): Seen {
  const lines = Object.entries(headers)
    .filter(([name]) => !OF_CONNECTION.includes(name))
    .map(
      ([name, value = '']) =>
        [name, name === 'set-cookie' ? [value].flat() : [value].flat().join(', ')] as const,
    )
  return { status, headers: Object.fromEntries(lines), body: Buffer.from(bytes) }
}

import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

import { defineController, FileStream, HttpError, sse, upgrade, VersioningSchemes } from 'octavo'
import type { App, Telemetry } from 'octavo'
import { z } from 'zod'

import { LOOPBACK } from '../node/support.ts'
import { serve } from '../support/serve.ts'

async function* endless(): AsyncGenerator<string> {
  for (;;) {
    await delay(1)
    yield 'x'.repeat(1_000)
  }
}

const cars = defineController({
  prefix: '/car',
  version: ['1', '2'],
  routes: [
    { method: 'GET', path: '/{id:int}', handler: ({ params }) => params },
    { method: 'POST', input: { body: z.object({ name: z.string() }) }, handler: ({ body }) => body },
    {
      method: 'POST',
      path: '/upload',
      bodyLimit: 100_000,
      input: { files: { file: z.instanceof(FileStream) } },
      handler: async ({ files }) => {
        let size = 0
        for await (const chunk of files.file) size += chunk.length
        return size
      },
    },
    {
      method: 'GET',
      path: '/sold',
      handler: () => Promise.reject(new HttpError(409, 'Sold', { code: 'sold' })),
    },
    {
      method: 'GET',
      path: '/broken',
      handler: () => {
        throw new Error('of the test')
      },
    },
    { method: 'GET', path: '/late', timeout: 5, handler: () => delay(20) },
    { method: 'GET', path: '/slow', handler: () => delay(20) },
    {
      method: 'GET',
      path: '/parts',
      handler: async function* parts() {
        yield 'wheel'
        await delay(1)
        yield 'door'
      },
    },
    {
      method: 'GET',
      path: '/breaks',
      handler: async function* breaks() {
        yield 'wheel'
        await delay(1)
        throw new Error('halfway')
      },
    },
    { method: 'GET', path: '/endless', handler: endless },
    {
      method: 'GET',
      path: '/events',
      handler: () =>
        sse(
          (async function* events() {
            for await (const data of endless()) yield { data: data.length }
          })(),
        ),
    },
    {
      method: 'GET',
      path: '/radio',
      upgrade: 'websocket',
      handler: () =>
        upgrade(({ socket }) => {
          socket.write(
            'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
          )
          socket.pipe(socket)
        }),
    },
  ],
})

/** An application whose requests end in every way. */
export function createMixed(telemetry: Telemetry): App {
  return serve(cars, {
    telemetry,
    versioning: {
      scheme: VersioningSchemes.URL,
      versions: ['2', { version: '1', deprecated: '2020-01-01' }],
    },
  })
}

/** One way in which a request goes. What it rejects with is ignored. */
type Way = (app: App, urls: { readonly http: string; readonly http2: string }) => Promise<unknown>

const agent = new Agent({ keepAlive: true, maxSockets: 20 })

/** A request over a socket that is kept. `leave` destroys it when the response begins, or after so many milliseconds. */
const get =
  (path: string, { method = 'GET', leave }: { method?: string; leave?: 'response' | number } = {}): Way =>
  async (_app, { http }) => {
    const asked = request(http + path, { agent, method }).end()
    if (typeof leave === 'number') setTimeout(() => asked.destroy(), leave)
    const [response] = await once(asked, 'response')
    if (leave === 'response') response.destroy()
    else for await (const _ of response);
  }

const post =
  (path: string, body: string | FormData, headers: Record<string, string> = {}): Way =>
  async (_app, { http }) =>
    (await fetch(http + path, { method: 'POST', body, headers })).arrayBuffer()

/** Sends bytes and closes the connection when something comes back, or after so many milliseconds. */
const raw =
  (lines: readonly string[], wait?: number): Way =>
  async (_app, { http }) => {
    const { hostname, port } = new URL(http)
    const socket = connect(Number(port), hostname).on('error', () => undefined)
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    await (wait === undefined ? once(socket, 'data') : delay(wait))
    socket.destroy()
  }

const overHttp2 =
  (path: string, leave?: number): Way =>
  async (_app, { http2 }) => {
    const session = connectHttp2(http2).on('error', () => undefined)
    const stream = session.request({ ':path': path }).on('error', () => undefined)
    try {
      if (leave === undefined) for await (const _ of stream);
      else await delay(leave)
    } finally {
      session.destroy()
    }
  }

const fetched =
  (path: string, isRead: boolean): Way =>
  async (app) => {
    const response = await app.fetch(new Request(`http://cars.test${path}`))
    if (isRead) await response.arrayBuffer()
    else await response.body?.cancel()
  }

const injected =
  (path: string): Way =>
  async (app) =>
    app.inject(path)

function toForm(size: number): FormData {
  const form = new FormData()
  form.set('file', new File(['x'.repeat(size)], 'a.txt'))
  return form
}

const HANDSHAKE = [
  'Host: a.test',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Version: 13',
]

/** Every way in which requests end: answered, refused, failed, streamed, late, upgraded, and left by the client. */
export const WAYS: readonly Way[] = [
  ...[
    '/v1/car/7',
    '/v2/car/7',
    '/v1/car/sold',
    '/v2/car/broken',
    '/v3/car/7',
    '/nothing',
    '/v1/car/x',
  ].flatMap((path) => [get(path), injected(path), fetched(path, true), overHttp2(path)]),
  ...['/v1/car/parts', '/v2/car/breaks'].flatMap((path) => [
    get(path),
    get(path, { method: 'HEAD' }),
    get(path, { leave: 'response' }),
    injected(path),
    fetched(path, true),
    fetched(path, false),
    overHttp2(path),
  ]),
  ...['/v1/car/endless', '/v2/car/events'].flatMap((path) => [
    get(path, { method: 'HEAD' }),
    get(path, { leave: 'response' }),
    get(path, { leave: 10 }),
    fetched(path, false),
    overHttp2(path, 15),
  ]),
  get('/v1/car/late'),
  overHttp2('/v1/car/late'),
  injected('/v1/car/late'),
  get('/v1/car/slow', { leave: 5 }),
  overHttp2('/v1/car/slow', 5),
  get('/v1/car/7', { method: 'OPTIONS' }),
  get('/v1/car/7', { method: 'DELETE' }),
  post('/v1/car', '{"name":"Ann"}', { 'content-type': 'application/json' }),
  post('/v1/car', '{"name":1}', { 'content-type': 'application/json' }),
  post('/v1/car', '{"name":', { 'content-type': 'application/json' }),
  post('/v1/car/upload', toForm(50_000)),
  post('/v1/car/upload', toForm(200_000)),
  raw(['POST /v1/car HTTP/1.1', 'Host: a.test', 'Content-Type: application/json', 'Content-Length: 99'], 10),
  raw(['POST /v1/car HTTP/1.1', 'Host: a.test', 'Content-Length: 999999999', 'Expect: 100-continue']),
  raw(['GET /v1/car/radio HTTP/1.1', ...HANDSHAKE]),
  raw(['GET /v1/car/7 HTTP/1.1', ...HANDSHAKE]),
  raw(['GET /v1/nothing HTTP/1.1', ...HANDSHAKE]),
  raw(['GET /v1/car/7 HTTP/1.1', 'Host: a.test', '', 'GET /v1/car/slow HTTP/1.1', 'Host: a.test'], 5),
  raw(['nonsense']),
]

/** Sends so many requests, in all ways by turns and some at a time, and closes the application. */
export async function sendMixed(app: App, other: App, count: number, clients = 16): Promise<void> {
  const urls = { http: await app.listen(LOOPBACK), http2: await other.listen({ ...LOOPBACK, http2: true }) }
  let next = 0
  const client = async (): Promise<void> => {
    while (next < count) {
      const way = WAYS[next++ % WAYS.length]
      await way?.(app, urls).catch(() => undefined)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  agent.destroy()
  await Promise.all([app.close(), other.close()])
}

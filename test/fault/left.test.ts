import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect as connectHttp2, constants } from 'node:http2'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'

import { badRequest, Channels, defineController, defineErrorHandler, HttpError, reply } from 'octavo'
import type { App, RequestEnd, RequestError } from 'octavo'
import { createMetrics } from 'octavo/metrics'
import { createDispatcher } from 'octavo/undici'
import { Registry } from 'prom-client'
import { request } from 'undici'
import { z } from 'zod'

import { until } from '../node/process/load.ts'
import { createGate, ENGINES, exchange, LOOPBACK, open, PLACE } from '../node/support.ts'
import { serve } from '../support/serve.ts'

/** How handlers fail that were left, and how such a request counts. */
const FAILURES: Readonly<
  Record<string, readonly [fail: (signal: AbortSignal) => Promise<unknown>, status: number, code: string]>
> = {
  timer: [(signal) => delay(60_000, 'late', { signal }), 499, 'client_closed_request'],
  event: [(signal) => once(new EventTarget(), 'never', { signal }), 499, 'client_closed_request'],
  reason: [aborted, 499, 'client_closed_request'],
  caused: [
    (signal) => aborted(signal).catch((cause) => Promise.reject(new Error('No prices', { cause }))),
    499,
    'client_closed_request',
  ],
  'http-error': [
    (signal) => aborted(signal).catch((cause) => Promise.reject(badRequest('No prices', { cause }))),
    499,
    'client_closed_request',
  ],
  mistake: [(signal) => aborted(signal).catch(() => Object(undefined).price.list), 500, 'internal_error'],
  timeout: [
    (signal) => aborted(signal).catch(() => Promise.reject(new DOMException('Late', 'TimeoutError'))),
    500,
    'internal_error',
  ],
  circle: [(signal) => aborted(signal).catch(() => Promise.reject(toCircle())), 500, 'internal_error'],
}

async function aborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort')
  throw signal.reason
}

function toCircle(): Error {
  const error = new Error('of the test')
  error.cause = error
  return error
}

const registry = new Registry()
createMetrics({ registry, processMetrics: false })

/** An application whose requests are counted in every way. */
function createCountedApp() {
  const lines: string[] = []
  const log = (level: string) => (details: object, message?: string) => {
    if (!/Listening|Request$/.test(message ?? '') || 'status' in details)
      lines.push([level, message, Reflect.get(details, 'status')].filter(Boolean).join(' '))
  }
  const gate = createGate()
  const counted = defineController({
    prefix: '/',
    routes: [
      {
        method: 'GET',
        path: '/fails/{name}',
        handler: ({ params }, { signal }) => {
          gate.enter()
          return FAILURES[params.name]?.[0](signal)
        },
      },
      {
        method: 'GET',
        path: '/handled',
        errorHandlers: [defineErrorHandler({ match: 500, handle: () => reply(500, 'Sorry') })],
        handler: (_input, { signal }) => {
          gate.enter()
          return aborted(signal)
        },
      },
      {
        method: 'GET',
        path: '/done',
        handler: async (_input, { signal }) => {
          gate.enter()
          await aborted(signal).catch(() => undefined)
          return 'done'
        },
      },
      {
        method: 'GET',
        path: '/parts',
        handler: async function* parts(_input, { signal }) {
          setTimeout(gate.enter, 20)
          yield 'part'
          await aborted(signal)
        },
      },
      { method: 'POST', path: '/json', input: { body: z.unknown() }, handler: () => 'read' },
      { method: 'POST', path: '/form', input: { files: { file: z.file() } }, handler: () => 'read' },
      { method: 'POST', path: '/bytes', handler: (_input, { request: asked }) => asked.bytes() },
    ],
    middleware: [
      (context, next) => {
        if (context.request.method === 'POST') setImmediate(gate.enter)
        return next()
      },
    ],
  })
  const app = serve(counted, {
    logger: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
  })
  return { app, gate, lines }
}

/** Sends a request, leaves when `left` resolves, and does not fail. */
type Leave = (
  app: App,
  path: string,
  body: { readonly type: string; readonly text: string } | undefined,
  left: Promise<void>,
) => Promise<unknown>

const overHttp1 =
  (engine: 'node' | 'direct'): Leave =>
  async (app, path, body, left) => {
    const socket = await open(await app.listen({ ...PLACE, ...ENGINES[engine] }))
    socket.on('error', () => undefined)
    const fields = body === undefined ? [] : [`Content-Type: ${body.type}`, 'Content-Length: 999']
    const head = [`${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1`, 'Host: a.test', ...fields]
    socket.write(`${head.join('\r\n')}\r\n\r\n${body?.text ?? ''}`)
    await left
    socket.destroy()
  }

const LEAVES: Readonly<Record<string, Leave>> = {
  'node:http': overHttp1('node'),
  'the direct engine': overHttp1('direct'),
  'HTTP/2': async (app, path, body, left) => {
    const session = connectHttp2(await app.listen({ ...LOOPBACK, http2: true })).on('error', () => undefined)
    const fields = body === undefined ? {} : { ':method': 'POST', 'content-type': body.type }
    const stream = session.request({ ':path': path, ...fields }, { endStream: body === undefined })
    stream.on('error', () => undefined)
    if (body !== undefined) stream.write(body.text)
    await left
    // to close the stream would end the body first
    if (body === undefined) stream.close(constants.NGHTTP2_CANCEL)
    else session.destroy()
    await once(stream, 'close')
    session.destroy()
  },
  fetch: async (app, path, body, left) => {
    const abort = new AbortController()
    const { signal } = abort
    const init =
      body === undefined
        ? { signal }
        : {
            signal,
            method: 'POST',
            headers: { 'content-type': body.type },
            duplex: 'half' as const,
            body: new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from(body.text)) }),
          }
    const answered = app.fetch(new Request(`http://a.test${path}`, init))
    await left
    abort.abort(new Error('enough'))
    await answered
  },
  undici: async (app, path, body, left) => {
    const abort = new AbortController()
    const { signal } = abort
    const dispatcher = createDispatcher(app)
    const answered = request(`http://a.test${path}`, {
      signal,
      dispatcher,
      ...(body && {
        method: 'POST',
        headers: { 'content-type': body.type },
        body: Readable.from(
          (async function* stalled() {
            yield Buffer.from(body.text)
            await new Promise(() => undefined)
          })(),
        ),
      }),
    })
    await left
    abort.abort()
    await answered.catch(() => undefined)
  },
}

const FORM = 'multipart/form-data; boundary=b'
const PART = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nabc'

/** How a request counts: its path, its status, the code of its error and its body. */
type Case = readonly [path: string, status: number, code?: string, body?: { type: string; text: string }]

const LEFT = [499, 'client_closed_request'] as const
const CASES: readonly Case[] = [
  ...Object.entries(FAILURES).map(([name, [, ...counted]]): Case => [`/fails/${name}`, ...counted]),
  ['/handled', ...LEFT],
  ['/json', ...LEFT, { type: 'application/json', text: '{"a":' }],
  ['/form', ...LEFT, { type: FORM, text: PART }],
  ['/bytes', ...LEFT, { type: 'text/plain', text: 'abc' }],
  ['/done', 200],
  ['/parts', 200],
]

/** Sends a request, and checks how it is counted in the log, the channels and the metrics. */
async function check(leave: Leave, [path, status, code, body]: Case): Promise<void> {
  const { app, gate, lines } = createCountedApp()
  registry.resetMetrics()
  const ended: number[] = []
  const codes: string[] = []
  const onEnd = (message: unknown): void => void ended.push((message as RequestEnd).response.status)
  const onError = (message: unknown): void => {
    const { error } = message as RequestError
    codes.push(error instanceof HttpError ? error.code : 'internal_error')
  }
  subscribe(Channels.end, onEnd)
  subscribe(Channels.error, onError)
  try {
    await leave(app, path, body, gate.entered)
    await until(() => ended.length > 0, 'the request is counted')
    await app.close()
    assert.deepEqual([ended, codes], [[status], code === undefined ? [] : [code]])
    const failed = code === 'internal_error' ? ['error A request failed'] : []
    assert.deepEqual(lines, [...failed, `info Request ${status}`])
    const text = await registry.metrics()
    const route = path.replace(/(?<=^.fails.).*/, '{name}')
    const labels = `method="${body ? 'POST' : 'GET'}",route="${route}",status="${status}",version="none"`
    assert.ok(text.includes(`http_requests_total{${labels}} 1`), text)
    if (code !== undefined) assert.ok(text.includes(`request_errors_total{code="${code}"} 1`), text)
  } finally {
    unsubscribe(Channels.end, onEnd)
    unsubscribe(Channels.error, onError)
    await app.close()
  }
}

/** A way tells that a client has left, and no more: how a handler fails then is the same over all of them. */
const SAME = ['event', 'reason', 'caused', 'http-error', 'timeout', 'circle'].map((name) => `/fails/${name}`)

for (const [at, [way, leave]] of Object.entries(LEAVES).entries())
  describe(`a client that leaves over ${way}`, () => {
    for (const counted of CASES.filter(([path]) => at === 0 || !SAME.includes(path)))
      it(`counts as ${counted[1]} everywhere: ${counted[0]}`, () => check(leave, counted))
  })

describe('a client whose body is malformed', () => {
  for (const engine of ['node', 'direct'] as const)
    it(`has not left on the engine ${engine}`, async () => {
      const malformed: Leave = async (app) => {
        const url = await app.listen({ ...PLACE, ...ENGINES[engine] })
        const head = ['POST /bytes HTTP/1.1', 'Host: a.test', 'Transfer-Encoding: chunked']
        const text = await exchange(url, `${head.join('\r\n')}\r\n\r\nzz\r\n`)
        assert.match(text, /^HTTP\/1.1 400 /)
      }
      await check(malformed, ['/bytes', 400, 'malformed_request', { type: '', text: '' }])
    })
})

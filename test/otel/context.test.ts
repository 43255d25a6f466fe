import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'

import { propagation, trace } from '@opentelemetry/api'
import { defineController, defineGuard, FileStream, sse, upgrade } from 'octavo'
import type { App, Logger } from 'octavo'
import { openTelemetry } from 'octavo/otel'
import { z } from 'zod'

import { LOOPBACK } from '../node/support.ts'
import { serve } from '../support/serve.ts'
import { registerSdk, takeSpan } from './support.ts'

registerSdk()

/** The id of the span that is active. */
const active = (): string => trace.getActiveSpan()?.spanContext().spanId ?? 'none'

const pause = async (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 2))

const IsSlow = defineGuard({
  name: 'IsSlow',
  canActivate: async () => {
    await pause()
    return true
  },
})

let seen: string[] = []

const routes = defineController({
  prefix: '/',
  guards: [IsSlow],
  routes: [
    {
      method: 'GET',
      path: '/await',
      handler: async () => {
        await pause()
        return { span: active() }
      },
    },
    {
      method: 'GET',
      path: '/wait',
      handler: (_input, { signal }) => delay(60_000, undefined, { signal }),
    },
    {
      method: 'GET',
      path: '/stream',
      handler: async function* stream() {
        yield `${active()}\n`
        await pause()
        yield `${active()}\n`
      },
    },
    {
      method: 'GET',
      path: '/events',
      handler: () =>
        sse(
          (async function* events() {
            for (let count = 0; count < 2; count++) {
              await pause()
              yield { data: active() }
            }
          })(),
        ),
    },
    {
      method: 'POST',
      path: '/upload',
      input: { files: { file: z.instanceof(FileStream) } },
      handler: async ({ files }) => {
        for await (const _ of files.file) seen.push(active())
        return { span: active() }
      },
    },
    {
      method: 'GET',
      path: '/radio',
      upgrade: 'websocket',
      handler: () =>
        upgrade(async ({ socket }) => {
          seen.push(active())
          await pause()
          seen.push(active())
          socket.write(
            'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
          )
          socket.pipe(socket)
        }),
    },
    {
      method: 'GET',
      path: '/breaks',
      handler: async function* breaks() {
        yield 'start'
        await pause()
        throw new Error('halfway')
      },
    },
    {
      method: 'GET',
      path: '/endless',
      handler: async function* endless() {
        for (;;) {
          await pause()
          yield 'x'
        }
      },
    },
  ],
})

function createRoutes(logger: Logger | false = false): App {
  return serve(routes, { logger, telemetry: openTelemetry() })
}

describe('the span of a request is active', () => {
  for (const [title, path] of [
    ['after await', '/await'],
    ['in a stream', '/stream'],
    ['in events', '/events'],
  ] as const) {
    for (const [adapter, http2] of [
      ['HTTP/1.1', false],
      ['HTTP/2', true],
    ] as const) {
      it(`${title} over ${adapter}`, async () => {
        const app = createRoutes()
        const url = await app.listen({ ...LOOPBACK, http2 })
        const text = http2 ? await readHttp2(url, path) : await (await fetch(url + path)).text()
        const span = await takeSpan()
        const ids = text.match(/[0-9a-f]{16}|none/g) ?? []
        assert.deepEqual([...new Set(ids)], [span.spanContext().spanId])
        assert.ok(ids.length >= (path === '/await' ? 1 : 2), text)
        await app.close()
      })
    }
  }

  for (const [adapter, http2] of [
    ['HTTP/1.1', false],
    ['HTTP/2', true],
  ] as const) {
    it(`while an upload is read over ${adapter}`, async () => {
      seen = []
      const app = createRoutes()
      const url = await app.listen({ ...LOOPBACK, http2 })
      const form = new FormData()
      form.set('file', new File(['x'.repeat(200_000)], 'a.txt'))
      const request = new Request('http://a.test', { method: 'POST', body: form })
      const sent = {
        type: request.headers.get('content-type') ?? '',
        bytes: Buffer.from(await request.arrayBuffer()),
      }
      const text = await (http2 ? readHttp2(url, '/upload', sent) : post(`${url}/upload`, sent))
      const { span: last } = z.object({ span: z.string() }).parse(JSON.parse(text))
      const span = await takeSpan()
      assert.deepEqual([...new Set([...seen, last])], [span.spanContext().spanId])
      assert.ok(seen.length > 1)
      await app.close()
    })
  }

  it('while a connection is handed over, and for what happens on it', async () => {
    seen = []
    const app = createRoutes()
    const { port, hostname } = new URL(await app.listen(LOOPBACK))
    const socket = connect(Number(port), hostname)
    socket.write(
      [
        'GET /radio HTTP/1.1',
        'Host: a.test',
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
        'Sec-WebSocket-Version: 13',
        '\r\n',
      ].join('\r\n'),
    )
    await once(socket, 'data')
    const span = await takeSpan()
    assert.deepEqual([span.name, span.attributes['http.response.status_code']], ['GET /radio', 101])
    assert.deepEqual(seen, [span.spanContext().spanId, span.spanContext().spanId])
    socket.destroy()
    await app.close()
  })
})

/** A body and its type. */
interface Sent {
  readonly type: string
  readonly bytes: Buffer
}

async function post(url: string, { type, bytes }: Sent): Promise<string> {
  const headers = { 'content-type': type }
  return (await fetch(url, { method: 'POST', headers, body: new Uint8Array(bytes) })).text()
}

async function readHttp2(url: string, path: string, sent?: Sent): Promise<string> {
  const session = connectHttp2(url)
  const head = sent === undefined ? {} : { ':method': 'POST', 'content-type': sent.type }
  const stream = session.request({ ':path': path, ...head }).setEncoding('utf8')
  stream.end(sent?.bytes)
  let text = ''
  for await (const chunk of stream) text += String(chunk)
  session.close()
  return text
}

describe('the span of a stream', () => {
  it('ends with the stream, and is an error if it breaks off', async () => {
    const app = createRoutes()
    const url = await app.listen(LOOPBACK)
    await assert.rejects(fetch(`${url}/breaks`).then((response) => response.text()))
    const span = await takeSpan()
    assert.deepEqual(
      [span.attributes['error.type'], span.status.code, span.events[0]?.attributes?.['exception.message']],
      ['internal_error', 2, 'halfway'],
    )
    await app.close()
  })

  it('ends when the client goes away, which is no error', async () => {
    const app = createRoutes()
    const url = await app.listen(LOOPBACK)
    const abort = new AbortController()
    const response = await fetch(`${url}/endless`, { signal: abort.signal })
    await response.body?.getReader().read()
    abort.abort()
    const span = await takeSpan()
    assert.deepEqual([span.attributes['error.type'], span.status.code], [undefined, 0])
    await app.close()
  })
})

describe('the span of a request whose client leaves before the response', () => {
  it('has the status 499, and is not an error', async () => {
    const app = createRoutes()
    const url = await app.listen(LOOPBACK)
    const abort = new AbortController()
    const asked = fetch(`${url}/wait`, { signal: abort.signal })
    setTimeout(() => abort.abort(), 100)
    await assert.rejects(asked)
    const { attributes, status, events } = await takeSpan()
    assert.deepEqual(
      [attributes['http.response.status_code'], attributes['error.type'], attributes['api.problem']],
      [499, undefined, 'client_closed_request'],
    )
    assert.deepEqual([status.code, events], [0, []])
    await app.close()
  })
})

describe('requests that are sent', () => {
  it('carry the active span and the baggage', async () => {
    const received: (string | undefined)[] = []
    const server = createServer(({ headers }, response) => {
      received.push(String(headers['traceparent']), String(headers['baggage']))
      response.end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const other = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
    const calls = defineController({
      prefix: '/call',
      routes: [
        {
          method: 'GET',
          handler: async () => {
            await pause()
            await (await fetch(other)).text()
            return propagation.getActiveBaggage()?.getEntry('tenant')?.value
          },
        },
      ],
    })
    const app = serve(calls, { telemetry: openTelemetry() })
    const { body } = await app.inject({ url: '/call', headers: { baggage: 'tenant=north' } })
    const { traceId, spanId } = (await takeSpan()).spanContext()
    assert.equal(body, '"north"')
    assert.deepEqual(received, [`00-${traceId}-${spanId}-01`, 'tenant=north'])
    server.close()
    await app.close()
  })
})

describe('log lines', () => {
  it('carry the ids of the active span', async () => {
    const lines: object[] = []
    const keep = (details: object): void => void lines.push(details)
    const app = createRoutes({ debug: keep, info: keep, warn: keep, error: keep })
    await app.inject('/await')
    const { traceId, spanId } = (await takeSpan()).spanContext()
    const [line] = lines
    assert.deepEqual(
      [lines.length, line && 'trace_id' in line && line.trace_id, line && 'span_id' in line && line.span_id],
      [1, traceId, spanId],
    )
    await app.close()
  })

  it('of pino are those of its children, with the ids of the active span', async () => {
    const { pino } = await import('pino')
    const lines: string[] = []
    const logs = defineController({
      prefix: '/log',
      routes: [{ method: 'GET', handler: async (_, { log }) => log.info({ part: 'wheel' }, 'Turned') }],
    })
    const app = serve(logs, {
      logger: pino({ base: null }, { write: (line) => void lines.push(line) }),
      telemetry: openTelemetry(),
    })
    await app.inject('/log')
    const { traceId, spanId } = (await takeSpan()).spanContext()
    const { requestId, part, msg, trace_id, span_id } = JSON.parse(lines[0] ?? '')
    assert.match(requestId, /^[0-9a-f-]{36}$/)
    assert.deepEqual([part, msg, trace_id, span_id], ['wheel', 'Turned', traceId, spanId])
    await app.close()
  })

  it('outside of requests have no ids', async () => {
    const lines: object[] = []
    const keep = (details: object): void => void lines.push(details)
    const logger = openTelemetry().logger?.({ debug: keep, info: keep, warn: keep, error: keep })
    logger?.info({ port: 3000 }, 'Listening')
    assert.deepEqual(lines, [{ port: 3000 }])
  })
})

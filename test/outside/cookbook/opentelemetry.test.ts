import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'

import { startServer } from './support.ts'

/** The trace of a client, as W3C Trace Context writes it. */
const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'

describe('the recipe of OpenTelemetry', async () => {
  const spans: ReturnType<typeof Object>[] = []
  const seen: (string | undefined)[] = []
  const collector = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const bytes = Buffer.concat(chunks)
      const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes
      for (const { scopeSpans } of JSON.parse(String(text)).resourceSpans)
        for (const scope of scopeSpans) spans.push(...scope.spans)
      response.setHeader('content-type', 'application/json').end('{}')
    })
  })
  const prices = createServer((request, response) => {
    seen.push(String(request.headers['traceparent']))
    if (request.url === '/7') return void response.end('{"price":42}')
    response.writeHead(503).end()
  })
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = await startServer(collector)
  process.env['PRICES_URL'] = await startServer(prices)
  const { app, url } = await import('./.recipes/opentelemetry-2.ts')

  it('sends spans of requests, with those of the handler below, in the trace of the client', async () => {
    const headers = { traceparent: `00-${TRACE}-${PARENT}-01` }
    const response = await fetch(`${url}/v1/cars/7`, { headers })
    assert.deepEqual(await response.json(), { id: 7, price: 42 })
    assert.equal((await fetch(`${url}/v1/cars/8`)).status, 500)
    // it flushes
    await app.close()
    assert.equal(spans.length, 4)
    // a span of a request ends with its response
    const ofTrace = (name: string, isFirst: boolean) =>
      spans.find((span) => span.name === name && (span.traceId === TRACE) === isFirst)
    const inner = ofTrace('read price', true)
    const outer = ofTrace('GET /cars/{id}', true)
    const failedInner = ofTrace('read price', false)
    const failed = ofTrace('GET /cars/{id}', false)
    assert.deepEqual([outer.traceId, outer.parentSpanId], [TRACE, PARENT])
    assert.deepEqual([inner.traceId, inner.parentSpanId], [TRACE, outer.spanId])
    const attributes = new Map<unknown, unknown>(
      outer.attributes.map(({ key, value }: { key: string; value: object }) => [
        key,
        Object.values(value)[0],
      ]),
    )
    assert.equal(attributes.get('http.route'), '/cars/{id}')
    assert.equal(attributes.get('api.version'), '1')
    assert.deepEqual([failedInner.status.code, failed.status.code], [2, 2])
    assert.equal(seen[0], `00-${TRACE}-${inner.spanId}-01`)
  })
})

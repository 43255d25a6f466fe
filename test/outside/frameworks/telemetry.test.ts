import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'

import { startServer } from '../cookbook/support.ts'

type Data = ReturnType<typeof Object>

/** What the exporters of a process have sent: spans and points of metrics, each with the name of its instrumentation. */
interface Exported {
  readonly spans: Data[]
  readonly points: Data[]
}

/** Starts a collector that keeps what it receives. */
async function startCollector(): Promise<Exported & { readonly url: string }> {
  const exported: Exported = { spans: [], points: [] }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const bytes = Buffer.concat(chunks)
      const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes
      const { resourceSpans = [], resourceMetrics = [] } = JSON.parse(String(text))
      exported.spans.push(...resourceSpans.flatMap(toSpans))
      exported.points.push(...resourceMetrics.flatMap(toPoints))
      response.setHeader('content-type', 'application/json').end('{}')
    })
  })
  return { ...exported, url: await startServer(server) }
}

const toSpans = ({ scopeSpans }: Data): readonly Data[] =>
  scopeSpans.flatMap(({ scope, spans }: Data) =>
    spans.map((span: Data) => ({ ...span, by: scope.name, attributes: toValues(span.attributes) })),
  )

/** The points of histograms. */
const toPoints = ({ scopeMetrics }: Data): readonly Data[] =>
  scopeMetrics.flatMap(({ scope, metrics }: Data) =>
    metrics.flatMap(({ name, histogram }: Data) =>
      (histogram?.dataPoints ?? []).map(({ attributes }: Data) => ({
        name,
        by: scope.name,
        attributes: toValues(attributes),
      })),
    ),
  )

const toValues = (attributes: readonly Data[]): Data =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(Object(value))[0]]))

const FLAGS = ['--import', '@opentelemetry/auto-instrumentations-node/register']
const LOADER = '--experimental-loader=@opentelemetry/instrumentation/hook.mjs'
const PROGRAM = join(import.meta.dirname, '.recipes/with-other-instrumentations.js')

/** Starts the recipe of the guide, calls it, and ends it with SIGTERM, which sends what waits. Returns the lines of its log too. */
async function run(flags: readonly string[]) {
  const { url: collector, spans, points } = await startCollector()
  const child = spawn(process.execPath, [...flags, ...FLAGS, PROGRAM], {
    env: {
      ...process.env,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_LOGS_EXPORTER: 'none',
      OTEL_METRICS_EXPORTER: 'otlp',
      // the others ask the network where they run
      OTEL_NODE_RESOURCE_DETECTORS: 'env',
      OTEL_SEMCONV_STABILITY_OPT_IN: 'http',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exit = once(child, 'exit')
  const lines: Data[] = []
  const started = new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error('The program has ended')))
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(JSON.parse(line))
      if (lines.at(-1)?.msg === 'Listening') resolve(lines.at(-1)?.url)
    })
  })
  try {
    const url = await started
    assert.deepEqual(await (await fetch(`${url}/v1/cars/7`)).json(), { car_id: 7 })
    assert.equal((await fetch(`${url}/v1/cars/7/sell`, { method: 'POST' })).status, 409)
    assert.equal((await fetch(`${url}/nothing`)).status, 404)
  } finally {
    child.kill('SIGTERM')
    assert.deepEqual(await exit, [0, null])
  }
  return { spans, points, lines: lines.filter(({ msg }) => msg === 'Request') }
}

/** The kind of spans of servers, as OTLP writes it. */
const SERVER = 2

describe('a program with @opentelemetry/auto-instrumentations-node', () => {
  for (const [title, flags, by] of [
    ['that sees no server', [], 'octavo'],
    ['that sees the server', [LOADER], '@opentelemetry/instrumentation-http'],
  ] as const) {
    it(`${title} has one span for each request, with route and version, and one duration`, async () => {
      const { spans, points, lines } = await run(flags)
      const served = spans.filter(({ kind }) => kind === SERVER)
      assert.deepEqual(
        served.map(({ by: scope, name, attributes }) => [
          scope,
          name,
          attributes['http.route'],
          attributes['url.path'],
          attributes['http.response.status_code'],
          attributes['api.problem'],
          attributes['api.version'],
        ]),
        [
          [by, 'GET /cars/{car_id}', '/cars/{car_id}', '/v1/cars/7', 200, undefined, '1'],
          [by, 'POST /cars/{car_id}/sell', '/cars/{car_id}/sell', '/v1/cars/7/sell', 409, 'car_sold', '1'],
          [by, 'GET', undefined, '/nothing', 404, 'route_not_found', undefined],
        ],
      )
      // it is active while the request is answered
      assert.deepEqual(
        lines.map(({ span_id, trace_id }) => [span_id, trace_id]),
        served.map(({ spanId, traceId }) => [spanId, traceId]),
      )
      const durations = points.filter(({ name }) => name === 'http.server.request.duration')
      assert.deepEqual(
        durations.map(({ by: scope, attributes }) => [scope, attributes['http.route']]),
        [
          [by, '/cars/{car_id}'],
          [by, '/cars/{car_id}/sell'],
          [by, undefined],
        ],
      )
    })
  }
})

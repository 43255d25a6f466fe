import cluster from 'node:cluster'

import { createApp, defineController, defineModule, HttpError } from 'octavo'
import { createMetrics } from 'octavo/metrics'
import { openTelemetry } from 'octavo/otel'

/** The program of the test: two workers, each of which prints the codes of problems of its spans. */
const attributes: Record<string, unknown> = {}
const span = {
  spanContext: () => ({ traceId: '', spanId: '', traceFlags: 0 }),
  isRecording: () => true,
  setAttributes: (given: object) => void Object.assign(attributes, given),
  setAttribute: () => undefined,
  setStatus: () => undefined,
  updateName: () => undefined,
  recordException: () => undefined,
  end: () => console.log(JSON.stringify({ pid: process.pid, errorType: attributes['api.problem'] })),
}
// as much of a provider as is used here
const tracerProvider = { getTracer: () => ({ startSpan: () => span }) } as never

const cars = defineController({
  prefix: '/car',
  routes: [
    {
      method: 'GET',
      handler: () => {
        throw new HttpError(409, 'Sold', { code: 'car_sold' })
      },
    },
  ],
})
const metrics = createMetrics({ processMetrics: false })
const app = createApp(defineModule({ controllers: [cars] }), {
  logger: false,
  telemetry: openTelemetry({ metrics: false, outgoing: false, tracerProvider }),
})
const url = await app.listen({ port: 0, host: '127.0.0.1', workers: 2 })
if (cluster.isPrimary) {
  const own = createApp(defineModule({ controllers: [metrics.controller] }), { logger: false })
  console.log(JSON.stringify({ url, own: await own.listen({ port: 0, host: '127.0.0.1' }) }))
}

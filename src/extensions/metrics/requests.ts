import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

import type { ReplyContext } from '../../define/reply.ts'
import { METHOD_INDEX } from '../../http/http.ts'
import { templateOf } from '../../router/path/template.ts'
import { subscribeChannel } from '../../base/platform.ts'
import { flatCopy } from '../../base/values.ts'
import { Channels, type RequestEnd } from '../../server/logging/channels.ts'

/** The counter of requests. */
export const REQUESTS = 'http_requests_total'

/** The bounds that the conventions of OpenTelemetry recommend, in seconds. */
export const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

/** From 100 B to 100 MB. */
const SIZES = [1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8]

/** Each has few values, whatever clients send. */
const LABELS = ['method', 'route', 'status', 'version'] as const

type Labels = Record<(typeof LABELS)[number], string>

/** Counts the requests of the process from now on. */
export function countRequests(registry: Registry, durations: readonly number[]): void {
  const labelled = { labelNames: LABELS, registers: [registry] }
  const requests = new Counter({ name: REQUESTS, help: 'Requests that were answered.', ...labelled })
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time until the response was ready, without the time that a stream takes.',
    buckets: [...durations],
    ...labelled,
  })
  const requestSize = new Histogram({
    name: 'http_request_size_bytes',
    help: 'Bodies of requests with a Content-Length.',
    buckets: SIZES,
    ...labelled,
  })
  const responseSize = new Histogram({
    name: 'http_response_size_bytes',
    help: 'Bodies of responses whose length is known when they begin.',
    buckets: SIZES,
    ...labelled,
  })
  countActive(registry)
  const countClient = createClientCount(registry)
  subscribeChannel(Channels.end, (message) => {
    // the channel publishes nothing else
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const { context, response, duration: milliseconds } = message as RequestEnd
    const labels = toLabels(context, response.status)
    requests.inc(labels)
    if (context.client !== undefined) countClient(context.client, labels.version)
    duration.observe(labels, milliseconds / 1000)
    observe(requestSize, labels, context.request.header('content-length'))
    const { body, headers } = response
    observe(responseSize, labels, body === null ? 0 : headers['content-length'])
  })
}

/** The most clients that are counted by name, because each name is a series for each version. */
const MAX_CLIENTS = 100
/** Longer names are cut, as usage does it. */
const LONGEST_NAME = 200

function createClientCount(registry: Registry): (client: string, version: string) => void {
  const counter = new Counter({
    name: 'client_requests_total',
    help: 'Requests of clients with a name.',
    labelNames: ['client', 'version'],
    registers: [registry],
  })
  const names = new Set<string>()
  return (client, version) => {
    const name = client.slice(0, LONGEST_NAME)
    if (names.size < MAX_CLIENTS && !names.has(name)) names.add(flatCopy(name))
    counter.inc({ client: names.has(name) ? name : 'other', version })
  }
}

/** Counts the requests whose response has not ended, be it a stream, a connection that was handed over or one that is passed on. */
function countActive(registry: Registry): void {
  const active = new Gauge({
    name: 'http_requests_active',
    help: 'Requests whose response has not ended, streams and upgraded connections included.',
    registers: [registry],
  })
  const leave = (): void => active.dec()
  subscribeChannel(Channels.start, (message) => {
    // the channel publishes nothing else, and the context of a request is also that of its result
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const { context } = message as { readonly context: Pick<ReplyContext, 'atEnd'> }
    active.inc()
    context.atEnd(leave)
  })
}

/** A request that reaches no route has no version, because its client may have made it up. */
function toLabels({ request, route, version }: RequestEnd['context'], status: number): Labels {
  return {
    method: METHOD_INDEX.has(request.method) ? request.method : 'other',
    route: route === null ? 'none' : templateOf(route.path),
    status: String(status),
    version: (route !== null && version) || 'none',
  }
}

function observe(histogram: Histogram<keyof Labels>, labels: Labels, length: unknown): void {
  const bytes = length === undefined ? Number.NaN : Number(length)
  if (Number.isFinite(bytes)) histogram.observe(labels, bytes)
}

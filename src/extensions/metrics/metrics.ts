import { collectDefaultMetrics, register, Counter, Gauge, Histogram, type Registry } from 'prom-client'

import { checkOptions, invalidOption, type Rules } from '../../base/definition-error.ts'
import { defineController, type Controller } from '../../define/module.ts'
import type { AnyGuard } from '../../define/layers.ts'
import { text } from '../../define/reply.ts'
import { isBoolean, isObject, detachString } from '../../base/values.ts'
import { VERSION_NEUTRAL } from '../../versioning/version.ts'
import { createMetricsReader } from './processes.ts'
import { uriTemplate } from '../../router/path/template.ts'
import { subscribeChannel } from '../../base/platform.ts'
import { observeProcess } from '../../define/observer.ts'
import { METHOD_INDEX } from '../../http/http.ts'
import { readHttpError } from '../../http/errors.ts'

/** The options of `createMetrics`. */
export interface MetricsOptions {
  /** The path of the endpoint. @default '/metrics' */
  readonly path?: string
  /** The guards of the endpoint. @default none, so everyone who reaches it reads the metrics */
  readonly guards?: readonly AnyGuard[]
  /** Keeps the metrics. @default the global registry of prom-client, which also has the metrics that you create */
  readonly registry?: Registry
  /** Whether the event loop, memory, CPU, garbage collection and handles of the process are measured. @default true */
  readonly processMetrics?: boolean
  /** The upper bounds of the buckets of durations, in seconds, ascending. @default 14 from 0.005 to 10 */
  readonly durationBuckets?: readonly number[]
}

/** Metrics and the endpoint that serves them. */
export interface Metrics {
  /** Serves the metrics to a GET, in every version. Documents don't show it. */
  readonly controller: Controller<'metrics', string, readonly []>
  /** The registry that keeps the metrics of this process. */
  readonly registry: Registry
}

const WHERE = 'createMetrics'

const OPTIONS: Rules = {
  path: [(value) => typeof value === 'string' && value.startsWith('/'), "a path, such as '/metrics'"],
  guards: [(value) => Array.isArray(value) && value.every(isObject), 'a list of guards'],
  registry: [isObject, 'a Registry of prom-client'],
  processMetrics: [isBoolean, 'true or false'],
  durationBuckets: [
    (value) =>
      Array.isArray(value) &&
      value.length > 0 &&
      value.every(
        (each, index) => typeof each === 'number' && (index === 0 || each > Number(value[index - 1])),
      ),
    'a list of ascending numbers',
  ],
}

/** One of the metrics that `collectDefaultMetrics` of prom-client creates. */
const PROCESS_METRIC = 'process_cpu_user_seconds_total'

/**
 * Counts the requests of all applications of the process with prom-client, and creates the controller that serves the counts to
 * Prometheus. Under `listen({ workers })` it serves the sums over all workers.
 *
 * @example
 * const metrics = createMetrics({ guards: [IsScraper] })
 * const AppModule = defineModule({ imports: [CarsModule], controllers: [metrics.controller] })
 *
 * @throws `DefinitionError` when an option is wrong, or if the registry has these metrics already.
 */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  checkOptions(WHERE, options, OPTIONS, registryProblems(options), "createMetrics({ path: '/metrics' })")
  const { path = '/metrics', guards = [], registry = register } = options
  const { processMetrics = true, durationBuckets = DURATIONS } = options
  countRequests(registry, durationBuckets)
  countEvents(registry)
  countVersions(registry)
  // which you may have called
  if (processMetrics && registry.getSingleMetric(PROCESS_METRIC) === undefined)
    collectDefaultMetrics({ register: registry })
  const read = createMetricsReader(registry)
  const controller = defineController({
    name: 'metrics',
    prefix: path,
    version: VERSION_NEUTRAL,
    routes: [
      {
        method: 'GET',
        guards,
        includeInSchema: false,
        handler: async () =>
          text(await read(), {
            headers: { 'content-type': registry.contentType, 'cache-control': 'no-store' },
          }),
      },
    ],
  })
  // a client has no use for the route
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { controller: controller as unknown as Metrics['controller'], registry }
}

function registryProblems({ registry = register }: MetricsOptions): ReturnType<typeof invalidOption>[] {
  const isTaken = typeof registry?.getSingleMetric === 'function' && registry.getSingleMetric(REQUESTS)
  if (!isTaken) return []
  const message = 'the registry has the metrics of another call already'
  return [invalidOption(WHERE, message, 'call it once, or give registry: new Registry() of prom-client')]
}

/** Counts the requests of versions that are about to go, and keeps the moments at which they do. */
function countVersions(registry: Registry): void {
  const registers = [registry]
  const deprecated = new Counter({
    name: 'deprecated_requests_total',
    help: 'Requests in a version that is deprecated, beyond its sunset or retired.',
    labelNames: ['route', 'version', 'state'],
    registers,
  })
  const sunset = new Gauge({
    name: 'version_sunset_timestamp_seconds',
    help: 'When a version of a route ends, of those that were called.',
    labelNames: ['route', 'version'],
    registers,
    // all workers have the same moment
    aggregator: 'max',
  })
  const loads = new Histogram({
    name: 'version_change_load_duration_seconds',
    help: 'The time in which a change loaded data that only older versions show.',
    labelNames: ['change'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers,
  })
  observeProcess({
    load: ({ change, duration }) => loads.observe({ change }, duration / 1000),
    matched: (_, { path, version, status }) => {
      if (status !== 'active')
        deprecated.inc({ route: uriTemplate(path), version: version ?? 'none', state: status })
    },
    end: ({ route, version }, { headers }) => {
      const until = Date.parse(String(headers['sunset'])) / 1000
      if (route !== null && Number.isFinite(until))
        sunset.set({ route: uriTemplate(route.path), version: version ?? 'none' }, until)
    },
  })
}

/** The counter of requests. */
const REQUESTS = 'http_requests_total'

/** The bounds that the conventions of OpenTelemetry recommend, in seconds. */
const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

/** From 100 B to 100 MB. */
const SIZES = [1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8]

/** Each has few values, whatever clients send. */
const LABELS = ['method', 'route', 'status', 'version'] as const

type RequestLabels = Record<(typeof LABELS)[number], string>

/** Counts the requests of the process from now on. */
function countRequests(registry: Registry, durations: readonly number[]): void {
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
  observeProcess({
    end: (context, { status, body, headers }, milliseconds) => {
      const { request, route, version } = context
      const labels: RequestLabels = {
        method: METHOD_INDEX.has(request.method) ? request.method : 'other',
        route: route === null ? 'none' : uriTemplate(route.path),
        status: String(status),
        // a request that reaches no route has none, because its client may have made it up
        version: (route !== null && version) || 'none',
      }
      requests.inc(labels)
      if (context.client !== undefined) countClient(context.client, labels.version)
      duration.observe(labels, milliseconds / 1000)
      observeLength(requestSize, labels, context.request.header('content-length'))
      observeLength(responseSize, labels, body === null ? 0 : headers['content-length'])
    },
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
    if (names.size < MAX_CLIENTS && !names.has(name)) names.add(detachString(name))
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
  observeProcess({
    start: (context) => {
      active.inc()
      context.atEnd(leave)
    },
  })
}

function observeLength(
  histogram: Histogram<keyof RequestLabels>,
  labels: RequestLabels,
  length: unknown,
): void {
  const bytes = length === undefined ? Number.NaN : Number(length)
  if (Number.isFinite(bytes)) histogram.observe(labels, bytes)
}

/** The most codes of errors that are counted by name, in case an application makes codes up. */
const MAX_CODES = 200

/** Counts connections, sessions, errors and refusals of rate limits in this process from now on. */
function countEvents(registry: Registry): void {
  const registers = [registry]
  const connections = new Gauge({
    name: 'server_connections',
    help: 'Open connections to all servers of the process.',
    registers,
  })
  // of Node itself
  subscribeChannel('net.server.socket', (message) => {
    const socket = isObject(message) && 'socket' in message ? message.socket : undefined
    if (!isObject(socket) || !('once' in socket) || typeof socket.once !== 'function') return
    connections.inc()
    socket.once('close', () => connections.dec())
  })
  const sessions = new Counter({
    name: 'sessions_total',
    help: 'Sessions that were stored for the first time or destroyed.',
    labelNames: ['event'],
    registers,
  })
  countStores(registers)
  const refusals = new Counter({
    name: 'rate_limit_refusals_total',
    help: 'Requests that a rate limit refused.',
    labelNames: ['limit'],
    registers,
  })
  const errors = new Counter({
    name: 'request_errors_total',
    help: 'Errors that requests met, by the code of their problem.',
    labelNames: ['code'],
    registers,
  })
  const codes = new Set<string>()
  observeProcess({
    session: (event) => sessions.inc({ event }),
    error: (_, error) => {
      const thrown = readHttpError(error)
      const { code } = thrown ?? { code: 'internal_error' }
      if (codes.size < MAX_CODES) codes.add(code)
      errors.inc({ code: codes.has(code) ? code : 'other' })
      if (code !== 'rate_limited') return
      const limits = thrown?.members['violated-policies']
      refusals.inc({ limit: Array.isArray(limits) ? String(limits[0]) : 'none' })
    },
  })
}

/** Upper bounds in seconds: stores answer sooner than requests. */
const STORE_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1]

function countStores(registers: Registry[]): void {
  const durations = new Histogram({
    name: 'store_duration_seconds',
    help: 'The time until a store answered, by what it stores.',
    labelNames: ['store', 'operation'],
    buckets: STORE_BUCKETS,
    registers,
  })
  const failures = new Counter({
    name: 'store_failures_total',
    help: 'Calls of stores that failed, or were skipped because the store gave no answer before.',
    labelNames: ['store', 'operation', 'outcome'],
    registers,
  })
  observeProcess({
    store: ({ store, operation, outcome, duration }) => {
      if (outcome !== 'ok') failures.inc({ store, operation, outcome })
      if (outcome !== 'skipped') durations.observe({ store, operation }, duration / 1000)
    },
  })
}

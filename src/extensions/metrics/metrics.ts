import { collectDefaultMetrics, register, type Registry } from 'prom-client'

import { checkOptions, invalidOption, type Rules } from '../../base/check-options.ts'
import { defineController, type Controller } from '../../define/controller.ts'
import type { AnyGuard } from '../../define/guard.ts'
import { text } from '../../define/reply.ts'
import { isBoolean, isObject } from '../../base/values.ts'
import { VERSION_NEUTRAL } from '../../versioning/spec.ts'
import { countEvents } from './events.ts'
import { createReader } from './processes.ts'
import { countRequests, DURATIONS, REQUESTS } from './requests.ts'
import { countVersions } from './versions.ts'

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
  durationBuckets: [isAscending, 'a list of ascending numbers'],
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
  const read = createReader(registry)
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

function isAscending(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((each, index) => typeof each === 'number' && (index === 0 || each > Number(value[index - 1])))
  )
}

function registryProblems({ registry = register }: MetricsOptions): ReturnType<typeof invalidOption>[] {
  const isTaken = typeof registry?.getSingleMetric === 'function' && registry.getSingleMetric(REQUESTS)
  if (!isTaken) return []
  const message = 'the registry has the metrics of another call already'
  return [invalidOption(WHERE, message, 'call it once, or give registry: new Registry() of prom-client')]
}

import { metrics, type Attributes, type MeterProvider } from '@opentelemetry/api'

import type { RequestAttributes } from './attributes.ts'

export interface RequestMetrics {
  /** Records that a request has arrived. */
  readonly start: (attributes: RequestAttributes) => void
  /** Records that its response has ended. */
  readonly end: (attributes: RequestAttributes, ended: EndedRequest) => void
}

/** A request whose response has ended. */
interface EndedRequest {
  /** Attributes that the response adds to those of the request: status, route, version and error. */
  readonly added: Attributes
  /** Milliseconds; `undefined` if another instrumentation records the duration. */
  readonly duration: number | undefined
  /** Bytes of the body of the request; `undefined` if they are not known. */
  readonly requestSize: number | undefined
  readonly responseSize: number
  /** The ids of the changes that altered the request or its response. */
  readonly changes: readonly string[]
}

/** The name of the instrumentation, and the conventions that it follows. */
export const SCOPE = 'octavo'
export const SCHEMA = { schemaUrl: 'https://opentelemetry.io/schemas/1.45.0' }

/** The buckets that the conventions recommend, in seconds. */
const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

/** The buckets of bodies, from 100 B to 100 MB. The default ones of SDKs end at 10 kB. */
const SIZES = [1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8]

/**
 * Creates the metrics. `withAll` adds those that the conventions record on demand only. Instruments are created with the first request,
 * because a meter that is asked for before an SDK is registered records nothing for ever.
 */
export function createRequestMetrics(provider: MeterProvider | undefined, withAll: boolean): RequestMetrics {
  let made: RequestMetrics | undefined
  const get = (): RequestMetrics => (made ??= createInstruments(provider ?? metrics, withAll))
  return {
    start: (attributes) => get().start(attributes),
    end: (attributes, ended) => get().end(attributes, ended),
  }
}

function createInstruments(provider: Pick<MeterProvider, 'getMeter'>, withAll: boolean): RequestMetrics {
  const meter = provider.getMeter(SCOPE, undefined, SCHEMA)
  const duration = meter.createHistogram('http.server.request.duration', {
    unit: 's',
    description: 'Duration of HTTP server requests.',
    advice: { explicitBucketBoundaries: DURATIONS },
  })
  const time = (attributes: Attributes, { duration: milliseconds }: EndedRequest): void => {
    if (milliseconds !== undefined) duration.record(milliseconds / 1000, attributes)
  }
  if (!withAll)
    return {
      start: () => undefined,
      end: (attributes, ended) => time(toAttributes(attributes, ended), ended),
    }
  const active = meter.createUpDownCounter('http.server.active_requests', {
    unit: '{request}',
    description: 'Number of active HTTP server requests.',
  })
  const requestSize = meter.createHistogram('http.server.request.body.size', {
    unit: 'By',
    description: 'Size of HTTP server request bodies.',
    advice: { explicitBucketBoundaries: SIZES },
  })
  const responseSize = meter.createHistogram('http.server.response.body.size', {
    unit: 'By',
    description: 'Size of HTTP server response bodies.',
    advice: { explicitBucketBoundaries: SIZES },
  })
  const changes = meter.createCounter('api.change', {
    unit: '{request}',
    description: 'Requests that a change between versions altered.',
  })
  return {
    start: (attributes) => active.add(1, toActive(attributes)),
    end: (arrived, ended) => {
      const attributes = toAttributes(arrived, ended)
      active.add(-1, toActive(arrived))
      time(attributes, ended)
      if (ended.requestSize !== undefined) requestSize.record(ended.requestSize, attributes)
      responseSize.record(ended.responseSize, attributes)
      const version = ended.added['api.version']
      for (const change of ended.changes) changes.add(1, { 'api.change': change, 'api.version': version })
    },
  }
}

/** The attributes that have few values. Hosts are left out, because anyone can send another one. */
function toAttributes(attributes: RequestAttributes, { added }: EndedRequest): Attributes {
  const { 'network.protocol.version': version } = attributes
  const all = Object.assign(toActive(attributes), added)
  if (version !== undefined) all['network.protocol.version'] = version
  return all
}

function toActive(attributes: RequestAttributes): Attributes {
  return {
    'http.request.method': attributes['http.request.method'],
    'url.scheme': attributes['url.scheme'],
  }
}

// The public types of octavo/metrics. npm run api writes this file, and nothing imports it.

export interface Metrics {
  readonly controller: Controller<'metrics', string, readonly []>
  readonly registry: Registry
}

export interface MetricsOptions {
  readonly durationBuckets?: readonly number[]
  readonly guards?: readonly AnyGuard[]
  readonly path?: string
  readonly processMetrics?: boolean
  readonly registry?: Registry
}

export function createMetrics(options?: MetricsOptions): Metrics

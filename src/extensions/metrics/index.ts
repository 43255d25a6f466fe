export { createMetrics } from './metrics.ts'
export type { Metrics, MetricsOptions } from './metrics.ts'

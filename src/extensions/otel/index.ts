export { openTelemetry } from './open-telemetry.ts'
export type { OpenTelemetryOptions, TracedStep } from './options.ts'

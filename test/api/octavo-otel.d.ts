// The public types of octavo/otel. npm run api writes this file, and nothing imports it.

export interface OpenTelemetryOptions {
  readonly meterProvider?: MeterProvider
  readonly metrics?: boolean | 'all'
  readonly outgoing?: boolean
  readonly spans?: readonly TracedStep[]
  readonly tracerProvider?: TracerProvider
}

export type TracedStep = 'guards' | 'input' | 'handler' | 'migrations'

export function openTelemetry(options?: OpenTelemetryOptions): Telemetry

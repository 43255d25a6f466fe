import type { MeterProvider, TracerProvider } from '@opentelemetry/api'

import { settlesWithin } from '../../base/async.ts'
import { isObject } from '../../base/values.ts'

/** The providers of spans and metrics. */
interface Providers {
  readonly tracerProvider: TracerProvider
  /** `undefined` if no metrics are recorded. */
  readonly meterProvider: MeterProvider | undefined
}

/** Milliseconds that a collector may take which answers late or never. */
const LONGEST_FLUSH = 2_000

/** Has providers send what waits to be sent with others. What cannot be sent is their business, and has a log of its own. */
export async function flush({ tracerProvider, meterProvider }: Providers): Promise<void> {
  const flushes = [tracerProvider, meterProvider].map(async (provider) => {
    const own = delegateOf(provider)
    if (isObject(own) && 'forceFlush' in own && typeof own.forceFlush === 'function') await own.forceFlush()
  })
  await settlesWithin(Promise.allSettled(flushes), LONGEST_FLUSH)
}

/** The provider behind the one that the API returns, which may be that of another copy of its package. */
function delegateOf(provider: unknown): unknown {
  return isProxy(provider) ? provider.getDelegate() : provider
}

function isProxy(provider: unknown): provider is { getDelegate(): unknown } {
  return isObject(provider) && 'getDelegate' in provider && typeof provider.getDelegate === 'function'
}

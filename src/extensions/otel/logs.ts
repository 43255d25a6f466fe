import { isSpanContextValid, trace } from '@opentelemetry/api'

import type { Logger } from '../../define/context.ts'

/** Returns the logger, whose lines carry the ids of the span that is active when they are logged. */
export function withTraceIds(logger: Logger): Logger {
  const child: unknown = 'child' in logger ? logger.child : undefined
  return typeof child === 'function' ? new ParentLogger(logger) : new TracedLogger(logger)
}

/** A class because one is made for each request that logs with a child of its own. */
class TracedLogger implements Logger {
  protected readonly logger: Logger

  constructor(logger: Logger) {
    this.logger = logger
  }

  debug(details: object, message?: string): void {
    return this.logger.debug(tagged(details), message)
  }

  info(details: object, message?: string): void {
    return this.logger.info(tagged(details), message)
  }

  warn(details: object, message?: string): void {
    return this.logger.warn(tagged(details), message)
  }

  error(details: object, message?: string): void {
    return this.logger.error(tagged(details), message)
  }
}

/** A logger that makes children, as pino does. */
class ParentLogger extends TracedLogger {
  child(bindings: object): unknown {
    const child: unknown = Reflect.get(this.logger, 'child')
    if (typeof child !== 'function') return undefined
    const made: unknown = Reflect.apply(child, this.logger, [bindings])
    return isLogger(made) ? new TracedLogger(made) : made
  }
}

function isLogger(value: unknown): value is Logger {
  return typeof value === 'object' && value !== null && 'info' in value && typeof value.info === 'function'
}

function tagged(details: object): object {
  const span = trace.getActiveSpan()
  if (span === undefined) return details
  const { traceId, spanId, ...rest } = span.spanContext()
  if (!isSpanContextValid({ traceId, spanId, ...rest })) return details
  return {
    ...(details instanceof Error ? { err: details } : details),
    trace_id: traceId,
    span_id: spanId,
  }
}

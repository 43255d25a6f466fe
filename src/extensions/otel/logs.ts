import { isSpanContextValid, trace } from '@opentelemetry/api'

import type { Logger } from '../../define/context.ts'
import { isLogger, TaggedLogger } from '../../server/logging/logger.ts'

/** Returns the logger, whose lines carry the ids of the span that is active when they are logged. */
export function withTraceIds(logger: Logger): Logger {
  const child: unknown = 'child' in logger ? logger.child : undefined
  return typeof child === 'function' ? new ParentLogger(logger) : new TracedLogger(logger)
}

class TracedLogger extends TaggedLogger {
  protected tag(details: object): object {
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

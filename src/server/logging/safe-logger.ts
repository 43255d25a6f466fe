import { ignoreFailure } from '../../base/values.ts'
import type { Logger } from '../../define/context.ts'

/** Anything that logs, such as a request. To ask for its log may throw too, because the `child` of a logger makes it. */
type Logs = { readonly log: Logger } | undefined

/**
 * Logs an error. Never throws and never rejects, because a logger that fails must not cost the answer or end the process. If the
 * details cannot be logged, the message is.
 */
export function logError(source: Logs, details: object, message: string | undefined): void {
  ignoreFailure(
    () => source?.log.error(details, message),
    () => source?.log.error({}, message),
  )
}

/** Creates a logger that does what the given one does, and never throws or rejects. */
export function toSafeLogger(logger: Logger): Logger {
  return {
    debug: (details, message) => ignoreFailure(() => logger.debug(details, message)),
    info: (details, message) => ignoreFailure(() => logger.info(details, message)),
    warn: (details, message) => ignoreFailure(() => logger.warn(details, message)),
    error: (details, message) => logError({ log: logger }, details, message),
  }
}

import { ignoreFailure } from '../async.ts'
import type { Logger } from '../define/context.ts'

/** Has the log tell of the first failure of a series, and of its end. */
export interface FailureLog {
  readonly failed: (log: Pick<Logger, 'error'>, err: unknown, operation?: string) => void
  readonly worked: (log: Pick<Logger, 'info'>, operation?: string) => void
}

/** Creates the log of a store, such as `'store of pins'`. Each operation has series of its own. */
export function createFailureLog(store: string): FailureLog {
  const failing = new Set<string | undefined>()
  return {
    failed: (log, err, operation) => {
      if (failing.has(operation)) return
      failing.add(operation)
      ignoreFailure(() => log.error({ err, ...fieldsOf(operation) }, `The ${store} fails`))
    },
    worked: (log, operation) => {
      if (failing.delete(operation))
        ignoreFailure(() => log.info(fieldsOf(operation), `The ${store} works again`))
    },
  }
}

function fieldsOf(operation: string | undefined): { readonly operation?: string } {
  return operation === undefined ? {} : { operation }
}

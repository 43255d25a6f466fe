import { ignoreFailure } from '../../base/values.ts'
import type { Logger } from '../../define/context.ts'
import { isClusterWorker } from '../../base/platform.ts'

/**
 * Creates the function to call when state is kept in the memory of the process. Its first call in a worker logs the warning, because the
 * other workers have memories of their own.
 */
export function createWorkerWarning(warning: string): (log: Pick<Logger, 'warn'>) => void {
  let isFirst = true
  return (log) => {
    if (!isFirst) return
    isFirst = false
    if (isClusterWorker()) ignoreFailure(() => log.warn({}, warning))
  }
}

import type { Logger } from '../../../define/context.ts'
import type { WorkerProcess } from './worker-process.ts'

/** A place for a worker. */
export interface Place {
  worker: WorkerProcess
  /** How many workers died here, one soon after the other. */
  deaths: number
}

/** What replaces workers by others. */
export interface Replacing {
  readonly places: readonly Place[]
  readonly logger: Logger
  /** Starts a worker. */
  readonly launch: () => WorkerProcess
  /** Says that the worker of a place listens, and sees to it that there is another when it dies. */
  readonly settle: (place: Place) => void
  /** Aborted when all workers end. */
  readonly ending: AbortSignal
}

import { setTimeout as delay } from 'node:timers/promises'

import type { Logger } from '../../../define/context.ts'
import { isListeningSoon, type WorkerProcess } from './worker-process.ts'

/** A place for a worker. */
export interface WorkerSlot {
  worker: WorkerProcess
  /** How many workers died here, one soon after the other. */
  deaths: number
}

export interface Replacing {
  readonly places: readonly WorkerSlot[]
  readonly logger: Logger
  /** Starts a worker. */
  readonly launch: () => WorkerProcess
  /** Registers the listening worker of a place, and replaces it when it dies. */
  readonly settle: (slot: WorkerSlot) => void
  /** Aborted when all workers end. */
  readonly ending: AbortSignal
}

/** Milliseconds before a worker is started again: none for the first time, then longer and longer. */
const PAUSE = { shortest: 100, longest: 10_000 } as const
/** Milliseconds after which a worker that dies is none that cannot live. */
const STABLE = 10_000
/** How often in a row workers may fail to start while none serves. */
const MAX_FAILURES = 5

/** Watches a listening worker and starts another when it dies. `giveUp` is called when no worker can be started any more. */
export function createRestart(
  { places, launch, logger, ending }: Omit<Replacing, 'settle'>,
  giveUp: () => Promise<never>,
): (slot: WorkerSlot) => void {
  /** How many starts failed since a worker listened. */
  let failures = 0
  const settle = (slot: WorkerSlot): void => {
    failures = 0
    logger.info(slot.worker.names, 'A worker listens')
    void watch(slot)
  }
  const watch = async (slot: WorkerSlot): Promise<void> => {
    const { worker } = slot
    const exit = await worker.ended
    if (ending.aborted || slot.worker !== worker) return
    logger.warn({ ...worker.names, ...exit }, 'A worker died')
    await restart(slot)
  }
  const restart = async (slot: WorkerSlot): Promise<void> => {
    const dead = slot.worker
    slot.deaths = dead.age() > STABLE ? 1 : slot.deaths + 1
    await delay(pauseAfter(slot.deaths), undefined, { signal: ending }).catch(() => undefined)
    if (ending.aborted || slot.worker !== dead) return
    const worker = launch()
    slot.worker = worker
    const listens = await isListeningSoon(worker)
    if (ending.aborted || slot.worker !== worker) return
    if (listens) return settle(slot)
    failures++
    logger.error({ ...worker.names, ...(await worker.ended) }, 'A worker could not start')
    if (failures < MAX_FAILURES || places.some((each) => each.worker.isListening())) return restart(slot)
    logger.error({ failures }, 'No worker can start: giving up')
    await giveUp()
  }
  return settle
}

/** Milliseconds to wait after so many deaths. */
function pauseAfter(deaths: number): number {
  return deaths < 2 ? 0 : Math.min(PAUSE.shortest * 2 ** (deaths - 2), PAUSE.longest)
}

/**
 * Creates the function that replaces the workers one after the other. Each old worker ends once its successor listens, so requests are always
 * served. A call during a replacement starts another one afterwards. `closeIdle` ends a worker and returns whether it ended well.
 */
export function createReload(
  replacing: Replacing,
  closeIdle: (worker: WorkerProcess) => Promise<boolean>,
): () => void {
  let asked = 0
  const work = async (): Promise<void> => {
    while (asked > 0) {
      asked = 1
      await replaceAll(replacing, closeIdle)
      asked--
    }
  }
  return () => {
    asked++
    if (asked === 1) void work()
  }
}

async function replaceAll(
  { places, launch, settle, logger, ending }: Replacing,
  closeIdle: (worker: WorkerProcess) => Promise<boolean>,
): Promise<void> {
  for (const place of places) {
    if (ending.aborted) return
    const successor = launch()
    const listens = await isListeningSoon(successor)
    if (ending.aborted) return
    if (!listens) {
      logger.error(successor.names, 'A new worker could not start: the old ones go on')
      return
    }
    const { worker } = place
    place.worker = successor
    place.deaths = 0
    settle(place)
    if (!(await closeIdle(worker)) && !ending.aborted) logger.warn(worker.names, 'A worker did not end well')
  }
  logger.info({ workers: places.length }, 'All workers are new')
}

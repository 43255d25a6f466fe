import type { Replacing } from './place.ts'
import { isListeningSoon } from './worker-process.ts'
import type { WorkerProcess } from './worker-process.ts'

/**
 * Makes what replaces the workers one after the other, each once its successor listens, so that requests always find one. Asked again
 * meanwhile, it does so once more after. `leave` ends a worker and gives whether it ended well.
 */
export function createReload(
  replacing: Replacing,
  leave: (worker: WorkerProcess) => Promise<boolean>,
): () => void {
  let asked = 0
  const work = async (): Promise<void> => {
    while (asked > 0) {
      asked = 1
      await replaceAll(replacing, leave)
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
  leave: (worker: WorkerProcess) => Promise<boolean>,
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
    if (!(await leave(worker)) && !ending.aborted) logger.warn(worker.names, 'A worker did not end well')
  }
  logger.info({ workers: places.length }, 'All workers are new')
}

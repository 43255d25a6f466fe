import { setTimeout as delay } from 'node:timers/promises'

import type { Place, Replacing } from './place.ts'
import { isListeningSoon } from './worker-process.ts'

/** Milliseconds before a worker is started again: none for the first time, then longer and longer. */
const PAUSE = { shortest: 100, longest: 10_000 } as const
/** Milliseconds after which a worker that dies is none that cannot live. */
const STABLE = 10_000
/** How often in a row workers may fail to start while none serves. */
const MAX_FAILURES = 5

/** Makes what watches a worker that listens, and starts another when it dies. `giveUp` is called when none can be started any more. */
export function createRestart(
  { places, launch, logger, ending }: Omit<Replacing, 'settle'>,
  giveUp: () => Promise<never>,
): (place: Place) => void {
  /** How many starts failed since a worker listened. */
  let failures = 0
  const settle = (place: Place): void => {
    failures = 0
    logger.info(place.worker.names, 'A worker listens')
    void watch(place)
  }
  const watch = async (place: Place): Promise<void> => {
    const { worker } = place
    const exit = await worker.ended
    if (ending.aborted || place.worker !== worker) return
    logger.warn({ ...worker.names, ...exit }, 'A worker died')
    await restart(place)
  }
  const restart = async (place: Place): Promise<void> => {
    const dead = place.worker
    place.deaths = dead.age() > STABLE ? 1 : place.deaths + 1
    await delay(pauseAfter(place.deaths), undefined, { signal: ending }).catch(() => undefined)
    if (ending.aborted || place.worker !== dead) return
    const worker = launch()
    place.worker = worker
    const listens = await isListeningSoon(worker)
    if (ending.aborted || place.worker !== worker) return
    if (listens) return settle(place)
    failures++
    logger.error({ ...worker.names, ...(await worker.ended) }, 'A worker could not start')
    if (failures < MAX_FAILURES || places.some((each) => each.worker.isListening())) return restart(place)
    logger.error({ failures }, 'No worker can start: giving up')
    await giveUp()
  }
  return settle
}

/** Milliseconds to wait after so many deaths. */
function pauseAfter(deaths: number): number {
  return deaths < 2 ? 0 : Math.min(PAUSE.shortest * 2 ** (deaths - 2), PAUSE.longest)
}

/** How the process is asked to end: by closing, after draining, or after others have taken over. */
export type ShutdownMode = 'close' | 'drain' | 'closeIdle'

/** Something that ends with the process, such as an application. */
export interface Endable {
  /** Returns whether all work under way was finished; rejects when something could not be ended. */
  readonly end: (mode: ShutdownMode) => Promise<boolean>
}

/** Applications that signals end. */
const endables = new Set<Endable>()
/** Who decides instead of the signals: the process that this one is a worker of. */
let isManaged = false
let beforeExit: (() => Promise<unknown>) | undefined
let ending: Promise<void> | undefined

/** Milliseconds that other listeners of a signal may take longer, such as an SDK that sends its last metrics. */
const LONGEST_WAIT = 2_000

/**
 * Ends an application on SIGTERM and SIGINT, then the process: with 0 when everything that was under way has finished, else with 1.
 * If others listen to the signal, the process ends when nothing is left to do, or after `LONGEST_WAIT`. A second signal ends it at
 * once, with 1. Returns the function that forgets the application.
 */
export function endOnSignals(endable: Endable): () => void {
  // first, to see the listeners that are called once
  if (endables.size === 0 && ending === undefined)
    process.prependListener('SIGTERM', onSignal).prependListener('SIGINT', onSignal)
  endables.add(endable)
  return () => {
    endables.delete(endable)
    if (endables.size === 0 && ending === undefined) process.off('SIGTERM', onSignal).off('SIGINT', onSignal)
  }
}

export function isProcessEnding(): boolean {
  return ending !== undefined
}

/** Ends everything and the process, once. `hasOthers` is for a signal that others are ending by too. */
export function endProcess(mode: ShutdownMode, hasOthers = false): void {
  ending ??= endAll(mode, hasOthers)
}

/**
 * Leaves it to another process to end this one: a signal that reaches both, as Ctrl+C does, says nothing to this one, and SIGTERM
 * asks it to end no more than once. `last` is waited for before the process ends.
 */
export function leaveSignalsToOthers(last: () => Promise<unknown>): void {
  isManaged = true
  beforeExit = last
}

function onSignal(signal: NodeJS.Signals): void {
  if (!isManaged && ending !== undefined) process.exit(1)
  if (!isManaged || signal === 'SIGTERM') endProcess('drain', process.listenerCount(signal) > 1)
}

async function endAll(mode: ShutdownMode, hasOthers: boolean): Promise<void> {
  const ends = await Promise.allSettled([...endables].map((endable) => endable.end(mode)))
  await beforeExit?.()
  process.exitCode = ends.every((end) => end.status === 'fulfilled' && end.value) ? 0 : 1
  if (hasOthers) setTimeout(() => process.exit(), LONGEST_WAIT).unref()
  else process.exit()
}

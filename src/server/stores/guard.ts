import { ignoreFailure, isPromise, withTimeout, type Awaitable } from '../../base/values.ts'
import type { Logger } from '../../define/context.ts'
import { processObserver, type StoreCallEnd } from '../../define/observer.ts'
import { isClusterWorker } from '../../base/platform.ts'

interface StoreCall<T> {
  /** Calls of one operation fail together: a store may be readable and not take anything. */
  readonly operation: string
  readonly work: () => Awaitable<T>
  /** `undefined` if whoever asks gets the error. */
  readonly log: Pick<Logger, 'error' | 'info'> | undefined
  /** Milliseconds until the call has failed. @default those of the guard */
  readonly time?: number | undefined
}

/** Calls a store, synchronously if the store is synchronous. If the call fails, `failed` makes the result. */
export type StoreGuard = <T, F>(call: StoreCall<T>, failed: (cause: unknown) => F) => Awaitable<T | F>

/** Time limits that pass without any answer before calls are skipped. */
const MOST_TIMEOUTS = 3

/** Milliseconds between two tries of a store that does not answer: ten time limits, and no more than this. */
const LONGEST_PAUSE = 10_000

/** Creates the function that reports the end of a call that begins now. */
function createReport(store: string, operation: string): (outcome: StoreCallEnd['outcome']) => void {
  const { store: report } = processObserver()
  if (report === undefined) return () => undefined
  const started = performance.now()
  return (outcome) => report({ store, operation, outcome, duration: performance.now() - started })
}

/** The state of an operation. */
interface State {
  /** Whether the log has its failure. */
  isFailing: boolean
  answers: number
  /** Time limits that have passed since the last answer. */
  timeouts: number
  /** Whether a request tries a store that does not answer. */
  isTried: boolean
  /** When the next one may, on the clock of `performance.now()`. */
  next: number
}

const NEW: State = { isFailing: false, answers: 0, timeouts: 0, isTried: false, next: 0 }

/**
 * Creates the guard of the store of something, such as `'pins'`. Calls fail after `limit` milliseconds. The log has the first failure of a series,
 * and its end. After three time limits without an answer, further calls fail at once, so that a store that hangs costs few requests their
 * time. One request at a time tries again, and an answer ends this, however late it comes.
 */
export function createStoreGuard(store: string, limit: number): StoreGuard {
  const states = new Map<string, State>()
  return ({ operation, work, log, time = limit }, failed) => {
    const state = states.get(operation) ?? { ...NEW }
    states.set(operation, state)
    const isTry = state.timeouts >= MOST_TIMEOUTS
    const report = createReport(store, operation)
    if (isTry && (state.isTried || performance.now() < state.next)) {
      report('skipped')
      return failed(new Error(SKIPPED))
    }
    state.isTried = isTry
    const { answers } = state
    let isPending = false
    let isLate = false
    const worked = (): void => {
      isPending = false
      state.answers++
      state.timeouts = 0
      if (!isLate) report('ok')
      if (!state.isFailing || log === undefined) return
      state.isFailing = false
      ignoreFailure(() => log.info({ operation }, `The store of ${store} works again`))
    }
    const fail = (err: unknown): ReturnType<typeof failed> => {
      if (isTry) state.isTried = false
      if (isPending) {
        isLate = true
        // others may have been answered meanwhile
        if (state.answers === answers) state.timeouts++
        state.next = performance.now() + Math.min(10 * limit, LONGEST_PAUSE)
      }
      report(isLate ? 'timeout' : 'failed')
      if (!state.isFailing && log !== undefined) {
        state.isFailing = true
        ignoreFailure(() => log.error({ err, operation }, `The store of ${store} fails`))
      }
      return failed(err)
    }
    try {
      const made = work()
      if (isPromise(made)) {
        isPending = true
        made.then(worked, () => {
          isPending = false
          state.next = 0
        })
        return withTimeout(time, Promise.resolve(made)).catch(fail)
      }
      worked()
      return made
    } catch (error) {
      return fail(error)
    }
  }
}

const SKIPPED = 'The store gave no answer in time, and is tried again later'

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

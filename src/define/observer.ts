import { shared } from '../base/copies.ts'
import type { Awaitable } from '../base/values.ts'
import type { FinishedResponse, RawRequest } from '../http/http.ts'
import type { VersionResolved } from '../versioning/options.ts'
import type { ExecutionContext } from './context.ts'

/** A request as observers see it. */
export interface ObservedContext extends ExecutionContext {
  /** How the request wrote its version. `undefined` if it named none. */
  readonly spelling: string | undefined
  /** Whether the version is one that is kept for the client. */
  readonly isPinned?: true
  /** Whether a brownout refuses the request. */
  readonly isBrownedOut?: boolean
  /**
   * The ids of the changes that altered the request or its response so far, in an application with `usage` or `telemetry`. Events of a
   * stream add to them until its end.
   */
  readonly alteredBy?: ReadonlySet<string>
  /** The record of telemetry about the request. */
  telemetry?: object
  /** Has something done when the response has ended. */
  readonly atEnd: (work: () => Awaitable<void>) => void
}

/** A call of a store has ended. */
export interface StoreCallEnd {
  /** The entries that the store has, such as `'sessions'`. */
  readonly store: string
  readonly operation: string
  /** `skipped`: the store gave no answer several times, so it was not called. */
  readonly outcome: 'ok' | 'failed' | 'timeout' | 'skipped'
  /** Milliseconds. */
  readonly duration: number
}

/** A change has loaded data, or failed to. */
interface ChangeLoad {
  /** The id of the change. */
  readonly change: string
  /** Milliseconds. */
  readonly duration: number
}

/**
 * Something that is told what happens to requests: the log, the diagnostics channels, usage, metrics, telemetry. If an observer throws,
 * the request goes on.
 */
export interface Observer {
  /** Runs a request, and all else that observes it. Calls `answer` once, at once, and returns its response, whose body it may replace. */
  readonly run?:
    | ((
        context: ObservedContext,
        answer: () => Awaitable<FinishedResponse>,
        raw: RawRequest,
      ) => Awaitable<FinishedResponse>)
    | undefined
  /** A request has arrived. Its route is not known yet. */
  readonly start?: ((context: ObservedContext) => void) | undefined
  /** A version was found to answer. */
  readonly matched?: ((context: ObservedContext, version: VersionResolved) => void) | undefined
  /** Something was thrown while a request was answered. */
  readonly error?: ((context: ObservedContext, error: unknown) => void) | undefined
  /** The response is ready to be sent, `duration` milliseconds after the request was received. */
  readonly end?:
    | ((context: ObservedContext, response: FinishedResponse, duration: number) => void)
    | undefined
  /** A call of a store has ended. Only observers of the process are told of it, because applications may share a store. */
  readonly store?: ((call: StoreCallEnd) => void) | undefined
  /** A change has loaded data. Only observers of the process are told of it, because applications may share a history. */
  readonly load?: ((load: ChangeLoad) => void) | undefined
  /** A session was stored for the first time, or removed by `destroy`. Only observers of the process are told of it. */
  readonly session?: ((event: 'started' | 'ended') => void) | undefined
}

/** The observers of all applications of the process. */
interface ProcessObservers {
  list: readonly Observer[]
  isListening: boolean
  /** The whole list as one. */
  all: Observer
}

const everywhere = /* @__PURE__ */ shared('observers', (): ProcessObservers => ({
  list: [],
  isListening: false,
  all: {},
}))

/** Adds an observer of all applications of the process, for as long as it runs. */
export function observeProcess(observer: Observer): void {
  everywhere.list = [...everywhere.list, observer]
  everywhere.isListening = true
  everywhere.all = joinObservers(everywhere.list)
}

/** Returns the observers of the process as one. */
export function processObserver(): Pick<Observer, 'store' | 'load' | 'session'> {
  return everywhere.all
}

/** An observer that may have no listener. */
export interface IdleObserver extends Observer {
  readonly isListening: () => boolean
}

/**
 * Creates the function that returns the observer of an arriving request: the observers of its application and of the process as one,
 * `undefined` if there is none. `channels` are left out while they have no listener.
 */
export function createObserverSource(
  own: readonly Observer[],
  channels: IdleObserver,
): () => Observer | undefined {
  const alone = own.length === 0 ? undefined : joinObservers(own)
  let known: readonly Observer[] | undefined
  let joined: Observer | undefined
  const joinAll = (): Observer | undefined => {
    if (known !== everywhere.list) joined = joinObservers([...own, ...everywhere.list, channels])
    known = everywhere.list
    return joined
  }
  return () => (everywhere.isListening || channels.isListening() ? joinAll() : alone)
}

/** Several observers as one, which has the members that any of them has. */
function joinObservers(list: readonly Observer[]): Observer {
  return {
    run: list.find(({ run }) => run !== undefined)?.run,
    start: joinCalls(list.map(({ start }) => start)),
    matched: joinCalls(list.map(({ matched }) => matched)),
    error: joinCalls(list.map(({ error }) => error)),
    end: joinCalls(list.map(({ end }) => end)),
    store: joinCalls(list.map(({ store }) => store)),
    load: joinCalls(list.map(({ load }) => load)),
    session: joinCalls(list.map(({ session }) => session)),
  }
}

type Call<A, B, C> = (first: A, second: B, third: C) => void

// by the number of arguments: a list of them would be made for every request
function joinCalls<A>(calls: readonly (((first: A) => void) | undefined)[]): ((first: A) => void) | undefined
function joinCalls<A, B>(
  calls: readonly (((first: A, second: B) => void) | undefined)[],
): ((first: A, second: B) => void) | undefined
function joinCalls<A, B, C>(calls: readonly (Call<A, B, C> | undefined)[]): Call<A, B, C> | undefined
function joinCalls<A, B, C>(calls: readonly (Call<A, B, C> | undefined)[]): Call<A, B, C> | undefined {
  const known = calls.flatMap((call) => call ?? [])
  const [only] = known
  if (only === undefined) return undefined
  const safe =
    (call: Call<A, B, C>): Call<A, B, C> =>
    (first, second, third) => {
      try {
        call(first, second, third)
      } catch {
        // such as a logger, or what a request says of itself: neither costs the client the response
      }
    }
  if (known.length === 1) return safe(only)
  const all = known.map(safe)
  return (first, second, third) => {
    for (const call of all) call(first, second, third)
  }
}

import type { ExecutionContext } from '../../define/context.ts'
import { ignoreRejection, settlesWithin } from '../../base/values.ts'

/** Something that ends with the application, such as a server. */
interface Closable {
  /**
   * Stops accepting, waits up to `grace` milliseconds for requests in flight. Resolves to whether all of them finished. Calls `onBreak`
   * before it breaks off what is left.
   */
  close(grace: number, closeIdle?: number, onBreak?: () => void): Promise<boolean>
}

/** How an application ends; all times in milliseconds. */
interface CloseTimes {
  /** Before anything closes: the readiness route says 503, and everything is still answered. */
  readonly drain: number
  /** After no connection is accepted any more: requests on kept connections are answered, which ends these. */
  readonly closeIdle: number
  /** For requests under way to finish. */
  readonly grace: number
}

/** A request whose code may continue after its client has gone. */
export interface Abandonable extends Pick<
  ExecutionContext,
  'requestId' | 'request' | 'originalPath' | 'version' | 'route' | 'client'
> {
  /** Fires when the client no longer waits for the response. */
  readonly signal: AbortSignal
  /** Ends what lives for the request, whatever its code still does. */
  readonly abandon: () => Promise<void> | undefined
}

/** How an application has ended. */
interface CloseResult {
  /** Whether all work finished. */
  readonly isClean: boolean
  /** The requests that were under way when the grace time was over. */
  readonly broken: readonly Abandonable[]
}

/** Registers work under way, which may belong to a request. Returns the function that ends it. */
type TrackWork = (request?: Abandonable) => () => void

/** How far an application is, and what is under way in it. */
export interface Lifecycle {
  /** Whether the application refuses new requests. */
  readonly isClosing: () => boolean
  /** Whether connections end with their present answer: while the application drains, and once it closes. */
  readonly isEnding: () => boolean
  /** Whether the application takes the requests that others might send elsewhere: not before it has started, nor once it ends. */
  readonly isReady: () => boolean
  /** Registers work under way, which may belong to a request. Returns the function that ends it. */
  readonly trackWork: TrackWork
  /** Calls `work` when the application starts to refuse new requests, or at once if it does already. Returns the function that cancels the call. */
  readonly whenClosing: (work: () => void) => () => void
  /** Registers the cleanup that runs once everything has started and the last request has ended. If it rejects, `close` rejects too. */
  readonly atEnd: (end: () => Promise<void>) => void
  /** @throws `Error` when the application has closed meanwhile; then the server is closed too. */
  readonly add: (server: Closable) => void
  /** Closes every server, waits for running work, up to `grace` milliseconds in all, then runs the cleanups. Idempotent. */
  readonly close: (grace: number) => Promise<void>
  /** Closes after a time in which clients may disconnect. Idempotent. */
  readonly end: (ending: CloseTimes) => Promise<CloseResult>
}

/** Creates the life cycle of an application that is open. */
export function createLifecycle(): Lifecycle {
  const servers = new Set<Closable>()
  const closers = new Set<() => void>()
  const idle = createIdle()
  let isDraining = false
  let isClosing = false
  let finished: Promise<CloseResult> | undefined
  let closed: Promise<void> | undefined
  let skipDrain: (() => void) | undefined
  let end: (() => Promise<void>) | undefined
  let hasFinished = false
  const finish = async (grace: number, closeIdle: number): Promise<CloseResult> => {
    const started = performance.now()
    const broken = new Set<Abandonable>()
    const onBreak = (): void => idle.requests().forEach((request) => broken.add(request))
    for (const work of closers) work()
    idle.abandonLost()
    const clean = await Promise.all([...servers].map((server) => server.close(grace, closeIdle, onBreak)))
    const left = Math.max(0, closeIdle + grace - (performance.now() - started))
    const isIdle = await settlesWithin(idle.reached(), left)
    if (!isIdle) onBreak()
    hasFinished = true
    await end?.()
    return { isClean: isIdle && clean.every(Boolean), broken: [...broken] }
  }
  const close = (grace: number, closeIdle = 0): Promise<CloseResult> => {
    skipDrain?.()
    isClosing = true
    return (finished ??= finish(grace, closeIdle))
  }
  return {
    isClosing: () => isClosing,
    isEnding: () => isDraining || isClosing,
    isReady: () => end !== undefined && !isDraining && !isClosing,
    trackWork: idle.trackWork,
    whenClosing: (work) => {
      if (isClosing) work()
      else closers.add(work)
      return () => void closers.delete(work)
    },
    atEnd: (work) => {
      end = work
      // an application that took longer to start than closing waits
      if (hasFinished) ignoreRejection(work())
    },
    add: (server) => {
      servers.add(server)
      if (isClosing) failClosed(server)
    },
    close: (grace) => (closed ??= close(grace).then(() => undefined)),
    end: async ({ drain, closeIdle, grace }) => {
      if (drain > 0 && servers.size > 0 && !isClosing) {
        isDraining = true
        await settlesWithin(new Promise<void>((resolve) => (skipDrain = resolve)), drain)
      }
      return close(grace, closeIdle)
    },
  }
}

/** Closes what began to listen too late. */
function failClosed(server: Closable): never {
  void server.close(0)
  throw new Error('The application is closed')
}

/** Milliseconds for work to end by itself once its client has gone. */
const PATIENCE = 1_000

/** The functions that know the work under way. */
interface Idle extends Pick<Lifecycle, 'trackWork'> {
  /** From now on, ends what belongs to requests whose signal has fired and that still run a second later. */
  readonly abandonLost: () => void
  /** Resolves as soon as nothing is under way. */
  readonly reached: () => Promise<void>
  /** The requests under way. */
  readonly requests: () => readonly Abandonable[]
}

/** Stands for work that belongs to no request. */
interface Unrequested {
  readonly signal?: undefined
}

function createIdle(): Idle {
  // a request in an array whose slots are used again costs no allocation, unlike one in a set
  const slots: (Abandonable | Unrequested | undefined)[] = []
  const free: number[] = []
  let settled: (() => void) | undefined
  let isClosing = false
  const isIdle = (): boolean => free.length === slots.length
  const finish = (slot: number, work: Abandonable | Unrequested): void => {
    // the slot may be another's by now
    if (slots[slot] !== work) return
    slots[slot] = undefined
    free.push(slot)
    if (settled !== undefined && isIdle()) settled()
  }
  const watch = (slot: number, work: Abandonable | Unrequested): void => {
    const { signal } = work
    if (signal === undefined) return
    const end = async (): Promise<void> => {
      if (slots[slot] === work) await work.abandon()
      finish(slot, work)
    }
    const abandon = (): void => void setTimeout(end, PATIENCE)
    if (signal.aborted) abandon()
    else signal.addEventListener('abort', abandon, { once: true })
  }
  const begin = (work: Abandonable | Unrequested): (() => void) => {
    const slot = free.pop() ?? slots.length
    slots[slot] = work
    if (isClosing) watch(slot, work)
    return () => finish(slot, work)
  }
  return {
    trackWork: (request) => begin(request ?? {}),
    abandonLost: () => {
      isClosing = true
      for (const [slot, work] of slots.entries()) if (work !== undefined) watch(slot, work)
    },
    reached: () =>
      new Promise((resolve) => {
        settled = resolve
        if (isIdle()) resolve()
      }),
    requests: () => slots.filter((work) => work?.signal !== undefined),
  }
}

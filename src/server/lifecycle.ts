import { setTimeout as delay } from 'node:timers/promises'

import { isPromise } from '../http.ts'
import type { Dispatch } from './dispatch.ts'
import type { Listening } from './node/listen.ts'

/** How far an application is, and what is under way in it. */
export interface Lifecycle {
  readonly isClosing: () => boolean
  /** Says that something is under way; gives the function that says it no longer is. */
  readonly hold: () => () => void
  /** What has to be done when nothing is under way any more; may reject, and `close` with it. */
  readonly atEnd: (end: () => Promise<void>) => void
  /** The dispatcher, counting what is under way. */
  readonly counted: (dispatch: Dispatch) => Dispatch
  /** @throws `Error` when the application has closed meanwhile; then the server is closed too. */
  readonly add: (server: Listening) => void
  /**
   * Closes every server, then waits for what is under way, up to `grace` milliseconds in all, then does what has to be done at the
   * end. Idempotent.
   */
  readonly close: (grace: number) => Promise<void>
}

/** Makes the life cycle of an application that is open. */
export function createLifecycle(): Lifecycle {
  const servers = new Set<Listening>()
  let underWay = 0
  let closed: Promise<void> | undefined
  let settled: (() => void) | undefined
  let end: (() => Promise<void>) | undefined
  let hasFinished = false
  const leave = (): void => {
    underWay--
    if (underWay === 0) settled?.()
  }
  const finish = async (grace: number): Promise<void> => {
    const timer = new AbortController()
    const idle = new Promise<void>((resolve) => {
      settled = resolve
      if (underWay === 0) resolve()
    })
    const late = delay(grace, undefined, { signal: timer.signal }).catch(() => undefined)
    await Promise.all([...servers].map((server) => server.close(grace)))
    await Promise.race([idle, late])
    timer.abort()
    hasFinished = true
    await end?.()
  }
  return {
    isClosing: () => closed !== undefined,
    hold: () => {
      underWay++
      let isHeld = true
      return () => {
        if (isHeld) leave()
        isHeld = false
      }
    },
    atEnd: (work) => {
      end = work
      // an application that took longer to start than closing waits
      if (hasFinished) work().catch(() => undefined)
    },
    counted: (dispatch) => (raw) => {
      const exchange = dispatch(raw)
      if (isPromise(exchange.response)) {
        underWay++
        void exchange.response.then(leave, leave)
      }
      return exchange
    },
    add: (server) => {
      servers.add(server)
      if (closed === undefined) return
      void server.close(0)
      throw new Error('The application is closed')
    },
    close: (grace) => (closed ??= finish(grace)),
  }
}

/** What signals close, in all applications of the process. */
const closers = new Set<() => Promise<void>>()
let signalled = false

/**
 * Closes the application on SIGTERM and SIGINT, then ends the process; a second signal ends it at once. Gives the function that
 * forgets it.
 */
export function closeOnSignals(close: () => Promise<void>): () => void {
  const closer = (): Promise<void> => close()
  if (closers.size === 0 && !signalled) process.on('SIGTERM', stop).on('SIGINT', stop)
  closers.add(closer)
  return () => {
    closers.delete(closer)
    if (closers.size === 0 && !signalled) process.off('SIGTERM', stop).off('SIGINT', stop)
  }
}

function stop(): void {
  if (signalled) process.exit(1)
  signalled = true
  void Promise.all([...closers].map((close) => close())).then(
    () => process.exit(0),
    () => process.exit(1),
  )
}

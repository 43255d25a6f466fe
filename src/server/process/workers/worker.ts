import cluster from 'node:cluster'

import { endProcess, leaveSignalsToOthers, type ShutdownMode } from '../signals.ts'
import { settlesWithin, toRecord } from '../../../base/values.ts'

/** The dealings of a worker with the process that keeps it. */
interface Membership {
  /** The port to use for port 0. */
  readonly sharedPort: number
  readonly reportListening: (url: string) => void
}

let hasJoined = false

/** Turns this process into a worker that ends on request, or when its parent has gone. */
export function joinPool(): Membership {
  const { worker } = cluster
  const membership: Membership = {
    sharedPort: Number(process.env[WORKER_VARIABLE]),
    reportListening: (url) => void process.send?.({ octavo: 'listens', url } satisfies Listens),
  }
  if (hasJoined) return membership
  hasJoined = true
  leaveSignalsToOthers(takeLeave)
  // a terminal that is closed tells every process
  process.on('SIGHUP', () => undefined)
  process.on('message', (message) => {
    const mode = readEnd(message)
    if (mode !== undefined) endProcess(mode)
  })
  worker?.once('disconnect', () => {
    // or node:cluster would end the process in the midst of its requests
    worker.exitedAfterDisconnect = true
    endProcess('close')
  })
  return membership
}

const lastMessages = new Set<() => Promise<unknown>>()

/** Has a worker that ends call a function when all its requests are answered. Messages that it sends before it settles still arrive. */
export function beforeFarewell(send: () => Promise<unknown>): void {
  lastMessages.add(send)
}

/** Milliseconds that the process may take which keeps this one. */
const LONGEST_FAREWELL = 1_000

/**
 * Waits until the process that keeps this one gives it no connections any more: those that are on their way go to others then, and
 * would be lost with this process.
 */
async function takeLeave(): Promise<void> {
  if (!process.connected) return
  await settlesWithin(Promise.allSettled([...lastMessages].map((send) => send())), LONGEST_FAREWELL)
  const answered = new Promise<void>((resolve) => {
    process.on('message', (message) => {
      if (isFarewell(message)) resolve()
    })
    process.once('disconnect', resolve)
  })
  process.send?.({ octavo: 'farewell' } satisfies Farewell)
  await settlesWithin(answered, LONGEST_FAREWELL)
}

/** The environment variable that makes a process a worker of this framework. It holds the port for workers that ask for any. */
export const WORKER_VARIABLE = 'OCTAVO_WORKER'

const MODES: readonly ShutdownMode[] = ['close', 'drain', 'closeIdle']

interface Listens {
  readonly octavo: 'listens'
  readonly url: string
}

/** The message that asks a worker to end. */
export interface End {
  readonly octavo: 'end'
  readonly mode: ShutdownMode
}

/** The message of a worker before it ends, and its answer: all that was sent to it before has arrived then. */
export interface Farewell {
  readonly octavo: 'farewell'
}

/** Whether a message is a {@link Farewell}. */
export function isFarewell(message: unknown): boolean {
  return toRecord(message)['octavo'] === 'farewell'
}

/** The URL that a worker says it listens at, or `undefined` for any other message. */
export function readListens(message: unknown): string | undefined {
  const { octavo, url } = toRecord(message)
  return octavo === 'listens' && typeof url === 'string' ? url : undefined
}

/** How a worker is told to end, or `undefined` for any other message. */
function readEnd(message: unknown): ShutdownMode | undefined {
  const { octavo, mode } = toRecord(message)
  return octavo === 'end' ? MODES.find((each) => each === mode) : undefined
}

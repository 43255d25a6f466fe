import { toRecord } from '../../../base/values.ts'
import type { ShutdownMode } from '../signals.ts'

/** The environment variable that makes a process a worker of this framework; it holds the port for those who ask for any. */
export const WORKER_VARIABLE = 'OCTAVO_WORKER'

const MODES: readonly ShutdownMode[] = ['close', 'drain', 'closeIdle']

export interface Listens {
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
export function readEnd(message: unknown): ShutdownMode | undefined {
  const { octavo, mode } = toRecord(message)
  return octavo === 'end' ? MODES.find((each) => each === mode) : undefined
}

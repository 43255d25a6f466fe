import { constants, fstatSync, openSync, writeSync } from 'node:fs'
import { isatty } from 'node:tty'

import { errnoOf } from '../../base/values.ts'

/** Standard output or standard error. */
export type OutputFd = 1 | 2

/** Writes the beginning of some bytes and returns how many were taken. Throws `EAGAIN` instead of waiting for a reader. */
type Write = (bytes: Uint8Array) => number

/** Bytes that a pipe takes or refuses as a whole: PIPE_BUF of Linux. */
const ATOMIC = 4096

/**
 * Opens an output for writes that do not wait.
 *
 * Processes inherit pipes in blocking mode. The mode belongs to the open file description, which they share, and Node makes it
 * blocking again whenever a process with the same output starts or ends. Opening a pipe or a terminal again creates another
 * description. A socket cannot be opened again, so it is made non-blocking before each write, as Node does for `process.stdout`.
 *
 * @throws `ENXIO` if a pipe has no reader
 */
export function openUnblocked(fd: OutputFd): Write {
  const stats = fstatSync(fd)
  const isPipe = stats.isFIFO()
  // workers share the output of the process that they have a channel to
  const put = process.connected ? writeLines : writeSync
  const own = isPipe || isatty(fd) ? reopen(fd, isPipe) : undefined
  if (own !== undefined) return (bytes) => put(own, bytes)
  const handle = isPipe || stats.isSocket() ? handleOf(fd) : undefined
  if (handle === undefined) return (bytes) => writeSync(fd, bytes)
  return (bytes) => {
    handle.setBlocking(false)
    return put(fd, bytes)
  }
}

/** Writes as many whole lines as a full pipe cannot cut, so that the lines of processes that share it stay whole. */
function writeLines(fd: number, bytes: Uint8Array): number {
  const end = bytes.length > ATOMIC ? bytes.lastIndexOf(0x0a, ATOMIC - 1) + 1 : 0
  return writeSync(fd, end > 0 ? bytes.subarray(0, end) : bytes)
}

/** Opens the file behind a descriptor again, or `undefined` if the system or its permissions don't allow it. */
function reopen(fd: OutputFd, isPipe: boolean): number | undefined {
  // elsewhere, /dev/fd duplicates the descriptor and ignores the flags
  if (process.platform !== 'linux') return undefined
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants
  try {
    return openSync(`/proc/self/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY)
  } catch (error) {
    if (isPipe && errnoOf(error) === 'ENXIO') throw error
    return undefined
  }
}

/** The part of libuv's handles that is needed here. */
interface Handle {
  readonly setBlocking: (isBlocking: boolean) => number
}

/** The handle of `process.stdout` or `process.stderr`. Worker threads have none, and on Windows it does not change `writeSync`. */
function handleOf(fd: OutputFd): Handle | undefined {
  if (process.platform === 'win32') return undefined
  const stream: object = fd === 1 ? process.stdout : process.stderr
  const handle: unknown = '_handle' in stream ? stream._handle : undefined
  return isHandle(handle) ? handle : undefined
}

function isHandle(value: unknown): value is Handle {
  return (
    typeof value === 'object' &&
    value !== null &&
    'setBlocking' in value &&
    typeof value.setBlocking === 'function'
  )
}

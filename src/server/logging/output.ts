import { constants, fstatSync, openSync, writeSync } from 'node:fs'
import { isatty } from 'node:tty'

/** Standard output or standard error. */
export type OutputFd = 1 | 2

/** Writes bytes from an offset on and returns how many were taken. Throws `EAGAIN` instead of waiting for a reader. */
type Write = (bytes: Uint8Array, start: number) => number

/** Bytes that a pipe takes or refuses as a whole: PIPE_BUF of Linux. */
const ATOMIC = 4096
const LINE_FEED = 10

/** Writes to standard output or standard error without waiting, and keeps the bytes that the reader has not taken yet. */
export class Output {
  readonly #fd: OutputFd
  readonly #chunks: Uint8Array[] = []
  /** How many bytes of the first chunk are written. */
  #start = 0
  #size = 0
  #write: Write | undefined

  constructor(fd: OutputFd) {
    this.#fd = fd
  }

  /** Bytes that wait for the reader. */
  get size(): number {
    return this.#size
  }

  /** Appends bytes to those that wait. Nothing is written before `drain`. */
  push(bytes: Uint8Array): void {
    this.#chunks.push(bytes)
    this.#size += bytes.length
  }

  /** Writes until the reader takes no more, and returns whether it took anything. */
  drain(): boolean {
    const before = this.#size
    try {
      this.#writeAll()
    } catch (error) {
      if (codeOf(error) === 'EAGAIN') return this.#size < before
      // the reader is gone or the disk is full, so there is no place left to report it
      this.#chunks.length = 0
      this.#start = 0
      this.#size = 0
    }
    return true
  }

  #writeAll(): void {
    for (let chunk = this.#chunks[0]; chunk !== undefined; chunk = this.#chunks[0]) {
      this.#write ??= openWrite(this.#fd)
      const count = this.#write(chunk, this.#start)
      this.#size -= count
      this.#start += count
      if (this.#start < chunk.length) continue
      this.#chunks.shift()
      this.#start = 0
    }
  }
}

/**
 * Opens an output for writes that do not wait.
 *
 * Processes inherit pipes in blocking mode. The mode belongs to the open file description, which they share, and Node makes it
 * blocking again whenever a process with the same output starts or ends. Opening a pipe or a terminal again creates another
 * description. A socket cannot be opened again, so it is made non-blocking before each write, as Node does for `process.stdout`.
 * Writing in the thread pool is no way out: a process cannot exit while a thread of the pool waits for a reader.
 *
 * @throws `ENXIO` if a pipe has no reader
 */
function openWrite(fd: OutputFd): Write {
  const stats = fstatSync(fd)
  const isPipe = stats.isFIFO()
  // workers share the output of the process that they have a channel to
  const put = process.connected ? writeLines : writeRest
  const own = isPipe || isatty(fd) ? reopen(fd, isPipe) : undefined
  if (own !== undefined) return (bytes, start) => put(own, bytes, start)
  const handle = isPipe || stats.isSocket() ? handleOf(fd) : undefined
  if (handle === undefined) return (bytes, start) => writeRest(fd, bytes, start)
  return (bytes, start) => {
    handle.setBlocking(false)
    return put(fd, bytes, start)
  }
}

function writeRest(fd: number, bytes: Uint8Array, start: number): number {
  return writeSync(fd, bytes, start)
}

/** Writes as many whole lines as a full pipe cannot cut, so that the lines of processes that share it stay whole. */
function writeLines(fd: number, bytes: Uint8Array, start: number): number {
  const end = bytes.length - start > ATOMIC ? bytes.lastIndexOf(LINE_FEED, start + ATOMIC - 1) + 1 : 0
  return writeSync(fd, bytes, start, end > start ? end - start : bytes.length - start)
}

/** Opens the file behind a descriptor again; `undefined` if the system or its permissions don't allow it. */
function reopen(fd: OutputFd, isPipe: boolean): number | undefined {
  // elsewhere, /dev/fd duplicates the descriptor and ignores the flags
  if (process.platform !== 'linux') return undefined
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants
  try {
    return openSync(`/proc/self/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY)
  } catch (error) {
    if (isPipe && codeOf(error) === 'ENXIO') throw error
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

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

import { constants, fstatSync, openSync, writeSync } from 'node:fs'
import { isatty } from 'node:tty'

import { isWorkerd } from '../../base/platform.ts'
import { openConsole, type OpenOutputs, type Outputs } from './outputs.ts'
import { createRequestLine } from './request-line.ts'
import { createTerminalText } from './terminal.ts'

// Why not `process.stdout`, a stream of node:fs or a worker thread: what `process.stdout` has not handed to a pipe is lost with `process.exit`
// (of 300 kB, a pipe got 64), and once another Node process with the same output has ended, a reader that stalls stops this one. A stream
// of node:fs writes in the thread pool, and a process cannot exit while a thread waits for a reader. A thread of its own loses what is
// logged before `process.exit` and uncaught errors. Hence the two odd parts below: the output is opened again, for a description that
// nothing else makes blocking, and a process that ends waits for its reader with `Atomics.wait`, the only wait that takes no processor.

/** Characters that are written at once, about. */
const MAX_TOGETHER = 65_536
/** Bytes that may wait for the reader, about. Further lines are dropped. */
const MAX_WAITING = 16_777_216
/** Milliseconds until a full pipe is tried again: one at first, twice as long after each attempt that wrote nothing. */
const LONGEST_PAUSE = 64
/** Milliseconds that a reader may take nothing while the process waits for it. */
const PATIENCE = 1000
/** Milliseconds that the process waits for its readers, in all, before it ends. */
const LONGEST_END = 5000
/** Milliseconds between two attempts while the process waits. */
const STEP = 5

/** Functions that write the rest when the process ends. */
const endings: (() => void)[] = []
/** When the process stops waiting for readers; infinite before it ends. */
let deadline = Infinity

/** One for the process: lines of several applications go the same way. */
let standard: Outputs | undefined

/** Opens standard output for messages, and standard error for warnings and errors. In Workers, which have neither, the console. */
export const openStandard: OpenOutputs = (toLossLine) => {
  if (isWorkerd()) return openConsole(toLossLine)
  if (standard !== undefined) return standard
  const out = openLines(1, toLossLine)
  const problems = openLines(2, toLossLine)
  const error = (line: string): void => problems.add(line)
  const toRequestLine = createRequestLine()
  const request = (details: object, message: string | undefined): boolean => {
    const line = toRequestLine(details, message)
    if (line !== undefined) out.add(line, true)
    return line !== undefined
  }
  const forPeople = { info: isForPeople(1), warn: isForPeople(2), error: isForPeople(2) }
  const toTerminalText = createTerminalText()
  return (standard = {
    info: (line) => out.add(line),
    warn: error,
    error,
    ...(forPeople.info ? {} : { request }),
    formatLine: (level, details, message) =>
      forPeople[level] ? toTerminalText(level, details, message) : undefined,
  })
}

/** Whether a person reads an output: a terminal, but not that of a CI service. */
function isForPeople(fd: OutputFd): boolean {
  return isatty(fd) && ['', 'false', '0'].includes(process.env['CI'] ?? '')
}

/**
 * Opens standard output or standard error for lines, all lines of one turn of the event loop being written at once. Lines of a turn
 * are also written when the process ends, by `process.exit` or an uncaught error too. A reader who stalls never delays the event
 * loop: lines wait in memory, and beyond `MAX_WAITING` they are dropped. A reader who is gone is no error.
 */
function openLines(fd: OutputFd, toLossLine: (count: number) => string): Lines {
  const lines = new Lines(fd, toLossLine)
  endings.push(() => lines.finish())
  if (endings.length === 1) process.once('exit', finishAll)
  return lines
}

/** The lines on their way to one output. */
class Lines {
  readonly #output: Output
  readonly #toLossLine: (count: number) => string
  #pending = ''
  /** Whether `#pending` has ASCII alone, which takes half the time to write. */
  #isAscii = true
  /** Characters since the last flush. */
  #added = 0
  /** Lines that were dropped and not reported yet. Until they are, all further lines are dropped too. */
  #lost = 0
  #isScheduled = false
  /** Whether the process has waited for the reader in vain, so that it does not wait again while it ends. */
  #isStuck = false
  #pause = 1

  constructor(fd: OutputFd, toLossLine: (count: number) => string) {
    this.#output = new Output(fd)
    this.#toLossLine = toLossLine
  }

  /** Writes a line with the others of this turn. `isAscii`: it is known to have no other characters. */
  add(line: string, isAscii = false): void {
    if (!this.#hasRoom()) {
      this.#lost++
      this.#tryLater()
      return
    }
    // a turn that says very much is written in parts
    if (this.#pending.length > MAX_TOGETHER) this.#write()
    this.#pending += line
    if (!isAscii) this.#isAscii = false
    this.#added += line.length
    if (deadline < Infinity) this.finish()
    else if (!this.#isScheduled) {
      this.#isScheduled = true
      // keeps the process alive until it is done
      setImmediate(this.#flush)
    }
  }

  /** Writes the rest, and blocks until the reader has taken it or is given up. */
  finish(): void {
    this.#write()
    if (!this.#isStuck) this.#isStuck = !waitFor(this.#output, 0)
    this.#lost += this.#output.takeLost()
    this.#reportLoss()
  }

  /** Tries again if nothing else does: a disk that is full has room again some day, and keeps no process alive. */
  #tryLater(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setTimeout(this.#flush, LONGEST_PAUSE).unref()
  }

  #hasRoom(): boolean {
    if (this.#lost > 0) return false
    if (this.#output.size + this.#pending.length < MAX_WAITING) return true
    // a turn that alone says this much blocks the event loop anyway
    return this.#added > MAX_WAITING / 2 && waitFor(this.#output, MAX_WAITING - MAX_TOGETHER)
  }

  #write(): boolean {
    if (this.#pending !== '') this.#output.push(Buffer.from(this.#pending, this.#isAscii ? 'latin1' : 'utf8'))
    this.#pending = ''
    this.#isAscii = true
    return this.#output.drain()
  }

  #reportLoss(): void {
    if (this.#lost === 0 || this.#output.size > MAX_WAITING / 2) return
    this.#pending = this.#toLossLine(this.#lost)
    this.#isAscii = false
    this.#write()
    // the line itself may be lost, and is no line of the application
    if (this.#output.takeLost() === 0) this.#lost = 0
  }

  readonly #flush = (): void => {
    this.#added = 0
    const isTaken = this.#write()
    this.#lost += this.#output.takeLost()
    this.#reportLoss()
    this.#isScheduled = this.#output.size > 0
    this.#pause = isTaken ? 1 : Math.min(this.#pause * 2, LONGEST_PAUSE)
    if (this.#isScheduled) setTimeout(this.#flush, this.#pause)
  }
}

function finishAll(): void {
  deadline = performance.now() + LONGEST_END
  for (const finish of endings) finish()
}

/** Blocks until no more than so many bytes wait. Returns false if the reader takes nothing, or when the process has to end. */
function waitFor(output: Output, size: number): boolean {
  let taken = performance.now()
  while (output.size > size) {
    const now = performance.now()
    if (output.drain()) taken = now
    else if (now - taken > PATIENCE) return false
    else Atomics.wait(SLEEP, 0, 0, STEP)
    if (now > deadline) return false
  }
  return true
}

const SLEEP = new Int32Array(new SharedArrayBuffer(4))

/** Standard output or standard error. */
type OutputFd = 1 | 2

/** Writes bytes from an offset on and returns how many were taken. Throws `EAGAIN` instead of waiting for a reader. */
type Write = (bytes: Uint8Array, start: number) => number

/** Bytes that a pipe takes or refuses as a whole: PIPE_BUF of Linux. */
const ATOMIC = 4096
const LINE_FEED = 10
const LINE_END = Uint8Array.of(LINE_FEED)
/** Codes of errors of an output whose reader is gone. */
const GONE = new Set<unknown>(['EPIPE', 'ENXIO'])

/** Writes to standard output or standard error without waiting, and keeps the bytes that the reader has not taken yet. */
class Output {
  readonly #fd: OutputFd
  readonly #chunks: Uint8Array[] = []
  /** How many bytes of the first chunk are written. */
  #start = 0
  #size = 0
  /** Whether the last byte that was written is inside of a line. */
  #isInside = false
  /** Lines that could not be written since `takeLost`. */
  #lost = 0
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
    // what a full disk has cut off is a line of its own
    if (this.#isInside && this.#size === 0) this.#add(LINE_END)
    this.#add(bytes)
  }

  #add(bytes: Uint8Array): void {
    this.#chunks.push(bytes)
    this.#size += bytes.length
  }

  /** Returns how many lines could not be written, and counts anew. */
  takeLost(): number {
    const lost = this.#lost
    this.#lost = 0
    return lost
  }

  /** Writes until the reader takes no more, and returns whether it took anything. */
  drain(): boolean {
    const before = this.#size
    try {
      this.#writeAll()
    } catch (error) {
      if (errnoOf(error) === 'EAGAIN') return this.#size < before
      // if the reader is gone, there is no place left to report it
      if (!GONE.has(errnoOf(error))) this.#lost += this.#countLines()
      this.#chunks.length = 0
      this.#start = 0
      this.#size = 0
    }
    return true
  }

  #countLines(): number {
    const text = Buffer.concat(this.#chunks).subarray(this.#start)
    // the end of a line that was cut is counted already
    let lines = this.#chunks[0] === LINE_END ? -1 : 0
    for (let at = text.indexOf(LINE_FEED); at !== -1; at = text.indexOf(LINE_FEED, at + 1)) lines++
    return lines
  }

  #writeAll(): void {
    for (let chunk = this.#chunks[0]; chunk !== undefined; chunk = this.#chunks[0]) {
      this.#write ??= openWrite(this.#fd)
      const count = this.#write(chunk, this.#start)
      this.#size -= count
      this.#start += count
      this.#isInside = chunk[this.#start - 1] !== LINE_FEED
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

function errnoOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

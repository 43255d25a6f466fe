import { isatty } from 'node:tty'

import { isWorkerd } from '../../base/platform.ts'
import { errnoOf } from '../../base/values.ts'
import { openConsole, type OpenOutputs, type Outputs } from './outputs.ts'
import { createRequestLine } from './request-line.ts'
import { createTerminalText } from './terminal.ts'
import { openUnblocked, type OutputFd } from './unblocked-output.ts'

// Why not `process.stdout`, a stream of node:fs or a worker thread: what `process.stdout` has not handed to a pipe is lost with `process.exit`
// (of 300 kB, a pipe got 64), and once another Node process with the same output has ended, a reader that stalls stops this one. A stream
// of node:fs writes in the thread pool, and a process cannot exit while a thread waits for a reader. A thread of its own loses what is
// logged before `process.exit` and uncaught errors. sonic-boom writes in one of the first two ways: with `sync`, a stalled reader stops the event
// loop, and without it, the end of the process. It would also have to be loaded before the first line. Hence the two odd parts: outputs are
// opened again (`unblocked-output.ts`), for a description that nothing else makes blocking, and a process that ends waits for its reader with
// `Atomics.wait`, the only wait that takes no processor.

/** One for the process: lines of several applications go the same way. */
let standard: Outputs | undefined

/** Opens standard output for messages, and standard error for warnings and errors. In Workers, which have neither, the console. */
export const openStandard: OpenOutputs = (toLossLine) => {
  if (isWorkerd()) return openConsole(toLossLine)
  if (standard !== undefined) return standard
  const out = new LogLines(1, toLossLine)
  const problems = new LogLines(2, toLossLine)
  process.once('exit', () => {
    deadline = performance.now() + LONGEST_END
    out.finish()
    problems.finish()
  })
  const error = (line: string): void => problems.add(line)
  const toRequestLine = createRequestLine()
  const request = (details: object, message: string | undefined): boolean => {
    const line = toRequestLine(details, message)
    if (line !== undefined) out.add(line)
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

/** Characters that are written at once, about. */
const MAX_TOGETHER = 65_536
/** Bytes that may wait for the reader, about. Further lines are dropped. */
const MAX_WAITING = 16_777_216
/** Milliseconds until an output that takes no more is tried again: one at first, twice as long after each attempt that wrote nothing. */
const LONGEST_PAUSE = 64
/** Milliseconds that a reader may take nothing while the process waits for it. */
const PATIENCE = 1000
/** Milliseconds that the process waits for its readers, in all, before it ends. */
const LONGEST_END = 5000
/** Milliseconds between two attempts while the process waits. */
const STEP = 5
const SLEEP = new Int32Array(new SharedArrayBuffer(4))

/** When the process stops waiting for readers; infinite before it ends. */
let deadline = Infinity

/**
 * The lines on their way to standard output or standard error. Those of one turn of the event loop are written at once, also when the process
 * ends, by `process.exit` or an uncaught error too. If the output takes no more, lines wait in memory, and beyond `MAX_WAITING` they are
 * dropped.
 */
class LogLines {
  readonly #fd: OutputFd
  readonly #toLossLine: (count: number) => string
  #write: ReturnType<typeof openUnblocked> | undefined
  /** Bytes that the output has not taken yet. */
  readonly #chunks: Uint8Array[] = []
  /** Their number. */
  #size = 0
  /** Lines behind them. */
  #pending = ''
  /** Characters that were added in this turn. */
  #added = 0
  /** Lines that were dropped and not reported yet. Until they are, all further lines are dropped too. */
  #lost = 0
  /** The code of the error of the last attempt to write. */
  #errno: string | undefined
  #isScheduled = false
  #pause = 1
  /** Whether the process has waited for the reader in vain, so that it does not wait again while it ends. */
  #isStuck = false

  constructor(fd: OutputFd, toLossLine: (count: number) => string) {
    this.#fd = fd
    this.#toLossLine = toLossLine
  }

  add(line: string): void {
    if (this.#lost > 0 || !this.#hasRoom()) {
      this.#lost++
      return
    }
    // a turn that says very much is written in parts
    if (this.#pending.length > MAX_TOGETHER) this.#drain()
    this.#pending += line
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
    this.#drain()
    if (!this.#isStuck) this.#isStuck = !this.#waitFor(0)
    this.#reportLoss()
  }

  #hasRoom(): boolean {
    if (this.#size + this.#pending.length < MAX_WAITING) return true
    // a turn that alone says this much blocks the event loop anyway
    return this.#added > MAX_WAITING / 2 && this.#waitFor(MAX_WAITING - MAX_TOGETHER)
  }

  readonly #flush = (): void => {
    this.#added = 0
    this.#pause = this.#drain() ? 1 : Math.min(this.#pause * 2, LONGEST_PAUSE)
    this.#reportLoss()
    this.#isScheduled = this.#size > 0
    if (!this.#isScheduled) return
    const timer = setTimeout(this.#flush, this.#pause)
    // a disk that is full keeps no process alive
    if (this.#errno !== 'EAGAIN') timer.unref()
  }

  /** Writes until the output takes no more, and returns whether it took anything. */
  #drain(): boolean {
    if (this.#pending !== '') {
      const bytes = Buffer.from(this.#pending)
      this.#pending = ''
      this.#size += bytes.length
      this.#chunks.push(bytes)
    }
    const before = this.#size
    try {
      this.#writeChunks()
    } catch (error) {
      this.#errno = errnoOf(error)
      // if the reader is gone, there is no place left for lines
      if (this.#errno === 'EPIPE' || this.#errno === 'ENXIO') {
        this.#chunks.length = 0
        this.#size = 0
      }
    }
    return this.#size < before
  }

  #writeChunks(): void {
    for (let chunk = this.#chunks[0]; chunk !== undefined; chunk = this.#chunks[0]) {
      this.#write ??= openUnblocked(this.#fd)
      const count = this.#write(chunk)
      this.#size -= count
      if (count === chunk.length) this.#chunks.shift()
      else this.#chunks[0] = chunk.subarray(count)
    }
  }

  #reportLoss(): void {
    if (this.#lost === 0 || this.#size > MAX_WAITING / 2) return
    this.#pending += this.#toLossLine(this.#lost)
    this.#lost = 0
    this.#drain()
  }

  /** Blocks until no more than so many bytes wait. Returns false if the reader takes nothing, or when the process has to end. */
  #waitFor(size: number): boolean {
    let taken = performance.now()
    while (this.#size > size) {
      const now = performance.now()
      if (this.#drain()) taken = now
      else if (this.#errno !== 'EAGAIN' || now - taken > PATIENCE) return false
      else Atomics.wait(SLEEP, 0, 0, STEP)
      if (now > deadline) return false
    }
    return true
  }
}

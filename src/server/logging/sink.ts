import { Output } from './output.ts'
import type { OutputFd } from './output.ts'

/** Takes lines, each with its line feed. */
export type Sink = (line: string) => void

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

/** What writes the rest when the process ends. */
const endings: (() => void)[] = []
/** When the process stops waiting for readers; infinite before it ends. */
let deadline = Infinity

/**
 * Creates a sink that writes to standard output or standard error, all lines of one turn of the event loop at once. Lines of a turn
 * are also written when the process ends, by `process.exit` or an uncaught error too. A reader who stalls never delays the event
 * loop: lines wait in memory, and beyond `MAX_WAITING` they are dropped. A reader who is gone is no error.
 *
 * @param toLossLine writes the line that reports how many lines were dropped, at the place where they are missing
 */
export function createSink(fd: OutputFd, toLossLine: (count: number) => string): Sink {
  const lines = new Lines(fd, toLossLine)
  endings.push(() => lines.finish())
  if (endings.length === 1) process.once('exit', end)
  return (line) => lines.add(line)
}

/** The lines on their way to one output. */
class Lines {
  readonly #output: Output
  readonly #toLossLine: (count: number) => string
  #pending = ''
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

  add(line: string): void {
    if (!this.#hasRoom()) {
      this.#lost++
      return
    }
    // a turn that says very much is written in parts
    if (this.#pending.length > MAX_TOGETHER) this.#write()
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
    this.#write()
    if (!this.#isStuck) this.#isStuck = !waitFor(this.#output, 0)
    this.#reportLoss()
  }

  #hasRoom(): boolean {
    if (this.#lost > 0) return false
    if (this.#output.size + this.#pending.length < MAX_WAITING) return true
    // a turn that alone says this much blocks the event loop anyway
    return this.#added > MAX_WAITING / 2 && waitFor(this.#output, MAX_WAITING - MAX_TOGETHER)
  }

  #write(): boolean {
    if (this.#pending !== '') this.#output.push(Buffer.from(this.#pending))
    this.#pending = ''
    return this.#output.drain()
  }

  #reportLoss(): void {
    if (this.#lost === 0 || this.#output.size > MAX_WAITING / 2) return
    this.#pending = this.#toLossLine(this.#lost)
    this.#lost = 0
    this.#write()
  }

  readonly #flush = (): void => {
    this.#added = 0
    const isTaken = this.#write()
    this.#reportLoss()
    this.#isScheduled = this.#output.size > 0
    this.#pause = isTaken ? 1 : Math.min(this.#pause * 2, LONGEST_PAUSE)
    if (this.#isScheduled) setTimeout(this.#flush, this.#pause)
  }
}

function end(): void {
  deadline = Date.now() + LONGEST_END
  for (const finish of endings) finish()
}

/** Blocks until no more than so many bytes wait. Returns false if the reader takes nothing, or when the process has to end. */
function waitFor(output: Output, size: number): boolean {
  let taken = Date.now()
  while (output.size > size) {
    const now = Date.now()
    if (output.drain()) taken = now
    else if (now - taken > PATIENCE) return false
    else Atomics.wait(SLEEP, 0, 0, STEP)
    if (now > deadline) return false
  }
  return true
}

const SLEEP = new Int32Array(new SharedArrayBuffer(4))

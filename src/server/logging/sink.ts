import { writeSync } from 'node:fs'

/** Takes lines, each with its line feed. */
export type Sink = (line: string) => void

/** Characters that are written at once, about. */
const MAX_TOGETHER = 65_536
/** Characters that may wait for a reader who does not keep up; then the process waits for the reader. */
const MAX_PENDING = 16_777_216
/** Milliseconds until a full pipe is tried again: one at first, twice as long after each try in vain. */
const LONGEST_PAUSE = 64
/** How often, and after how many milliseconds, a full pipe is tried again while the process waits for a reader who takes nothing. */
const TRIES = 100
const WAIT = 10

/** What writes the rest when the process ends. */
const endings: (() => void)[] = []
let isEnding = false

/**
 * Makes a sink that writes to a file descriptor, all lines of one turn of the event loop at once. Lines that wait are written when
 * the process ends, be it by `process.exit` or by an error that nobody caught. A reader who is gone is no error.
 *
 * @param toLossLine tells how many lines were lost
 */
export function createSink(fd: number, toLossLine: (count: number) => string): Sink {
  let pending = ''
  /** What a full pipe has not taken yet. */
  let held: Uint8Array = EMPTY
  let lost = 0
  /** Whether waiting for the reader was in vain, so that lines are lost until the reader goes on. */
  let isStuck = false
  let isScheduled = false
  let pause = 1

  const write = (waits: boolean): void => {
    const before = held.length
    if (before > 0) held = writeAll(fd, held, waits)
    if (held.length < before) isStuck = false
    if (held.length > 0 || pending === '') return
    const bytes = Buffer.from(pending)
    pending = ''
    held = writeAll(fd, bytes, waits)
  }
  const flush = (): void => {
    isScheduled = false
    const before = held.length
    write(isEnding && !isStuck)
    if (isEnding) isStuck = held.length > 0
    else if (held.length > 0) {
      isScheduled = true
      pause = held.length === before ? Math.min(pause * 2, LONGEST_PAUSE) : 1
      setTimeout(flush, pause)
    }
    if (lost > 0 && held.length === 0) {
      const line = toLossLine(lost)
      lost = 0
      add(line)
    }
  }
  const add = (line: string): void => {
    // a turn that says very much is written in parts
    if (pending.length > MAX_TOGETHER && held.length === 0) write(false)
    if (pending.length + held.length > MAX_PENDING) {
      if (!isStuck) write(true)
      isStuck = held.length > 0
      if (isStuck) {
        lost++
        return
      }
    }
    pending += line
    if (isEnding) flush()
    else if (!isScheduled) {
      isScheduled = true
      // keeps the process alive until it is done
      setImmediate(flush)
    }
  }
  atEnd(flush)
  return add
}

const EMPTY = new Uint8Array(0)

function atEnd(flush: () => void): void {
  endings.push(flush)
  if (endings.length > 1) return
  process.once('exit', () => {
    isEnding = true
    for (const end of endings) end()
  })
}

/** Writes bytes; returns what a full pipe does not take, at once or after waiting. */
function writeAll(fd: number, bytes: Uint8Array, waits: boolean): Uint8Array {
  let start = 0
  let tries = 0
  while (start < bytes.length) {
    try {
      start += writeSync(fd, bytes, start)
      tries = 0
    } catch (error) {
      const isFull = error instanceof Error && 'code' in error && error.code === 'EAGAIN'
      // nobody reads any more, or the disk is full: there is no place left to say so
      if (!isFull) return EMPTY
      if (!waits || tries === TRIES) return bytes.subarray(start)
      tries++
      Atomics.wait(SLEEP, 0, 0, WAIT)
    }
  }
  return EMPTY
}

const SLEEP = new Int32Array(new SharedArrayBuffer(4))

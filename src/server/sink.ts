import { writeSync } from 'node:fs'

/** Takes lines, each with its line feed. */
export type Sink = (line: string) => void

/** Characters that may wait for a reader who does not keep up; lines beyond them are lost. */
const MAX_PENDING = 16_777_216
/** Milliseconds until a full pipe is tried again: one at first, twice as long after each try in vain. */
const LONGEST_PAUSE = 64
/** How often, and after how many milliseconds, a full pipe that takes nothing is tried again when the process ends. */
const LAST_TRIES = 100
const LAST_PAUSE = 10

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
  let isScheduled = false
  let pause = 1

  const flush = (): void => {
    isScheduled = false
    const before = held.length
    if (before > 0) held = writeAll(fd, held)
    if (held.length === 0 && pending !== '') {
      const bytes = Buffer.from(pending)
      pending = ''
      held = writeAll(fd, bytes)
    }
    if (held.length === 0) {
      if (lost > 0) reportLost()
      return
    }
    isScheduled = true
    pause = held.length === before ? Math.min(pause * 2, LONGEST_PAUSE) : 1
    setTimeout(flush, pause)
  }
  const reportLost = (): void => {
    const line = toLossLine(lost)
    lost = 0
    add(line)
  }
  const add = (line: string): void => {
    if (pending.length + held.length > MAX_PENDING) {
      lost++
      return
    }
    pending += line
    if (isEnding) flush()
    else if (!isScheduled) {
      isScheduled = true
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

/** Writes bytes now; what a full pipe does not take is returned. When the process ends, it is waited for instead. */
function writeAll(fd: number, bytes: Uint8Array): Uint8Array {
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
      if (!isEnding) return bytes.subarray(start)
      if (tries === LAST_TRIES) return EMPTY
      tries++
      Atomics.wait(SLEEP, 0, 0, LAST_PAUSE)
    }
  }
  return EMPTY
}

const SLEEP = new Int32Array(new SharedArrayBuffer(4))

import { randomFillSync } from 'node:crypto'

/** Ids that are made at once. Each of them may keep the text of all in memory, so they are few. */
const COUNT = 64
const BYTES = 16
const LENGTH = 36
/** Where the bytes of an id are in its text. */
const PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]
const DIGITS = Buffer.from('0123456789abcdef')

/**
 * Creates the function that creates random UUIDs (RFC 9562 section 5.4), as `randomUUID` does. That joins each of two dozen pieces, which
 * takes longer than the rest of a log line.
 */
export function createIds(): () => string {
  const random = Buffer.alloc(COUNT * BYTES)
  const text = Buffer.alloc(COUNT * LENGTH, '-')
  let all = ''
  let next = COUNT
  return () => {
    if (next === COUNT) {
      randomFillSync(random)
      for (let id = 0; id < COUNT; id++) writeId(random, id * BYTES, text, id * LENGTH)
      all = text.toString('latin1')
      next = 0
    }
    const start = next * LENGTH
    next++
    return all.slice(start, start + LENGTH)
  }
}

function writeId(random: Uint8Array, from: number, text: Uint8Array, to: number): void {
  // the version and the variant
  random[from + 6] = ((random[from + 6] ?? 0) & 0x0f) | 0x40
  random[from + 8] = ((random[from + 8] ?? 0) & 0x3f) | 0x80
  for (let index = 0; index < BYTES; index++) {
    const byte = random[from + index] ?? 0
    const place = to + (PLACES[index] ?? 0)
    text[place] = DIGITS[byte >> 4] ?? 0
    text[place + 1] = DIGITS[byte & 15] ?? 0
  }
}

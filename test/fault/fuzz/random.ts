/** Numbers that look random and are the same for the same seed. */
export interface Random {
  /** From 0 up to, and without, 1. */
  readonly next: () => number
  /** An integer from 0 up to, and without, `end`. */
  readonly below: (end: number) => number
  readonly chance: (probability: number) => boolean
  readonly pick: <T>(list: readonly [T, ...T[]]) => T
  readonly bytes: (length: number) => Buffer
}

/** Makes a source of numbers: mulberry32, which is small, quick and good enough to choose what to try. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number): number => Math.floor(next() * end)
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: (list) => list[below(list.length)] ?? list[0],
    bytes: (length) => Buffer.from(new Uint8Array(length).map(() => below(256))),
  }
}

/** The seed of one case in a run, so that a case can be made without those before it. */
export function toCaseSeed(seed: number, index: number): number {
  return (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35)) >>> 0
}

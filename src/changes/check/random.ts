/** Draws from a sequence that its seed decides. */
export interface Random {
  readonly whole: (min: number, max: number) => number
  /** One of several values, or `undefined` if there are none. */
  readonly pick: <T>(values: readonly T[]) => T | undefined
  /** Whether something with this probability happens. */
  readonly isLikely: (probability: number) => boolean
}

/** Creates the sequence of a seed: mulberry32, 32 bits of state. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    whole: (min, max) => min + Math.floor(next() * (max - min + 1)),
    pick: (values) => values[Math.floor(next() * values.length)],
    isLikely: (probability) => next() < probability,
  }
}

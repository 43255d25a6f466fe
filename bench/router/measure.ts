import type { Lookup } from './contestants.ts'

/** A request of the benchmark. */
export interface BenchRequest {
  readonly method: string
  readonly target: string
}

/** Nanoseconds per lookup: the median of all rounds, and the quarter of them below and above. */
export interface Timing {
  readonly median: number
  readonly low: number
  readonly high: number
}

/** Lookups of one timed stretch. */
const STRETCH = 1200

/**
 * Times the contestants on the same requests. Rounds alternate, so that what else the machine does hits all of them; the one who
 * begins changes from round to round. Every lookup gets a string of its own: no hash is known, nothing is interned.
 */
export function race(
  contestants: readonly Lookup[],
  requests: readonly BenchRequest[],
  rounds: number,
): readonly Timing[] {
  const samples = contestants.map((): number[] => [])
  const order = contestants.map((_, index) => index)
  const copies = Math.max(1, Math.round(STRETCH / requests.length))
  for (let round = -3; round < rounds; round++) {
    for (const index of order) {
      const nanoseconds = time(contestants[index], requests, copies)
      if (round >= 0) samples[index]?.push(nanoseconds)
    }
    order.push(order.shift() ?? 0)
  }
  return samples.map(toTiming)
}

/** The shortest time of `times` lookups of one target, in microseconds. */
export function shortest(lookup: Lookup, { method, target }: BenchRequest, times: number): number {
  let best = Infinity
  for (let index = 0; index < times; index++) {
    const fresh = freshCopy(target)
    const start = process.hrtime.bigint()
    lookup(method, fresh)
    best = Math.min(best, Number(process.hrtime.bigint() - start))
  }
  return best / 1000
}

function time(lookup: Lookup | undefined, requests: readonly BenchRequest[], copies: number): number {
  if (lookup === undefined) return 0
  const fresh = Array.from({ length: copies }, () =>
    requests.map(({ method, target }) => ({ method, target: freshCopy(target) })),
  ).flat()
  let sum = 0
  const start = process.hrtime.bigint()
  for (const { method, target } of fresh) sum += lookup(method, target)
  const elapsed = Number(process.hrtime.bigint() - start)
  if (sum < 0) throw new Error('unreachable')
  return elapsed / fresh.length
}

function freshCopy(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1')
}

function toTiming(samples: readonly number[]): Timing {
  const sorted = samples.toSorted((a, b) => a - b)
  const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? 0
  return { median: at(0.5), low: at(0.25), high: at(0.75) }
}

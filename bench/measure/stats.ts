/** Samples of one contestant, summed up: the median, and the quarters of the samples below and above it. */
export interface Summary {
  readonly median: number
  readonly low: number
  readonly high: number
}

/** Sums samples up. */
export function summarize(samples: readonly number[]): Summary {
  return { median: quantile(samples, 0.5), low: quantile(samples, 0.25), high: quantile(samples, 0.75) }
}

/** The sample below which a part of them lies; `NaN` when there are none. */
export function quantile(samples: readonly number[], part: number): number {
  const sorted = samples.toSorted((a, b) => a - b)
  return sorted[Math.round((sorted.length - 1) * part)] ?? Number.NaN
}

/** The mean for ratios. */
export function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length)
}

/** The same contestants in another order each round, so that nobody always follows the same one. */
export function rotate<T>(contestants: readonly T[], round: number): readonly T[] {
  const at = round % contestants.length
  return [...contestants.slice(at), ...contestants.slice(0, at)]
}

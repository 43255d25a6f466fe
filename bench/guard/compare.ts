/** Compares what was measured with what the baseline says. */

/** What a request of one scenario takes. */
export interface Figures {
  /** Bytes allocated when V8 interprets everything. */
  readonly interpreted: number
  /** Bytes allocated when V8 has optimised what it can. */
  readonly optimised: number
  /** Tokens of JavaScript run, in all files. */
  readonly tokens: number
  /** The same by file. */
  readonly files: Readonly<Record<string, number>>
  /** Instructions, when they were counted. */
  readonly instructions?: number
}

/** Figures by the name of the scenario. */
export type FiguresByScenario = Readonly<Record<string, Figures>>

/** The figures that are compared, with their units. */
export const METRICS = {
  interpreted: 'bytes allocated, interpreted',
  optimised: 'bytes allocated, optimised',
  tokens: 'tokens run',
  instructions: 'instructions',
} as const satisfies Partial<Record<keyof Figures, string>>

/** A figure that is compared. */
export type Metric = keyof typeof METRICS

/** A figure that is further from its baseline than the tolerance. */
export interface Change {
  readonly scenario: string
  readonly metric: Metric
  readonly before: number
  readonly after: number
}

/** What the comparison says. */
export interface Comparison {
  readonly worse: readonly Change[]
  readonly better: readonly Change[]
  /** Scenarios that only one of the two knows. */
  readonly unmatched: readonly string[]
}

/** How far a figure may be from its baseline, as a part of it. */
export const TOLERANCE = 0.05

/** Compares figures with a baseline. What one of them has not counted is not compared. */
export function compareFigures(baseline: FiguresByScenario, measured: FiguresByScenario): Comparison {
  const names = [...new Set([...Object.keys(baseline), ...Object.keys(measured)])]
  const changes = names.flatMap((scenario) => changesOf(scenario, baseline[scenario], measured[scenario]))
  return {
    worse: changes.filter(({ before, after }) => after > before),
    better: changes.filter(({ before, after }) => after < before),
    unmatched: names.filter((name) => baseline[name] === undefined || measured[name] === undefined),
  }
}

/** Puts a second measurement of some scenarios into the first: `pick` says which of two figures counts. */
export function mergeFigures(
  first: FiguresByScenario,
  second: FiguresByScenario,
  pick: (a: number, b: number) => number,
): FiguresByScenario {
  const merged = Object.entries(second).map(([name, figures]) => {
    const metrics = (Object.keys(METRICS) as Metric[]).flatMap((metric) => {
      const [a, b] = [first[name]?.[metric], figures[metric]]
      return a === undefined || b === undefined ? [] : [[metric, pick(a, b)] as const]
    })
    return [name, { ...figures, ...Object.fromEntries(metrics) }] as const
  })
  return { ...first, ...Object.fromEntries(merged) }
}

/** The files whose work rose, the most first. */
export function risenFiles(
  before: Figures,
  after: Figures,
): readonly (readonly [file: string, tokens: number])[] {
  const names = [...new Set([...Object.keys(before.files), ...Object.keys(after.files)])]
  return names
    .map((name) => [name, (after.files[name] ?? 0) - (before.files[name] ?? 0)] as const)
    .filter(([, tokens]) => tokens > 0)
    .toSorted(([, a], [, b]) => b - a)
}

function changesOf(
  scenario: string,
  before: Figures | undefined,
  after: Figures | undefined,
): readonly Change[] {
  return (Object.keys(METRICS) as Metric[]).flatMap((metric) => {
    const [from, to] = [before?.[metric], after?.[metric]]
    if (from === undefined || to === undefined || Math.abs(to - from) <= from * TOLERANCE) return []
    return [{ scenario, metric, before: from, after: to }]
  })
}

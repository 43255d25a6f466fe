import type { Burst } from '../http/load.ts'
import type { Scenario } from '../http/scenarios.ts'
import { geometricMean, summarize } from '../measure/stats.ts'
import type { Summary } from '../measure/stats.ts'
import { formatNumber } from '../report/chart.ts'
import type { Chart, Section, Table } from '../report/section.ts'
import { toBar } from '../report/summary.ts'
import { BASELINE } from './contestants.ts'
import type { Contestant, Runtime } from './contestants.ts'

/** What was found on one runtime. */
export interface Measured {
  readonly runtime: Runtime
  readonly loads: ReadonlyMap<Scenario, ReadonlyMap<Contestant, readonly Burst[]>>
  /** Milliseconds from the start of a process to its first answer. */
  readonly starts: ReadonlyMap<Contestant, readonly number[]>
}

/** What was found, and how. */
export interface Findings {
  readonly measured: readonly Measured[]
  /** Who sent the requests, in words. */
  readonly loader: string
  readonly isPinned: boolean
  readonly rounds: number
  /** Milliseconds. */
  readonly warmUp: number
  /** Milliseconds. */
  readonly burst: number
  readonly starts: number
}

/** Writes down what was found. */
export function report(findings: Findings): Section {
  return {
    title: 'Bun and Deno',
    text: describe(findings),
    tables: findings.measured.flatMap(toTables),
    charts: findings.measured.map(toChart),
  }
}

function describe({ isPinned, loader, rounds, warmUp, burst, starts }: Findings): readonly string[] {
  const cores = isPinned ? 'pinned to one core, the load comes from another' : 'not pinned to a core'
  return [
    `Read this section if you deploy your application to Bun or Deno. The four requests of the [HTTP part](#http) that count for its mean are answered by \`app.fetch\` of each framework in \`Bun.serve\` and \`Deno.serve\`. Each server runs in its own process with \`NODE_ENV=production\` (${cores}). Octavo is \`octavo/edge\`. All frameworks validate with the same zod schemas and passed the same checks. The load is ${loader}. Each request is sent for ${burst / 1000} s in each of ${rounds} rounds, after a warm-up of ${warmUp / 1000} s.`,
    `\`octavo\` has no versions, like the other frameworks. With *versions in a header*, it reads that header of every request. h3 is called without its own \`serve\`, which is slower. Elysia on Bun also runs with its own \`listen\`, which leaves routing to Bun. A cold start is the time from the start of a process to its first response, the median of ${starts}.`,
  ]
}

function toTables({ runtime, loads, starts }: Measured): readonly Table[] {
  const scenarios = [...loads.keys()]
  const ratios = (rate: (burst: Burst) => number): Table['rows'] =>
    runtime.contestants.map((contestant) => [
      contestant.label,
      formatRatio(meanOf(loads, runtime, contestant, rate)),
      ...scenarios.map((scenario) =>
        formatRatio(summarize(sharesOf(loads, runtime, scenario, contestant, rate))),
      ),
    ])
  const titles = scenarios.map(({ title }) => title)
  return [
    {
      caption: `${runtime.name}: requests answered, as a share of ${BASELINE}`,
      columns: ['', 'geometric mean', ...titles],
      rows: ratios(({ requests }) => requests),
    },
    {
      caption: `${runtime.name}: CPU time of ${BASELINE} for each response, divided by that of the contestant`,
      columns: ['', 'geometric mean', ...titles],
      rows: ratios(({ cpu }) => 1 / cpu),
    },
    {
      caption: `${runtime.name}: requests per second, and milliseconds to the first response of a new process`,
      columns: ['', ...titles, 'cold start'],
      rows: runtime.contestants.map((contestant) => [
        contestant.label,
        ...scenarios.map((scenario) =>
          formatNumber(
            summarize(burstsOf(loads, scenario, contestant).map(({ requests }) => requests)).median,
          ),
        ),
        formatNumber(summarize(starts.get(contestant) ?? []).median),
      ]),
    },
  ]
}

function toChart({ runtime, loads }: Measured): Chart {
  return {
    name: `runtimes-${runtime.name.toLowerCase()}`,
    title: `Requests answered on ${runtime.name}, beside ${BASELINE}`,
    unit: 'geometric mean of four shares',
    bars: runtime.contestants.map((contestant) =>
      toBar(
        contestant.label,
        meanOf(loads, runtime, contestant, ({ requests }) => requests),
      ),
    ),
  }
}

/** The geometric mean of the shares of each round, over the rounds. */
function meanOf(
  loads: Measured['loads'],
  runtime: Runtime,
  contestant: Contestant,
  rate: (burst: Burst) => number,
): Summary {
  const shares = [...loads.keys()].map((scenario) => sharesOf(loads, runtime, scenario, contestant, rate))
  return summarize(
    (shares[0] ?? []).map((_, round) => geometricMean(shares.map((share) => share[round] ?? Number.NaN))),
  )
}

/** What a contestant did in each round, as a share of what the baseline did in the same one. */
function sharesOf(
  loads: Measured['loads'],
  { contestants }: Runtime,
  scenario: Scenario,
  contestant: Contestant,
  rate: (burst: Burst) => number,
): readonly number[] {
  const baseline = contestants.find(({ label }) => label === BASELINE) ?? contestant
  const best = burstsOf(loads, scenario, baseline)
  return burstsOf(loads, scenario, contestant).map((burst, round) => {
    const other = best[round]
    return other === undefined ? Number.NaN : rate(burst) / rate(other)
  })
}

function burstsOf(loads: Measured['loads'], scenario: Scenario, contestant: Contestant): readonly Burst[] {
  return loads.get(scenario)?.get(contestant) ?? []
}

function formatRatio({ median, low, high }: Summary): string {
  const range = low === high ? '' : ` (${low.toFixed(2)}–${high.toFixed(2)})`
  return `${median.toFixed(2)}${range}`
}

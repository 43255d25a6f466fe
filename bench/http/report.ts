import { geometricMean, summarize } from '../measure/stats.ts'
import type { Summary } from '../measure/stats.ts'
import { formatNumber } from '../report/chart.ts'
import type { Section, Table } from '../report/section.ts'
import { toBar } from '../report/summary.ts'
import type { Sizes } from './check.ts'
import { BASELINE, CONTESTANTS } from './contestants.ts'
import type { Contestant } from './contestants.ts'
import { CONNECTIONS } from './load.ts'
import type { Burst } from './load.ts'
import { SCENARIOS } from './scenarios.ts'
import type { Scenario } from './scenarios.ts'

/** The bursts of each round, by scenario and contestant. */
export type Results = ReadonlyMap<Scenario, ReadonlyMap<Contestant, readonly Burst[]>>

/** What was found, and how. */
export interface Findings {
  readonly results: Results
  readonly sizes: ReadonlyMap<Contestant, Sizes>
  /** Who sent the requests, in words. */
  readonly loader: string
  readonly isPinned: boolean
  readonly rounds: number
  /** Milliseconds. */
  readonly warmUp: number
  /** Milliseconds. */
  readonly burst: number
}

const COUNTING = SCENARIOS.filter(({ counts }) => counts === true)

/** Writes down what was found. */
export function report(findings: Findings): Section {
  const { results, sizes } = findings
  const answered: SharesOf = (contestant, scenario) =>
    sharesOf(results, contestant, scenario, ({ requests }) => requests)
  const means = new Map(
    CONTESTANTS.map((contestant) => [contestant, meanOf((scenario) => answered(contestant, scenario))]),
  )
  const order = CONTESTANTS.toSorted((a, b) => (means.get(b)?.median ?? 0) - (means.get(a)?.median ?? 0))
  const table = (caption: string, toCell: (loads: readonly Burst[]) => string): Table => ({
    caption,
    columns: ['', ...SCENARIOS.map(({ title }) => title)],
    rows: order.map((contestant) => [
      contestant.label,
      ...SCENARIOS.map((scenario) => toCell(loadsOf(results, contestant, scenario))),
    ]),
  })
  return {
    title: 'HTTP',
    text: describe(findings),
    tables: [
      toRatios(`Requests answered, as a share of ${BASELINE}`, order, answered),
      toRatios(
        `CPU time of ${BASELINE} for each response, divided by that of the contestant`,
        order,
        (contestant, scenario) => sharesOf(results, contestant, scenario, ({ cpu }) => 1 / cpu),
      ),
      table('Microseconds of CPU time for each response, kernel included', (loads) =>
        formatMedian(loads, 'cpu'),
      ),
      table('Requests per second', (loads) => formatMedian(loads, 'requests')),
      table(
        `Latency at ${CONNECTIONS} connections that always wait for an answer, in milliseconds: median / 99th percentile`,
        (loads) =>
          loads.length === 0 ? '–' : `${formatMedian(loads, 'p50')} / ${formatMedian(loads, 'p99')}`,
      ),
      toSizes(order, sizes),
    ],
    charts: [
      {
        name: 'http',
        title: 'Requests answered, beside node:http by hand',
        unit: 'geometric mean of four shares',
        bars: order.map((contestant) => toBar(contestant.label, means.get(contestant) ?? summarize([]))),
      },
    ],
  }
}

function describe({ loader, isPinned, rounds, warmUp, burst }: Findings): readonly string[] {
  const cores = isPinned ? 'pinned to one core, the load comes from another' : 'not pinned to a core'
  return [
    `This section compares whole servers as your clients see them. One small API is written for each framework as its documentation shows. Each server runs in its own process with \`NODE_ENV=production\` (${cores}). The load is ${loader}. Each request is sent for ${burst / 1000} s in each of ${rounds} ${rounds === 1 ? 'round' : 'rounds'}, after a warm-up of ${warmUp / 1000} s. The geometric mean covers ${list(COUNTING.map(({ title }) => title))}.`,
    `All servers return the same statuses and equal JSON, send \`date\`, \`content-length\` and \`content-type\`, keep connections open, apply defaults, drop undeclared members and refuse invalid input. If an integer in the path is invalid, the router of Octavo and the code for \`node:http\` answer 404. The others validate it and answer 422.`,
    `Input is validated with zod, through the integration of each framework. Fastify without zod uses JSON schemas, for responses too, as its documentation recommends. Fastify with zod has no response schemas, because it would validate them. Elysia uses its own \`t\`. \`node:http\` by hand uses schemas compiled with \`z.compile\`, and answers with \`writeHead\` and \`end\`. Octavo can be faster because it [uses node:http more cheaply](architecture.md#the-compiled-request).`,
    `Octavo, Fastify and NestJS read versions from a header themselves. In the others, the handler reads it. Express adds an \`ETag\` to each response, Elysia sends errors in chunks, and Fastify without zod reports only the first problem of invalid input, as they do by default. Request logs are off. If you log requests, compare the contestants with *log lines*, which write a line for each request to \`/dev/null\`.`,
  ]
}

type SharesOf = (contestant: Contestant, scenario: Scenario) => readonly number[]

function toRatios(caption: string, order: readonly Contestant[], sharesIn: SharesOf): Table {
  return {
    caption,
    columns: ['', 'geometric mean', ...SCENARIOS.map(({ title }) => title)],
    rows: order.map((contestant) => [
      contestant.label,
      formatRatio(meanOf((scenario) => sharesIn(contestant, scenario))),
      ...SCENARIOS.map((scenario) => formatRatio(summarizeAny(sharesIn(contestant, scenario)))),
    ]),
  }
}

function toSizes(order: readonly Contestant[], sizes: ReadonlyMap<Contestant, Sizes>): Table {
  return {
    caption: 'Size of the responses in bytes, headers included',
    columns: ['', ...SCENARIOS.map(({ title }) => title)],
    rows: order
      .filter(({ logs }) => logs !== true)
      .map((contestant) => [
        contestant.label,
        ...SCENARIOS.map(({ name }) => String(sizes.get(contestant)?.[name] ?? '–')),
      ]),
  }
}

/** The geometric mean of the shares of each round, over the rounds. */
function meanOf(sharesIn: (scenario: Scenario) => readonly number[]): Summary {
  const ratios = COUNTING.map(sharesIn)
  const rounds = ratios[0] ?? []
  return summarize(
    rounds.map((_, round) => geometricMean(ratios.map((shares) => shares[round] ?? Number.NaN))),
  )
}

/** What a contestant did in each round, as a share of what the baseline did in the same one. */
function sharesOf(
  results: Results,
  contestant: Contestant,
  scenario: Scenario,
  rate: (burst: Burst) => number,
): readonly number[] {
  const baseline = CONTESTANTS.find(({ label }) => label === BASELINE)
  const most = baseline === undefined ? [] : loadsOf(results, baseline, scenario)
  return loadsOf(results, contestant, scenario).map((burst, round) => {
    const best = most[round]
    return best === undefined ? Number.NaN : rate(burst) / rate(best)
  })
}

function loadsOf(results: Results, contestant: Contestant, scenario: Scenario): readonly Burst[] {
  return results.get(scenario)?.get(contestant) ?? []
}

function summarizeAny(samples: readonly number[]): Summary | undefined {
  return samples.length === 0 ? undefined : summarize(samples)
}

function formatRatio(summary: Summary | undefined): string {
  if (summary === undefined) return '–'
  const { median, low, high } = summary
  const range = low === high ? '' : ` (${low.toFixed(2)}–${high.toFixed(2)})`
  return `${median.toFixed(2)}${range}`
}

function formatMedian(loads: readonly Burst[], key: 'requests' | 'p50' | 'p99' | 'cpu'): string {
  return loads.length === 0 ? '–' : formatNumber(summarize(loads.map((load) => load[key])).median)
}

function list(words: readonly string[]): string {
  return `${words
    .slice(0, -1)
    .map((word) => `*${word}*`)
    .join('; ')} and *${words.at(-1)}*`
}

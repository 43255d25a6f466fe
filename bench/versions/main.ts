import { race } from '../measure/race.ts'
import type { Samples } from '../measure/race.ts'
import { summarize } from '../measure/stats.ts'
import type { MeasureOptions, Section, Table } from '../report/section.ts'
import { formatSummary } from '../report/summary.ts'
import { BASES, CONTESTANTS, STAGES } from './contestants.ts'
import type { Stage } from './contestants.ts'
import { measureScale } from './scale.ts'

const CAPTIONS: Readonly<Record<Stage, string>> = {
  locate: 'From the target of a request to its route, in nanoseconds',
  dispatch: 'From the target of a request to its response, in nanoseconds',
}

/** What versions cost, by each way for them to travel. */
export async function measure({ isQuick }: MeasureOptions): Promise<Section> {
  const rounds = isQuick ? 30 : 300
  const results = await race({
    script: new URL('worker.js', import.meta.url),
    cases: STAGES.map((name) => ({ name, contestants: CONTESTANTS.map((setup) => setup.name) })),
    rounds,
    warmUp: isQuick ? 20 : 60,
  })
  return {
    title: 'What versions cost',
    text: [
      `octavo alone, on the 203 routes of the GitHub API: lookups with every route in two versions, the second asked for, by each way for versions to travel; \`none\` are the same routes without versions. Each contestant runs in a thread of its own; the threads take turns, another one beginning each round. A cell is the median of ${rounds} rounds, and in parentheses the quarters of the rounds below and above it. The ratios are those of the lower quarters: what else a machine does only ever makes rounds slower.`,
      'Reading a header makes the request that handlers see, and a query makes a target longer, whoever reads them: a scheme is best compared with the contestant without versions that does the same.',
    ],
    tables: [...STAGES.map((stage) => toTable(stage, results.get(stage) ?? new Map())), measureScale()],
  }
}

function toTable(stage: Stage, samples: Samples): Table {
  const lowOf = (name: string): number => summarize(samples.get(name) ?? []).low
  return {
    caption: CAPTIONS[stage],
    columns: ['version in', 'nanoseconds', ...BASES.map((base) => `to “${base}”`)],
    rows: CONTESTANTS.map(({ name }) => {
      const summary = summarize(samples.get(name) ?? [])
      const ratios = BASES.map((base) => (summary.low / lowOf(base)).toFixed(2))
      return [name, formatSummary(summary), ...ratios]
    }),
  }
}

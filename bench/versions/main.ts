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
    title: 'Cost of versions',
    text: [
      `This section measures Octavo alone, on the 203 routes of the GitHub API. Every route has two versions, and requests ask for the second one through each scheme. The rows \`none\` have the same routes without versions. A cell is the median of ${rounds} rounds. The ratios compare lower quartiles, because other load only makes rounds slower.`,
      `Reading a header builds the request object for your handlers, and a query makes the target longer, with or without versions. If you choose a scheme by its speed, compare it with the row without versions that does the same.`,
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

/** What validation costs. */
import { race } from '../measure/race.ts'
import { summarize } from '../measure/stats.ts'
import type { Summary } from '../measure/stats.ts'
import type { MeasureOptions, Section } from '../report/section.ts'
import { formatSummary, toBar } from '../report/summary.ts'
import { SAMPLES } from './values.ts'

const CONTESTANTS = ['octavo', 'zod safeParse', 'z.compile', 'ajv', 'typebox', 'valibot']

export async function measure({ isQuick }: MeasureOptions): Promise<Section> {
  const names = Object.values(SAMPLES).flatMap((samples) => samples.map(({ name }) => name))
  const results = await race({
    script: new URL('worker.js', import.meta.url),
    cases: names.map((name) => ({ name, contestants: CONTESTANTS })),
    rounds: isQuick ? 15 : 150,
    warmUp: isQuick ? 10 : 50,
  })
  const summaryOf = (name: string, contestant: string): Summary =>
    summarize(results.get(name)?.get(contestant) ?? [])
  return {
    title: 'Validation',
    text: TEXT,
    tables: [
      {
        caption: 'Nanoseconds per value',
        columns: ['', ...CONTESTANTS],
        rows: names.map((name) => [
          name,
          ...CONTESTANTS.map((contestant) => formatSummary(summaryOf(name, contestant))),
        ]),
      },
    ],
    charts: [
      {
        name: 'validation',
        title: 'Validating a small body',
        unit: 'ns',
        lessIsBetter: true,
        bars: CONTESTANTS.map((contestant) => toBar(contestant, summaryOf('small body, valid', contestant))),
      },
    ],
  }
}

const TEXT = [
  `A body of four fields, a body of three levels with five lines, and a query of text of which two values are numbers; valid ones, and
ones with problems, all of which each contestant has to list with their paths. \`octavo\` is what the framework does with a zod schema at
a request: its validator for bodies, and for the query its reader, which finds the fields, turns text into numbers and validates. The
others turn text into numbers as their documentation says: \`z.coerce\`, \`coerceTypes\`, \`Convert\`, a pipe.`,
  `What comes out differs: Octavo, zod and valibot make a new value with the known fields alone; ajv and typebox look at the one they
are given, unknown fields included. ajv runs with \`allErrors\`, typebox lists what is wrong once its check has failed.`,
  `Every contestant runs in a thread of its own; values and paths are compared before anything is timed; each value is made anew, outside
the measured time. Rounds alternate; cells are medians, in brackets the quarters.`,
]

/** What writing a response costs. */
import { race } from '../measure/race.ts'
import { summarize } from '../measure/stats.ts'
import type { Summary } from '../measure/stats.ts'
import type { MeasureOptions, Section } from '../report/section.ts'
import { formatSummary, toBar } from '../report/summary.ts'
import { SAMPLES } from './values.ts'

const CONTESTANTS = ['octavo', 'JSON.stringify', 'z.compile + JSON.stringify', 'fastify', 'fastify, zod']

export async function measure({ isQuick }: MeasureOptions): Promise<Section> {
  const names = Object.keys(SAMPLES)
  const results = await race({
    script: new URL('worker.js', import.meta.url),
    cases: names.map((name) => ({ name, contestants: CONTESTANTS })),
    rounds: isQuick ? 30 : 150,
    warmUp: isQuick ? 15 : 50,
  })
  const summaryOf = (name: string, contestant: string): Summary =>
    summarize(results.get(name)?.get(contestant) ?? [])
  return {
    title: 'Writing responses',
    text: TEXT,
    tables: [
      {
        caption: 'Nanoseconds per response',
        columns: ['', ...CONTESTANTS],
        rows: names.map((name) => [
          name,
          ...CONTESTANTS.map((contestant) => formatSummary(summaryOf(name, contestant))),
        ]),
      },
    ],
    charts: [
      {
        name: 'responses',
        title: 'Writing a list of 10 kB',
        unit: 'ns',
        lessIsBetter: true,
        bars: CONTESTANTS.map((contestant) => toBar(contestant, summaryOf('list of 10 kB', contestant))),
      },
    ],
  }
}

const TEXT = [
  `One object, a list of 100 objects, and lists in lists, written as JSON with the length of the text in bytes. \`octavo\` is the
writer that the framework compiles from a zod schema: it checks every value and leaves out undeclared members. \`fastify\` is the
serializer that Fastify compiles from the JSON Schema of a response, which leaves undeclared members out and checks no types.
\`fastify, zod\` is that of fastify-type-provider-zod. \`JSON.stringify\` has no schema.`,
  `Every contestant runs in a thread of its own. Answers are compared before anything is timed. Rounds alternate. Cells are medians, with
the quarters in brackets.`,
]

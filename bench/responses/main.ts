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
  `One object, a list of 100 objects, and nested lists are written as JSON, and the length of the text in bytes is computed. \`octavo\` is the writer that the framework compiles from your zod schema. It checks every value and leaves out undeclared members. \`fastify\` is the serialiser that Fastify compiles from the JSON Schema of a response. It leaves out undeclared members and checks no types. \`fastify, zod\` is the serialiser of fastify-type-provider-zod. \`JSON.stringify\` has no schema.`,
]

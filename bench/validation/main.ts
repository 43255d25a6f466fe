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
  `Each request to your API is validated. The values are a body of four fields, a body of three levels with five lines, and a query of text with two numbers, valid and invalid. Each contestant has to list all problems with their paths. \`octavo\` is the validator that the framework uses for a request. For the query, that includes finding the fields and converting text to numbers. The others convert text as their documentation says: with \`z.coerce\`, \`coerceTypes\`, \`Convert\` or a pipe.`,
  `The results differ. Octavo, zod and valibot create a new value with the known fields. ajv and typebox check the value that you pass, including unknown fields. ajv runs with \`allErrors\`, and typebox lists problems once its check has failed. Each value is created outside the measured time.`,
]

/** Calls without a socket, as tests make them. */
import { race } from '../measure/race.ts'
import { geometricMean, summarize } from '../measure/stats.ts'
import type { Summary } from '../measure/stats.ts'
import type { MeasureOptions, Section } from '../report/section.ts'
import { formatSummary, toBar } from '../report/summary.ts'
import { CALLS } from './requests.ts'

const CONTESTANTS = ['octavo', 'light-my-request', 'fastify.inject', 'hono app.request']
/** How many times as fast as light-my-request Octavo's `inject` is to be. */
const GOAL = 5

export async function measure({ isQuick }: MeasureOptions): Promise<Section> {
  const results = await race({
    script: new URL('worker.js', import.meta.url),
    cases: Object.keys(CALLS).map((name) => ({ name, contestants: CONTESTANTS })),
    rounds: isQuick ? 15 : 100,
    warmUp: isQuick ? 10 : 30,
  })
  const summaryOf = (call: string, contestant: string): Summary =>
    summarize(results.get(call)?.get(contestant) ?? [])
  const ratioOf = (call: string, contestant: string): number =>
    summaryOf(call, contestant).median / summaryOf(call, 'octavo').median
  const mean = (contestant: string): number =>
    geometricMean(Object.keys(CALLS).map((call) => ratioOf(call, contestant)))
  const others = CONTESTANTS.slice(1)
  return {
    title: 'Calls without a socket',
    text: [...TEXT, toVerdict(mean('light-my-request'))],
    tables: [
      {
        caption: 'Microseconds per call',
        columns: ['', ...CONTESTANTS],
        rows: Object.keys(CALLS).map((call) => [
          call,
          ...CONTESTANTS.map((name) => formatSummary(summaryOf(call, name), 1)),
        ]),
      },
      {
        caption: 'How many times the time of Octavo',
        columns: ['', ...others],
        rows: [
          ...Object.keys(CALLS).map((call) => [
            call,
            ...others.map((name) => `× ${ratioOf(call, name).toFixed(2)}`),
          ]),
          ['geometric mean', ...others.map((name) => `× ${mean(name).toFixed(2)}`)],
        ],
      },
    ],
    charts: [
      {
        name: 'inject',
        title: 'A call without a socket: GET with a parameter',
        unit: 'µs',
        lessIsBetter: true,
        bars: CONTESTANTS.map((name) => toBar(name, summaryOf('GET with a parameter', name))),
      },
    ],
  }
}

const TEXT = [
  `This section compares the cost of a test that calls your API in process: \`app.inject\` of Octavo, light-my-request with a hand-written listener for \`node:http\` (four branches and zod), \`fastify.inject\` (light-my-request and JSON Schema for input and output) and \`app.request\` of Hono with its validator for zod. Each contestant gets the method, the URL and, for POST, an object. It returns the status and the parsed JSON body. Calls are made one after the other.`,
]

function toVerdict(ratio: number): string {
  return `In the geometric mean, Octavo is ${ratio.toFixed(2)} times as fast as light-my-request. The goal of ${GOAL} times is ${ratio >= GOAL ? 'met' : 'missed'}.`
}

/** `undici.request` with a dispatcher that needs no socket, beside the same request over the loopback device. */
import { race } from '../measure/race.ts'
import { geometricMean, summarize } from '../measure/stats.ts'
import type { Summary } from '../measure/stats.ts'
import type { MeasureOptions, Section } from '../report/section.ts'
import { formatSummary } from '../report/summary.ts'
import { CALLS } from './calls.ts'

const CONTESTANTS = ['app.dispatcher', 'loopback']
/** What part of the time over a socket it is to take at most. */
const GOAL = 0.5

export async function measure({ isQuick }: MeasureOptions): Promise<Section> {
  const names = Object.keys(CALLS)
  const results = await race({
    script: new URL('worker.js', import.meta.url),
    cases: names.map((name) => ({ name, contestants: CONTESTANTS })),
    rounds: isQuick ? 15 : 100,
    warmUp: isQuick ? 10 : 30,
  })
  const summaryOf = (name: string, contestant: string): Summary =>
    summarize(results.get(name)?.get(contestant) ?? [])
  const partOf = (name: string): number =>
    summaryOf(name, 'app.dispatcher').median / summaryOf(name, 'loopback').median
  const mean = geometricMean(names.map(partOf))
  return {
    title: 'undici without a socket',
    text: [
      `Your code can call an application through undici without a socket. \`undici.request\` with \`createDispatcher(app)\` is compared with \`undici.request\` to the same application on the loopback device, in the same thread. The body is read as JSON. Calls are made one after the other.`,
      `In the geometric mean, calls without a socket take ${mean.toFixed(2)} of the time. The goal of at most ${GOAL} is ${mean <= GOAL ? 'met' : 'missed'}.`,
    ],
    tables: [
      {
        caption: 'Microseconds per call',
        columns: ['', ...CONTESTANTS, 'part'],
        rows: names.map((name) => [
          name,
          ...CONTESTANTS.map((contestant) => formatSummary(summaryOf(name, contestant), 1)),
          partOf(name).toFixed(2),
        ]),
      },
    ],
  }
}

/**
 * Sends mixed requests and shows what the heap holds meanwhile. Fails when it grows, through `inject` and over sockets:
 * `npm run check -- soak`, `npm run check -- soak --requests 1000000`. For a time, over sockets alone, half of whose clients reset them, it also
 * compares every answer and looks for what is left: `npm run check -- soak --engine direct --minutes 10`.
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'

import { growthOf, soak } from '../test/fault/soak/run.ts'
import type { Mark } from '../test/fault/soak/run.ts'
import { soakSockets } from '../test/fault/soak/sockets.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    marks: { type: 'string', default: '20' },
    minutes: { type: 'string' },
    engine: { type: 'string', default: 'node' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    sockets: { type: 'string', default: '48' },
  },
})
/** What the heap may hold more at the end than after a tenth of the requests, or than after half of the time, in bytes. */
const BOUND = 2 * 1024 * 1024

const toMiB = (bytes: number): string => (bytes / 1024 / 1024).toFixed(2).padStart(9)
console.log('requests  seconds  heap MiB  external       RSS')
if (values.minutes === undefined) await sendRequests()
else await sendForMinutes(Number(values.minutes))

async function sendRequests(): Promise<void> {
  const marks = await soak(Number(values.requests), Number(values.marks), show)
  const warm = marks.slice(Math.ceil(marks.length / 10))
  const [first, last] = [warm[0], warm.at(-1)]
  const grown = (last?.heap ?? 0) - (first?.heap ?? 0)
  console.log(
    `Since ${first?.requests} requests: ${toMiB(grown).trim()} MiB, ${growthOf(warm).toFixed(1)} bytes a request`,
  )
  process.exitCode = grown > BOUND ? 1 : 0
}

async function sendForMinutes(minutes: number): Promise<void> {
  const { engine, marks, growth, findings } = await soakSockets({
    engine: values.engine === 'direct' ? 'direct' : 'node',
    seconds: minutes * 60,
    seed: Number(values.seed),
    marks: Number(values.marks),
    sockets: Number(values.sockets),
    onMark: show,
  })
  const last = marks.at(-1)
  console.log(
    `The engine ${engine}, seed ${values.seed}: ${last?.requests} answers on ${last?.connections} connections, ${last?.resets} of them reset`,
  )
  console.log(`Over the second half: ${toMiB(growth).trim()} MiB`)
  for (const text of findings) console.error(`Found: ${text}`)
  process.exitCode = growth > BOUND || findings.length > 0 ? 1 : 0
}

function show({ requests: count, seconds, heap, external, rss }: Mark): void {
  const numbers = [
    String(count).padStart(8),
    seconds.toFixed(1).padStart(8),
    ...[heap, external, rss].map(toMiB),
  ]
  console.log(numbers.join(' '))
}

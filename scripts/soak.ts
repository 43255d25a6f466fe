/**
 * Makes mixed requests, through `inject` and over sockets, and shows what the heap holds meanwhile; fails when it grows:
 * `npm run soak`, `npm run soak -- --requests 1000000`.
 */
import { parseArgs } from 'node:util'

import { growthOf, soak } from '../test/fault/soak/run.ts'
import type { Mark } from '../test/fault/soak/run.ts'

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '100000' }, marks: { type: 'string', default: '20' } },
})
const requests = Number(values.requests)
/** What the heap may hold more at the end than after a tenth of the requests, in bytes. */
const BOUND = 2 * 1024 * 1024

const toMiB = (bytes: number): string => (bytes / 1024 / 1024).toFixed(2).padStart(9)
console.log('requests  seconds  heap MiB  external       RSS')
const marks = await soak(requests, Number(values.marks), show)
const warm = marks.slice(Math.ceil(marks.length / 10))
const [first, last] = [warm[0], warm.at(-1)]
const grown = (last?.heap ?? 0) - (first?.heap ?? 0)
console.log(
  `Since ${first?.requests} requests: ${toMiB(grown).trim()} MiB, ${growthOf(warm).toFixed(1)} bytes a request`,
)
process.exitCode = grown > BOUND ? 1 : 0

function show({ requests: count, seconds, heap, external, rss }: Mark): void {
  const numbers = [
    String(count).padStart(8),
    seconds.toFixed(1).padStart(8),
    ...[heap, external, rss].map(toMiB),
  ]
  console.log(numbers.join(' '))
}

/**
 * What versions cost: lookups by each way for versions to travel against the same lookups without versioning, on the 203 routes of the
 * GitHub API. Run with `npm run bench:versions`, which compiles first: the loader that runs TypeScript names every closure when it is
 * made, which costs more than a lookup.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

import { BASES, CONTESTANTS, STAGES } from './contestants.ts'
import type { Stage } from './contestants.ts'
import { printScale } from './scale.ts'

const ROUNDS = Number(process.env['ROUNDS'] ?? 300)
const WARM_UP = 60

const workers = CONTESTANTS.map(
  (_, index) => new Worker(new URL('worker.js', import.meta.url), { workerData: index }),
)
console.log(`Nanoseconds, lower quartile and median of ${ROUNDS} alternating rounds; ratios of the former.\n`)
for (const stage of STAGES) print(stage, await race(stage))
await Promise.all(workers.map((worker) => worker.terminate()))
printScale()

/**
 * Times the contestants one after the other on the same requests. Rounds alternate, so that what else the machine does hits all of
 * them; the one who begins changes from round to round.
 */
async function race(stage: Stage): Promise<readonly (readonly number[])[]> {
  const samples = workers.map((): number[] => [])
  const order = [...workers.entries()]
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (const [index, worker] of order) {
      const answer = once(worker, 'message')
      // a thread has no origin
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      worker.postMessage(stage)
      const [nanoseconds] = await answer
      if (round >= 0) samples[index]?.push(Number(nanoseconds))
    }
    order.push(...order.splice(0, 1))
  }
  return samples.map((times) => times.toSorted((a, b) => a - b))
}

function print(stage: Stage, timings: readonly (readonly number[])[]): void {
  const at = (index: number, part: number): number => {
    const times = timings[index] ?? []
    return times[Math.floor((times.length - 1) * part)] ?? Number.NaN
  }
  const bases = BASES.map((base) => CONTESTANTS.findIndex(({ name }) => name === base))
  console.log(toRow([stage, 'lower quartile', 'median', ...BASES.map((base) => `to ${base}`), 'goal']))
  console.log(toRow(Array.from({ length: BASES.length + 4 }, () => '---')))
  for (const [index, { name, goal }] of CONTESTANTS.entries()) {
    const ratios = bases.map((base) => (at(index, 0.25) / at(base, 0.25)).toFixed(2))
    const limit = goal === undefined || stage !== 'locate' ? '' : `≤ ${goal} to none`
    console.log(toRow([name, at(index, 0.25).toFixed(0), at(index, 0.5).toFixed(0), ...ratios, limit]))
  }
  console.log('')
}

function toRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

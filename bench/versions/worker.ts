/** One contestant in a thread of its own. */
import { workerData } from 'node:worker_threads'

import { serve } from '../measure/race.ts'
import { CONTESTANTS, toContestant } from './contestants.ts'
import type { Run, Stage } from './contestants.ts'
import { BenchRequest } from './request.ts'
import { HITS } from '../router/requests.ts'

/** So few that they are still in the processor's cache, as a request is that was just received. */
const BATCH = 32

const setup = CONTESTANTS.find(({ name }) => name === workerData)
if (setup === undefined) throw new Error(`${workerData} is no contestant`)
const { write } = setup
const stages = toContestant(setup)

serve((_contestant, stage) => {
  const run = stages[stage as Stage]
  return { answer: () => check(run), time: () => time(run) }
})

/** Nanoseconds of one request, over one of each kind. */
function time(run: Run): number {
  let sum = 0
  let elapsed = 0n
  for (let from = 0; from < HITS.length; from += BATCH) {
    const fresh = HITS.slice(from, from + BATCH).map(
      ({ method, target }) => new BenchRequest(method, write(target)),
    )
    const start = process.hrtime.bigint()
    for (const raw of fresh) sum += run(raw)
    elapsed += process.hrtime.bigint() - start
  }
  if (sum < HITS.length) throw new Error('a route was not found')
  return Number(elapsed) / HITS.length
}

/** How many requests find their route: all of them, and no other. */
function check(run: Run): number {
  for (const { method, target } of HITS) {
    if (run(new BenchRequest(method, write(target))) === 0) throw new Error(`${method} ${target} is missing`)
  }
  if (run(new BenchRequest('GET', write('/nothing'))) !== 0) throw new Error('/nothing is found')
  return HITS.length
}

/** One contestant in an isolate of its own: what the others do does not become part of what its code is optimized for. */
import { parentPort, workerData } from 'node:worker_threads'

import { CONTESTANTS, toContestant } from './contestants.ts'
import type { Setup, Stage } from './contestants.ts'
import { BenchRequest, TARGETS } from './requests.ts'

/** So few that they are still in the processor's cache, as a request is that was just received. */
const BATCH = 32

const setup: Setup | undefined = CONTESTANTS[Number(workerData)]
if (setup === undefined) throw new Error('there is no such contestant')
const { write } = setup
const { locate, dispatch } = toContestant(setup)
const stages = { locate, dispatch }

check()
// a thread has no origin
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort?.on('message', (stage: Stage) => parentPort?.postMessage(time(stage)))

/** Nanoseconds of one request, over one of each kind. */
function time(stage: Stage): number {
  const run = stages[stage]
  let sum = 0
  let elapsed = 0n
  for (let from = 0; from < TARGETS.length; from += BATCH) {
    const fresh = TARGETS.slice(from, from + BATCH).map(
      ({ method, target }) => new BenchRequest(method, write(target)),
    )
    const start = process.hrtime.bigint()
    for (const raw of fresh) sum += run(raw)
    elapsed += process.hrtime.bigint() - start
  }
  if (sum < TARGETS.length) throw new Error('a route was not found')
  return Number(elapsed) / TARGETS.length
}

/** Both stages have to find every route, and no other. */
function check(): void {
  for (const run of Object.values(stages)) {
    for (const { method, target } of TARGETS) {
      if (run(new BenchRequest(method, write(target))) === 0)
        throw new Error(`${method} ${target} is missing`)
    }
    if (run(new BenchRequest('GET', write('/nothing'))) !== 0) throw new Error('/nothing is found')
  }
}

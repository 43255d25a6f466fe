/** One contestant in an isolate of its own: what the others do does not become part of what its code is optimized for. */
import { parentPort, workerData } from 'node:worker_threads'

import { CONTESTANTS, toContestant } from './contestants.ts'
import type { Setup, Stage } from './contestants.ts'
import { BenchRequest, TARGETS } from './requests.ts'

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
  const fresh = TARGETS.map(({ method, target }) => new BenchRequest(method, write(target)))
  let sum = 0
  const start = process.hrtime.bigint()
  for (const raw of fresh) sum += run(raw)
  const elapsed = Number(process.hrtime.bigint() - start)
  if (sum < fresh.length) throw new Error('a route was not found')
  return elapsed / fresh.length
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

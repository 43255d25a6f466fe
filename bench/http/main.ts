import { Agent } from 'node:http'
import { cpus } from 'node:os'

import { rotate } from '../measure/stats.ts'
import type { MeasureOptions, Section } from '../report/section.ts'
import { check } from './check.ts'
import type { Sizes } from './check.ts'
import { CONTESTANTS } from './contestants.ts'
import type { Contestant } from './contestants.ts'
import { createLoader, has } from './load.ts'
import type { Burst, Loader } from './load.ts'
import { report } from './report.ts'
import { SCENARIOS } from './scenarios.ts'
import type { Scenario } from './scenarios.ts'
import { start } from './start.ts'
import type { Started } from './start.ts'

/** How long it takes: milliseconds, but for `rounds`. */
interface Plan {
  readonly rounds: number
  readonly warmUp: number
  readonly burst: number
}

// many short bursts rather than few long ones: what else the machine does then hits neighbours alike
const FULL: Plan = { rounds: 15, warmUp: 500, burst: 400 }
const QUICK: Plan = { rounds: 1, warmUp: 200, burst: 500 }

/** Serves one API by several frameworks and counts how many requests each answers. */
export async function measure({ isQuick }: MeasureOptions): Promise<Section> {
  const isPinned = has('taskset') && cpus().length > 1
  const loader = await createLoader(isPinned ? ['taskset', '-c', '1'] : [])
  const started: Started[] = []
  try {
    for (const contestant of CONTESTANTS)
      started.push(await start(contestant, isPinned ? ['taskset', '-c', '0'] : []))
    const sizes = await checkAll(started)
    const plan = isQuick ? QUICK : FULL
    const results = new Map<Scenario, ReadonlyMap<Contestant, readonly Burst[]>>()
    for (const scenario of SCENARIOS) results.set(scenario, await run(scenario, started, loader, plan))
    return report({ results, sizes, loader: loader.name, isPinned, ...plan })
  } finally {
    for (const { process } of started) process.disconnect()
    await loader.end()
  }
}

async function checkAll(started: readonly Started[]): Promise<ReadonlyMap<Contestant, Sizes>> {
  const agent = new Agent({ keepAlive: true })
  const sizes = new Map<Contestant, Sizes>()
  for (const { contestant, port } of started)
    sizes.set(contestant, await check(contestant.label, port, agent))
  agent.destroy()
  return sizes
}

async function run(
  scenario: Scenario,
  started: readonly Started[],
  loader: Loader,
  { rounds, warmUp, burst }: Plan,
): Promise<ReadonlyMap<Contestant, readonly Burst[]>> {
  const running = started.filter(({ contestant }) => contestant.logs !== true || scenario.counts === true)
  const loads = new Map(running.map(({ contestant }) => [contestant, [] as Burst[]]))
  if (warmUp > 0) for (const { port } of running) await loader.load(scenario, port, warmUp)
  for (let round = 0; round < rounds; round += 1) {
    for (const { contestant, port, cpu } of rotate(running, round)) {
      const before = await cpu()
      const sent = await loader.load(scenario, port, burst)
      const load = { ...sent, cpu: ((await cpu()) - before) / sent.total }
      verify(contestant, scenario, load)
      loads.get(contestant)?.push(load)
    }
  }
  return loads
}

function verify({ label }: Contestant, { title, status }: Scenario, { total, refused, failed }: Burst): void {
  const expected = status >= 400 ? total : 0
  if (failed > 0 || total === 0 || refused !== expected)
    throw new Error(
      `${label}, ${title}: of ${total} requests ${refused} refused, ${failed} without an answer`,
    )
}

import { Agent } from 'node:http'
import { cpus } from 'node:os'

import { check } from '../http/check.ts'
import { createLoader, has } from '../http/load.ts'
import type { Burst, Loader } from '../http/load.ts'
import { SCENARIOS } from '../http/scenarios.ts'
import type { Scenario } from '../http/scenarios.ts'
import { rotate } from '../measure/stats.ts'
import type { MeasureOptions, Section } from '../report/section.ts'
import { findRuntimes, OCTAVO } from './contestants.ts'
import type { Contestant, Runtime } from './contestants.ts'
import { report } from './report.ts'
import type { Measured } from './report.ts'
import { readCpu, start, timeFirstAnswer } from './start.ts'
import type { Started } from './start.ts'

/** How long it takes: milliseconds, but for `rounds` and `starts`. */
interface Plan {
  readonly rounds: number
  readonly warmUp: number
  readonly burst: number
  readonly starts: number
}

// their compilers take more requests than that of Node until they are done
const FULL: Plan = { rounds: 11, warmUp: 1500, burst: 400, starts: 15 }
const QUICK: Plan = { rounds: 3, warmUp: 500, burst: 300, starts: 3 }

const COUNTING = SCENARIOS.filter(({ counts }) => counts === true)

/** Serves one API by handlers of the Fetch standard on Bun and Deno, and counts how many requests each answers. */
export async function measure({ isQuick }: MeasureOptions): Promise<Section> {
  const runtimes = findRuntimes()
  if (runtimes.length === 0) throw new Error('Neither Bun nor Deno is installed')
  const isPinned = has('taskset') && cpus().length > 1
  const loader = await createLoader(isPinned ? ['taskset', '-c', '1'] : [])
  const plan = isQuick ? QUICK : FULL
  try {
    const measured: Measured[] = []
    for (const runtime of runtimes) {
      const loads = await loadAll(runtime, loader, plan, isPinned ? ['taskset', '-c', '0'] : [])
      measured.push({ runtime, loads, starts: await timeStarts(runtime, plan) })
    }
    return report({ measured, loader: loader.name, isPinned, ...plan })
  } finally {
    await loader.end()
  }
}

async function loadAll(
  runtime: Runtime,
  loader: Loader,
  plan: Plan,
  front: readonly string[],
): Promise<Measured['loads']> {
  const started: Started[] = []
  try {
    for (const contestant of runtime.contestants) started.push(await start(runtime, contestant, front))
    const agent = new Agent({ keepAlive: true })
    for (const { contestant, port } of started) {
      const hasVersions = contestant !== OCTAVO
      await check(
        `${contestant.label} on ${runtime.name}`,
        port,
        agent,
        ({ path }) => hasVersions || path !== '/garage',
      )
    }
    agent.destroy()
    const loads = new Map<Scenario, ReadonlyMap<Contestant, readonly Burst[]>>()
    for (const scenario of COUNTING) loads.set(scenario, await loadOne(scenario, started, loader, plan))
    return loads
  } finally {
    for (const { process } of started) process.kill()
  }
}

async function loadOne(
  scenario: Scenario,
  started: readonly Started[],
  loader: Loader,
  { rounds, warmUp, burst }: Plan,
): Promise<ReadonlyMap<Contestant, readonly Burst[]>> {
  const loads = new Map(started.map(({ contestant }) => [contestant, [] as Burst[]]))
  for (const { port } of started) await loader.load(scenario, port, warmUp)
  for (let round = 0; round < rounds; round += 1) {
    for (const each of rotate(started, round)) {
      const before = readCpu(each)
      const first = await loader.load(scenario, each.port, burst)
      // a machine that does something else may have kept the load from beginning
      const sent = first.total > 0 ? first : await loader.load(scenario, each.port, 4 * burst)
      if (sent.total === 0 || sent.failed > 0 || sent.refused > 0)
        throw new Error(`${each.contestant.label}, ${scenario.title}: ${JSON.stringify(sent)}`)
      loads.get(each.contestant)?.push({ ...sent, cpu: (readCpu(each) - before) / sent.total })
    }
  }
  return loads
}

async function timeStarts(runtime: Runtime, { starts }: Plan): Promise<Measured['starts']> {
  const times = new Map(runtime.contestants.map((contestant) => [contestant, [] as number[]]))
  for (let round = 0; round < starts; round += 1) {
    for (const contestant of rotate(runtime.contestants, round))
      times.get(contestant)?.push(await timeFirstAnswer(runtime, contestant))
  }
  return times
}

/** Measures scenarios, each figure in processes of its own. */
import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import type { Figures } from './compare.ts'
import type { Contestant } from './contestant.ts'
import type { Adapter, Scenario } from './scenarios.ts'
import type { Interpreted } from './worker.ts'

const execute = promisify(execFile)
/** Servers run like this; elsewhere Octavo looks for mistakes too. */
const ENVIRONMENT = { ...process.env, NODE_ENV: 'production' }
/** Milliseconds after which a process that counts must have hung; it takes one or two seconds. */
const PATIENCE = 120_000
const WORKER = fileURLToPath(new URL('worker.js', import.meta.url))

/** The collector and the compiler have no threads of their own, and the collector seldom has work. */
const STEADY = [
  '--single-threaded',
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
  '--random-seed=1',
]
const INTERPRETED = ['--no-opt', '--no-maglev', '--no-sparkplug']

/** Requests until V8 has nothing left to learn. */
const WARM_UP = { interpreted: 400, optimised: 12_000 } as const

/** Measures what the guard compares: what a request takes in Octavo and node:http. */
export async function measureFigures({ name, adapter }: Scenario): Promise<Figures> {
  const [{ interpreted, files }, optimised] = await Promise.all([
    measureInterpreted(name, adapter),
    above(adapter, async (contestant) =>
      Number(await ask(STEADY, [name, contestant, 'heap', String(WARM_UP.optimised)])),
    ),
  ])
  const tokens = Object.values(files).reduce((sum, one) => sum + one, 0)
  return { interpreted, optimised, tokens, files }
}

/** Bytes and tokens for each request, both from one process, because starting it takes longer than the requests. */
async function measureInterpreted(
  name: string,
  adapter: Adapter,
): Promise<Pick<Figures, 'interpreted' | 'files'>> {
  const run = async (contestant: Contestant): Promise<Interpreted> =>
    (await ask(
      [...STEADY, ...INTERPRETED],
      [name, contestant, 'interpreted', String(WARM_UP.interpreted)],
    )) as Interpreted
  const nothing: Interpreted = { heap: 0, work: {} }
  const [octavo, none] = await Promise.all([run('octavo'), adapter === 'listen' ? run('none') : nothing])
  const files = Object.keys(octavo.work).map(
    (file) => [file, Math.round((octavo.work[file] ?? 0) - (none.work[file] ?? 0))] as const,
  )
  return {
    interpreted: Math.round(octavo.heap - none.heap),
    files: Object.fromEntries(
      files.filter(([, tokens]) => tokens !== 0).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    ),
  }
}

/** Bytes for each request by function, the most first. Optimised, what is inlined counts for the function that it is inlined in. */
export async function measurePlaces(
  { name }: Scenario,
  mode: 'interpreted' | 'optimised',
): Promise<Readonly<Record<string, number>>> {
  const flags = [...STEADY, '--enable-source-maps', ...(mode === 'interpreted' ? INTERPRETED : [])]
  return (await ask(flags, [name, 'octavo', 'where', String(WARM_UP[mode])])) as Record<string, number>
}

/** Instructions for each request, counted by valgrind, when V8 interprets everything. */
export function measureInstructions({ name, adapter }: Scenario): Promise<number> {
  const [few, many] = [50, 1050]
  return above(adapter, async (contestant) => {
    const [less, more] = await Promise.all(
      [few, many].map((requests) => countInstructions(name, contestant, requests)),
    )
    return ((more ?? Number.NaN) - (less ?? Number.NaN)) / (many - few)
  })
}

async function countInstructions(name: string, contestant: Contestant, requests: number): Promise<number> {
  const tool = [
    '--tool=callgrind',
    '--callgrind-out-file=/dev/null',
    '--smc-check=all-non-file',
    process.execPath,
  ]
  const flags = [...STEADY, ...INTERPRETED, '--hash-seed=1']
  const { stderr } = await limited(() =>
    execute('valgrind', [...tool, ...flags, WORKER, name, contestant, 'none', String(requests)], {
      env: ENVIRONMENT,
    }),
  )
  return Number(/Collected : (\d+)/.exec(stderr)?.[1])
}

/** What is left when the connection is taken off. */
async function above(
  adapter: Adapter,
  measure: (contestant: Contestant) => Promise<number>,
): Promise<number> {
  const [octavo, none] = await Promise.all([measure('octavo'), adapter === 'listen' ? measure('none') : 0])
  return Math.round(octavo - none)
}

async function ask(flags: readonly string[], words: readonly string[]): Promise<unknown> {
  const { stdout } = await limited(() =>
    execute(process.execPath, [...flags, WORKER, ...words], { env: ENVIRONMENT, timeout: PATIENCE }),
  )
  return JSON.parse(stdout)
}

const waiting: (() => void)[] = []
let free = availableParallelism()

/** Runs as many processes at once as there are processors. */
async function limited<T>(work: () => Promise<T>): Promise<T> {
  if (free > 0) free -= 1
  else await new Promise<void>((resolve) => waiting.push(resolve))
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
  }
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'

import { bundle } from './bundle.ts'
import { findTestFiles, selectFiles } from './files.ts'
import type { Speed } from './files.ts'
import { planEntries } from './plan.ts'
import type { Entry } from './plan.ts'
import { RUN_FOLDER } from './programs.ts'
import { findProblems, readResults } from './results.ts'

export interface RunSettings {
  /** The folder of package.json. */
  readonly root: string
  readonly speed: Speed
  /** Lets tsx load all files in place of bundling them: coverage is exact, and what is wrong with a bundle shows. */
  readonly fromSource: boolean
  /** Paths of files and folders. Without any, all files of the speed run. */
  readonly filters: readonly string[]
  /** Options of `node --test`. */
  readonly options: readonly string[]
}

/** Limit of a process, far above the limit of a test file, which `bundle` sets. It ends processes that something keeps open. */
const TIMEOUT = 1_500_000

/** Transpiles the test files to `.test` and runs them. Returns the exit code. */
export async function runTests(settings: RunSettings): Promise<number> {
  const { root, speed, fromSource, filters, options } = settings
  const entries = planEntries(selectFiles(findTestFiles(root), speed, filters))
  if (entries.length === 0) throw new Error(`There are no ${speed} test files.`)
  const folder = prepareFolder(root)
  try {
    await bundle(root, folder, entries, fromSource)
    process.env[RUN_FOLDER] = folder
    const code = await runProcesses(root, folder, entries, options)
    const problems = findProblems(entries, readResults(toResultsFile(folder)), options)
    for (const problem of problems) console.error(problem)
    return code === 0 && problems.length === 0 ? 0 : 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs all processes under one `node --test`, so that there is one summary. */
async function runProcesses(
  root: string,
  folder: string,
  entries: readonly Entry[],
  options: readonly string[],
): Promise<unknown> {
  const prefix = '--test-reporter='
  const named = options.findLast((option) => option.startsWith(prefix))
  const fixed = [
    '--enable-source-maps',
    '--conditions=octavo-source',
    // V8 optimises the code of PGlite for longer than a test runs it
    '--liftoff-only',
    '--test',
    // more than there are cores, because many tests wait
    `--test-concurrency=${availableParallelism() + 3}`,
    `--test-timeout=${TIMEOUT}`,
    // the default is the one that Node 20 has if there is no other reporter
    named ?? `${prefix}${process.stdout.isTTY ? 'spec' : 'tap'}`,
    '--test-reporter-destination=stdout',
    `${prefix}${join(folder, 'reporter.mjs')}`,
    `--test-reporter-destination=${toResultsFile(folder)}`,
  ]
  const others = options.filter((option) => !option.startsWith(prefix))
  const paths = entries.map(({ name }) => join(folder, `${name}.mjs`))
  const child = spawn(process.execPath, [...fixed, ...others, ...paths], { stdio: 'inherit', cwd: root })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  const [code]: readonly unknown[] = await once(child, 'exit')
  return code
}

function toResultsFile(folder: string): string {
  return join(folder, 'results.json')
}

/** Creates the output folder of this run and removes those of runs that have ended. Two runs at once leave each other alone. */
function prepareFolder(root: string): string {
  const parent = join(root, '.test')
  mkdirSync(parent, { recursive: true })
  for (const name of readdirSync(parent)) {
    if (!isRunning(Number(name))) rmSync(join(parent, name), { recursive: true, force: true })
  }
  return join(parent, String(process.pid))
}

function isRunning(id: number): boolean {
  if (!Number.isInteger(id)) return false
  try {
    return process.kill(id, 0)
  } catch {
    return false
  }
}

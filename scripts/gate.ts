/**
 * Does everything of `npm run check` but the fast tests: `npm run gate`, or `npm run gate -- lint guard` for steps by their names. The
 * slow tests and two more steps run side by side, so that two cores have work while a step waits for the network or has one thread. Each
 * step prints its output when it has ended.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'

const ROOT = join(import.meta.dirname, '..')

/** A name and a shell command, which fails by its exit code, perhaps with a step that has to end before. */
type Step = readonly [name: string, command: string, after?: string]

const install = (folder: string): string =>
  `npm ci --prefix ${folder} --ignore-scripts --no-audit --no-fund --loglevel=error`

/** Before all others: `dist` is what many of them look at, and none of them builds it again. */
const FIRST: readonly Step[] = [['build', 'npm run build']]

/**
 * Runs beside all others, with fewer processes than alone, because two more steps run at the same time. It takes what is built, and leaves
 * Scalar to a step of its own, which waits until that is installed.
 */
const SLOW: Step = ['slow', 'OCTAVO_BUILT=dist OCTAVO_SCALAR=later npm run test:slow -- --test-concurrency=2']

/**
 * The others, of which two run at a time, in this order: what takes long first, so that both have work until the end. Random cases have
 * seeds of their own: a change is not refused for what was there before it.
 */
const OTHERS: readonly Step[] = [
  ['install outside', install('test/outside')],
  // builds the site, which checks its links and that it loads nothing from elsewhere, and looks at it in a browser if there is one
  ['site', 'npm run site:check'],
  ['lint', 'npm run lint'],
  // with more checkers, each would check again what files have in common
  ['types', 'npm run types -- --checkers 1'],
  ['types:budget', 'npm run types:budget'],
  ['unused', 'npm run unused'],
  ['size', 'npm run size'],
  ['pack:check', 'npm run pack:check'],
  // the documents of the examples, checked and called by tools that are not ours
  ['outside', 'npm test --prefix test/outside && npm run check --prefix test/outside', 'install outside'],
  // the same checks on Node 20 to 26, Bun, Deno and workerd, which are packages of their own
  ['runtimes', `${install('test/runtimes/packages')} && node --import tsx test/runtimes/run.ts`],
  ['guard', 'npm run guard'],
  ['scalar', 'npm test -- test/docs-page/scalar.slow.test.ts', 'install outside'],
  // with TypeScript 5.5 as well, which is among the tools of others
  ['declarations', 'npm test -- test/types/declarations.slow.test.ts', 'install outside'],
  ['fuzz:history', 'npm run fuzz:history -- --seed 7 --count 24'],
  ['fuzz', 'npm run fuzz -- --seconds 5 --seed 5'],
  // the benchmarks are a package of their own; that they still compile is enough here
  ['bench', `${install('bench')} && npm run check --prefix bench`],
]

/** Lines of the output of a step that has passed; a step that has failed shows all. */
const SHOWN = 12

/** What the shell says of the time that its processes took, user and system, in the second line. */
const TIMES = /^.*\n(\d+)m([\d.]+)s (\d+)m([\d.]+)s\n$/

const started = performance.now()
const counts = { passed: 0, failed: 0 }

async function run([name, command]: Step): Promise<void> {
  const start = performance.now()
  // colours and the like are for terminals
  const child = spawn(`{ ${command}; } 2>&1; code=$?; times >&3; exit $code`, {
    cwd: ROOT,
    shell: true,
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  })
  // the pipes that were asked for
  const [stdout, report] = [child.stdout, child.stdio[3]] as readonly [Readable, Readable]
  const ended = new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false))
    child.once('close', (code) => resolve(code === 0))
  })
  const [output, times, isPassed] = await Promise.all([text(stdout), text(report), ended])
  counts[isPassed ? 'passed' : 'failed'] += 1
  const lines = output.trimEnd().split('\n')
  const verdict = isPassed ? 'passed' : 'FAILED'
  const taken = `${secondsSince(start)} s, ${toCpuSeconds(times)} s of processors (${secondsSince(started)} s)`
  console.log(`\n=== ${name} ${verdict} in ${taken}: ${command}`)
  console.log((isPassed ? lines.slice(-SHOWN) : lines).join('\n'))
}

/** The steps that have begun, by their names. */
const begun = new Map<string, Promise<void>>()

/** Takes one step after the other from a list until it is empty. */
async function work(steps: Step[]): Promise<void> {
  for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
    const [name, , after = ''] = step
    await begun.get(after)
    const running = run(step)
    begun.set(name, running)
    await running
  }
}

/** The time that a step took of all processors, which others on the machine change less than its duration. */
function toCpuSeconds(times: string): number {
  const [, ...parts] = TIMES.exec(times) ?? []
  const [userMinutes, user, systemMinutes, system] = parts.map(Number)
  return Math.round(60 * ((userMinutes ?? 0) + (systemMinutes ?? 0)) + (user ?? 0) + (system ?? 0))
}

function secondsSince(moment: number): number {
  return Math.round((performance.now() - moment) / 1000)
}

const names = process.argv.slice(2)
const known = [...FIRST, SLOW, ...OTHERS].map(([name]) => name)
const unknown = names.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  console.error(`No step is called ${unknown.join(', ')}: use ${known.join(', ')}`)
  process.exit(1)
}
const select = (steps: readonly Step[]): Step[] =>
  steps.filter(([name]) => names.length === 0 || names.includes(name))

await work(select(FIRST))
// without it, the others say nothing
if (counts.failed === 0) {
  const others = select(OTHERS)
  await Promise.all([work(select([SLOW])), work(others), work(others)])
}
console.log(`\n${counts.passed} passed, ${counts.failed} failed`)
process.exitCode = counts.failed > 0 ? 1 : 0

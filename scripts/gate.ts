/**
 * Does everything of `npm run check` but the fast tests: `npm run gate`, or `npm run gate -- lint guard` for steps by their names. Three
 * lanes run side by side, so that two cores have work while a step waits for the network or has one thread. Each step prints its output
 * when it has ended.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'

const ROOT = join(import.meta.dirname, '..')

/** A name and a shell command, which fails by its exit code. */
type Step = readonly [name: string, command: string]

const install = (folder: string): string =>
  `npm ci --prefix ${folder} --ignore-scripts --no-audit --no-fund --loglevel=error`

/** Before all others: `dist` is what many of them look at, and none of them builds it again. */
const FIRST: readonly Step[] = [['build', 'npm run build']]

/** The lanes, whose steps run in turn. Random cases have seeds of their own: a change is not refused for what was there before it. */
const LANES: readonly (readonly Step[])[] = [
  [
    // one process less than alone, because the other lanes have two
    ['slow', 'npm run test:slow -- --test-concurrency=2'],
  ],
  [
    ['lint', 'npm run lint'],
    ['types', 'npm run types'],
    ['types:budget', 'npm run types:budget'],
    ['unused', 'npm run unused'],
    ['size', 'npm run size'],
    ['pack:check', 'npm run pack:check'],
    ['guard', 'npm run guard'],
    ['fuzz', 'npm run fuzz -- --seconds 12 --seed 5'],
    ['fuzz:history', 'npm run fuzz:history -- --seed 7 --count 100'],
    // skipped among the slow tests if Scalar is not there yet
    ['scalar', 'npm test -- test/docs-page/scalar.slow.test.ts'],
    // the documents of the examples, checked and called by tools that are not ours, which were installed minutes ago
    ['outside', 'npm test --prefix outside && npm run check --prefix outside'],
  ],
  [
    ['install outside', install('outside')],
    // the same checks on Node 20 to 26, Bun, Deno and workerd, which are packages of their own
    ['runtimes', `${install('runtimes')} && node --import tsx test/runtimes/run.ts`],
    // the benchmarks are a package of their own; that they still compile is enough here
    ['bench', `${install('bench')} && npm run check --prefix bench`],
    // builds the site, which checks its links and that it loads nothing from elsewhere, and looks at it in a browser if there is one
    ['site', 'npm run site:check'],
  ],
]

/** Lines of the output of a step that has passed; a step that has failed shows all. */
const SHOWN = 12

/** What the shell says of the time that its processes took, user and system, in the second line. */
const TIMES = /^.*\n(\d+)m([\d.]+)s (\d+)m([\d.]+)s\n$/

const started = performance.now()
const counts = { passed: 0, failed: 0 }

async function run([name, command]: Step): Promise<void> {
  const begun = performance.now()
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
  const taken = `${secondsSince(begun)} s, ${toCpuSeconds(times)} s of processors (${secondsSince(started)} s)`
  console.log(`\n=== ${name} ${verdict} in ${taken}: ${command}`)
  console.log((isPassed ? lines.slice(-SHOWN) : lines).join('\n'))
}

async function runLane(steps: readonly Step[]): Promise<void> {
  for (const step of steps) await run(step)
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
const known = [...FIRST, ...LANES.flat()].map(([name]) => name)
const unknown = names.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  console.error(`No step is called ${unknown.join(', ')}: use ${known.join(', ')}`)
  process.exit(1)
}
const select = (steps: readonly Step[]): readonly Step[] =>
  steps.filter(([name]) => names.length === 0 || names.includes(name))

await runLane(select(FIRST))
// without it, the others say nothing
if (counts.failed === 0) await Promise.all(LANES.map((steps) => runLane(select(steps))))
console.log(`\n${counts.passed} passed, ${counts.failed} failed`)
process.exitCode = counts.failed > 0 ? 1 : 0

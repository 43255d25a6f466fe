/**
 * Checks everything: `npm run check`. Names of steps run these alone: `npm run check -- lint unused`, and a step may take arguments:
 * `npm run check -- fuzz --seed 7`. The slow tests and two more steps run side by side, so that two cores have work while a step waits for
 * the network or has one thread. Each step prints its output when it has ended, but for one that runs alone.
 */
import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'

const ROOT = join(import.meta.dirname, '..')

/** A shell command, with `"$@"` where it takes arguments. */
interface Step {
  readonly says: string
  readonly command: string
  /** The command among all others, where `dist` is built and packages are installed, if it differs. */
  readonly among?: string
  /** The step that has to end before, among all others. */
  readonly after?: string
}

const TSX = 'node --import tsx'
const SOURCE = `${TSX} --conditions octavo-source`
const install = (folder: string): string =>
  `npm ci --prefix ${folder} --ignore-scripts --no-audit --no-fund --loglevel=error`

/** One after the other, before all others: `dist` is what many of them look at, and none of them builds it again. */
const FIRST: Readonly<Record<string, Step>> = {
  test: { says: 'the tests to run before a commit', command: 'npm test -- "$@"', among: 'npm test' },
  build: { says: 'writes dist', command: 'npm run build' },
}

/**
 * Runs beside all others, with fewer processes than alone, because two more steps run at the same time. It takes what is built, and leaves
 * Scalar and the suite of MCP to steps of their own, which wait until these are installed.
 */
const SLOW: Readonly<Record<string, Step>> = {
  slow: {
    says: 'the tests that take long: memory, browsers, random cases in large numbers',
    command: `${TSX} scripts/test/main.ts --slow "$@"`,
    among: `OCTAVO_BUILT=dist OCTAVO_PACKAGES=later ${TSX} scripts/test/main.ts --slow --test-concurrency=2`,
  },
}

/**
 * The others, of which two run at a time, in this order: what takes long first, so that both have work until the end. Random cases have
 * seeds of their own: a change is not refused for what was there before it.
 */
const OTHERS: Readonly<Record<string, Step>> = {
  install: { says: 'installs the packages of test/outside', command: install('test/outside') },
  site: {
    says: 'builds the site, and checks its links, that it loads nothing from elsewhere, and its looks in Chromium',
    command: `${install('website')} && npm run check --prefix website && npm test --prefix website`,
  },
  lint: {
    says: 'oxfmt and oxlint',
    command:
      'oxfmt --check . && oxlint --type-aware --deny-warnings --ignore-pattern test/outside src test examples scripts bench/guard',
  },
  // with more checkers, each would check again what files have in common
  types: { says: 'the types', command: 'tsc', among: 'tsc --checkers 1' },
  'types:budget': {
    says: 'what type inference costs, against its budget',
    command: `${TSX} scripts/type-budget.ts`,
  },
  unused: { says: 'exports that nothing uses', command: 'knip' },
  size: {
    says: "import 'octavo', a worker with one route and the number of exported values, against their limits",
    command: `${TSX} scripts/entry-size.ts`,
  },
  package: { says: 'package.json, with publint', command: 'publint --strict' },
  outside: {
    says: 'the documents of the examples by the tools of others, recipes, and the packed package (test/outside)',
    command: `npm run build && ${install('test/outside')} && npm test --prefix test/outside && npm test -- test/docs-page/scalar.slow.test.ts`,
    among: 'npm test --prefix test/outside && npm run check --prefix test/outside',
    after: 'install',
  },
  runtimes: {
    says: 'the same checks on Node 20 to 26, Bun, Deno and workerd. Takes names, and --update for the table of the guide',
    command: `npm run build && ${install('test/runtimes/packages')} && ${TSX} test/runtimes/run.ts "$@"`,
    among: `${install('test/runtimes/packages')} && ${TSX} test/runtimes/run.ts`,
  },
  guard: {
    says: 'the cost of requests, against the baseline',
    command: 'npm run guard -- "$@"',
    among: 'npm run guard',
  },
  scalar: {
    says: 'the page of documents with Scalar',
    command: 'npm test -- test/docs-page/scalar.slow.test.ts',
    after: 'install',
  },
  mcp: {
    says: 'the official conformance suite of MCP and its inspector, which the runtimes step installs with its Node',
    command: `${install('test/runtimes/packages')} && npm test -- test/mcp/conformance.slow.test.ts`,
    among: 'npm test -- test/mcp/conformance.slow.test.ts',
    after: 'runtimes',
  },
  // with TypeScript 5.5 as well, which is among the tools of others
  declarations: {
    says: 'the declarations, with several versions of TypeScript',
    command: 'npm test -- test/types/declarations.slow.test.ts',
    after: 'install',
  },
  'fuzz:history': {
    says: 'random histories of random models, 10,000 alone, against the rules of changes',
    command: `${SOURCE} scripts/fuzz-history.ts "$@"`,
    among: `${SOURCE} scripts/fuzz-history.ts --seed 7 --count 24 && ${SOURCE} scripts/fuzz-history.ts --newer --seed 7 --count 100 && ${SOURCE} scripts/fuzz-history.ts --definitions --seed 7 --count 124`,
  },
  fuzz: {
    says: 'invalid input, for 30 seconds alone',
    command: `${SOURCE} scripts/fuzz.ts "$@"`,
    among: `${SOURCE} scripts/fuzz.ts --seconds 5 --seed 5`,
  },
  // the benchmarks are a package of their own; that they still compile is enough here
  'bench:check': {
    says: 'types and lint of the benchmarks',
    command: `${install('bench')} && npm run check --prefix bench`,
  },
}

/** Steps that run only by their names. */
const NAMED: Readonly<Record<string, Step>> = {
  bench: {
    says: 'measures the parts that you name, or all. --quick tries them',
    command: `npm run build && ${install('bench')} && npm start --prefix bench -- "$@"`,
  },
  coverage: {
    says: 'the tests with coverage',
    command: `c8 ${TSX} scripts/test/main.ts --source "$@"`,
  },
  format: { says: 'formats all files', command: 'oxfmt .' },
  'fuzz:documents': {
    says: 'calls every operation by its document alone',
    command: `${SOURCE} scripts/fuzz-documents.ts "$@"`,
  },
  release: {
    says: 'whether a tag may be published, such as v0.2.0',
    command: `${TSX} scripts/release.ts "$@"`,
  },
  rules: { says: 'writes docs/rules.md', command: `${SOURCE} scripts/rules/main.ts` },
  screenshots: { says: 'writes docs/images', command: `${SOURCE} scripts/screenshots.ts` },
  soak: {
    says: 'mixed requests, for minutes if you want, against growth of the heap',
    command: `npm run build && ${TSX} scripts/soak.ts "$@"`,
  },
  template: {
    says: 'writes the documents that a project of octavo init begins with',
    command: `${SOURCE} scripts/template.ts`,
  },
}

const STEPS: Readonly<Record<string, Step>> = { ...FIRST, ...SLOW, ...OTHERS, ...NAMED }

/** Lines of the output of a step that has passed; a step that has failed shows all. */
const SHOWN = 12

/** What the shell says of the time that its processes took, user and system, in the second line. */
const TIMES = /^.*\n(\d+)m([\d.]+)s (\d+)m([\d.]+)s\n$/

const started = performance.now()
const counts = { passed: 0, failed: 0 }

async function run(name: string, command: string): Promise<void> {
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
async function work(names: string[]): Promise<void> {
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    const { command = '', among = command, after = '' } = STEPS[name] ?? {}
    await begun.get(after)
    const running = run(name, among)
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

/** Runs the steps that are named, or all of them. */
async function runSteps(names: readonly string[]): Promise<void> {
  const select = (steps: Readonly<Record<string, Step>>): string[] =>
    Object.keys(steps).filter((name) => names.length === 0 || names.includes(name))
  await work(select(FIRST))
  // without what they look at, the others say nothing
  if (counts.failed === 0) {
    const others = select(names.length === 0 ? OTHERS : { ...OTHERS, ...NAMED })
    await Promise.all([work(select(SLOW)), work(others), work(others)])
  }
  console.log(`\n${counts.passed} passed, ${counts.failed} failed`)
  process.exitCode = counts.failed > 0 ? 1 : 0
}

/** Runs a step alone, with what follows its name. */
function runAlone({ command }: Step, args: readonly string[]): void {
  const { status } = spawnSync('sh', ['-c', command, 'sh', ...args], { cwd: ROOT, stdio: 'inherit' })
  process.exitCode = status ?? 1
}

const [name = '', ...args] = process.argv.slice(2)
const step = STEPS[name]
if (name === '' || (args.length > 0 && [name, ...args].every((each) => each in STEPS))) {
  await runSteps(process.argv.slice(2))
} else if (step !== undefined && (args.length === 0 || step.command.includes('"$@"'))) {
  runAlone(step, args)
} else {
  const lines = Object.entries(STEPS).map(([each, { says }]) => `${each.padEnd(15)} ${says}`)
  console.log(lines.join('\n'))
  if (name !== 'list') {
    console.error(step === undefined ? `\nNo step is called ${name}` : `\n${name} takes no arguments`)
    process.exitCode = 1
  }
}

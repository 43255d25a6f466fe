/**
 * Counts what requests take, by counts that no clock has a part in, and fails when one rose by more than the tolerance:
 * `npm run guard`. Options: `--update` writes the baseline, `--where` tells which functions allocate, `--instructions` counts with
 * valgrind too; other words choose the scenarios whose names contain one of them.
 */
import { readFile, writeFile } from 'node:fs/promises'

import { compareFigures, mergeFigures, METRICS } from './compare.ts'
import type { FiguresByScenario } from './compare.ts'
import { printComparison, printFigures, printPlaces } from './print.ts'
import { measureFigures, measureInstructions, measurePlaces } from './runs.ts'
import { LEVEL, SCENARIOS } from './scenarios.ts'
import type { Scenario } from './scenarios.ts'

/** From `.guard/bench/guard`, where this runs. */
const BASELINE = new URL('../../../bench/guard/baseline.json', import.meta.url)

/** How often is measured again what has to be. */
const TRIES = 2

/** Figures by the major version of Node. */
type Baseline = Readonly<Record<string, FiguresByScenario>>

const words = process.argv.slice(2)
const options = new Set(words.filter((word) => word.startsWith('--')))
const asked = words.filter((word) => !word.startsWith('--'))
const chosen = SCENARIOS.filter(({ name }) => asked.length === 0 || asked.some((word) => name.includes(word)))
if (chosen.length === 0) throw new Error(`There are ${SCENARIOS.map(({ name }) => name).join('; ')}`)

if (options.has('--where')) {
  for (const scenario of chosen)
    for (const mode of ['interpreted', 'optimised'] as const)
      printPlaces(`${scenario.name}, ${mode}`, await measurePlaces(scenario, mode))
} else {
  await guard()
}

async function guard(): Promise<void> {
  const [major = ''] = process.versions.node.split('.')
  const baseline = JSON.parse(await readFile(BASELINE, 'utf8')) as Baseline
  const known = Object.entries(baseline[major] ?? {}).filter(
    ([name]) => asked.length === 0 || chosen.some((scenario) => scenario.name === name),
  )
  const before: FiguresByScenario = Object.fromEntries(known)
  const measured = options.has('--update') ? await measureBaseline() : await measureUntilGood(before)
  printFigures(before, measured)
  checkLevel(measured)
  if (options.has('--update')) {
    const others = asked.length === 0 ? {} : baseline[major]
    await write({ ...baseline, [major]: { ...others, ...measured } })
  } else if (baseline[major] === undefined) {
    console.log(`\nThere is no baseline for Node ${major}: nothing was compared.`)
  } else {
    const comparison = compareFigures(before, measured)
    printComparison(comparison, before, measured)
    if (comparison.worse.length + comparison.unmatched.length > 0) process.exitCode = 1
  }
}

/** Fails if the newest version of a history takes more than a version without one. */
function checkLevel(measured: FiguresByScenario): void {
  const [of, is] = [LEVEL.of, LEVEL.is].map((name) => measured[`dispatch: ${name}`])
  if (of === undefined || is === undefined) return
  const { worse } = compareFigures({ [LEVEL.is]: of }, { [LEVEL.is]: is })
  for (const { metric, before, after } of worse)
    console.log(`\nA history costs the newest version ${METRICS[metric]}: ${after} instead of ${before}`)
  if (worse.length > 0) process.exitCode = 1
}

/** Measures scenarios, and once more what is worse: the optimising compiler does not come to the same in every run. */
async function measureUntilGood(before: FiguresByScenario): Promise<FiguresByScenario> {
  let measured = await measureAll(chosen)
  for (let more = 0; more < TRIES; more++) {
    const { worse } = compareFigures(before, measured)
    const again = chosen.filter(({ name }) => worse.some(({ scenario }) => scenario === name))
    measured = mergeFigures(measured, await measureAll(again), Math.min)
  }
  return measured
}

/** Measures scenarios some times: the highest of the figures makes the baseline. */
async function measureBaseline(): Promise<FiguresByScenario> {
  let measured = await measureAll(chosen)
  for (let more = 0; more < TRIES; more++)
    measured = mergeFigures(measured, await measureAll(chosen), Math.max)
  return measured
}

async function measureAll(scenarios: readonly Scenario[]): Promise<FiguresByScenario> {
  return Object.fromEntries(
    await Promise.all(scenarios.map(async (scenario) => [scenario.name, await measure(scenario)] as const)),
  )
}

async function measure(scenario: Scenario): Promise<FiguresByScenario[string]> {
  const figures = await measureFigures(scenario)
  if (!options.has('--instructions')) return figures
  return { ...figures, instructions: await measureInstructions(scenario) }
}

async function write(baseline: Baseline): Promise<void> {
  await writeFile(BASELINE, `${JSON.stringify(baseline, null, 2)}\n`)
  console.log('\nThe baseline is written.')
}

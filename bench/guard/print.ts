/** What the guard says. */
import { METRICS, risenFiles, TOLERANCE } from './compare.ts'
import type { Change, Comparison, Figures, FiguresByScenario, Metric } from './compare.ts'

const PERCENT = `${TOLERANCE * 100} %`
const MOST = 15

/** One line for each scenario: each figure, and how far it is from the baseline. */
export function printFigures(before: FiguresByScenario, measured: FiguresByScenario): void {
  const metrics = (Object.keys(METRICS) as Metric[]).filter((metric) =>
    Object.values(measured).some((figures) => figures[metric] !== undefined),
  )
  console.log(`For each request, on Node ${process.versions.node}:\n`)
  console.log(
    toRow(
      '',
      metrics.map((metric) => METRICS[metric]),
    ),
  )
  for (const [name, figures] of Object.entries(measured)) {
    const cells = metrics.map((metric) => toCell(before[name]?.[metric], figures[metric]))
    console.log(toRow(name, cells))
  }
}

/** What changed, and what to do about it. */
export function printComparison(
  { worse, better, unmatched }: Comparison,
  before: FiguresByScenario,
  measured: FiguresByScenario,
): void {
  for (const name of unmatched) console.log(`\n${name}: only the baseline or only the guard has it.`)
  if (better.length > 0) {
    console.log(`\nBetter by more than ${PERCENT}:\n${better.map(toLine).join('\n')}`)
    console.log('Keep it: npm run guard -- --update')
  }
  if (worse.length > 0) {
    console.log(`\nFAILED: worse by more than ${PERCENT}:\n${worse.map(toLine).join('\n')}`)
    for (const name of new Set(worse.map(({ scenario }) => scenario)))
      printFiles(name, before[name], measured[name])
    const [first] = worse
    console.log(
      `\nWhich functions allocate: npm run guard -- --where "${first?.scenario}", here and before the change.`,
    )
  }
  if (worse.length + unmatched.length > 0)
    console.log('When that is as it should be: npm run guard -- --update, and say why in the commit.')
  else console.log(`\nNothing is worse by more than ${PERCENT}.`)
}

/** The functions that allocate most. */
export function printPlaces(name: string, places: Readonly<Record<string, number>>): void {
  const entries = Object.entries(places)
  const sum = entries.reduce((total, [, bytes]) => total + bytes, 0)
  console.log(`\n${name}: ${sum.toFixed(0)} bytes for each request, sampled`)
  for (const [place, bytes] of entries.slice(0, MOST))
    console.log(`${bytes.toFixed(0).padStart(8)}  ${place}`)
}

function printFiles(name: string, before: Figures | undefined, after: Figures | undefined): void {
  if (before === undefined || after === undefined) return
  const files = risenFiles(before, after).slice(0, MOST)
  if (files.length === 0) return
  console.log(`\n${name} runs more tokens in`)
  for (const [file, tokens] of files) console.log(`  ${file}  +${tokens.toFixed(0)}`)
}

function toLine({ scenario, metric, before, after }: Change): string {
  return `  ${scenario}: ${METRICS[metric]}, from ${before.toFixed(0)} to ${after.toFixed(0)} (${toPercent(before, after)})`
}

function toCell(before: number | undefined, after: number | undefined): string {
  if (after === undefined) return ''
  return before === undefined ? after.toFixed(0) : `${after.toFixed(0)} ${toPercent(before, after)}`
}

function toPercent(before: number, after: number): string {
  const percent = (after / before - 1) * 100
  return `${percent < 0 ? '-' : '+'}${Math.abs(percent).toFixed(1)} %`
}

function toRow(name: string, cells: readonly string[]): string {
  return [name.padEnd(32), ...cells.map((cell) => cell.padStart(29))].join('').trimEnd()
}

/**
 * Sends what no client should to an application with routes of every kind, and fails when it notices: `npm run check -- fuzz` for 30 seconds,
 * `npm run check -- fuzz --seconds 600 --seed 7`, `npm run check -- fuzz --seed 7 --only 12,13` for cases that were found before.
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'

import { createCase } from '../test/fault/fuzz/cases.ts'
import { fuzz } from '../test/fault/fuzz/run.ts'
import type { State } from '../test/fault/fuzz/server.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '30' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    sockets: { type: 'string', default: '24' },
    // a server that computes for a second is found by that; a canary waits on a busy machine, too
    patience: { type: 'string', default: '5000' },
    only: { type: 'string' },
  },
})
const seed = Number(values.seed)
const only = values.only?.split(',').map(Number)
console.log(`Seed ${seed}`)
const settings = { seed, sockets: Number(values.sockets), patience: Number(values.patience) }
const report = await fuzz({
  ...settings,
  seconds: Number(values.seconds),
  ...(only === undefined ? {} : { only }),
})

const toText = ({ heap, external, rss, connections, scopes, sources, temporaryFiles }: State): string =>
  `heap ${toMiB(heap)}, external ${toMiB(external)}, RSS ${toMiB(rss)}, ${connections} connections, ${scopes} scopes, ${sources} sources, ${temporaryFiles} temporary files`

console.log(
  `${report.cases} cases, ${report.canaries} canaries, the slowest after ${report.slowest.toFixed(0)} ms`,
)
console.log(
  `Answers: ${[...report.statuses]
    .toSorted(([a], [b]) => a - b)
    .map(([status, count]) => `${status} × ${count}`)
    .join(', ')}`,
)
console.log(`Warm: ${toText(report.before)}`)
console.log(`End:  ${toText(report.after)}`)
for (const [text, cases] of distinct()) await show(text, cases)
process.exitCode = report.findings.length > 0 ? 1 : 0

/** What was found, once each, with the cases that were under way when it was first seen. */
function distinct(): ReadonlyMap<string, readonly number[]> {
  return new Map(report.findings.toReversed().map(({ text, cases }) => [text, cases]))
}

/** Prints a finding, with how to see it again: of the cases that were under way, those that show something alone. */
async function show(text: string, cases: readonly number[]): Promise<void> {
  console.error(`\nFound: ${text}`)
  if (cases.length === 0) return
  const again = only === undefined ? await fuzz({ ...settings, seconds: 30, only: cases }) : undefined
  const guilty = [...new Set(again?.findings.flatMap((finding) => finding.cases))]
  const shown = guilty.length > 0 ? guilty : cases
  console.error(`See it again: npm run check -- fuzz --seed ${seed} --only ${shown.join(',')}`)
  for (const at of shown.slice(0, 3)) showCase(at)
}

function showCase(at: number): void {
  const { kind, steps, ending } = createCase(seed, at)
  console.error(`Case ${at}: ${kind}, then ${ending}`)
  for (const { bytes, wait } of steps)
    console.error(`  after ${wait} ms ${JSON.stringify(bytes.toString('latin1').slice(0, 1_000))}`)
}

function toMiB(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}

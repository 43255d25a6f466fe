/**
 * Calls the operations of all examples, and of an application with everything, by their documents alone, and fails when an answer is
 * not as documented: `npm run check -- fuzz:documents` for 30 seconds, `npm run check -- fuzz:documents --seconds 300 --seed 7`,
 * `npm run check -- fuzz:documents --seed 7 --only '^shop 2' --operation '^order.place$' --calls 40` for what was found before.
 */
import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { fuzzDocument } from '../test/openapi/fuzz/run.ts'
import type { Finding, Subject } from '../test/openapi/fuzz/run.ts'
import { FUZZED } from '../test/openapi/fuzz/subjects.ts'

/** So many calls have to be enough for an operation to succeed. */
const ENOUGH = 30

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '30' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    only: { type: 'string', default: '' },
    operation: { type: 'string' },
    calls: { type: 'string' },
  },
})
const seed = Number(values.seed)
const only = new RegExp(values.only)
const operation = values.operation === undefined ? {} : { only: new RegExp(values.operation) }
console.log(`Seed ${seed}`)

const folder = await mkdtemp(join(tmpdir(), 'octavo-fuzz-'))
const opened = await Promise.all(FUZZED.map(({ open }) => open(folder)))
const subjects = opened.flatMap((each) => each.subjects).filter(({ name }) => only.test(name))
const end = performance.now() + Number(values.seconds) * 1_000
const statuses = new Map<number, number>()
const unreached = new Map<string, readonly string[]>()
const shown = new Set<string>()
let findings = 0

// some calls of every operation of everything, then some more, until the time is up
const step = values.calls === undefined ? 3 : Number(values.calls)
let at = 0
do {
  for (const subject of subjects) {
    if (at > 0 && performance.now() > end) break
    await tryOut(subject)
  }
  at += step
} while (values.calls === undefined && performance.now() < end)

await Promise.all(opened.map(({ close }) => close()))
await rm(folder, { recursive: true })

const total = [...statuses.values()].reduce((sum, count) => sum + count, 0)
const answers = [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status} × ${count}`)
console.log(`${total} calls of ${subjects.length} documents, about ${at} of each operation`)
console.log(`Answers: ${answers.join(', ')}`)
for (const [name, operations] of unreached) {
  if (operations.length === 0 || at < ENOUGH) continue
  console.error(`Never succeeded in ${name}: ${operations.join('; ')}`)
  findings += 1
}
process.exitCode = findings > 0 ? 1 : 0

async function tryOut(subject: Subject): Promise<void> {
  const report = await fuzzDocument(subject, { seed, calls: step, from: at, ...operation })
  for (const [status, count] of report.statuses) statuses.set(status, (statuses.get(status) ?? 0) + count)
  const before = unreached.get(subject.name)?.map(toId) ?? report.unreached.map(toId)
  unreached.set(
    subject.name,
    report.unreached.filter((each) => before.includes(toId(each))),
  )
  for (const finding of report.findings) show(subject.name, finding)
}

function toId(text: string): string {
  return text.split(' ')[0] ?? ''
}

/** Prints a finding, once for each operation and kind, with how to see it again. */
function show(name: string, { operation: id, text, call, at: number }: Finding): void {
  findings += 1
  const key = `${name} ${id} ${text.slice(0, 60)}`
  if (shown.has(key)) return
  shown.add(key)
  console.error(`\nFound in ${name}, ${id}: ${text}\n  ${call}`)
  console.error(
    `See it again: npm run check -- fuzz:documents --seed ${seed} --only '^${name}$' --operation '^${id.replaceAll('.', '\\.')}$' --calls ${number + 1}`,
  )
}

/**
 * Makes random histories of random models, and fails when a version is not answered as the rules of changes say: `npm run check -- fuzz:history`
 * for 10,000 of them, `npm run check -- fuzz:history --seconds 30`, `npm run check -- fuzz:history --seed 7 --only 12,13` for those that were found
 * before. `--newer` compares histories with those behind newer changes instead, and `--definitions` tries every definition of a table and
 * random ones.
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'

import { createDefinition, everyDefinition, tryDefinition } from '../test/changes/fuzz/definitions.ts'
import { tryNewer } from '../test/changes/fuzz/newer.ts'
import { tryHistory } from '../test/changes/fuzz/run.ts'
import type { Finding } from '../test/changes/fuzz/run.ts'

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '10000' },
    seconds: { type: 'string' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    only: { type: 'string' },
    newer: { type: 'boolean', default: false },
    definitions: { type: 'boolean', default: false },
  },
})
/** One history in so many has its documents tried, which takes longer than all the rest. */
const DOCUMENTS = 20
const seed = Number(values.seed)
const only = values.only?.split(',').map(Number)
const end = performance.now() + Number(values.seconds ?? Infinity) * 1_000
console.log(`Seed ${seed}`)

const found = new Map<string, number[]>()
let histories = 0
let calls = 0
let [started, refused] = [0, 0]
const every = everyDefinition()

async function tryOne(
  index: number,
): Promise<{ readonly findings: readonly Finding[]; readonly calls: number }> {
  if (values.newer) return tryNewer(seed, index, index % DOCUMENTS === 0)
  if (!values.definitions) return tryHistory(seed, index, index % DOCUMENTS === 0)
  const definition = every[index] ?? createDefinition(seed, index)
  const report = await tryDefinition(definition, index % DOCUMENTS === 0)
  started += report.started.length
  refused += report.refused.length
  return report
}

for (const index of only ?? Array.from({ length: Number(values.count) }, (_, at) => at)) {
  if (performance.now() > end) break
  const report = await tryOne(index)
  histories += 1
  calls += report.calls
  for (const { text, detail } of report.findings) {
    const cases = found.get(text) ?? []
    found.set(text, cases)
    if (cases.length === 0)
      console.error(`\nFound in history ${index}: ${text}\n  ${detail.replaceAll('\n', '\n  ')}`)
    if (!cases.includes(index)) cases.push(index)
  }
}

console.log(`${histories} ${values.definitions ? 'definitions' : 'histories'}, ${calls} calls`)
if (values.definitions) console.log(`${started} places started, ${refused} were refused`)
for (const [text, cases] of found) {
  console.error(`${text}: ${cases.length} cases`)
  console.error(
    `See it again: npm run check -- fuzz:history --seed ${seed}${values.newer ? ' --newer' : values.definitions ? ' --definitions' : ''} --only ${cases.slice(0, 5).join(',')}`,
  )
}
process.exitCode = found.size > 0 ? 1 : 0

/**
 * Measures and writes `docs/benchmarks.md`: `npm run check -- bench` everything, `npm run check -- bench http router` some parts, the others as they
 * were measured last; `--quick` prints what a few rounds give, and writes nothing.
 */
import { fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'

import { toMarkdown, writeReport } from './report/write.ts'
import type { Section } from './report/section.ts'

/** In the order of the report. */
const PARTS = [
  'http',
  'runtimes',
  'inject',
  'dispatcher',
  'router',
  'versions',
  'around',
  'changes',
  'scale',
  'idle',
  'upstream',
  'inside',
  'start',
  'documents',
  'validation',
  'responses',
  'types',
]
const RESULTS = new URL('../../results/', import.meta.url)

const isQuick = process.argv.includes('--quick')
const asked = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const unknown = asked.filter((name) => !PARTS.includes(name))
if (unknown.length > 0) throw new Error(`No such part: ${unknown.join(', ')}. There are ${PARTS.join(', ')}`)

for (const name of asked.length > 0 ? asked : PARTS) {
  console.error(`Measuring ${name}`)
  const section = await measure(name)
  if (isQuick) console.log(toMarkdown(section))
  else await keep(name, section)
}
if (!isQuick) await writeReport(await Promise.all(PARTS.filter(isStored).map(stored)))

function measure(name: string): Promise<Section> {
  return new Promise((resolve, reject) => {
    const child = fork(new URL('part.js', import.meta.url), [name, ...(isQuick ? ['--quick'] : [])])
    child.once('message', (section) => resolve(section as Section))
    child.once('error', reject)
    child.once('exit', (code) => {
      if (code !== 0) reject(new Error(`${name} failed with ${code}`))
    })
  })
}

async function keep(name: string, section: Section): Promise<void> {
  await mkdir(RESULTS, { recursive: true })
  await writeFile(new URL(`${name}.json`, RESULTS), `${JSON.stringify(section, null, 2)}\n`)
}

/** Whether a part was ever measured: a new one is not in the report before. */
function isStored(name: string): boolean {
  return existsSync(new URL(`${name}.json`, RESULTS))
}

async function stored(name: string): Promise<Section> {
  return JSON.parse(await readFile(new URL(`${name}.json`, RESULTS), 'utf8')) as Section
}

/**
 * How much JavaScript a request runs, by file: the tokens of every block, times how often it runs. That is as close to instructions as
 * counts get that are the same on every machine; names, comments and spaces do not matter.
 */
import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import type { Profiler } from 'node:inspector'
import { fileURLToPath } from 'node:url'

import type { Send } from './wire.ts'

const WARM_UP = 20
const REQUESTS = 50

const ROOT = new URL('../../', import.meta.url).href
const TOKEN = /'(?:[^'\\\n]|\\.)*'|[\w$]+|[^\s\w$]/g

/** Tokens run for each request in the files of Octavo and the packages it uses. */
export async function measureWork(send: Send): Promise<Readonly<Record<string, number>>> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  await send(WARM_UP)
  await session.post('Profiler.takePreciseCoverage')
  await send(REQUESTS)
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const files = result.filter(({ url }) => url.startsWith('file:') && !url.startsWith(`${ROOT}bench/`))
  const totals = new Map<string, number>()
  for (const file of files) {
    const name = toName(file.url)
    totals.set(name, (totals.get(name) ?? 0) + tokensRun(file) / REQUESTS)
  }
  const run = [...totals].filter(([, tokens]) => tokens >= 1)
  return Object.fromEntries(run.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** `src/server/node.ts`, or the package. */
function toName(url: string): string {
  const [, inPackage] = url.split('/node_modules/')
  return inPackage === undefined
    ? url.slice(ROOT.length).replace(/\.js$/, '.ts')
    : inPackage.split('/', inPackage.startsWith('@') ? 2 : 1).join('/')
}

function tokensRun({ url, functions }: Profiler.ScriptCoverage): number {
  const starts = tokenStarts(readFileSync(fileURLToPath(url), 'utf8'))
  // how often each token runs: of the ranges around it, the innermost says, and outer ones come first
  const counts = new Float64Array(starts.length)
  for (const { startOffset, endOffset, count } of functions
    .flatMap(({ ranges }) => ranges)
    .toSorted(outerFirst))
    counts.fill(count, firstFrom(starts, startOffset), firstFrom(starts, endOffset))
  return counts.reduce((sum, count) => sum + count, 0)
}

function outerFirst(a: Profiler.CoverageRange, b: Profiler.CoverageRange): number {
  return a.startOffset - b.startOffset || b.endOffset - a.endOffset
}

function tokenStarts(text: string): readonly number[] {
  return Array.from(text.matchAll(TOKEN), ({ index }) => index)
}

/** The place of the first token that starts at or after an offset. */
function firstFrom(starts: readonly number[], offset: number): number {
  let low = 0
  let high = starts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((starts[middle] ?? 0) < offset) low = middle + 1
    else high = middle
  }
  return low
}

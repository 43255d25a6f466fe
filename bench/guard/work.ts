/**
 * How much JavaScript a request runs, by file: the tokens of every block, times how often it runs. That is as close to instructions as
 * counts get that are the same on every machine; names, comments and spaces do not matter.
 */
import { Session } from 'node:inspector/promises'
import type { Profiler } from 'node:inspector'

import type { Send } from './wire.ts'

const WARM_UP = 20
const REQUESTS = 50

const ROOT = new URL('../../', import.meta.url).href
const TOKEN = /'(?:[^'\\\n]|\\.)*'|[\w$]+|[^\s\w$]/g

/** Tokens run for each request in Octavo, in the packages it uses and in Node; this guard is not counted. */
export async function measureWork(send: Send): Promise<Readonly<Record<string, number>>> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  await send(WARM_UP)
  await session.post('Profiler.takePreciseCoverage')
  await send(REQUESTS)
  const { result } = await session.post('Profiler.takePreciseCoverage')
  await session.post('Profiler.stopPreciseCoverage')
  await session.post('Debugger.enable')
  const totals: Record<string, number> = {}
  for (const { url, scriptId, functions } of result) {
    if (url.startsWith(`${ROOT}bench/`)) continue
    const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId })
    const name = toName(url)
    totals[name] = (totals[name] ?? 0) + tokensRun(functions, scriptSource) / REQUESTS
  }
  session.disconnect()
  return totals
}

/** `src/server/node.ts`, the package, or the module of Node. */
function toName(url: string): string {
  if (url === '') return 'made at run time'
  if (!url.startsWith('file:')) return url
  const [, inPackage] = url.split('/node_modules/')
  return inPackage === undefined
    ? url.slice(ROOT.length).replace(/\.js$/, '.ts')
    : inPackage.split('/', inPackage.startsWith('@') ? 2 : 1).join('/')
}

function tokensRun(functions: readonly Profiler.FunctionCoverage[], source: string): number {
  const starts = tokenStarts(source)
  // how often each token runs: of the ranges around it, the innermost says, and outer ones come first
  const counts = new Float64Array(starts.length)
  const ranges = functions.flatMap((covered) => covered.ranges).toSorted(outerFirst)
  for (const { startOffset, endOffset, count } of ranges)
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

/** Which functions allocate how much for a request: the sampling heap profiler of V8, with a short interval. */
import { findSourceMap } from 'node:module'
import { Session } from 'node:inspector/promises'
import type { HeapProfiler, Runtime } from 'node:inspector'
import { fileURLToPath } from 'node:url'

import type { Send } from './wire.ts'

const REQUESTS = 2000
/** Bytes between two samples, on average. */
const INTERVAL = 512
const ROOT = new URL('../../', import.meta.url).href

/** Bytes for each request, by function and line, the most first. What a function of V8 or Node allocates counts for its caller. */
export async function measureWhere(send: Send, warmUp: number): Promise<Readonly<Record<string, number>>> {
  await send(warmUp)
  const session = new Session()
  session.connect()
  await session.post('HeapProfiler.startSampling', {
    samplingInterval: INTERVAL,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  })
  await send(REQUESTS)
  const { profile } = await session.post('HeapProfiler.stopSampling')
  const totals = new Map<string, number>()
  add(profile.head, 'elsewhere', totals)
  return Object.fromEntries(
    [...totals].map(([place, bytes]) => [place, bytes / REQUESTS] as const).toSorted(([, a], [, b]) => b - a),
  )
}

function add(
  { callFrame, selfSize, children }: HeapProfiler.SamplingHeapProfileNode,
  caller: string,
  totals: Map<string, number>,
): void {
  const place = toPlace(callFrame) ?? caller
  totals.set(place, (totals.get(place) ?? 0) + selfSize)
  for (const child of children) add(child, place, totals)
}

/** `toBody (src/server/pipeline/respond.ts:40)`; `undefined` for what is neither Octavo's nor a package's. */
function toPlace({ url, functionName, lineNumber, columnNumber }: Runtime.CallFrame): string | undefined {
  const name = functionName === '' ? '(anonymous)' : functionName
  const [, inPackage] = url.split('/node_modules/')
  if (inPackage !== undefined) return `${name} (${inPackage}:${lineNumber + 1})`
  if (!url.startsWith(`${ROOT}src/`)) return undefined
  const entry = findSourceMap(fileURLToPath(url))?.findEntry(lineNumber, columnNumber)
  const line = entry !== undefined && 'originalLine' in entry ? entry.originalLine : lineNumber
  return `${name} (${url.slice(ROOT.length).replace(/\.js$/, '.ts')}:${line + 1})`
}

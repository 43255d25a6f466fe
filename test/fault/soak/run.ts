import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { LOOPBACK } from '../../node/support.ts'
import { createFaultApp } from '../app/app.ts'
import { createMix } from './mix.ts'

/** How much memory there is after a number of requests, collected before; bytes. */
export interface Mark {
  readonly requests: number
  readonly seconds: number
  readonly heap: number
  readonly external: number
  readonly rss: number
}

/** Requests at once. */
const AT_ONCE = 48

setFlagsFromString('--expose-gc')
const collect: unknown = runInNewContext('gc')

/**
 * Makes requests, with as many marks as asked for, in equal distances.
 *
 * @throws `Error` when an answer is not as it should be, or something is left at a mark.
 */
export async function soak(
  requests: number,
  marks: number,
  onMark: (mark: Mark) => void = () => undefined,
): Promise<readonly Mark[]> {
  const { app, alive } = createFaultApp()
  const mix = createMix(app, await app.listen(LOOPBACK))
  const taken: Mark[] = []
  const start = performance.now()
  let n = 0
  const work = async (end: number): Promise<void> => {
    while (n < end) {
      const at = n++
      const wrong = await mix.make(at)
      if (wrong !== undefined) throw new Error(`Request ${at}, ${wrong}`)
    }
  }
  for (let mark = 1; mark <= marks; mark++) {
    const end = Math.round((requests * mark) / marks)
    await Promise.all(Array.from({ length: AT_ONCE }, () => work(end)))
    const memory = await settle(() => alive.scopes + alive.sources === 0)
    if (alive.scopes + alive.sources > 0) throw new Error(`Left: ${JSON.stringify(alive)}`)
    const seconds = (performance.now() - start) / 1000
    const { heapUsed: heap, external, rss } = memory
    const next = { requests: end, seconds, heap, external, rss }
    taken.push(next)
    onMark(next)
  }
  mix.close()
  await app.close()
  return taken
}

/** Waits until nothing is under way, and collects until it makes no difference. */
export async function settle(isDone: () => boolean): Promise<NodeJS.MemoryUsage> {
  for (let tries = 0; tries < 12_000 && !isDone(); tries++) await delay(5)
  let memory = process.memoryUsage()
  for (let round = 0; round < 8; round++) {
    await delay(10)
    if (typeof collect === 'function') collect()
    const next = process.memoryUsage()
    const isSteady = Math.abs(next.heapUsed - memory.heapUsed) < 20_000
    memory = next
    if (isSteady && round > 1) break
  }
  return memory
}

/** Bytes that the heap grows by with each request, by the line that fits the marks best. */
export function growthOf(marks: readonly Mark[]): number {
  const count = marks.length
  const meanX = marks.reduce((sum, { requests }) => sum + requests, 0) / count
  const meanY = marks.reduce((sum, { heap }) => sum + heap, 0) / count
  const above = marks.reduce((sum, { requests, heap }) => sum + (requests - meanX) * (heap - meanY), 0)
  const below = marks.reduce((sum, { requests }) => sum + (requests - meanX) ** 2, 0)
  return above / below
}

/** Bytes that a request allocates on the heap and in buffers. */
import { getHeapStatistics } from 'node:v8'

import type { Send } from './wire.ts'

/** Several windows: a collection or the compiler falls into some of them, and the lower ones have neither. */
const WINDOWS = 20
const REQUESTS = 100

/** Measures what is left when `warmUp` requests have been made. */
export async function measureHeap(send: Send, warmUp: number): Promise<number> {
  await send(warmUp)
  const samples: number[] = []
  for (let window = 0; window < WINDOWS; window++) {
    const before = allocated()
    await send(REQUESTS)
    samples.push((allocated() - before) / REQUESTS)
  }
  return lower(samples)
}

function allocated(): number {
  return getHeapStatistics().used_heap_size
}

/** The lower quartile of the windows without a collection, which makes the heap smaller. */
function lower(samples: readonly number[]): number {
  const sorted = samples.toSorted((a, b) => a - b)
  const typical = sorted[Math.floor(sorted.length / 2)] ?? 0
  const whole = sorted.filter((sample) => sample >= typical / 2)
  return whole[Math.floor(whole.length / 4)] ?? Number.NaN
}

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { growthOf, soak } from './soak/run.ts'
import type { Mark } from './soak/run.ts'

/** Bytes for each request that a leak of anything would be above. */
const BOUND = 60

/** Growth after the first half, in which code is compiled and caches are filled. */
const growthAfterStart = (marks: readonly Mark[]): number => growthOf(marks.slice(marks.length / 2))
const show = (marks: readonly Mark[]): string =>
  marks.map(({ heap }) => (heap / 2 ** 20).toFixed(2)).join(', ')

describe('20,000 requests of all kinds', () => {
  it('leave nothing in memory', async () => {
    const marks = await soak(20_000, 10)
    const growth = growthAfterStart(marks)
    assert.ok(growth < BOUND, `${growth.toFixed(0)} bytes a request: ${show(marks)} MiB`)
  })
})

describe('growth', () => {
  const toMarks = (heaps: readonly number[]): readonly Mark[] =>
    heaps.map((heap, at) => ({ requests: (at + 1) * 100, heap, seconds: at, external: 0, rss: 0 }))

  it('is what the heap holds more for each request', () => {
    assert.equal(growthOf(toMarks([1_000, 2_000, 3_000, 4_000])), 10)
    assert.equal(growthOf(toMarks([5_000, 5_000, 5_000])), 0)
  })

  it('is not what comes and goes', () => {
    const growth = growthOf(toMarks([5_000, 9_000, 5_000, 9_000, 5_000]))
    assert.ok(Math.abs(growth) < 1, `${growth}`)
  })

  it('of what one small object a request leaves is above the bound', () => {
    const kept: unknown[] = []
    const marks = Array.from({ length: 6 }, (_, at): Mark => {
      for (let n = 0; n < 20_000; n++) kept.push({ path: `/nowhere/${n}`, at: [n] })
      return { requests: at * 20_000, heap: process.memoryUsage().heapUsed, seconds: 0, external: 0, rss: 0 }
    })
    const growth = growthOf(marks)
    assert.ok(growth > BOUND, `${growth} bytes, and ${kept.length} are kept`)
  })
})

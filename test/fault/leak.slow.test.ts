import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'

import { createApp, defineController, defineModule, sse } from 'octavo'
import { createClient } from 'octavo/client'

import { growthOf, settle, soak } from './soak/run.ts'
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

/** What each request or call left, of several thousand. */
async function leftBy(work: () => Promise<unknown>): Promise<number> {
  const marks: Mark[] = []
  for (let mark = 1; mark <= 6; mark++) {
    for (let n = 0; n < EACH; n++) await work()
    const { heapUsed: heap, external, rss } = await settle(() => true)
    marks.push({ requests: mark * EACH, heap, seconds: mark, external, rss })
  }
  return growthAfterStart(marks)
}

const EACH = 1500

describe('listeners of a signal', () => {
  const app = createApp(
    defineModule({
      controllers: [
        defineController({
          name: 'LeftController',
          routes: [
            {
              method: 'GET',
              path: '/listens',
              name: 'listens',
              handler: (_input, { signal }) => signal.addEventListener('abort', () => {}),
            },
            {
              method: 'GET',
              path: '/events',
              name: 'events',
              handler: () =>
                sse(async function* () {
                  yield { data: 1 }
                }),
            },
          ],
        }),
      ],
    }),
    { logger: false },
  )
  after(() => app.close())
  const { signal } = new AbortController()
  const client = createClient<typeof app>({ fetch: app.fetch, timeout: 60_000 })
  const BASE = 'http://localhost'
  const WAYS: readonly (readonly [title: string, work: () => Promise<unknown>])[] = [
    ['app.fetch', () => app.fetch(new Request(`${BASE}/left/listens`))],
    ['sse() and app.fetch', async () => (await app.fetch(new Request(`${BASE}/left/events`))).text()],
    ['inject', () => app.inject({ url: '/left/listens', signal })],
    ['sse() and inject', () => app.inject({ url: '/left/events', signal })],
    ['a client with a timeout and a signal', () => client.left.listens({ signal })],
    [
      'a client with a timeout and a signal that reads events',
      async () => {
        const { data } = await client.left.events({ signal, as: 'events', reconnect: 0 })
        await data.next()
        await data.return?.()
      },
    ],
  ]
  for (const [title, work] of WAYS) {
    it(`leaves nothing in memory by ${title}`, async () => {
      const growth = await leftBy(work)
      assert.ok(growth < 200, `${growth.toFixed(0)} bytes each`)
    })
  }
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

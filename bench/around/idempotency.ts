import { createApp, defineController, defineModule } from 'octavo'
import type { App, Interceptor } from 'octavo'
import { idempotency } from 'octavo/idempotency'
import { createMemoryStore } from 'octavo/stores'

import { rotate, summarize } from '../measure/stats.ts'
import type { Section } from '../report/section.ts'
import { formatSummary } from '../report/summary.ts'

const CALLS = 100
const WARM_UP = 20

/** The keys that were sent so far. */
let sent = 0

const newKey = (): string => `"bench-${String(++sent).padStart(16, '0')}"`
const sameKey = (): string => '"bench-the-same-key-of-all"'

const CONTESTANTS: readonly (readonly [
  name: string,
  interceptors: readonly Interceptor[],
  toKey: () => string,
])[] = [
  ['no interceptor', [], newKey],
  ['idempotency, a new key', [idempotency({ store: createMemoryStore({ maxBytes: 1e9 }) })], newKey],
  ['idempotency, a replay', [idempotency()], sameKey],
]

/** What a key costs in memory: `inject` of a POST with a small body. */
export async function measureKeys(rounds: number): Promise<Section['tables'][number]> {
  const contestants = await Promise.all(
    CONTESTANTS.map(async ([name, interceptors, toKey]) => {
      const app = setUp(interceptors)
      await app.ready()
      return { name, app, toKey, samples: [] as number[] }
    }),
  )
  for (let round = -WARM_UP; round < rounds; round++) {
    for (const { app, toKey, samples } of rotate(contestants, round + WARM_UP)) {
      const time = await batch(app, toKey)
      if (round >= 0) samples.push(time)
    }
  }
  await Promise.all(contestants.map(({ app }) => app.close()))
  const plain = summarize(contestants[0]?.samples ?? []).low
  return {
    caption: 'Microseconds of a POST with an Idempotency-Key, kept in memory',
    columns: ['interceptor', 'microseconds', 'more than without'],
    rows: contestants.map(({ name, samples }) => {
      const summary = summarize(samples)
      return [name, formatSummary(summary, 2), (summary.low - plain).toFixed(2)]
    }),
  }
}

function setUp(interceptors: readonly Interceptor[]): App {
  const controller = defineController({
    prefix: '/order',
    routes: [{ method: 'POST', interceptors, handler: () => ({ id: 7, car: 'A4', paid: true }) }],
  })
  return createApp(defineModule({ controllers: [controller] }), { logger: false })
}

/** Microseconds of one call, over a batch. */
async function batch(app: App, toKey: () => string): Promise<number> {
  const started = performance.now()
  for (let index = 0; index < CALLS; index++) {
    const headers = { 'idempotency-key': toKey() }
    const { statusCode } = await app.inject({ method: 'POST', url: '/order', headers, body: '{"car":"A4"}' })
    if (statusCode !== 200) throw new Error(`A POST was answered with ${statusCode}`)
  }
  return ((performance.now() - started) * 1000) / CALLS
}

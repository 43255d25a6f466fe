import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'

import {
  createApp,
  defineController,
  defineGuard,
  defineModule,
  DefinitionError,
  VersioningSchemes,
} from 'octavo'
import type { Store } from 'octavo'
import { createMemoryStore } from 'octavo/stores'
import { createUsageReport } from 'octavo/usage'

const isOperator = defineGuard({
  name: 'IsOperator',
  canActivate: ({ request }) => request.header('x-key') === 'secret',
})
const cars = defineController({
  name: 'car',
  version: ['1', '2'],
  routes: [
    { method: 'GET', name: 'list', handler: () => [] },
    { method: 'POST', name: 'add', handler: () => null },
  ],
})

/** An application whose counts are stored before it closes, and another one that reads them. */
async function serve() {
  const usage = { store: createMemoryStore() }
  const counting = createApp(defineModule({ controllers: [cars] }), {
    logger: false,
    client: (request) => request.header('x-client'),
    usage,
  })
  counting.enableVersioning(VersioningSchemes.URL)
  const headers = { 'x-client': 'acme' }
  await counting.inject({ url: '/v1/car', headers })
  await counting.inject({ url: '/v1/car', headers })
  await counting.inject({ url: '/v2/car', headers })
  await counting.inject({ method: 'POST', url: '/v2/car' })
  await counting.close()
  const report = createUsageReport({ usage, guards: [isOperator] })
  const app = createApp(defineModule({ controllers: [cars, report.controller] }), { logger: false })
  app.enableVersioning(VersioningSchemes.URL)
  return { app, report }
}

describe('createUsageReport', () => {
  it('parses only the days that are asked for, and lets requests wait for one table at most', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-02-28T12:00:00Z') })
    const entry = { version: '1', route: 'car.list', client: null, count: 1, lastSeen: '' }
    const days = Array.from({ length: 20 }, (_, day) => `2026-02-${String(day + 1).padStart(2, '0')}`)
    const store = createMemoryStore()
    const keep = async (day: string, text: string) => {
      await store.set(`usage:${day}`, 'a')
      await store.set(`usage:${day}:a`, text)
    }
    await keep('2026-01-31', 'no JSON')
    for (const day of days) await keep(day, JSON.stringify([{ ...entry, day }]))
    const report = createUsageReport({ usage: { store }, guards: [isOperator] })
    let turns = 0
    const timer = setInterval(() => turns++)
    const found = await report.read({ since: '2026-02-01' })
    clearInterval(timer)
    assert.deepEqual(
      found.map(({ day }) => day),
      days,
    )
    assert.ok(turns > 5, `${turns} turns`)
    await assert.rejects(report.read())
  })

  it('walks the days that are kept, and tomorrow for clocks that are ahead, few of them side by side', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-02-28T23:00:00Z') })
    const asked: string[] = []
    let underWay = 0
    let most = 0
    const store: Store = {
      ...createMemoryStore(),
      get: async (key) => {
        asked.push(key)
        most = Math.max(most, ++underWay)
        await setImmediate()
        underWay--
        return null
      },
    }
    await createUsageReport({ usage: { store, keep: 30 }, guards: [isOperator] }).read()
    assert.deepEqual([asked.length, asked[0], asked.at(-1)], [32, 'usage:2026-01-29', 'usage:2026-03-01'])
    assert.ok(most <= 10, `${most} at once`)
  })

  it('adds up what processes counted whose clocks differ, and leaves out tables that are gone', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-03-01T00:10:00Z') })
    const usage = { store: createMemoryStore(), keep: 1 }
    const count = async (time: string) => {
      t.mock.timers.setTime(Date.parse(time))
      const app = createApp(defineModule({ controllers: [cars] }), { logger: false, usage })
      app.enableVersioning(VersioningSchemes.URL)
      await app.inject('/v1/car')
      await app.close()
    }
    await count('2026-03-01T00:10:00Z')
    await count('2026-02-28T23:50:00Z')
    // a process registers before it stores
    await usage.store.set('usage:2026-02-27', 'crashed')
    const entries = await createUsageReport({ usage, guards: [isOperator] }).read()
    assert.deepEqual(
      entries.map(({ day, count: calls }) => [day, calls]),
      [
        ['2026-02-28', 1],
        ['2026-03-01', 1],
      ],
    )
  })

  it('serves the counts to those whom its guards let in', async () => {
    const { app } = await serve()
    assert.equal((await app.inject('/usage')).statusCode, 403)
    const response = await app.inject({ url: '/usage', headers: { 'x-key': 'secret' } })
    assert.equal(response.statusCode, 200)
    assert.equal(response.headers['cache-control'], 'no-store')
    const { count, lastSeen, entries } = JSON.parse(response.body)
    assert.equal(count, 4)
    assert.equal(typeof lastSeen, 'string')
    assert.deepEqual(Object.keys(entries[0]), ['day', 'version', 'route', 'client', 'count', 'lastSeen'])
  })

  const cases: readonly (readonly [query: string, count: number])[] = [
    ['version=1', 2],
    ['version=2&client=acme', 1],
    ['client=', 1],
    ['route=car.list', 3],
    ['route=car.none', 0],
    ['since=2000-01-31', 4],
    ['since=2999-01-31', 0],
  ]
  for (const [query, count] of cases)
    it(`filters by ${query}`, async () => {
      const { app } = await serve()
      const { body } = await app.inject({ url: `/usage?${query}`, headers: { 'x-key': 'secret' } })
      assert.equal(JSON.parse(body).count, count)
    })

  it('refuses filters that it would ignore', async () => {
    const { app } = await serve()
    for (const query of ['versoin=1', 'since=today', 'since=2026-02-31x', 'route=a&route=b']) {
      const { statusCode } = await app.inject({ url: `/usage?${query}`, headers: { 'x-key': 'secret' } })
      assert.equal(statusCode, 422, query)
    }
  })

  it('reads for your own code', async () => {
    const { report } = await serve()
    const entries = await report.read({ version: '1' })
    assert.deepEqual(
      entries.map(({ route, client, count }) => [route, client, count]),
      [['car.list', 'acme', 2]],
    )
  })

  it('is a 503 while the store hangs, at once after a request has waited', async () => {
    let asked = 0
    const store: Store = {
      ...createMemoryStore(),
      get: () => {
        asked++
        return new Promise<never>(() => undefined)
      },
    }
    const report = createUsageReport({ usage: { store }, guards: [isOperator] })
    const app = createApp(defineModule({ controllers: [report.controller] }), { logger: false })
    const ask = () => app.inject({ url: '/usage', headers: { 'x-key': 'secret' } })
    mock.timers.enable({ apis: ['setTimeout'] })
    try {
      const waiting = ask()
      await setImmediate()
      assert.equal(asked, 10)
      mock.timers.tick(5000)
      assert.equal((await waiting).statusCode, 503)
      assert.equal((await ask()).statusCode, 503)
      await assert.rejects(report.read(), /tried again later/)
      assert.equal(asked, 10)
    } finally {
      mock.timers.reset()
    }
  })

  it('is not made without a guard, nor without the store of the counts', () => {
    const refused = (options: object) => {
      try {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a caller without types may pass
        createUsageReport(options as never)
      } catch (error) {
        assert.ok(error instanceof DefinitionError)
        return error.errors.map(({ message }) => message)
      }
      return []
    }
    const usage = { store: createMemoryStore() }
    const isPublic = 'guards is missing: everyone could read the names of your clients'
    assert.deepEqual(refused({ usage }), [isPublic])
    assert.deepEqual(refused({ usage, guards: [] }), [isPublic])
    assert.deepEqual(refused({ guards: [isOperator] }), ['usage is missing'])
    assert.deepEqual(refused({ usage: {}, guards: [isOperator] }), ['usage.store is missing'])
    assert.equal(refused({ usage: { store: { set: () => true } }, guards: [isOperator] }).length, 1)
    assert.equal(refused({ usage, guards: [isOperator], path: 'usage' }).length, 1)
  })
})

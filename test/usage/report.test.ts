import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'

import { Keyv } from 'keyv'
import {
  createApp,
  defineController,
  defineGuard,
  defineModule,
  DefinitionError,
  VersioningSchemes,
} from 'octavo'
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
  const store = new Keyv()
  const counting = createApp(defineModule({ controllers: [cars] }), {
    logger: false,
    client: (request) => request.header('x-client'),
    usage: { store },
  })
  counting.enableVersioning(VersioningSchemes.URL)
  const headers = { 'x-client': 'acme' }
  await counting.inject({ url: '/v1/car', headers })
  await counting.inject({ url: '/v1/car', headers })
  await counting.inject({ url: '/v2/car', headers })
  await counting.inject({ method: 'POST', url: '/v2/car' })
  await counting.close()
  const report = createUsageReport({ store, guards: [isOperator] })
  const app = createApp(defineModule({ controllers: [cars, report.controller] }), { logger: false })
  app.enableVersioning(VersioningSchemes.URL)
  return { app, report }
}

describe('createUsageReport', () => {
  it('parses only the days that are asked for, and lets requests wait for one day at most', async () => {
    const entry = {
      version: '1',
      route: 'car.list',
      client: null,
      count: 1,
      lastSeen: '2026-01-01T00:00:00Z',
    }
    const days = Array.from({ length: 20 }, (_, day) => `2026-02-${String(day + 1).padStart(2, '0')}`)
    const kept = new Map<string, string>([
      ['usage:2026-01-31:a', 'no JSON'],
      ...days.map((day) => [`usage:${day}:a`, JSON.stringify([{ ...entry, day }])] as const),
    ])
    const store = {
      set: () => undefined,
      iterator: async function* () {
        yield* kept
      },
    }
    const report = createUsageReport({ store, guards: [isOperator] })
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

  it('finds the counts in a Keyv over Redis, which removes its namespace twice', async () => {
    const entry = { day: '2026-03-01', version: '1', route: 'car.list', client: 'acme', count: 2 }
    const text = JSON.stringify([{ ...entry, lastSeen: '2026-03-01T10:00:00.000Z' }])
    const store = {
      set: () => undefined,
      // with the namespace 'usage', the key 'usage:2026-03-01:x' comes back without its start
      async *iterator() {
        yield ['2026-03-01:x', text] as const
        yield ['usage:2026-03-01:y', text] as const
        yield ['other:2026-03-01:z', text] as const
      },
    }
    const entries = await createUsageReport({ store, guards: [isOperator] }).read()
    assert.deepEqual(
      entries.map(({ count }) => count),
      [4],
    )
  })

  it('is a 503 while the store hangs, at once after three requests have waited', async () => {
    let asked = 0
    const store = {
      set: () => undefined,
      async *iterator() {
        asked++
        yield await new Promise<never>(() => undefined)
      },
    }
    const report = createUsageReport({ store, guards: [isOperator] })
    const app = createApp(defineModule({ controllers: [report.controller] }), { logger: false })
    const ask = () => app.inject({ url: '/usage', headers: { 'x-key': 'secret' } })
    mock.timers.enable({ apis: ['setTimeout'] })
    try {
      const waiting = [ask(), ask(), ask()]
      await setImmediate()
      assert.equal(asked, 3)
      mock.timers.tick(5000)
      for (const response of await Promise.all(waiting)) assert.equal(response.statusCode, 503)
      assert.equal((await ask()).statusCode, 503)
      await assert.rejects(report.read(), /tried again later/)
      assert.equal(asked, 3)
    } finally {
      mock.timers.reset()
    }
  })

  it('is not made without a guard, nor for a store that lists no keys', () => {
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
    const store = new Keyv()
    const isPublic = 'guards is missing: everyone could read the names of your clients'
    assert.deepEqual(refused({ store }), [isPublic])
    assert.deepEqual(refused({ store, guards: [] }), [isPublic])
    assert.equal(refused({ store: { set: () => undefined }, guards: [isOperator] }).length, 1)
    assert.equal(refused({ store, guards: [isOperator], path: 'usage' }).length, 1)
  })
})

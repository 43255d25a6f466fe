import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  conflict,
  createApp,
  defineController,
  defineModule,
  VERSION_NEUTRAL,
  VersioningSchemes,
} from 'octavo'
import { pinned } from 'octavo/pins'
import { createMemoryStore } from 'octavo/stores'
import type { AppOptions, Store, UsageEntry } from 'octavo'
import {
  createUsage,
  createUsagePlaces as createPlaces,
  createUsageTable as createTable,
} from '../inside/server.ts'
import { serve } from '../support/serve.ts'
import { createCounts } from '../support/usage.ts'

const cars = defineController({
  prefix: '/car',
  name: 'car',
  routes: [
    { method: 'GET', name: 'list', version: ['1', '2'], handler: () => 'cars' },
    { method: 'GET', path: '/{id:int}', name: 'one', version: '2', handler: async () => Promise.resolve(1) },
    { method: 'POST', name: 'add', version: '1', handler: (_, { client }) => client ?? 'nobody' },
  ],
})

function createCars(options: AppOptions) {
  const app = serve(cars, { client: (request) => request.header('x-client'), ...options })
  app.enableVersioning(VersioningSchemes.URL, {
    versions: { '1': { sunset: '2020-01-01', retired: 'gone' } },
  })
  return app
}

/** What counts say, without the moment of the last call. */
function short(entries: readonly UsageEntry[]): readonly string[] {
  return entries
    .map(({ day, version, route, client, count }) =>
      [day, version, route, client, count].filter((part) => part !== undefined).join(' '),
    )
    .toSorted()
}

async function later<T>(next: () => T | PromiseLike<T>): Promise<T> {
  await Promise.resolve()
  return next()
}

/** Stands for modules and providers that have nothing to stop. */
const noStop = (): Promise<void> => Promise.resolve()

const NOON = Date.parse('2026-03-01T12:00:00Z')
const DAY = 86_400_000
const SILENT = { debug() {}, info() {}, warn() {}, error() {} }

/** Counts a call of the client `a` in version 1. */
function countCall(usage: ReturnType<typeof createUsage>): void {
  const route = { name: 'car.list', method: 'GET', path: '/car', controller: 'car', meta: {} }
  // what counting reads of a context and a response
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  usage.count({ route, version: '1', client: 'a' } as never, { status: 200 } as never)
}

describe('usage', () => {
  it('counts each version, route and client of a day, and stores the counts at each interval', async (t) => {
    t.mock.timers.enable({ apis: ['Date', 'setInterval'], now: NOON })
    const counts = createCounts({ interval: 1_000 })
    const app = createCars({ usage: counts.usage })
    const ask = (url: string, client?: string) =>
      app.inject({ url, headers: client === undefined ? {} : { 'x-client': client } })
    await ask('/v1/car', 'a')
    await ask('/v2/car', 'a')
    await ask('/v2/car', 'a')
    await ask('/v2/car/7', 'b')
    await ask('/v2/car/7')
    await ask('/v2/nowhere', 'b')
    assert.deepEqual(await counts.read(), [])
    t.mock.timers.tick(1_000)
    await new Promise((resolve) => setImmediate(resolve))
    const entries = await counts.read()
    assert.deepEqual(short(entries), [
      '2026-03-01 1 car.list a 1',
      '2026-03-01 2 car.list a 2',
      '2026-03-01 2 car.one  1',
      '2026-03-01 2 car.one b 1',
    ])
    assert.equal(entries[0]?.lastSeen, '2026-03-01T12:00:00.000Z')
    await ask('/v2/car', 'a')
    await app.close()
    assert.equal(short(await counts.read())[1], '2026-03-01 2 car.list a 3')
  })

  it('stores the last counts before modules stop, which may close the store', async () => {
    const { usage, read } = createCounts()
    let isOpen = true
    const set: Store['set'] = (...values) => {
      if (!isOpen) throw new Error('The store is closed')
      return usage.store.set(...values)
    }
    const app = createApp(
      defineModule({
        controllers: [cars],
        onStop: () => {
          isOpen = false
        },
      }),
      { logger: false, usage: { store: { ...usage.store, set } } },
    )
    app.enableVersioning(VersioningSchemes.URL)
    await app.inject('/v2/car')
    await app.close()
    assert.deepEqual(
      (await read()).map(({ route, count }) => [route, count]),
      [['car.list', 1]],
    )
  })

  it('counts what a retired version refuses, and begins a new entry each day', async (t) => {
    t.mock.timers.enable({ apis: ['Date', 'setInterval'], now: NOON })
    const { usage, read } = createCounts()
    const app = createCars({ usage })
    assert.equal((await app.inject('/v1/car')).statusCode, 410)
    t.mock.timers.setTime(NOON + 12 * 3_600_000)
    await app.inject('/v1/car')
    await app.close()
    assert.deepEqual(short(await read()), ['2026-03-01 1 car.list  1', '2026-03-02 1 car.list  1'])
  })

  it('counts a route of every version in none, unless a request names one', async () => {
    const { usage, read } = createCounts()
    const routes = defineController({
      name: 'car',
      prefix: '/car',
      routes: [
        { method: 'GET', name: 'list', version: ['1', '2'], handler: () => 1 },
        { method: 'POST', name: 'neutral', version: VERSION_NEUTRAL, handler: () => 1 },
        { method: 'GET', name: 'some', path: '/some', version: [VERSION_NEUTRAL, '2'], handler: () => 1 },
        { method: 'GET', name: 'plain', path: '/plain', handler: () => 1 },
        { method: 'GET', name: 'default', path: '/default', handler: () => 1 },
        { method: 'GET', name: 'second', path: '/default', version: '2', handler: () => 1 },
      ],
    })
    const app = serve(routes, {
      docs: {},
      usage,
      versioning: { scheme: VersioningSchemes.URL, defaultVersion: '1' },
    })
    for (const version of ['', '/v2']) {
      await app.inject({ method: 'POST', url: `${version}/car` })
      for (const path of ['/car', '/car/some', '/car/plain', '/car/default', '/docs'])
        await app.inject(`${version}${path}`)
    }
    await app.close()
    assert.deepEqual(
      (await read()).map(({ version, route, count }) => `${version} ${route} ${count}`),
      [
        '1 car.default 1',
        '1 car.list 1',
        '2 car.list 1',
        '2 car.neutral 1',
        '2 car.plain 1',
        '2 car.second 1',
        '2 car.some 1',
        '2 docs.page 1',
        'null car.neutral 1',
        'null car.plain 1',
        'null car.some 1',
        'null docs.page 1',
      ],
    )
  })

  it('counts requests whose route is found later, and those that are answered later, once', async () => {
    const { usage, read } = createCounts()
    const app = createApp(
      defineModule({
        controllers: [
          defineController({
            name: 'car',
            prefix: '/car',
            routes: [
              { method: 'GET', name: 'soon', path: '/soon', handler: () => 1 },
              {
                method: 'GET',
                name: 'late',
                path: '/late',
                handler: () => new Promise((resolve) => setImmediate(resolve, 1)),
              },
              {
                method: 'GET',
                name: 'fails',
                path: '/fails',
                handler: () => Promise.reject(new Error('no')),
              },
            ],
          }),
        ],
        middleware: [(context, next) => (context.request.path === '/car/soon' ? later(next) : next())],
      }),
      { logger: false, usage },
    )
    for (const path of ['/car/soon', '/car/late', '/car/fails', '/nowhere']) await app.inject(path)
    await app.close()
    assert.deepEqual((await read()).map(({ route, count }) => `${route} ${count}`).toSorted(), [
      'car.fails 1',
      'car.late 1',
      'car.soon 1',
    ])
  })

  it('counts how calls ended, and how their version was chosen', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2034-01-01T09:00Z') })
    const { usage, read } = createCounts()
    const pins = createMemoryStore()
    await pins.set('pin:old', '1')
    const walks = defineController({
      name: 'car',
      version: ['1', '2'],
      routes: [
        { method: 'GET', name: 'list', handler: () => [] },
        {
          method: 'GET',
          name: 'ends',
          path: '/{how}',
          handler: ({ params }) => {
            if (params.how === 'refused') throw conflict()
            throw new Error('no')
          },
        },
      ],
    })
    const pings = defineController({
      prefix: '/ping',
      name: 'ping',
      version: VERSION_NEUTRAL,
      routes: [{ method: 'GET', name: 'get', handler: () => 'pong' }],
    })
    const app = serve([walks, pings], {
      client: (request) => request.header('x-client'),
      usage,
    })
    app.enableVersioning(VersioningSchemes.HEADER, {
      headerParameter: 'x-version',
      defaultVersion: pinned({
        store: pins,
        otherwise: '2',
      }),
      versions: [
        { version: '2' },
        {
          version: '1',
          sunset: '2035-01-01',
          brownouts: [{ from: '2034-01-01T10:00Z', to: '2034-01-01T11:00Z' }],
        },
      ],
    })
    const call = (url: string, client?: string, version?: string) =>
      app.inject({
        url,
        headers: { ...(client && { 'x-client': client }), ...(version && { 'x-version': version }) },
      })
    await call('/car', 'acme', '1')
    await call('/car', 'old')
    await call('/car')
    await call('/car/refused', 'acme', '2')
    await call('/car/fails', 'acme', '2')
    await call('/ping', 'old')
    t.mock.timers.setTime(Date.parse('2034-01-01T10:30Z'))
    await call('/car', 'acme', '1')
    await app.close()
    const seen = (await read()).map(({ day: _day, lastSeen: _lastSeen, ...entry }) => entry)
    assert.deepEqual(seen, [
      {
        version: '1',
        route: 'car.list',
        client: 'acme',
        count: 2,
        brownouts: 1,
        lastBrownout: '2034-01-01T10:30:00.000Z',
      },
      { version: '1', route: 'car.list', client: 'old', count: 1, pinned: 1 },
      { version: '2', route: 'car.ends', client: 'acme', count: 2, clientErrors: 1, serverErrors: 1 },
      { version: '2', route: 'car.list', client: null, count: 1, defaulted: 1 },
      { version: null, route: 'ping.get', client: 'old', count: 1 },
    ])
  })

  it('stores all counts when a store that failed works again', async () => {
    const { usage: options, read } = createCounts()
    let failing: 'get' | 'set' | undefined = 'get'
    const fail = (method: string) => {
      if (failing === method) throw new Error('The store is away')
    }
    const store: Store = {
      ...options.store,
      get: (key) => (fail('get'), options.store.get(key)),
      set: (...values) => (fail('set'), options.store.set(...values)),
    }
    const logged: unknown[] = []
    const note = (...line: unknown[]): void => void logged.push(line)
    const usage = createUsage({ ...options, store }, { debug: note, info: note, warn: note, error: note }, [])
    countCall(usage)
    await assert.rejects(usage.flush(), /The store is away/)
    countCall(usage)
    failing = 'set'
    await assert.rejects(usage.flush(), /The store is away/)
    assert.deepEqual(await read(), [])
    failing = undefined
    await usage.flush()
    countCall(usage)
    await usage.close(noStop)
    assert.deepEqual(
      (await read()).map(({ client, count }) => [client, count]),
      [['a', 3]],
    )
    assert.equal(logged.length, 2)
  })

  it('adds up what several processes keep in one store, each in an entry of its own', async () => {
    const { usage: options, read } = createCounts()
    const usages = [1, 2, 3, 4].map(() => createUsage(options, SILENT, []))
    for (const [index, usage] of usages.entries()) {
      for (let count = 0; count <= index; count++) {
        countCall(usage)
        // what is stored twice counts once
        await usage.flush()
      }
    }
    await Promise.all(usages.map((usage) => usage.close(noStop)))
    assert.deepEqual(
      (await read()).map(({ version, count }) => [version, count]),
      [['1', 10]],
    )
  })

  it('joins the list of a day with many other processes at the same moment', async () => {
    const { usage: options, read } = createCounts()
    const { store: memory } = options
    const store: Store = {
      ...memory,
      get: (key) => later(() => memory.get(key)),
      set: (...values) => later(() => memory.set(...values)),
    }
    const usages = Array.from({ length: 40 }, () => createUsage({ ...options, store }, SILENT, []))
    for (const usage of usages) countCall(usage)
    await Promise.all(usages.map((usage) => usage.close(noStop)))
    assert.equal((await read())[0]?.count, 40)
  })

  it('fails, and keeps the counts, if it cannot join the list', async (t) => {
    t.mock.method(Math, 'random', () => 0)
    const { usage: options, read } = createCounts()
    let isLost = true
    const set: Store['set'] = (...values) => (isLost ? false : options.store.set(...values))
    const usage = createUsage({ ...options, store: { ...options.store, set } }, SILENT, [])
    countCall(usage)
    await assert.rejects(usage.flush(), /Too many processes joined the list usage:\d{4}-\d\d-\d\d at once/)
    isLost = false
    await usage.close(noStop)
    assert.equal((await read())[0]?.count, 1)
  })

  it('joins the list again if the store has lost it', async () => {
    const { usage: options, read } = createCounts()
    const usage = createUsage(options, SILENT, [])
    countCall(usage)
    await usage.flush()
    await options.store.delete(`usage:${new Date().toISOString().slice(0, 10)}`)
    assert.deepEqual(await read(), [])
    countCall(usage)
    await usage.close(noStop)
    assert.equal((await read())[0]?.count, 2)
  })

  it('keeps a day in the store until its last day has passed, however late it is stored', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: NOON })
    const { usage: options, read } = createCounts({ keep: 2 })
    const usage = createUsage(options, SILENT, [])
    countCall(usage)
    t.mock.timers.setTime(NOON + 2 * DAY)
    await usage.close(noStop)
    t.mock.timers.setTime(NOON + 2.4 * DAY)
    assert.equal((await read()).length, 1)
    t.mock.timers.setTime(NOON + 2.5 * DAY)
    assert.deepEqual(await read(), [])
    assert.equal((await options.store.get('usage:2026-03-01')) === undefined, false)
    t.mock.timers.setTime(NOON + 3.5 * DAY)
    assert.equal(await options.store.get('usage:2026-03-01'), undefined)
  })

  it('folds the entries of clients that called longest ago into one for each version, so that totals stay exact', () => {
    const places = createPlaces()
    const table = createTable(NOON, 100, places)
    const first = places.named('1', 'car.list')
    const second = places.named('2', 'car.list')
    const changed = places.changed(first, 'towns')
    for (let index = 0; index < 10_000; index++) {
      const last = NOON + index
      if (index % 50 === 0) table.add(first, 'busy', { count: 1, last })
      table.add(index % 2 === 0 ? first : second, `client ${index}`, { count: 1, last, clientErrors: 1 })
      if (index % 20 === 0) table.add(changed, `client ${index}`, { count: 1, last })
    }
    const entries = table.entries()
    assert.equal(entries.length <= 102, true, String(entries.length))
    const sum = (version: string) =>
      entries.filter((each) => each.version === version).reduce((total, { count }) => total + count, 0)
    assert.deepEqual([sum('1'), sum('2')], [5_200, 5_000])
    assert.equal(entries.find(({ client }) => client === 'busy')?.count, 200)
    for (const client of ['client 9998', 'client 9999'])
      assert.ok(
        entries.some((entry) => entry.client === client),
        client,
      )
    const folded = entries.filter(({ route }) => route === '*')
    assert.deepEqual(folded.map(({ version, client }) => `${version} ${client}`).toSorted(), ['1 *', '2 *'])
    const altered = entries.flatMap(({ changes = [] }) => changes)
    assert.equal(
      altered.reduce((total, { count }) => total + count, 0),
      500,
    )
    const errors = entries.reduce((total, { clientErrors = 0 }) => total + clientErrors, 0)
    assert.equal(errors, 10_000)
  })

  it('keeps the end of an entry within its limit, and names that are too long are cut', () => {
    const places = createPlaces()
    const table = createTable(NOON, 100, places)
    table.add(places.named('1', 'car.list'), 'x'.repeat(10_000), { count: 1, last: NOON })
    assert.equal(table.entries()[0]?.client?.length, 200)
  })
})

describe('context.client', () => {
  it('has the name that the option gives, for handlers, guards and middleware', async () => {
    const app = createCars({})
    const seen = await app.inject({
      method: 'POST',
      url: '/v1/car',
      headers: { 'x-client': 'acme' },
    })
    assert.equal(seen.statusCode, 410)
    const open = serve(cars, {
      client: (request) => request.header('x-client'),
      middleware: [
        async (context, next) => {
          const response = await next()
          return { ...response, headers: { ...response.headers, 'x-named': context.client ?? 'none' } }
        },
      ],
    })
    open.enableVersioning(VersioningSchemes.URL)
    const named = await open.inject({ method: 'POST', url: '/v1/car', headers: { 'x-client': 'acme' } })
    assert.equal(named.json(), 'acme')
    assert.equal(named.headers['x-named'], 'acme')
  })

  it('is undefined if the function throws, which is logged and harms no request', async () => {
    const logged: unknown[] = []
    const note = (...line: unknown[]): void => void logged.push(line)
    let calls = 0
    const app = serve([{ method: 'GET', handler: (_, { client }) => client ?? 'none' }], {
      logger: { debug: () => undefined, info: () => undefined, warn: note, error: note },
      client: () => {
        calls++
        throw new Error('no name')
      },
    })
    assert.equal((await app.inject('/')).json(), 'none')
    assert.equal(calls, 1)
    assert.equal(logged.length, 1)
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineGuard, defineModule, VersioningSchemes } from 'octavo'
import type { UsageEntry } from 'octavo'
import { defineVersionChange, defineVersions, model, reshape } from 'octavo/changes'
import { pinned } from 'octavo/pins'
import { createMemoryStore } from 'octavo/stores'
import { createUsageReport } from 'octavo/usage'
import { z } from 'zod'

import { toRetirement } from '../inside/tools.ts'

/*
 * A month of fifty clients on three versions, with three instances, a redeployment and two brownouts. What is counted, and what retire
 * says about version 1, is compared with the plan that the requests were made by.
 */

const User = model('User', { id: z.int(), town: z.string() })
const Car = model('Car', { id: z.int(), brand: z.string() })
const history = defineVersions({
  versions: ['3', '2', '1'],
  models: { User, Car },
  changes: [
    defineVersionChange({
      version: '3',
      title: 'Makes are called brands',
      change: [reshape({ of: Car, fields: { brand: { was: 'make' } } })],
    }),
    defineVersionChange({
      version: '2',
      title: 'Cities are called towns',
      change: [reshape({ of: User, fields: { town: { was: 'city' } } })],
    }),
  ],
})

/** The routes, the path of each, and the changes that alter its calls by version. */
const ROUTES = {
  'api.user': { path: '/user', altered: { '1': 'cities-are-called-towns' } },
  'api.car': {
    path: '/car',
    altered: { '1': 'makes-are-called-brands', '2': 'makes-are-called-brands' },
  },
  'api.ping': { path: '/ping', altered: {} },
  'api.fails': { path: '/fails', altered: {} },
} as const

const controller = defineController({
  name: 'api',
  prefix: '/',
  routes: [
    { method: 'GET', path: '/user', name: 'user', response: User, handler: () => ({ id: 1, town: 'Ulm' }) },
    { method: 'GET', path: '/car', name: 'car', response: Car, handler: () => ({ id: 1, brand: 'Ford' }) },
    { method: 'GET', path: '/ping', name: 'ping', handler: () => 'pong' },
    {
      method: 'GET',
      path: '/fails',
      name: 'fails',
      handler: () => {
        throw new Error('of the test')
      },
    },
  ],
})

const BROWNOUTS = [
  { from: '2026-03-10T10:00:00.000Z', to: '2026-03-10T11:00:00.000Z' },
  { from: '2026-03-20T10:00:00.000Z', to: '2026-03-20T11:00:00.000Z' },
]
const isBrownout = (time: string): boolean => BROWNOUTS.some(({ from, to }) => time >= from && time < to)
const LAST = BROWNOUTS[1]?.from ?? ''

/** How a client takes the last brownout, as `brownout` of a retirement. */
type Effect = 'moved' | 'stayed' | 'failed' | 'unnoticed'

interface Client {
  readonly name: string
  /** The version that it uses until the last brownout. */
  readonly version: string
  /** How it gets the version. */
  readonly by: 'named' | 'pinned'
  /** Absent for one that does not call version 1. */
  readonly effect?: Effect
  readonly routes: readonly (keyof typeof ROUTES)[]
}

const EFFECTS: readonly Effect[] = ['moved', 'stayed', 'failed', 'unnoticed']
const SETS: readonly Client['routes'][] = [
  ['api.ping'],
  ['api.user', 'api.ping'],
  ['api.car'],
  ['api.user', 'api.car', 'api.ping'],
  ['api.ping', 'api.fails'],
]

/** Fifty clients. Those of index 45 and above call nothing: they are pinned to a version. */
const clients: readonly Client[] = Array.from({ length: 50 }, (_, index): Client => {
  const routes = SETS[index % SETS.length] ?? []
  const name = `client-${index}`
  if (index >= 45) return { name, version: index < 48 ? '1' : '2', by: 'pinned', routes: [] }
  if (index < 24)
    return {
      name,
      version: '1',
      by: index % 3 === 0 ? 'pinned' : 'named',
      effect: EFFECTS[index % 4] ?? 'stayed',
      routes,
    }
  if (index < 34) return { name, version: '2', by: index % 2 === 0 ? 'pinned' : 'named', routes }
  return { name, version: '3', by: 'named', routes }
})

const guard = defineGuard({ name: 'IsOperator', canActivate: () => true })

/** The same numbers in each run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

/** The fields of an entry that the plan knows, as text. */
const toText = ({ lastSeen, changes, ...entry }: UsageEntry): string =>
  JSON.stringify([
    ...Object.entries(entry).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    lastSeen,
    changes?.map(({ id, count }) => [id, count]).toSorted(),
  ])

describe('the usage of a month', () => {
  it('is what the requests were, and retire is right about each client', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-03-01T00:00:00Z') })
    const random = createRandom(7)
    const usage = { store: createMemoryStore(), interval: 1_000_000 }
    const pins = new Map(
      clients.filter(({ by }) => by === 'pinned').map(({ name, version }) => [name, version]),
    )
    const start = () =>
      createApp(defineModule({ controllers: [controller] }), {
        logger: false,
        client: (request) => request.header('x-client'),
        usage,
        versioning: {
          scheme: VersioningSchemes.HEADER,
          headerParameter: 'x-api-version',
          history,
          defaultVersion: pinned({
            client: (request) => request.header('x-account'),
            store: { ...createMemoryStore(), get: (key) => pins.get(key.replace('pin:', '')) },
            onFirstUse: '3',
          }),
          versions: { '1': { deprecated: '2026-01-01', sunset: '2026-12-01', brownouts: BROWNOUTS } },
        },
      })
    const instances = [start(), start(), start()]

    /** The entries that there have to be, by what makes an entry. */
    const truth = new Map<string, UsageEntry>()
    let count = 0
    const add = (client: Client, version: string, by: Client['by'], route: keyof typeof ROUTES): void => {
      const time = new Date().toISOString()
      const day = time.slice(0, 10)
      const key = [day, version, route, client.name].join(' ')
      const isRefused = version === '1' && isBrownout(time)
      const isBroken = !isRefused && route === 'api.fails'
      const known = truth.get(key)
      const plus = (name: 'count' | 'brownouts' | 'serverErrors' | 'pinned', more: boolean) => {
        const total = (known?.[name] ?? 0) + (more ? 1 : 0)
        return total === 0 ? {} : { [name]: total }
      }
      const { altered }: { readonly altered: Readonly<Partial<Record<string, string>>> } = ROUTES[route]
      const change = isRefused ? undefined : altered[version]
      const before = known?.changes?.[0]
      const changes =
        change === undefined ? before : { id: change, count: (before?.count ?? 0) + 1, lastSeen: time }
      truth.set(key, {
        day,
        version,
        route,
        client: client.name,
        lastSeen: time,
        count: (known?.count ?? 0) + 1,
        ...plus('brownouts', isRefused),
        ...(isRefused ? { lastBrownout: time } : known?.lastBrownout && { lastBrownout: known.lastBrownout }),
        ...plus('serverErrors', isBroken),
        ...plus('pinned', by === 'pinned'),
        ...(changes === undefined ? {} : { changes: [changes] }),
      })
    }
    const call = async (client: Client): Promise<void> => {
      const time = new Date().toISOString()
      const isOver = client.effect === 'moved' && time >= '2026-03-20T11:00'
      const version = isOver ? '3' : client.version
      const by = isOver ? 'named' : client.by
      const route = client.routes[random(client.routes.length)] ?? 'api.ping'
      const headers = {
        'x-client': client.name,
        ...(by === 'named' ? { 'x-api-version': version } : {}),
        ...(by === 'pinned' ? { 'x-account': client.name } : {}),
      }
      const { statusCode } = (await instances[random(3)]?.inject({ url: ROUTES[route].path, headers })) ?? {}
      const refused = version === '1' && isBrownout(time) ? 410 : undefined
      assert.equal(statusCode, refused ?? (route === 'api.fails' ? 500 : 200))
      count++
      add(client, version, by, route)
    }

    /** Whether a client calls now: some never call again, or never meet a brownout, and all others meet it. */
    const calls = ({ effect, routes }: Client): boolean => {
      const now = new Date().toISOString()
      if (routes.length === 0) return false
      if (isBrownout(now)) return effect !== 'unnoticed'
      if (effect === 'failed' && now >= LAST) return false
      return random(3) !== 0
    }
    for (let day = 1; day <= 31; day++) {
      const date = `2026-03-${String(day).padStart(2, '0')}`
      // one after another, so that two of three always serve
      if (day === 15)
        for (const index of instances.keys()) {
          await instances[index]?.close()
          instances[index] = start()
        }
      const turns = ['10', '17'].flatMap((hour) => clients.map((client) => ({ client, hour })))
      for (const { client, hour } of turns) {
        t.mock.timers.setTime(Date.parse(`${date}T${hour}:00:00Z`) + random(3_000_000))
        if (calls(client)) await call(client)
      }
    }
    await Promise.all(instances.map((instance) => instance.close()))

    const report = createUsageReport({ usage, guards: [guard] })
    const entries = await report.read()
    assert.ok(count > 1_500, `${count}`)
    assert.equal(
      entries.reduce((sum, entry) => sum + entry.count, 0),
      count,
    )
    assert.deepEqual(entries.map(toText).toSorted(), [...truth.values()].map(toText).toSorted())

    const kept = [...pins].map(([client, version]) => ({ client, version }))
    const subscriptions = [
      { client: 'client-40', version: '1' },
      { client: 'client-41', version: '2' },
    ]
    const app = start()
    const { clients: callers, quiet } = toRetirement('1', app.versions(), entries, {
      pins: kept,
      subscriptions,
    })
    await app.close()
    const expected = clients.flatMap(({ name, version, effect, routes }) => {
      const own = [...truth.values()].filter((entry) => entry.client === name && entry.version === version)
      const ids = new Set(own.flatMap(({ changes = [] }) => changes.map(({ id }) => id)))
      const titles = [
        ...(ids.has('makes-are-called-brands') ? ['Makes are called brands'] : []),
        ...(ids.has('cities-are-called-towns') ? ['Cities are called towns'] : []),
      ]
      return version === '1' && routes.length > 0 ? [JSON.stringify([name, effect, titles.toSorted()])] : []
    })
    assert.deepEqual(
      callers
        .map(({ client, brownout, changes = [] }) =>
          JSON.stringify([client, brownout, changes.map(({ title }) => title).toSorted()]),
        )
        .toSorted(),
      expected.toSorted(),
    )
    assert.deepEqual(
      quiet.map(({ client, reason }) => [client, reason]),
      [
        ['client-45', 'pinned'],
        ['client-46', 'pinned'],
        ['client-47', 'pinned'],
        ['client-40', 'subscribed'],
      ],
    )
  })
})

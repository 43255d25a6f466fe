import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'

import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import type { UsageEntry, VersionInfo } from 'octavo'
import { readKeptClients, readUsage, sumChanges, toCsv, toRetirement } from '../inside/tools.ts'

const folder = mkdtempSync(join(tmpdir(), 'octavo-retire-'))
after(() => rmSync(folder, { recursive: true }))

const entry = (given: Partial<UsageEntry>): UsageEntry => ({
  day: '2026-03-01',
  version: '1',
  route: 'car.list',
  client: 'acme',
  count: 1,
  lastSeen: `${given.day ?? '2026-03-01'}T12:00:00.000Z`,
  ...given,
})

const cars = defineController({
  prefix: '/car',
  name: 'car',
  routes: [
    { method: 'GET', name: 'list', version: ['1', '2'], handler: () => [] },
    { method: 'GET', path: '/old', name: 'old', version: '1', handler: () => [] },
  ],
})

describe('retiring a version', () => {
  const app = createApp(defineModule({ controllers: [cars] }), { logger: false })
  app.enableVersioning(VersioningSchemes.URL)

  it('lists its clients, the most recent first, with what they call, and what no other version needs', () => {
    const entries = [
      entry({}),
      entry({ route: 'car.old', day: '2026-03-02', count: 3 }),
      entry({ client: 'beta', day: '2026-03-05' }),
      entry({ client: 'beta', version: '2' }),
    ]
    const { clients, routes, deadRoutes } = toRetirement('1', app.versions(), entries)
    assert.deepEqual(clients, [
      { client: 'beta', count: 1, lastSeen: '2026-03-05T12:00:00.000Z', routes: ['car.list'] },
      {
        client: 'acme',
        count: 4,
        lastSeen: '2026-03-02T12:00:00.000Z',
        routes: ['car.list', 'car.old'],
      },
    ])
    assert.deepEqual(
      routes.map(({ route, count, clients: callers }) => [route, count, callers]),
      [
        ['car.list', 2, 2],
        ['car.old', 3, 1],
      ],
    )
    assert.deepEqual(deadRoutes, ['car.old'])
    assert.deepEqual(toRetirement('2', app.versions(), entries).deadRoutes, [])
  })
})

describe('the changes of a version that is retired', () => {
  const info = (version: string, ids: readonly string[]): VersionInfo => ({
    version,
    status: 'active',
    routes: [],
    links: {},
    isDefault: false,
    retired: 'serve',
    changes: ids.map((id) => ({ id, title: id.toUpperCase(), description: '' })),
  })
  const versions = [info('1', []), info('2', ['a']), info('3', ['b', 'c', 'd'])]
  const change = (id: string) => ({ id, count: 1, lastSeen: '2026-03-01T12:00:00.000Z' })

  it('are those that only it is older than', () => {
    const { deadChanges } = toRetirement('1', versions, [
      entry({ changes: [change('a'), change('b'), change('d')] }),
      entry({ version: '2', changes: [change('c')] }),
    ])
    assert.deepEqual(deadChanges, [{ version: '2', title: 'A' }])
  })

  it('are the same if an older version is listed whose routes are gone', () => {
    const gone: VersionInfo = { ...info('0', []), status: 'retired' }
    assert.deepEqual(toRetirement('1', [gone, ...versions], []).deadChanges, [{ version: '2', title: 'A' }])
  })

  it('have sums', () => {
    const sums = sumChanges([
      entry({ changes: [change('a')] }),
      entry({ version: '2', changes: [change('a'), change('c')] }),
    ])
    assert.deepEqual(
      [...sums],
      [
        ['a', 2],
        ['c', 1],
      ],
    )
  })
})

describe('a client of a version that is retired', () => {
  const info = (version: string, ids: readonly string[]): VersionInfo => ({
    version,
    status: 'active',
    routes: [],
    links: {},
    isDefault: false,
    retired: 'serve',
    changes: ids.map((id) => ({ id, title: id.toUpperCase(), description: '' })),
  })
  const versions = [info('1', []), info('2', ['a'])]
  const at = (time: string): string => `2026-03-${time}:00.000Z`
  const brownout = { brownouts: 1, lastBrownout: at('02T10:30') }

  it('has the changes that altered its calls, with their days and links to the changelog', () => {
    const altered = entry({ changes: [{ id: 'a', count: 1, lastSeen: at('01T12:00') }], pinned: 1 })
    const { clients } = toRetirement('1', versions, [altered, entry({ client: 'beta', day: '2026-02-01' })], {
      changelog: 'https://cars.example/changelog',
      days: new Map([['2', '2026-02-15']]),
    })
    const link = 'https://cars.example/changelog'
    assert.deepEqual(
      clients.map(({ client, changes, pinned }) => [client, changes, pinned]),
      [
        ['acme', [{ version: '2', title: 'A', day: '2026-02-15', link }], 1],
        ['beta', [], undefined],
      ],
    )
    const [head, acme, beta] = toCsv(
      toRetirement('1', versions, [altered, entry({ client: '=beta', day: '2026-02-01' })]),
    ).split('\r\n')
    assert.equal(head, 'client,depends,calls,last_seen,routes,changes,links,brownout')
    assert.equal(acme, 'acme,calls,1,2026-03-01,car.list,A (2),,')
    assert.equal(beta, "'=beta,calls,1,2026-02-01,car.list,,,")
  })

  it('failed in the last brownout and moved, stayed or did not call again, or did not notice it', () => {
    const failed = { ...brownout, lastSeen: at('02T10:30'), day: '2026-03-02' }
    const { clients } = toRetirement('1', versions, [
      entry({ client: 'moved', ...failed }),
      entry({ client: 'moved', version: '2', lastSeen: at('02T10:40') }),
      entry({ client: 'stayed', ...failed }),
      entry({ client: 'stayed', day: '2026-03-03' }),
      entry({ client: 'failed', ...failed }),
      entry({ client: 'failed', version: '2' }),
      entry({ client: 'unnoticed', day: '2026-03-04' }),
    ])
    for (const { client, brownout: effect } of clients) assert.equal(effect, client)
    assert.equal(clients.length, 4)
  })

  it('has not moved by a call of a route of every version', () => {
    const pinged = entry({ version: null, route: 'ping', lastSeen: at('02T10:40') })
    const refused = entry({ ...brownout, lastSeen: at('02T10:30'), day: '2026-03-02' })
    const { clients } = toRetirement('1', versions, [refused, pinged])
    assert.equal(clients[0]?.brownout, 'failed')
  })

  it('has no such effect without a name, because several clients have none', () => {
    const refused = entry({ client: null, ...brownout, lastSeen: at('02T10:30'), day: '2026-03-02' })
    const other = entry({ client: null, version: '2', day: '2026-03-03' })
    const { clients } = toRetirement('1', versions, [refused, other, entry({ client: '*' })])
    assert.deepEqual(
      clients.map((client) => client.brownout),
      [undefined, undefined],
    )
  })

  it('has the id of a change that the application no longer has, because it is not safe to move', () => {
    const altered = entry({ changes: [{ id: 'renamed', count: 1, lastSeen: at('01T12:00') }] })
    const retirement = toRetirement('1', versions, [altered], { changelog: 'https://cars.example/c.html' })
    assert.deepEqual(retirement.clients[0]?.changes, [{ title: 'renamed' }])
    assert.equal(toCsv(retirement).split('\r\n')[1], 'acme,calls,1,2026-03-01,car.list,renamed,,')
  })

  it('is quiet if it is pinned to the version or subscribed in it, and did not call', () => {
    const { clients, quiet } = toRetirement(
      '1',
      versions,
      [entry({}), entry({ client: 'beta', version: '2' }), entry({ client: 'late', day: '2026-01-05' })],
      {
        since: '2026-02-01',
        pins: [
          { client: 'acme', version: '1' },
          { client: 'beta', version: '1' },
          { client: 'late', version: '1' },
          { client: 'new', version: '2' },
        ],
        subscriptions: [{ client: 'acme', version: '1' }],
      },
    )
    assert.deepEqual(
      clients.map(({ client }) => client),
      ['acme'],
    )
    assert.deepEqual(quiet, [
      { client: 'beta', reason: 'pinned', lastDay: '2026-03-01' },
      { client: 'late', reason: 'pinned', lastDay: '2026-01-05' },
      { client: 'acme', reason: 'subscribed', lastDay: '2026-03-01' },
    ])
  })
})

describe('a file of pins or subscriptions', () => {
  const write = (text: string): string => {
    const file = join(folder, 'kept.json')
    writeFileSync(file, text)
    return file
  }

  it('is a list of clients and versions, or an object of versions by client', () => {
    assert.deepEqual(readKeptClients(write('{"acme":"1","beta":null}'), '/'), [
      { client: 'acme', version: '1' },
    ])
    assert.deepEqual(
      readKeptClients(write('[{"id":"s1","version":"1"},{"client":"acme","version":"2"},{"id":"s2"}]'), '/'),
      [
        { client: 's1', version: '1' },
        { client: 'acme', version: '2' },
      ],
    )
  })

  it('is refused with its name if it is anything else', () => {
    for (const text of ['text', '7', '["acme"]'])
      assert.throws(() => readKeptClients(write(text), '/'), /kept\.json has no list of objects/, text)
    for (const text of ['[{"version":"1"}]', '[{"account":"acme","pin":"1"}]'])
      assert.throws(() => readKeptClients(write(text), '/'), /has no client and version/, text)
  })
})

describe('a file of usage', () => {
  const write = (text: string): string => {
    const file = join(folder, 'usage.json')
    writeFileSync(file, text)
    return file
  }

  it('is a response of createUsageReport, or its list', () => {
    const one = entry({})
    const other = entry({ day: '2026-03-09' })
    assert.deepEqual(readUsage(write(JSON.stringify([one, other])), '/'), [one, other])
    const report = { count: 2, lastSeen: one.lastSeen, entries: [one, other] }
    assert.deepEqual(readUsage(write(JSON.stringify(report)), '/'), [one, other])
  })

  it('is refused with its name if it is anything else', () => {
    for (const text of ['text', '{}', '{"entries":{}}', '[1]', '[{"day":"2026-03-01"}]'])
      assert.throws(() => readUsage(write(text), '/'), /usage\.json has no list of usage entries/, text)
    assert.throws(() => readUsage('missing.json', folder), /cannot read missing\.json/)
  })
})

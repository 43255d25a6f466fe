import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, VERSION_NEUTRAL, VersioningSchemes } from 'octavo'
import { createClient } from 'octavo/client'

const { HEADER, HOST, QUERY, URL } = VersioningSchemes

const cars = defineController({
  name: 'CarController',
  routes: [
    { method: 'GET', name: 'list', version: '1', handler: () => 'list of 1' },
    { method: 'GET', name: 'list', version: '2', handler: () => 'list of 2' },
    { method: 'GET', path: '/old', name: 'old', version: '1', handler: () => 'old' },
    { method: 'GET', path: '/new', name: 'fresh', version: '2', handler: () => 'fresh' },
    { method: 'GET', path: '/ping', name: 'ping', version: VERSION_NEUTRAL, handler: () => 'ping' },
    { method: 'GET', path: '/plain', name: 'plain', handler: () => 'plain' },
  ],
})
const module = defineModule({ controllers: [cars] })
const NAMES = ['list', 'old', 'fresh', 'ping', 'plain'] as const

type Call = () => Promise<{ readonly data: unknown }>

/** What each route answers to a client; routes that the client cannot call are left out. */
async function answers(calls: Readonly<Partial<Record<string, Call>>>): Promise<readonly unknown[]> {
  const told = NAMES.map(async (name) => {
    try {
      return [(await calls[name]?.())?.data]
    } catch (error) {
      assert.match(String(error), /^TypeError: There is no route "car\.\w+"/)
      return []
    }
  })
  return (await Promise.all(told)).flat()
}

// `test/types/client-default.test-d.ts` has the types of the same clients
describe('a client without a version', () => {
  it('calls what answers in the default version', async () => {
    const first = createApp(module, { logger: false, versioning: { scheme: URL, defaultVersion: '1' } })
    const client = createClient<typeof first>({ fetch: first.fetch })
    assert.equal((await client.car.list()).data, 'list of 1')
    assert.equal((await client.at('2').car.fresh()).data, 'fresh')
    assert.deepEqual(await answers(client.car), ['list of 1', 'old', 'ping', 'plain'])

    const header = createApp(module, { logger: false, versioning: { scheme: HEADER, defaultVersion: '2' } })
    const second = createClient<typeof header>({ fetch: header.fetch })
    assert.equal((await second.car.fresh()).data, 'fresh')
    assert.deepEqual(await answers(second.car), ['list of 2', 'fresh', 'ping', 'plain'])

    const host = createApp(module, { logger: false, versioning: { scheme: HOST, defaultVersion: '2' } })
    const third = createClient<typeof host>({ fetch: host.fetch, baseUrl: 'http://example.com' })
    assert.deepEqual(await answers(third.car), ['list of 2', 'fresh', 'ping', 'plain'])

    const several = createApp(module, {
      logger: false,
      versioning: { schemes: [[URL], [QUERY]], defaultVersion: '1' },
    })
    const fourth = createClient<typeof several>({ fetch: several.fetch })
    assert.deepEqual(await answers(fourth.car), ['list of 1', 'old', 'ping', 'plain'])
  })

  it('calls unversioned and neutral routes under URL without a default version', async () => {
    const app = createApp(module, { logger: false, versioning: { scheme: URL } })
    const client = createClient<typeof app>({ fetch: app.fetch })
    assert.equal((await client.car.plain()).data, 'plain')
    assert.deepEqual(await answers(client.car), ['ping', 'plain'])
    assert.deepEqual(await answers(client.at('1').car), ['list of 1', 'old', 'ping', 'plain'])
  })

  it('calls what answers in a listed default version', async () => {
    const app = createApp(module, {
      logger: false,
      versioning: { scheme: URL, versions: ['3', '2', '1'], defaultVersion: '3' },
    })
    const client = createClient<typeof app>({ fetch: app.fetch })
    assert.deepEqual(await answers(client.car), ['ping', 'plain'])
    assert.deepEqual(await answers(client.at('3').car), ['ping', 'plain'])
  })

  it('calls the newest routes of each path if the default version is the latest', async () => {
    const app = createApp(module, {
      logger: false,
      versioning: { scheme: URL, versions: ['2', '1'], defaultVersion: 'latest' },
    })
    const client = createClient<typeof app>({ fetch: app.fetch })
    assert.equal((await client.car.fresh()).data, 'fresh')
    assert.deepEqual(await answers(client.car), ['list of 2', 'old', 'fresh', 'ping', 'plain'])
  })

  it('calls a route that moved at the path whose default the selector means', async () => {
    const controller = defineController({
      name: 'CarController',
      routes: [
        { method: 'GET', path: '/before', name: 'list', version: '1', handler: () => 'before' },
        { method: 'GET', path: '/after', name: 'list', version: '2', handler: () => 'after' },
      ],
    })
    for (const [defaultVersion, expected] of [
      ['latest', 'after'],
      ['oldest', 'before'],
    ] as const) {
      const versioning = { scheme: URL, versions: ['2', '1'], defaultVersion }
      const app = createApp(defineModule({ controllers: [controller] }), { logger: false, versioning })
      const client = createClient<typeof app>({ fetch: app.fetch })
      assert.deepEqual(await answers(client.car), [expected])
      assert.equal((await app.inject(app.urlFor('car.list'))).json(), expected)
    }
  })

  it('calls the routes of the versioning that was enabled last', async () => {
    const app = createApp(module, { logger: false })
    app.enableVersioning(URL, { defaultVersion: '2' })
    const client = createClient<typeof app>({ fetch: app.fetch })
    assert.equal((await client.car.fresh()).data, 'fresh')
  })
})

describe('a client of a version that only the list has', () => {
  it('calls the routes of ranges, and none of other versions', async () => {
    const controller = defineController({
      name: 'CarController',
      routes: [
        { method: 'GET', name: 'list', version: '>=2', handler: () => 'list' },
        { method: 'GET', path: '/old', name: 'old', version: '1', handler: () => 'old' },
      ],
    })
    const app = createApp(defineModule({ controllers: [controller] }), {
      logger: false,
      versioning: { scheme: QUERY, versions: [{ version: '3' }, '2', '1'], defaultVersion: '1' },
    })
    const client = createClient<typeof app, '3'>({ fetch: app.fetch, version: '3' })
    assert.equal((await client.car.list()).data, 'list')
    assert.deepEqual(await answers(client.car), ['list'])
  })
})

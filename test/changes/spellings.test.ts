import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, DefinitionError, VersioningSchemes } from 'octavo'
import type { AppOptions } from 'octavo'
import { defineVersionChange, defineVersions, model, reshape } from 'octavo/changes'
import { createClient } from 'octavo/client'
import { pinned } from 'octavo/pins'
import { createMemoryStore } from 'octavo/stores'
import { createWebhooks, defineWebhook } from 'octavo/webhooks'
import { z } from 'zod'

import { createCounts } from '../support/usage.ts'

const Car = model('Car', { brand: z.string() })
const brands = defineVersionChange({
  version: '3',
  title: 'Makes are brands',
  change: [reshape({ of: Car, fields: { brand: { was: 'make' } } })],
})
const history = defineVersions({
  versions: ['3', { version: '2', also: ['2.0', 'Beta'] }],
  models: { Car },
  changes: [brands],
})
const { URL, HEADER, QUERY, HOST } = VersioningSchemes
const OLD = '{"make":"Fiat"}'

const cars = defineController({
  name: 'CarController',
  prefix: '/cars',
  routes: [
    {
      method: 'POST',
      path: '/',
      name: 'add',
      input: { body: Car },
      response: Car,
      handler: ({ body }, { version }) => {
        assert.deepEqual([body, version], [{ brand: 'Fiat' }, '2'])
        return body
      },
    },
  ],
})

function open(versioning: object, options: AppOptions = {}) {
  return createApp(defineModule({ controllers: [cars] }), {
    logger: false,
    ...options,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the options of several schemes
    versioning: { history, ...versioning } as NonNullable<AppOptions['versioning']>,
  })
}

const add = { method: 'POST', url: '/cars', body: { make: 'Fiat' } } as const

describe('a version with other texts', () => {
  const ways = {
    'a header': [{ scheme: HEADER, headerParameter: 'x-version', echo: true }, { 'x-version': 'Beta' }],
    'a repeated header': [{ scheme: HEADER, headerParameter: 'x-version' }, { 'x-version': 'Beta, 2' }],
    Accept: [{ scheme: HEADER }, { accept: 'application/json; version=2.0' }],
    'a vendor type': [
      { scheme: HEADER, mediaType: 'application/vnd.car.v{version}+json' },
      { accept: 'application/vnd.car.vbeta+json' },
    ],
    'the host': [{ scheme: HOST, hostPattern: /^v(.+)\.example/ }, { host: 'v2.0.example.com' }],
  } as const
  for (const [place, [versioning, headers]] of Object.entries(ways))
    it(`is read from ${place}`, async () => {
      const answer = await open(versioning).inject({ ...add, headers })
      assert.deepEqual([answer.body, answer.version], [OLD, '2'])
      if ('echo' in versioning) assert.equal(answer.headers['x-version'], '2')
    })

  it('is read from the path, the query and inject, over sockets too', async () => {
    for (const [versioning, url] of [
      [{ scheme: URL, allowBare: true }, '/v2.0/cars'],
      [{ scheme: URL, allowBare: true }, '/Beta/cars'],
      [{ scheme: QUERY }, '/cars?version=Beta'],
      [{ scheme: QUERY }, '/cars?version=2&version=2.0'],
    ] as const) {
      const app = open(versioning)
      assert.equal((await app.inject({ ...add, url })).body, OLD)
      const origin = await app.listen({ port: 0, host: '127.0.0.1' })
      const init = { method: 'POST', body: OLD, headers: { 'content-type': 'application/json' } }
      assert.equal(await (await fetch(origin + url, init)).text(), OLD)
      await app.close()
    }
    for (const scheme of [URL, QUERY, HEADER])
      assert.equal((await open({ scheme }).inject({ ...add, version: '2.0' })).body, OLD)
  })

  it('agrees with itself in several schemes', async () => {
    const app = createApp(defineModule({ controllers: [cars] }), { logger: false })
    app.enableVersioning([[URL], [QUERY]], { history })
    assert.equal((await app.inject({ ...add, url: '/v2/cars?version=Beta' })).body, OLD)
    assert.equal((await app.inject({ ...add, url: '/v2.0/cars?version=3' })).statusCode, 400)
  })

  it('has its name in counts, policies, pins and documents', async () => {
    const counts = createCounts()
    const policy = { versions: { '2.0': { deprecated: '2026-01-01' } } }
    const app = open({ scheme: QUERY, ...policy }, { usage: counts.usage, docs: {} })
    const answer = await app.inject({ ...add, url: '/cars?version=Beta' })
    assert.equal(answer.headers['deprecation'], '@1767225600')
    await app.ready()
    const document = JSON.stringify(app.openapi({ version: '2' }))
    assert.match(document, /"make"/)
    assert.doesNotMatch(document, /2\.0"|Beta/)
    await app.close()
    assert.deepEqual(
      (await counts.read()).filter(({ route }) => route === 'car.add').map(({ version }) => version),
      ['2'],
    )
    const pins = pinned({ client: () => 'acme', store: createMemoryStore(), otherwise: '3' })
    await pins.upgrade('acme', 'Beta')
    assert.equal((await open({ scheme: QUERY, defaultVersion: pins }).inject(add)).body, OLD)
  })

  it('converts values, payloads and calls of clients', async () => {
    // types know the names of versions alone
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const [beta, two] = ['Beta', '2.0'] as unknown as readonly ['2', '2']
    assert.deepEqual(history.migrate(Car, { brand: 'Fiat' }, { to: beta }), { make: 'Fiat' })
    assert.deepEqual(history.migrate(Car, { make: 'Fiat' }, { from: two }), { brand: 'Fiat' })
    assert.deepEqual(history.schema(Car, { version: beta }).parse({ make: 'Fiat' }), { make: 'Fiat' })
    assert.deepEqual(history.parse(Car, { make: 'Fiat' }, { from: two }), { brand: 'Fiat' })
    const webhooks = createWebhooks({
      history,
      subscriptions: {
        of: () => [{ id: '1', url: 'https://example.com', secrets: [], version: '2.0' }],
        find: () => undefined,
        disable: () => undefined,
      },
    })
    const sold = defineWebhook({ name: 'car.sold', schema: Car })
    const { deliveries, errors } = await webhooks.prepare(sold, { brand: 'Fiat' })
    assert.deepEqual(errors, [])
    assert.match(deliveries[0]?.body ?? '', /"data":\{"make":"Fiat"\}/)
    await webhooks.close()
    const app = createApp(defineModule({ controllers: [cars] }), {
      logger: false,
      versioning: { scheme: URL, history },
    })
    const client = createClient<typeof app>({ baseUrl: 'http://localhost', fetch: app.fetch })
    const { data } = await client.at('2').car.add({ body: { make: 'Fiat' } })
    assert.deepEqual(data, { make: 'Fiat' })
    // @ts-expect-error types know the name of a version alone
    const spelled = await client.at('2.0').car.add({ body: { make: 'Fiat' } })
    assert.deepEqual(spelled.data, { make: 'Fiat' })
  })

  it('has texts of its own', async () => {
    const problems = async (define: () => unknown): Promise<readonly string[]> => {
      try {
        await define()
      } catch (error) {
        assert.ok(error instanceof DefinitionError)
        return error.errors.map(({ message }) => message)
      }
      return []
    }
    const versionsOf = (...versions: readonly unknown[]) =>
      problems(() => defineVersions({ versions: versions as [], models: { Car }, changes: [] }))
    assert.deepEqual(await versionsOf('3', { version: '2', also: ['3'] }), ['versions lists "3" twice'])
    assert.deepEqual(await versionsOf({ version: '2', also: ['>=1'] }), ['versions is no list of versions'])
    assert.deepEqual(await versionsOf({ version: '2', also: ['b'], deprecated: true }), [
      'versions is no list of versions',
    ])
    const start = (versioning: object, version: '2' | '2.0' = '2') =>
      problems(() => {
        const routes = [
          { method: 'GET', path: '/', version, response: Car, handler: () => ({ brand: '' }) },
        ] as const
        return createApp(defineModule({ controllers: [defineController({ prefix: '/', routes })] }), {
          logger: false,
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the options of several schemes
          versioning: { history, ...versioning } as NonNullable<AppOptions['versioning']>,
        }).ready()
      })
    assert.deepEqual(await start({ scheme: QUERY }, '2.0'), ['the version "2.0" is another text for "2"'])
    const twice = defineVersions({
      versions: ['3', { version: '2', also: ['3.0'] }],
      models: { Car },
      changes: [brands],
    })
    assert.deepEqual(await start({ scheme: QUERY, history: twice, format: 'semver' }), [
      '"3.0" stands for the version "2" and equals "3"',
    ])
    assert.match((await start({ scheme: HOST })).join(), /"2\.0" cannot travel in the scheme HOST/)
    const folded = defineVersions({
      versions: ['b', { version: 'a', also: ['B'] }],
      models: { Car },
      changes: [],
    })
    assert.deepEqual((await start({ scheme: HOST, history: folded, defaultVersion: 'a' })).slice(0, 1), [
      'the scheme HOST cannot tell the versions "b" and "B" apart',
    ])
  })
})

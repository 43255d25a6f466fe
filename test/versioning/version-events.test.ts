import assert from 'node:assert/strict'
import { channel } from 'node:diagnostics_channel'
import { describe, it } from 'node:test'

import {
  Channels,
  createApp,
  defineController,
  defineGuard,
  defineModule,
  VERSION_NEUTRAL,
  VersioningSchemes,
} from 'octavo'
import type { App, InjectOptions, VersioningOptions, VersionResolved } from 'octavo'

import { serve } from './support.ts'
import type { Row } from './support.ts'

const { HEADER, QUERY, URL } = VersioningSchemes

const ROWS: readonly Row[] = [
  ['GET', '/cars', '1', 'one'],
  ['GET', '/cars', '2', 'two'],
  ['GET', '/cars/{id}', ['2', '3'], 'by id'],
  ['OPTIONS', '/cars/{id}', '3', 'options'],
  ['PUT', '/cars', VERSION_NEUTRAL, 'put'],
  ['GET', '/ping', VERSION_NEUTRAL, 'ping'],
  ['GET', '/health', undefined, 'health'],
]

const NOW = Date.parse('2026-06-01')
const VERSIONS: NonNullable<VersioningOptions['versions']> = [
  { version: '1', sunset: '2026-01-01', retired: 'gone' },
  { version: '2', deprecated: '2026-01-01', sunset: '2027-01-01' },
  { version: '3', deprecated: '2027-01-01' },
  { version: '4', sunset: '2026-01-01' },
]

/** The messages of the channel while requests are answered, one after the other. */
async function published(
  app: App,
  ...requests: readonly (string | InjectOptions)[]
): Promise<readonly VersionResolved[]> {
  const messages: VersionResolved[] = []
  const keep = (message: unknown): void => void messages.push(message as VersionResolved)
  const resolved = channel(Channels.version)
  resolved.subscribe(keep)
  try {
    for (const request of requests) await app.inject(request)
  } finally {
    resolved.unsubscribe(keep)
  }
  return messages
}

/** An application with versions at every stage of life. */
function create(options: VersioningOptions = {}): App {
  const rows: readonly Row[] = [...ROWS, ['GET', '/late', '4', 'late']]
  return serve(rows, QUERY, { versions: VERSIONS, clock: () => NOW, ...options })
}

describe('the channel octavo.version.resolved', () => {
  it('tells version, route and what becomes of the version, once for each request', async () => {
    const messages = await published(
      create({ defaultVersion: '3' }),
      '/cars/7?version=3',
      { method: 'HEAD', url: '/cars/7?version=2' },
      '/cars?version=1',
      '/late?version=4',
      '/cars/7',
    )
    const seen = messages.map(({ request: _request, ...resolved }) => resolved)
    const byId = { route: 'api.r2', method: 'GET', path: '/cars/{id}' }
    assert.deepEqual(seen, [
      { ...byId, version: '3', requested: '3', status: 'active' },
      { ...byId, method: 'HEAD', version: '2', requested: '2', status: 'deprecated' },
      { version: '1', requested: '1', route: 'api.r0', method: 'GET', path: '/cars', status: 'retired' },
      { version: '4', requested: '4', route: 'api.r7', method: 'GET', path: '/late', status: 'sunset' },
      { ...byId, version: '3', requested: undefined, status: 'active' },
    ])
  })
  it('gives the request, to see who asks', async () => {
    const [message] = await published(create(), {
      url: '/cars?version=2',
      headers: { 'x-client': 'shop' },
    })
    assert.equal(message?.request.header('x-client'), 'shop')
  })

  const cases = [
    ['a neutral route at a path with versions', 'PUT', '/cars', 1],
    ['a neutral route elsewhere', 'GET', '/ping?version=2', 0],
    ['a path without versions', 'GET', '/health?version=2', 0],
    ['an unknown version', 'GET', '/cars?version=9', 0],
    ['no version', 'GET', '/cars', 0],
    ['a wrong method', 'DELETE', '/cars?version=2', 0],
    ['an unknown path', 'GET', '/nowhere?version=2', 0],
    ['the automatic OPTIONS', 'OPTIONS', '/cars?version=2', 0],
    ['a route for OPTIONS', 'OPTIONS', '/cars/7?version=3', 1],
  ] as const
  for (const [title, method, url, times] of cases) {
    it(`${title}: ${times === 1 ? 'told' : 'not told'}`, async () => {
      assert.equal((await published(create(), { method, url })).length, times)
    })
  }
  it('a preflight is not told', async () => {
    const headers = { origin: 'http://x.example', 'access-control-request-method': 'GET' }
    assert.deepEqual(await published(create(), { method: 'OPTIONS', url: '/cars?version=2', headers }), [])
  })
  it('what was asked for is cut at 64 characters', async () => {
    const long = `2.${'0'.repeat(14)}.${'0'.repeat(14)}`
    const seen = await published(create({ format: 'semver' }), '/cars?version=2.0', `/cars?version=${long}`)
    const accept = `*/*;version=2, ${Array.from({ length: 7 }, (_, at) => `a/b;version=${'9'.repeat(20)}${at}`).join()}`
    const [listed] = await published(serve(ROWS, HEADER), { url: '/cars', headers: { accept } })
    assert.deepEqual(
      [...seen.map(({ requested }) => requested), listed?.requested?.length],
      ['2.0', long, 64],
    )
  })
  it('has the version that was asked for beside the one that answers, under URL too', async () => {
    const app = serve(ROWS.slice(0, 2), URL, { unknown: 'floor' })
    const seen = await published(app, '/v2/cars', '/v7/cars')
    assert.deepEqual(
      seen.map(({ version, requested }) => [version, requested]),
      [
        ['2', '2'],
        ['2', '7'],
      ],
    )
  })
  it('has the version that was asked for beside the later one that answers in its place', async () => {
    const versions = [{ version: '2' }, { version: '1', sunset: '2026-01-01', retired: 'forward' }] as const
    const [message] = await published(create({ versions: [...versions, '3', '4'] }), '/cars?version=1')
    const { version, requested, status } = message ?? {}
    assert.deepEqual([version, requested, status], ['2', '1', 'active'])
  })
  it('a request that a guard refuses reached the route', async () => {
    const refuses = defineGuard({ name: 'refuses', canActivate: () => false })
    const controller = defineController({
      prefix: '/cars',
      version: '1',
      guards: [refuses],
      routes: [{ method: 'GET', name: 'a', handler: () => 1 }],
    })
    const app = createApp(defineModule({ controllers: [controller] }), { logger: false })
    app.enableVersioning(QUERY)
    const [message] = await published(app, '/cars?version=1')
    assert.equal(message?.version, '1')
  })
  it('publishes nothing of paths without versions, also where routes are deprecated', async () => {
    const controller = defineController({
      prefix: '/cars',
      routes: [{ method: 'GET', name: 'a', deprecated: true, handler: () => 1 }],
    })
    const app = createApp(defineModule({ controllers: [controller] }), { logger: false })
    assert.deepEqual(await published(app, '/cars'), [])
  })
  it('costs nothing where nobody listens: the clock is not even asked', async () => {
    const asked: number[] = []
    const clock = (): number => asked.push(1)
    const app = serve(ROWS, QUERY, { clock, versions: [{ version: '2', deprecated: true }] })
    await app.inject('/cars?version=2')
    await app.inject('/cars?version=1')
    assert.deepEqual(asked, [])
    await published(app, '/cars?version=2')
    assert.deepEqual(asked, [1])
  })
})

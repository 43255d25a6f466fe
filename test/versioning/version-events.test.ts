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
import type { App, InjectOptions, Logger, VersioningOptions, VersionResolved } from 'octavo'

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

/** An application that keeps what the hook is told, without the request. */
function listening(options: VersioningOptions = {}): {
  readonly app: App
  readonly seen: Omit<VersionResolved, 'request'>[]
} {
  const seen: Omit<VersionResolved, 'request'>[] = []
  const app = serve([...ROWS, ['GET', '/late', '4', 'late']], QUERY, {
    versions: VERSIONS,
    clock: () => NOW,
    onVersionResolved: ({ request: _request, ...resolved }) => void seen.push(resolved),
    ...options,
  })
  return { app, seen }
}

describe('onVersionResolved', () => {
  it('tells version, route and what becomes of the version, once for each request', async () => {
    const { app, seen } = listening({ defaultVersion: '3' })
    await app.inject('/cars/7?version=3')
    await app.inject({ method: 'HEAD', url: '/cars/7?version=2' })
    await app.inject('/cars?version=1')
    await app.inject('/late?version=4')
    await app.inject('/cars/7')
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
    const clients: unknown[] = []
    const { app } = listening({
      onVersionResolved: ({ request }) => void clients.push(request.header('x-client')),
    })
    await app.inject({ url: '/cars?version=2', headers: { 'x-client': 'shop' } })
    assert.deepEqual(clients, ['shop'])
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
      const { app, seen } = listening()
      await app.inject({ method, url })
      assert.equal(seen.length, times)
    })
  }
  it('a preflight is not told', async () => {
    const { app, seen } = listening()
    const headers = { origin: 'http://x.example', 'access-control-request-method': 'GET' }
    await app.inject({ method: 'OPTIONS', url: '/cars?version=2', headers })
    assert.deepEqual(seen, [])
  })
  it('what was asked for is cut at 64 characters', async () => {
    const { app, seen } = listening({ format: 'semver' })
    await app.inject(`/cars?version=2.0`)
    const long = `2.${'0'.repeat(14)}.${'0'.repeat(14)}`
    await app.inject(`/cars?version=${long}`)
    const listed = serve(ROWS, HEADER, {
      onVersionResolved: ({ requested = '' }) => void (length = requested.length),
    })
    let length = 0
    const accept = `*/*;version=2, ${Array.from({ length: 7 }, (_, at) => `a/b;version=${'9'.repeat(20)}${at}`).join()}`
    await listed.inject({ url: '/cars', headers: { accept } })
    assert.deepEqual([...seen.map(({ requested }) => requested), length], ['2.0', long, 64])
  })
  it('has the version that was asked for beside the one that answers, under URL too', async () => {
    const seen: unknown[] = []
    const app = serve(ROWS.slice(0, 2), URL, {
      unknown: 'floor',
      onVersionResolved: ({ version, requested }) => void seen.push([version, requested]),
    })
    await app.inject('/v2/cars')
    await app.inject('/v7/cars')
    assert.deepEqual(seen, [
      ['2', '2'],
      ['2', '7'],
    ])
  })
  it('a request that a guard refuses reached the route', async () => {
    const seen: unknown[] = []
    const refuses = defineGuard({ name: 'refuses', canActivate: () => false })
    const controller = defineController({
      prefix: '/cars',
      version: '1',
      guards: [refuses],
      routes: [{ method: 'GET', name: 'a', handler: () => 1 }],
    })
    const app = createApp(defineModule({ controllers: [controller] }), { logger: false })
    app.enableVersioning(QUERY, { onVersionResolved: ({ version }) => void seen.push(version) })
    const { statusCode } = await app.inject('/cars?version=1')
    assert.deepEqual([statusCode, seen], [403, ['1']])
  })
})

describe('an onVersionResolved that fails', () => {
  const failures: readonly (readonly [string, () => unknown])[] = [
    [
      'throws',
      () => {
        throw new Error('no counter')
      },
    ],
    ['rejects', async () => Promise.reject(new Error('no counter'))],
  ]
  /** A logger that keeps its errors, or throws them. */
  function logger(error: Logger['error']): Logger {
    const nothing = (): void => undefined
    return { debug: nothing, info: nothing, warn: nothing, error }
  }
  for (const [title, hook] of failures) {
    it(`${title}: it is logged, and the request is answered`, async () => {
      const logged: unknown[] = []
      const app = serve(
        ROWS,
        QUERY,
        { onVersionResolved: hook },
        { logger: logger((details, message) => void logged.push([details, message])) },
      )
      const { statusCode } = await app.inject('/cars?version=1')
      await new Promise(setImmediate)
      const [[details, message] = []] = logged as (readonly [{ err: Error; requestId: string }, string])[]
      assert.deepEqual(
        [statusCode, logged.length, details?.err.message, typeof details?.requestId, message],
        [200, 1, 'no counter', 'string', 'onVersionResolved failed'],
      )
    })
    it(`${title}, and so does the logger: the request is answered`, async () => {
      const broken = logger(() => {
        throw new Error('no log')
      })
      const app = serve(ROWS, QUERY, { onVersionResolved: hook }, { logger: broken })
      assert.equal((await app.inject('/cars?version=1')).statusCode, 200)
      await new Promise(setImmediate)
    })
  }
})

describe('the channel octavo.version.resolved', () => {
  /** What the channel publishes while a request is answered. */
  async function published(app: App, request: InjectOptions): Promise<readonly VersionResolved[]> {
    const messages: VersionResolved[] = []
    const keep = (message: unknown): void => void messages.push(message as VersionResolved)
    const resolved = channel(Channels.version)
    resolved.subscribe(keep)
    try {
      await app.inject(request)
    } finally {
      resolved.unsubscribe(keep)
    }
    return messages
  }

  it('publishes the same, without a hook', async () => {
    const messages = await published(serve(ROWS, QUERY), { url: '/cars?version=2' })
    assert.deepEqual(
      messages.map(({ request, ...resolved }) => [request.path, resolved]),
      [
        [
          '/cars',
          { version: '2', requested: '2', route: 'api.r1', method: 'GET', path: '/cars', status: 'active' },
        ],
      ],
    )
  })
  it('publishes where a hook throws', async () => {
    const app = serve(ROWS, QUERY, {
      onVersionResolved: () => {
        throw new Error('x')
      },
    })
    assert.equal((await published(app, { url: '/cars?version=2' })).length, 1)
  })
  it('publishes nothing of paths without versions, also where routes are deprecated', async () => {
    const controller = defineController({
      prefix: '/cars',
      routes: [{ method: 'GET', name: 'a', deprecated: true, handler: () => 1 }],
    })
    const app = createApp(defineModule({ controllers: [controller] }), { logger: false })
    assert.deepEqual(await published(app, { url: '/cars' }), [])
  })
  it('costs nothing where nobody listens: the clock is not even asked', async () => {
    const asked: number[] = []
    const clock = (): number => asked.push(1)
    const app = serve(ROWS, QUERY, { clock, versions: [{ version: '2', deprecated: true }] })
    await app.inject('/cars?version=2')
    await app.inject('/cars?version=1')
    assert.deepEqual(asked, [])
    await published(app, { url: '/cars?version=2' })
    assert.deepEqual(asked, [1])
  })
})

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'

import {
  createApp,
  defineController,
  defineModule,
  html,
  HttpError,
  Session,
  text,
  VERSION_NEUTRAL,
  VersioningSchemes,
} from 'octavo'
import type { AppOptions, Store } from 'octavo'
import { bearerAuth } from 'octavo/auth'
import { defineVersionChange, defineVersions, model, reshape } from 'octavo/changes'
import type { MetricsOptions } from 'octavo/metrics'
import { createMetrics } from 'octavo/metrics'
import { rateLimit } from 'octavo/middleware'
import { pinned } from 'octavo/pins'
import { createMemoryStore } from 'octavo/stores'
import { createTestClient } from 'octavo/testing'
import { Counter, register, Registry } from 'prom-client'
import { z } from 'zod'

const cars = defineController({
  prefix: '/car',
  version: ['1', '2'],
  routes: [
    { method: 'GET', path: '/{car_id:int}', handler: ({ params }) => text(`car ${params.car_id}`) },
    { method: 'POST', input: { body: z.object({ name: z.string() }) }, status: 201, handler: () => ({}) },
    {
      method: 'GET',
      path: '/parts',
      handler: async function* parts() {
        yield 'wheel'
      },
    },
    {
      method: 'GET',
      path: '/broken',
      handler: () => {
        throw new Error('of the test')
      },
    },
  ],
})
const page = defineController({
  prefix: '/page',
  version: VERSION_NEUTRAL,
  routes: [{ method: 'GET', handler: () => html('page') }],
})

/** An application with metrics of its own, and a function that reads its series of a name. */
function create(options: MetricsOptions = {}, appOptions: AppOptions = {}) {
  const metrics = createMetrics({ registry: new Registry(), processMetrics: false, ...options })
  const app = createApp(defineModule({ controllers: [cars, page, metrics.controller] }), {
    logger: false,
    versioning: { scheme: VersioningSchemes.HEADER, headerParameter: 'x-api-version' },
    ...appOptions,
  })
  const read = async () => (await app.inject(options.path ?? '/metrics')).body
  const series = async (name: string) =>
    (await read())
      .split('\n')
      .filter((line) => new RegExp(`^${name}(?:\\{| )`).test(line) && !line.includes('route="/metrics"'))
  return { app, metrics, read, series }
}

const inVersion = (version: string) => ({ headers: { 'x-api-version': version } })

describe('createMetrics', () => {
  it('counts requests by method, route, status and version', async () => {
    const { app, series } = create()
    await app.inject({ url: '/car/1', ...inVersion('1') })
    await app.inject({ url: '/car/2', ...inVersion('1') })
    await app.inject({ url: '/car/3', ...inVersion('2') })
    await app.inject({ url: '/car', method: 'POST', body: {}, ...inVersion('2') })
    await app.inject({ url: '/car/broken', ...inVersion('2') })
    await app.inject('/page')
    assert.deepEqual(await series('http_requests_total'), [
      'http_requests_total{method="GET",route="/car/{car_id}",status="200",version="1"} 2',
      'http_requests_total{method="GET",route="/car/{car_id}",status="200",version="2"} 1',
      'http_requests_total{method="POST",route="/car",status="422",version="2"} 1',
      'http_requests_total{method="GET",route="/car/broken",status="500",version="2"} 1',
      'http_requests_total{method="GET",route="/page",status="200",version="none"} 1',
    ])
  })

  it('counts requests of clients with a name, those beyond a limit together', async () => {
    const { app, series } = create({}, { client: (request) => request.header('x-client') })
    const call = (client: string) =>
      app.inject({ url: '/car/1', headers: { 'x-api-version': '1', 'x-client': client } })
    for (let index = 0; index < 110; index++) await call(`client-${index}`)
    await call('client-0')
    await app.inject({ url: '/car/1', ...inVersion('1') })
    const lines = await series('client_requests_total')
    assert.equal(lines.length, 101)
    assert.equal(lines[0], 'client_requests_total{client="client-0",version="1"} 2')
    assert.equal(lines.at(-1), 'client_requests_total{client="other",version="1"} 10')
  })

  it('counts clients with long names under the name that usage cuts them to', async () => {
    const { app, series } = create({}, { client: (request) => request.header('x-client') })
    await app.inject({ url: '/car/1', headers: { 'x-api-version': '1', 'x-client': 'x'.repeat(300) } })
    const name = 'x'.repeat(200)
    assert.deepEqual(await series('client_requests_total'), [
      `client_requests_total{client="${name}",version="1"} 1`,
    ])
  })

  it('counts no client whose name is no text', async () => {
    for (const name of [null, '', 7, {}, Symbol('x')]) {
      // as in a program without types
      const { app, series } = create({}, { client: () => name as string | undefined })
      const { statusCode } = await app.inject({ url: '/car/1', ...inVersion('1') })
      assert.equal(statusCode, 200)
      assert.deepEqual(await series('client_requests_total'), [])
    }
  })

  it('measures durations in seconds', async () => {
    const { app, series } = create({ durationBuckets: [0.5, 60] })
    await app.inject('/page')
    const labels = 'method="GET",route="/page",status="200",version="none"'
    assert.deepEqual(
      (await series('http_request_duration_seconds_bucket')).filter((line) => line.includes('/page')),
      [
        `http_request_duration_seconds_bucket{le="0.5",${labels}} 1`,
        `http_request_duration_seconds_bucket{le="60",${labels}} 1`,
        `http_request_duration_seconds_bucket{le="+Inf",${labels}} 1`,
      ],
    )
    const [sum = ''] = await series('http_request_duration_seconds_sum')
    assert.ok(Number(sum.split(' ').at(-1)) > 0)
  })

  it('measures bodies whose length is known', async () => {
    const { app, series } = create()
    const body = '{"name":"Ann"}'
    const headers = { ...inVersion('1').headers, 'content-type': 'application/json', 'content-length': '14' }
    await app.inject({ url: '/car', method: 'POST', body, headers })
    await app.inject({ url: '/car/parts', ...inVersion('1') })
    await app.inject({ url: '/page', method: 'HEAD' })
    assert.deepEqual(await series('http_request_size_bytes_sum'), [
      'http_request_size_bytes_sum{method="POST",route="/car",status="201",version="1"} 14',
    ])
    assert.deepEqual(await series('http_response_size_bytes_sum'), [
      'http_response_size_bytes_sum{method="POST",route="/car",status="201",version="1"} 2',
      'http_response_size_bytes_sum{method="HEAD",route="/page",status="200",version="none"} 0',
    ])
  })

  it('has one series for all unknown paths, methods and versions', async () => {
    const { app, series } = create()
    for (let count = 0; count < 100; count++) await app.inject(`/nothing/${count}`)
    for (let count = 0; count < 20; count++) {
      await app.inject({ url: `/page?${count}`, ...inVersion(`9${count}`) })
      await app.inject({ url: `/car/${count}`, ...inVersion(`9${count}`) })
      const request = new Request('http://cars.test/nothing', { method: `M${count}` })
      await (await app.fetch(request)).arrayBuffer()
    }
    const counts = (await series('http_requests_total')).map((line) =>
      line.replace('http_requests_total', ''),
    )
    assert.deepEqual(counts, [
      '{method="GET",route="none",status="404",version="none"} 100',
      '{method="GET",route="/page",status="200",version="none"} 20',
      '{method="GET",route="none",status="406",version="none"} 20',
      '{method="other",route="none",status="404",version="none"} 20',
    ])
  })

  it('counts the connections that are open', { skip: process.platform === 'win32' }, async () => {
    const { app, metrics } = create()
    const isOpen = async (count: number): Promise<void> => {
      const expected = `server_connections ${count}`
      const read = () => metrics.registry.getSingleMetricAsString('server_connections')
      for (let tries = 0; tries < 6_000 && !(await read()).endsWith(expected); tries++) await delay(10)
      assert.match(await read(), new RegExp(`${expected}$`))
    }
    const url = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
    const sockets = [1, 2, 3].map(() => connect(Number(url.port), url.hostname))
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    await isOpen(3)
    sockets[0]?.destroy()
    await isOpen(2)
    for (const socket of sockets) socket.destroy()
    await isOpen(0)
    await app.close()
  })

  it('counts sessions that start and end', async () => {
    const metrics = createMetrics({ registry: new Registry(), processMetrics: false })
    const login = defineController({
      prefix: '/login',
      inject: { session: Session },
      routes: [
        { method: 'GET', handler: ({ inject }) => inject.session.id.length },
        {
          method: 'POST',
          handler: ({ inject }) => {
            Object.assign(inject.session.data, { user: 'Ann' })
          },
        },
        { method: 'DELETE', handler: ({ inject }) => inject.session.destroy() },
      ],
    })
    const app = createApp(defineModule({ controllers: [login, metrics.controller] }), {
      logger: false,
      session: { secret: 'a secret of more than 32 characters' },
    })
    const client = createTestClient(app)
    const counts = async () => (await app.inject('/metrics')).body.match(/^sessions_total\{.*/gm)
    await client.inject('/login')
    assert.equal(await counts(), null)
    await client.inject({ url: '/login', method: 'POST' })
    await client.inject({ url: '/login', method: 'POST' })
    assert.deepEqual(await counts(), ['sessions_total{event="started"} 1'])
    await client.inject({ url: '/login', method: 'DELETE' })
    assert.deepEqual(await counts(), ['sessions_total{event="started"} 1', 'sessions_total{event="ended"} 1'])
  })

  it('measures calls of stores, and counts those that fail or get no answer in time', async () => {
    const { app, series } = create(
      {},
      {
        versioning: {
          scheme: VersioningSchemes.QUERY,
          defaultVersion: pinned({
            client: (request) => request.header('x-account'),
            storeTimeout: 10,
            store: {
              ...createMemoryStore(),
              get: (key) => {
                if (key === 'pin:known') return Promise.resolve('1')
                return key === 'pin:broken' ? Promise.reject(new Error('of the test')) : new Promise(() => {})
              },
            },
          }),
        },
      },
    )
    for (const account of ['known', 'broken', 'slow', 'slow', 'slow', 'slow'])
      await app.inject({ url: '/car/7', headers: { 'x-account': account } })
    assert.deepEqual(await series('store_duration_seconds_count'), [
      'store_duration_seconds_count{store="pins",operation="get"} 5',
    ])
    assert.deepEqual(await series('store_failures_total'), [
      'store_failures_total{store="pins",operation="get",outcome="failed"} 1',
      'store_failures_total{store="pins",operation="get",outcome="timeout"} 3',
      'store_failures_total{store="pins",operation="get",outcome="skipped"} 1',
    ])
  })

  it('counts as failed what a store answers that it did not store', async () => {
    const registry = new Registry()
    const store: Store = {
      ...createMemoryStore(),
      set: (_key, _value, { ifAbsent = false } = {}) => ifAbsent,
    }
    const { app } = create({ registry }, { usage: { store } })
    await app.inject({ url: '/car/1', ...inVersion('1') })
    await assert.rejects(app.close(), /The store did not store/)
    const line = 'store_failures_total{store="usage",operation="set",outcome="failed"} 1'
    assert.ok((await registry.metrics()).split('\n').includes(line))
  })

  it('measures the data that changes load for older versions', async () => {
    const Article = model('Article', { id: z.int() })
    const counts = defineVersionChange({
      version: '2',
      title: 'Articles lose their likes',
      change: [
        reshape({
          of: Article,
          load: (all) => {
            if (all.length > 1) throw new Error('of the test')
            return Promise.resolve(7)
          },
          fields: { likes: { was: z.int() } },
          down: (_article, { loaded }) => ({ likes: loaded }),
          responseOnly: true,
        }),
      ],
    })
    const history = defineVersions({ versions: ['2', '1'], models: { Article }, changes: [counts] })
    const articles = defineController({
      name: 'article',
      routes: [
        { method: 'GET', path: '/one', response: Article, handler: () => ({ id: 1 }) },
        { method: 'GET', response: z.array(Article), handler: () => [{ id: 1 }, { id: 2 }] },
      ],
    })
    const { registry, controller } = createMetrics({ registry: new Registry(), processMetrics: false })
    const app = createApp(defineModule({ controllers: [articles, controller] }), {
      logger: false,
      versioning: { scheme: VersioningSchemes.URL, history },
    })
    const first = await app.inject('/v1/article/one')
    assert.deepEqual(first.json(), { id: 1, likes: 7 })
    assert.equal((await app.inject('/v1/article')).statusCode, 500)
    await app.inject('/v2/article')
    const series = await registry.getSingleMetricAsString('version_change_load_duration_seconds')
    assert.match(
      series,
      /^version_change_load_duration_seconds_count\{change="articles-lose-their-likes"\} 2$/m,
    )
  })

  it('counts refusals of rate limits', async () => {
    const { app, series } = create(
      {},
      {
        middleware: [
          rateLimit({ limit: 1, window: 60, name: 'minute', skip: ({ path }) => path === '/metrics' }),
        ],
      },
    )
    for (let count = 0; count < 3; count++) await app.inject('/page')
    assert.deepEqual(await series('rate_limit_refusals_total'), [
      'rate_limit_refusals_total{limit="minute"} 2',
    ])
  })

  it('counts errors by code, those that an application makes up up to a limit', async () => {
    const { app, series } = create(
      {},
      {
        middleware: [
          ({ request }, next) => {
            const code = request.header('x-code')
            if (code !== undefined) throw new HttpError(418, 'of the test', { code })
            return next()
          },
        ],
      },
    )
    await app.inject('/nothing')
    await app.inject('/nothing')
    await app.inject({ url: '/car/broken', ...inVersion('2') })
    const errors = await series('request_errors_total')
    assert.deepEqual(errors, [
      'request_errors_total{code="route_not_found"} 2',
      'request_errors_total{code="internal_error"} 1',
    ])
    for (let count = 0; count < 300; count++)
      await app.inject({ url: '/page', headers: { 'x-code': `code_${count}` } })
    const all = await series('request_errors_total')
    assert.equal(all.length, 201)
    assert.equal(all.at(-1), 'request_errors_total{code="other"} 102')
  })

  it('counts requests of versions that go, with the moment of their end', async () => {
    const { app, series } = create()
    app.enableVersioning(VersioningSchemes.HEADER, {
      headerParameter: 'x-api-version',
      versions: { '1': { deprecated: '2026-01-01', sunset: '2027-01-01', retired: 'gone' } },
      clock: () => now,
    })
    let now = Date.parse('2026-06-01')
    await app.inject({ url: '/car/1', ...inVersion('1') })
    await app.inject({ url: '/car/2', ...inVersion('1') })
    await app.inject({ url: '/car/2', ...inVersion('2') })
    now = Date.parse('2027-06-01')
    await app.inject({ url: '/car/2', ...inVersion('1') })
    assert.deepEqual(await series('deprecated_requests_total'), [
      'deprecated_requests_total{route="/car/{car_id}",version="1",state="deprecated"} 2',
      'deprecated_requests_total{route="/car/{car_id}",version="1",state="retired"} 1',
    ])
    assert.deepEqual(await series('version_sunset_timestamp_seconds'), [
      `version_sunset_timestamp_seconds{route="/car/{car_id}",version="1"} ${Date.parse('2027-01-01') / 1000}`,
    ])
  })

  it('measures the process', async () => {
    const { read } = create({ processMetrics: true })
    const body = await read()
    assert.match(body, /^nodejs_eventloop_lag_seconds \d/m)
    assert.match(body, /^process_resident_memory_bytes \d/m)
  })

  it('serves the metrics of the global registry with those of the application', async () => {
    const own = new Counter({ name: 'cars_sold_total', help: 'Cars that were sold.' })
    own.inc(3)
    const { app } = create({ registry: register })
    const response = await app.inject('/metrics')
    assert.equal(response.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
    assert.match(response.body, /^cars_sold_total 3$/m)
    register.clear()
  })

  it('has a guarded endpoint', async () => {
    const guard = bearerAuth({ verify: (token) => token === 'secret' && { id: 1 } })
    const { app } = create({ path: '/internal/metrics', guards: [guard] })
    const refused = await app.inject('/internal/metrics')
    assert.equal(refused.statusCode, 401)
    assert.doesNotMatch(refused.body, /http_requests_total/)
    const headers = { authorization: 'Bearer secret' }
    const { statusCode, body } = await app.inject({ url: '/internal/metrics', headers })
    assert.equal(statusCode, 200)
    assert.match(body, /route="\/internal\/metrics",status="401"/)
  })

  it('serves in every version, and in no document', async () => {
    const { app } = create()
    for (const options of [{}, inVersion('1'), inVersion('2')])
      assert.equal((await app.inject({ url: '/metrics', ...options })).statusCode, 200)
    await app.ready()
    const documents = ['1', '2'].map((version) => app.openapi({ version }))
    assert.deepEqual(
      documents.map(({ paths }) => Object.keys(paths ?? {}).includes('/metrics')),
      [false, false],
    )
    const plain = createMetrics({ registry: new Registry(), processMetrics: false })
    const unversioned = createApp(defineModule({ controllers: [plain.controller] }), { logger: false })
    assert.equal((await unversioned.inject('/metrics')).statusCode, 200)
  })

  it('refuses wrong options', () => {
    const registry = new Registry()
    createMetrics({ registry, processMetrics: false })
    for (const [options, message] of [
      [{ registry }, /the registry has the metrics of another call already/],
      [{ durationBuckets: [1, 1] }, /a list of ascending numbers/],
      [{ path: 'metrics' }, /a path, such as '\/metrics'/],
      [{ gards: [] }, /there is no option "gards"/],
    ] as const)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- which is what is tested
      assert.throws(() => createMetrics(options as MetricsOptions), { name: 'DefinitionError', message })
  })
})

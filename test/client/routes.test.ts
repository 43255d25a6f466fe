import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineGuard, defineModule, FileStream, VersioningSchemes } from 'octavo'
import type { App } from 'octavo'
import { createClient, ProblemError } from 'octavo/client'
import type { RouteMap } from 'octavo/client'
import { z } from 'zod'

import { createCarsApp } from './cars.ts'

const DOCS = { ui: false } as const

async function mapOf(app: App, url = '/docs/client.json'): Promise<RouteMap> {
  const { statusCode, body, headers } = await app.inject(url)
  assert.equal(statusCode, 200, body)
  assert.equal(headers['content-type'], 'application/json')
  return JSON.parse(body) as RouteMap
}

/** A `fetch` that is not known to be that of an application, and notes what it is asked for. */
function toFetch(app: App, asked: string[] = []): (url: string, init: RequestInit) => Promise<Response> {
  return (url, init) => {
    asked.push(url)
    return app.fetch(new Request(url, init))
  }
}

describe('the route map of a version', () => {
  it('says how each route is called', async () => {
    const shop = defineController({
      name: 'ShopController',
      prefix: '/shöp/{shop_id:int}',
      routes: [
        { method: ['PUT', 'POST'], path: '/{from}-{to}.json', name: 'mixed', handler: () => 1 },
        { method: 'GET', path: '/files/{rest:path}', name: 'rest', handler: () => 1 },
        {
          method: 'GET',
          name: 'root',
          response: { 200: z.string(), 404: z.string(), 500: z.string() },
          handler: () => '',
        },
        { method: 'POST', path: '/text', name: 'text', input: { body: z.string() }, handler: () => 1 },
        {
          method: 'POST',
          path: '/json',
          name: 'json',
          input: { body: z.union([z.string(), z.number()]) },
          handler: () => 1,
        },
        {
          method: 'POST',
          path: '/bytes',
          name: 'bytes',
          input: { body: z.instanceof(Uint8Array) },
          handler: () => 1,
        },
        { method: 'POST', path: '/form', name: 'form', input: { form: ['a'] }, handler: () => 1 },
        {
          method: 'POST',
          path: '/files',
          name: 'files',
          input: { files: { a: z.instanceof(FileStream) } },
          handler: () => 1,
        },
        { method: 'GET', path: '/inline', handler: () => 1 },
      ],
    })
    const app = createApp(defineModule({ controllers: [shop] }), {
      logger: false,
      docs: DOCS,
      prefix: '/api',
    })
    const base = '/api/sh%C3%B6p/{shop_id}'
    assert.deepEqual(await mapOf(app, '/api/docs/client.json'), {
      version: null,
      routes: {
        'shop.mixed': { method: 'PUT', others: ['POST'], path: `${base}/{from}-{to}.json` },
        'shop.rest': { method: 'GET', path: `${base}/files/{rest:path}` },
        'shop.root': { method: 'GET', path: base, errors: [404, 500] },
        'shop.text': { method: 'POST', path: `${base}/text`, body: 'text' },
        'shop.json': { method: 'POST', path: `${base}/json` },
        'shop.bytes': { method: 'POST', path: `${base}/bytes`, body: 'bytes' },
        'shop.form': { method: 'POST', path: `${base}/form` },
        'shop.files': { method: 'POST', path: `${base}/files`, form: 'multipart' },
        'shop.getInline': { method: 'GET', path: `${base}/inline` },
      },
    })
  })

  const written: readonly (readonly [title: string, enable: (app: App) => void, expected: object])[] = [
    ['the path', (app) => app.enableVersioning(VersioningSchemes.URL), { path: '/v2/car/{car_id}' }],
    [
      'Accept',
      (app) => app.enableVersioning(VersioningSchemes.HEADER),
      { path: '/car/{car_id}', headers: { accept: '*/*; version=2' } },
    ],
    [
      'the query',
      (app) => app.enableVersioning(VersioningSchemes.QUERY, { versionParameter: 'v' }),
      { path: '/car/{car_id}', query: { v: '2' } },
    ],
    [
      'the query, under the name that documents have for it',
      (app) => app.enableVersioning(VersioningSchemes.QUERY),
      { path: '/car/{car_id}', query: { version: '2' } },
    ],
    [
      'the host',
      (app) => app.enableVersioning(VersioningSchemes.HOST),
      { path: '/car/{car_id}', host: 'v2.localhost.test' },
    ],
  ]
  for (const [title, enable, expected] of written) {
    it(`has what names the version: ${title}`, async () => {
      const app = createCarsApp({ docs: DOCS })
      enable(app)
      const { version, routes } = await mapOf(app, '/docs/client.json?version=2')
      assert.equal(version, '2')
      assert.deepEqual(routes['car.getOne'], { method: 'GET', ...expected, errors: [404] })
      assert.equal(routes['echo.names']?.path, '/echo/names')
      assert.equal(Object.hasOwn(routes, 'car.onlyOne'), false)
    })
  }

  it('has what answers without a version, where none is asked for', async () => {
    const app = createCarsApp({ docs: DOCS })
    app.enableVersioning(VersioningSchemes.URL, { defaultVersion: null })
    const { version, routes } = await mapOf(app)
    assert.equal(version, null)
    assert.deepEqual(routes['car.status'], { method: 'GET', path: '/car/status' })
    assert.equal(Object.hasOwn(routes, 'car.getOne'), false)
  })

  it('is 404 with the list for a version that there is not', async () => {
    const app = createCarsApp({ docs: DOCS })
    app.enableVersioning(VersioningSchemes.QUERY)
    const response = await app.inject('/docs/client.json?version=9')
    assert.equal(response.statusCode, 404)
    const { code, versions } = response.json() as { code: string; versions: unknown }
    assert.deepEqual([code, versions], ['document_not_found', ['1', '2']])
  })

  it('is 404 where the host of the request can name no version', async () => {
    const app = createCarsApp({ docs: DOCS })
    app.enableVersioning(VersioningSchemes.HOST, { hostPattern: /^api-v(\d+)\./ })
    const response = await app.inject({ url: '/docs/client.json?version=2', host: 'api.example.com' })
    assert.equal(response.statusCode, 404, response.body)
    assert.match(response.body, /The host of the request cannot name a version/)
  })

  it('has an entity tag', async () => {
    const app = createCarsApp({ docs: DOCS })
    const { headers } = await app.inject('/docs/client.json')
    const again = await app.inject({
      url: '/docs/client.json',
      headers: { 'if-none-match': String(headers['etag']) },
    })
    assert.deepEqual([again.statusCode, again.body], [304, ''])
  })

  it('leaves out what documents leave out, and the documents themselves', async () => {
    const { routes } = await mapOf(createCarsApp({ docs: DOCS }))
    assert.deepEqual(
      Object.keys(routes).filter((name) => /hidden|docs|combined/.test(name)),
      [],
    )
  })

  it('is guarded as the documents are', async () => {
    const deny = defineGuard({ name: 'deny', canActivate: () => false })
    const guarded = await createCarsApp({ docs: DOCS, guards: [deny] }).inject('/docs/client.json')
    assert.equal(guarded.statusCode, 403)
    const open = await createCarsApp({ docs: { ...DOCS, public: true }, guards: [deny] }).inject(
      '/docs/client.json',
    )
    assert.equal(open.statusCode, 200)
  })

  it('is not there without documents', async () => {
    assert.equal((await createCarsApp().inject('/docs/client.json')).statusCode, 404)
  })
})

describe('a client finds the routes', () => {
  type Cars = ReturnType<typeof createCarsApp>
  const baseUrl = 'http://localhost'

  it('of an application in the same process, hidden ones included', async () => {
    const client = createClient<Cars>({ fetch: createCarsApp().fetch })
    assert.equal((await client.car.hidden()).data, 'hidden')
  })

  it('beside the documents, once and when the first is called', async () => {
    const asked: string[] = []
    const client = createClient<Cars>({ baseUrl, fetch: toFetch(createCarsApp({ docs: DOCS }), asked) })
    assert.equal(asked.length, 0)
    await Promise.all([client.ping(), client.ping(), client.car.list()])
    assert.deepEqual(
      asked.toSorted((a, b) => a.localeCompare(b)),
      [`${baseUrl}/car`, `${baseUrl}/docs/client.json`, `${baseUrl}/ping`, `${baseUrl}/ping`],
    )
  })

  it('again when it could not read them', async () => {
    const app = createCarsApp({ docs: DOCS })
    let isDown = true
    const client = createClient<Cars>({
      baseUrl,
      fetch: (url: string, init: RequestInit) =>
        isDown ? Promise.reject(new TypeError('fetch failed')) : toFetch(app)(url, init),
    })
    await assert.rejects(client.ping(), {
      message:
        'createClient: the routes could not be read from http://localhost/docs/client.json: fetch failed',
    })
    isDown = false
    assert.equal((await client.ping()).data, 'pong')
  })

  it('with the fix if the application serves no documents', async () => {
    const client = createClient<Cars>({ baseUrl, fetch: toFetch(createCarsApp()) })
    await assert.rejects(client.ping(), {
      message:
        'createClient: the routes could not be read from http://localhost/docs/client.json: Nothing is served at this path. Give createApp `docs: {}`, or createClient `routes`',
    })
  })

  it('with the headers of every request', async () => {
    const guard = defineGuard({
      name: 'bearer',
      canActivate: ({ request }) => request.header('authorization') === 'Bearer a',
    })
    const app = createCarsApp({ docs: DOCS, guards: [guard] })
    const client = createClient<Cars>({
      baseUrl,
      fetch: toFetch(app),
      headers: { authorization: 'Bearer a' },
    })
    assert.equal((await client.ping()).data, 'pong')
    await assert.rejects(createClient<Cars>({ baseUrl, fetch: toFetch(app) }).ping(), {
      message:
        /the routes could not be read from .*client\.json: .*\. Give createClient `headers`, or createClient `routes`$/,
    })
  })

  it('elsewhere without the headers of every request', async () => {
    const map = JSON.stringify(await mapOf(createCarsApp({ docs: DOCS })))
    const seen: unknown[] = []
    const client = createClient<Cars>({
      baseUrl,
      routes: 'https://files.example.com/routes.json',
      headers: { authorization: 'Bearer a' },
      fetch: (url: string, init: RequestInit) => {
        seen.push([new URL(url).host, new Headers(init.headers).get('authorization')])
        return Promise.resolve(new Response(map, { headers: { 'content-type': 'application/json' } }))
      },
    })
    await client.ping()
    assert.deepEqual(seen, [
      ['files.example.com', null],
      ['localhost', 'Bearer a'],
    ])
  })

  it('elsewhere, but not where requests go', async () => {
    const asked: string[] = []
    const map = {
      version: null,
      routes: { 'car.list': { method: 'GET', path: '/car', host: 'elsewhere.test' } },
    }
    const client = createClient<ReturnType<typeof createCarsApp>>({
      baseUrl: 'http://cars.test',
      routes: 'http://maps.test/map.json',
      fetch: async (url: string) => {
        asked.push(url)
        return Response.json(url.endsWith('.json') ? map : [])
      },
    })
    await Reflect.get(Reflect.get(client, 'car'), 'list')()
    assert.deepEqual(asked, ['http://maps.test/map.json', 'http://cars.test/car'])
  })

  it('only where it asks: not where it is sent on to', async () => {
    const moved = Object.defineProperty(Response.json({ version: null, routes: {} }), 'url', {
      value: 'http://elsewhere.test/docs/client.json',
    })
    const client = createClient<ReturnType<typeof createCarsApp>>({
      baseUrl: 'http://cars.test',
      fetch: async () => moved,
    })
    await assert.rejects(
      Reflect.get(Reflect.get(client, 'car'), 'list')(),
      /could not be read from http:\/\/cars\.test\/docs\/client\.json: the answer came from another origin/,
    )
  })

  it('in a route map that it is given, without asking', async () => {
    const map = await mapOf(createCarsApp({ docs: DOCS }))
    const asked: string[] = []
    const client = createClient<Cars>({ baseUrl, routes: map, fetch: toFetch(createCarsApp(), asked) })
    assert.equal((await client.ping()).data, 'pong')
    assert.deepEqual(asked, [`${baseUrl}/ping`])
  })

  for (const routes of [
    'maps/routes.json',
    `${baseUrl}/maps/routes.json`,
    new URL(`${baseUrl}/maps/routes.json`),
  ]) {
    it(`in a file, at ${typeof routes === 'string' ? routes : 'a URL'}`, async () => {
      const map = JSON.stringify(await mapOf(createCarsApp({ docs: DOCS })))
      const app = createCarsApp()
      const client = createClient<Cars>({
        baseUrl,
        routes,
        fetch: (url: string, init: RequestInit) =>
          url === `${baseUrl}/maps/routes.json`
            ? Promise.resolve(new Response(map, { headers: { 'content-type': 'application/json' } }))
            : toFetch(app)(url, init),
      })
      assert.equal((await client.ping()).data, 'pong')
    })
  }

  it('and says which versions there are where its own is unknown', async () => {
    const app = createCarsApp({ docs: DOCS })
    app.enableVersioning(VersioningSchemes.URL)
    const near = createClient<Cars, '2'>({ fetch: app.fetch, version: '9' as '2' })
    await assert.rejects(near.car.list(), {
      name: 'RangeError',
      message: 'There is no version "9"; there are 1, 2',
    })
    const far = createClient<Cars, '2'>({ baseUrl, fetch: toFetch(app), version: '9' as '2' })
    await assert.rejects(far.car.list(), (error: Error) => {
      assert.match(error.message, /client\.json\?version=9: There is no such version; there are 1, 2$/)
      return error.cause instanceof ProblemError && error.cause.code === 'document_not_found'
    })
  })

  const wrong: readonly (readonly [title: string, body: string, type: string])[] = [
    ['a page', '<html>', 'text/html'],
    ['another document', '{"openapi":"3.1.1"}', 'application/json'],
    ['malformed JSON', '{', 'application/json'],
    ['nothing', '', 'application/json'],
  ]
  for (const [title, body, type] of wrong) {
    it(`and rejects where they are something else: ${title}`, async () => {
      const client = createClient<Cars>({
        baseUrl,
        fetch: () => Promise.resolve(new Response(body, { headers: { 'content-type': type } })),
      })
      await assert.rejects(client.ping(), /client\.json/)
    })
  }
})

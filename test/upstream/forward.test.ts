import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { after, before, describe, it } from 'node:test'

import {
  bind,
  createApp,
  defineController,
  defineGuard,
  defineModule,
  defineRouter,
  VersioningSchemes,
} from 'octavo'
import type { App, AppOptions, Guard, InjectOptions, InjectResponse } from 'octavo'
import { defineVersionChange, defineVersions, operation } from 'octavo/changes'
import { z } from 'zod'

import { serve } from '../support/serve.ts'
import { carsOf, frontOf, garageAt, history, moduleOf, startServer } from './garage.ts'

/** The API of another team. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks).toString()
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://garage')
  response.setHeader('content-type', 'application/json')
  if (pathname === '/api/cars/7') response.end(JSON.stringify({ id: 7, label: 'Bee' }))
  else if (pathname === '/api/cars/8')
    response.writeHead(404, { 'content-type': 'application/problem+json' }).end('{"title":"No such car"}')
  else if (pathname === '/api/cars' && request.method === 'POST')
    response
      .writeHead(201, { location: '/api/cars/9', etag: '"one"' })
      .end(JSON.stringify({ id: 9, ...JSON.parse(body) }))
  else if (pathname === '/api/cars')
    response.end(JSON.stringify([{ id: 7, label: `size ${searchParams.get('size')}` }]))
  else if (pathname === '/api/echo')
    response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }))
  else response.writeHead(404).end('{"error":"nothing here"}')
}

/** A request as the API behind has received it. */
interface Echo {
  readonly method: string
  readonly url: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

describe('a route that forwards its requests', () => {
  let app: App
  let close: () => void

  before(async () => {
    const behind = await startServer((request, response) => void answer(request, response))
    close = behind.close
    app = frontOf(garageAt(behind.url, { prefix: '/api' }))
    await app.ready()
  })

  after(async () => {
    await app.close()
    close()
  })

  it('passes the bytes of the newest version', async () => {
    const response = await app.inject('/v2/cars/7')
    assert.deepEqual([response.statusCode, response.body], [200, '{"id":7,"label":"Bee"}'])
  })

  it('converts the responses of an older version', async () => {
    const response = await app.inject('/v1/cars/7')
    assert.deepEqual([response.statusCode, response.json()], [200, { id: 7, name: 'Bee' }])
  })

  it('converts queries of an older version, and keeps what no version declares', async () => {
    const list = await app.inject('/v1/cars?limit=5&other=1')
    assert.deepEqual(list.json(), [{ id: 7, name: 'size 5' }])
  })

  it('converts the body of an older version, and addresses of both', async () => {
    const older = await app.inject({ method: 'POST', url: '/v1/cars', body: { name: 'Ant' } })
    assert.deepEqual([older.statusCode, older.json()], [201, { id: 9, name: 'Ant' }])
    assert.equal(older.headers['location'], '/v1/cars/9')
    const newest = await app.inject({ method: 'POST', url: '/v2/cars', body: { label: 'Ant' } })
    assert.deepEqual([newest.statusCode, newest.json()], [201, { id: 9, label: 'Ant' }])
    assert.equal(newest.headers['location'], '/v2/cars/9')
  })

  it('passes errors of the API behind as they are', async () => {
    for (const version of ['v1', 'v2']) {
      const response = await app.inject(`/${version}/cars/8`)
      assert.deepEqual([response.statusCode, response.body], [404, '{"title":"No such car"}'])
    }
  })

  it('refuses input that an older version does not take', async () => {
    const response = await app.inject({ method: 'POST', url: '/v1/cars', body: { label: 'Ant' } })
    assert.equal(response.statusCode, 422)
  })

  it('stands beside routes with handlers, and passes what no route matches', async () => {
    assert.deepEqual((await app.inject('/v1/cars/here')).json(), { here: true })
    const other = await app.inject({
      method: 'PUT',
      url: '/v1/echo?a=1',
      body: 'text',
      headers: { 'x-a': 'b' },
    })
    const { method, url, body, headers }: Echo = JSON.parse(other.body)
    assert.deepEqual([method, url, body, headers['x-a']], ['PUT', '/api/echo?a=1', 'text', 'b'])
    assert.deepEqual((await app.inject('/v3x/none')).json(), { error: 'nothing here' })
    const refused = await app.inject({ method: 'DELETE', url: '/v2/cars/7' })
    assert.deepEqual([refused.statusCode, refused.body], [200, '{"id":7,"label":"Bee"}'])
  })
})

describe('a forwarded route of versions in a header', () => {
  it('passes no version that does not exist, which the API behind would answer with its newest one', async () => {
    let asked = 0
    const garage = garageAt('http://garage')
    const versioning = { scheme: VersioningSchemes.HEADER, headerParameter: 'x-version', history }
    const app = frontOf(garage, {
      versioning,
      overrides: [
        bind(garage, () => {
          asked++
          return Response.json({ id: 7, label: 'Bee' })
        }),
      ],
    })
    for (const url of ['/cars/7', '/else']) {
      const refused = await app.inject({ url, headers: { 'x-version': '9' } })
      assert.match(refused.body, /"code":"unsupported_version","requested":"9","supported":\["1","2"\]/)
      assert.deepEqual([refused.statusCode, refused.headers['vary']], [406, 'x-version'])
    }
    assert.equal(asked, 0)
    assert.equal((await app.inject({ url: '/else', headers: { 'x-version': '1' } })).statusCode, 200)
    assert.equal((await app.inject('/else')).statusCode, 200)
    await app.close()
  })

  it('has entity tags that end with their version, which the API behind never sees', async () => {
    const seen: (string | null)[] = []
    const garage = garageAt('http://garage')
    const fake = ({ headers }: Request): Response => {
      seen.push(headers.get('if-none-match'))
      return Response.json({ id: 7, label: 'Bee' }, { headers: { etag: 'W/"one"' } })
    }
    const app = createApp(moduleOf(garage), {
      logger: false,
      versioning: { scheme: VersioningSchemes.HEADER, headerParameter: 'x-version', history },
      overrides: [bind(garage, fake)],
    })
    const ask = async (version: string, tag: string) =>
      app.inject({ url: '/cars/7', headers: { 'x-version': version, 'if-none-match': tag } })
    assert.equal((await ask('2', 'W/"one"')).headers['etag'], 'W/"one"')
    const older = await ask('1', 'W/"one;v=1"')
    assert.deepEqual(older.json(), { id: 7, name: 'Bee' })
    assert.equal(older.headers['etag'], 'W/"one;v=1"')
    assert.deepEqual(seen, ['W/"one"', 'W/"one"'])
    await app.close()
  })
})

describe('a forwarded route of an older version', () => {
  it('has the errors and whole bodies that operations describe', async () => {
    const garage = garageAt('http://garage')
    const Cars = z.array(z.object({ id: z.int() }))
    const Page = z.object({ items: Cars })
    const route = { method: 'GET', name: 'list', response: Page, forward: garage } as const
    const Two = defineVersionChange({
      version: '2',
      title: 'Pages',
      change: [
        operation({
          route: 'cars.list',
          response: { body: { 200: { now: Page, was: Cars, down: ({ items }) => items } } },
          errors: { no_cars: { was: 'empty', status: 404 } },
        }),
      ],
    })
    let isEmpty = false
    const app = serve(defineController({ name: 'CarsController', prefix: '/cars', routes: [route] }), {
      versioning: {
        scheme: VersioningSchemes.URL,
        history: defineVersions({ versions: ['2', '1'], models: {}, changes: [Two] }),
      },
      overrides: [
        bind(garage, () =>
          isEmpty
            ? Response.json({ code: 'no_cars' }, { status: 409 })
            : Response.json({ items: [{ id: 7 }] }),
        ),
      ],
    })
    assert.deepEqual((await app.inject('/v1/cars')).json(), [{ id: 7 }])
    assert.deepEqual((await app.inject('/v2/cars')).json(), { items: [{ id: 7 }] })
    isEmpty = true
    const older = await app.inject('/v1/cars')
    assert.deepEqual([older.statusCode, older.json()], [404, { code: 'empty' }])
    const newest = await app.inject('/v2/cars')
    assert.deepEqual([newest.statusCode, newest.json()], [409, { code: 'no_cars' }])
    await app.close()
  })
})

describe('a mounted upstream beside routes', () => {
  const garage = garageAt('http://garage')
  const Never = defineGuard({ name: 'Never', canActivate: () => false })
  const asked: string[] = []
  const byUrl: Partial<AppOptions> = { versioning: { scheme: VersioningSchemes.URL, history } }
  const front = (
    routers: readonly ReturnType<typeof defineRouter>[],
    options: Partial<AppOptions> = byUrl,
    guards: readonly Guard[] = [Never],
  ): App =>
    createApp(defineModule({ controllers: [{ ...carsOf(garage), guards }], routers }), {
      logger: false,
      overrides: [
        bind(garage, (request: Request) => {
          asked.push(new URL(request.url).pathname)
          return new Response('behind')
        }),
      ],
      ...options,
    })

  const facts = ({ statusCode, body, headers }: InjectResponse): readonly unknown[] => [
    statusCode,
    body,
    headers['vary'],
  ]

  it('answers no path and method that a route answers in some version', async () => {
    const later = defineController({
      prefix: '/later',
      routes: [{ method: 'GET', version: '2', name: 'later', guards: [Never], forward: garage }],
    })
    const module = defineModule({ controllers: [carsOf(garage), later] })
    const mounting = { ...module, routers: [defineRouter({ mount: garage, guards: [] })] }
    const schemes = [
      { scheme: VersioningSchemes.URL },
      { scheme: VersioningSchemes.HEADER, headerParameter: 'x-version' },
      { scheme: VersioningSchemes.QUERY, defaultVersion: '1' },
    ] as const
    const paths = ['/cars', '/cars/7', '/cars/here', '/later']
    const inUrl = ['/v1/later', '/v2/later', '/v1/cars/7', '/v9/cars', '/v2/cars']
    const toRequests = (path: string): readonly InjectOptions[] =>
      ['', '1', '2', '9', 'none'].flatMap((version) => {
        const url = `${path}?a${version === '' ? '' : `&version=${version}`}`
        const request = { url, headers: { 'x-version': version } }
        const own = path.endsWith('/cars') ? [{ ...request, method: 'POST', json: {} }] : []
        return [request, { ...request, method: 'HEAD' }, ...own]
      })
    for (const scheme of schemes) {
      for (const prefix of ['', '/api']) {
        const options = { logger: false, prefix, versioning: { ...scheme, history } } as const
        const overrides = [bind(garage, () => new Response('behind'))]
        const plain = createApp(module, { ...options, overrides })
        const mounted = createApp(mounting, { ...options, overrides })
        const all = scheme.scheme === VersioningSchemes.URL ? [...paths, ...inUrl] : paths
        for (const request of all.flatMap((path) => toRequests(prefix + path))) {
          const [wanted, got] = await Promise.all([plain.inject(request), mounted.inject(request)])
          assert.deepEqual(facts(got), facts(wanted), JSON.stringify(request))
        }
        await Promise.all([plain.close(), mounted.close()])
      }
    }
  })

  it('answers other methods, and paths of no route', async () => {
    const app = front([defineRouter({ mount: garage, guards: [] })])
    asked.length = 0
    const urls = ['/v1/cars/x', '/v2/CARS/7', '/other', '/cars/7']
    const statuses = await Promise.all(
      urls.map(async (url) => (await app.inject({ method: 'GET', url })).statusCode),
    )
    assert.deepEqual(statuses, [200, 200, 200, 404])
    assert.equal((await app.inject({ method: 'DELETE', url: '/v2/cars/7' })).statusCode, 200)
    assert.deepEqual(asked, ['/cars/x', '/CARS/7', '/other', '/cars/7'])
    await app.close()
  })

  it('is warned of if it lacks their guards, unless its router says which it has', async () => {
    const warned = async (...given: Parameters<typeof front>): Promise<readonly string[]> => {
      const messages: string[] = []
      const warn = (details: unknown): void => void messages.push(String(Object(details).message))
      const ignore = (): void => undefined
      const [routers, options = byUrl, guards] = given
      const logger = { debug: ignore, info: ignore, error: ignore, warn }
      const app = front(routers, { ...options, logger }, guards)
      await app.ready()
      await app.close()
      return messages
    }
    const mount = defineRouter({ mount: garage })
    const message =
      'it passes other spellings of guarded paths, such as upper case, ' +
      'without the guards of cars.list: GET /cars, cars.create: POST /cars, cars.getOne: GET /cars/{id:int}'
    const [first = '', ...more] = await warned([mount])
    assert.deepEqual([first.startsWith(message), more], [true, []], first)
    assert.equal((await warned([mount], {})).length, 1)
    assert.deepEqual(
      await Promise.all([
        warned([defineRouter({ mount: garage, guards: [] })]),
        warned([defineRouter({ mount: garage, guards: [Never] })]),
        warned([defineRouter({ name: 'all', prefix: '/', guards: [], routers: [mount] })]),
        warned([mount], { ...byUrl, guards: [Never] }),
        warned([defineRouter({ prefix: '/other', mount: garage })]),
        warned([mount], byUrl, []),
        warned([]),
      ]),
      Array.from({ length: 7 }, () => []),
    )
  })
})

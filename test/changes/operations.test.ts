import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  createApp,
  defineController,
  defineModule,
  defineRouter,
  notFound,
  reply,
  VersioningSchemes,
} from 'octavo'
import type { App } from 'octavo'
import { absent, defineVersionChange, defineVersions, model, operation, reshape } from 'octavo/changes'
import type { OperationOptions } from 'octavo/changes'
import { z } from 'zod'

const CarController = defineController({
  prefix: '/car',
  routes: [
    {
      method: 'GET',
      path: '/{id}',
      name: 'get',
      input: {
        query: { sort: z.string().optional(), from: z.string().optional(), to: z.string().optional() },
        headers: { 'X-Trace': z.string().optional() },
      },
      handler: ({ params, query, headers }) => {
        if (params.id === '0') throw notFound('No such car')
        return reply(200, { query, headers }, { headers: { 'x-total': '7', 'x-new': '1' } })
      },
    },
  ],
})

type Given = Omit<OperationOptions, 'route'>

/** An application of three versions, with an operation between each two, newer first. */
function open(newer: Given, older: Given = {}): App {
  const partsOf = (given: Given) =>
    Object.keys(given).length === 0 ? [] : [operation({ route: 'car.get', ...given })]
  const changes = [
    defineVersionChange({ version: '3', title: 'Newer', change: partsOf(newer) }),
    defineVersionChange({ version: '2', title: 'Older', change: partsOf(older) }),
  ]
  return createApp(defineModule({ controllers: [CarController] }), {
    logger: false,
    docs: {},
    versioning: {
      scheme: VersioningSchemes.URL,
      history: defineVersions({ versions: ['3', '2', '1'], models: {}, changes }),
    },
  })
}

async function queryOf(app: App, url: string): Promise<unknown> {
  const answer = await app.inject(url)
  return Object(answer.json()).query
}

describe('operations in a row', () => {
  it('name a status by its newest number', async () => {
    const app = open(
      { response: { status: { 404: { was: 410 } } } },
      { response: { status: { 404: { was: 400 }, 410: { was: 500 } } } },
    )
    const statuses = await Promise.all(
      ['3', '2', '1'].map(async (version) => (await app.inject(`/v${version}/car/0`)).statusCode),
    )
    assert.deepEqual(statuses, [404, 410, 400])
  })

  it('name the status of a plain result by the status that the route has', async () => {
    const app = open({ status: { was: 201 } }, { status: { was: 202 } })
    const statuses = await Promise.all(
      ['3', '2', '1'].map(async (version) => (await app.inject(`/v${version}/car/1`)).statusCode),
    )
    assert.deepEqual(statuses, [200, 201, 202])
  })

  it('name response headers by their newest name', async () => {
    const app = open(
      { response: { headers: { 'X-Total': { was: 'x-count' }, 'x-new': { was: absent } } } },
      { response: { headers: { 'x-total': { was: 'X-Sum' }, 'x-count': { was: 'x-wrong' } } } },
    )
    const names = await Promise.all(
      ['3', '2', '1'].map(async (version) => {
        const { headers } = await app.inject(`/v${version}/car/1`)
        return Object.keys(headers).filter((name) => /^x-(total|count|sum|new|wrong)/.test(name))
      }),
    )
    assert.deepEqual(names, [['x-total', 'x-new'], ['x-count'], ['x-sum']])
  })

  it('name parameters by their newest name', async () => {
    const app = open({ query: { sort: { was: 'order' } } }, { query: { sort: { was: 'by' } } })
    assert.deepEqual(await queryOf(app, '/v3/car/1?sort=a'), { sort: 'a' })
    assert.deepEqual(await queryOf(app, '/v2/car/1?order=a&by=b'), { sort: 'a' })
    assert.deepEqual(await queryOf(app, '/v1/car/1?by=a&sort=b'), { sort: 'a' })
  })

  it('call functions oldest first', async () => {
    const app = open(
      { query: { sort: { was: z.string(), up: (old) => `${String(old)}3` } } },
      { query: { sort: { was: z.string(), up: (old) => `${String(old)}2` } } },
    )
    assert.deepEqual(await queryOf(app, '/v1/car/1?sort=a'), { sort: 'a23' })
  })
})

describe('parameters of earlier versions', () => {
  it('can have changed names with each other', async () => {
    const app = open({ query: { from: { was: 'to' }, to: { was: 'from' } } })
    assert.deepEqual(await queryOf(app, '/v2/car/1?from=a&to=b'), { from: 'b', to: 'a' })
    assert.deepEqual(await queryOf(app, '/v2/car/1?from=a'), { to: 'a' })
  })

  it('did not exist, or existed only then', async () => {
    const app = open({ query: { sort: { was: absent, up: () => 'id' }, page: { was: z.string() } } })
    assert.deepEqual(await queryOf(app, '/v2/car/1?page=7'), { sort: 'id' })
    assert.equal((await app.inject('/v2/car/1')).statusCode, 422)
  })

  it('are headers in any case', async () => {
    const app = open({ headers: { 'x-trace': { was: 'x-id' } } })
    const answer = await app.inject({ url: '/v2/car/1', headers: { 'x-id': 'a' } })
    assert.deepEqual(Object(answer.json()).headers, { 'X-Trace': 'a' })
  })
})

describe('parameters that the route does not declare', () => {
  const messageOf = async (newer: Given, older?: Given): Promise<string> => {
    try {
      await open(newer, older).ready()
      return 'none'
    } catch (error) {
      return String(error)
    }
  }

  for (const [given, message] of [
    [{ query: { srt: { was: 'x' } } }, /names srt, which car\.get does not declare\. Did you mean "sort"\? /],
    [{ query: { page: { was: absent } } }, /operation\.query names page, which car\.get does not declare/],
    [{ headers: { 'x-other': { was: 'x' } } }, /operation\.headers names x-other, .* Use one of X-Trace/],
    [{ cookies: { theme: { was: 'x' } } }, /operation\.cookies names theme, .* Declare it in input\.cookies/],
  ] as const)
    it(`are reported: ${JSON.stringify(given)}`, async () => {
      assert.match(await messageOf(given), /change "newer" \(.*operations\.test\.ts:\d+\)/)
      assert.match(await messageOf(given), message)
    })

  it('are reported under a name that a newer change gave', async () => {
    const message = await messageOf(
      { query: { sort: { was: 'order' } } },
      { query: { order: { was: 'by' } } },
    )
    assert.match(message, /change "older".*names order, which car\.get does not declare/)
  })

  it('may have existed only in a version between', async () => {
    assert.equal(
      await messageOf({ query: { page: { was: z.string().optional() } } }, { query: { page: { was: 'p' } } }),
      'none',
    )
  })
})

it('two headers of a response may have swapped their names', async () => {
  const app = open({ response: { headers: { 'x-total': { was: 'x-new' }, 'x-new': { was: 'x-total' } } } })
  const { headers } = await app.inject('/v2/car/7')
  assert.deepEqual([headers['x-total'], headers['x-new']], ['1', '7'])
})

it('functions of a change see what a default of the newest schema completes, under every status', async () => {
  const Car = model('Car', { year: z.number().default(7) })
  const texts = defineVersionChange({
    version: '2',
    title: 'Years are numbers',
    change: [
      reshape({ of: Car, fields: { year: { was: z.string(), up: Number, down: (year) => `${year}` } } }),
    ],
  })
  const history = defineVersions({ versions: ['2', '1'], models: { Car }, changes: [texts] })
  const routes = [{ method: 'GET', response: Car, handler: () => reply(202, {}) }] as const
  const app = createApp(defineModule({ controllers: [defineController({ prefix: '/car', routes })] }), {
    logger: false,
    versioning: { scheme: VersioningSchemes.URL, history },
  })
  const answer = await app.inject('/v1/car')
  assert.deepEqual([answer.statusCode, answer.json()], [202, { year: '7' }])
})

describe('headers of responses', () => {
  const headersOf = async (app: App, version: string, url = '/car/1'): Promise<Record<string, unknown>> => {
    const { headers } = await app.inject(`/v${version}${url}`)
    return Object.fromEntries(
      Object.entries(headers).filter(([name]) => /^x-(total|count|sum|new|page)/.test(name)),
    )
  }

  it('are converted by down, newest change first, under the name that they had', async () => {
    const app = open(
      { response: { headers: { 'X-Total': { was: z.string(), down: (now) => `${String(now)} cars` } } } },
      {
        response: {
          headers: {
            'x-total': { was: 'x-count', down: (now, { request }) => [now, request?.path].join(' at ') },
            'x-page': { was: z.number(), down: () => 1 },
          },
        },
      },
    )
    assert.deepEqual(await headersOf(app, '3'), { 'x-total': '7', 'x-new': '1' })
    assert.deepEqual(await headersOf(app, '2'), { 'x-total': '7 cars', 'x-new': '1' })
    assert.deepEqual(await headersOf(app, '1'), {
      'x-count': '7 cars at /v1/car/1',
      'x-new': '1',
      'x-page': '1',
    })
  })

  it('that down leaves out are not sent', async () => {
    const app = open({ response: { headers: { 'x-total': { was: z.string(), down: () => undefined } } } })
    assert.deepEqual(await headersOf(app, '2'), { 'x-new': '1' })
  })

  it('that cannot be turned are a failure, also of errors', async () => {
    const down = (): never => {
      throw new Error('no')
    }
    const app = open({ response: { headers: { 'x-total': { was: z.string(), down } } } })
    for (const url of ['/v2/car/1', '/v2/car/0']) {
      const answer = await app.inject(url)
      assert.deepEqual([answer.statusCode, Object(answer.json()).code], [500, 'migration_failed'], url)
    }
    assert.equal((await app.inject('/v3/car/1')).statusCode, 200)
  })

  it('are documented by the schema that they had, as fields of queries are', async () => {
    for (const [was, schema] of [
      [z.number().int(), { type: 'integer' }],
      [z.int(), { type: 'integer' }],
      [z.date(), { type: 'string', format: 'date-time' }],
      [z.string().meta({ id: 'Total' }), { $ref: '#/components/schemas/Total' }],
    ] as const) {
      const down = (now: unknown): unknown => now
      const app = open({
        response: { headers: { 'X-Total': { was, down }, 'x-new': { was: absent } } },
        query: { sort: { was: was.optional(), up: String } },
      })
      await app.ready()
      const operationIn = (version: string): object =>
        Object(app.openapi({ version }).paths[`/v${version}/car/{id}`]?.['get'])
      const headersIn = (version: string): object =>
        Object(Object(operationIn(version))['responses']['2XX']['headers'])
      assert.deepEqual(Object(headersIn('2'))['X-Total'], { schema })
      const parameters: readonly unknown[] = Object(operationIn('2'))['parameters']
      assert.deepEqual(Object(parameters.find((each) => Object(each)['name'] === 'sort'))['schema'], schema)
      assert.equal(Object(headersIn('3'))['X-Total'], undefined)
    }
  })
})

describe('functions of operations that nothing calls', () => {
  const refuse = (given: object): RegExp | string => {
    try {
      open(given)
      return 'none'
    } catch (error) {
      return String(error)
    }
  }
  for (const [given, message] of [
    [{ query: { sort: { was: z.string(), down: String } } }, /operation\.query\.sort\.down has no effect/],
    [
      { headers: { 'x-trace': { was: z.string(), down: String } } },
      /operation\.headers\.x-trace\.down has no effect/,
    ],
    [
      { response: { headers: { 'x-total': { was: z.string(), up: String } } } },
      /operation\.response\.headers\.x-total\.up has no effect/,
    ],
    [
      { response: { headers: { 'x-total': { was: absent, down: String } } } },
      /operation\.response\.headers\.x-total\.down has no effect/,
    ],
  ] as const)
    it(`are reported: ${String(message)}`, () => assert.match(String(refuse(given)), message))

  it('are typed', () => {
    // @ts-expect-error values of requests are turned up alone
    operation({ route: 'car.get', query: { sort: { was: z.string(), down: String } } })
    // @ts-expect-error headers of responses are turned down alone
    operation({ route: 'car.get', response: { headers: { 'x-total': { was: z.string(), up: String } } } })
  })
})

describe('an operation of all routes of a controller', () => {
  const WheelRouter = defineRouter({
    prefix: '/wheel',
    routes: [{ method: 'GET', path: '/', name: 'list', handler: () => [] }],
  })
  const BikeRouter = defineRouter({
    prefix: '/bike',
    routers: [WheelRouter],
    routes: [
      { method: 'GET', path: '/', name: 'list', handler: () => [] },
      {
        method: 'GET',
        path: '/{id}',
        name: 'get',
        handler: (_, context) => {
          if (context.request.query['link'] !== undefined) return context.urlFor('bike.wheel.list')
          throw notFound('No such bike')
        },
      },
    ],
  })
  const serve = (given: OperationOptions): App =>
    createApp(defineModule({ routers: [BikeRouter], controllers: [CarController] }), {
      logger: false,
      prefix: '/api',
      versioning: {
        scheme: VersioningSchemes.URL,
        history: defineVersions({
          versions: ['2', '1'],
          models: {},
          changes: [defineVersionChange({ version: '2', title: 'Bikes', change: [operation(given)] })],
        }),
      },
    })
  const statusOf = async (app: App, url: string): Promise<number> => (await app.inject(url)).statusCode

  it('renames its prefix', async () => {
    const app = serve({ route: 'bike.*', path: { now: '/bike', was: '/cycle' } })
    for (const [url, status] of [
      ['/api/v2/bike', 200],
      ['/api/v2/bike/wheel', 200],
      ['/api/v2/cycle', 404],
      ['/api/v1/cycle', 200],
      ['/api/v1/cycle/wheel', 200],
      ['/api/v1/bike', 404],
      ['/api/v1/car/1', 200],
    ] as const)
      assert.equal(await statusOf(app, url), status, url)
    const links = ['/api/v2/bike/7?link=1', '/api/v1/cycle/7?link=1'].map(async (url) =>
      (await app.inject(url)).json(),
    )
    assert.deepEqual(await Promise.all(links), ['/api/v2/bike/wheel/', '/api/v1/cycle/wheel/'])
  })

  it('changes a status of all of them', async () => {
    const app = serve({ route: 'bike.*', response: { status: { 404: { was: 410 } } } })
    assert.equal(await statusOf(app, '/api/v1/bike/7'), 410)
    assert.equal(await statusOf(app, '/api/v1/car/0'), 404)
  })

  for (const [title, given, message] of [
    [
      'has to exist',
      { route: 'boat.*', status: { was: 202 } },
      /names the route boat\.\*, which does not exist/,
    ],
    [
      'says which part of the path it is',
      { route: 'bike.*', path: { was: '/cycle' } },
      /path\.now is missing/,
    ],
    [
      'is what paths begin with',
      { route: 'bike.*', path: { now: '/bik', was: '/cycle' } },
      /does not begin with "\/bik"/,
    ],
  ] as const)
    it(title, async () => {
      await assert.rejects(async () => serve(given).ready(), message)
    })
})

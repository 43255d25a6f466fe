import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, notFound, reply, VersioningSchemes } from 'octavo'
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
  const changes = [
    defineVersionChange({
      version: '3',
      title: 'Newer',
      change: [operation({ route: 'car.get', ...newer })],
    }),
    defineVersionChange({
      version: '2',
      title: 'Older',
      change: [operation({ route: 'car.get', ...older })],
    }),
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

describe('two operations in a row', () => {
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
    [{ query: { srt: { was: 'x' } } }, /names srt, which car\.get does not declare; did you mean "sort"\? /],
    [{ query: { page: { was: absent } } }, /operation\.query names page, which car\.get does not declare/],
    [{ headers: { 'x-other': { was: 'x' } } }, /operation\.headers names x-other, .* use one of X-Trace/],
    [{ cookies: { theme: { was: 'x' } } }, /operation\.cookies names theme, .* declare it in input\.cookies/],
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

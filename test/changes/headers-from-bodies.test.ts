import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, describe, it } from 'node:test'

import { createApp, defineController, defineModule, notFound, reply, VersioningSchemes } from 'octavo'
import { defineVersionChange, defineVersions, model, operation, reshape } from 'octavo/changes'
import { defineUpstream } from 'octavo/upstream'
import { z } from 'zod'

const Car = model('Car', { brand: z.string() })
const Cars = z.array(Car)
const Page = z.object({ items: Cars, total: z.int() })
const Trace = z.object({ ok: z.boolean() })
const pages = defineVersionChange({
  version: '2',
  title: 'Lists have their total in the body',
  change: [
    operation({
      route: 'car.list',
      response: {
        headers: {
          'x-total-count': {
            was: z.string(),
            down: (_now, { result }) => result && String(Page.parse(result.body).total),
          },
        },
        body: { 200: { now: Page, was: Cars, down: ({ items }) => items } },
      },
    }),
    operation({
      route: 'car.check',
      response: {
        headers: { 'x-trace': { was: z.string().optional(), down: () => undefined } },
        body: {
          200: {
            now: Trace,
            was: Trace.extend({ trace: z.string() }),
            down: (now, { result }) => ({ ...now, trace: String(result?.headers['x-trace']) }),
          },
        },
      },
    }),
    reshape({ of: Car, fields: { brand: { was: 'make' } } }),
  ],
})
const history = defineVersions({ versions: ['2', '1'], models: { Car }, changes: [pages] })
const page = { items: [{ brand: 'Fiat' }, { brand: 'Ford' }], total: 7 }

const cars = defineController({
  name: 'car',
  prefix: '/cars',
  routes: [
    {
      method: 'GET',
      path: '/',
      name: 'list',
      input: { query: { none: z.stringbool().optional() } },
      response: Page,
      handler: ({ query }) => {
        if (query.none === true) throw notFound('none')
        return page
      },
    },
    {
      method: 'GET',
      path: '/check',
      name: 'check',
      response: Trace,
      handler: () => reply(200, { ok: true }, { headers: { 'x-trace': 'abc' } }),
    },
  ],
})

const versioning = { scheme: VersioningSchemes.URL, history } as const

describe('a header that is a member of the body today', () => {
  const app = createApp(defineModule({ controllers: [cars] }), { logger: false, versioning })
  after(() => app.close())

  it('is made from the newest body, over sockets and for HEAD too', async () => {
    const older = await app.inject('/v1/cars')
    assert.equal(older.body, '[{"make":"Fiat"},{"make":"Ford"}]')
    assert.equal(older.headers['x-total-count'], '7')
    const newest = await app.inject('/v2/cars')
    assert.deepEqual([newest.json(), newest.headers['x-total-count']], [page, undefined])
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    for (const method of ['GET', 'HEAD'])
      assert.equal((await fetch(`${origin}/v1/cars`, { method })).headers.get('x-total-count'), '7')
  })

  it('is absent from errors, and in documents', async () => {
    const failed = await app.inject('/v1/cars?none=true')
    assert.deepEqual([failed.statusCode, failed.headers['x-total-count']], [404, undefined])
    await app.ready()
    assert.match(JSON.stringify(app.openapi({ version: '1' })), /"x-total-count":\{"schema"/)
    assert.doesNotMatch(JSON.stringify(app.openapi({ version: '2' })), /x-total-count/)
  })

  it('was in the body, if it is a header today', async () => {
    const older = await app.inject('/v1/cars/check')
    assert.equal(older.body, '{"ok":true,"trace":"abc"}')
    assert.equal(older.headers['x-trace'], undefined)
    const newest = await app.inject('/v2/cars/check')
    assert.deepEqual([newest.body, newest.headers['x-trace']], ['{"ok":true}', 'abc'])
  })

  it('is made from the body of an API behind', async () => {
    const behind = createServer((request, response) => {
      response.setHeader('content-type', 'application/json').setHeader('x-trace', 'abc')
      response.end(JSON.stringify(request.url === '/cars' ? page : { ok: true }))
    }).listen(0, '127.0.0.1')
    await once(behind, 'listening')
    const garage = defineUpstream({
      name: 'garage',
      url: `http://127.0.0.1:${Object(behind.address()).port}`,
    })
    const routes = [
      { method: 'GET', path: '/', name: 'list', response: Page, forward: garage },
      { method: 'GET', path: '/check', name: 'check', response: Trace, forward: garage },
    ] as const
    const forwarding = createApp(
      defineModule({ controllers: [defineController({ name: 'car', prefix: '/cars', routes })] }),
      { logger: false, versioning },
    )
    after(async () => {
      await forwarding.close()
      behind.close()
    })
    const list = await forwarding.inject('/v1/cars')
    assert.deepEqual([list.body, list.headers['x-total-count']], ['[{"make":"Fiat"},{"make":"Ford"}]', '7'])
    assert.equal((await forwarding.inject('/v1/cars/check')).body, '{"ok":true,"trace":"abc"}')
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineController, defineGuard, DefinitionError, reply, VersioningSchemes } from 'octavo'
import type { App } from 'octavo'
import {
  before,
  defineVersionChange,
  defineVersions,
  derive,
  model,
  operation,
  reshape,
} from 'octavo/changes'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

const Part = model('StrugglePart', { label: z.string() })
const Car = model('StruggleCar', {
  id: z.string(),
  price: z.number(),
  seats: z.number().default(5),
  parts: z.array(Part),
})
const NewCar = derive(Car, (car) => car.omit({ id: true }))
const Missing = z.object({ code: z.string(), instead: Car })

/** Prices were whole numbers of cents before, and text before that: two changes of one version. */
const cents = defineVersionChange({
  version: '9',
  title: 'Prices have a fraction',
  change: [
    reshape({
      of: Car,
      fields: { price: { was: z.int(), up: (old) => old / 100, down: (now) => Math.round(now * 100) } },
    }),
  ],
})
const numbers = defineVersionChange({
  version: '9',
  title: 'Prices are numbers',
  change: [
    reshape({
      of: before(cents, Car),
      fields: { price: { was: z.string(), up: (old) => Number(old), down: (now) => `${now}` } },
    }),
  ],
})
const labels = defineVersionChange({
  version: '10',
  title: 'Parts have labels',
  change: [
    reshape({ of: Part, fields: { label: { was: 'name' } } }),
    operation({ route: 'car.create', path: { was: '/vehicle' } }),
    operation({ route: 'car.get', response: { status: { 404: { was: 400 } } } }),
  ],
})
const history = defineVersions({
  versions: ['10', '9', '8'],
  models: { Car, Part },
  changes: [labels, cents, numbers],
})

const ford = { id: '7', price: 10.5, seats: 4, parts: [{ label: 'door' }] }
const calls = { guards: 0, handlers: 0 }
const seen: unknown[] = []

const count = defineGuard({
  name: 'count',
  canActivate: () => {
    calls.guards++
    return true
  },
})

const CarController = defineController({
  prefix: '/car',
  routes: [
    {
      method: 'POST',
      name: 'create',
      status: 200,
      input: { body: NewCar },
      response: Car,
      guards: [count],
      handler: ({ body }) => {
        calls.handlers++
        seen.push(body)
        return { ...body, id: '7' }
      },
    },
    {
      method: 'GET',
      path: '/{id}',
      name: 'get',
      response: { 200: Car, 404: Missing },
      handler: ({ params }) => (params.id === '7' ? ford : reply(404, { code: 'gone', instead: ford })),
    },
    {
      method: 'GET',
      path: '/all/shapes',
      name: 'shapes',
      response: z.object({
        list: z.array(Car),
        record: z.record(z.string(), Part),
        tuple: z.tuple([Part, z.string()]),
        optional: z.object({ part: Part.nullable() }).optional(),
      }),
      handler: () => ({
        list: [ford],
        record: { a: { label: 'a' } },
        tuple: [{ label: 'b' }, 'b'] as [{ label: string }, string],
        optional: { part: { label: 'c' } },
      }),
    },
  ],
})
const app = serve(CarController, { versioning: { scheme: VersioningSchemes.URL, history }, docs: {} })

async function get(url: string): Promise<{ readonly status: number; readonly body: unknown }> {
  const answer = await app.inject(url)
  return { status: answer.statusCode, body: answer.json() }
}

describe('mistakes that are easily made in changes', () => {
  it('reaches models in lists, records, tuples and other objects', async () => {
    const { body } = await get('/v8/car/all/shapes')
    assert.deepEqual(body, {
      list: [{ id: '7', price: '1050', seats: 4, parts: [{ name: 'door' }] }],
      record: { a: { name: 'a' } },
      tuple: [{ name: 'b' }, 'b'],
      optional: { part: { name: 'c' } },
    })
  })

  it('takes one change for requests, results, documents and messages', async () => {
    const json = { price: '1050', seats: 4, parts: [{ name: 'door' }] }
    const made = await app.inject({ method: 'POST', url: '/v8/vehicle', json })
    assert.deepEqual(made.json(), { ...json, id: '7' })
    assert.deepEqual(history.migrate(Car, ford, { to: '8' }), { ...json, id: '7' })
    await app.ready()
    const { properties } = Object(app.openapi({ version: '8' }).components?.schemas?.['StrugglePart'])
    assert.deepEqual(Object.keys(properties), ['name'])
  })

  it('runs guards and handlers once', async () => {
    Object.assign(calls, { guards: 0, handlers: 0 })
    const json = { price: '1050', seats: 4, parts: [] }
    assert.equal((await app.inject({ method: 'POST', url: '/v8/vehicle', json })).statusCode, 200)
    assert.deepEqual(calls, { guards: 1, handlers: 1 })
  })

  it('keeps defaults', async () => {
    seen.length = 0
    const json = { price: '1050', parts: [] }
    const made = await app.inject({ method: 'POST', url: '/v8/vehicle', json })
    assert.deepEqual(made.json(), { ...json, seats: 5, id: '7' })
    assert.deepEqual(seen, [{ price: 10.5, seats: 5, parts: [] }])
  })

  it('compares versions by their place, not as text', async () => {
    assert.deepEqual((await get('/v10/car/7')).body, ford)
    assert.deepEqual((await get('/v9/car/7')).body, { ...ford, parts: [{ name: 'door' }] })
    assert.equal(history.isSince(labels, '9'), false)
    assert.equal(history.isSince(labels, '10'), true)
  })

  it('applies two changes of one version in opposite orders', () => {
    const old = { id: '7', price: '1050', seats: 4, parts: [{ name: 'door' }] }
    assert.deepEqual(history.migrate(Car, old, { from: '8' }), ford)
    assert.deepEqual(history.migrate(Car, ford, { to: '8' }), old)
  })

  it('turns errors, their status and the names in them', async () => {
    const instead = { id: '7', price: '1050', seats: 4, parts: [{ name: 'door' }] }
    assert.deepEqual(await get('/v8/car/1'), { status: 400, body: { code: 'gone', instead } })
    const json = { price: 7, parts: [{ label: 'door' }] }
    const refused = await app.inject({ method: 'POST', url: '/v8/vehicle', json })
    assert.equal(refused.statusCode, 422)
    assert.deepEqual(
      Object(refused.json()).errors.map(({ path }: { path: unknown }) => path),
      [['price'], ['parts', 0, 'name']],
    )
  })

  it('migrates what is sent to a path that was renamed', async () => {
    const json = { price: 1050, seats: 4, parts: [{ label: 'door' }] }
    assert.equal((await app.inject({ method: 'POST', url: '/v10/vehicle', json })).statusCode, 404)
    assert.equal((await app.inject({ method: 'POST', url: '/v9/car', json })).statusCode, 404)
    const older = { price: 10.5, seats: 4, parts: [{ name: 'door' }] }
    const made = await app.inject({ method: 'POST', url: '/v9/vehicle', json: older })
    assert.deepEqual(made.json(), { ...older, id: '7' })
  })

  it('refuses a change that applies to nothing', async () => {
    const Unused = model('StruggleUnused', { id: z.string() })
    const change = defineVersionChange({
      version: '2',
      title: 'Ids are called so',
      change: [reshape({ of: Unused, fields: { id: { was: 'key' } } })],
    })
    const unused = (): App =>
      serve(CarController, {
        versioning: {
          scheme: VersioningSchemes.URL,
          history: defineVersions({ versions: ['2', '1'], models: { Unused }, changes: [change] }),
        },
      })
    await assert.rejects(
      async () => unused().ready(),
      (error) => error instanceof DefinitionError && error.errors[0]?.code === 'unused_change',
    )
  })
})

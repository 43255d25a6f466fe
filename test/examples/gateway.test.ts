import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { bind, defineController } from 'octavo'
import type { App } from 'octavo'
import { z } from 'zod'

import { createGateway } from '../../examples/gateway/app.ts'
import { garage } from '../../examples/gateway/upstream.ts'
import { serve } from '../support/serve.ts'

/** The garage without Express: the same routes, in an application of Octavo. */
const fake = serve(
  defineController({
    prefix: '/api/cars',
    routes: [
      {
        method: 'GET',
        input: { query: { size: z.string().default('all') } },
        handler: ({ query }) => [{ id: 1, brand: `${query.size} cars`, plate: 'B-OX 1' }],
      },
      {
        method: 'GET',
        path: '/{id:int}',
        handler: ({ params }) => ({ id: params.id, brand: 'Ford', plate: 'B' }),
      },
    ],
  }),
)

describe('the gateway example', () => {
  let app: App

  before(async () => {
    app = createGateway({ logger: false, overrides: [bind(garage, fake)] })
    await app.ready()
  })

  after(async () => {
    await app.close()
    await fake.close()
  })

  it('serves versions that the garage does not know', async () => {
    const newest = await app.inject({ url: '/cars/1', headers: { 'x-version': '3' } })
    assert.deepEqual(newest.json(), { id: 1, brand: 'Ford', plate: 'B' })
    const older = await app.inject({ url: '/cars/1', headers: { 'x-version': '1' } })
    assert.deepEqual(older.json(), { id: 1, make: 'Ford', plate: 'B' })
    const list = await app.inject({ url: '/cars?limit=2', headers: { 'x-version': '1' } })
    assert.deepEqual(list.json(), [{ id: 1, make: '2 cars', plate: 'B-OX 1' }])
  })

  it('keeps accounts in the versions that they are pinned to', async () => {
    const pinned = await app.inject({ url: '/cars/1', headers: { 'x-account': 'acme' } })
    assert.deepEqual(pinned.json(), { id: 1, make: 'Ford', plate: 'B' })
  })

  it('answers a route that was moved over, from one that is forwarded', async () => {
    const response = await app.inject({ url: '/cars/brands', headers: { 'x-version': '1' } })
    assert.deepEqual(response.json(), { 'all cars': 1 })
  })

  it('has documents of each version', async () => {
    for (const [version, name] of [
      ['1', 'make'],
      ['3', 'brand'],
    ] as const) {
      const document = await app.inject(`/docs/openapi/${version}.json`)
      assert.match(document.body, new RegExp(`"${name}"`))
    }
  })

  it('passes what it has no route for', async () => {
    const response = await app.inject('/api-docs')
    assert.deepEqual([response.statusCode, JSON.parse(response.body).code], [404, 'route_not_found'])
  })
})

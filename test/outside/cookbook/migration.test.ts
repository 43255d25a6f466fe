import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, describe, it } from 'node:test'

import * as inExpress from './.recipes/migration.ts'
import * as inNest from './.recipes/migration-2.ts'
import { startServer } from './support.ts'

const post = (url: string, body: string): Promise<Response> =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })

describe('Octavo inside of an Express application', async () => {
  if (!inExpress.server.listening) await once(inExpress.server, 'listening')
  const url = await startServer(inExpress.server)
  after(() => inExpress.app.close())

  it('answers its paths and leaves others to Express', async () => {
    assert.deepEqual(await (await fetch(`${url}/orders/7`)).json(), { id: 7, total: 42 })
    const created = await post(`${url}/customers`, '{"name":"Ann"}')
    assert.equal(created.status, 201)
    assert.deepEqual(await created.json(), { name: 'Ann' })
    assert.match(await (await fetch(`${url}/elsewhere`)).text(), /Cannot GET/)
  })

  it('leaves a method to Express that is not moved yet', async () => {
    assert.equal((await fetch(`${url}/orders/7`, { method: 'DELETE' })).status, 204)
    const lost = await fetch(`${url}/orders/7`)
    assert.equal(lost.headers.get('content-type'), 'application/problem+json')
    assert.equal((await fetch(`${url}/orders/7`, { method: 'PUT' })).status, 405)
  })
})

describe('Octavo inside of a NestJS application', () => {
  after(() => inNest.nest.close())

  it('answers by a service of Nest, and leaves others to Nest', async () => {
    const url = await inNest.nest.getUrl()
    assert.deepEqual(await (await fetch(`${url}/orders/7`)).json(), { id: 7, total: 42 })
    assert.equal((await fetch(`${url}/orders/8`)).status, 404)
    assert.deepEqual(await (await fetch(`${url}/customers/Ann`)).json(), { name: 'Ann' })
    assert.deepEqual(Object.keys(Object(await (await fetch(`${url}/elsewhere`)).json())), [
      'message',
      'error',
      'statusCode',
    ])
  })
})

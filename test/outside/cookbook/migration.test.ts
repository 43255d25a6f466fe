import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'
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

describe('Octavo in front of another service', async () => {
  const legacy = createServer((request, response) => {
    if (request.url === '/broken') return void request.socket.destroy()
    if (request.url === '/moved') return void response.writeHead(302, { location: '/customers/7' }).end()
    const { url, method, headers } = request
    const chunks: Uint8Array[] = []
    request.on('data', (chunk: Uint8Array) => chunks.push(chunk))
    request.on('end', () => {
      response.setHeader('content-encoding', 'gzip')
      response.setHeader('set-cookie', ['a=1', 'b=2'])
      const seen = { url, method, body: Buffer.concat(chunks).toString(), from: headers['x-forwarded-for'] }
      response.end(gzipSync(JSON.stringify(seen)))
    })
  })
  process.env['LEGACY_URL'] = await startServer(legacy)
  const { app, url } = await import('./.recipes/migration-3.ts')
  after(() => app.close())

  it('answers its own routes', async () =>
    assert.deepEqual(await (await fetch(`${url}/orders/7`)).json(), { id: 7, total: 42 }))

  it('passes on requests and responses, with their bodies', async () => {
    const response = await post(`${url}/customers?sort=name`, '{"name":"Ann"}')
    assert.deepEqual(response.headers.getSetCookie(), ['a=1', 'b=2'])
    assert.deepEqual(await response.json(), {
      url: '/customers?sort=name',
      method: 'POST',
      body: '{"name":"Ann"}',
      from: '127.0.0.1',
    })
    assert.equal(
      (await fetch(`${url}/moved`, { redirect: 'manual' })).headers.get('location'),
      '/customers/7',
    )
  })

  it('takes no host from the path', async () => {
    const answer = Object(await (await fetch(`${url}//example.com/x`)).json())
    assert.equal(answer.url, '//example.com/x')
  })

  it('answers 502 if the service breaks off', async () => {
    const response = await fetch(`${url}/broken`)
    assert.equal(response.status, 502)
    assert.equal(response.headers.get('content-type'), 'application/problem+json')
  })

  it('passes on the other methods of a path that has a route', async () => {
    const response = await post(`${url}/orders/7`, '{}')
    assert.equal(Object(await response.json()).method, 'POST')
  })
})

import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import { after, describe, it } from 'node:test'

import express from 'express'
import { createApp, defineController, defineModule } from 'octavo'
import { z } from 'zod'

// the types of Express 5 fit what both are used for here
const express4: typeof express = createRequire(import.meta.url)('express-4')

const cars = defineController({
  prefix: '/car',
  routes: [
    { method: 'GET', path: '/{id:int}', name: 'one', handler: ({ params }) => params },
    {
      method: 'POST',
      input: { body: z.object({ name: z.string() }) },
      handler: ({ body }, context) => ({ ...body, at: context.urlFor('car.one', { id: 7 }) }),
    },
  ],
})
const create = () =>
  createApp(defineModule({ controllers: [cars] }), { logger: false, trailingSlash: 'redirect' })

async function start(server: Server): Promise<string> {
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server, 'listening')
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return `http://127.0.0.1:${address.port}`
}

const post = (url: string): Promise<Response> =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"name":"Ford"}' })

for (const [version, make] of [
  ['5', express],
  ['4', express4],
] as const) {
  describe(`Express ${version}`, () => {
    it('answers what the application does not serve', async () => {
      const outer = make()
      outer.get('/before', (_request, response) => void response.send('before'))
      outer.use(create().handler)
      outer.use(make.json())
      outer.post('/behind', (request, response) => void response.send(request.body))
      const url = await start(outer.listen(0, '127.0.0.1'))
      assert.equal(await (await fetch(`${url}/before`)).text(), 'before')
      assert.deepEqual(await (await fetch(`${url}/car/7`)).json(), { id: 7 })
      assert.deepEqual(await (await post(`${url}/car`)).json(), { name: 'Ford', at: '/car/7' })
      assert.deepEqual(await (await post(`${url}/behind`)).json(), { name: 'Ford' })
      const missing = await fetch(`${url}/elsewhere`)
      assert.equal(missing.status, 404)
      assert.match(await missing.text(), /Cannot GET \/elsewhere/)
    })

    it('may have the application below a path', async () => {
      const outer = make()
      outer.use('/api', create().handler)
      const url = await start(outer.listen(0, '127.0.0.1'))
      assert.deepEqual(await (await fetch(`${url}/api/car/7`)).json(), { id: 7 })
      assert.deepEqual(await (await post(`${url}/api/car`)).json(), { name: 'Ford', at: '/api/car/7' })
      const redirected = await fetch(`${url}/api/car/7/`, { redirect: 'manual' })
      assert.equal(redirected.headers.get('location'), '/api/car/7')
      assert.equal((await fetch(`${url}/car/7`)).status, 404)
    })

    it('must not read bodies before the application', async () => {
      const outer = make()
      outer.use(make.json())
      outer.use(create().handler)
      const url = await start(outer.listen(0, '127.0.0.1'))
      const response = await post(`${url}/car`)
      assert.equal(response.status, 500)
      assert.deepEqual(await (await fetch(`${url}/car/7`)).json(), { id: 7 })
    })
  })
}

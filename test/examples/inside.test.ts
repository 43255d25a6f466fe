import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { after, before, describe, it } from 'node:test'

import { createHandler as createExpress } from '../../examples/inside/express.ts'
import { createHandler as createFastify } from '../../examples/inside/fastify.ts'
import { createHandler as createHono } from '../../examples/inside/hono.ts'
import { createHandler as createNest } from '../../examples/inside/nest.ts'

const FRAMEWORKS: Readonly<Record<string, () => Promise<RequestListener>>> = {
  Hono: createHono,
  Express: createExpress,
  Fastify: createFastify,
  NestJS: createNest,
}

/** A car as each version names its members. */
const CARS = {
  '1': (id: string, name: string, cents: number) => ({ id, title: name, price: cents / 100 }),
  '2': (id: string, name: string, cents: number) => ({ id, title: name, priceCents: cents }),
  '3': (id: string, name: string, cents: number) => ({ id, name, priceCents: cents }),
}

for (const [name, create] of Object.entries(FRAMEWORKS))
  describe(`the garage inside ${name}`, () => {
    let server = createServer()
    before(async () => {
      server = createServer(await create()).listen(0, '127.0.0.1')
      await once(server, 'listening')
    })
    after(() => {
      server.closeAllConnections()
      server.close()
    })

    for (const version of ['3', '2', '1'] as const)
      it(`has all routes in version ${version}`, async () => {
        const ask = async (
          method: string,
          path: string,
          body?: object,
        ): Promise<readonly [number, unknown]> => {
          const address = server.address()
          const port = typeof address === 'object' ? address?.port : undefined
          const response = await fetch(`http://127.0.0.1:${port}${path}`, {
            method,
            headers: {
              'x-api-version': version,
              ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          })
          const text = await response.text()
          const isJson = response.headers.get('content-type')?.includes('json') === true
          return [response.status, isJson ? JSON.parse(text) : text]
        }
        const car = CARS[version]
        const without = (given: object): object => ({ ...given, id: undefined })
        const beetle = car('7', 'Beetle', 1250)
        const [list, most, query] = version === '3' ? ['/cars', 'limit', 'q'] : ['/autos', 'max', 'text']

        const [status, created] = await ask('POST', '/cars', without(car('', 'Duck', 990)))
        const { id }: { id: string } = Object(created)
        assert.deepEqual([status, created], [201, car(id, 'Duck', 990)])
        assert.deepEqual(await ask('POST', '/cars', without(car('', 'Duck', 990))), [
          version === '3' ? 409 : 400,
          { error: 'Duck is here already' },
        ])
        assert.equal((await ask('POST', '/cars', { wheels: 4 }))[0], 422)
        assert.deepEqual(await ask('GET', `${list}?${most}=1`), [200, [beetle]])
        assert.deepEqual(await ask('GET', `/search?${query}=Du`), [200, [car(id, 'Duck', 990)]])
        assert.deepEqual(await ask('GET', '/cars/7'), [200, beetle])
        assert.deepEqual(await ask('GET', '/cars/none'), [404, { error: 'There is no car none' }])
        assert.deepEqual(await ask('PUT', `/cars/${id}`, without(car('', 'Swan', 800))), [
          200,
          car(id, 'Swan', 800),
        ])
        const price = version === '1' ? { price: 7 } : { priceCents: 700 }
        assert.deepEqual(await ask('PATCH', `/cars/${id}`, price), [200, car(id, 'Swan', 700)])
        assert.deepEqual(await ask('GET', '/events'), [
          200,
          [beetle, car(id, 'Swan', 700)]
            .map((data) => `event: car\ndata: ${JSON.stringify(data)}\n\n`)
            .join(''),
        ])
        assert.deepEqual(await ask('DELETE', `/cars/${id}`), [204, ''])

        const [, owner] = await ask('POST', '/owners', { email: 'ann@example.com' })
        const ann = { id: String(Object(owner).id), email: 'ann@example.com', cars: [beetle] }
        assert.deepEqual(owner, { ...ann, cars: [] })
        assert.deepEqual(await ask('PUT', `/owners/${ann.id}/cars/7`), [200, ann])
        assert.deepEqual(await ask('GET', `/owners/${ann.id}`), [200, ann])
        const [, all] = await ask('GET', '/owners')
        assert.deepEqual(Object(all).at(-1), ann)
      })
  })

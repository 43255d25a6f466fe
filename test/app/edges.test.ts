import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, defineProvider, VersioningSchemes } from 'octavo'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

const app = serve(
  defineController({
    prefix: '/edges',
    routes: [
      {
        method: 'GET',
        path: '/union',
        input: { query: { ids: z.union([z.literal('all'), z.array(z.number())]) } },
        handler: ({ query }) => query,
      },
      {
        method: 'GET',
        path: '/strict-headers',
        input: { headers: z.strictObject({ xTrace: z.string() }) },
        handler: ({ headers }) => headers,
      },
      {
        method: 'POST',
        path: '/optional-body',
        input: { body: z.object({ a: z.number() }).optional() },
        handler: ({ body }) => ({ body: body ?? 'none' }),
      },
    ],
  }),
)

describe('a union of a value and a list', () => {
  const cases = [
    ['takes the value', '?ids=all', 200, { ids: 'all' }],
    ['takes one entry as a list of one', '?ids=5', 200, { ids: [5] }],
    ['takes several entries as a list', '?ids=5&ids=6', 200, { ids: [5, 6] }],
  ] as const
  for (const [title, query, status, body] of cases) {
    it(title, async () => {
      const response = await app.inject(`/edges/union${query}`)
      assert.deepEqual([response.statusCode, response.json()], [status, body])
    })
  }

  it('refuses what is neither', async () => {
    const response = await app.inject('/edges/union?ids=some')
    assert.equal(response.statusCode, 422)
  })
})

describe('headers that every client sends', () => {
  it('do not disturb a strict object', async () => {
    const response = await app.inject({
      url: '/edges/strict-headers',
      headers: { 'x-trace': 'a', accept: '*/*' },
    })
    assert.deepEqual([response.statusCode, response.json()], [200, { xTrace: 'a' }])
  })
})

describe('a body that is not there', () => {
  it('has no content type that could be wrong', async () => {
    const headers = { 'content-type': 'application/xml', 'content-length': '0' }
    const response = await app.inject({ method: 'POST', url: '/edges/optional-body', headers })
    assert.deepEqual([response.statusCode, response.json()], [200, { body: 'none' }])
  })
})

describe('definitions that are wrong when the first request arrives', () => {
  it('are logged, and every request is refused with a problem', async () => {
    const logged: object[] = []
    const log = (details: object): void => void logged.push(details)
    const broken = serve(
      defineController({ prefix: '/a', version: '1', routes: [{ method: 'GET', handler: () => 1 }] }),
      { logger: { debug: log, info: log, warn: log, error: log } },
    )
    broken.enableVersioning(VersioningSchemes.QUERY, { defaultVersion: '9' })
    const server = createServer(broken.handler)
    await new Promise<void>((resolve) => server.listen(0, resolve))
    const { port } = server.address() as AddressInfo
    const response = await fetch(`http://localhost:${port}/a`)
    const problem: unknown = await response.json()
    server.close()
    assert.deepEqual(problem, {
      type: 'urn:octavo:problem:internal-error',
      title: 'Internal Server Error',
      status: 500,
      detail: 'The application cannot start; the log has the reason',
      code: 'internal_error',
    })
    assert.equal(logged.length, 1)
  })
})

describe('the functions of a context', () => {
  it('work when a handler destructures it', async () => {
    const Engine = defineProvider({ name: 'Engine', create: () => ({ power: 90 }) })
    const cars = defineController({
      prefix: '/cars',
      routes: [
        { method: 'GET', path: '/{id:int}', name: 'one', handler: ({ params }) => params.id },
        {
          method: 'GET',
          name: 'list',
          handler: async (_input, { allowedMethods, call, resolve, switchToHttpConnection, urlFor }) => [
            await allowedMethods(),
            await call('cars.one', { params: { id: 7 } }),
            await resolve(Engine),
            switchToHttpConnection().getRequest().method,
            urlFor('cars.one', { id: 7 }),
          ],
        },
      ],
    })
    const garage = createApp(defineModule({ controllers: [cars], providers: [Engine] }), { logger: false })
    assert.deepEqual((await garage.inject('/cars')).json(), [
      ['GET', 'HEAD', 'OPTIONS'],
      7,
      { power: 90 },
      'GET',
      '/cars/7',
    ])
  })
})

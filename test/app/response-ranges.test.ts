import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, notFound, reply } from 'octavo'
import { createClient, ProblemError } from 'octavo/client'
import { z } from 'zod'

const Car = z.object({ id: z.number() })
const response = {
  200: Car,
  '4XX': z.object({ reason: z.string() }),
  default: z.object({ note: z.string() }),
}
const cars = defineController({
  prefix: '/car',
  routes: [
    { method: 'GET', path: '/{id:int}', name: 'get', response, handler: ({ params }) => answerOf(params.id) },
  ],
})
const app = createApp(defineModule({ controllers: [cars] }), { logger: false })

/** The part of a response in a document that is looked at. */
interface Shown {
  readonly content: Record<string, { readonly schema: { readonly properties?: object } }>
}

function answerOf(id: number) {
  if (id === 1) return reply(409, { reason: 'sold' })
  if (id === 2) return reply(503, { note: 'closed' })
  if (id === 3) throw notFound('no such car')
  return { id }
}

describe('a response map with ranges', () => {
  it('is shown in documents, beside the problems that Octavo answers', async () => {
    await app.ready()
    const { responses } = Object(app.openapi()).paths['/car/{id}'].get
    const shown = Object.entries<Shown>(responses).map(([status, { content }]) => [
      status,
      Object.entries(content).map(
        ([type, { schema }]) => `${type} ${Object.keys(schema.properties ?? {}).join()}`,
      ),
    ])
    assert.deepEqual(Object.fromEntries(shown), {
      200: ['application/json id'],
      404: ['application/json reason', 'application/problem+json '],
      '4XX': ['application/json reason', 'application/problem+json '],
      500: ['application/json note', 'application/problem+json '],
      default: ['application/json note', 'application/problem+json '],
    })
  })

  it('is what the client gets, but for problem documents', async () => {
    const client = createClient<typeof app>({ baseUrl: 'http://localhost', fetch: app.fetch })
    const found = await client.car.get({ params: { id: 7 } })
    assert.deepEqual([found.status, found.data], [200, { id: 7 }])
    const sold = await client.car.get({ params: { id: 1 } })
    assert.deepEqual([sold.status, sold.data], [409, { reason: 'sold' }])
    if (sold.status === 409) assert.equal(sold.data.reason, 'sold')
    const closed = await client.car.get({ params: { id: 2 } })
    assert.deepEqual([closed.status, closed.data], [503, { note: 'closed' }])
    await assert.rejects(client.car.get({ params: { id: 3 } }), ProblemError)
  })
})

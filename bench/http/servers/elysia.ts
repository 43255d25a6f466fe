import { node } from '@elysiajs/node'
import { Elysia, t } from 'elysia'

import type { Serve } from '../contestants.ts'
import { CATALOGUE, TOKEN } from '../scenarios.ts'

const CarPath = t.Object({ id: t.Integer() })

const CarQuery = t.Object({
  page: t.Integer({ minimum: 1, default: 1 }),
  limit: t.Integer({ minimum: 1, maximum: 100 }),
  search: t.Optional(t.String()),
})

const NewCar = t.Object({
  name: t.String({ minLength: 1, maxLength: 100 }),
  price: t.Number({ exclusiveMinimum: 0 }),
  year: t.Integer({ minimum: 1886 }),
  condition: t.UnionEnum(['new', 'used']),
  isElectric: t.Boolean({ default: false }),
  tags: t.Array(t.String({ minLength: 1 }), { maxItems: 10 }),
})

interface Wrapping {
  readonly raw: { ready(): Promise<{ readonly url?: string }> }
}

/** Documented at https://elysiajs.com/integrations/node and https://elysiajs.com/essential/validation. */
export const serve: Serve = async () => {
  const app = new Elysia({ adapter: node() })
    .get('/hello', () => ({ hello: 'world' }))
    .get('/cars/:id', ({ params: { id } }) => ({ id, name: `Car ${id}` }), { params: CarPath })
    .get('/cars', ({ query }) => query, { query: CarQuery })
    .post('/cars', ({ body, status }) => status(201, { id: 1, ...body }), { body: NewCar })
    .get('/garage', ({ headers, status }) => {
      switch (headers['x-api-version']) {
        case '1':
          return { version: 1 }
        case '2':
          return { version: 2, doors: ['left', 'right'] }
        default:
          return status(404)
      }
    })
    .get('/catalogue', () => CATALOGUE)
    .get('/private', () => ({ user: 'Ann' }), {
      beforeHandle: ({ headers, status }) => (headers['authorization'] === TOKEN ? undefined : status(401)),
    })
  // The adapter calls back too early to know a free port; what it wraps tells when it listens
  const { raw } = await new Promise<Wrapping>((resolve) => {
    app.listen({ port: 0, hostname: '127.0.0.1' }, (server) => resolve(server))
  })
  const { url = '' } = await raw.ready()
  return Number(new URL(url).port)
}

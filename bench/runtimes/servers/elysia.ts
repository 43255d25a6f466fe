import { Elysia } from 'elysia'

import { CATALOGUE, TOKEN } from '../../http/scenarios.ts'
import { CarPath, CarQuery, NewCar } from '../../http/schemas.ts'
import { serveFetch } from '../serve.ts'
import type { Serve } from '../serve.ts'

export const app = new Elysia()
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

/** Documented at https://elysiajs.com/essential/validation and https://elysiajs.com/integrations/deno. */
export const serve: Serve = () => serveFetch(app.fetch)

import { zValidator } from '@hono/zod-validator'
import { Hono } from 'hono'
import { z } from 'zod'

import { Car, SORTS, WELCOME } from './requests.ts'
import type { Answer, Call } from './requests.ts'

const Query = z.object({
  limit: z.coerce.number().int(),
  offset: z.coerce.number().int(),
  sort: z.enum(SORTS),
})

/** Hono with its validator for zod, called through `app.request`, which gives a `Response`. */
export function createHono(): (call: Call) => Promise<Answer> {
  const app = new Hono()
  app.get('/cars/welcome', (c) => c.json(WELCOME))
  app.get('/cars/:id{[0-9]+}', (c) => c.json({ id: Number(c.req.param('id')) }))
  app.get('/cars', zValidator('query', Query), (c) => c.json(c.req.valid('query')))
  app.post('/cars', zValidator('json', Car), (c) => c.json(c.req.valid('json')))
  return async ({ method, url, json }) => {
    const response = await app.request(
      url,
      json === undefined
        ? { method }
        : { method, body: JSON.stringify(json), headers: { 'content-type': 'application/json' } },
    )
    return { status: response.status, json: await response.json() }
  }
}

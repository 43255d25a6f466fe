import { zValidator } from '@hono/zod-validator'
import { Hono } from 'hono'
import type { ValidationTargets } from 'hono'
import { createMiddleware } from 'hono/factory'
import { HTTPException } from 'hono/http-exception'
import type { z } from 'zod'

import { CATALOGUE, TOKEN } from '../scenarios.ts'
import { CarPath, CarQuery, NewCar } from '../schemas.ts'

const validate = <T extends z.ZodType, Target extends keyof ValidationTargets>(target: Target, schema: T) =>
  zValidator(target, schema, (result, context) =>
    result.success ? undefined : context.json({ error: 'Invalid', issues: result.error.issues }, 422),
  )

const hasToken = createMiddleware(async (context, next) => {
  if (context.req.header('authorization') !== TOKEN) throw new HTTPException(401)
  await next()
})

/** Documented at https://hono.dev/docs/guides/validation. */
export const app = new Hono()
  .get('/hello', (context) => context.json({ hello: 'world' }))
  .get('/cars/:id', validate('param', CarPath), (context) => {
    const { id } = context.req.valid('param')
    return context.json({ id, name: `Car ${id}` })
  })
  .get('/cars', validate('query', CarQuery), (context) => context.json(context.req.valid('query')))
  .post('/cars', validate('json', NewCar), (context) =>
    context.json({ id: 1, ...context.req.valid('json') }, 201),
  )
  .get('/garage', (context) => {
    switch (context.req.header('x-api-version')) {
      case '1':
        return context.json({ version: 1 })
      case '2':
        return context.json({ version: 2, doors: ['left', 'right'] })
      default:
        return context.notFound()
    }
  })
  .get('/catalogue', (context) => context.json(CATALOGUE))
  .get('/private', hasToken, (context) => context.json({ user: 'Ann' }))

import fastify from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'

import type { Serve } from '../contestants.ts'
import { CATALOGUE } from '../scenarios.ts'
import { CarPath, CarQuery, NewCar } from '../schemas.ts'
import { hasToken, onError, versionByHeader } from './fastify-parts.ts'

/** Documented in the README of fastify-type-provider-zod. Responses have no schemas: zod would validate them, which nobody else does. */
export const serve: Serve = async ({ logs }) => {
  const app = fastify({
    logger: logs,
    routerOptions: { constraints: { version: versionByHeader } },
  }).withTypeProvider<ZodTypeProvider>()
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler(onError)
  app.get('/hello', async () => ({ hello: 'world' }))
  app.get('/cars/:id', { schema: { params: CarPath } }, async ({ params: { id } }) => ({
    id,
    name: `Car ${id}`,
  }))
  app.get('/cars', { schema: { querystring: CarQuery } }, async ({ query }) => query)
  app.post('/cars', { schema: { body: NewCar } }, async ({ body }, reply) => {
    reply.code(201)
    return { id: 1, ...body }
  })
  app.get('/garage', { constraints: { version: '1' } }, async () => ({ version: 1 }))
  app.get('/garage', { constraints: { version: '2' } }, async () => ({
    version: 2,
    doors: ['left', 'right'],
  }))
  app.get('/catalogue', async () => CATALOGUE)
  app.get('/private', { onRequest: hasToken }, async () => ({ user: 'Ann' }))
  return Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
}

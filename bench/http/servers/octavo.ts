import {
  createApp,
  defineController,
  defineGuard,
  defineModule,
  unauthorized,
  VersioningSchemes,
} from 'octavo'
import { z } from 'zod'

import type { Serve } from '../contestants.ts'
import { CATALOGUE, TOKEN } from '../scenarios.ts'
import { NewCar } from '../schemas.ts'

// No coercion: Octavo converts text by the type that is declared
const CarQuery = z.object({
  page: z.number().int().min(1).default(1),
  limit: z.number().int().min(1).max(100),
  search: z.string().optional(),
})

const HasToken = defineGuard({
  name: 'HasToken',
  canActivate: ({ request }) => {
    if (request.header('authorization') !== TOKEN) throw unauthorized('Unknown token')
    return true
  },
})

const cars = defineController({
  prefix: '/cars',
  routes: [
    {
      method: 'GET',
      path: '/{id:int}',
      handler: ({ params }) => ({ id: params.id, name: `Car ${params.id}` }),
    },
    { method: 'GET', input: { query: CarQuery }, handler: ({ query }) => query },
    {
      method: 'POST',
      status: 201,
      input: { body: NewCar },
      handler: ({ body }) => ({ id: 1, ...body }),
    },
  ],
})

const others = defineController({
  prefix: '/',
  routes: [
    { method: 'GET', path: '/hello', handler: () => ({ hello: 'world' }) },
    { method: 'GET', path: '/garage', version: '1', handler: () => ({ version: 1 }) },
    {
      method: 'GET',
      path: '/garage',
      version: '2',
      handler: () => ({ version: 2, doors: ['left', 'right'] }),
    },
    { method: 'GET', path: '/catalogue', handler: () => CATALOGUE },
    { method: 'GET', path: '/private', guards: [HasToken], handler: () => ({ user: 'Ann' }) },
  ],
})

/** As its README shows it; `logger: false` beside frameworks that log no requests unless they are told to. */
export const serve: Serve = async ({ logs }) => {
  const app = createApp(defineModule({ controllers: [cars, others] }), logs ? {} : { logger: false })
  app.enableVersioning(VersioningSchemes.HEADER, { headerParameter: 'x-api-version' })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  return Number(new URL(url).port)
}

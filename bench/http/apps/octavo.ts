import { defineController, defineGuard, defineModule, unauthorized } from 'octavo/edge'
import { z } from 'zod'

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
    { method: 'GET', path: '/catalogue', handler: () => CATALOGUE },
    { method: 'GET', path: '/private', guards: [HasToken], handler: () => ({ user: 'Ann' }) },
  ],
})

const garage = defineController({
  prefix: '/garage',
  routes: [
    { method: 'GET', version: '1', handler: () => ({ version: 1 }) },
    { method: 'GET', version: '2', handler: () => ({ version: 2, doors: ['left', 'right'] }) },
  ],
})

/** Everything but versions. */
export const CarsModule = defineModule({ controllers: [cars, others] })

export const VersionedModule = defineModule({ imports: [CarsModule], controllers: [garage] })

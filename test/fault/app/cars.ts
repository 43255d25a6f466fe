import { defineController, reply } from 'octavo'
import { z } from 'zod'

export const Car = z.object({
  name: z.string(),
  year: z.number().int(),
  tags: z.array(z.string()).default([]),
})
const ListQuery = {
  limit: z.number().int().default(10),
  offset: z.number().default(0),
  sort: z.enum(['name', 'year']).default('name'),
  tags: z.array(z.string()).default([]),
  since: z.date().optional(),
  exact: z.boolean().default(false),
}

export const cars = defineController({
  prefix: '/cars',
  version: ['1', '2'],
  routes: [
    { method: 'GET', input: { query: ListQuery }, handler: ({ query }) => query },
    { method: 'POST', input: { body: Car }, status: 201, handler: ({ body }) => body },
    { method: 'GET', path: '/{id:int}', version: '1', handler: ({ params }) => params },
    { method: 'GET', path: '/{id:int}', version: '2', handler: ({ params }) => ({ ...params, links: [] }) },
    {
      method: ['PUT', 'PATCH'],
      path: '/{id:int}',
      input: { body: Car.partial(), query: { exact: z.boolean().default(false) } },
      handler: ({ params, body, query }) => ({ ...params, ...body, ...query }),
    },
    { method: 'DELETE', path: '/{id:int}', handler: () => reply(204) },
    { method: 'GET', path: '/uuid/{id:uuid}', handler: ({ params }) => params },
    { method: 'GET', path: '/{from}-{to}', handler: ({ params }) => params },
  ],
})

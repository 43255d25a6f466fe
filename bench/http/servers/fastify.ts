import fastify from 'fastify'
import type { FastifyRequest } from 'fastify'

import type { Serve } from '../contestants.ts'
import { CATALOGUE } from '../scenarios.ts'
import { hasToken, onError, versionByHeader } from './fastify-parts.ts'

const object = (properties: Readonly<Record<string, unknown>>, required: readonly string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

const string = { type: 'string' }
const integer = { type: 'integer' }
const number = { type: 'number' }
const boolean = { type: 'boolean' }
const strings = { type: 'array', items: string }

const path = object({ id: integer }, ['id'])

const query = object(
  {
    page: { ...integer, minimum: 1, default: 1 },
    limit: { ...integer, minimum: 1, maximum: 100 },
    search: string,
  },
  ['limit'],
)

const body = object(
  {
    name: { ...string, minLength: 1, maxLength: 100 },
    price: { ...number, exclusiveMinimum: 0 },
    year: { ...integer, minimum: 1886 },
    condition: { enum: ['new', 'used'] },
    isElectric: { ...boolean, default: false },
    tags: { type: 'array', items: { ...string, minLength: 1 }, maxItems: 10 },
  },
  ['name', 'price', 'year', 'condition', 'tags'],
)

const carFields = { id: integer, name: string, price: number, isElectric: boolean, tags: strings }
const oneCar = { 200: object({ id: integer, name: string }, []) }
const carList = { 200: object({ page: integer, limit: integer, search: string }, []) }
const added = { 201: object({ ...carFields, year: integer, condition: string }, []) }
const garage = { 200: object({ version: integer, doors: strings }, []) }
const catalogue = { 200: { type: 'array', items: object(carFields, []) } }

/** Documented at https://fastify.dev/docs/latest/Reference/Validation-and-Serialization: responses have schemas too, which make it faster. */
export const serve: Serve = async ({ logs }) => {
  const app = fastify({ logger: logs, routerOptions: { constraints: { version: versionByHeader } } })
  app.setErrorHandler(onError)
  app.get('/hello', { schema: { response: { 200: object({ hello: string }, []) } } }, async () => ({
    hello: 'world',
  }))
  app.get(
    '/cars/:id',
    { schema: { params: path, response: oneCar } },
    async ({ params: { id } }: FastifyRequest<{ Params: { id: number } }>) => ({ id, name: `Car ${id}` }),
  )
  app.get('/cars', { schema: { querystring: query, response: carList } }, async ({ query: found }) => found)
  app.post(
    '/cars',
    { schema: { body, response: added } },
    async ({ body: car }: FastifyRequest<{ Body: Record<string, unknown> }>, reply) => {
      reply.code(201)
      return { id: 1, ...car }
    },
  )
  app.get('/garage', { schema: { response: garage }, constraints: { version: '1' } }, async () => ({
    version: 1,
  }))
  app.get('/garage', { schema: { response: garage }, constraints: { version: '2' } }, async () => ({
    version: 2,
    doors: ['left', 'right'],
  }))
  app.get('/catalogue', { schema: { response: catalogue } }, async () => CATALOGUE)
  app.get(
    '/private',
    { onRequest: hasToken, schema: { response: { 200: object({ user: string }, []) } } },
    async () => ({ user: 'Ann' }),
  )
  return Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
}

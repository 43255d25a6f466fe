import fastify from 'fastify'

import { report } from './report.ts'
import { ROUTES } from './routes.ts'
import type { AppRoute } from './routes.ts'

type Values = Readonly<Record<string, unknown>>

interface Parts {
  readonly Params: { readonly id: string }
  readonly Querystring: Values
  readonly Body: Values
}

const app = fastify()
for (const route of ROUTES) add(route)
const url = await app.listen({ port: 0, host: '127.0.0.1' })
await report(Number(new URL(url).port))

function add({ kind, method, prefix }: AppRoute): void {
  const path = `${prefix}/:id`
  const integer = { type: 'integer' }
  const text = { type: 'string' }
  const query = {
    type: 'object',
    required: ['limit', 'offset'],
    properties: { limit: integer, offset: integer },
  }
  const body = {
    type: 'object',
    required: ['name', 'year', 'tags'],
    properties: { name: text, year: integer, tags: { type: 'array', items: text } },
  }
  app.route<Parts>({
    method,
    url: path,
    ...(kind === 'query' ? { schema: { querystring: query } } : {}),
    ...(kind === 'body' ? { schema: { body } } : {}),
    handler: (request) => ({
      id: request.params.id,
      ...(kind === 'query' ? request.query : {}),
      ...(kind === 'body' ? request.body : {}),
    }),
  })
}

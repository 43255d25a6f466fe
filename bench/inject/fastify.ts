import fastify from 'fastify'

import { SORTS, WELCOME } from './requests.ts'
import type { Answer, Call } from './requests.ts'

const id = { type: 'integer' }
const text = { type: 'string' }
const carProperties = {
  name: { type: 'string', minLength: 1 },
  year: { type: 'integer', exclusiveMinimum: 0 },
  model: text,
  tags: { type: 'array', items: text },
}
const car = { type: 'object', required: ['name', 'year', 'model', 'tags'], properties: carProperties }
const query = {
  type: 'object',
  required: ['limit', 'offset', 'sort'],
  properties: { limit: id, offset: id, sort: { type: 'string', enum: SORTS } },
}

/** Fastify with JSON Schema for what it reads and writes, called through its own `inject`, which is light-my-request. */
export async function createFastify(): Promise<(call: Call) => Promise<Answer>> {
  const app = fastify()
  const welcome = { type: 'object', properties: { detail: text } }
  app.get('/cars/welcome', { schema: { response: { 200: welcome } } }, () => WELCOME)
  const one = { type: 'object', properties: { id } }
  app.get<{ Params: { id: number } }>(
    '/cars/:id',
    { schema: { params: one, response: { 200: one } } },
    ({ params }) => ({ id: params.id }),
  )
  app.get('/cars', { schema: { querystring: query, response: { 200: query } } }, (request) => request.query)
  app.post('/cars', { schema: { body: car, response: { 200: car } } }, (request) => request.body)
  await app.ready()
  return async ({ method, url, json }) => {
    const response = await app.inject(json === undefined ? { method, url } : { method, url, payload: json })
    return { status: response.statusCode, json: response.json() }
  }
}

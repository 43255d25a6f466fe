import { z } from 'zod'
import { defineController } from '../../src/define/controller.ts'
import { HttpResponse } from '../../src/define/token.ts'
import { reply } from '../../src/define/reply.ts'
import type { Handler } from '../../src/define/route.ts'
const Car = z.object({ id: z.string(), name: z.string(), year: z.number() })
const c = defineController({
  name: 'CarController',
  prefix: '/orgs/{org_id:int}',
  inject: { res: HttpResponse },
  routes: [
    { method: 'GET', path: '/{car_id:int}', name: 'getOne', handler: ({ params, inject }) => { const n: number = params.car_id + params.org_id; inject.res.status = 3; return { n } } },
    { method: 'POST', input: { body: z.object({ name: z.string() }), query: ['q', 'sort'] }, response: Car, handler: ({ body, query }) => ({ id: query.q + query.sort, name: body.name, year: 3 }) },
    { method: 'GET', name: 'list', input: { query: { limit: z.number() } }, response: { 200: z.array(Car), 404: z.string() }, handler: async ({ query }) => query.limit > 3 ? reply(404, 'x') : [{ id: '1', name: 'x', year: query.limit }] },
    { method: ['GET', 'POST'], path: '/plain', handler: () => 1 },
    { method: 'GET', path: '/bad', response: Car, handler: () => 1 },
    { method: 'GET', path: '/bad2', response: Car, handler: () => ({ id: 1, name: 'x', year: 3 }) },
    { method: 'GET', path: '/bad3', handlr: () => 1 },
    { method: 'GETT', path: '/bad4', handler: () => 1 },
    { method: 'GET', path: 'bad5', handler: () => 1 },
    { method: 'GET', path: '/bad6', input: { qery: z.string() }, handler: () => 1 },
    { method: 'GET', path: '/bad7', input: { query: ['a'], qery: z.string() }, handler: () => 1 },
    { method: 'GET', path: '/bad8', response: { 200: Car, 404: z.string() }, handler: () => reply(404, 7) },
    { method: 'GET', path: '/bad9', response: { 200: Car, 404: z.string() }, handler: () => reply(405, 'x') },
    { method: 'GET', path: '/bad10', input: { query: { limit: 5 } }, handler: () => 1 },
    { method: 'GET', path: '/bad11', handler: ({ body }) => body },
  ],
})
export const q: string = c
const input = { query: { limit: z.number() } }
export const h: Handler<typeof input, '/orgs/{org_id:int}'> = ({ params, query }) => params.org_id + query.limit

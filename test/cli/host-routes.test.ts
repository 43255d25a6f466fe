import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'

import { addHandler } from '../../examples/inside/nest.ts'
import { load } from '../hosts/apps.ts'
import type { Nest } from '../hosts/nest.ts'
import { findUndescribed } from '../inside/tools.ts'

const DESCRIBED = [
  { methods: ['GET'], path: '/cars/{id:int}' },
  { methods: ['GET', 'POST'], path: '/cars' },
]

/** In a router, one route is described. */
const OF_ROUTER = { methods: ['GET'], path: '/shops/{id}/cars' }

const MISSING = ['DELETE /cars/:key', 'GET /api/owners/:id']

function openHono(): object {
  const app = new Hono()
  app.use(async (_c, next) => next())
  app.get('/cars', (c) => c.json([])).post((c) => c.json({}))
  app.get('/cars/:key{[0-9]+}', (c) => c.json({}))
  app.delete('/cars/:key', (c) => c.json({}))
  const owners = new Hono().get('/owners/:id', (c) => c.json({}))
  app.route('/api', owners)
  app.get('/files/*', (c) => c.text(''))
  return app
}

function openFastify(create: typeof Fastify): object {
  const app = create()
  app.get('/cars', (_, reply) => reply.send([]))
  app.post('/cars', (_, reply) => reply.send({}))
  app.get(String.raw`/cars/:key(^\d+$)`, (_, reply) => reply.send({}))
  app.delete('/cars/:key', (_, reply) => reply.send({}))
  app.register(
    (api, _, done) => {
      api.get('/owners/:id', (_request, reply) => reply.send({}))
      api.get('/files/*', (_request, reply) => reply.send(''))
      done()
    },
    { prefix: '/api' },
  )
  return app
}

function openExpress(create: typeof express): object {
  const app = create()
  app.use((_request, _response, next) => next())
  app
    .route('/cars')
    .get((_, response) => void response.json([]))
    .post((_, response) => void response.json({}))
  app.get('/cars/:key', (_, response) => void response.json({}))
  app.delete('/cars/:key', (_, response) => void response.json({}))
  app.get('/api/owners/:id', (_, response) => void response.json({}))
  return app
}

function openNest(nest: Nest, platform: 'Express' | 'Fastify'): Promise<object> {
  function Cars(): void {}
  function CarsModule(): void {}
  for (const route of [
    nest.Get('/cars'),
    nest.Post('/cars'),
    nest.Get('/cars/:key'),
    nest.Delete('/cars/:key'),
    nest.Get('/api/owners/:id'),
  ])
    addHandler(Cars, [route], [], () => ({}))
  nest.Controller('/')(Cars)
  nest.Module({ controllers: [Cars] })(CarsModule)
  return nest.NestFactory.create(CarsModule, new nest[`${platform}Adapter`](), { logger: false })
}

describe('octavo check --inside', () => {
  for (const [framework, open] of Object.entries({
    Hono: async () => openHono(),
    'Fastify 5': async () => openFastify(Fastify),
    'Fastify 4': async () => openFastify(await load('fastify-4')),
    'Express 5': async () => openExpress(express),
    'Express 4': async () => openExpress(await load('express-4')),
    'NestJS 12 on Express': async () => openNest(await load('nest-12'), 'Express'),
    'NestJS 12 on Fastify': async () => openNest(await load('nest-12'), 'Fastify'),
    'NestJS 10 on Express': async () => openNest(await load('nest-10'), 'Express'),
  }))
    it(`lists the routes of ${framework} that no controller describes`, async () => {
      const found = await findUndescribed({ app: await open() }, 'src/main.ts', DESCRIBED)
      assert.deepEqual(found.toSorted(), MISSING)
    })

  for (const [framework, name] of [
    ['Express 5', 'express'],
    ['Express 4', 'express-4'],
  ] as const)
    it(`lists the routes of routers of ${framework} of which one is described`, async () => {
      const create = await load<typeof express>(name)
      const [app, outer, inner, other] = [create(), create.Router(), create.Router(), create.Router()]
      app.use(outer)
      outer.use('/shops/:shop', inner)
      inner.get('/cars', (_, response) => void response.json([]))
      inner.get('/owners', (_, response) => void response.json([]))
      app.use('/unknown', other)
      other.get('/cars', (_, response) => void response.json([]))
      const found = await findUndescribed({ app }, 'src/main.ts', [...DESCRIBED, OF_ROUTER])
      assert.deepEqual(found, ['GET /shops/{id}/owners'])
    })

  it('refuses a module without an application', async () => {
    await assert.rejects(
      findUndescribed({ port: 3000 }, 'src/main.ts', []),
      /src\/main.ts exports no application/,
    )
  })
})

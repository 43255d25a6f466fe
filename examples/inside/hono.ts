import type { RequestListener } from 'node:http'

import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { inside } from 'octavo/inside/hono'

import { Garage, GarageError } from './garage.ts'
import { versions } from './versions.ts'

export async function createHandler(): Promise<RequestListener> {
  const garage = new Garage()
  const app = new Hono()
  app.use(inside(versions, { app }))
  app.onError((error, c) =>
    c.json({ error: error.message }, error instanceof GarageError ? error.status : 500),
  )

  app.get('/cars', (c) => c.json(garage.list(Number(c.req.query('limit') ?? 20))))
  app.get('/search', (c) => c.json(garage.search(c.req.query('q') ?? '')))
  app.post('/cars', async (c) => c.json(garage.create(await c.req.json()), 201))
  app.get('/cars/:id', (c) => c.json(garage.getOne(c.req.param('id'))))
  app.put('/cars/:id', async (c) => c.json(garage.replace(c.req.param('id'), await c.req.json())))
  app.patch('/cars/:id', async (c) => c.json(garage.update(c.req.param('id'), await c.req.json())))
  app.delete('/cars/:id', (c) => {
    garage.remove(c.req.param('id'))
    return c.body(null, 204)
  })
  app.get('/events', (c) =>
    c.body([...garage.events()].join(''), 200, { 'content-type': 'text/event-stream' }),
  )
  app.get('/owners', (c) => c.json(garage.owners()))
  app.post('/owners', async (c) => c.json(garage.createOwner(await c.req.json()), 201))
  app.get('/owners/:id', (c) => c.json(garage.owner(c.req.param('id'))))
  app.put('/owners/:id/cars/:car', (c) => c.json(garage.sell(c.req.param('id'), c.req.param('car'))))

  return getRequestListener(app.fetch)
}

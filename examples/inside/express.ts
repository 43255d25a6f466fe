import type { RequestListener } from 'node:http'
import { Readable } from 'node:stream'

import express from 'express'
import type { ErrorRequestHandler } from 'express'
import { inside } from 'octavo/inside/express'

import { Garage, GarageError } from './garage.ts'
import { versions } from './versions.ts'

export async function createHandler(): Promise<RequestListener> {
  const garage = new Garage()
  const app = express()
  app.use(inside(versions))
  app.use(express.json())

  app.get('/cars', ({ query }, response) => void response.json(garage.list(Number(query['limit'] ?? 20))))
  app.get<object, object, object, { readonly q: string }>(
    '/search',
    ({ query }, response) => void response.json(garage.search(query.q)),
  )
  app.post('/cars', ({ body }, response) => void response.status(201).json(garage.create(body)))
  app.get('/cars/:id', ({ params }, response) => void response.json(garage.getOne(params.id)))
  app.put('/cars/:id', ({ params, body }, response) => void response.json(garage.replace(params.id, body)))
  app.patch('/cars/:id', ({ params, body }, response) => void response.json(garage.update(params.id, body)))
  app.delete('/cars/:id', ({ params }, response) => {
    garage.remove(params.id)
    response.status(204).end()
  })
  app.get(
    '/events',
    (_, response) => void Readable.from(garage.events()).pipe(response.type('text/event-stream')),
  )
  app.get('/owners', (_, response) => void response.json(garage.owners()))
  app.post('/owners', ({ body }, response) => void response.status(201).json(garage.createOwner(body)))
  app.get('/owners/:id', ({ params }, response) => void response.json(garage.owner(params.id)))
  app.put(
    '/owners/:id/cars/:car',
    ({ params }, response) => void response.json(garage.sell(params.id, params.car)),
  )

  app.use(((error: Error, _request, response, _next) => {
    response.status(error instanceof GarageError ? error.status : 500).json({ error: error.message })
  }) satisfies ErrorRequestHandler)
  return app
}

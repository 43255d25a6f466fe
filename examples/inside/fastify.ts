import type { RequestListener } from 'node:http'
import { Readable } from 'node:stream'

import { fastify } from 'fastify'
import { inside } from 'octavo/inside/fastify'

import { Garage, GarageError } from './garage.ts'
import { versions } from './versions.ts'

interface Id {
  readonly Params: { readonly id: string }
}

export async function createHandler(): Promise<RequestListener> {
  const garage = new Garage()
  const app = fastify()
  await app.register(inside, { versions })
  app.setErrorHandler<Error>((error, _, reply) =>
    reply.code(error instanceof GarageError ? error.status : 500).send({ error: error.message }),
  )

  app.get<{ Querystring: { limit?: string } }>('/cars', async ({ query }) =>
    garage.list(Number(query.limit ?? 20)),
  )
  app.get<{ Querystring: { q: string } }>('/search', async ({ query }) => garage.search(query.q))
  app.post('/cars', async ({ body }, reply) => reply.code(201).send(garage.create(body)))
  app.get<Id>('/cars/:id', async ({ params }) => garage.getOne(params.id))
  app.put<Id>('/cars/:id', async ({ params, body }) => garage.replace(params.id, body))
  app.patch<Id>('/cars/:id', async ({ params, body }) => garage.update(params.id, body))
  app.delete<Id>('/cars/:id', async ({ params }, reply) => {
    garage.remove(params.id)
    return reply.code(204).send()
  })
  app.get('/events', async (_, reply) =>
    reply.type('text/event-stream').send(Readable.from(garage.events(), { objectMode: false })),
  )
  app.get('/owners', async () => garage.owners())
  app.post('/owners', async ({ body }, reply) => reply.code(201).send(garage.createOwner(body)))
  app.get<Id>('/owners/:id', async ({ params }) => garage.owner(params.id))
  app.put<{ Params: { id: string; car: string } }>('/owners/:id/cars/:car', async ({ params }) =>
    garage.sell(params.id, params.car),
  )

  await app.ready()
  return (request, response) => app.routing(request, response)
}

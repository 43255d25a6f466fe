import { defineController, defineRoute, reply, sse } from 'octavo'
import { z } from 'zod'

const Car = z.object({ id: z.number(), built: z.date() })
const car = { id: 7, built: new Date(0) }

export const controller = defineController({
  name: 'CarController',
  routes: [
    {
      method: 'GET',
      name: 'watch',
      input: { query: { since: z.coerce.number().optional() } },
      events: { car: Car, gone: z.string(), ping: z.undefined() },
      handler: ({ query }) =>
        sse(async function* ({ lastEventId }) {
          yield { event: 'car', id: lastEventId ?? String(query.since), data: car }
          yield { event: 'gone', data: 'seven' }
          yield { event: 'ping' }
          yield { comment: 'still here' }
        }),
    },
    {
      method: 'GET',
      path: '/wrong',
      events: { car: Car, gone: z.string() },
      handler: () =>
        // @ts-expect-error -- a car has an id
        sse(function* () {
          yield { event: 'car', data: { built: new Date(0) } }
        }),
    },
    {
      method: 'GET',
      path: '/unknown',
      events: { car: Car, gone: z.string() },
      // @ts-expect-error -- no event has that name
      handler: () => sse([{ event: 'cra', data: car }]),
    },
    {
      method: 'GET',
      path: '/ticks',
      name: 'ticks',
      events: z.number(),
      response: { 404: z.object({ detail: z.string() }) },
      handler: ({ params }) =>
        'x' in params ? reply(404, { detail: 'none' }) : sse([{ data: 1 }, { event: 'message', data: 2 }]),
    },
    {
      method: 'GET',
      path: '/named',
      events: z.number(),
      // @ts-expect-error -- events without a schema of their own have no name
      handler: () => sse([{ event: 'tick', data: 1 }]),
    },
    {
      method: 'GET',
      path: '/list',
      name: 'list',
      items: Car,
      handler: async function* list() {
        yield car
      },
    },
    { method: 'GET', path: '/array', items: Car, handler: async () => [car] },
    {
      method: 'GET',
      path: '/reply',
      items: Car,
      response: { 404: z.string() },
      handler: ({ params }) => ('x' in params ? reply(404, 'none') : [car]),
    },
    {
      method: 'GET',
      path: '/bad',
      items: Car,
      // @ts-expect-error -- an item is a car
      handler: () => [{ id: '7' }],
    },
    {
      method: 'GET',
      path: '/raw',
      items: Car,
      // @ts-expect-error -- events are no items
      handler: () => sse([]),
    },
    {
      method: 'GET',
      path: '/one',
      events: Car,
      // @ts-expect-error -- events are returned by sse
      handler: () => car,
    },
  ],
})

export const route = defineRoute(
  { prefix: '/cars' },
  { method: 'GET', events: { car: Car }, handler: () => sse([{ event: 'car', data: car }]) },
)

import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import type { App } from 'octavo'
import {
  absent,
  defineVersionChange,
  defineVersions,
  derive,
  model,
  operation,
  reshape,
} from 'octavo/changes'
import { host } from 'octavo/inside'
import { z } from 'zod'

const Car = model('Car', { id: z.string(), name: z.string(), priceCents: z.int() })
const NewCar = derive(Car, (car) => car.omit({ id: true }))

const names = defineVersionChange({
  version: '3',
  title: 'A car has a name',
  change: [
    reshape({ of: Car, fields: { name: { was: 'title' } } }),
    operation({ route: 'cars.list', path: { was: '/autos' }, query: { limit: { was: 'max' } } }),
    operation({ route: 'cars.create', response: { status: { 409: { was: 400 } } } }),
    operation({ route: 'cars.search', query: { q: { was: 'text' } } }),
  ],
})

const cents = defineVersionChange({
  version: '2',
  title: 'A price is in cents',
  change: [
    reshape({
      of: Car,
      fields: { price: { was: z.number() }, priceCents: { was: absent } },
      up: ({ price }) => ({ priceCents: Math.round(price * 100) }),
      down: ({ priceCents }) => ({ price: priceCents / 100 }),
    }),
  ],
})

const history = defineVersions({ versions: ['3', '2', '1'], models: { Car }, changes: [names, cents] })

const cars = defineController({
  prefix: '/',
  name: 'cars',
  routes: [
    {
      method: 'GET',
      path: '/cars',
      name: 'list',
      input: { query: z.object({ limit: z.coerce.number().optional() }) },
      response: z.array(Car),
      forward: host,
    },
    { method: 'GET', path: '/cars/{id}', name: 'getOne', response: Car, forward: host },
    {
      method: 'GET',
      path: '/search',
      name: 'search',
      input: { query: z.object({ q: z.string() }) },
      response: Car,
      forward: host,
    },
    { method: 'GET', path: '/tagged', name: 'tagged', response: Car, forward: host },
    { method: 'PUT', path: '/tagged', name: 'putTagged', response: Car, forward: host },
    { method: 'GET', path: '/raw', name: 'raw', response: Car, forward: host },
    {
      method: 'POST',
      path: '/cars',
      name: 'create',
      input: { body: NewCar },
      response: { 201: Car, 409: z.object({ error: z.string() }) },
      forward: host,
    },
    { method: 'GET', path: '/events', name: 'events', events: { car: Car }, forward: host },
    { method: 'GET', path: '/rows', name: 'rows', items: Car, forward: host },
    { method: 'GET', path: '/fails', name: 'fails', response: Car, forward: host },
    { method: 'GET', path: '/login', name: 'login', response: Car, forward: host },
  ],
})

/** The versions of the API that each framework of the tests answers. */
export function createVersions(options: object = {}): App {
  return createApp(defineModule({ controllers: [cars] }), {
    versioning: {
      scheme: VersioningSchemes.HEADER,
      headerParameter: 'x-api-version',
      history,
      defaultVersion: '3',
      echo: true,
    },
    ...options,
  })
}

export const CAR = { id: '7', name: 'Ann', priceCents: 1250 }

import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import { host } from 'octavo/inside'
import { z } from 'zod'

import { history } from './history.ts'
import { Car, CarPatch, Failure, NewCar, NewOwner, Owner } from './models.ts'

const cars = defineController({
  name: 'cars',
  prefix: '/',
  routes: [
    {
      method: 'GET',
      path: '/cars',
      name: 'list',
      input: { query: z.object({ limit: z.coerce.number().optional() }) },
      response: z.array(Car),
      forward: host,
    },
    {
      method: 'GET',
      path: '/search',
      name: 'search',
      input: { query: z.object({ q: z.string() }) },
      response: z.array(Car),
      forward: host,
    },
    {
      method: 'POST',
      path: '/cars',
      name: 'create',
      input: { body: NewCar },
      response: { 201: Car, 409: Failure },
      forward: host,
    },
    { method: 'GET', path: '/cars/{id}', name: 'getOne', response: Car, forward: host },
    { method: 'PUT', path: '/cars/{id}', input: { body: NewCar }, response: Car, forward: host },
    { method: 'PATCH', path: '/cars/{id}', input: { body: CarPatch }, response: Car, forward: host },
    { method: 'DELETE', path: '/cars/{id}', status: 204, forward: host },
    { method: 'GET', path: '/events', events: { car: Car }, forward: host },
  ],
})

const owners = defineController({
  name: 'owners',
  prefix: '/owners',
  routes: [
    { method: 'GET', response: z.array(Owner), forward: host },
    { method: 'POST', input: { body: NewOwner }, response: { 201: Owner }, forward: host },
    { method: 'GET', path: '/{id}', response: Owner, forward: host },
    { method: 'PUT', path: '/{id}/cars/{car}', response: Owner, forward: host },
  ],
})

/** What the API is in its three versions. Handlers are those of the framework. */
export const versions = createApp(defineModule({ controllers: [cars, owners] }), {
  versioning: {
    scheme: VersioningSchemes.HEADER,
    headerParameter: 'x-api-version',
    history,
    defaultVersion: '3',
  },
  logger: false,
})

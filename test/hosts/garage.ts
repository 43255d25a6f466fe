import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import type { App } from 'octavo'
import { host } from 'octavo/inside'
import { z } from 'zod'

import { history } from '../../examples/inside/history.ts'
import { Car, Failure, NewCar } from '../../examples/inside/models.ts'

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
      response: { 201: Car, 409: Failure },
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

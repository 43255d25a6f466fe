import { defineController, VERSION_NEUTRAL } from 'octavo'
import { z } from 'zod'

import { Car, CarListFilter, CreateCar } from './schemas.ts'

/** The resource as the source document has it: no version, no prefix given, so '/car'. */
export const carController = defineController({
  name: 'CarController',
  routes: [
    {
      method: 'POST',
      name: 'create',
      input: { body: CreateCar },
      response: CreateCar.extend({ message: z.string() }),
      handler: ({ body }) => ({ ...body, message: 'This action adds a new car' }),
    },
    {
      method: 'GET',
      name: 'list',
      input: { query: CarListFilter },
      response: z.string(),
      handler: ({ query }) => `This action returns all cars at limit=${query.limit}, offset=${query.offset}`,
    },
    { method: 'GET', path: '/welcome', name: 'welcome', handler: () => ({ detail: 'Welcome to Cars' }) },
    {
      method: 'GET',
      path: '/{car_id:str}',
      name: 'getOne',
      response: z.string(),
      handler: ({ params }) => `This action returns a ${params.car_id} car`,
    },
    {
      method: 'PUT',
      path: '/{car_id:str}',
      name: 'update',
      input: { body: CreateCar },
      response: CreateCar.extend({ message: z.string() }),
      handler: ({ params, body }) => ({
        ...body,
        message: `This action updates #${params.car_id} car resource`,
      }),
    },
    {
      method: 'DELETE',
      path: '/{car_id:str}',
      name: 'remove',
      response: z.string(),
      handler: ({ params }) => `This action removes #${params.car_id} car`,
    },
  ],
})

/** Cars in several versions: what differs is a version on the route, what is the same is written once. */
export const garageController = defineController({
  name: 'GarageController',
  version: ['1', '2'],
  routes: [
    {
      method: 'GET',
      name: 'list',
      handler: (_input, { version }) => ({ version, cars: ['Fiesta', 'Mustang'] }),
    },
    {
      method: 'GET',
      path: '/{car_id:int}',
      name: 'getOne',
      version: '1',
      handler: ({ params }) => ({ id: params.car_id, car: 'Ford Fiesta' }),
    },
    {
      method: 'GET',
      path: '/{car_id:int}',
      name: 'getOne',
      version: ['2', '3'],
      response: Car,
      handler: ({ params }) => ({ id: String(params.car_id), name: 'Ford', model: 'Fiesta', year: 2026 }),
    },
    {
      method: 'GET',
      path: '/status',
      name: 'status',
      version: VERSION_NEUTRAL,
      handler: (_input, { version }) => ({ open: true, version }),
    },
  ],
})

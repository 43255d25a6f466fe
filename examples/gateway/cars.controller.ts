import { defineController } from 'octavo'
import { z } from 'zod'

import { Car, NewCar } from './models.ts'
import { garage } from './upstream.ts'

export const cars = defineController({
  prefix: '/cars',
  name: 'cars',
  routes: [
    {
      method: 'GET',
      name: 'list',
      input: { query: { size: z.int().min(1).optional() } },
      response: z.array(Car),
      forward: garage,
    },
    { method: 'POST', name: 'create', input: { body: NewCar }, response: { 201: Car }, forward: garage },
    {
      method: 'GET',
      path: '/{id:int}',
      name: 'getOne',
      response: { 200: Car, 404: z.object({ error: z.string() }) },
      forward: garage,
    },
    // moved over: it is answered here, from a route that is still forwarded
    {
      method: 'GET',
      path: '/brands',
      name: 'brands',
      response: z.record(z.string(), z.int()),
      handler: async (_input, { call }) => {
        const found = await call<readonly { readonly brand: string }[]>('cars.list')
        const counts: Record<string, number> = {}
        for (const { brand } of found) counts[brand] = (counts[brand] ?? 0) + 1
        return counts
      },
    },
  ],
})

import { absent, defineVersionChange, defineVersions, operation, reshape } from 'octavo/changes'
import { z } from 'zod'

import { Car } from './models.ts'

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

export const history = defineVersions({ versions: ['3', '2', '1'], models: { Car }, changes: [names, cents] })

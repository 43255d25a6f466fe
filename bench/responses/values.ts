import { z } from 'zod'

import { CATALOGUE } from '../http/scenarios.ts'

const Car = z.object({
  id: z.number(),
  name: z.string(),
  price: z.number(),
  isElectric: z.boolean(),
  tags: z.array(z.string()),
})
const Garage = z.object({ name: z.string(), owner: z.string().nullable(), floors: z.array(z.array(Car)) })

/** What routes declare and return, without undeclared members: Fastify leaves them out too, `JSON.stringify` does not. */
export const SAMPLES: Readonly<Record<string, { readonly schema: z.ZodType; readonly value: unknown }>> = {
  'one object': { schema: Car, value: CATALOGUE[0] },
  'list of 10 kB': { schema: z.array(Car), value: CATALOGUE },
  'nested lists': {
    schema: Garage,
    value: {
      name: 'Central',
      owner: null,
      floors: Array.from({ length: 5 }, (_, floor) => CATALOGUE.slice(floor * 4, floor * 4 + 4)),
    },
  },
}

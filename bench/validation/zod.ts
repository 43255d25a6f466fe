import { z } from 'zod'

import type { Kind } from './values.ts'

const amount = z.int().min(1)
const address = z.object({
  street: z.string().min(1),
  city: z.string().min(1),
  code: z.string().regex(/^\d{5}$/),
  country: z.enum(['DE', 'FR', 'IT']),
})
const line = z.object({
  sku: z.string().regex(/^[A-Z]{2}-\d{4}$/),
  amount,
  price: z.object({ currency: z.enum(['EUR', 'USD']), cents: z.int().min(0) }),
})

const small = z.object({
  name: z.string().min(1),
  year: amount,
  isNew: z.boolean(),
  tags: z.array(z.string()),
})
const nested = z.object({
  customer: z.object({ name: z.string().min(1), age: z.int().min(0), address }),
  lines: z.array(line),
  note: z.string().optional(),
})

/** For values that are text, as those of a query: `integer` is what reads one. */
function toQuery(integer: z.ZodType): z.ZodType {
  return z.object({
    limit: integer,
    offset: integer,
    sort: z.enum(['name', 'year']),
    search: z.string().optional(),
  })
}

/** The schemas as zod's own users write them. */
export const ZOD: Readonly<Record<Kind, z.ZodType>> = {
  small,
  nested,
  query: toQuery(z.coerce.number().int().min(0)),
}

/** The schemas as users of Octavo write them: the framework reads numbers out of the text of a query. */
export const OCTAVO: Readonly<Record<Kind, z.ZodType>> = { small, nested, query: toQuery(z.int().min(0)) }

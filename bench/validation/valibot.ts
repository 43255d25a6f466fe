import * as v from 'valibot'

import type { Kind } from './values.ts'

const text = v.pipe(v.string(), v.minLength(1))
const positive = v.pipe(v.number(), v.integer(), v.minValue(1))
const natural = v.pipe(v.number(), v.integer(), v.minValue(0))
const naturalText = v.pipe(v.string(), v.transform(Number), v.number(), v.integer(), v.minValue(0))

const address = v.object({
  street: text,
  city: text,
  code: v.pipe(v.string(), v.regex(/^\d{5}$/)),
  country: v.picklist(['DE', 'FR', 'IT']),
})
const line = v.object({
  sku: v.pipe(v.string(), v.regex(/^[A-Z]{2}-\d{4}$/)),
  amount: positive,
  price: v.object({ currency: v.picklist(['EUR', 'USD']), cents: natural }),
})

export const VALIBOT: Readonly<Record<Kind, v.GenericSchema>> = {
  small: v.object({ name: text, year: positive, isNew: v.boolean(), tags: v.array(v.string()) }),
  nested: v.object({
    customer: v.object({ name: text, age: natural, address }),
    lines: v.array(line),
    note: v.optional(v.string()),
  }),
  query: v.object({
    limit: naturalText,
    offset: naturalText,
    sort: v.picklist(['name', 'year']),
    search: v.optional(v.string()),
  }),
}

import { Type } from 'typebox'
import type { TSchema } from 'typebox'

import type { Kind } from './values.ts'

const text = Type.String({ minLength: 1 })
const positive = Type.Integer({ minimum: 1 })
const natural = Type.Integer({ minimum: 0 })

const address = Type.Object({
  street: text,
  city: text,
  code: Type.String({ pattern: String.raw`^\d{5}$` }),
  country: Type.Enum(['DE', 'FR', 'IT']),
})
const line = Type.Object({
  sku: Type.String({ pattern: String.raw`^[A-Z]{2}-\d{4}$` }),
  amount: positive,
  price: Type.Object({ currency: Type.Enum(['EUR', 'USD']), cents: natural }),
})

export const TYPEBOX: Readonly<Record<Kind, TSchema>> = {
  small: Type.Object({ name: text, year: positive, isNew: Type.Boolean(), tags: Type.Array(Type.String()) }),
  nested: Type.Object({
    customer: Type.Object({ name: text, age: natural, address }),
    lines: Type.Array(line),
    note: Type.Optional(Type.String()),
  }),
  query: Type.Object({
    limit: natural,
    offset: natural,
    sort: Type.Enum(['name', 'year']),
    search: Type.Optional(Type.String()),
  }),
}

import type { Kind } from './values.ts'

const text = { type: 'string', minLength: 1 }
const positive = { type: 'integer', minimum: 1 }
const natural = { type: 'integer', minimum: 0 }

function object(properties: Readonly<Record<string, object>>, optional: readonly string[] = []): object {
  return {
    type: 'object',
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
    properties,
  }
}

const address = object({
  street: text,
  city: text,
  code: { type: 'string', pattern: String.raw`^\d{5}$` },
  country: { enum: ['DE', 'FR', 'IT'] },
})
const line = object({
  sku: { type: 'string', pattern: String.raw`^[A-Z]{2}-\d{4}$` },
  amount: positive,
  price: object({ currency: { enum: ['EUR', 'USD'] }, cents: natural }),
})

export const JSON_SCHEMAS: Readonly<Record<Kind, object>> = {
  small: object({
    name: text,
    year: positive,
    isNew: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
  }),
  nested: object(
    {
      customer: object({ name: text, age: natural, address }),
      lines: { type: 'array', items: line },
      note: { type: 'string' },
    },
    ['note'],
  ),
  query: object(
    { limit: natural, offset: natural, sort: { enum: ['name', 'year'] }, search: { type: 'string' } },
    ['search'],
  ),
}

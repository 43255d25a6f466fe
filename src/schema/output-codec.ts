import { toRecord } from '../values.ts'
import { isSchema } from './schema.ts'
import type { Schema } from './schema.ts'
import { dateFromText } from './text-values.ts'
import { unwrap } from './unwrap.ts'

/** Makes dates of the ISO texts in a value, where a schema has dates; the rest stays as it is. */
export type Revive = (value: unknown) => unknown

/** What a schema without dates needs. */
export const AS_IT_IS: Revive = (value) => value

/** Levels of a schema that are searched for dates: recursive schemas have no end. */
const MAX_DEPTH = 8

/**
 * Makes the function that lets a response be returned as it is on the wire: a date may be given as ISO text. `undefined` when the
 * schema holds no dates.
 */
export function toRevive(schema: Schema, depth = 0): Revive | undefined {
  const def = depth > MAX_DEPTH ? undefined : unwrap(schema)
  const inner = (value: unknown): Revive | undefined =>
    isSchema(value) ? toRevive(value, depth + 1) : undefined
  switch (def?.type) {
    case 'date':
      return (value) => (typeof value === 'string' ? (dateFromText(value) ?? value) : value)
    case 'array': {
      const element = inner(def['element'])
      return element && ((value) => (Array.isArray(value) ? value.map(element) : value))
    }
    case 'record': {
      const member = inner(def['valueType'])
      return member && ((value) => reviveMembers(value, () => member))
    }
    case 'object': {
      const fields = new Map(
        Object.entries(toRecord(def['shape'])).flatMap(([name, field]) => {
          const revive = inner(field)
          return revive === undefined ? [] : [[name, revive] as const]
        }),
      )
      return fields.size === 0 ? undefined : (value) => reviveMembers(value, (name) => fields.get(name))
    }
    default:
      return undefined
  }
}

function reviveMembers(value: unknown, find: (name: string) => Revive | undefined): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, find(name)?.(member) ?? member]),
  )
}

import { defOf, makeLater, toZod, type Schema } from './schema.ts'
import { bigintFromText, dateFromText } from './text-values.ts'
import { childrenOf, mapSchema, type Child } from './walk.ts'

/** Reads a value of JSON as what a type of schema takes. What it cannot read it returns as it is, for the schema to refuse. */
type FromJson = (value: unknown) => unknown

/** How values are read for types of schema that JSON has no values for. */
type Readers = Readonly<Record<string, FromJson>>

const toDate: FromJson = (value) => (typeof value === 'string' ? (dateFromText(value) ?? value) : value)

const toBigint: FromJson = (value) => {
  if (typeof value === 'string') return bigintFromText(value) ?? value
  // of larger numbers nobody knows the digits that were sent
  return Number.isSafeInteger(value) ? BigInt(Number(value)) : value
}

/** Reads JSON bodies by the rules of a query: ISO 8601 text as dates, integers and text of digits as bigints. */
export const BODY_READERS: Readers = { date: toDate, bigint: toBigint }

/** Reads results that are as they will be sent: ISO 8601 text as dates. */
export const RESULT_READERS: Readers = { date: toDate }

/** Returns the schema itself if it takes values of JSON only, and otherwise a copy that reads them. The raw value for preprocess stays. */
export function fromJson(schema: Schema, readers: Readers): Schema {
  if (!mayRead(schema, readers)) return schema
  return makeLater(defOf(schema), ({ preprocess }) => {
    const made = new WeakMap<Schema, Schema>()
    const copy = (given: Schema): Schema => {
      const known = made.get(given)
      if (known !== undefined) return known
      const def = defOf(given)
      const read = def['coerce'] === true ? undefined : readers[def.type]
      const copied = read === undefined ? copyMembers(given) : preprocess(read, toZod(given))
      made.set(given, copied)
      return copied
    }
    const copyMembers = (given: Schema): Schema =>
      mayRead(given, readers)
        ? mapSchema(given, (child) => (isRead(child) ? copy(child.schema) : child.schema))
        : given
    return toZod(copy(schema))
  })
}

/** JSON has none of these, so nothing in them is read. */
const CLOSED = new Set(['map', 'set', 'promise', 'function', 'template_literal'])

/** Whether a schema takes a value as it was sent. Keys are text, and the end of a pipe takes what its start gives. */
function isRead({ member }: Child): boolean {
  return member !== 'keyType' && member !== 'out'
}

function mayRead(schema: Schema, readers: Readers, seen = new Set<Schema>()): boolean {
  if (seen.has(schema)) return false
  seen.add(schema)
  const { type } = defOf(schema)
  // a lazy schema may not be there yet
  if (type === 'lazy' || type in readers) return true
  return (
    !CLOSED.has(type) &&
    childrenOf(schema).some((child) => isRead(child) && mayRead(child.schema, readers, seen))
  )
}

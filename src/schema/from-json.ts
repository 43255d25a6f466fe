import { toRecord } from '../base/values.ts'
import { defOf, isSchema } from './schema.ts'
import { makeLater, toZod } from './to-zod.ts'
import type { Schema } from './schema.ts'
import { bigintFromText, dateFromText } from './text-values.ts'
import { schemasOf } from './unwrap.ts'

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
  if (!mayRead(schema, readers, new Set())) return schema
  return makeLater(defOf(schema), ({ core, preprocess }) => {
    const made = new WeakMap<Schema, Schema>()
    const copy = (given: Schema): Schema => {
      const known = made.get(given)
      if (known !== undefined) return known
      const def = defOf(given)
      const read = def['coerce'] === true ? undefined : readers[def.type]
      const copied =
        read === undefined ? mapped(given, readers, copy, core.clone) : preprocess(read, toZod(given))
      made.set(given, copied)
      return copied
    }
    return toZod(copy(schema))
  })
}

/** The members of definitions that take a value as it was sent. The end of a pipe takes what its start gives. */
const MEMBERS = 'element items rest valueType catchall options left right innerType in'.split(' ')

/** JSON has none of these, so nothing in them is read. */
const CLOSED = new Set(['map', 'set', 'promise', 'function'])

function innerOf(schema: Schema): readonly Schema[] {
  const def = defOf(schema)
  if (CLOSED.has(def.type)) return []
  const members = MEMBERS.map((name) => def[name])
  return [...Object.values(toRecord(def['shape'])), ...members, ...members.flatMap(schemasOf)].filter(
    isSchema,
  )
}

function mayRead(schema: Schema, readers: Readers, seen: Set<Schema>): boolean {
  if (seen.has(schema)) return false
  seen.add(schema)
  const { type } = defOf(schema)
  // a lazy schema may not be there yet
  return type === 'lazy' || type in readers || innerOf(schema).some((inner) => mayRead(inner, readers, seen))
}

type Clone = (schema: ReturnType<typeof toZod>, def: never) => Schema

function mapped(given: Schema, readers: Readers, copy: (inner: Schema) => Schema, clone: Clone): Schema {
  if (!mayRead(given, readers, new Set())) return given
  const def = defOf(given)
  const changed: Record<string, unknown> = {}
  for (const name of MEMBERS) {
    const member = def[name]
    if (isSchema(member)) changed[name] = copy(member)
    else if (Array.isArray(member)) changed[name] = schemasOf(member).map(copy)
  }
  const { shape, getter } = def
  if (shape !== undefined) changed['shape'] = lazyShape(toRecord(shape), copy)
  if (typeof getter === 'function') {
    changed['getter'] = () => copy(getter())
    // what zod remembers of the getter that was there
    changed['_cachedInner'] = undefined
  }
  // a default may be made anew each time that zod asks for it
  const copied = Object.defineProperties({}, Object.getOwnPropertyDescriptors(def))
  for (const [name, value] of Object.entries(changed))
    Object.defineProperty(copied, name, { value, enumerable: true, writable: true, configurable: true })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a definition of the same type as before
  return clone(toZod(given), copied as never)
}

/** The fields of an object, copied when zod reads them: a field may hold its object again. */
function lazyShape(shape: Readonly<Record<string, unknown>>, copy: (inner: Schema) => Schema): object {
  const fields = Object.entries(shape).map(([name, field]): [string, PropertyDescriptor] => [
    name,
    { enumerable: true, get: () => (isSchema(field) ? copy(field) : field) },
  ])
  return Object.defineProperties({}, Object.fromEntries(fields))
}

import { toRecord } from '../base/values.ts'
import {
  schemasOf,
  unwrap,
  defOf,
  makeLater,
  toZod,
  planFields,
  childrenOf,
  mapSchema,
  type Schema,
  type SchemaDef,
  type FieldPlans,
  type ChildSchema,
} from './schema.ts'

/** Turns text into a value, or `undefined` if the text is not one. */
type FromText = (text: string) => unknown

/** Longer digit strings are not read: `BigInt` takes quadratic time for them. */
const MAX_DIGITS = 1000

/** Decimal only: no exponent, no hexadecimal, no blanks, no `NaN` and no `Infinity`. */
function numberFromText(text: string): number | undefined {
  const whole = wholeFromText(text)
  if (whole !== undefined) return whole
  if (!/^-?\d+(?:\.\d+)?$/.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** The longest text whose digits are added up: no number of so many loses a digit. */
const MAX_WHOLE = 15

/** A short text of digits alone, which most numbers are: an expression takes longer to start than they take to be read. */
function wholeFromText(text: string): number | undefined {
  if (text.length === 0 || text.length > MAX_WHOLE) return undefined
  let value = 0
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) return undefined
    value = 10 * value + digit
  }
  return value
}

/** A whole number of any size, up to 1,000 digits. */
function bigintFromText(text: string): bigint | undefined {
  return text.length <= MAX_DIGITS && /^-?\d+$/.test(text) ? BigInt(text) : undefined
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['on', true],
  ['false', false],
  ['0', false],
  ['no', false],
  ['off', false],
])

/** `true false 1 0 yes no on off`, in any case. */
function booleanFromText(text: string): boolean | undefined {
  return text.length <= 5 ? BOOLEANS.get(text.toLowerCase()) : undefined
}

const ISO_DATE =
  /^(\d{4})-(\d{2})-(\d{2})(?:T([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/

/** An ISO 8601 date or date and time in the real calendar; without an offset it is UTC. */
function dateFromText(text: string): Date | undefined {
  const [, year, month, day, hour, offset] = ISO_DATE.exec(text) ?? []
  if (year === undefined) return undefined
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  if (date.getUTCMonth() + 1 !== Number(month) || date.getUTCDate() !== Number(day)) return undefined
  return new Date(hour !== undefined && offset === undefined ? `${text}Z` : text)
}

/** One of the given values: by its own text, or as the number, bigint or boolean that the text means. */
function oneOfFromText(values: readonly unknown[]): FromText {
  const known = new Set(values)
  const readers: readonly FromText[] = [(text) => text, numberFromText, bigintFromText, booleanFromText]
  return (text) => {
    for (const read of readers) {
      const value = read(text)
      if (known.has(value)) return value
    }
    return undefined
  }
}

/** How the values of one field, which arrive as text, become what its schema validates. */
export interface FieldPlan {
  /** Reads one value; the text itself goes to the schema when this gives `undefined`. */
  readonly read: FromText
  /** Whether the schema takes text as it is, blank text included. */
  readonly text: boolean
  /** How values are collected that are repeated or that `read` cannot read, or `null` if the field holds one value. */
  readonly list: {
    readonly kind: 'array' | 'set'
    readonly items: readonly FieldPlan[]
    readonly rest: FieldPlan | null
  } | null
  /** Whether the field can hold several values: a list, or one of a value and a list. */
  readonly several: boolean
  /** Whether the field declares a nested object. */
  readonly nested: boolean
}

/** How the fields of a source that arrives as text become what its schema validates. */
export type SourcePlan = FieldPlans<FieldPlan>

const TEXT: FieldPlan = { read: (text) => text, text: true, list: null, several: false, nested: false }
/** For schemas of unknown kind: one value as text, several as a list. */
const NONE: FieldPlan = { ...TEXT, read: () => undefined, text: false }

/** Reads from a schema how its fields arrive as text. A schema that is no object hands every field on as it came. */
export function toSourcePlan(schema: Schema): SourcePlan {
  return planFields(schema, TEXT, (field) => toFieldPlan(field), toUnionPlan)
}

/** How a value of each schema type is read from text; types that are not listed get the text. */
const READERS: Readonly<Record<string, (def: SchemaDef) => FromText>> = {
  number: () => numberFromText,
  bigint: () => bigintFromText,
  boolean: () => booleanFromText,
  date: () => dateFromText,
  enum: (def) => oneOfFromText(Object.values(toRecord(def['entries']))),
  literal: (def) => oneOfFromText(Array.isArray(def['values']) ? def['values'] : []),
}

const NESTED_TYPES = new Set(['object', 'record', 'map', 'intersection', 'file'])

/** A recursive schema, such as `z.json()`, is not followed for ever. */
const MAX_DEPTH = 8

function toFieldPlan(schema: Schema, depth = 0): FieldPlan {
  const def = depth > MAX_DEPTH ? undefined : unwrap(schema)
  if (def === undefined || def['coerce'] === true) return TEXT
  const plansOf = (member: string): readonly FieldPlan[] =>
    schemasOf([def[member]].flat()).map((inner) => toFieldPlan(inner, depth + 1))
  switch (def.type) {
    case 'array':
      return toListPlan('array', [], plansOf('element')[0])
    case 'set':
      return toListPlan('set', [], plansOf('valueType')[0])
    case 'tuple':
      return toListPlan('array', plansOf('items'), plansOf('rest')[0])
    case 'union':
      return toUnionPlan(plansOf('options'))
    default: {
      const reader = READERS[def.type]
      if (reader === undefined) return { ...TEXT, nested: NESTED_TYPES.has(def.type) }
      const read = reader(def)
      return { ...NONE, read, text: read('') !== undefined }
    }
  }
}

function toListPlan(
  kind: 'array' | 'set',
  items: readonly FieldPlan[],
  rest: FieldPlan | undefined,
): FieldPlan {
  const plans = rest === undefined ? items : [...items, rest]
  return {
    ...NONE,
    text: plans.some((plan) => plan.text),
    list: { kind, items, rest: rest ?? null },
    several: true,
    nested: plans.some((plan) => plan.nested || plan.list !== null),
  }
}

/** The first option that can read a text wins. Repeated texts, and texts that no option can read, are for the list option. */
function toUnionPlan(options: readonly FieldPlan[]): FieldPlan {
  return {
    read: (text) => {
      for (const option of options) {
        const value = option.read(text)
        if (value !== undefined) return value
      }
      return undefined
    },
    text: options.some((option) => option.text),
    list: options.find((option) => option.list !== null)?.list ?? null,
    several: options.some((option) => option.several),
    nested: options.some((option) => option.nested),
  }
}

/** Reads a JSON value as a type of schema takes it. Other values are returned as they are, for the schema to refuse. */
type FromJson = (value: unknown) => unknown

/** How values are read for types of schema that JSON has no values for. */
type Readers = Readonly<Record<string, FromJson>>

const dateFromJson: FromJson = (value) => (typeof value === 'string' ? (dateFromText(value) ?? value) : value)

const toBigint: FromJson = (value) => {
  if (typeof value === 'string') return bigintFromText(value) ?? value
  // of larger numbers nobody knows the digits that were sent
  return Number.isSafeInteger(value) ? BigInt(Number(value)) : value
}

/** Reads JSON bodies by the rules of a query: ISO 8601 text as dates, integers and text of digits as bigints. */
export const BODY_READERS: Readers = { date: dateFromJson, bigint: toBigint }

/** Reads results that are as they will be sent: ISO 8601 text as dates. */
export const RESULT_READERS: Readers = { date: dateFromJson }

/** Returns the schema itself if it takes values of JSON only, and otherwise a copy that reads them. The raw value for preprocess stays. */
export function withJsonReaders(schema: Schema, readers: Readers): Schema {
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
function isRead({ member }: ChildSchema): boolean {
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

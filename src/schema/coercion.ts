import { toRecord } from '../base/values.ts'
import { isSchema } from './schema.ts'
import type { Schema, SchemaDef } from './schema.ts'
import {
  bigintFromText,
  booleanFromText,
  dateFromText,
  numberFromText,
  oneOfFromText,
} from './text-values.ts'
import type { FromText } from './text-values.ts'
import { schemaOf, schemasOf, unwrap } from './unwrap.ts'

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
export interface SourcePlan {
  readonly fields: ReadonlyMap<string, FieldPlan>
  /** For fields that are not declared, or `null` if those are not handed to the schema. */
  readonly others: FieldPlan | null
}

const TEXT: FieldPlan = { read: (text) => text, text: true, list: null, several: false, nested: false }
/** For schemas of unknown kind: one value as text, several as a list. */
const NONE: FieldPlan = { ...TEXT, read: () => undefined, text: false }

/** Reads from a schema how its fields arrive as text. A schema that is no object hands every field on as it came. */
export function toSourcePlan(schema: Schema): SourcePlan {
  const def = unwrap(schema)
  switch (def?.type) {
    case 'object': {
      const shape = toRecord(def['shape'])
      const catchall = schemaOf(def['catchall'])
      return {
        fields: new Map(
          Object.entries(shape).flatMap(([name, field]) =>
            isSchema(field) ? [[name, toFieldPlan(field)] as const] : [],
          ),
        ),
        // a strict object has to see what is not declared, to refuse it
        others: catchall === undefined ? null : toFieldPlan(catchall),
      }
    }
    case 'intersection':
      return merge(
        [def['left'], def['right']].flatMap((side) => (isSchema(side) ? [toSourcePlan(side)] : [])),
      )
    case 'union':
      return merge(schemasOf(def['options']).map(toSourcePlan))
    case 'record':
      return { fields: new Map(), others: isSchema(def['valueType']) ? toFieldPlan(def['valueType']) : TEXT }
    default:
      return { fields: new Map(), others: TEXT }
  }
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
  const toPlan = (inner: Schema): FieldPlan => toFieldPlan(inner, depth + 1)
  switch (def.type) {
    case 'array':
      return toListPlan('array', [], schemasOf([def['element']]).map(toPlan)[0])
    case 'set':
      return toListPlan('set', [], schemasOf([def['valueType']]).map(toPlan)[0])
    case 'tuple':
      return toListPlan('array', schemasOf(def['items']).map(toPlan), schemasOf([def['rest']]).map(toPlan)[0])
    case 'union':
      return toUnionPlan(schemasOf(def['options']).map(toPlan))
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

/** The first option that can read a text wins; what none can read, and what is repeated, is for the list option. */
function toUnionPlan(options: readonly FieldPlan[]): FieldPlan {
  const single = options.filter((option) => option.list === null)
  return {
    read: (text) => {
      for (const option of single) {
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

function merge(plans: readonly SourcePlan[]): SourcePlan {
  const names = new Set(plans.flatMap((plan) => [...plan.fields.keys()]))
  const fieldOf = (name: string): FieldPlan =>
    toUnionPlan(plans.flatMap((plan) => plan.fields.get(name) ?? []))
  return {
    fields: new Map([...names].map((name) => [name, fieldOf(name)])),
    others: plans.find((plan) => plan.others !== null)?.others ?? null,
  }
}

import { toRecord } from '../base/values.ts'
import { schemasOf, unwrap, type Schema, type SchemaDef } from './schema.ts'
import {
  bigintFromText,
  booleanFromText,
  dateFromText,
  numberFromText,
  oneOfFromText,
  type FromText,
} from './text-values.ts'
import { planFields, type FieldPlans } from './walk.ts'

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

/** The first option that can read a text wins; what none can read, and what is repeated, is for the list option. */
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

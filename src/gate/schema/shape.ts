import type { IsSame, WrittenSchema } from '../document/deep-equal.ts'

/** A set of JSON values, as alternatives of one type each. Schemas with equal meaning become equal shapes, however they are written. */
export interface ValueSet {
  /** A value is in the set if one of them has it. None is the empty set. */
  readonly parts: readonly Alternative[]
  readonly notes: ShapeNotes
  /** The schema, or the first of several, as it stands in its document. */
  readonly place: object | undefined
  /** The schema that has these values and no others; missing for a part or an intersection of schemas. */
  readonly schema?: WrittenSchema
  /** The shapes that an intersection is made of. */
  readonly meets?: readonly ValueSet[]
}

/** A shape that is read when somebody asks: schemas may contain themselves. */
export type LazyValues = () => ValueSet

/** The statements of a schema beside the set of values. */
export interface ShapeNotes {
  readonly default?: unknown
  readonly deprecated?: boolean
  readonly sunset?: string
  /** New values of an enumeration are announced: clients have to take values they do not know. */
  readonly isExtensible?: boolean
  /** The values that `x-extensible-enum` lists, beside which others may come. */
  readonly announced?: readonly unknown[]
  readonly readOnly?: boolean
  readonly discriminator?: string
  /** The reason why the schema cannot be read. */
  readonly unreadable?: string
}

/** A rule that has no place of its own in a shape; equal rules have equal keys. */
export interface Rule {
  readonly key: string
  readonly keyword: string
  /** Whether a value keeps to it, or `undefined` if that cannot be said. */
  readonly holds: (value: unknown) => boolean | undefined
  /** Whether it refuses anything at all; if this is missing, it may. */
  readonly says?: () => boolean
}

/** The rules of a part that may refuse something. */
export function alternativeRules({ rules }: Alternative): readonly Rule[] {
  return rules.length === 0 ? rules : rules.filter(({ says }) => says?.() !== false)
}

interface Common {
  /** The name of the schema that a reference led to, or its title. */
  readonly name?: string | undefined
  /** Its place among the alternatives of the schema. */
  readonly branch?: number | undefined
  /** The schema that has this part and no other, if another one refers to it. */
  readonly home?: LazyValues | undefined
  readonly rules: readonly Rule[]
}

/** One value. */
export interface ValuePart extends Common {
  readonly kind: 'value'
  readonly value: unknown
}

export interface Bound {
  readonly value: number
  readonly isExclusive: boolean
}

export interface NumberPart extends Common {
  readonly kind: 'number'
  readonly isInteger: boolean
  readonly min?: Bound | undefined
  readonly max?: Bound | undefined
  readonly multiples: readonly number[]
  readonly formats: readonly string[]
}

export interface StringPart extends Common {
  readonly kind: 'string'
  readonly minLength: number
  readonly maxLength: number
  readonly patterns: readonly string[]
  readonly formats: readonly string[]
}

export interface ArrayPart extends Common {
  readonly kind: 'array'
  readonly prefix: readonly LazyValues[]
  /** Of the items after those of `prefix`. */
  readonly items: LazyValues
  readonly minItems: number
  readonly maxItems: number
  readonly isUnique: boolean
}

export interface Property {
  readonly shape: LazyValues
  readonly isRequired: boolean
  /** Whether the side does not write it: `readOnly` in a request, `writeOnly` in a response. */
  readonly isForeign?: boolean
  /** Its schema, as it stands in the document. */
  readonly node?: object | undefined
  /** The object schemas that name it. */
  readonly owners?: readonly object[]
}

/** Members that an object does not name: any, none, or those of a schema. */
export type OtherMembers = 'open' | 'closed' | LazyValues

export interface ObjectPart extends Common {
  readonly kind: 'object'
  readonly properties: ReadonlyMap<string, Property>
  readonly rest: OtherMembers
  readonly patterns: ReadonlyMap<string, LazyValues>
  readonly names?: LazyValues | undefined
  readonly minProperties: number
  readonly maxProperties: number
  /** The schemas that it is made of, as they stand in their document. */
  readonly owners: readonly object[]
}

export type Alternative = ValuePart | NumberPart | StringPart | ArrayPart | ObjectPart

/** The types of JSON. */
export type JsonType = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object'

/** The type of a JSON value. */
export function typeOfValue(value: unknown): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  return type === 'boolean' || type === 'number' || type === 'string' ? type : 'object'
}

/** The type of the values of a part. */
export function alternativeType(part: Alternative): JsonType {
  return part.kind === 'value' ? typeOfValue(part.value) : part.kind
}

const NO_RULES: readonly Rule[] = []
export const ANY_NUMBER: NumberPart = {
  kind: 'number',
  isInteger: false,
  multiples: [],
  formats: [],
  rules: NO_RULES,
}
export const ANY_STRING: StringPart = {
  kind: 'string',
  minLength: 0,
  maxLength: Number.POSITIVE_INFINITY,
  patterns: [],
  formats: [],
  rules: NO_RULES,
}
export const ANY_OBJECT: ObjectPart = {
  kind: 'object',
  properties: new Map(),
  rest: 'open',
  patterns: new Map(),
  minProperties: 0,
  maxProperties: Number.POSITIVE_INFINITY,
  owners: [],
  rules: NO_RULES,
}

/** A part with one value. */
export function toValuePart(value: unknown): ValuePart {
  return { kind: 'value', value, rules: NO_RULES }
}

/** A shape of one part. */
export function toAlone(part: Alternative): ValueSet {
  return { parts: [part], notes: {}, place: undefined }
}

/** Every JSON value. */
export const ANY: ValueSet = {
  parts: [
    toValuePart(null),
    toValuePart(true),
    toValuePart(false),
    ANY_NUMBER,
    ANY_STRING,
    {
      kind: 'array',
      prefix: [],
      items: () => ANY,
      minItems: 0,
      maxItems: Number.POSITIVE_INFINITY,
      isUnique: false,
      rules: NO_RULES,
    },
    ANY_OBJECT,
  ],
  notes: {},
  place: undefined,
}

/** The values of a schema that cannot be read: there may be any, and none of them is known to be there. */
export function toUnreadable(reason: string, place: object | undefined): ValueSet {
  const rule: Rule = { key: reason, keyword: '$ref', holds: () => undefined }
  const parts = ANY.parts.map((part): Alternative => ({ ...part, rules: [rule] }))
  return { parts, notes: { unreadable: reason }, place }
}

/** No value. */
export const NEVER: ValueSet = { parts: [], notes: {}, place: undefined }

/** Whether two shapes are of schemas that say the same word for word. */
export function areWrittenSame(one: ValueSet, other: ValueSet, isSame: IsSame): boolean {
  return one.schema !== undefined && other.schema !== undefined && isSame(one.schema, other.schema)
}

/** Whether a shape has every value. */
export function isAny(shape: ValueSet): boolean {
  return shape.parts === ANY.parts
}

/** Whether members that an object does not name may have any value. */
export function isOpenRest(rest: OtherMembers): boolean {
  return rest === 'open' || (typeof rest === 'function' && isAny(rest()))
}

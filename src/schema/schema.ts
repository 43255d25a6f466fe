import { shared } from '../base/copies.ts'
import type * as Zod from 'zod'
import type { z } from 'zod'

import { toRecord, importInTurn } from '../base/values.ts'

/**
 * The members of a zod schema's type that Octavo needs. Constraining with this instead of `z.ZodType` keeps the type check of an
 * application several times cheaper.
 */
export interface Schema {
  /** Zod's own description of the schema. */
  readonly _zod: {
    /** For types alone: the type of a value after validation. */
    readonly output: unknown
    /** For types alone: the type of a value before validation. */
    readonly input: unknown
  }
}

/** The value of a schema after validation. */
export type OutputOf<S> = S extends { readonly _zod: { readonly output: infer O } } ? O : never

/** The value that a schema takes. */
export type InputOf<S> = S extends { readonly _zod: { readonly input: infer I } } ? I : never

/** A schema of zod with this output. */
export type SchemaOf<T> = z.ZodType<T>

/** All of JSON, as `z.json()` takes it. */
export type JsonValue = z.core.util.JSONType

/** Schemas by field name. */
export type Fields = Readonly<Record<string, Schema>>

/** The part of a zod definition that tells what kind of value a schema takes. */
export interface SchemaDef {
  readonly type: string
  readonly [member: string]: unknown
}

/** Whether the value is a zod schema. */
export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && '_zod' in value && typeof value._zod === 'object'
}

/** The definition behind a schema; zod documents it as `_zod.def`. */
export function defOf(schema: Schema): SchemaDef {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- zod keeps `def` on every schema, outside our minimal type
  return (schema._zod as unknown as { readonly def: SchemaDef }).def
}

let zod: typeof Zod | undefined
/** Whether there is something to validate with. */
let isWanted = false

/**
 * Loads zod where anything is validated; to be awaited before the first value is. Its own loading takes longer than all else at the
 * start of an application, which need not wait for it when it has no schema.
 */
export async function loadZod(): Promise<void> {
  if (isWanted) zod ??= await importInTurn(() => import('zod'))
}

/** Marks a schema that has values to validate. */
export function wantZod(): void {
  isWanted = true
}

/** Stores zod once a module has loaded it. */
export function provideZod(from: typeof Zod): void {
  zod ??= from
}

/** zod, once it is loaded. */
export function loadedZod(): typeof Zod | undefined {
  return zod
}

const WRAPPERS = new Set([
  'optional',
  'nullable',
  'default',
  'prefault',
  'readonly',
  'catch',
  'nonoptional',
  'success',
  'lazy',
])

/** The schema inside a wrapper. */
export function innerOf({ innerType, getter }: SchemaDef): Schema | undefined {
  return schemaOf(typeof getter === 'function' ? getter() : innerType)
}

/** The schema that a value meets first, below wrappers, or `undefined` if the raw value is wanted (preprocess, codecs). */
export function unwrapSchema(schema: Schema): Schema | undefined {
  const def = defOf(schema)
  if (WRAPPERS.has(def.type)) {
    const inner = innerOf(def)
    return inner === undefined ? schema : unwrapSchema(inner)
  }
  if (def.type !== 'pipe') return schema
  const { in: first, reverseTransform } = def
  if (reverseTransform !== undefined || !isSchema(first) || defOf(first).type === 'transform')
    return undefined
  return unwrapSchema(first)
}

/** The definition of the schema that a value meets first. */
export function unwrap(schema: Schema): SchemaDef | undefined {
  const inner = unwrapSchema(schema)
  return inner === undefined ? undefined : defOf(inner)
}

export function schemasOf(value: unknown): readonly Schema[] {
  return Array.isArray(value) ? value.filter(isSchema) : []
}

export function schemaOf(value: unknown): Schema | undefined {
  return isSchema(value) ? value : undefined
}

/** Loads zod for who works on schemas and validates nothing. */
export async function requireZod(): Promise<void> {
  wantZod()
  await loadZod()
}

/** Returns the metadata that `meta` and `describe` set on a schema, and on the one that it is a clone of; zod has to be loaded. */
export function metaOf(schema: Schema): Readonly<Record<string, unknown>> {
  return loaded().globalRegistry.get(toZod(schema)) ?? {}
}

/** Runs a function for which these schemas have no id: zod refuses to convert two of one id, and says nothing of the others. */
export function withoutIds<T>(schemas: readonly Schema[], run: () => T): T {
  const { globalRegistry } = loaded()
  const kept = schemas.map((schema) => ({ type: toZod(schema), meta: metaOf(schema) }))
  for (const { type, meta } of kept) {
    const { id: _id, ...others } = meta
    globalRegistry.remove(type).add(type, others)
  }
  try {
    return run()
  } finally {
    for (const { type, meta } of kept) addMeta(type, meta)
  }
}

/** Schemas that Octavo makes, once zod is there; until then they have the definition that plans are made from. */
const promised = /* @__PURE__ */ shared(
  'schema.promised',
  () => new WeakMap<Schema, (from: typeof Zod) => z.ZodType>(),
)

export function toObjectSchema(fields: Fields): Schema {
  return makeLater({ type: 'object', shape: fields }, ({ object }) =>
    object(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, toZod(field)]))),
  )
}

/** One schema for a list of names: each a required string. */
export function toNamesSchema(names: readonly string[]): Schema {
  const text = makeLater({ type: 'string' }, ({ string }) => string())
  return toObjectSchema(Object.fromEntries(names.map((name) => [name, text])))
}

/** A schema that Octavo makes, of this kind, once zod is there. */
export function makeLater(def: SchemaDef, make: (from: typeof Zod) => z.ZodType): Schema {
  const internals: Schema['_zod'] & { readonly def: SchemaDef } = { def, output: undefined, input: undefined }
  const schema: Schema = { _zod: internals }
  promised.set(schema, make)
  return schema
}

/** The schema as zod knows it; zod has to be loaded where Octavo made the schema. */
export function toZod(schema: Schema): z.ZodType {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `Schema` is the part of z.ZodType that Octavo names
  return promised.get(schema)?.(loaded()) ?? (schema as unknown as z.ZodType)
}

/**
 * Registers what documents show of a schema. Releases of zod before 4.3 register it and throw if another schema has its id, as each version of
 * a model has.
 */
export function addMeta(type: z.ZodType, meta: Readonly<Record<string, unknown>>): void {
  const { globalRegistry } = loaded()
  try {
    globalRegistry.add(type, meta)
  } catch (error) {
    if (globalRegistry.get(type) !== meta) throw error
  }
}

/** zod, where it has to be loaded. */
export function loaded(): typeof Zod {
  if (zod === undefined) throw new Error('zod is not loaded yet')
  return zod
}

/** Whether Octavo made the schema. */
export function isOwnSchema(schema: Schema): boolean {
  return promised.has(schema)
}

/** Every status of success, for those that are declared. */
export type SuccessStatus = 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226

/** The statuses besides exact ones that a response map takes; an exact status wins over its range, and that over `default`. */
export const RANGES = ['4XX', '5XX', 'default'] as const

/** A key of a response map. */
export type ResponseKey = number | (typeof RANGES)[number]

/** Returns the declaration of a status. */
export function findResponse<T>(responses: ReadonlyMap<ResponseKey, T>, status: number): T | undefined {
  const declared = responses.get(status)
  if (declared !== undefined) return declared
  const range = status >= 500 ? '5XX' : '4XX'
  return (status >= 400 ? responses.get(range) : undefined) ?? responses.get('default')
}

/** The status of a stream. Clients take events of no other (the HTML standard, section 9.2.3). */
export const STREAM_STATUS = 200

/** The fields of an object schema. */
export function objectShape(schema: Schema): Readonly<Record<string, Schema>> {
  const { shape } = defOf(schema)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- zod keeps schemas there, and nothing else
  return toRecord(shape) as Readonly<Record<string, Schema>>
}

/** A schema that is directly in another one. */
export interface ChildSchema {
  /** The member of the definition that holds it. */
  readonly member: string
  /** Its name or index there, or `undefined` if the member holds one schema. */
  readonly key: string | undefined
  readonly schema: Schema
}

/** The members of definitions that hold schemas, by the type of the definition, in the order in which zod reads them. */
const HOLDERS: Readonly<Record<string, readonly string[]>> = {
  object: ['shape', 'catchall'],
  array: ['element'],
  tuple: ['items', 'rest'],
  record: ['keyType', 'valueType'],
  map: ['keyType', 'valueType'],
  set: ['valueType'],
  union: ['options'],
  intersection: ['left', 'right'],
  pipe: ['in', 'out'],
  lazy: ['getter'],
  template_literal: ['parts'],
  function: ['input', 'output'],
  ...Object.fromEntries(
    'optional nullable default prefault nonoptional readonly catch success promise'
      .split(' ')
      .map((type) => [type, ['innerType']]),
  ),
}

/** The schemas that are directly in a schema. This is the only list of them. */
export function childrenOf(schema: Schema): readonly ChildSchema[] {
  const def = defOf(schema)
  const children: ChildSchema[] = []
  for (const member of HOLDERS[def.type] ?? []) {
    const held = member === 'getter' ? givenBy(schema) : def[member]
    if (isSchema(held)) children.push({ member, key: undefined, schema: held })
    else addMembers(member, Object(held), children)
  }
  return children
}

function addMembers(member: string, held: object, children: ChildSchema[]): void {
  for (const [key, each] of Object.entries(held))
    if (isSchema(each)) children.push({ member, key, schema: each })
}

/** The schema that a lazy one stands for, or `undefined` for any other. */
export function lazyInner(schema: Schema): Schema | undefined {
  return defOf(schema).type === 'lazy' ? schemaOf(givenBy(schema)) : undefined
}

/** The schema that the getter of a lazy one returned. zod remembers it, so that a getter is asked once. */
function givenBy(schema: Schema): unknown {
  const { getter } = defOf(schema)
  return Reflect.get(schema._zod, 'innerType') ?? (typeof getter === 'function' ? getter() : undefined)
}

/**
 * Copies a schema with other schemas in it. Those of an object or a lazy schema are made when zod reads them, because a schema may contain
 * itself. zod has to be loaded.
 */
export function mapSchema(schema: Schema, map: (child: ChildSchema) => Schema): Schema {
  const def = defOf(schema)
  // a default may be made anew each time that it is read, so no member is read that stays
  const copied = Object.defineProperties({}, Object.getOwnPropertyDescriptors(def))
  const set = (member: string, value: unknown): unknown =>
    Object.defineProperty(copied, member, { value, enumerable: true, writable: true, configurable: true })
  for (const member of HOLDERS[def.type] ?? []) {
    const held = def[member]
    const mapped = (each: unknown, key?: string): unknown =>
      isSchema(each) ? map({ member, key, schema: each }) : each
    if (member === 'getter') {
      set(member, () => mapped(givenBy(schema)))
      // what zod remembers of the getter that was there
      set('_cachedInner', undefined)
    } else if (member === 'shape') set(member, lazyShape(toRecord(held), mapped))
    else set(member, Array.isArray(held) ? held.map((each, at) => mapped(each, String(at))) : mapped(held))
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a definition of the same type as before
  return loaded().core.clone(toZod(schema), copied as never, { parent: true })
}

function lazyShape(
  shape: Readonly<Record<string, unknown>>,
  map: (field: unknown, name: string) => unknown,
): object {
  const fields = Object.entries(shape).map(([name, field]): [string, PropertyDescriptor] => [
    name,
    { enumerable: true, get: () => map(field, name) },
  ])
  return Object.defineProperties({}, Object.fromEntries(fields))
}

/** Creates the function that finds the schema of a member of an object or a list, if the definition has one for it. */
export function membersOf(def: SchemaDef): (key: string) => Schema | undefined {
  const shape: object = Object(def['shape'])
  const items = schemasOf(def['items'])
  const others = schemasOf(['catchall', 'rest', 'element', 'valueType'].map((member) => def[member]))[0]
  return (key) =>
    Object.hasOwn(shape, key) ? schemaOf(Reflect.get(shape, key)) : (items[Number(key)] ?? others)
}

export interface FieldPlans<T> {
  readonly fields: ReadonlyMap<string, T>
  /** For fields that are not declared, or `null` if those are not handed to the schema. */
  readonly others: T | null
}

/**
 * Plans the fields of an object, of objects that all hold, or of alternatives. `combine` makes one plan of those that several objects have
 * for a field, and `open` is the plan of every field of a schema that is no object.
 */
export function planFields<T>(
  schema: Schema,
  open: T,
  toPlan: (field: Schema) => T,
  combine: (plans: readonly T[]) => T,
  known = new Map<Schema, FieldPlans<T>>(),
): FieldPlans<T> {
  const found = known.get(schema)
  if (found !== undefined) return found
  const inner = unwrapSchema(schema)
  const { type, catchall, valueType } = inner === undefined ? { type: '' } : defOf(inner)
  const children = inner === undefined ? [] : childrenOf(inner)
  if (type === 'object') {
    const fields = children.flatMap(({ member, key = '', schema: field }) =>
      member === 'shape' ? [[key, toPlan(field)] as const] : [],
    )
    // a strict object has to see what is not declared, to refuse it
    return { fields: new Map(fields), others: isSchema(catchall) ? toPlan(catchall) : null }
  }
  if (type !== 'intersection' && type !== 'union')
    return { fields: new Map(), others: type === 'record' && isSchema(valueType) ? toPlan(valueType) : open }
  const plans = children.map((child) => planFields(child.schema, open, toPlan, combine, known))
  const names = new Set(plans.flatMap(({ fields }) => [...fields.keys()]))
  const fieldOf = (name: string): T => {
    const own = [...new Set(plans.flatMap(({ fields }) => fields.get(name) ?? []))]
    const [only = combine(own)] = own
    return own.length === 1 ? only : combine(own)
  }
  const made = {
    fields: new Map([...names].map((name) => [name, fieldOf(name)])),
    others: plans.find(({ others }) => others !== null)?.others ?? null,
  }
  // alternatives may lead to the same ones on many ways
  known.set(schema, made)
  return made
}

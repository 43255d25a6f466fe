import { shared } from '../base/copies.ts'
import type { z } from 'zod'

import { DefinitionError, recordLocation } from '../base/definition-error.ts'
import { addMeta, defOf, isSchema, mapSchema, objectShape, toZod, type Schema } from '../schema/schema.ts'
import { describeValue, isRecord } from '../base/values.ts'
import { zod } from './zod.ts'

declare const MODEL: unique symbol

/** The fields of a model. */
export type ModelFields = z.core.$ZodShape

/** A schema whose earlier shapes are known. Lists, wrappers and objects around it keep it. */
export interface Model<N extends string, Sh extends ModelFields> extends z.ZodObject<{
  -readonly [K in keyof Sh]: Sh[K]
}> {
  /** For types alone: the name of the model. */
  readonly [MODEL]: N
  /** For types alone: the fields. They are read here, because inference through the classes of zod is expensive. */
  readonly '~shape': Sh
}

/** A model, or a part of one. */
export interface Modelled {
  /** For types alone: the name of the model. */
  readonly [MODEL]: string
}

/** The members that functions with a model parameter need. */
export interface AnyModel<N extends string = string, Sh extends object = object> extends Modelled {
  /** For types alone: the name of the model. */
  readonly [MODEL]: N
  /** For types alone: the fields. */
  readonly '~shape': Sh
}

/** The name of a model. */
export type ModelName<M> = M extends { readonly [MODEL]: infer N extends string } ? N : never

/** The fields of a model, by its type. */
export type ModelShape<M> = M extends { readonly '~shape': infer Sh } ? Sh : never

/** The fields of the model that a part was made from. */
type WholeShape<M> = M extends { readonly '~part': readonly [infer Whole, unknown] } ? Whole : ModelShape<M>

/** A part of a model, which changes of the model reach by the fields that it has. */
export type Part<M extends Modelled, S> = S & {
  /** For types alone: the name of the model. */
  readonly [MODEL]: M[typeof MODEL]
  /** For types alone: the fields of the model, and those of the part. */
  readonly '~part': S extends { readonly _zod: { readonly def: { readonly shape: infer Sub } } }
    ? readonly [WholeShape<M>, Sub]
    : never
}

/** A model for `derive`: what is made with `pick` has its mark. */
export type Pickable<M> = (M extends {
  readonly _zod: { readonly def: { readonly shape: infer Sh extends ModelFields } }
}
  ? {
      /** Returns an object with some of the fields. */
      pick<K extends z.core.util.Mask<keyof Sh>>(
        mask: K & Record<Exclude<keyof K, keyof Sh>, never>,
      ): z.ZodObject<
        z.core.util.Flatten<Pick<Sh, Extract<keyof Sh, keyof K>>>,
        z.core.$strip & { readonly picked: true }
      >
    }
  : unknown) &
  M

/** The member of a definition that says which model it was made from. Definitions keep it through `omit`, `extend` and the others. */
const ORIGIN = Symbol.for('octavo.origin')

interface Origin {
  readonly name: string
  readonly model: Schema
  /** Whether `pick` chose the fields. */
  readonly isPicked: boolean
}

/** The schemas that `derive` made without the methods of the model, with the models that they are parts of. */
const parts = /* @__PURE__ */ shared('model.parts', () => new WeakMap<object, Schema>())

/** Keywords of JSON Schema that documents show of a model. */
export interface ModelMeta {
  /** A text that documents show. */
  readonly description?: string
  /** Any other keyword. */
  readonly [keyword: string]: unknown
}

/**
 * Defines a model: an object schema in its newest shape, whose earlier shapes changes describe. Its fields are copies of the schemas that
 * are given, so that a change reaches the fields of this model alone, and those of schemas that are made from it.
 *
 * @example
 * const User = model('User', { id: z.string(), name: z.string() })
 *
 * @throws `DefinitionError` for a name or fields that cannot be used.
 */
export function model<const N extends string, Sh extends ModelFields>(
  name: N,
  fields: Sh,
  meta: ModelMeta = {},
): Model<N, Sh> {
  if (!isModelName(name))
    refuse(`model ${describeValue(name, true)}`, 'the name cannot be used', "write a name such as 'User'")
  if (!isRecord(fields)) refuse(`model ${name}`, `its fields are ${describeValue(fields)}`, FIELDS)
  const shape = ownCopies(name, fields)
  const made = new ModelObject({ type: 'object', shape })
  Object.assign(made._zod.def, { [ORIGIN]: { name, model: made, isPicked: false } satisfies Origin })
  addMeta(made, { ...meta, id: name })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the marks of a model are types alone
  return recordLocation(made, model) as unknown as Model<N, Sh>
}

const ZodObject: z.core.$constructor<z.ZodObject> = zod.ZodObject

/** The constructor of models and of all that zod makes of them, which notes what `pick` chose. */
const ModelObject = /* @__PURE__ */ zod.core.$constructor<z.ZodObject>('ModelObject', (made, def) => {
  ZodObject.init(made, def)
  const pick = made.pick.bind(made)
  const pickNoted = (mask: never): object => {
    const picked = pick(mask)
    Object.assign(picked._zod.def, { [ORIGIN]: { ...originOf(made), isPicked: true } })
    return picked
  }
  Object.defineProperty(made, 'pick', { value: pickNoted })
})

/** Returns the model that an object schema was made from, or `undefined` for any other schema. */
function originOf(schema: Schema): Origin | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else writes this member
  return Reflect.get(defOf(schema), ORIGIN) as Origin | undefined
}

export function isModelName(name: unknown): name is string {
  return typeof name === 'string' && /^[A-Za-z_][\w.-]*$/.test(name)
}

const FIELDS = "write a record of schemas: model('User', { id: z.string() })"

/**
 * Copies fields. Objects and schemas with an id stay, because documents would have two schemas of one name. Getters are copied when they
 * are read.
 */
function ownCopies(name: string, fields: Readonly<Record<string, unknown>>): Record<string, z.ZodType> {
  const copies: Record<string, z.ZodType> = {}
  for (const [key, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(fields))) {
    if (descriptor.get === undefined) copies[key] = toCopy(name, key, descriptor.value)
    else {
      let copy: z.ZodType | undefined
      Object.defineProperty(copies, key, {
        enumerable: true,
        get: () => (copy ??= toCopy(name, key, fields[key])),
      })
    }
  }
  return copies
}

function toCopy(name: string, key: string, field: unknown): z.ZodType {
  if (!isSchema(field)) return refuse(`model ${name}`, `${key} is ${describeValue(field)}`, FIELDS)
  return copyOf(toZod(field))
}

function copyOf(schema: z.ZodType): z.ZodType {
  const def = defOf(schema)
  if (def.type === 'object' || schema.meta()?.id !== undefined) return schema
  if (!isSchema(def['innerType'])) return schema.clone()
  // a field is known by the schema inside of its wrappers
  return toZod(mapSchema(schema, (child) => copyOf(toZod(child.schema))))
}

function refuse(where: string, message: string, fix: string): never {
  throw new DefinitionError([{ code: 'invalid_model', where, message, fix }])
}

/**
 * Creates a part of a model with `omit`, `pick`, `extend` or `partial`. Changes of the model reach the part by the fields that it has, in
 * types too.
 *
 * @example
 * const CreateUser = derive(User, (user) => user.omit({ id: true }))
 *
 * @throws `DefinitionError` for anything but a schema.
 */
export function derive<M extends Modelled, S extends Schema>(
  of: M,
  make: (model: Pickable<M>) => S,
): Part<M, S> {
  const whole: unknown = of
  // oxlint-disable-next-line typescript/no-unnecessary-type-assertion, typescript/no-unsafe-type-assertion -- as above
  const part = make(of as Pickable<M>)
  if (!isSchema(part)) {
    const where = `derive(${modelName(whole) ?? describeValue(whole)})`
    refuse(
      where,
      `the function returned ${describeValue(part)}`,
      'return a schema that is made from the model',
    )
  }
  const origin = isSchema(whole) ? modelBehind(whole) : undefined
  if (origin !== undefined && modelBehind(part) === undefined) parts.set(part, origin)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  return part as Part<M, S>
}

/** The name of a model, or `undefined` for anything else. */
export function modelName(value: unknown): string | undefined {
  const origin = isSchema(value) ? originOf(value) : undefined
  return origin?.model === value ? origin?.name : undefined
}

/** The model that a schema was made from. */
export function modelBehind(schema: Schema): Schema | undefined {
  return originOf(schema)?.model ?? parts.get(schema)
}

/** Whether a schema has all fields of a model but those that `omit` names. */
export function isRest(schema: Schema): boolean {
  return originOf(schema)?.isPicked === false
}

/** A schema of the names of a model's fields. */
export interface FieldNames<N extends string, K extends string> extends z.ZodEnum<{ [Key in K]: Key }> {
  /** For types alone: the name of the model, and its names. */
  readonly '~names': readonly [N, K]
}

const named = /* @__PURE__ */ shared('model.named', () => new WeakMap<Schema, Schema>())

/**
 * Creates a schema of the names of a model's fields, for parameters such as `sort`. In older versions they are the names of that time.
 *
 * @example
 * input: { query: { sort: fieldNames(User).optional() } }
 *
 * @throws `DefinitionError` for anything but a model.
 */
export function fieldNames<M extends AnyModel>(of: M): FieldNames<ModelName<M>, keyof M['~shape'] & string> {
  if (!isSchema(of) || modelName(of) === undefined) {
    const message = `fieldNames was given ${describeValue(of)}`
    throw new DefinitionError([
      { code: 'invalid_model', where: 'fieldNames', message, fix: 'give the result of model()' },
    ])
  }
  const schema = zod.enum(Object.keys(objectShape(of)))
  named.set(schema, of)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names are types alone
  return schema as never
}

/** The model whose names a schema has, or `undefined` for any other schema. */
export function namedModel(schema: Schema): Schema | undefined {
  return named.get(schema)
}

import { toRecord } from '../base/values.ts'
import {
  defOf,
  isSchema,
  schemaOf,
  schemasOf,
  unwrapSchema,
  loaded,
  toZod,
  type Schema,
  type SchemaDef,
} from './schema.ts'

/** A schema that is directly in another one. */
export interface Child {
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
export function childrenOf(schema: Schema): readonly Child[] {
  const def = defOf(schema)
  return (HOLDERS[def.type] ?? []).flatMap((member): readonly Child[] => {
    const held = member === 'getter' ? givenBy(schema) : def[member]
    if (isSchema(held)) return [{ member, key: undefined, schema: held }]
    return Object.entries(Object(held)).flatMap(([key, each]) =>
      isSchema(each) ? [{ member, key, schema: each }] : [],
    )
  })
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
export function mapSchema(schema: Schema, map: (child: Child) => Schema): Schema {
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

/** The plans of the fields of a schema. */
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
): FieldPlans<T> {
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
  const plans = children.map((child) => planFields(child.schema, open, toPlan, combine))
  const names = new Set(plans.flatMap(({ fields }) => [...fields.keys()]))
  const fieldOf = (name: string): T => combine(plans.flatMap(({ fields }) => fields.get(name) ?? []))
  return {
    fields: new Map([...names].map((name) => [name, fieldOf(name)])),
    others: plans.find(({ others }) => others !== null)?.others ?? null,
  }
}

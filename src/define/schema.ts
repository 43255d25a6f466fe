import { z } from 'zod'

import { isPromise } from '../http.ts'
import type { Awaitable } from '../http.ts'

/**
 * What Octavo needs to know of a zod schema's type. Constraining with this instead of `z.ZodType` keeps the type check of an
 * application several times cheaper.
 */
export interface Schema {
  readonly _zod: { readonly output: unknown; readonly input: unknown }
}

/** What a schema's value is after validation. */
export type OutputOf<S> = S extends { readonly _zod: { readonly output: infer O } } ? O : never

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

/** One schema for a record of schemas. */
export function toObjectSchema(fields: Fields): Schema {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `Schema` is the part of z.ZodType that Octavo names
  return z.object(fields as Record<string, z.ZodType>)
}

/** One schema for a list of names: each a required string. */
export function toNamesSchema(names: readonly string[]): Schema {
  return z.object(Object.fromEntries(names.map((name) => [name, z.string()])))
}

/** A problem that a schema found. */
export interface SchemaIssue {
  readonly code: string
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** What validation says: the value, or the issues. */
export type Validated = { readonly value: unknown } | { readonly issues: readonly SchemaIssue[] }

/**
 * Makes the function that validates with a schema. It is synchronous unless a refinement or transform gives a promise: schemas that
 * hold none are compiled, when they are first used; the others are never tried synchronously, for a promise that zod gives up on
 * would reject unseen and end the process.
 */
export function createValidator(schema: Schema): (value: unknown) => Awaitable<Validated> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `Schema` is the part of z.ZodType that Octavo names
  const type = schema as unknown as z.ZodType
  if (!holdsFunctions(schema, new Set())) {
    let compiled: z.ZodType | undefined
    return (value) => {
      compiled ??= toCompiled(type)
      // a context of its own, for zod marks the one in which the compiled way failed
      return fromPayload(compiled._zod.run({ value, issues: [] }, { async: false }))
    }
  }
  return (value) => fromPayload(type._zod.run({ value, issues: [] }, EITHER))
}

const EITHER: z.core.ParseContextInternal = { async: true }

/** Compiled, where zod can: 15 times as fast on what is valid. Code is not made from text where the application forbids that to zod. */
function toCompiled(type: z.ZodType): z.ZodType {
  return z.config().jitless === true ? type : z.compile(type)
}

function fromPayload(payload: z.core.ParsePayload | PromiseLike<z.core.ParsePayload>): Awaitable<Validated> {
  if (isPromise(payload)) return payload.then(fromPayload)
  const { value, issues } = payload
  if (issues.length === 0) return { value }
  return { issues: issues.map((issue) => z.core.util.finalizeIssue(issue, EITHER, z.core.config())) }
}

/** The types of schema that run no function of the user's own, besides those of the schemas and checks in them. */
const PLAIN_TYPES = new Set(
  `string number int bigint boolean symbol undefined null any unknown never void date nan enum literal file template_literal
  object array set map record tuple union intersection optional nullable default prefault nonoptional readonly catch success
  pipe`.split(/\s+/),
)

function holdsFunctions(schema: Schema, seen: Set<Schema>): boolean {
  if (seen.has(schema)) return false
  seen.add(schema)
  const def = defOf(schema)
  if (!PLAIN_TYPES.has(def.type) || typeof def['transform'] === 'function') return true
  const checks: readonly unknown[] = Array.isArray(def['checks']) ? def['checks'] : []
  // zod keeps the definition of a check where it keeps that of a schema
  const checkDefs = checks.flatMap((check) => (isSchema(check) ? [defOf(check)] : []))
  if (checkDefs.some(({ check }) => check === 'custom')) return true
  const members = [def, def['shape'], def['options'], def['items'], ...checkDefs]
  return members
    .flatMap((member) => (typeof member === 'object' && member !== null ? Object.values(member) : []))
    .some((inner) => isSchema(inner) && holdsFunctions(inner, seen))
}

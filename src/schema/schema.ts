import type * as Zod from 'zod'
import type { z } from 'zod'

import { isPromise } from '../async.ts'
import type { Awaitable } from '../http.ts'

/**
 * What Octavo needs to know of a zod schema's type. Constraining with this instead of `z.ZodType` keeps the type check of an
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

/** What a schema's value is after validation. */
export type OutputOf<S> = S extends { readonly _zod: { readonly output: infer O } } ? O : never

/** What a schema takes. */
export type InputOf<S> = S extends { readonly _zod: { readonly input: infer I } } ? I : never

/** A schema of zod with this output. */
export type SchemaOf<T> = z.ZodType<T>

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
  if (isWanted) zod ??= await import('zod')
}

/** Says that there is something to validate. */
export function wantZod(): void {
  isWanted = true
}

/** Gives zod to who has loaded it anyway. */
export function provideZod(loadedZod: typeof Zod): void {
  zod ??= loadedZod
}

/** Loads zod for who works on schemas and validates nothing. */
export async function requireZod(): Promise<void> {
  wantZod()
  await loadZod()
}

/** What `meta` and `describe` say of a schema, and of the one that it is a clone of; zod has to be loaded. */
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
    for (const { type, meta } of kept) globalRegistry.add(type, meta)
  }
}

/** Schemas that Octavo makes, once zod is there; until then they have the definition that plans are made from. */
const promised = new WeakMap<Schema, (from: typeof Zod) => z.ZodType>()

/** One schema for a record of schemas. */
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

function loaded(): typeof Zod {
  if (zod === undefined) throw new Error('zod is not loaded yet')
  return zod
}

/** A problem that a schema found. */
export interface SchemaIssue {
  readonly code: string
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** What validation says: the value, or the issues. */
export type Validated =
  | { readonly value: unknown }
  | {
      readonly issues: readonly SchemaIssue[]
      /** How many there are, when these are the first. */
      readonly count?: number
    }

/** A hostile body can have an issue in every byte: this many are told. */
export const MAX_ISSUES = 200

/** A long list can have an issue in every member: the first ones say enough. */
const MAX_LOGGED = 10

/** The issues of a value in one line, for the log. */
export function toReason(issues: readonly SchemaIssue[]): string {
  const told = issues
    .slice(0, MAX_LOGGED)
    .map(({ path, message }) => `${path.map(String).join('.')}: ${message}`)
    .join('; ')
  return issues.length > MAX_LOGGED ? `${told}; and more` : told
}

/**
 * Makes the function that validates with a schema. It is synchronous unless a refinement or transform gives a promise: schemas that
 * hold none are compiled, when they are first used; the others are never tried synchronously, for a promise that zod gives up on
 * would reject unseen and end the process.
 */
export function createValidator(schema: Schema): Validate {
  isWanted = true
  const made = validators.get(schema) ?? makeValidator(schema)
  validators.set(schema, made)
  return made
}

type Validate = (value: unknown) => Awaitable<Validated>

/** Schemas are used by many routes, in many versions. */
const validators = new WeakMap<Schema, Validate>()

function makeValidator(schema: Schema): Validate {
  let type: z.ZodType | undefined
  if (holdsFunctions(schema, new Set())) {
    return (value) => {
      type ??= toZod(schema)
      try {
        return fromPayload(type._zod.run({ value, issues: [] }, EITHER))
      } catch (error) {
        return fromOverflow(error)
      }
    }
  }
  return (value) => {
    // while an application is created, nothing can be waited for
    if (zod === undefined && !promised.has(schema)) return fromResult(toZod(schema).safeParse(value))
    type ??= toCompiled(toZod(schema))
    try {
      // a context of its own, for zod marks the one in which the compiled way failed
      return fromPayload(type._zod.run({ value, issues: [] }, { async: false }))
    } catch (error) {
      return fromOverflow(error)
    }
  }
}

const EITHER: z.core.ParseContextInternal = { async: true }

/** Whether code may be made from text, once zod is there: an application or a platform can forbid it. */
export function isCodeAllowed(): boolean {
  return zod !== undefined && zod.config().jitless !== true
}

/** Compiled, where zod can: 15 times as fast on what is valid. Code is not made from text where the application forbids that to zod. */
function toCompiled(type: z.ZodType): z.ZodType {
  const { config, compile } = loaded()
  return config().jitless === true ? type : compile(type)
}

function fromPayload(payload: z.core.ParsePayload | PromiseLike<z.core.ParsePayload>): Awaitable<Validated> {
  if (isPromise(payload)) return payload.then(fromPayload, fromOverflow)
  const { value, issues } = payload
  if (issues.length === 0) return { value }
  const count = issues.length
  const first = issues.slice(0, MAX_ISSUES)
  if (zod === undefined) return { issues: first.map(toUnsaid), count }
  const { core } = zod
  return { issues: first.map((issue) => core.util.finalizeIssue(issue, EITHER, core.config())), count }
}

/** zod hands issues on as arguments of one call, and the stack does not hold some hundred thousand of them. */
function fromOverflow(error: unknown): Validated {
  if (error instanceof RangeError && error.message.startsWith('Maximum call stack'))
    return { issues: [{ code: 'custom', path: [], message: 'Invalid input: more than can be told' }] }
  throw error
}

function fromResult(result: z.ZodSafeParseResult<unknown>): Validated {
  return result.success ? { value: result.data } : { issues: result.error.issues }
}

/** An issue without the words of the locale, which come with zod. */
function toUnsaid({ code, path = [], message = 'Invalid input' }: z.core.$ZodRawIssue): SchemaIssue {
  return { code, path, message }
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

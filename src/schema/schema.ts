import type * as Zod from 'zod'
import type { z } from 'zod'

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

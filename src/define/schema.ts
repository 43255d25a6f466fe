import { z } from 'zod'

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
 * Makes the function that validates with a schema: synchronous, until the schema turns out to hold asynchronous refinements or
 * transforms; from then on it gives promises.
 */
export function createValidator(schema: Schema): (value: unknown) => Validated | Promise<Validated> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `Schema` is the part of z.ZodType that Octavo names
  const type = schema as unknown as z.ZodType
  let isAsync = false
  const validateAsync = async (value: unknown): Promise<Validated> =>
    toValidated(await type.safeParseAsync(value))
  return (value) => {
    if (isAsync) return validateAsync(value)
    try {
      return toValidated(type.safeParse(value))
    } catch (error) {
      if (!(error instanceof z.core.$ZodAsyncError)) throw error
      isAsync = true
      return validateAsync(value)
    }
  }
}

function toValidated(result: z.ZodSafeParseResult<unknown>): Validated {
  return result.success ? { value: result.data } : { issues: result.error.issues }
}

import type * as Zod from 'zod'
import type { z } from 'zod'

import { loadedZod, loadZod, wantZod, type Fields, type Schema, type SchemaDef } from './schema.ts'

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

/** zod, where it has to be loaded. */
export function loaded(): typeof Zod {
  const zod = loadedZod()
  if (zod === undefined) throw new Error('zod is not loaded yet')
  return zod
}

/** Whether Octavo made the schema. */
export function isMade(schema: Schema): boolean {
  return promised.has(schema)
}

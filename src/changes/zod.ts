import * as zod from 'zod'

import {
  addMeta,
  provideZod,
  isSchema,
  metaOf,
  toObjectSchema,
  toZod,
  type Fields,
  type Schema,
} from '../schema/schema.ts'

// who writes changes has loaded zod, so schemas of earlier versions can be made at once
provideZod(zod)

export { zod }

/** A schema with other members in its definition; what `meta` says of it stays, its id included if there is no other one. */
export function cloneSchema(schema: Schema, members: Readonly<Record<string, unknown>>, id?: string): Schema {
  const own = toZod(schema)
  // one that Octavo made of a record of schemas
  if (!isSchema(schema) || !('clone' in schema)) {
    const { shape } = members
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the shape that was just made
    if (shape !== undefined) return toObjectSchema({ ...(shape as Fields) })
  }
  return withMeta(own.clone({ ...own._zod.def, ...members }), schema, id)
}

/** A copy of a schema without its id, because documents show a schema with an id under that name. */
export function cloneNameless(schema: Schema, members: Readonly<Record<string, unknown>>): Schema {
  const made = toZod(cloneSchema(schema, members))
  const { id: _, ...meta } = metaOf(schema)
  zod.globalRegistry.remove(made)
  if (Object.keys(meta).length > 0) addMeta(made, meta)
  return made
}

/** Notes that a copy refines another one, as zod does. */
export function withParent(made: Schema, parent: Schema): Schema {
  Object.assign(made._zod, { parent })
  return made
}

/** Copies the `meta` of one schema to another, which may have an id of its own. */
export function withMeta(made: ReturnType<typeof toZod>, schema: Schema, id?: string): Schema {
  const meta = { ...metaOf(schema), ...(id !== undefined && { id }) }
  if (Object.keys(meta).length > 0) addMeta(made, meta)
  return made
}

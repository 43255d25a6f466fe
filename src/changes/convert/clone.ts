import { defOf, isSchema, metaOf, toObjectSchema, toZod } from '../../schema/schema.ts'
import type { Fields, Schema } from '../../schema/schema.ts'
import { zod } from '../zod.ts'

/** A schema with other members in its definition; what `meta` says of it stays, its id included. */
export function cloneSchema(schema: Schema, members: Readonly<Record<string, unknown>>): Schema {
  const own = toZod(schema)
  // one that Octavo made of a record of schemas
  if (!isSchema(schema) || !('clone' in schema)) {
    const { shape } = members
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the shape that was just made
    if (shape !== undefined) return toObjectSchema({ ...(shape as Fields) })
  }
  const copy = own.clone({ ...own._zod.def, ...members })
  const meta = metaOf(schema)
  if (Object.keys(meta).length > 0) zod.globalRegistry.add(copy, meta)
  return copy
}

/** The members of a definition that hold schemas. */
export function membersOf(schema: Schema): readonly Schema[] {
  const def = defOf(schema)
  const { getter } = def
  const all: unknown[] = typeof getter === 'function' ? [getter()] : []
  for (const name of HOLDERS) {
    const held = def[name]
    if (Array.isArray(held)) all.push(...(held as readonly unknown[]))
    else if (name === 'shape') all.push(...Object.values(Object(held)))
    else all.push(held)
  }
  return all.filter(isSchema)
}

const HOLDERS = [
  'shape',
  'element',
  'innerType',
  'options',
  'items',
  'rest',
  'keyType',
  'valueType',
  'catchall',
  'in',
  'out',
  'left',
  'right',
]

import type { FlatRoute } from '../../routes/flat-route.ts'
import { defOf, isSchema } from '../../schema/schema.ts'
import type { Schema } from '../../schema/schema.ts'
import { schemasOf } from '../../schema/unwrap.ts'
import { toRecord } from '../../base/values.ts'
import { lazyInner } from '../convert/clone.ts'

/** An object schema, and where it stands. */
export interface Found {
  /** Empty for a schema without a route. */
  readonly route: string
  /** Such as `body` or `response 200.items[]`. */
  readonly place: string
  readonly schema: Schema
}

/** The object schemas of routes and messages, and enumerations, which may be names of fields. */
export function objectsOf(routes: readonly FlatRoute[], messages: readonly Schema[]): readonly Found[] {
  return [
    ...routes.flatMap((route) =>
      placesOf(route).flatMap(({ place, schema }) => objectsIn(schema, { route: route.name, place })),
    ),
    ...messages.flatMap((schema) => objectsIn(schema, { route: '', place: 'messages' })),
  ]
}

function placesOf({
  sources,
  responses,
  stream,
}: FlatRoute): readonly { readonly place: string; readonly schema: Schema }[] {
  return [
    ...sources.map(({ name, schema }) => ({ place: name, schema })),
    ...[...responses].map(([status, schema]) => ({ place: `response ${status}`, schema })),
    ...[...(stream?.schemas ?? [])].map(([name, schema]) => ({
      place: stream?.kind === 'items' ? 'items' : `events.${name}`,
      schema,
    })),
  ]
}

function objectsIn(
  schema: Schema,
  { route, place }: Pick<Found, 'route' | 'place'>,
  above: readonly Schema[] = [],
): readonly Found[] {
  if (above.includes(schema)) return []
  const def = defOf(schema)
  const own = ['object', 'enum'].includes(def.type) ? [{ route, place, schema }] : []
  const inner = membersAt(schema).flatMap(([step, member]) =>
    objectsIn(member, { route, place: place + step }, [...above, schema]),
  )
  return [...own, ...inner]
}

/** What a schema holds, with the step that leads there. */
function membersAt(schema: Schema): readonly (readonly [step: string, member: Schema])[] {
  const def = defOf(schema)
  return [
    ...Object.entries(toRecord(def['shape'])).flatMap(([key, field]) => at(`.${key}`, field)),
    ...at('[]', def['element'], def['rest']),
    ...schemasOf(def['items']).flatMap((item, index) => at(`[${index}]`, item)),
    ...at('{}', def['valueType']),
    ...at('', def['innerType'], lazyInner(schema), def['in'], def['out'], def['left'], def['right']),
    ...at('', ...schemasOf(def['options'])),
  ]
}

function at(step: string, ...members: readonly unknown[]): readonly (readonly [string, Schema])[] {
  return members.flatMap((member) => (isSchema(member) ? [[step, member] as const] : []))
}

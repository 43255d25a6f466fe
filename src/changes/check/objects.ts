import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import { defOf, type Schema } from '../../schema/schema.ts'
import { childrenOf, type Child } from '../../schema/walk.ts'

/** An object schema, and where it stands. */
export interface Found {
  /** Empty for a schema without a route. */
  readonly route: string
  /** Such as `body` or `response 200.items[]`. */
  readonly position: string
  readonly schema: Schema
}

/** The object schemas of routes and messages, and enumerations, which may be names of fields. */
export function objectsOf(routes: readonly ResolvedRoute[], messages: readonly Schema[]): readonly Found[] {
  return [
    ...routes.flatMap((route) =>
      positionsOf(route).flatMap(({ position, schema }) =>
        objectsIn(schema, { route: route.name, position }),
      ),
    ),
    ...messages.flatMap((schema) => objectsIn(schema, { route: '', position: 'messages' })),
  ]
}

function positionsOf({
  sources,
  responses,
  stream,
}: ResolvedRoute): readonly { readonly position: string; readonly schema: Schema }[] {
  return [
    ...sources.map(({ name, schema }) => ({ position: name, schema })),
    ...[...responses].map(([status, schema]) => ({ position: `response ${status}`, schema })),
    ...[...(stream?.schemas ?? [])].map(([name, schema]) => ({
      position: stream?.kind === 'items' ? 'items' : `events.${name}`,
      schema,
    })),
  ]
}

function objectsIn(
  schema: Schema,
  { route, position }: Pick<Found, 'route' | 'position'>,
  above: readonly Schema[] = [],
): readonly Found[] {
  if (above.includes(schema)) return []
  const def = defOf(schema)
  const own = ['object', 'enum'].includes(def.type) ? [{ route, position, schema }] : []
  const inner = childrenOf(schema).flatMap((child) =>
    objectsIn(child.schema, { route, position: position + stepTo(child) }, [...above, schema]),
  )
  return [...own, ...inner]
}

function stepTo({ member, key }: Child): string {
  if (member === 'shape') return `.${key}`
  if (member === 'items') return `[${key}]`
  return STEPS[member] ?? ''
}

/** The steps into values that have no names of their own. */
const STEPS: Readonly<Record<string, string>> = {
  element: '[]',
  rest: '[]',
  keyType: '{}',
  valueType: '{}',
  catchall: '{}',
}

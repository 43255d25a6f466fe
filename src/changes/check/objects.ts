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

/** Positions of one schema up to which all are found. Objects that refer to each other have countless ones. */
const MANY = 100

/** The objects in a schema. Beyond `MANY`, the content of an object that is there several times is found at its first position. */
function objectsIn(schema: Schema, { route, position }: Pick<Found, 'route' | 'position'>): readonly Found[] {
  const found: Found[] = []
  const opened = new Set<Schema>()
  const above = new Set<Schema>()
  const visit = (inner: Schema, at: string): void => {
    if (above.has(inner)) return
    if (['object', 'enum'].includes(defOf(inner).type)) found.push({ route, position: at, schema: inner })
    if (found.length > MANY && opened.has(inner)) return
    opened.add(inner)
    above.add(inner)
    for (const child of childrenOf(inner)) visit(child.schema, at + stepTo(child))
    above.delete(inner)
  }
  visit(schema, position)
  return found
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

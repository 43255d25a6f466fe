import type { FlatRoute } from '../../flatten/flat-route.ts'
import { toZod } from '../../schema/schema.ts'
import type { ResponseKey } from '../../schema/responses.ts'
import type { Schema } from '../../schema/schema.ts'
import type { SourceName } from '../../schema/sources.ts'
import type { Direction } from './markers.ts'

/** A place of a route that has a schema. */
export interface SchemaPlace {
  readonly route: FlatRoute
  /** Such as `input.query` or `response 200`. */
  readonly at: string
  readonly source: SourceName | ResponseKey
  readonly io: Direction
  /** What stands there: texts, files, or one value, which is JSON but for bytes. */
  readonly holds: 'texts' | 'files' | 'value'
  readonly schema: Schema
}

/** All places of a route that have a schema: its sources, then its responses. */
export function toPlaces(route: FlatRoute): readonly SchemaPlace[] {
  return [
    ...route.sources.map(({ name, schema }): SchemaPlace => {
      const holds = name === 'files' ? 'files' : name === 'body' ? 'value' : 'texts'
      return { route, at: `input.${name}`, source: name, io: 'input', holds, schema: toZod(schema) }
    }),
    ...[...route.responses].map(([status, schema]): SchemaPlace => ({
      route,
      at: `response ${status}`,
      source: status,
      io: 'output',
      holds: 'value',
      schema: toZod(schema),
    })),
  ]
}

import type { ErrorFormat } from '../../define/error-format.ts'
import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import { toRecord } from '../../base/values.ts'
import { toZod } from '../../schema/to-zod.ts'
import { schemaOf } from '../../schema/unwrap.ts'
import type { ResponseKey } from '../../schema/responses.ts'
import type { Schema } from '../../schema/schema.ts'
import type { SourceName } from '../../schema/sources.ts'
import type { Convertible } from '../document/model.ts'
import type { Direction } from './markers.ts'

/** The place of an event or item, by the name under which its schema is declared. */
type StreamKey = `stream ${string}`

/** The place of a response of an error handler. */
type ErrorKey = `error ${number} ${number}`

/** The place of a header of a response. */
type HeaderKey = `header ${string}`

/** A place that has a schema. */
export interface SchemaPlace {
  /** Whose schema it is, such as a route. */
  readonly owner: Pick<ResolvedRoute, 'name' | 'label'>
  /** Such as `input.query` or `response 200`. */
  readonly at: string
  readonly source: SourceName | ResponseKey | StreamKey | ErrorKey | HeaderKey
  readonly io: Direction
  /** The content there: texts, files, or one value, which is JSON but for bytes. */
  readonly holds: 'texts' | 'files' | 'value'
  readonly schema: Schema
}

/** The contents of sources that are not texts. */
const HOLDS: Readonly<Record<string, SchemaPlace['holds']>> = { files: 'files', body: 'value' }

/** All places of a route that have a schema: its sources, then its responses. */
export function toPlaces(route: Convertible): readonly SchemaPlace[] {
  return [
    ...route.sources.map(({ name, schema }): SchemaPlace => {
      const holds = HOLDS[name] ?? 'texts'
      return { owner: route, at: `input.${name}`, source: name, io: 'input', holds, schema: toZod(schema) }
    }),
    ...[...route.responses].map(([status, schema]): SchemaPlace => ({
      owner: route,
      at: `response ${status}`,
      source: status,
      io: 'output',
      holds: 'value',
      schema: toZod(schema),
    })),
    ...[...(route.stream?.schemas ?? [])].map(([name, schema]): SchemaPlace => ({
      owner: route,
      at: route.stream?.kind === 'items' ? 'items' : `events.${name}`,
      source: `stream ${name}`,
      io: 'output',
      holds: 'value',
      schema: toZod(schema),
    })),
    ...errorSchemasOf(route).map(({ source, status, schema }): SchemaPlace => ({
      owner: route,
      at: `response ${status} of an error handler`,
      source,
      io: 'output',
      holds: 'value',
      schema: toZod(schema),
    })),
    ...headerSchemasOf(route.openapi).map(({ source, at, schema }): SchemaPlace => ({
      owner: route,
      at,
      source,
      io: 'output',
      holds: 'value',
      schema: toZod(schema),
    })),
  ]
}

/** The schemas that error handlers around a route declare. */
export function errorSchemasOf({ layers }: Pick<Convertible, 'layers'>): readonly {
  readonly source: ErrorKey
  readonly status: number
  readonly schema: Schema
}[] {
  return (layers?.errorHandlers ?? []).flatMap(({ response = {} }, index) =>
    Object.entries(response).map(([key, schema]) => {
      const status = Number(key)
      return { source: `error ${index} ${status}` as const, status, schema }
    }),
  )
}

/** A schema that `openapi` of a route has for a header of a response. */
interface HeaderSchema extends Pick<SchemaPlace, 'at' | 'schema'> {
  readonly source: HeaderKey
}

/** The schemas of response headers, the only ones in `openapi` of a route that are not JSON. */
export function headerSchemasOf(openapi: object): readonly HeaderSchema[] {
  return Object.entries(toRecord(toRecord(openapi)['responses'])).flatMap(([status, response]) =>
    Object.entries(toRecord(toRecord(response)['headers'])).flatMap(
      ([name, header]): readonly HeaderSchema[] => {
        const schema = schemaOf(toRecord(header)['schema'])
        const at = `header ${name} of response ${status}`
        return schema === undefined ? [] : [{ source: `header ${status} ${name}`, at, schema }]
      },
    ),
  )
}

/** The place of the schema that all errors have. */
export function toErrorPlace({ schema }: ErrorFormat): SchemaPlace {
  const owner = { name: 'error', label: 'errorFormat' }
  return { owner, at: 'schema', source: 'default', io: 'output', holds: 'value', schema: toZod(schema) }
}

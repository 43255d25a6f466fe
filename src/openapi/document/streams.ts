import { UNNAMED, type DeclaredStream } from '../../schema/route-schemas.ts'
import type { ConvertedRoute, StreamedSchema, Content, OpenApiVersion, SchemaObject } from './types.ts'

/** A stream in a document. */
interface StreamResponse {
  readonly description: string
  readonly content: Content
}

/**
 * The response that is a stream. OpenAPI 3.2 has `itemSchema` for it (section 4.14.4). Earlier versions have nothing, so `schema` is that
 * of one event or item there, which is how generators of clients read it.
 */
export function toStreamResponse(
  kind: DeclaredStream['kind'],
  stream: ConvertedRoute['stream'],
  openapi: OpenApiVersion,
): StreamResponse {
  const member = openapi === '3.1' ? 'schema' : 'itemSchema'
  if (kind === 'items')
    return {
      description:
        openapi === '3.1'
          ? 'One line of JSON for each item. The schema is that of an item.'
          : 'One line of JSON for each item.',
      content: { 'application/x-ndjson': { [member]: stream.get(UNNAMED)?.schema ?? {} } },
    }
  const events = [...stream].map(([name, event]) => toEvent(name, event, openapi))
  const [only] = events
  return {
    description:
      openapi === '3.1' ? 'Server-sent events. The schema is that of an event.' : 'Server-sent events.',
    content: {
      'text/event-stream': { [member]: events.length === 1 && only !== undefined ? only : { oneOf: events } },
    },
  }
}

/** An event as an object of its fields. A field is text, which OpenAPI 3.2 says of data (section 4.14.4.2). */
function toEvent(
  name: string,
  { schema, isString, isOptional }: StreamedSchema,
  openapi: OpenApiVersion,
): SchemaObject {
  const required = [...(name === UNNAMED ? [] : ['event']), ...(isOptional ? [] : ['data'])]
  const data =
    schema === undefined || isString || openapi === '3.1'
      ? schema
      : { type: 'string', contentMediaType: 'application/json', contentSchema: schema }
  return {
    type: 'object',
    properties: {
      event: { type: 'string', const: name },
      ...(data === undefined ? {} : { data }),
      id: { type: 'string' },
      retry: { type: 'integer', minimum: 0 },
    },
    ...(required.length === 0 ? {} : { required }),
  }
}

import type { ImportedApi, ImportedMedia, ImportedOperation } from './read-api.ts'
import { cleaned } from './schema-parts.ts'

/** The parts of an imported document that were written as source, as one document of OpenAPI 3.1 that gives the same source again. */
export function toPlainDocument(api: ImportedApi): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of api.operations)
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: toPlain(operation) }
  return {
    openapi: '3.1.0',
    info: { title: api.title, version: api.version },
    ...(api.server === undefined ? {} : { servers: [{ url: api.server }] }),
    paths,
    ...(api.hasWebhooks ? { webhooks: { any: {} } } : {}),
    components: {
      schemas: Object.fromEntries(
        Object.entries(api.schemas).map(([name, schema]) => [name, cleaned(schema)]),
      ),
      securitySchemes: api.schemes,
    },
  }
}

function toPlain({ id, tags, isDeprecated, body, hasCallbacks, ...operation }: ImportedOperation): object {
  const { summary, description, security } = operation
  return {
    ...(id === undefined ? {} : { operationId: id }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(summary === undefined ? {} : { summary }),
    ...(description === undefined ? {} : { description }),
    ...(isDeprecated ? { deprecated: true } : {}),
    security,
    parameters: operation.parameters.map(({ in: place, name, schema, node }) => ({
      ...node,
      name,
      in: place,
      ...(node['content'] === undefined ? { schema: cleaned(schema) } : {}),
    })),
    ...(body === undefined
      ? {}
      : { requestBody: { required: body.isRequired, content: toContent(body.content) } }),
    responses: Object.fromEntries(
      operation.responses.map(({ status, description: text, headers, content }) => [
        status,
        { description: text, headers, ...(content.length === 0 ? {} : { content: toContent(content) }) },
      ]),
    ),
    ...(hasCallbacks ? { callbacks: { any: {} } } : {}),
  }
}

function toContent(content: readonly ImportedMedia[]): object {
  return Object.fromEntries(
    content.map(({ type, schema, encoding }) => [
      type,
      {
        ...(schema === undefined ? {} : { schema: cleaned(schema) }),
        ...(encoding === undefined ? {} : { encoding }),
      },
    ]),
  )
}

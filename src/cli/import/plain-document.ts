import type { ImportedApi, ImportedMedia, ImportedOperation } from './read-api.ts'

/** The parts of an imported document that were written as source, as one document of OpenAPI 3.1 that gives the same source again. */
export function toPlainDocument({ operations, schemas, schemes, ...api }: ImportedApi): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of operations)
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: toPlain(operation) }
  return {
    openapi: '3.1.0',
    info: { title: api.title, version: api.version },
    servers: api.server && [{ url: api.server }],
    paths,
    webhooks: api.hasWebhooks ? { any: {} } : undefined,
    components: { schemas, securitySchemes: schemes },
  }
}

function toPlain({ parameters, body, responses, ...operation }: ImportedOperation): object {
  const { id, tags, summary, description, isDeprecated, security, hasCallbacks } = operation
  return {
    operationId: id,
    tags,
    summary,
    description,
    deprecated: isDeprecated || undefined,
    security,
    parameters: parameters.map(({ in: place, name, schema, node }) => ({
      ...node,
      name,
      in: place,
      schema: node['content'] === undefined ? schema : undefined,
    })),
    requestBody: body && { required: body.isRequired, content: toContent(body.content) },
    responses: Object.fromEntries(
      responses.map(({ status, content, ...own }) => [status, { ...own, content: toContent(content) }]),
    ),
    callbacks: hasCallbacks ? { any: {} } : undefined,
  }
}

function toContent(content: readonly ImportedMedia[]): object | undefined {
  if (content.length === 0) return undefined
  return Object.fromEntries(content.map(({ type, schema, encoding }) => [type, { schema, encoding }]))
}

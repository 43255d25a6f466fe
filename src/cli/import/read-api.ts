import { operationsOf, type Operation, type Parameter } from '../../gate/document/operations.ts'
import type { Source } from '../../gate/document/source.ts'
import { isRecord, isString, toRecord } from '../../base/values.ts'
import type { SchemaObject } from '../../openapi/document/types.ts'
import { createSchemaReader, type SchemaReader } from './read-schemas.ts'

type Node = Readonly<Record<string, unknown>>

/** A media type of a body. */
export interface ImportedMedia {
  readonly type: string
  readonly schema: SchemaObject | undefined
  readonly encoding: unknown
}

/** A parameter, with its schema or the media type of its content. */
export interface ImportedParameter {
  readonly in: string
  readonly name: string
  readonly isRequired: boolean
  readonly schema: SchemaObject
  /** The rest of the parameter, such as its description and style. */
  readonly node: Node
}

/** A response of an operation. */
export interface ImportedResponse {
  readonly status: string
  readonly description: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly content: readonly ImportedMedia[]
}

/** An operation of the imported document. */
export interface ImportedOperation {
  readonly method: string
  readonly path: string
  readonly id: string | undefined
  readonly tags: readonly string[]
  readonly summary: string | undefined
  readonly description: string | undefined
  readonly isDeprecated: boolean
  readonly parameters: readonly ImportedParameter[]
  readonly body: { readonly isRequired: boolean; readonly content: readonly ImportedMedia[] } | undefined
  readonly responses: readonly ImportedResponse[]
  /** The alternatives of credentials, each with the scopes by scheme; none if it is open. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly hasCallbacks: boolean
}

/** A document that is imported. */
export interface ImportedApi {
  readonly title: string
  readonly version: string
  /** The address of the first server. */
  readonly server: string | undefined
  readonly operations: readonly ImportedOperation[]
  readonly schemas: Readonly<Record<string, SchemaObject>>
  readonly schemes: Readonly<Record<string, object>>
  readonly hasWebhooks: boolean
}

/** Reads the parts of a document that are written as source. @throws {ReadError} if it cannot be read */
export function readApi(source: Source): ImportedApi {
  const { root } = source
  const reader = createSchemaReader(source)
  const info = toRecord(root['info'])
  const schemes = toRecord(toRecord(root['components'])['securitySchemes'])
  const operations = operationsOf(source).map((operation) => toOperation(operation, source, reader))
  return {
    title: isString(info['title']) ? info['title'] : 'API',
    version: isString(info['version']) ? info['version'] : '1',
    server: serverOf(root['servers']),
    operations,
    schemas: reader.all(),
    schemes: Object.fromEntries(
      Object.entries(schemes).flatMap(([name, scheme]) => {
        const found = source.resolve(scheme)
        return isRecord(found) ? [[name, found]] : []
      }),
    ),
    hasWebhooks: Object.keys({ ...toRecord(root['webhooks']), ...toRecord(root['x-webhooks']) }).length > 0,
  }
}

function serverOf(servers: unknown): string | undefined {
  const first: unknown = Array.isArray(servers) ? servers[0] : undefined
  const url = isRecord(first) ? first['url'] : undefined
  return isString(url) ? url : undefined
}

function toOperation(operation: Operation, source: Source, reader: SchemaReader): ImportedOperation {
  const { method, path, id, node } = operation
  const body = source.resolve(node['requestBody'])
  const text = (name: string): string | undefined => (isString(node[name]) ? node[name] : undefined)
  const given = node['security'] ?? source.root['security']
  return {
    method,
    path,
    id,
    tags: Array.isArray(node['tags']) ? node['tags'].filter(isString) : [],
    summary: text('summary'),
    description: text('description'),
    isDeprecated: node['deprecated'] === true,
    parameters: operation.parameters.map((parameter) => toParameter(parameter, source, reader)),
    body: isRecord(body)
      ? { isRequired: body['required'] === true, content: contentOf(body, source, reader) }
      : undefined,
    responses: Object.entries(toRecord(source.resolve(node['responses']))).flatMap(([status, value]) => {
      const response = source.resolve(value)
      return isRecord(response) && !status.startsWith('x-')
        ? [toResponse(status, response, source, reader)]
        : []
    }),
    security: Array.isArray(given) ? given.filter(isRecord).map(toScopes) : [],
    hasCallbacks: Object.keys(toRecord(node['callbacks'])).length > 0,
  }
}

function toScopes(requirement: Node): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    Object.entries(requirement).map(([name, scopes]) => [
      name,
      Array.isArray(scopes) ? scopes.filter(isString) : [],
    ]),
  )
}

function toParameter(parameter: Parameter, source: Source, reader: SchemaReader): ImportedParameter {
  const { schema, example: _example, examples: _examples, ...node } = parameter.node
  const content = contentOf(parameter.node, source, reader)
  return {
    in: parameter.in,
    name: parameter.name,
    isRequired: parameter.in === 'path' || node['required'] === true,
    schema: reader.read(schema),
    node: {
      ...node,
      ...(content.length === 0
        ? {}
        : { content: Object.fromEntries(content.map((each) => [each.type, { schema: each.schema }])) }),
    },
  }
}

function toResponse(status: string, node: Node, source: Source, reader: SchemaReader): ImportedResponse {
  const headers = Object.entries(toRecord(source.resolve(node['headers']))).flatMap(([name, value]) => {
    const header = source.resolve(value)
    if (!isRecord(header) || name.toLowerCase() === 'content-type') return []
    const { schema, example: _example, examples: _examples, ...rest } = header
    return [[name, { ...rest, ...(schema === undefined ? {} : { schema: reader.read(schema) }) }]] as const
  })
  return {
    status: status === 'default' ? status : status.toUpperCase(),
    description: isString(node['description']) ? node['description'].trim() : '',
    headers: Object.fromEntries(headers),
    content: contentOf(node, source, reader),
  }
}

function contentOf(node: Node, source: Source, reader: SchemaReader): readonly ImportedMedia[] {
  return Object.entries(toRecord(source.resolve(node['content']))).map(([type, value]) => {
    const media = toRecord(source.resolve(value))
    return {
      type,
      schema: media['schema'] === undefined ? undefined : reader.read(media['schema']),
      encoding: media['encoding'],
    }
  })
}

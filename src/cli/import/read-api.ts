import { readOperations, type ComparedOperation } from '../../gate/document/read-operations.ts'
import type { Node, ComparedSource } from '../../gate/document/source.ts'
import { isRecord, isString, toRecord } from '../../base/values.ts'
import type { Content, SchemaObject, SecurityAlternative } from '../../openapi/document/types.ts'
import { createSchemaReader, type SchemaReader } from './read-schemas.ts'

/** A parameter or header with its schema, or with the media type of its content. */
interface DescribedMember extends Node {
  readonly schema?: SchemaObject
  readonly content?: Content
}

/** A parameter of an operation. */
export interface ImportedParameter extends DescribedMember {
  readonly in: string
  readonly name: string
}

/** A response of an operation. */
interface ImportedResponse {
  readonly description: string
  readonly headers: Readonly<Record<string, DescribedMember>>
  readonly content: Content | undefined
}

/** An operation of the imported document, as one of OpenAPI 3.1 without references but those to schemas. */
export interface ImportedOperation {
  readonly method: string
  readonly path: string
  readonly operationId: string | undefined
  readonly tags: readonly string[]
  readonly summary: string | undefined
  readonly description: string | undefined
  readonly deprecated: true | undefined
  readonly parameters: readonly ImportedParameter[]
  readonly requestBody: { readonly required: boolean; readonly content: Content } | undefined
  /** By status, `4XX` and `default` included. */
  readonly responses: Readonly<Record<string, ImportedResponse>>
  /** The alternatives of credentials, each with the scopes by scheme; none if it is open. */
  readonly security: readonly SecurityAlternative[]
  /** A member, if there are any. */
  readonly callbacks: object | undefined
  /** Extensions that `octavo check` reads. */
  readonly 'x-sunset': string | undefined
  readonly 'x-stability-level': string | undefined
  readonly 'x-beta': true | undefined
}

/** A constant of an app of a framework, which is a named schema of the document of that app. */
export interface SchemaConstant {
  readonly constant: string
  /** Its file, from the folder of the project. */
  readonly file: string
  readonly isModel: boolean
}

/** The app of a framework that an API is imported from. */
export interface ImportedHost {
  /** The constants that are named schemas. */
  readonly constants: Readonly<Record<string, SchemaConstant>>
  /** The end of the paths in imports: `.ts`, `.js` or nothing. */
  readonly ending: string
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
  /** A member, if there are any. */
  readonly webhooks: object | undefined
  /** The app that has the routes; `undefined` for an API behind. */
  readonly host: ImportedHost | undefined
}

/** Reads the parts of a document that are written as source. @throws {ReadError} if it cannot be read */
export function readApi(source: ComparedSource): ImportedApi {
  const { root } = source
  const reader = createSchemaReader(source)
  const { title, version } = toRecord(root['info'])
  const [server]: readonly unknown[] = Array.isArray(root['servers']) ? root['servers'] : []
  const operations = readOperations(source).map((operation) => toImportedOperation(operation, source, reader))
  return {
    title: descriptionOf(title) ?? 'API',
    version: descriptionOf(version) ?? '1',
    server: descriptionOf(toRecord(server)['url']),
    operations,
    schemas: reader.all(),
    schemes: recordsIn(toRecord(root['components'])['securitySchemes'], source),
    webhooks: toAnyMember({ ...toRecord(root['webhooks']), ...toRecord(root['x-webhooks']) }),
    host: isRecord(root[HOST]) ? toHost(root[HOST]) : undefined,
  }
}

/** The member of a document that was made from an app of a framework. */
export const HOST = 'x-octavo-host'

function toHost({ constants, ending }: Node): ImportedHost {
  const written = Object.entries(toRecord(constants)).map(([name, own]): [string, SchemaConstant] => {
    const { constant, file, isModel } = toRecord(own)
    return [name, { constant: String(constant), file: String(file), isModel: isModel === true }]
  })
  return { constants: Object.fromEntries(written), ending: String(ending) }
}

/** The parts of a document that were written as source, as one document of OpenAPI 3.1 that gives the same source again. */
export function toPlainDocument({ operations, schemas, schemes, ...api }: ImportedApi): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const { method, path, ...operation } of operations)
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation }
  return {
    openapi: '3.1.0',
    info: { title: api.title, version: api.version },
    servers: api.server && [{ url: api.server }],
    paths,
    webhooks: api.webhooks,
    [HOST]: api.host,
    components: { schemas, securitySchemes: schemes },
  }
}

function descriptionOf(value: unknown): string | undefined {
  return isString(value) ? value : undefined
}

/** Stands for the members of something that is not written. */
function toAnyMember(members: object): object | undefined {
  return Object.keys(members).length === 0 ? undefined : { any: {} }
}

/** The members that are objects, with their references followed. */
function recordsIn(value: unknown, source: ComparedSource): Readonly<Record<string, Node>> {
  return Object.fromEntries(
    Object.entries(toRecord(source.resolve(value))).flatMap(([name, member]) => {
      const found = source.resolve(member)
      return isRecord(found) ? [[name, found]] : []
    }),
  )
}

function toImportedOperation(
  operation: ComparedOperation,
  source: ComparedSource,
  reader: SchemaReader,
): ImportedOperation {
  const { method, path, id, node } = operation
  const body = source.resolve(node['requestBody'])
  const security = node['security'] ?? source.root['security']
  return {
    method,
    path,
    operationId: id,
    tags: Array.isArray(node['tags']) ? node['tags'].filter(isString) : [],
    summary: descriptionOf(node['summary']),
    description: descriptionOf(node['description']),
    deprecated: node['deprecated'] === true || undefined,
    parameters: operation.parameters.map(({ in: place, name, node: own }) => ({
      ...toDescribed(own, mediaTypesOf(own, source, reader), reader),
      in: place,
      name,
    })),
    requestBody: isRecord(body)
      ? { required: body['required'] === true, content: mediaTypesOf(body, source, reader) ?? {} }
      : undefined,
    responses: Object.fromEntries(
      Object.entries(recordsIn(node['responses'], source))
        .filter(([status]) => !status.startsWith('x-'))
        .map(([status, response]) => [
          status === 'default' ? status : status.toUpperCase(),
          toImportedResponse(response, source, reader),
        ]),
    ),
    security: Array.isArray(security) ? security.filter(isRecord).map(toScopes) : [],
    callbacks: toAnyMember(toRecord(node['callbacks'])),
    'x-sunset': descriptionOf(node['x-sunset']),
    'x-stability-level': descriptionOf(node['x-stability-level']),
    'x-beta': node['x-beta'] === true || undefined,
  }
}

function toScopes(requirement: Node): SecurityAlternative {
  return Object.fromEntries(
    Object.entries(requirement).map(([name, scopes]) => [
      name,
      Array.isArray(scopes) ? scopes.filter(isString) : [],
    ]),
  )
}

/** A parameter or header, without examples. */
function toDescribed(
  { schema, example: _example, examples: _examples, content: _content, ...rest }: Node,
  content: Content | undefined,
  reader: SchemaReader,
): DescribedMember {
  const own = schema === undefined ? {} : { schema: reader.read(schema) }
  return { ...rest, ...(content === undefined ? own : { content }) }
}

function toImportedResponse(node: Node, source: ComparedSource, reader: SchemaReader): ImportedResponse {
  const headers = Object.entries(recordsIn(node['headers'], source)).filter(
    ([name]) => name.toLowerCase() !== 'content-type',
  )
  return {
    description: descriptionOf(node['description'])?.trim() ?? '',
    headers: Object.fromEntries(
      headers.map(([name, header]) => [
        name,
        toDescribed(header, mediaTypesOf(header, source, reader), reader),
      ]),
    ),
    content: mediaTypesOf(node, source, reader),
  }
}

/** The media types of a body, or `undefined` for none. */
function mediaTypesOf(node: Node, source: ComparedSource, reader: SchemaReader): Content | undefined {
  const content = Object.entries(toRecord(source.resolve(node['content']))).map(([type, value]) => {
    const { schema, encoding } = toRecord(source.resolve(value))
    return [
      type,
      {
        ...(schema === undefined ? {} : { schema: reader.read(schema) }),
        ...(encoding === undefined ? {} : { encoding }),
      },
    ]
  })
  return content.length === 0 ? undefined : Object.fromEntries(content)
}

import { acceptsBytes, acceptsData, acceptsText } from './accepts.ts'
import {
  defOf,
  findResponse,
  metaOf,
  objectShape,
  schemasOf,
  unwrap,
  unwrapSchema,
  wantZod,
  type ResponseKey,
  type Schema,
  type SchemaDef,
} from './schema.ts'
import type { DeclaredSource } from './sources.ts'

const JSON_TYPE = 'application/json'
/** A JSON object whose members replace those of another one, or remove them if they are `null` (RFC 7396). */
export const MERGE_PATCH = 'application/merge-patch+json'
const MULTIPART = 'multipart/form-data'

/**
 * The media types that a route reads its body in, if a request comes by this method, none if it reads no body. Only for requests and
 * documents, because zod has to be loaded.
 */
export function bodyTypes(sources: readonly DeclaredSource[], method: string): readonly string[] {
  if (sources.some(({ name }) => name === 'files')) return [MULTIPART]
  const form = sources.find(({ name }) => name === 'form')
  if (form !== undefined) return formTypes(form.schema)
  const body = sources.find(({ name }) => name === 'body')
  return body === undefined ? [] : bodySchemaTypes(body.schema, method)
}

/** The media types that a form without files is read in. */
export function formTypes(schema: Schema): readonly string[] {
  const named = namedType(schema)
  return named === undefined ? ['application/x-www-form-urlencoded', MULTIPART] : [named]
}

/** The media types that a body with this schema is read in. A type that the schema names stands alone, as in documents. */
export function bodySchemaTypes(schema: Schema, method: string): readonly string[] {
  const named = namedType(schema)
  if (named !== undefined) return [named]
  if (acceptsBytes(schema)) return ['*/*']
  return [
    ...(acceptsData(schema) ? [JSON_TYPE] : []),
    ...(takesMergePatch(schema, method) ? [MERGE_PATCH] : []),
    ...(acceptsText(schema) ? ['text/plain'] : []),
  ]
}

/** Whether bodies of a method are merge patches as well: those of PATCH that are objects. */
export function takesMergePatch(schema: Schema, method: string): boolean {
  return method === 'PATCH' && acceptsObject(schema)
}

/** Returns the media type of a body in `meta({ contentMediaType })`. */
export function namedType(schema: Schema): string | undefined {
  const inner = unwrapSchema(schema) ?? schema
  const { contentMediaType: named = metaOf(inner)['contentMediaType'] } = metaOf(schema)
  return typeof named === 'string' ? named : undefined
}

/**
 * Creates the function that finds the media type of a response by its status: the one that its schema names, or that of a file without
 * types. `undefined` is JSON, or the type of the value.
 */
export function responseTypes(
  responses: ReadonlyMap<ResponseKey, Schema>,
): (status: number) => string | undefined {
  wantZod()
  const types = new Map<number, string | undefined>()
  return (status) => {
    const known = types.get(status)
    if (known !== undefined || types.has(status)) return known
    const schema = findResponse(responses, status)
    const type = schema && responseType(schema, status)
    types.set(status, type)
    return type
  }
}

function responseType(schema: Schema, status: number): string | undefined {
  const named = namedType(schema)
  const def = unwrap(schema)
  if (named !== undefined) return named
  if (isProblemSchema(schema, status)) return PROBLEM_TYPE
  return def?.type === 'file' && !hasTypes(def) ? 'application/octet-stream' : undefined
}

/** The media type of problem documents (RFC 9457). */
export const PROBLEM_TYPE = 'application/problem+json'

/** Whether a response is a problem document, as thrown errors are: it is one of an error with some codes. */
export function isProblemSchema(schema: Schema, status: ResponseKey): boolean {
  return /^[45]|default/.test(String(status)) && codesIn(schema).length > 0
}

/** The codes of the errors that a schema describes. */
export function codesIn(schema: Schema): readonly string[] {
  const { type, options } = defOf(schema)
  if (type === 'union') return schemasOf(options).flatMap(codesIn)
  return type === 'object' ? codesOf(objectShape(schema)['code']) : []
}

/** The texts that a schema of codes allows, if they are a few. */
export function codesOf(schema: Schema | undefined): readonly string[] {
  const values: unknown = schema === undefined ? undefined : Reflect.get(schema._zod, 'values')
  return values instanceof Set ? [...values].filter((value) => typeof value === 'string') : []
}

/** Whether a file may have some media types alone. */
function hasTypes({ checks }: SchemaDef): boolean {
  return schemasOf(checks).some((check) => defOf(check)['check'] === 'mime_type')
}

function acceptsObject(schema: Schema): boolean {
  const def = unwrap(schema)
  if (def?.type === 'union') return schemasOf(def['options']).some(acceptsObject)
  return def !== undefined && ['object', 'record', 'intersection'].includes(def.type)
}

import { acceptsBytes, acceptsText, declaresInherited } from '../../schema/accepts.ts'
import { bodyTypes, typesOf } from '../../schema/body-types.ts'
import type { Schema } from '../../schema/schema.ts'
import type { DeclaredSource } from '../../schema/sources.ts'
import { httpError } from '../../http/errors.ts'
import type { HttpRequest } from '../../http/http.ts'
import { isJsonType } from '../../http/headers.ts'
import { contentTypeOf, type MediaType } from '../../http/media-type.ts'
import { announce } from './announce.ts'
import { toJson, decodeText } from './body.ts'
import { RequestView } from './request.ts'

/** Turns the bytes of a body into the raw value for its schema. */
type Decode = (bytes: Uint8Array) => unknown

/** Chooses how the body of a request is read, by its content type. @throws `HttpError` 415 when it is of another type. */
export type ChooseDecoder = (request: HttpRequest) => Decode

/** Creates the function that chooses how a body is read for a schema. */
export function createDecoder(schema: Schema): ChooseDecoder {
  if (acceptsBytes(schema)) return () => presentBytes
  const inherited = declaresInherited(schema)
  const json = presentOr((bytes) => toJson(bytes, inherited))
  const text = acceptsText(schema) ? presentOr(decodeText) : undefined
  const byType = (request: HttpRequest, type: MediaType | undefined): Decode => {
    if (isJson(type)) return json
    if (text !== undefined && isTextType(type)) return text
    const types = typesOf(schema, request.method)
    if (text !== undefined && isNamed(type, types)) return text
    throw unsupported(request, types)
  }
  return (request) => {
    const header = request.header('content-type')
    if (header === undefined || header === 'application/json') return json
    // what is not there has no type that could be wrong
    if (request instanceof RequestView && request.isEmpty) return json
    return byType(request, contentTypeOf(header))
  }
}

/**
 * Refuses content without a content type, which must not be guessed for QUERY (RFC 10008 section 2.1).
 *
 * @throws `HttpError` 400.
 */
export function requireContentType(request: HttpRequest, sources: readonly DeclaredSource[]): void {
  if (request.header('content-type') !== undefined) return
  if (request instanceof RequestView && request.isEmpty) return
  const types = bodyTypes(sources, request.method)
  throw httpError('missing_content_type', `Send a Content-Type with the body: ${types.join(' or ')}`, {
    headers: announce(request.method, types),
  })
}

/** @throws `HttpError` 415 when the body of a request is no urlencoded form. */
export function requireForm(request: HttpRequest): void {
  const header = request.header('content-type')
  if (header !== undefined && !isForm(contentTypeOf(header)))
    throw unsupported(request, ['application/x-www-form-urlencoded', 'multipart/form-data'])
}

/** An empty body has no value. */
function presentOr(decode: Decode): Decode {
  return (bytes) => (bytes.length === 0 ? undefined : decode(bytes))
}

/** The error of a body of another type than the expected ones. */
export function unsupported({ method }: HttpRequest, types: readonly string[]): Error {
  return httpError('unsupported_media_type', `Send the body as ${types.join(' or ')}`, {
    headers: announce(method, types),
  })
}

function isJson(type: MediaType | undefined): boolean {
  return type !== undefined && isJsonType(type.type) && isUtf8Charset(type)
}

function isForm(type: MediaType | undefined): boolean {
  return type?.type === 'application/x-www-form-urlencoded' && isUtf8Charset(type)
}

function isTextType(type: MediaType | undefined): boolean {
  return (
    type !== undefined && (type.type.startsWith('text/') || /[/+]xml$/.test(type.type)) && isUtf8Charset(type)
  )
}

/** Whether it is a type that the schema names, such as `application/sql`. */
function isNamed(type: MediaType | undefined, types: readonly string[]): boolean {
  return (
    type !== undefined &&
    isUtf8Charset(type) &&
    types.some((named) => contentTypeOf(named)?.type === type.type)
  )
}

/** Other charsets are refused rather than misread. */
function isUtf8Charset({ parameters }: MediaType): boolean {
  const charset = parameters.find(([name]) => name === 'charset')?.[1]
  return charset === undefined || /^(?:utf-?8|us-ascii)$/i.test(charset)
}

function presentBytes(bytes: Uint8Array): Uint8Array | undefined {
  return bytes.length === 0 ? undefined : bytes
}

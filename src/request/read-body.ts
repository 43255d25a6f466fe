import { acceptsBytes, acceptsData, acceptsText, declaresInherited } from '../schema/accepts.ts'
import type { Schema } from '../schema/schema.ts'
import { httpError } from '../errors.ts'
import type { HttpRequest } from '../http.ts'
import { contentTypeOf, isJsonType } from '../media-type.ts'
import type { MediaType } from '../media-type.ts'
import { toJson, decodeText } from './body.ts'
import { RequestView } from './request.ts'

/** Turns the bytes of a body into the raw value for its schema. */
type Decode = (bytes: Uint8Array) => unknown

/** Chooses how the body of a request is read, by its content type. @throws `HttpError` 415 when it is of another type. */
export type ChooseDecoder = (request: HttpRequest) => Decode

/** Makes the function that chooses how a body is read for a schema; `jsonDepth` are the levels that JSON may have. */
export function createDecoder(schema: Schema, jsonDepth: number): ChooseDecoder {
  if (acceptsBytes(schema)) return () => presentBytes
  const inherited = declaresInherited(schema)
  const json = presentOr((bytes) => toJson(bytes, jsonDepth, inherited))
  const text = acceptsText(schema) ? presentOr(decodeText) : undefined
  const expected = acceptsData(schema)
    ? text === undefined
      ? 'application/json'
      : 'application/json or text/plain'
    : 'text/plain'
  return (request) => {
    const header = request.header('content-type')
    if (header === undefined || header === 'application/json') return json
    // what is not there has no type that could be wrong
    if (request instanceof RequestView && request.isEmpty) return json
    const type = contentTypeOf(header)
    if (isJson(type)) return json
    if (text !== undefined && isText(type)) return text
    throw unsupported(expected)
  }
}

/** @throws `HttpError` 415 when the body of a request is no urlencoded form. */
export function requireForm(request: HttpRequest): void {
  const header = request.header('content-type')
  if (header !== undefined && !isForm(contentTypeOf(header)))
    throw unsupported('application/x-www-form-urlencoded or multipart/form-data')
}

/** An empty body has no value. */
function presentOr(decode: Decode): Decode {
  return (bytes) => (bytes.length === 0 ? undefined : decode(bytes))
}

/** The error of a body of another type than is expected. */
export function unsupported(expected: string): Error {
  return httpError('unsupported_media_type', `Send the body as ${expected}`)
}

function isJson(type: MediaType | undefined): boolean {
  return type !== undefined && isJsonType(type.type) && isUtf8Charset(type)
}

function isForm(type: MediaType | undefined): boolean {
  return type?.type === 'application/x-www-form-urlencoded' && isUtf8Charset(type)
}

function isText(type: MediaType | undefined): boolean {
  return (
    type !== undefined && (type.type.startsWith('text/') || /[/+]xml$/.test(type.type)) && isUtf8Charset(type)
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

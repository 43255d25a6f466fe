import { acceptsBytes, acceptsData, acceptsText, declaresInherited } from '../define/kinds.ts'
import type { Schema } from '../define/schema.ts'
import { httpError } from '../errors.ts'
import type { HttpRequest } from '../http.ts'
import { contentTypeOf } from '../media-type.ts'
import type { MediaType } from '../media-type.ts'
import { toJson, toText } from './body.ts'

/** Makes the function that reads the raw value of a body for a schema, by the content type of the request. */
export function createBodyReader(schema: Schema): (request: HttpRequest) => Promise<unknown> {
  if (acceptsBytes(schema)) return async (request) => presentBytes(await request.bytes())
  const inherited = declaresInherited(schema)
  const text = acceptsText(schema)
  const data = acceptsData(schema)
  return async (request) => {
    // what is not there has no type that could be wrong
    if (request.header('content-length') === '0') return undefined
    const header = request.header('content-type')
    const type = contentTypeOf(header)
    const read = chooseReader(header, type, { text, data, inherited })
    const bytes = presentBytes(await request.bytes())
    return bytes === undefined ? undefined : read(bytes)
  }
}

/** Reads the fields of an urlencoded body. */
export async function readForm(request: HttpRequest): Promise<string> {
  const header = request.header('content-type')
  if (header !== undefined && !isForm(contentTypeOf(header)))
    throw unsupported('application/x-www-form-urlencoded')
  return toText(await request.bytes())
}

interface Accepted {
  readonly text: boolean
  readonly data: boolean
  readonly inherited: boolean
}

function chooseReader(
  header: string | undefined,
  type: MediaType | undefined,
  accepted: Accepted,
): (bytes: Uint8Array) => unknown {
  const json = (bytes: Uint8Array): unknown => toJson(bytes, accepted.inherited)
  if (header === undefined || isJson(type)) return json
  if (accepted.text && isText(type)) return toText
  throw unsupported(
    accepted.data ? (accepted.text ? 'application/json or text/plain' : 'application/json') : 'text/plain',
  )
}

function unsupported(expected: string): Error {
  return httpError('unsupported_media_type', `Send the body as ${expected}`)
}

function isJson(type: MediaType | undefined): boolean {
  return (
    type !== undefined &&
    (type.type === 'application/json' || type.type.endsWith('+json')) &&
    isUtf8Charset(type)
  )
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

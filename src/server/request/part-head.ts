import { isUtf8 } from 'node:buffer'

import { httpError } from '../../http/errors.ts'
import { toBaseName } from '../../http/file-name.ts'
import { parseMediaType, splitOutsideQuotes, type MediaType } from '../../http/media-type.ts'

/** The header of a part (RFC 7578 section 4). */
export interface PartHead {
  readonly name: string
  /** The base name of a file, or `undefined` for a field. */
  readonly filename: string | undefined
  /** The type without parameters. */
  readonly type: string
}

/** Header lines by lower-case name, as the parser gives them: bytes as characters. */
export type PartHeader = Readonly<Record<string, readonly string[] | undefined>>

/** The error of a body that is no `multipart/form-data`. */
export function malformedMultipart(detail: string): Error {
  return httpError('malformed_multipart', detail)
}

/** Reads the header of a part. @throws `HttpError` 400 for what is malformed, or not meant for forms. */
export function toPartHead(header: PartHeader, nameSize: number): PartHead {
  const parameters = readDisposition(onlyLine(header, 'content-disposition'))
  const rawName = parameters.get('name')
  if (rawName === undefined) throw malformedMultipart('A part has no name')
  const name = unescapeName(toUtf8(rawName) ?? refusePart('The name of a part is not UTF-8'))
  const given = fileName(parameters)
  if (Math.max(Buffer.byteLength(name), Buffer.byteLength(given ?? '')) > nameSize)
    throw malformedMultipart(`A name is longer than ${nameSize} bytes`)
  checkEncoding(onlyLine(header, 'content-transfer-encoding'))
  const media = parseMediaType(onlyLine(header, 'content-type') ?? '')
  const isFile = given !== undefined || media?.type === OCTETS
  if (!isFile) checkField(media)
  return isFile
    ? { name, filename: toBaseName(given ?? ''), type: media?.type ?? OCTETS }
    : { name, filename: undefined, type: media?.type ?? 'text/plain' }
}

const OCTETS = 'application/octet-stream'

/** @throws `HttpError` 400 when a field is no text in UTF-8 */
function checkField(media: MediaType | undefined): void {
  if (media?.type.startsWith('multipart/') === true)
    throw malformedMultipart('A part is a multipart body of its own')
  const charset = media?.parameters.find(([parameter]) => parameter === 'charset')?.[1]
  if (charset !== undefined && !/^(?:utf-?8|us-ascii)$/i.test(charset))
    throw malformedMultipart('A field is not in UTF-8')
}

function refusePart(detail: string): never {
  throw malformedMultipart(detail)
}

function onlyLine(header: PartHeader, name: string): string | undefined {
  const lines = header[name] ?? []
  if (lines.length > 1) throw malformedMultipart(`A part has several ${name} headers`)
  return lines[0]
}

/** The parameters of `form-data`, by lower-case name. */
function readDisposition(line: string | undefined): ReadonlyMap<string, string> {
  const [type = '', ...rest] = splitOutsideQuotes(line ?? '', ';')
  if (type.toLowerCase() !== 'form-data') throw malformedMultipart('A part is not form-data')
  const parameters = new Map<string, string>()
  for (const parameter of rest) {
    if (parameter === '') continue
    const [, name = '', value = ''] = /^([^\s=]+)[ \t]*=[ \t]*(.*)$/.exec(parameter) ?? []
    const key = name.toLowerCase()
    if (key === '' || parameters.has(key)) throw malformedMultipart('A Content-Disposition cannot be read')
    parameters.set(key, unquoteName(value))
  }
  return parameters
}

/** Backslashes escape quotes only: clients have sent whole Windows paths since there are forms. */
function unquoteName(value: string): string {
  if (!value.startsWith('"'))
    return value.includes('"') ? refusePart('A Content-Disposition cannot be read') : value
  if (value.length < 2 || !/^"(?:[^"\\]|\\.)*"$/.test(value))
    refusePart('A Content-Disposition cannot be read')
  return value.slice(1, -1).replaceAll('\\"', '"')
}

/** Restores the characters that browsers escape in names (HTML standard, section 4.10.21.8). */
function unescapeName(name: string): string {
  return name.replaceAll(/%(?:0A|0D|22)/gi, (escaped) => decodeURIComponent(escaped))
}

/** `filename*` is not meant for forms (RFC 7578 section 4.2); where it is there and can be read, it is what the client meant. */
function fileName(parameters: ReadonlyMap<string, string>): string | undefined {
  const extended = fromExtended(parameters.get('filename*'))
  const plain = parameters.get('filename')
  if (extended !== undefined || plain === undefined) return extended
  return unescapeName(Buffer.from(plain, 'latin1').toString('utf8'))
}

/** A value of RFC 8187 section 3.2: `UTF-8''na%C3%AFve.txt`. */
function fromExtended(value: string | undefined): string | undefined {
  const [, charset = '', escaped = ''] = /^([\w-]+)'[^']*'(.*)$/.exec(value ?? '') ?? []
  if (/%(?![\da-f]{2})/i.test(escaped) || !/^(?:utf-8|iso-8859-1)$/i.test(charset)) return undefined
  const bytes = escaped.replaceAll(/%(..)/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  )
  return /^utf-8$/i.test(charset) ? toUtf8(bytes) : bytes
}

/** The text of bytes that stand as characters, or `undefined` if they are not UTF-8. */
function toUtf8(bytes: string): string | undefined {
  const buffer = Buffer.from(bytes, 'latin1')
  return isUtf8(buffer) ? buffer.toString('utf8') : undefined
}

/** Other encodings are deprecated in forms, and no client sends them (RFC 7578 section 4.7). */
function checkEncoding(encoding: string | undefined): void {
  if (encoding !== undefined && !/^(?:7bit|8bit|binary)$/i.test(encoding.trim()))
    throw malformedMultipart('A part has a transfer encoding')
}

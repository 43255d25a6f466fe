import { httpError, type HttpError } from '../../http/errors.ts'
import { clientWentAway } from '../../http/http.ts'
import { ignoreRejection, isPromise } from '../../base/values.ts'
import { findByteChecks, type ByteChecks } from '../../base/platform.ts'

const BYTE_ORDER_MARK = '\ufeff'

/** Bytes as Node has them, which share their memory. */
export function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** The text of bytes in UTF-8, without byte-order mark. @throws `HttpError` for other bytes. */
type DecodeText = (bytes: Uint8Array) => string

let decode: DecodeText | undefined

/** The text of a body in UTF-8, without byte-order mark. */
export function decodeText(bytes: Uint8Array): string {
  return (decode ??= createDecode())(bytes)
}

function createDecode(): DecodeText {
  const checks = findByteChecks()
  if (checks !== undefined && !isPromise(checks)) return createBufferDecode(checks)
  if (checks !== undefined) ignoreRejection(decodeLaterBy(checks))
  const decoder = new TextDecoder('utf-8', { fatal: true })
  return (bytes) => {
    try {
      return decoder.decode(bytes)
    } catch {
      throw notUtf8()
    }
  }
}

async function decodeLaterBy(checks: Promise<ByteChecks>): Promise<void> {
  decode = createBufferDecode(await checks)
}

function createBufferDecode({ isAscii, isUtf8 }: ByteChecks): DecodeText {
  return (bytes) => {
    const buffer = toBuffer(bytes)
    // most bodies are ASCII, which needs no decoding
    if (isAscii(buffer)) return buffer.toString('latin1')
    if (!isUtf8(buffer)) throw notUtf8()
    const text = buffer.toString('utf8')
    return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
  }
}

function notUtf8(): HttpError {
  return httpError('malformed_body', 'The body is not valid UTF-8')
}

/** Levels of arrays and objects in a JSON body: far deeper ones would overflow the stack of code that walks them. */
const MAX_DEPTH = 500

/** Parses a JSON body. `inherited` drops the prototypes of its objects and members that name one, for schemas that declare a name all objects have. */
export function parseJsonBody(bytes: Uint8Array, inherited = false): unknown {
  const text = decodeText(bytes)
  failIfDeep(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // the parser's own message quotes the body
    throw httpError('malformed_json', 'The body is not valid JSON')
  }
  return inherited ? withoutPrototypes(value) : value
}

/** @throws `HttpError` for JSON that is nested too deeply. */
export function failIfDeep(text: string): void {
  if (text.length > MAX_DEPTH && isTooDeep(text))
    throw httpError('malformed_json', `The body is nested more than ${MAX_DEPTH} levels deep`)
}

const QUOTE = 34
const BACKSLASH = 92

/** Counts brackets outside strings; a text that is no JSON is left to the parser. */
function isTooDeep(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = stringEnd(text, at + 1)
    } else if (code === 91 || code === 123) {
      depth++
      if (depth > MAX_DEPTH) return true
    } else if (code === 93 || code === 125) depth--
  }
  return false
}

function stringEnd(text: string, start: number): number {
  let at = start
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1
  return at
}

function withoutPrototypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrototypes)
  if (typeof value !== 'object' || value === null) return value
  const copy: Record<string, unknown> = Object.create(null)
  for (const [name, member] of Object.entries(value))
    if (name !== '__proto__') copy[name] = withoutPrototypes(member)
  return copy
}

export function bodyTooLarge(limit: number): HttpError {
  return httpError('body_too_large', `The body is longer than ${limit} bytes`)
}

/** The error of a body that ends before it is whole, which counts as the abort if the client has left. */
export function bodyEndedEarly(cause: unknown = clientWentAway()): HttpError {
  return httpError('malformed_request', 'The body ended early', { cause })
}

/** The chunks of a body in one piece. */
export function joinChunks(chunks: readonly Uint8Array[]): Uint8Array {
  const [first] = chunks
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)
}

/** Reads all that is left of a body. */
export async function collectChunks(source: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source) chunks.push(chunk)
  return joinChunks(chunks)
}

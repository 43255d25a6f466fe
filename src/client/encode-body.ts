import { isString } from '../base/values.ts'
import type { RouteCall } from './route-map.ts'

/** The bodies that `fetch` sends. */
export type FetchBody = string | Uint8Array | ArrayBuffer | Blob | FormData | URLSearchParams | ReadableStream

/** A body with its content type, where `fetch` does not know it. */
interface TypedBody {
  readonly body: FetchBody | undefined
  readonly type: string | undefined
}

/** Encodes what a call sends as its body. */
export function encodeBody(name: string, route: RouteCall, { body, form, files }: CallValues): TypedBody {
  if (route.form === 'multipart') return { body: toMultipart(name, form ?? {}, files ?? {}), type: undefined }
  if (form !== undefined) return { body: new URLSearchParams(toPairs(form)), type: undefined }
  if (body === undefined) return { body: undefined, type: undefined }
  if (isBytes(body)) {
    const type = body instanceof Blob && body.type !== '' ? body.type : BYTES
    return { body, type: route.type ?? type }
  }
  switch (route.body) {
    case 'bytes':
      throw new TypeError(`${name}: the body is not a Uint8Array, an ArrayBuffer, a Blob or a ReadableStream`)
    case 'text':
      if (isString(body)) return { body, type: route.type ?? 'text/plain;charset=UTF-8' }
      if (body === null) return encodeJson(body)
      throw new TypeError(`${name}: the body is not a string`)
    default:
      return encodeJson(body, route.type)
  }
}

function encodeJson(body: unknown, type = 'application/json'): TypedBody {
  // JSON has no bigints: their digits are sent as text
  const text = JSON.stringify(body, (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  return { body: text, type }
}

const BYTES = 'application/octet-stream'

function isBytes(value: unknown): value is Uint8Array | ArrayBuffer | Blob | ReadableStream {
  return [Uint8Array, ArrayBuffer, Blob, ReadableStream].some((type) => value instanceof type)
}

/** Fields before files, for handlers that read a file as it arrives have the fields by then. */
function toMultipart(
  name: string,
  form: Readonly<Record<string, unknown>>,
  files: Readonly<Record<string, unknown>>,
): FormData {
  const data = new FormData()
  for (const [field, text] of toPairs(form)) data.append(field, text)
  for (const [field, value] of Object.entries(files)) {
    for (const file of [value].flat()) {
      if (file === undefined || file === null) continue
      if (!(file instanceof Blob)) throw new TypeError(`${name}: the file ${field} is not a File or a Blob`)
      data.append(field, file)
    }
  }
  return data
}

/** The fields of a source. */
export type FieldValues = Readonly<Record<string, unknown>>

/** The values of a call, as far as their types are known. */
export interface CallValues {
  readonly params?: FieldValues
  readonly query?: FieldValues
  readonly headers?: FieldValues
  readonly cookies?: FieldValues
  readonly body?: unknown
  readonly form?: FieldValues
  readonly files?: FieldValues
  readonly method?: string
}

/** A value as servers read it from a text: dates in ISO 8601, objects as JSON. @throws `TypeError` for what has no text. */
export function formatValue(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
      return toDecimal(value)
    case 'bigint':
    case 'boolean':
      return String(value)
    case 'object':
      return value instanceof Date ? value.toISOString() : JSON.stringify(value)
    default:
      throw new TypeError(`A ${typeof value} cannot be sent`)
  }
}

/** The digits of a number. Servers read no exponent, which JavaScript writes from 21 digits on. */
function toDecimal(value: number): string {
  const text = String(value)
  const [, sign = '', first = '', others = '', exponent] = /^(-?)(\d)\.?(\d*)e(.+)$/.exec(text) ?? []
  if (exponent === undefined) return text
  const zeros = Number(exponent)
  if (zeros < 0) return `${sign}0.${'0'.repeat(-zeros - 1)}${first}${others}`
  return `${sign}${first}${others.padEnd(zeros, '0')}`
}

/** The texts of a field: lists and sets repeat it, `undefined` and `null` are left out. */
export function toFieldTexts(value: unknown): readonly string[] {
  const list: unknown = value instanceof Set ? [...value] : value
  const items: readonly unknown[] = Array.isArray(list) ? list : [list]
  return items.flatMap((item) => (item === undefined || item === null ? [] : [formatValue(item)]))
}

/** The names and texts of a source. */
export function toPairs(values: Readonly<Record<string, unknown>>): [name: string, text: string][] {
  return Object.entries(values).flatMap(([name, value]) =>
    toFieldTexts(value).map((text): [string, string] => [name, text]),
  )
}

import { asObject } from './document.ts'
import type { Field, Media, Operation, ReadDocument, SecurityScheme } from './document.ts'
import { isForm, isJson } from './calls.ts'
import type { Draft } from './calls.ts'
import { Binary } from './values.ts'

/** A request as it is sent. */
export interface WireCall {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly body: string | Uint8Array<ArrayBuffer> | undefined
  /** For people: what was sent. */
  readonly shown: string
}

/** What proves who sends, by the names of security schemes. */
export type Credentials = Readonly<Record<string, string>>

/** A request while it is written. */
interface Writing {
  path: string
  readonly headers: Headers
  readonly query: URLSearchParams
  readonly cookies: string[]
}

/** Writes a call down as OpenAPI says: styles of parameters, media types of bodies, credentials in their places. */
export async function toCall(
  operation: Operation,
  draft: Draft,
  document: ReadDocument,
  credentials: Credentials,
): Promise<WireCall> {
  const headers = new Headers({ accept: acceptable(operation) })
  const writing: Writing = { path: operation.path, headers, query: new URLSearchParams(), cookies: [] }
  for (const { field, value } of draft.fields) writeField(writing, field, value)
  for (const name of draft.schemes) writeCredential(writing, document.schemes.get(name), credentials[name])
  const { path, query, cookies } = writing
  if (cookies.length > 0) headers.set('cookie', cookies.join('; '))
  const body = draft.raw ?? (draft.body && (await toBody(draft.body.media, draft.body.value)))
  if (body !== undefined) headers.set('content-type', body.type)
  const url = `${draft.server}${path}${query.size > 0 ? `?${query.toString()}` : ''}`
  const content = body && ('text' in body ? body.text : body.bytes)
  const shown = content === undefined ? '' : JSON.stringify(Buffer.from(content).toString().slice(0, 600))
  return {
    method: operation.method,
    url,
    headers,
    body: content,
    shown: `${operation.method} ${url} ${JSON.stringify(Object.fromEntries(headers))} ${shown}`,
  }
}

function writeField(writing: Writing, field: Field, value: unknown): void {
  const { name, in: place } = field
  if (place === 'path')
    writing.path = writing.path.replace(`{${name}}`, () => encodeURIComponent(toText(value)))
  else if (place === 'header') writing.headers.set(name, list(value).map(toText).join(', '))
  else if (place === 'query') for (const text of toTexts(field, value)) writing.query.append(name, text)
  else for (const text of toTexts(field, value)) writing.cookies.push(`${name}=${encodeURIComponent(text)}`)
}

function writeCredential(
  { headers, query, cookies }: Writing,
  scheme: SecurityScheme | undefined,
  secret: string | undefined,
): void {
  if (scheme === undefined || secret === undefined)
    throw new Error(`there are no credentials for ${JSON.stringify(scheme)}`)
  if (scheme.type === 'http') headers.set('authorization', `${toScheme(scheme.scheme)} ${secret}`)
  else if (scheme.in === 'header') headers.set(String(scheme.name), secret)
  else if (scheme.in === 'query') query.append(String(scheme.name), secret)
  else cookies.push(`${String(scheme.name)}=${secret}`)
}

function toScheme(scheme: unknown): string {
  return String(scheme).replace(/^./, (letter) => letter.toUpperCase())
}

/** What a client that reads the document says it takes: what successes are documented to be. */
function acceptable({ answers }: Operation): string {
  const types = answers.filter(({ status }) => status.startsWith('2')).flatMap(({ media }) => media)
  const named = [...new Set(types.map(({ type }) => type))].filter((type) => !type.startsWith('*'))
  return named.length === 0 ? '*/*' : named.join(', ')
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}

function toTexts({ explode }: Field, value: unknown): readonly string[] {
  const texts = list(value).map(toText)
  return explode ? texts : [texts.join(',')]
}

function toText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

type Written =
  | { readonly type: string; readonly text: string }
  | { readonly type: string; readonly bytes: Uint8Array<ArrayBuffer> }

async function toBody(media: Media, value: unknown): Promise<Written> {
  if (media.type.startsWith('multipart/form-data')) return toMultipart(media, value)
  if (isForm(media.type)) {
    const pairs = Object.entries(asObject(value)).flatMap(([name, each]) =>
      list(each).map((one): [string, string] => [name, toText(one)]),
    )
    return { type: media.type, text: new URLSearchParams(pairs).toString() }
  }
  const type = media.type.includes('*') ? 'application/octet-stream' : media.type
  if (value instanceof Binary) return { type, bytes: value.bytes }
  if (isJson(media.type)) return { type, text: JSON.stringify(value) }
  return { type, text: toText(value) }
}

async function toMultipart(media: Media, value: unknown): Promise<Written> {
  const form = new FormData()
  for (const [name, each] of Object.entries(asObject(value)))
    for (const one of list(each))
      if (one instanceof Binary) form.append(name, toFile(one, media.encoding.get(name)), 'file.bin')
      else form.append(name, toText(one))
  const response = new Response(form)
  return {
    type: response.headers.get('content-type') ?? '',
    bytes: new Uint8Array(await response.arrayBuffer()),
  }
}

/** How files of a type begin, for those who look. */
const STARTS: Readonly<Record<string, string>> = {
  'image/png': '89504e470d0a1a0a0000000d49484452',
  'image/jpeg': 'ffd8ffe000104a464946',
  'image/gif': '474946383961',
  'image/webp': '524946462400000057454250565038',
  'application/pdf': '255044462d312e37',
}

function toFile({ bytes }: Binary, types: string | undefined): Blob {
  const type = (types ?? 'application/octet-stream').split(',')[0]?.trim() ?? ''
  return new Blob([Buffer.from(STARTS[type] ?? '', 'hex'), bytes], { type })
}

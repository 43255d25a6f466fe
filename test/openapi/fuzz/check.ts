import { isJson } from './calls.ts'
import type { Answer, Field, Media, Operation, ReadDocument } from './document.ts'

/** An answer as a client gets it. */
export interface WireAnswer {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
  /** Whether the body went on when reading stopped. */
  readonly isCut: boolean
}

/** What in an answer is not as the document says. */
export function checkAnswer(
  operation: Operation,
  answer: WireAnswer,
  document: ReadDocument,
): readonly string[] {
  const { status } = answer
  if (status >= 500) return [`answered ${status}: ${answer.bytes.toString().slice(0, 300)}`]
  const documented = findAnswer(operation, status)
  if (documented === undefined) return [`status ${status} is not documented`]
  return [
    ...checkHeaders(documented.headers, answer, document),
    ...(operation.method === 'HEAD' ? [] : checkBody(documented, answer, document)),
  ]
}

/** What is documented of a status: as itself, as one of a hundred, or as any. */
export function findAnswer({ answers }: Operation, status: number): Answer | undefined {
  const names = [String(status), `${String(status).slice(0, 1)}XX`, 'default']
  return names.map((name) => answers.find((each) => each.status === name)).find((each) => each !== undefined)
}

function checkHeaders(
  headers: readonly Field[],
  answer: WireAnswer,
  document: ReadDocument,
): readonly string[] {
  return headers.flatMap((field) => {
    const text = answer.headers.get(field.name)
    if (text === null) return field.isRequired ? [`the documented header ${field.name} is missing`] : []
    if (field.schema === undefined) return []
    const meanings = [text, Number(text), text === 'true', [text]]
    if (meanings.some((meaning) => document.isValid(field, meaning))) return []
    return [`header ${field.name}: ${text} is not as documented`]
  })
}

function checkBody(documented: Answer, answer: WireAnswer, document: ReadDocument): readonly string[] {
  const { status, headers, bytes } = answer
  const type = headers.get('content-type')
  if (documented.media.length === 0) {
    // what error handlers answer is not documented, unless a route declares it
    if (status >= 400) return []
    return bytes.length === 0 ? [] : [`${status} has a body of type ${type}, and none is documented`]
  }
  if (type === null) {
    // what is open about its type may be nothing at all
    const isOpen = documented.media.some((media) => media.type === '*/*')
    return isOpen && bytes.length === 0 ? [] : [`${status} has no content type`]
  }
  const media = findMedia(documented.media, type)
  if (media.length === 0)
    return [`${status} is ${type}, documented is ${documented.media.map((each) => each.type).join(', ')}`]
  if (answer.isCut || !(isJson(type) || type.startsWith('text/'))) return []
  const reasons = media.map((each) => (each.schema === undefined ? '' : explain(document, each, bytes)))
  // types that differ by their version, of an answer that tells none
  if (reasons.includes('')) return []
  return [`${status} is not as documented: ${reasons[0]}: ${bytes.toString().slice(0, 300)}`]
}

/** Why content is not as documented; of a stream, why one of its events or items is not. */
function explain(document: ReadDocument, media: Media, bytes: Buffer): string {
  const text = bytes.toString()
  const type = essence(media.type)
  const values =
    type === 'text/event-stream'
      ? toEvents(text)
      : type === 'application/x-ndjson'
        ? text
            .split('\n')
            .slice(0, -1)
            .map((line): unknown => JSON.parse(line))
        : [isJson(media.type) ? parse(bytes) : text]
  return values.map((value) => document.explain(media, value)).find((reason) => reason !== '') ?? ''
}

/** Events as objects of their fields; data is a value where it is JSON. */
function toEvents(text: string): readonly object[] {
  return text
    .split('\n\n')
    .filter((part) => /^(?:event|data)/m.test(part))
    .map((part) => {
      const fields = part.split('\n').map((line): [string, unknown] => {
        const [, name = '', value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? []
        const data = parse(Buffer.from(value))
        return [name, name === 'data' && data !== undefined ? data : value]
      })
      return Object.fromEntries(fields)
    })
}

/** JSON; `undefined`, which nothing documents, for what is none. */
function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}

/** The documented type that an answer has: the same one before ranges, and the same version where both name one. */
function findMedia(media: readonly Media[], type: string): readonly Media[] {
  const own = essence(type)
  const version = versionOf(type)
  const fits = (each: Media): boolean => {
    const documented = versionOf(each.type)
    return documented === undefined || version === undefined || documented === version
  }
  const names = [own, `${own.split('/')[0]}/*`, '*/*']
  const found = names.map((name) => media.filter((each) => essence(each.type) === name && fits(each)))
  return found.find(({ length }) => length > 0) ?? []
}

function essence(type: string): string {
  return (type.split(';')[0] ?? '').trim().toLowerCase()
}

function versionOf(type: string): string | undefined {
  return /;\s*(?:v|version)="?([^";]+)/i.exec(type)?.[1]
}

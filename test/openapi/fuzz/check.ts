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
export function checkAnswer(operation: Operation, answer: WireAnswer, document: ReadDocument): readonly string[] {
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

function checkHeaders(headers: readonly Field[], answer: WireAnswer, document: ReadDocument): readonly string[] {
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
    return bytes.length === 0 ? [] : [`${status} has a body of type ${type}, and none is documented`]
  }
  if (type === null) {
    // what is open about its type may be nothing at all
    const isOpen = documented.media.some((media) => media.type === '*/*')
    return isOpen && bytes.length === 0 ? [] : [`${status} has no content type`]
  }
  const media = findMedia(documented.media, type)
  if (media === undefined)
    return [`${status} is ${type}, documented is ${documented.media.map((each) => each.type).join(', ')}`]
  if (media.schema === undefined || answer.isCut) return []
  if (isJson(type)) return checkJson(media, answer, document)
  if (!type.startsWith('text/')) return []
  const why = document.explain(media, bytes.toString())
  return why === '' ? [] : [`${status}: text is not as documented: ${why}`]
}

function checkJson(media: Media, { status, bytes }: WireAnswer, document: ReadDocument): readonly string[] {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString())
  } catch {
    return [`${status} is not JSON: ${bytes.toString().slice(0, 100)}`]
  }
  const why = document.explain(media, value)
  return why === '' ? [] : [`${status} is not as documented: ${why}: ${bytes.toString().slice(0, 300)}`]
}

/** The documented type that an answer has: the same one before ranges, and the same version where both name one. */
function findMedia(media: readonly Media[], type: string): Media | undefined {
  const own = essence(type)
  const version = versionOf(type)
  const fits = (each: Media): boolean => {
    const documented = versionOf(each.type)
    return documented === undefined || version === undefined || documented === version
  }
  return (
    media.find((each) => essence(each.type) === own && fits(each)) ??
    media.find((each) => essence(each.type) === `${own.split('/')[0]}/*`) ??
    media.find((each) => essence(each.type) === '*/*')
  )
}

function essence(type: string): string {
  return (type.split(';')[0] ?? '').trim().toLowerCase()
}

function versionOf(type: string): string | undefined {
  return /;\s*(?:v|version)="?([^";]+)/i.exec(type)?.[1]
}

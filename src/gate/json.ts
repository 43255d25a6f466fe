import { isRecord } from '../base/values.ts'

/** JSON with the members of objects in order: equal values have equal texts. */
export function toStableText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toStableText).join(',')}]`
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null'
  const members = Object.keys(value)
    .toSorted()
    .filter((name) => value[name] !== undefined)
    .map((name) => `${JSON.stringify(name)}:${toStableText(value[name])}`)
  return `{${members.join(',')}}`
}

/** A value for people, cut where it is long. */
export function toShortText(value: unknown): string {
  const text = toStableText(value)
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}

/** A document as it would be read from a file. */
export function toPlain(document: unknown): unknown {
  const plain: unknown = JSON.parse(JSON.stringify(document))
  return plain
}

/** A name as a step of a JSON pointer (RFC 6901 section 3). */
export function toPointerStep(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

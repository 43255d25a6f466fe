import { isRecord, isObject, isString } from '../base/values.ts'

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
export function shortJson(value: unknown): string {
  const text = toStableText(value)
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}

/** A document as it would be read from a file. */
export function toPlainJson(document: unknown): unknown {
  const plain: unknown = JSON.parse(JSON.stringify(document))
  return plain
}

/** A name as a step of a JSON pointer (RFC 6901 section 3). */
export function toPointerStep(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** The steps of a JSON pointer (RFC 6901 section 3). */
export function pointerSteps(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** A pointer that is written as part of an address (RFC 6901 section 6). */
export function decodePointer(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Returns the target of steps, or `undefined` if there is none. */
export function pickAt(root: unknown, steps: readonly string[]): unknown {
  let value = root
  for (const step of steps) {
    if (!isObject(value) || !Object.hasOwn(value, step)) return undefined
    value = Reflect.get(value, step)
  }
  return value
}

/** A document that cannot be read, resolved or compared. Its message is one line that says where and why. */
export class ReadError extends Error {
  override readonly name = 'ReadError'
}

/** The operations of a document, as method and path, by their `operationId`. */
export function operationsById(document: object): ReadonlyMap<string, string> {
  const paths: unknown = Reflect.get(document, 'paths')
  return new Map(
    Object.entries(isRecord(paths) ? paths : {}).flatMap(([path, item]) =>
      Object.entries(isRecord(item) ? item : {}).flatMap(([method, operation]) => {
        const id = isRecord(operation) ? operation['operationId'] : undefined
        return isString(id) ? [[id, `${method.toUpperCase()} ${path}`] as const] : []
      }),
    ),
  )
}

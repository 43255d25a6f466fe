import { isObject, isString } from '../../base/values.ts'

const MASK = '***'

/** The names of headers and members that hold credentials: those of clients of HTTP, which leave their requests in their errors. */
const NAME =
  /^(?:(?:proxy-)?authorization|(?:set-)?cookie|x-(?:api-key|auth-token)|api-?key|password|(?:client-?)?secret|(?:access|refresh|id)-?token)$/i

/** A line of a head as text, as `_header` of `node:http` has it. */
const LINE = /^((?:proxy-)?authorization|(?:set-)?cookie|x-(?:api-key|auth-token)):[ \t]*(.+?)\r?$/gim

/** A credential in a text: the user and password of a URL, and a member of a body that was written as JSON or as a form. */
const PART =
  /(?<=\/\/)[^\s/?#@:]*:[^\s/?#@]+(?=@)|"(?:password|(?:client_?)?secret|(?:access_?|refresh_?|id_?)?token)": ?"(?:[^"\\]|\\.)+"|\b(?:password|(?:client_)?secret|(?:access_|refresh_|id_)?token)=[^&\s"']+/gi

/** Objects that are looked at, at most. Sockets and agents hang together, and credentials are near the error. */
const MOST = 2000
/** The shortest text that is replaced everywhere: a shorter one may be part of a word. */
const SHORTEST = 6

/** A line of the log without the credentials that are somewhere in its details, however the line shows them. */
export function withoutSecrets(line: string, details: object): string {
  let masked = line
  for (const secret of secretsIn(details)) {
    const written = JSON.stringify(secret).slice(1, -1)
    for (const text of new Set([written, secret.replaceAll('\\', '\\\\'), secret]))
      masked =
        secret.length < SHORTEST
          ? masked.replaceAll(`"${text}"`, `"${MASK}"`).replaceAll(`'${text}'`, `'${MASK}'`)
          : masked.replaceAll(text, MASK)
  }
  return masked
}

/** The credentials in details and in all that hangs from them, the longest first. Getters are not called. */
function secretsIn(details: object): readonly string[] {
  const found = new Set<string>()
  const seen = new Set<object>([details])
  // a set also visits what is added while it is visited
  for (const object of seen) {
    if (seen.size > MOST) break
    visit(object, found, seen)
  }
  return [...found].toSorted((a, b) => b.length - a.length)
}

function visit(object: object, found: Set<string>, seen: Set<object>): void {
  const members = membersOf(object)
  for (const [index, [name, value]] of members.entries()) {
    if (isString(value)) {
      for (const [, , secret = ''] of value.matchAll(LINE)) found.add(secret)
      for (const [secret] of value.matchAll(PART)) found.add(secret)
    }
    // names and values in turn, as rawHeaders has them
    const before: unknown = Array.isArray(object) ? members[index - 1]?.[1] : undefined
    if (NAME.test(name.replaceAll('_', '-')) || (isString(before) && NAME.test(before))) keep(value, found)
    if (isObject(value) && !ArrayBuffer.isView(value)) seen.add(value)
  }
}

/** Own members, also of symbols and those that are not shown, and the entries of maps and headers. */
function membersOf(object: object): readonly (readonly [string, unknown])[] {
  try {
    if (object instanceof Map || object instanceof Headers)
      return [...object].map(([name, value]) => [String(name), value] as const)
    const descriptors = Object.getOwnPropertyDescriptors(object)
    return Reflect.ownKeys(descriptors).map(
      (key) => [String(key), Reflect.get(descriptors, key)?.value] as const,
    )
  } catch {
    // a proxy that throws
    return []
  }
}

function keep(value: unknown, found: Set<string>): void {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  for (const each of values) if (isString(each) && each !== '' && !NAME.test(each)) found.add(each)
}

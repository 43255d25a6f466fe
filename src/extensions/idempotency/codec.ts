import { isFunction, isObject } from '../../base/values.ts'

/** The member that stands for a value which JSON has not. An object of the user that has it is written as `object`. */
const TAG = '$octavo'

const RESTORE: Readonly<Record<string, (value: never) => unknown>> = {
  date: (time: number | null) => new Date(time ?? Number.NaN),
  bigint: (digits: string) => BigInt(digits),
  number: (name: string) => Number(name),
  bytes: (base64: string) => new Uint8Array(Buffer.from(base64, 'base64')),
  // as JSON it differs from other bytes
  buffer: (base64: string) => Buffer.from(base64, 'base64'),
  map: (entries: readonly (readonly [unknown, unknown])[]) => new Map(entries),
  set: (values: readonly unknown[]) => new Set(values),
  object: (entries: readonly (readonly [string, unknown])[]) => Object.fromEntries(entries),
}

/**
 * Writes data as text from which `decode` makes it again: what JSON has, dates, bytes, bigints, maps and sets. An object with `toJSON` is
 * what that returns, and an instance of a class its own fields.
 */
export function encode(value: unknown): string {
  // most results are JSON already
  return JSON.stringify(isPlain(value) ? value : toPlain(value)) ?? 'null'
}

/** Whether a value is JSON as it is. */
export function isPlain(value: unknown): boolean {
  if (!isObject(value))
    return typeof value === 'number' ? Number.isFinite(value) : !UNWRITTEN.has(typeof value)
  if (Array.isArray(value)) return value.every(isPlain)
  if (Object.getPrototypeOf(value) !== Object.prototype || TAG in value || 'toJSON' in value) return false
  for (const name in value) if (!isPlain(Reflect.get(value, name))) return false
  return true
}

const UNWRITTEN: ReadonlySet<string> = new Set(['bigint', 'function', 'symbol'])

/** Reads what `encode` has written. */
export function decode(text: string): unknown {
  if (!text.includes(TAG)) return JSON.parse(text)
  return JSON.parse(text, (_key, value: unknown) => {
    const tagged: unknown = isObject(value) ? Reflect.get(value, TAG) : undefined
    if (!Array.isArray(tagged)) return value
    const [kind, content] = tagged
    // what encode has written fits its kind
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return RESTORE[String(kind)]?.(content as never)
  })
}

function toPlain(value: unknown): unknown {
  if (typeof value === 'bigint') return tag('bigint', String(value))
  if (typeof value === 'number') return Number.isFinite(value) ? value : tag('number', String(value))
  if (!isObject(value)) return isFunction(value) || typeof value === 'symbol' ? undefined : value
  return toPlainObject(value)
}

function toPlainObject(value: object): unknown {
  if (Array.isArray(value)) return value.map((item) => toPlain(item))
  if (value instanceof Date) return tag('date', value.getTime())
  if (value instanceof Uint8Array)
    return tag(Buffer.isBuffer(value) ? 'buffer' : 'bytes', Buffer.from(value).toString('base64'))
  if (value instanceof Map) return tag('map', toPlain([...value]))
  if (value instanceof Set) return tag('set', toPlain([...value]))
  if ('toJSON' in value && isFunction(value.toJSON)) return toPlain(Reflect.apply(value.toJSON, value, []))
  const entries = Object.entries(value).map(([name, member]): readonly [string, unknown] => [
    name,
    toPlain(member),
  ])
  return Object.hasOwn(value, TAG) ? tag('object', entries) : Object.fromEntries(entries)
}

function tag(kind: string, content: unknown): object {
  return { [TAG]: [kind, content] }
}

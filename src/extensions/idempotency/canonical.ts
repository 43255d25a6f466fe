import { isFunction, isObject } from '../../base/values.ts'
import { encode } from './codec.ts'

/** Notes that are taken while data is written. */
export interface Noted {
  /** Whether the text has all that the data holds: an instance of a class may have private fields, and its `toJSON` may hide some. */
  isWhole: boolean
}

/** Writes data as text that is the same for equal data, whatever the order of members. Members without a value don't count. */
export function toCanonical(value: unknown, noted: Noted): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (!isObject(value)) {
    if (isFunction(value)) noted.isWhole = false
    return value === undefined ? 'null' : encode(value)
  }
  if (Array.isArray(value)) return `[${value.map((item) => toCanonical(item, noted)).join()}]`
  const prototype: unknown = Object.getPrototypeOf(value)
  // dates, bytes, maps, sets and what knows how to write itself
  if (prototype !== Object.prototype && prototype !== null && !isRecordOf(prototype)) {
    if (!(value instanceof Date || value instanceof Uint8Array)) noted.isWhole = false
    return encode(value)
  }
  let members = ''
  for (const name of Object.keys(value).toSorted()) {
    const member: unknown = Reflect.get(value, name)
    if (member === undefined) continue
    members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${toCanonical(member, noted)}`
  }
  return `{${members}}`
}

/** Whether a prototype is an object without members, as that of values which a schema has read. */
function isRecordOf(prototype: unknown): boolean {
  return (
    isObject(prototype) &&
    Object.getPrototypeOf(prototype) === null &&
    Object.keys(prototype).length === 0 &&
    prototype.constructor === undefined
  )
}

import { isObject } from '../values.ts'
import { encode } from './codec.ts'

/** Writes data as text that is the same for equal data, whatever the order of members. Members without a value don't count. */
export function toCanonical(value: unknown): string {
  if (!isObject(value)) return value === undefined ? 'null' : encode(value)
  if (Array.isArray(value)) return `[${value.map(toCanonical).join()}]`
  const prototype: unknown = Object.getPrototypeOf(value)
  // dates, bytes, maps, sets and what knows how to write itself
  if (prototype !== Object.prototype && prototype !== null && !isRecordOf(prototype)) return encode(value)
  const members: string[] = []
  for (const name of Object.keys(value).toSorted()) {
    const member: unknown = Reflect.get(value, name)
    if (member !== undefined) members.push(`${JSON.stringify(name)}:${toCanonical(member)}`)
  }
  return `{${members.join()}}`
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

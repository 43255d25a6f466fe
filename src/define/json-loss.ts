import { ignoreRejection, isPromise } from '../base/values.ts'
import { isAsyncIterable, isWebResponse } from '../http/http.ts'
import { isReply } from './reply.ts'

/** Traces of a map, of bytes, of a function in a list, and of a reply. */
const LEFT = /\{\}|null|"(?:0|status|headers)":/

/**
 * Compares the JSON text of a value with the value.
 *
 * @throws `TypeError` for what JSON cannot hold.
 */
export function throwIfLost(text: string, data: unknown): void {
  if (LEFT.test(text)) compareJson(JSON.parse(text), data, '')
}

/** @throws `TypeError` for an error, of which JSON would keep nothing. */
export function failIfError(data: unknown): void {
  if (data instanceof Error && !hasOwnText(data)) failLost('', data)
}

/** Compares a value with the data that its JSON text has, member by member. */
function compareJson(sent: unknown, given: unknown, key: string): void {
  if (isFunctionOrSymbol(given)) failLost(key, given)
  if (typeof given !== 'object' || given === null || hasOwnText(given)) return
  if (isReply(given) || isEmptied(sent, given)) failLost(key, given)
  if (typeof sent !== 'object' || sent === null) return
  for (const [name, member] of Object.entries(sent)) compareJson(member, Reflect.get(given, name), name)
}

function isFunctionOrSymbol(value: unknown): boolean {
  return typeof value === 'symbol' || (typeof value === 'function' && !hasOwnText(value))
}

/** Whether the value says by itself what its JSON is. */
function hasOwnText(value: object): boolean {
  return 'toJSON' in value && typeof value.toJSON === 'function'
}

/** Whether an object comes out as an empty one, or as numbered members, though it is more than that. */
function isEmptied(sent: unknown, given: object): boolean {
  if (Array.isArray(given) || typeof sent !== 'object' || sent === null) return false
  if (ArrayBuffer.isView(given)) return '0' in sent || Object.keys(sent).length === 0
  if (Object.keys(sent).length > 0) return false
  const members: readonly unknown[] = Object.values(given)
  const isSymbolic = Object.getOwnPropertySymbols(given).some((name) =>
    Object.prototype.propertyIsEnumerable.call(given, name),
  )
  // an instance whose members have no value yet loses nothing
  const isHiding = members.length === 0 && !isPlainObject(given)
  return isHiding || isSymbolic || members.some(isFunctionOrSymbol)
}

/** Whether an object is a literal, a record without prototype, or one of either in another realm. */
function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** The kinds of values that have another form to return, from the narrow to the wide. */
const FIXES: readonly (readonly [is: (value: object) => boolean, fix: string])[] = [
  [(value) => value instanceof Map, 'return Object.fromEntries(map)'],
  [(value) => value instanceof Set, 'return [...set]'],
  [(value) => value instanceof Error, 'throw it, or return its message'],
  [(value) => value instanceof Blob, 'return file(blob) alone'],
  [(value) => value instanceof ArrayBuffer, 'return new Uint8Array(buffer) alone'],
  [(value) => ArrayBuffer.isView(value), 'return [...values], or a Uint8Array alone'],
  [(value) => Symbol.iterator in value, 'return [...values]'],
  [(value) => value instanceof RegExp, 'return String(value)'],
]

function failLost(key: string, value: unknown): never {
  if (isPromise(value)) {
    ignoreRejection(value)
    throw new TypeError(`The result holds a promise at "${key}", which JSON cannot hold: await it first`)
  }
  if (isReply(value) || isWebResponse(value) || isAsyncIterable(value))
    throw new TypeError(`The result has a response or stream at "${key}": return it alone`)
  const [, fix = 'return an object of its data'] = FIXES.find(([is]) => is(Object(value))) ?? []
  throw new TypeError(`JSON cannot represent the value at "${key}", a ${jsonKind(value)}: ${fix}`)
}

function jsonKind(value: unknown): string {
  if (typeof value !== 'object' || value === null) return typeof value
  const named: unknown = Reflect.get(value, 'constructor')
  const isNamed = typeof named === 'function' && named !== Object && named.name !== ''
  return isNamed ? named.name : Object.prototype.toString.call(value).slice(8, -1)
}

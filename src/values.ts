/*
 * Questions about values that may be anything, and what is made of them. This file imports nothing: every other may use it, those of
 * the client included.
 */

/** Whether the value is `true` or `false`. */
export function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

/** Whether the value can be called. */
export function isFunction(value: unknown): value is (...args: never) => unknown {
  return typeof value === 'function'
}

/** Whether the value is a string, the empty one included. */
export function isString(value: unknown): value is string {
  return typeof value === 'string'
}

/** Whether the value is a string with at least one character. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** Whether the value is a whole number, 0 or more. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/** Whether the value is a whole number, 1 or more. */
export function isPositive(value: unknown): value is number {
  return isCount(value) && value > 0
}

/** Whether the value is an object, arrays included. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Whether the value is an object and no array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A copy of an object, arrays included; an empty one of anything else. */
export function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? { ...value } : {}
}

/** The message of an error; what is thrown may be anything. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Freezes a constant with all that is in it: several users share it, and none can change it for the others. */
export function deepFreeze<T>(value: T): T {
  if (isObject(value)) {
    for (const member of Object.values(value)) deepFreeze(member)
    Object.freeze(value)
  }
  return value
}

import { isObject } from '../base/values.ts'

/** Freezes a constant with all that is in it: several users share it, and none can change it for the others. */
export function deepFreeze<T>(value: T): T {
  if (isObject(value)) {
    for (const member of Object.values(value)) deepFreeze(member)
    Object.freeze(value)
  }
  return value
}

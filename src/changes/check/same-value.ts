import { isDeepStrictEqual } from 'node:util'

import { isRecord } from '../../base/values.ts'

/** The part of a fraction that arithmetic with doubles may change, such as a division by 100 and back. */
const ROUNDING = 1e-12

/**
 * Whether a value has come back, but for the rounding of fractions. Whole numbers count exactly as far as doubles are exact. JSON has no
 * negative zero.
 */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (typeof one === 'number' && typeof other === 'number') return isSameNumber(one, other)
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => isSameValue(item, other[index]))
  if (!isPlain(one) || !isPlain(other)) return isDeepStrictEqual(one, other)
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSameValue(one[name], other[name]))
  )
}

function isSameNumber(one: number, other: number): boolean {
  if (one === other) return true
  const size = Math.max(Math.abs(one), Math.abs(other))
  const isWhole = Number.isInteger(one) && Number.isInteger(other)
  const most = isWhole ? Number.EPSILON * size : ROUNDING * Math.max(1, size)
  return size === Infinity || Number.isNaN(size) ? Object.is(one, other) : Math.abs(one - other) <= most
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isRecord(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

import { isRecord } from '../base/values.ts'

/**
 * The merge patch of a value: its members, and `null` for those that are optional. A member that may be `null` itself cannot be set to it,
 * because `null` removes (RFC 7396 section 1).
 */
export type MergePatch<T> = T extends readonly unknown[] | Date
  ? T
  : T extends object
    ? {
        readonly [K in keyof T]?:
          | MergePatch<Exclude<T[K], null>>
          | (object extends Pick<T, K> ? null : never)
          | undefined
      }
    : T

/**
 * Applies a merge patch (RFC 7396 section 2) and returns the result, without changing the target. Objects are merged, `null` removes a
 * member, lists and all else replace what was there. Members that are `undefined` stay as they are.
 *
 * @example
 * mergePatch({ name: 'Ford', owner: 'Ann' }, { name: 'Audi', owner: null }) // → { name: 'Audi' }
 */
export function mergePatch<T extends object>(target: T, patch: MergePatch<NoInfer<T>>): T {
  // the type of the patch says that it removes nothing which has to be there
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return applyPatch(target, patch) as T
}

function applyPatch(target: unknown, patch: unknown): unknown {
  if (!isPatchObject(patch)) return patch
  // a map, because `__proto__` is a name like any other
  const members = new Map(isPatchObject(target) ? Object.entries(target) : [])
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name)
    else if (value !== undefined) members.set(name, applyPatch(members.get(name), value))
  }
  return Object.fromEntries(members)
}

/** Whether it is an object as JSON has them, and no date or the like. */
function isPatchObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isRecord(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

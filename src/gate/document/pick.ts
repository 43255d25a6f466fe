import { isObject } from '../../base/values.ts'

/** The steps of a JSON pointer (RFC 6901 section 3). */
export function toSteps(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** A pointer that is written as part of an address (RFC 6901 section 6). */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Returns the target of steps, or `undefined` if there is none. */
export function pick(root: unknown, steps: readonly string[]): unknown {
  let value = root
  for (const step of steps) {
    if (!isObject(value) || !Object.hasOwn(value, step)) return undefined
    value = Reflect.get(value, step)
  }
  return value
}

import { isProduction } from '../base/platform.ts'
import { importInTurn } from '../base/values.ts'
import type * as Losses from './json-loss.ts'

/** Whether results are searched for values that JSON cannot hold: not in production, where the first empty object would cost a second look. */
const IS_CHECKED = !isProduction()

let losses: typeof Losses | undefined

/** Loads what searches results, unless it is production. Call it before the first request. */
export async function loadLossCheck(): Promise<void> {
  if (IS_CHECKED) losses ??= await importInTurn(() => import('./json-loss.ts'))
}

/**
 * Returns JSON text. Outside production it refuses values of which nothing would be left, such as maps, iterators and errors.
 * `isDeclared` is whether a schema declares the value: its bigints are sent as the integers that documents show.
 *
 * @throws `TypeError` for what JSON cannot hold.
 */
export function toJsonText(data: unknown, isDeclared = false): string {
  if (losses !== undefined) return toCheckedText(losses, data, isDeclared)
  try {
    return stringify(data) ?? refuseValue(data)
  } catch (error) {
    return withIntegers(data, isDeclared, error)
  }
}

/** `JSON.stringify`, which has no text for some values. */
const stringify: (data: unknown) => string | undefined = (data) => JSON.stringify(data)

function toCheckedText(check: typeof Losses, data: unknown, isDeclared: boolean): string {
  check.failIfError(data)
  let text: string | undefined
  try {
    text = stringify(data)
  } catch (error) {
    text = withIntegers(data, isDeclared, error)
  }
  if (text === undefined) return refuseValue(data)
  check.throwIfLost(text, data)
  return text
}

function refuseValue(data: unknown): never {
  throw new TypeError(`The handler returned a ${typeof data}, which JSON cannot hold`)
}

/**
 * Compares the JSON text of a value with the value, outside production.
 *
 * @throws `TypeError` for what JSON cannot hold.
 */
export function failIfLost(text: string, data: unknown): void {
  losses?.throwIfLost(text, data)
}

// in a function of its own: its closure would cost every result
function withIntegers(data: unknown, isDeclared: boolean, error: unknown): string {
  if (!IS_CHECKED && !isDeclared) throw error
  // says which member is the bigint
  const text: string | undefined = JSON.stringify(data, (key, value: unknown) =>
    typeof value === 'bigint' ? toInteger(key, value, isDeclared) : value,
  )
  return text ?? refuseValue(data)
}

function toInteger(key: string, value: bigint, isDeclared: boolean): number {
  const number = Number(value)
  if (isDeclared && Number.isSafeInteger(number)) return number
  const place = `The result holds a bigint at "${key}", which JSON cannot hold`
  throw new TypeError(
    isDeclared
      ? `${place}, because clients would read ${value} as another number: declare z.bigint().transform(String)`
      : `${place}: return String(value)`,
  )
}

import { defOf } from '../../schema/schema.ts'
import { createValidator } from '../../schema/validator.ts'
import type { Schema } from '../../schema/schema.ts'
import type { SchemaIssue } from '../../schema/validator.ts'
import { ignoreRejection, isPromise } from '../../async.ts'
import type { HttpRequest } from '../../http.ts'
import { isBoolean, isString } from '../../values.ts'

/** What a conversion may read besides the value. */
export interface TurnExtra {
  /** The request that is answered, if there is one. */
  readonly request?: HttpRequest | undefined
}

/** What a conversion reads besides the value, and whom it tells which changes alter something. */
export interface Extra extends TurnExtra {
  /** Called with the id of each change that alters something, once or several times. Without it, nothing is tracked. */
  readonly altered?: ((change: string, isName?: boolean) => void) | undefined
}

/** Turns a value of one version into one of another. */
export type Turn = (value: unknown, extra: Extra) => unknown

/** A change, as messages name it. */
export interface Identified {
  readonly id: string
}

/** A conversion that failed: the change is to blame, not the client. */
export class MigrationError extends Error {
  /** The id of the change, if one is known. */
  readonly change: string | undefined

  constructor(change: Identified | undefined, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'MigrationError'
    this.change = change?.id
  }
}

/** A value that an older version takes and the newest one refuses: the client is to blame. */
export class RefusedError extends Error {
  readonly issues: readonly SchemaIssue[]
  /** The keys that lead to the value. */
  readonly path: (string | number)[] = []

  constructor(issues: readonly SchemaIssue[]) {
    super('The newest version refuses the value')
    this.name = 'RefusedError'
    this.issues = issues
  }
}

/** Turns a member of a value; what is refused in it is found below its key. */
export function turnAt(turn: Turn, key: string | number, value: unknown, extra: Extra): unknown {
  try {
    return turn(value, extra)
  } catch (error) {
    if (error instanceof RefusedError) error.path.unshift(key)
    throw error
  }
}

/** Calls a function of a change. */
export function runChange<T>(change: Identified, call: () => T): T {
  let result
  try {
    result = call()
  } catch (error) {
    throw new MigrationError(change, `The change "${change.id}" failed`, error)
  }
  if (isPromise(result)) {
    ignoreRejection(result)
    throw new MigrationError(
      change,
      `The change "${change.id}" returned a promise: up and down are synchronous`,
    )
  }
  return result
}

/** Refuses promises in compiled conversions, which are then run step by step to say what is wrong. */
export function refusePromise<T>(value: T): T {
  if (!isPromise(value)) return value
  ignoreRejection(value)
  throw new TypeError('up and down are synchronous')
}

/** Creates the function that checks what a change made, and returns what the schema makes of it. */
export function createMadeCheck(
  schema: Schema,
  change: Identified,
  isNarrowed = false,
): (value: unknown) => unknown {
  const validate = createValidator(schema)
  const isPlain = plainTest(schema)
  return (value) => {
    if (isPlain?.(value) === true) return value
    const outcome = validate(value)
    if (isPromise(outcome)) {
      ignoreRejection(outcome)
      throw new MigrationError(change, `The change "${change.id}" made a value whose check takes time`)
    }
    if (!('issues' in outcome)) return outcome.value
    if (isNarrowed) throw new RefusedError(outcome.issues)
    const reasons = outcome.issues
      .slice(0, 3)
      .map(({ path, message }) => `${path.map(String).join('.')}: ${message}`)
    throw new MigrationError(
      change,
      `The change "${change.id}" made a value that does not fit: ${reasons.join('; ')}`,
    )
  }
}

/**
 * Whether a value fits a schema that only asks for a type: a list of 100 objects is turned in half of the time if the schema is not asked.
 * `undefined` for a schema that asks for more.
 */
function plainTest(schema: Schema): ((value: unknown) => boolean) | undefined {
  const { type, checks = [], coerce, format } = defOf(schema)
  const isBare = coerce !== true && format === undefined && Array.isArray(checks) && checks.length === 0
  return isBare ? PLAIN.get(type) : undefined
}

const PLAIN: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['string', isString],
  ['boolean', isBoolean],
  ['number', Number.isFinite],
])

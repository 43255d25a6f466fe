import { defOf, type Schema } from '../../schema/schema.ts'
import { createValidator, type SchemaIssue } from '../../schema/validator.ts'
import { ignoreRejection, isPromise, isBoolean, isObject, isString } from '../../base/values.ts'
import type { Injected, Tokens } from '../../define/context.ts'
import type { HttpRequest } from '../../http/http.ts'
import type { LayerExtra, SeenResult } from '../../routes/resolved-route.ts'

/** The second argument of functions of changes. */
export interface ChangeExtra {
  /** The request that is answered, if there is one. */
  readonly request?: HttpRequest | undefined
  /** The `context.state` of that request. */
  readonly state?: Record<string, unknown> | undefined
}

/** The second argument of functions of responses. */
export interface ResponseExtra extends ChangeExtra {
  /** The body and headers of the newest version, as the handler returned them. `undefined` for errors that it threw, and outside of requests. */
  readonly result?:
    | {
        /** The parsed body. */
        readonly body: unknown
        /** The headers, by lower-case name. */
        readonly headers: Readonly<Record<string, string | readonly string[]>>
      }
    | undefined
}

/** The second argument of `load`. */
export interface LoadExtra<I> extends ChangeExtra {
  /** The values of the tokens that `inject` of the change names. */
  readonly inject: Injected<I>
  /** Aborted when the client disconnects or the time of the request is over. */
  readonly signal: AbortSignal
}

/** The values for a change with `load`, with its result. */
export interface LoadedExtra<L> extends ChangeExtra {
  /** The result of `load`, which ran once for all objects. */
  readonly loaded: L
}

/** The second argument of functions of one field. `R` has the fields that `reads` of the change names. */
export interface FieldExtra<R = unknown, L = unknown> extends LoadedExtra<L> {
  /** The fields that `reads` names, as they are at this point. */
  readonly reads: R
}

/** The values that a conversion reads besides its argument, and the listener for changes that alter something. */
export interface Extra extends ResponseExtra {
  /** Called with the id of each change that alters something, once or several times. Without it, nothing is tracked. */
  readonly altered?: ((change: string, isName?: boolean) => void) | undefined
  /** Gets the values that changes keep for the handler of a request. */
  readonly keeper?: Pick<LayerExtra, 'keep'> | undefined
  /** Holds what changes load. Without it, none can load. */
  readonly loading?: Loading | undefined
}

/** Loads something for values of all objects in a request or response. */
export interface Loader {
  readonly change: Identified & { readonly version: string }
  /** The function of the change. */
  readonly load: (values: readonly object[], extra: never) => unknown
  readonly tokens: Tokens
}

/** Holds the conversions that wait for data. */
export interface Loading {
  /** Returns what is kept for an object while it is converted by a program, made once. */
  readonly keep: <T>(by: object, value: object, make: () => T) => T
  /** Adds an object for which a change loads something. `take` gets the result, and `later` may load for it afterwards. */
  readonly wait: (
    loader: Loader,
    values: object,
    take: (loaded: unknown) => void,
    later: readonly Loader[],
  ) => void
  /** The number of conversions that wait. */
  readonly count: number
}

/** Creates the error for data that cannot be loaded, because a conversion may take no time. */
export function unloaded(): MigrationError {
  const message = 'A change loads data, which takes time: pass `inject`'
  return new MigrationError(undefined, message, { fields: ['load'] })
}

/** Converts a value of one version into one of another. */
export type Converter = (value: unknown, extra: Extra) => unknown

/** A change, as messages name it. */
export interface Identified {
  readonly id: string
}

/** Part of a conversion that failed: the fields that a change was making, and the value that does not fit, if there is one. */
interface Failure {
  readonly fields: readonly string[]
  readonly unfit?: { readonly value: unknown }
}

/** A conversion that failed: the change is to blame, not the client. */
export class MigrationError extends Error {
  /** The id of the change, if one is known. */
  readonly change: string | undefined
  // private, because logs show the members of errors, and values may be secrets
  readonly #failure: Failure

  constructor(change: Identified | undefined, message: string, given: Failure & ErrorOptions) {
    super(message, given)
    this.name = 'MigrationError'
    this.change = change?.id
    this.#failure = given
  }

  get failure(): Failure {
    return this.#failure
  }
}

/** A function of a change, as its errors describe it. */
interface Blamed {
  readonly change: Identified
  readonly fields: readonly string[]
}

/** Creates the error for a function of a change that threw. One that refuses a value says so itself. */
export function threwIn({ change, fields }: Blamed, cause: unknown): Error {
  if (cause instanceof RefusedError) return cause
  return new MigrationError(change, `The change "${change.id}" failed${placesOf(fields)}`, { fields, cause })
}

function placesOf(fields: readonly string[]): string {
  return fields.length === 0 ? '' : ` at ${fields.join(', ')}`
}

/** Creates the error for a function of a change that returned a promise. */
export function promisedIn({ change, fields }: Blamed, promise: unknown): MigrationError {
  ignoreRejection(promise)
  const message = `The change "${change.id}" returned a promise${placesOf(fields)}: up and down are synchronous`
  return new MigrationError(change, message, { fields })
}

/** Calls a function of a change. @throws `MigrationError` with the change, if it throws or returns a promise */
export function callBlamed(blamed: Blamed, call: () => unknown): unknown {
  let made
  try {
    made = call()
  } catch (error) {
    throw threwIn(blamed, error)
  }
  if (isPromise(made)) throw promisedIn(blamed, made)
  return made
}

/** A value that an older version takes and the newest one refuses: the client is to blame. */
export class RefusedError extends Error {
  readonly issues: readonly SchemaIssue[]
  /** The keys that lead to the value. */
  readonly path: (string | number)[]

  constructor(issues: readonly SchemaIssue[], path: readonly string[] = []) {
    super('The newest version refuses the value')
    this.name = 'RefusedError'
    this.issues = issues
    this.path = [...path]
  }
}

/** Creates the error for a value that the newest version refuses, in the names of what the client sent. */
function refusedIn(names: readonly string[], issues: readonly SchemaIssue[]): RefusedError {
  if (names.length === 1) return new RefusedError(issues, names)
  // what was made of several has members that none of them has
  const paths = names.length === 0 ? [[]] : names.map((name) => [name])
  return new RefusedError(paths.flatMap((path) => issues.map((issue) => ({ ...issue, path }))))
}

/** Converts what is inside of a member that functions got. Clients know none of the names that it has in between. */
export function convertInner(
  { plan, names }: { readonly plan: Plan; readonly names: readonly string[] },
  direction: Direction,
  value: unknown,
  extra: Extra,
): unknown {
  if (value === undefined) return value
  try {
    return plan[direction](value, extra)
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    throw refusedIn(
      names,
      error.issues.map((issue) => ({ ...issue, path: [] })),
    )
  }
}

/** Adds the key of a member to the path of a value in it that is refused. Returns the error. */
export function below(error: unknown, key: string | number): unknown {
  if (error instanceof RefusedError) error.path.unshift(key)
  return error
}

/** Converts a member of a value; what is refused in it is found below its key. */
export function convertAt(convert: Converter, key: string | number, value: unknown, extra: Extra): unknown {
  try {
    return convert(value, extra)
  } catch (error) {
    throw below(error, key)
  }
}

/**
 * Creates the function that checks a value that a change made of a field, and returns the parsed value. `sent` are the names of what the
 * client sent, if a value that does not fit is a mistake of the client. `isNarrowable` says whether the change may make it one.
 */
export function createMadeCheck(
  schema: Schema,
  change: Identified,
  name: string,
  sent?: readonly string[],
  isNarrowable = false,
): (value: unknown) => unknown {
  const validate = createValidator(schema)
  const isPlain = plainTest(schema)
  return (value) => {
    if (isPlain?.(value) === true) return value
    const outcome = validate(value)
    if (!isPromise(outcome) && !('issues' in outcome)) return outcome.value
    const failure = { fields: [name], unfit: { value } }
    if (isPromise(outcome)) {
      ignoreRejection(outcome)
      const message = `The change "${change.id}" made a value of ${name} whose check takes time`
      throw new MigrationError(change, message, failure)
    }
    if (sent !== undefined) throw refusedIn(sent, outcome.issues)
    const places = outcome.issues.slice(0, 3).map((issue) => placeOf(name, value, issue))
    const message = `The change "${change.id}" made a value that does not fit: ${places.join('; ')}`
    const way = isNarrowable ? '. Write narrowed: true beside was if that is a mistake of the client' : ''
    throw new MigrationError(change, message + way, failure)
  }
}

/** Describes the place of an issue and the type that stands there. Values may be secrets. */
function placeOf(name: string, made: unknown, { path, message }: SchemaIssue): string {
  const value = path.reduce((at: unknown, key) => (isObject(at) ? Reflect.get(at, key) : undefined), made)
  const plain = value === null ? 'null' : typeof value
  const type = Array.isArray(value) ? 'array' : plain
  return `${[name, ...path].map(String).join('.')} is of type ${type}: ${message}`
}

/** Returns the check of a value that stays as the older schema took it. What is absent gets the default of the newest one. */
export function acceptSent(check: (value: unknown) => unknown): (value: unknown) => unknown {
  return (value) => (value === undefined ? check(value) : value)
}

/**
 * Whether a value fits a schema that only asks for a type: a list of 100 objects is converted in half of the time if the schema is not asked.
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

/** How the values of a schema travel between the newest version and an older one. */
export interface Plan {
  /** The schema of the older version, as documents show it. */
  readonly wire: Schema
  /** The same, for requests: where the newest schema transforms, values are converted before that. */
  readonly parse: Schema
  /** From the older version to the newest. */
  up: Converter
  /** From the newest version to the older one. */
  down: Converter
  /** Of an object, the older names of fields by their newest ones. */
  readonly names?: ReadonlyMap<string, string> | undefined
}

/** Two states of models: behind the changes with a position below `newer`, and behind those below `older`. */
export interface Range {
  readonly newer: number
  readonly older: number
  /** The age of the schema: its defaults are values of that age, and its functions take them. */
  readonly origin: number
}

/** Returns the plans of schemas. Ages are numbers of changes, newest first, that a state lacks. */
export interface InnerPlans {
  /**
   * The plan of a schema for the version before the changes with a position below `age`, or `undefined` if none of them reaches it. `origin`
   * is the age of the schema, which is 0 unless a change says what it was.
   */
  readonly planOf: (schema: Schema, age: number, origin?: number) => Plan | undefined
  /** The plan whose conversions lead between two ages, or `undefined` if no change between them reaches the schema. */
  readonly between: (schema: Schema, newer: number, older: number, origin?: number) => Plan | undefined
  /** The age of the version of the change at a position: its functions get and return what is inside of fields as it was there. */
  readonly timeOf: (order: number) => number
  /** Adds the values that older versions accept. */
  readonly widen: (schema: Schema) => Schema
}

/** The conversions of a plan. */
export type Direction = 'up' | 'down'

export function createConverters(make: (direction: Direction) => Converter): Pick<Plan, Direction> {
  return { up: make('up'), down: make('down') }
}

/** The second argument of functions of changes. A class because they see the request alone, and most of them read nothing of it. */
class RequestExtra implements Extra {
  readonly #given: LayerExtra

  constructor(given: LayerExtra) {
    this.#given = given
  }

  get keeper(): LayerExtra | undefined {
    return this.#given
  }

  get request(): HttpRequest | undefined {
    return this.#given.request
  }

  get state(): Record<string, unknown> | undefined {
    return this.#given.state
  }

  get result(): SeenResult | undefined {
    return this.#given.result
  }
}

/** For values that are no input of the request, of which nothing is kept. */
export class ValueExtra extends RequestExtra {
  override get keeper(): undefined {
    return undefined
  }
}

class TrackedExtra extends RequestExtra {
  readonly changes = new Set<string>()
  readonly altered = (change: string): unknown => this.changes.add(change)
}

/** Creates the argument of one conversion. */
export function createExtra(given: LayerExtra): Extra {
  return given.altered === undefined ? new RequestExtra(given) : new TrackedExtra(given)
}

/** Reports the changes that altered something in a conversion that succeeded. */
export function reportAltered(own: Extra, given: LayerExtra): void {
  if (!(own instanceof TrackedExtra)) return
  const { altered } = given
  for (const change of own.changes) altered?.(change)
}

/** Whether two values are written differently. */
export function differs(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return false
  if (typeof one !== 'object' || typeof other !== 'object') return true
  try {
    return JSON.stringify(one) !== JSON.stringify(other)
  } catch {
    // such as a bigint in it
    return true
  }
}

const SCALARS: ReadonlySet<string> = new Set(['string', 'number', 'boolean', 'bigint', 'enum', 'literal'])

/**
 * The plan that copies lists, plain objects and dates, so that a function of a change that sorts a list sorts none of the handler. `undefined` for
 * values that nothing can alter.
 */
export function copyPlan(schema: Schema): Plan | undefined {
  if (SCALARS.has(defOf(schema).type)) return undefined
  return { wire: schema, parse: schema, up: copyData, down: copyData }
}

/** Copies the lists, plain objects and dates in a value. */
export function copyData(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyData)
  if (value instanceof Date) return new Date(value)
  if (!isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copyData(member)]))
}

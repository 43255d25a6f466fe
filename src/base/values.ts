/*
 * Questions about values that may be anything, and what is made of them. This file imports nothing: every other may use it, those of
 * the client included.
 */

/** Whether the value is `true` or `false`. */
export function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

export function isFunction(value: unknown): value is (...args: never) => unknown {
  return typeof value === 'function'
}

/** Whether the value is a string, the empty one included. */
export function isString(value: unknown): value is string {
  return typeof value === 'string'
}

/** Whether the value is a string with at least one character. */
export function isNonEmptyString(value: unknown): value is string {
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

/** The longest time of a timer in milliseconds. A longer one would fire at once. */
export const LONGEST_TIMER = 2_147_483_647

/** Whether the value is a whole number of milliseconds that a timer takes. */
export function isMilliseconds(value: unknown): value is number {
  return isPositive(value) && value <= LONGEST_TIMER
}

/** The code of an error of Node. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** Whether the value is an object, arrays included. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Whether the value is an object and no array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !Array.isArray(value)
}

/**
 * A copy of a text that shares no memory with another one: V8 keeps the whole header of a request for as long as a part of it. Use it for
 * texts of requests that are kept longer than the request. Parts that are joined are the fastest flat text.
 */
export function detachString(text: string): string {
  return [text.slice(0, 1), text.slice(1)].join('')
}

/** A copy of an object, arrays included; an empty one of anything else. */
export function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? { ...value } : {}
}

/** The message of an error; what is thrown may be anything. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Describes a value for messages. The text of a string is shown only if `isShown`, because it may be a secret: so is a text with @, which may be an address with a password. */
export function describeValue(value: unknown, isShown = false): string {
  if (typeof value === 'string') {
    if (value === '') return 'an empty string'
    return isShown && value.length <= 60 && !value.includes('@')
      ? JSON.stringify(value)
      : `a string of ${value.length} character${value.length === 1 ? '' : 's'}`
  }
  const library = libraryOf(value)
  if (library !== undefined) return `a schema of ${library}`
  if (typeof value === 'function')
    return named(/^class\b/.test(String(value)) ? 'class' : 'function', value.name)
  if (!isObject(value)) return String(value)
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`
  return describeObject(value)
}

/** Returns the library of a schema that is not one of zod 4, or `undefined` for any other value. */
export function libraryOf(value: unknown): string | undefined {
  if ((!isObject(value) && !isFunction(value)) || '_zod' in value) return undefined
  const { typeName } = toRecord(Reflect.get(value, '_def'))
  if (isString(typeName) && typeName.startsWith('Zod')) return 'zod 3'
  // https://standardschema.dev
  const { vendor } = toRecord(Reflect.get(value, '~standard'))
  return isNonEmptyString(vendor) ? vendor : undefined
}

function describeObject(value: object): string {
  const { kind, name, token, to }: Readonly<Record<string, unknown>> = { ...value }
  if (kind === 'binding') return `the binding of ${describeValue(token)} to ${describeValue(to)}`
  if (typeof kind === 'string') return named(kind, name ?? token)
  if (isString(token)) return `the token ${token}`
  if ('_zod' in value) return 'a zod schema'
  const type: unknown = Object.getPrototypeOf(value)?.constructor?.name
  if (isNonEmptyString(type) && type !== 'Object') return `an instance of ${type}`
  const names = Object.keys(value)
  return names.length === 0 ? 'an empty object' : `an object with ${names.slice(0, 5).join(', ')}`
}

function named(kind: string, name: unknown): string {
  return isNonEmptyString(name) ? `the ${kind} ${name}` : `a ${kind} without a name`
}

/**
 * Describes the value that fails a test, and its place: the first failing member of a list or object. Strings are shown only if they resemble
 * the expectation, because a misspelt word helps and a secret must not appear.
 */
export function describeMistake(
  name: string,
  value: unknown,
  test: (value: unknown) => boolean,
  expected: string,
): string {
  const isList = Array.isArray(value)
  const wrap = (key: string, member: unknown): object => (isList ? [member] : { [key]: member })
  const members = isObject(value) ? Object.entries(value) : []
  const isWrong = ([key, member]: readonly [string, unknown]): boolean => !test(wrap(key, member))
  const takesMembers =
    test(isList ? [] : {}) || (isList && expected.startsWith('a list')) || !members.every(isWrong)
  const wrong = takesMembers ? members.find(isWrong) : undefined
  const isShown = /'|name|number|integer|status|bytes|seconds|true/.test(expected)
  if (wrong === undefined) return `${name} is ${describeValue(value, isShown)}`
  const [key, member] = wrong
  return `${name}${isList ? `[${key}]` : `.${key}`} is ${describeValue(member, isShown)}`
}

/** The first of several texts, and how many more there are. */
export function formatFirst(texts: readonly string[], most: number): string {
  const first = texts.slice(0, most).join(', ')
  return texts.length > most ? `${first} and ${texts.length - most} more` : first
}

/** The words of a name in kebab case: `UserProfile` is `user-profile`, `HTTPServer` is `http-server`. */
export function toKebab(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase()
}

/** A text in Pascal case: `car.getOne response 200` is `CarGetOneResponse200`. */
export function toPascal(text: string): string {
  return text
    .split(/[^\p{L}\p{N}]+/u)
    .map(capitalize)
    .join('')
}

/** A text that begins with a capital. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** A value, now or later. */
export type Awaitable<T> = T | PromiseLike<T>

/** Whether the value has a `then` method, as promises of every origin have. */
export function isPromise(value: unknown): value is PromiseLike<unknown> {
  // one look: asking for the member before reading it costs twice, on objects of many shapes
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  )
}

/** Does something with a value: in the same turn where it is there already, else when it comes. */
export function andThen<V, T>(value: Awaitable<V>, change: (value: V) => Awaitable<T>): Awaitable<T> {
  return isPromise(value) ? value.then(change) : change(value)
}

/**
 * Waits for a promise up to `time` milliseconds. Returns whether it was fulfilled in time. @throws what the promise is rejected with in time; a later rejection is ignored.
 */
export async function settlesWithin(promise: Promise<unknown>, time: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, time, false)
  })
  try {
    return await Promise.race([promise.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}

/** The result of the work of a store, or an error when it takes longer. */
export function withTimeout<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = (): void => reject(new Error(`The store gave no answer within ${milliseconds} ms`))
    const timer = setTimeout(late, milliseconds)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/**
 * Calls a function the first time only, and returns its promise every time: for code that is loaded when something first needs it. If it
 * rejects, the next call tries again.
 */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined
  const forget = (error: unknown): never => {
    loading = undefined
    throw error
  }
  return () => (loading ??= load().catch(forget))
}

let last: Promise<unknown> | undefined

/**
 * Loads code after everything that is being loaded: of two imports at once that share a file, Jest links it for one alone. `load` waits for no
 * other.
 */
export function importInTurn<T>(load: () => Promise<T>): Promise<T> {
  const loading = last === undefined ? load() : last.then(load)
  const settle = (): void => {
    if (last === settled) last = undefined
  }
  const settled: Promise<unknown> = loading.then(settle, settle)
  last = settled
  return loading
}

/** Sets how many lines the traces of errors have. Where programs have frozen it, as `node --frozen-intrinsics` does, it stays. */
export function limitTraces(lines: number): void {
  Reflect.set(Error, 'stackTraceLimit', lines)
}

/** Runs a function and ignores its errors and rejections. `orElse` is done if it throws. */
export function ignoreFailure(work: () => unknown, orElse?: () => unknown): void {
  try {
    ignoreRejection(work())
  } catch {
    if (orElse !== undefined) ignoreFailure(orElse)
  }
}

const ignore = (): void => undefined

/** Marks a rejection as handled, because the promise has no consumer any more. */
export function ignoreRejection(promise: unknown): void {
  try {
    // not followed, because a thenable may resolve to itself for ever
    if (isPromise(promise)) void promise.then(ignore, ignore)
  } catch {
    // a thenable whose `then` throws has no rejection
  }
}

/**
 * Returns the result of a hook that Octavo does not await.
 *
 * @throws `TypeError` with the code `promise_not_awaited` for a promise, whose rejection is ignored.
 */
export function requireSync<T>(hook: string, result: T | PromiseLike<unknown>): T {
  if (!isPromise(result)) return result
  ignoreRejection(result)
  const error = new TypeError(`${hook} returned a promise, which is not awaited`)
  throw Object.assign(error, { code: 'promise_not_awaited' })
}

/** Anything that logs, such as the context of a request. */
interface HasLog {
  readonly log: { error(details: object, message: string): unknown }
}

/** Returns the result of a hook that Octavo does not await. A promise is logged, and `otherwise` is returned in its place. */
export function atOnceOr<T>(hook: string, result: T | PromiseLike<unknown>, otherwise: T, source: HasLog): T {
  if (!isPromise(result)) return result
  try {
    return requireSync<T>(hook, result)
  } catch (err) {
    ignoreFailure(() => source.log.error({ err }, `${hook} failed`))
    return otherwise
  }
}

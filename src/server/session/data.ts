import { createValidator, type SchemaIssue, type Validated } from '../../schema/validator.ts'
import type { Schema } from '../../schema/schema.ts'
import { ignoreRejection, isPromise, isRecord, type Awaitable } from '../../base/values.ts'

/** The data of a session, as JSON has it. */
export type JsonRecord = Readonly<Record<string, unknown>>

/** The data of a session and what it is as JSON; or why there is none. */
type Loaded = { readonly data: object; readonly text: string } | { readonly issues: readonly SchemaIssue[] }

/** Reads data from its JSON, through the schema. */
export type LoadData = (text: string) => Promise<Loaded>

/** Creates the function that parses session data. Without a schema it returns the JSON itself. */
export function createDataReader(schema: Schema | undefined): LoadData {
  const validate = schema === undefined ? acceptAny : createValidator(schema)
  return async (text) => {
    const first = toLoaded(await validate(parseJson(text)))
    if ('issues' in first || first.text === text) return first
    // defaults were put in, and zod gives the same default to everyone: read again, what comes out belongs to this session alone
    return toLoaded(await validate(parseJson(first.text)))
  }
}

/**
 * The JSON of data.
 *
 * @throws `TypeError` when it holds what JSON would silently drop or cannot write.
 */
export function toJson(data: object): string {
  return JSON.stringify(data, failIfOther)
}

/** Reads JSON without keys named `__proto__`, at any depth. */
export function parseJson(text: string): unknown {
  // an escape may spell the name too
  return /__proto__|\\u00/.test(text) ? JSON.parse(text, dropProto) : JSON.parse(text)
}

/** Where data does not fit, without the values: `cart.0.id: invalid_type`. */
export function toPlaces(issues: readonly SchemaIssue[]): string {
  return issues
    .slice(0, 20)
    .map(({ path, code }) => `${path.map(String).join('.') || 'the whole'}: ${code}`)
    .join(', ')
}

/** Why a schema cannot describe sessions, as far as can be seen without waiting. */
export function emptyDataProblem(schema: Schema): { message: string; fix: string } | undefined {
  const optional = 'make its fields optional, or give them defaults'
  try {
    const validate = createValidator(schema)
    const first = settled(validate({}))
    if (first === undefined) return undefined
    const loaded = toLoaded(first)
    if ('issues' in loaded)
      return { message: `does not accept a new session: ${toPlaces(loaded.issues)}`, fix: optional }
    const again = settled(validate(parseJson(loaded.text)))
    if (again === undefined || !('issues' in again)) return undefined
    return {
      message: `does not accept its own output as JSON: ${toPlaces(again.issues)}`,
      fix: 'use schemas that do, for dates z.coerce.date()',
    }
  } catch {
    return { message: 'cannot read a new session', fix: optional }
  }
}

function toLoaded(validated: Validated): Loaded {
  if ('issues' in validated) return validated
  const { value } = validated
  if (!isRecord(value)) return { issues: [{ code: 'invalid_type', path: [], message: 'not an object' }] }
  return { data: value, text: toJson(value) }
}

function acceptAny(value: unknown): Validated {
  return { value }
}

/** The value when it is there already. */
function settled(validated: Awaitable<Validated>): Validated | undefined {
  if (!isPromise(validated)) return validated
  // what it comes to is seen when a session is opened
  ignoreRejection(validated)
  return undefined
}

function failIfOther(key: string, value: unknown): unknown {
  if (
    value instanceof Map ||
    value instanceof Set ||
    typeof value === 'function' ||
    typeof value === 'symbol'
  ) {
    const kind = typeof value === 'object' ? value.constructor.name : typeof value
    throw new TypeError(`The data of a session is stored as JSON, and "${key}" is a ${kind}`)
  }
  return value
}

function dropProto(key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value
}

/** The record of a session in the store. Times are milliseconds since 1970. */
export interface SessionRecord {
  readonly created: number
  /** When it was last used, as far as it was written down. */
  readonly used: number
  /** The data as JSON. */
  readonly data: string
}

/** How long sessions live, in milliseconds. */
interface Lifetime {
  readonly idleTimeout: number
  readonly absoluteTimeout: number
}

/** The text that is stored; the data is in it as it stands. */
export function toRecordText({ created, used, data }: SessionRecord): string {
  return `{"created":${created},"used":${used},"data":${data}}`
}

/** Parses a record of the store. Returns `undefined` for an invalid one. */
export function parseRecord(text: unknown): SessionRecord | undefined {
  if (typeof text !== 'string') return undefined
  let value: unknown
  try {
    value = parseJson(text)
  } catch {
    return undefined
  }
  if (!isRecord(value)) return undefined
  const { created, used, data } = value
  if (!Number.isFinite(created) || !Number.isFinite(used) || !isRecord(data)) return undefined
  return { created: Number(created), used: Number(used), data: JSON.stringify(data) }
}

/** Milliseconds that a record has left; 0 or less when it has expired. */
export function timeLeft({ created, used }: SessionRecord, lifetime: Lifetime, now: number): number {
  return Math.min(used + lifetime.idleTimeout, created + lifetime.absoluteTimeout) - now
}

/** Whether its use has to be written down again: once in a tenth of the idle time, so that reading is seldom writing. */
export function isRenewalDue({ used }: SessionRecord, { idleTimeout }: Lifetime, now: number): boolean {
  return now - used >= idleTimeout / 10
}

import {
  invalidOption,
  optionProblems,
  type OptionRule,
  type DefinitionProblem,
  type Rules,
} from '../../base/definition-error.ts'
import { cookieProblem, writeSetCookie } from '../../http/cookies.ts'
import type { CookieOptions } from '../../define/context.ts'
import { STORE, type Store } from '../../define/store.ts'
import { isSchema, type Schema } from '../../schema/schema.ts'
import {
  isBoolean,
  isMilliseconds,
  isPositive,
  isRecord,
  isNonEmptyString,
  ignoreRejection,
  isPromise,
  type Awaitable,
} from '../../base/values.ts'
import { createValidator, type SchemaIssue, type Validated } from '../../schema/validator.ts'

/** The fewest characters of a secret. */
export const MIN_SECRET = 32

const isSecret = (value: unknown): boolean => typeof value === 'string' && value.length >= MIN_SECRET

/** The rule of the option `secret`: the first one signs, and all are accepted. */
export const SECRET: OptionRule = [
  (value) => (Array.isArray(value) ? value.length > 0 && value.every(isSecret) : isSecret(value)),
  `text of ${MIN_SECRET} characters or more, or a list of such`,
]

/** The secrets of the option `secret`, the one that signs first. */
export function toSecrets(secret: string | readonly string[]): readonly string[] {
  return typeof secret === 'string' ? [secret] : secret
}

/**
 * The cookie that carries the signed id of a session. It is `secure`, `httpOnly` and `sameSite: 'lax'` and has the path `/` unless you set
 * them. With a `maxAge`, its time begins again whenever the session is stored. Without, it lasts until the browser is closed.
 */
export interface SessionCookie extends Omit<CookieOptions, 'expires'> {
  /** The name of the cookie. @default `__Host-sid` if the cookie is secure, has the path `/` and no domain, else `sid` */
  readonly name?: string
  /** Whether requests from other sites carry the cookie. @default 'lax' */
  readonly sameSite?: 'strict' | 'lax' | 'none'
}

/** The `session` option of `createApp`. */
export interface SessionOptions {
  /** The secret that signs the ids, of 32 characters or more. In a list, the first signs, and all are accepted. */
  readonly secret: string | readonly string[]
  /** Types and checks the data. It has to accept `{}`, the data of a new session. @default any JSON */
  readonly schema?: Schema
  /** The store of the sessions. @default the option `store` of `createApp` */
  readonly store?: Store
  /** Attributes of the cookie that carries the id. */
  readonly cookie?: SessionCookie
  /** Milliseconds without a request until a session ends. @default 1800000, half an hour */
  readonly idleTimeout?: number
  /** Milliseconds from its creation, or from `regenerate()`, until a session ends. @default 43200000, twelve hours */
  readonly absoluteTimeout?: number
  /** Milliseconds to wait for the store. @default 5000 */
  readonly storeTimeout?: number
  /** If two requests change one key to different values, the later one gets a 409 or wins. @default 'refuse' */
  readonly conflicts?: 'refuse' | 'overwrite'
}

/** The options with their defaults. */
export interface SessionSettings
  extends
    Required<Pick<SessionOptions, 'idleTimeout' | 'absoluteTimeout' | 'storeTimeout' | 'conflicts'>>,
    Pick<SessionOptions, 'schema' | 'store'> {
  readonly secrets: readonly string[]
  readonly cookieName: string
  readonly cookie: CookieOptions
}

const FLAG: OptionRule = [isBoolean, 'true or false']
const TIME: OptionRule = [isPositive, 'a number of milliseconds above 0']

const COOKIE: Rules = {
  name: [isNonEmptyString, 'a name'],
  secure: FLAG,
  httpOnly: FLAG,
  sameSite: [
    (value) => ['strict', 'lax', 'none'].some((mode) => mode === value),
    "'strict', 'lax' or 'none'",
  ],
  path: [(value) => typeof value === 'string' && value.startsWith('/'), 'a path that begins with a slash'],
  domain: [isNonEmptyString, 'a domain'],
  maxAge: [isPositive, 'a number of seconds above 0'],
  partitioned: FLAG,
  priority: [
    (value) => ['low', 'medium', 'high'].some((level) => level === value),
    "'low', 'medium' or 'high'",
  ],
}

function problem(message: string, fix: string): DefinitionProblem {
  return invalidOption('createApp', message, fix)
}

/** The rules of the options in `session`. */
export const SESSION_RULES: Rules = {
  secret: SECRET,
  schema: [isSchema, 'a zod schema'],
  store: STORE,
  cookie: [isRecord, 'an object', COOKIE, cookieProblems],
  idleTimeout: TIME,
  absoluteTimeout: TIME,
  storeTimeout: [isMilliseconds, 'a number of milliseconds above 0 and below 2147483648'],
  conflicts: [(value) => value === 'refuse' || value === 'overwrite', "'refuse' or 'overwrite'"],
}

/** Reports a secret that is missing in `session`, and a schema that does not fit. Secrets are never repeated. */
export function sessionProblems({
  secret,
  schema,
}: Readonly<Record<string, unknown>>): readonly DefinitionProblem[] {
  const missing =
    secret === undefined
      ? [problem('session.secret is missing', `give text of ${MIN_SECRET} characters or more`)]
      : []
  const data = isSchema(schema) ? emptyDataProblem(schema) : undefined
  return data === undefined ? missing : [...missing, problem(`session.schema ${data.message}`, data.fix)]
}

/** Reads the session options, without problems as they are. */
export function toSessionSettings(options: SessionOptions): SessionSettings {
  const { conflicts = 'refuse', storeTimeout = 5_000 } = options
  const { idleTimeout = 1_800_000, absoluteTimeout = 43_200_000 } = options
  const times = { idleTimeout, absoluteTimeout, storeTimeout }
  const secrets = toSecrets(options.secret)
  return { ...options, ...toCookie(options.cookie), ...times, secrets, conflicts }
}

function toCookie(given: SessionCookie = {}): Pick<SessionSettings, 'cookieName' | 'cookie'> {
  const { name, secure = true, httpOnly = true, sameSite = 'lax', path = '/', ...rest } = given
  const isHostOnly = secure && path === '/' && rest.domain === undefined
  return {
    cookieName: name ?? (isHostOnly ? '__Host-sid' : 'sid'),
    cookie: { ...rest, secure, httpOnly, sameSite, path },
  }
}

/** Lists the settings of cookies that browsers would refuse (RFC 6265bis section 4.1). */
function cookieProblems(given: SessionCookie): readonly DefinitionProblem[] {
  // attributes of the wrong kind are reported by their rules
  if (optionProblems('createApp', given, COOKIE).length > 0) return []
  const { cookieName, cookie } = toCookie(given)
  const refused = cookieProblem(cookieName, cookie)
  if (refused !== undefined)
    return [problem(`session.cookie: ${refused}`, 'change the name, or leave secure, path and domain out')]
  try {
    writeSetCookie(cookieName, 'x', cookie)
    return []
  } catch {
    return [problem('session.cookie has characters that no cookie can have', 'use letters and digits')]
  }
}

/** The data of a session, as JSON has it. */
export type JsonRecord = Readonly<Record<string, unknown>>

/** The data of a session and what it is as JSON; or why there is none. */
type Loaded = { readonly data: object; readonly text: string } | { readonly issues: readonly SchemaIssue[] }

/** Reads data from its JSON, through the schema. */
export type LoadData = (text: string) => Promise<Loaded>

/** Creates the function that parses session data. Without a schema it returns the JSON itself. */
export function createDataReader(schema: Schema | undefined): LoadData {
  const validate = schema === undefined ? (value: unknown): Validated => ({ value }) : createValidator(schema)
  return async (text) => {
    const first = toLoaded(await validate(parseJson(text)))
    if ('issues' in first || first.text === text) return first
    // zod gives every result the identical default: parsing again makes a copy for this session
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
  return /__proto__|\\u00/.test(text)
    ? JSON.parse(text, (key, value: unknown) => (key === '__proto__' ? undefined : value))
    : JSON.parse(text)
}

/** Where data does not fit, without the values: `cart.0.id: invalid_type`. */
export function toPlaces(issues: readonly SchemaIssue[]): string {
  return issues
    .slice(0, 20)
    .map(({ path, code }) => `${path.map(String).join('.') || 'the whole'}: ${code}`)
    .join(', ')
}

/** Why a schema cannot describe sessions, as far as can be seen without waiting. */
function emptyDataProblem(schema: Schema): { message: string; fix: string } | undefined {
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

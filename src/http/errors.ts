import { brand } from '../base/copies.ts'
import { FINISHED, PHRASES, type FinishedResponse } from './http.ts'
import { byteLength } from '../base/platform.ts'
import { capitalize, limitTraces } from '../base/values.ts'

/** A row of a table of errors. */
type ErrorRow = number | readonly [status: number, title?: string]

/** Each error with its status. One whose title is not the phrase of its status has a list, with the title if that is not its code in words. */
const ROWS = {
  malformed_request: [400],
  malformed_target: [400, 'Malformed request target'],
  malformed_path: [400],
  malformed_body: [400, 'Malformed request body'],
  malformed_json: [400, 'Malformed JSON'],
  missing_content_type: [400, 'Missing Content-Type'],
  malformed_multipart: [400, 'Malformed multipart body'],
  too_many_parameters: [400],
  missing_host: [400, 'Missing Host header'],
  ambiguous_version: [400, 'Ambiguous API version'],
  invalid_version: [400, 'Invalid API version'],
  unspecified_version: [400, 'Unspecified API version'],
  unauthenticated: [401, 'Authentication required'],
  invalid_credentials: [401],
  forbidden: 403,
  file_not_found: 404,
  document_not_found: 404,
  unsupported_version: [404, 'Unsupported API version'],
  route_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  session_conflict: [409],
  retired_version: [410, 'Retired API version'],
  version_brownout: [410, 'API version in a brownout'],
  precondition_failed: 412,
  body_too_large: [413, 'Content Too Large'],
  too_many_parts: [413, 'Content Too Large'],
  url_too_long: 414,
  unsupported_media_type: 415,
  unsupported_content_encoding: [415],
  range_not_satisfiable: 416,
  expectation_failed: 417,
  host_not_allowed: 421,
  validation_failed: [422],
  list_too_long: [422],
  upgrade_required: 426,
  headers_too_large: 431,
  client_closed_request: [499],
  internal_error: 500,
  response_invalid: [500, 'Invalid response'],
  migration_failed: [500],
  handler_timeout: 503,
  closing: 503,
  session_unavailable: [503],
} as const satisfies Readonly<Record<string, ErrorRow>>

/** A code of {@link CORE_ERRORS}. */
export type CoreErrorCode = keyof typeof ROWS

/** The status and the title of each code. */
type ErrorTable<C extends string> = Readonly<Record<C, { readonly status: number; readonly title: string }>>

/** The errors that every application may answer with. Those of code that an application adds are apart. */
const CORE_ERRORS: ErrorTable<CoreErrorCode> = /* @__PURE__ */ toErrorTable(ROWS)

/** Writes a table out. */
function toErrorTable<C extends string>(rows: Readonly<Record<C, ErrorRow>>): ErrorTable<C> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made of the codes
  return Object.fromEntries(
    Object.entries<ErrorRow>(rows).map(([code, row]) => {
      const [status, title = capitalize(code).replaceAll('_', ' ')] =
        typeof row === 'number' ? [row, PHRASES[row]] : row
      return [code, { status, title }]
    }),
  ) as Record<C, { status: number; title: string }>
}

/** The options of an `HttpError`. */
export interface HttpErrorOptions {
  /** A stable word for programs. @default the status phrase, as `not_found` */
  readonly code?: string
  /** A URI that identifies the kind of problem. @default `about:blank` */
  readonly type?: string
  /** A short summary of the kind of problem. @default the status phrase */
  readonly title?: string
  /** Response headers to send along, for instance `{ 'retry-after': '30' }`. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The error behind this one: logged, never sent. */
  readonly cause?: unknown
  /** Any other member, which the problem document contains. */
  readonly [member: string]: unknown
}

/**
 * An error that reaches the client as `application/problem+json` (RFC 9457).
 *
 * @example
 * throw new HttpError(404, 'No such car', { code: 'car_not_found', id: 7 })
 * // → 404 {"type":"about:blank","title":"Not Found","status":404,"detail":"No such car","code":"car_not_found","id":7}
 *
 * @throws `RangeError` when `status` is not an error status (400 to 599).
 */
export class HttpError extends Error {
  /** The status of the response, 400 to 599. */
  readonly status: number
  /** A stable word for programs. */
  readonly code: string
  /** A URI that identifies the kind of problem. */
  readonly type: string
  /** A short summary of the kind of problem. */
  readonly title: string
  /** An explanation of this occurrence, which clients see. */
  readonly detail: string | undefined
  /** Headers to send along. */
  readonly headers: Readonly<Record<string, string>> | undefined
  /** Further members of the problem document. */
  readonly members: Readonly<Record<string, unknown>>

  constructor(status: number, detail?: string, options: HttpErrorOptions = {}) {
    const { code, type, title, headers, cause, ...members } = options
    super(detail ?? title ?? PHRASES[status] ?? 'Error', cause === undefined ? undefined : { cause })
    if (!Number.isInteger(status) || status < 400 || status > 599) refuseStatus(status)
    const phrase = PHRASES[status] ?? 'Error'
    this.name = 'HttpError'
    this.status = status
    this.detail = detail
    this.code = code ?? phrase.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')
    this.type = type ?? 'about:blank'
    this.title = title ?? phrase
    this.headers = headers
    this.members = Object.keys(members).length === 0 ? NO_MEMBERS : members
  }
}

brand(HttpError, 'http-error')

function refuseStatus(status: number): never {
  throw new RangeError(`HttpError: ${status} is not an error status; use 400 to 599`)
}

/** One value of a request that does not fit its schema: an entry of `errors` in a 422. */
export interface ValidationIssue {
  /** The source of the value. */
  readonly in: 'params' | 'query' | 'headers' | 'cookies' | 'body' | 'form' | 'files'
  /** The keys that lead to the value; empty for the source itself. */
  readonly path: readonly (string | number)[]
  /** The code of zod for the kind of issue, such as `invalid_type` or `too_small`. */
  readonly code: string
  /** An explanation for people. */
  readonly message: string
}

/**
 * The 422 of a request whose input does not fit its schemas. Test for it with `instanceof`, match it with an error handler, or throw your
 * own for rules that no schema has.
 *
 * @example
 * throw new ValidationError([{ in: 'body', path: ['email'], code: 'taken', message: 'The address is taken' }])
 */
export class ValidationError extends HttpError {
  /** The values that do not fit. */
  readonly errors: readonly ValidationIssue[]

  constructor(errors: readonly ValidationIssue[], detail: string = toDetail(errors.length)) {
    const code = 'validation_failed'
    const { status, title } = CORE_ERRORS[code]
    super(status, detail, { code, title, type: toUrn(code), errors })
    this.errors = errors
  }
}

brand(ValidationError, 'validation-error')

/**
 * How many values of a request are wrong.
 *
 * @internal
 */
export function toDetail(count: number): string {
  return `${count === 1 ? 'One value is' : `${count} values are`} not as the API describes`
}

/** The options of an error of Octavo's own. */
export type OwnErrorOptions = HttpErrorOptions & { readonly status?: number }

/**
 * One of Octavo's own errors, with the status and title of its row in {@link CORE_ERRORS}.
 *
 * @internal
 */
export function httpError(code: CoreErrorCode, detail: string, options?: OwnErrorOptions): HttpError {
  return toOwnError(CORE_ERRORS, code, detail, options)
}

/** The code, status and members of a thrown value, if it is an `HttpError`. A hostile one throws when it is looked at, and is none. */
export function readHttpError(thrown: unknown): Pick<HttpError, 'code' | 'status' | 'members'> | undefined {
  try {
    return thrown instanceof HttpError
      ? { code: thrown.code, status: thrown.status, members: thrown.members }
      : undefined
  } catch {
    return undefined
  }
}

/** An error with the status and title of its row in a table. */
function toOwnError<C extends string>(
  table: ErrorTable<C>,
  code: C,
  detail: string,
  options: OwnErrorOptions = {},
): HttpError {
  const { status, ...rest } = options
  const known = table[code]
  const { stackTraceLimit } = Error
  // what a client did wrong happens often, and has no place in the code: to look for one is most of the cost of an error
  if (known.status < 500) limitTraces(0)
  try {
    return new HttpError(status ?? known.status, detail, {
      code,
      title: known.title,
      type: toUrn(code),
      ...rest,
    })
  } finally {
    limitTraces(stackTraceLimit)
  }
}

const urns = new Map<string, string>()

function toUrn(code: string): string {
  const urn = urns.get(code) ?? `urn:octavo:problem:${code.replaceAll('_', '-')}`
  urns.set(code, urn)
  return urn
}

/** The problem document of an error (RFC 9457 section 3), ready to be sent. */
export function problemResponse(error: HttpError): FinishedResponse {
  const { type, title, status, detail, code, members } = error
  const known = detail === undefined ? { type, title, status, code } : { type, title, status, detail, code }
  // the members that RFC 9457 names come first, and no other can replace them
  const body = JSON.stringify(members === NO_MEMBERS ? known : { ...known, ...members, ...known })
  return toErrorResponse(error, 'application/problem+json', body)
}

/** The response to an error with a body: its status and headers are those of the error. */
export function toErrorResponse(
  { status, headers }: HttpError,
  type: string,
  body: string,
): FinishedResponse {
  return {
    [FINISHED]: true,
    isError: true,
    status,
    headers: {
      ...(headers && sentHeaders(headers)),
      'content-type': type,
      'content-length': String(byteLength(body)),
    },
    body,
  }
}

/** Of most errors: one object, so that they are known by it. */
const NO_MEMBERS: Readonly<Record<string, unknown>> = Object.freeze({})

/** The reason phrase of a status, or `undefined` for one without. */
export function reasonPhrase(status: number): string | undefined {
  return PHRASES[status]
}

/** Creates an error of one status. */
export type HttpErrorFactory = (detail?: string, options?: HttpErrorOptions) => HttpError

function thrower(status: number): HttpErrorFactory {
  return (detail, options) => new HttpError(status, detail, options)
}

/** A 400 error to throw. */
export const badRequest: HttpErrorFactory = thrower(400)
/** A 401 error to throw. Pass the challenge as `headers: { 'www-authenticate': … }`. */
export const unauthorized: HttpErrorFactory = thrower(401)
/** A 403 error to throw. */
export const forbidden: HttpErrorFactory = thrower(403)
/** A 404 error to throw. */
export const notFound: HttpErrorFactory = thrower(404)
/** A 409 error to throw. */
export const conflict: HttpErrorFactory = thrower(409)
/** A 410 error to throw. */
export const gone: HttpErrorFactory = thrower(410)
/** A 422 error to throw. */
export const unprocessable: HttpErrorFactory = thrower(422)
/** A 429 error to throw. */
export const tooManyRequests: HttpErrorFactory = thrower(429)
/** A 503 error to throw. */
export const serviceUnavailable: HttpErrorFactory = thrower(503)

/**
 * The headers of an error by lower-case name, without the encoding of another body: an error may have all headers of an answer from elsewhere.
 * Lists are copied, because middleware may change those of a response, and an error can be thrown again.
 */
function sentHeaders(
  headers: Readonly<Record<string, string | readonly string[]>>,
): Record<string, string | string[]> {
  const entries = Object.entries(headers).map(
    ([name, value]) => [name.toLowerCase(), typeof value === 'object' ? [...value] : value] as const,
  )
  return Object.fromEntries(entries.filter(([name]) => name !== 'content-encoding'))
}

/** The errors of middleware and of entry points that an application adds, apart so that bundles without them leave them out. */
const ADDED_ROWS = {
  missing_idempotency_key: [400],
  malformed_idempotency_key: [400],
  insufficient_scope: [403],
  cross_site_request: [403, 'Cross-site request'],
  invalid_cursor: [422],
  idempotency_key_in_use: [409],
  idempotent_outcome_unknown: [409],
  idempotent_response_lost: [409],
  idempotency_key_reused: [422],
  precondition_required: 428,
  rate_limited: 429,
  overloaded: 503,
  rate_limit_unavailable: [503],
  token_keys_unavailable: [503],
  pin_unavailable: [503],
  invalid_signature: [401],
  replays_unavailable: [503],
  idempotency_unavailable: [503],
  upstream_invalid: [502],
  upstream_unreachable: [502],
  upstream_timeout: [504],
} as const satisfies Readonly<Record<string, ErrorRow>>

/** A code of the errors of middleware and entry points. */
export type AddedErrorCode = keyof typeof ADDED_ROWS

const ADDED_ERRORS: ErrorTable<AddedErrorCode> = /* @__PURE__ */ toErrorTable(ADDED_ROWS)

/** A code of {@link ERRORS}. Codes never change meaning; titles and details may. */
export type ErrorCode = keyof typeof ROWS | keyof typeof ADDED_ROWS

/** The errors Octavo itself answers requests with; `docs/errors.md` explains each. */
export const ERRORS: Readonly<Record<ErrorCode, { readonly status: number; readonly title: string }>> =
  /* @__PURE__ */ withAdded(CORE_ERRORS)

// bundlers keep a spread that nothing uses, and drop the call of a function
function withAdded(core: ErrorTable<CoreErrorCode>): ErrorTable<ErrorCode> {
  return { ...core, ...ADDED_ERRORS }
}

/**
 * An error of middleware or of an entry point, with the status and title of its row.
 *
 * @internal
 */
export function addedError(code: AddedErrorCode, detail: string, options?: OwnErrorOptions): HttpError {
  return toOwnError(ADDED_ERRORS, code, detail, options)
}

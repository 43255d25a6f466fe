import { addedError, httpError, type HttpError } from '../../http/errors.ts'
import {
  andThen,
  atOnceOr,
  ignoreFailure,
  isBoolean,
  isFunction,
  isObject,
  type Awaitable,
} from '../../base/values.ts'
import { checkOptions, missingOptions, type Rules } from '../../base/definition-error.ts'
import type { ExecutionContext } from '../../define/context.ts'
import { defineInterceptor, withFits, type FitRoute, type Interceptor } from '../../define/interceptor.ts'
import { documenting, type Documented } from '../../define/layers.ts'
import { ownProblem } from '../../define/problem.ts'
import { isRaw, isReply, reply } from '../../define/reply.ts'
import type { Method } from '../../http/http.ts'
import {
  checkConditions,
  checkWrite,
  hasWriteCondition,
  type Validators,
} from '../../server/response/conditions.ts'

/** The options of `preconditions`. */
export interface PreconditionOptions<T, I> {
  /** Returns the version of a state, which becomes its `ETag`. Any text or number that changes with the state. */
  readonly etag: (state: T) => string | number | bigint
  /** Loads the state that a request is about to change, `undefined` or `null` if there is none. It gets the input of the handler. */
  readonly current: (input: I, context: ExecutionContext) => Awaitable<T | null | undefined>
  /** Returns when a state changed last, which becomes its `Last-Modified`. @default none */
  readonly lastModified?: (state: T) => Date
  /** Whether PUT, PATCH and DELETE without a condition are a 428 (RFC 6585 section 3). @default false */
  readonly required?: boolean
}

/** An interceptor that checks the conditions of requests, as `preconditions` returns it. */
export interface PreconditionInterceptor<T> extends Interceptor<undefined> {
  /**
   * Returns the state whose conditions were checked. `undefined` if there is none, or if the request has no condition. Change only what is
   * still this state, and throw `failed()` otherwise, because another request may have changed it meanwhile.
   */
  readonly checked: (context: ExecutionContext) => T | undefined
  /** Creates the 412 to throw if the state changed after the check. */
  readonly failed: () => HttpError
}

const WHERE = 'preconditions'

const OPTIONS: Rules = {
  etag: [isFunction, 'a function that returns the version of a state'],
  current: [isFunction, 'a function that loads the state'],
  lastModified: [isFunction, 'a function that returns a Date'],
  required: [isBoolean, 'true or false'],
}

/** Methods that can have to have a condition. A POST creates something as a rule, which has no state yet. */
const REPLACING: readonly Method[] = ['PUT', 'PATCH', 'DELETE']
const CHANGING: readonly Method[] = [...REPLACING, 'POST']
const READING: readonly Method[] = ['GET', 'HEAD', 'QUERY']

/**
 * Creates an interceptor that gives results an `ETag` and checks `If-Match`, `If-None-Match` and `If-Unmodified-Since` of POST, PUT, PATCH
 * and DELETE before the handler runs (RFC 9110 section 13). GET responds with 304 if the client has the state already.
 *
 * @example
 * const unchanged = preconditions({
 *   etag: (car: Car) => car.version,
 *   current: ({ params }: { params: { id: number } }) => cars.get(params.id),
 * })
 * const update = { method: 'PUT', path: '/{id:int}', interceptors: [unchanged], handler: ({ params, body }) => cars.set(params.id, body) }
 *
 * @throws `DefinitionError` when an option is wrong.
 */
export function preconditions<T, I = unknown>(
  options: PreconditionOptions<T, I>,
): PreconditionInterceptor<T> {
  const fix = 'write preconditions({ etag, current })'
  checkOptions(WHERE, options, OPTIONS, missingOptions(WHERE, options, ['etag', 'current'], fix))
  const { current, lastModified, required = false } = options
  const STATE: unique symbol = Symbol('state of preconditions')
  type Checked = ExecutionContext & { [STATE]?: T }

  /** Writes the validators of a result. Its type is that of the state, as the options say. */
  const mark = (context: ExecutionContext, result: unknown): unknown => {
    const { request, response } = context
    const data = isReply(result) && !isRaw(result) ? result.data : result
    const status = (isReply(result) ? result.status : undefined) ?? response.status ?? 200
    if (!isObject(data) || Array.isArray(data) || isRawResult(result) || status >= 300) return result
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the options say of results
    const validators = toValidators(options, data as T, context)
    if (validators.etag === undefined) return result
    response.headers.set('etag', validators.etag)
    if (validators.modified !== undefined)
      response.headers.set('last-modified', new Date(validators.modified).toUTCString())
    if (!isMethodOf(READING, request.method)) return result
    const outcome = checkConditions((name) => request.header(name), validators)
    if (outcome === 'failed') throw preconditionFailed()
    return outcome === 'unchanged' ? reply(304) : result
  }
  const check = (state: T | null | undefined, context: Checked): void => {
    const validators =
      state === undefined || state === null ? undefined : toValidators(options, state, context)
    const outcome = checkWrite((name) => context.request.header(name), validators)
    if (outcome === 'malformed') throw malformedTag()
    if (outcome === 'failed') throw preconditionFailed()
    if (state !== undefined && state !== null) context[STATE] = state
  }

  const interceptor: Interceptor<undefined> = {
    ...defineInterceptor({ name: WHERE, intercept: (_context, next) => next() }),
    intercept: (context, next, _inject, input: unknown) => {
      const respond = (): unknown => andThen(next(), (result) => mark(context, result))
      const { request } = context
      if (!isMethodOf(CHANGING, request.method)) return respond()
      if (!hasWriteCondition((name) => request.header(name))) {
        if (required && isMethodOf(REPLACING, request.method)) throw conditionRequired()
        return respond()
      }
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the input of the route, as the options say
      return andThen(current(input as I, context), (state) => {
        check(state, context)
        return respond()
      })
    },
  }
  const made = Object.assign(interceptor, {
    checked: (context: Checked) => context[STATE],
    failed: preconditionFailed,
  })
  Object.defineProperty(made, OWN, { value: true })
  const documented = documenting(made, ...toConditionHeaders(required, lastModified !== undefined))
  return withFits(documented, fitPreconditions)
}

/** The mark of these interceptors, which every copy of the package knows. */
const OWN: unique symbol = Symbol.for('octavo.preconditions')

/**
 * Leaves out the interceptors that have nothing to check or to mark, and those that have another one inside them, whose states are others. A
 * route that lists such a one itself is a mistake.
 */
const fitPreconditions: FitRoute = (
  { interceptors, responses, methods, isStream, route, label },
  problems,
) => {
  const found = interceptors.filter(({ part }) => OWN in part)
  const innermost = found.at(-1)
  const isReadAsStream = isStream && !methods.some((method) => isMethodOf(CHANGING, method))
  const streamed = isReadAsStream ? 'and a stream has no version' : undefined
  const reason = route.upgrade === undefined ? streamed : 'and a connection is no state'
  const kept = reason === undefined ? innermost : undefined
  for (const { part } of found)
    if (part !== kept?.part && route.interceptors?.includes(part) === true)
      problems.push({
        code: 'invalid_field',
        where: label,
        message: `interceptors has preconditions(), ${reason ?? 'twice'}`,
        fix: 'remove it',
      })
  return { interceptors: interceptors.filter((each) => each === kept || !found.includes(each)), responses }
}

/** The validators of a state. What has no version, such as a list beside the routes of its states, has none. */
function toValidators<T, I>(
  { etag, lastModified }: PreconditionOptions<T, I>,
  state: T,
  context: ExecutionContext,
): Validators {
  const version = atOnceOr<unknown>('preconditions.etag', etag(state), undefined, context)
  if (!isVersion(version)) return { etag: undefined, modified: undefined }
  const date =
    lastModified && atOnceOr<unknown>('preconditions.lastModified', lastModified(state), null, context)
  const isDated = lastModified !== undefined && date !== null
  return { etag: toVersionTag(version), modified: isDated ? toWholeSeconds(date, context) : undefined }
}

/** The time of a date, in milliseconds of whole seconds. What is no time is logged, because a change may have been made already. */
function toWholeSeconds(date: unknown, { log, route }: ExecutionContext): number | undefined {
  const time = date instanceof Date ? date.getTime() : Number.NaN
  if (!Number.isNaN(time)) return Math.floor(time / 1000) * 1000
  ignoreFailure(() =>
    log.error(
      { route: route?.name },
      'preconditions: lastModified returned no valid Date, so the state has no Last-Modified',
    ),
  )
  return undefined
}

function isVersion(value: unknown): value is string | number | bigint {
  return ['string', 'number', 'bigint'].includes(typeof value)
}

function isMethodOf(methods: readonly Method[], method: string): boolean {
  return methods.some((one) => one === method)
}

function isRawResult(result: unknown): boolean {
  return (
    (isReply(result) && isRaw(result)) || result instanceof Uint8Array || Object(result) instanceof Response
  )
}

/** A strong entity tag (RFC 9110 section 8.8.3). What no tag can have is percent-encoded. */
function toVersionTag(version: string | number | bigint): string {
  return `"${String(version).replaceAll(/[^!\u0023\u0024\u0026-\u007e]/gu, encodeURIComponent)}"`
}

function preconditionFailed(): HttpError {
  return httpError('precondition_failed', 'The state is not the one that the conditions of the request name')
}

function malformedTag(): HttpError {
  return httpError(
    'malformed_request',
    'A condition of the request is neither * nor a list of entity tags nor a date',
  )
}

function conditionRequired(): HttpError {
  return addedError('precondition_required', 'Send If-Match with the ETag of the state that you change')
}

function toConditionHeaders(required: boolean, hasDate: boolean): readonly Documented[] {
  const text = { type: 'string' }
  const responseHeaders = {
    ETag: { description: 'The version of the state (RFC 9110 section 8.8.3)', schema: text },
    ...(hasDate && { 'Last-Modified': { description: 'When the state changed last', schema: text } }),
  }
  const unreadable = ownProblem(
    'PreconditionMalformed',
    malformedTag(),
    'A condition of the request is malformed',
  )
  const unmet = ownProblem(
    'PreconditionFailed',
    preconditionFailed(),
    'The state is not the one that the conditions of the request name',
  )
  const absent = ownProblem('PreconditionRequired', conditionRequired(), 'The request has no condition')
  const changing = (methods: readonly Method[], isRequired: boolean): Documented => ({
    methods,
    requestHeaders: [
      {
        name: 'If-Match',
        required: isRequired,
        description: 'The `ETag` of the state to change, or `*`',
        schema: text,
      },
    ],
    responseHeaders,
    marksObjects: true,
    problems: isRequired ? [unreadable, unmet, absent] : [unreadable, unmet],
  })
  return [
    changing(REPLACING, required),
    changing(['POST'], false),
    {
      methods: READING,
      requestHeaders: [
        {
          name: 'If-None-Match',
          required: false,
          description: 'The `ETag` of the known state',
          schema: text,
        },
      ],
      responseHeaders,
      marksObjects: true,
      empty: { 304: 'The client has the state already' },
    },
  ]
}

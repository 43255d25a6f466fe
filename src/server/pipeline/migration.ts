import {
  RequestExtra,
  type ResolvedRoute,
  type VersionAdapter,
  type MigrationTracking,
  type OlderProblem,
  type StreamMigration,
  type MigrationExtra,
} from '../../routes/resolved-route.ts'
import { after, isPromise, isRecord, isString, type Awaitable } from '../../base/values.ts'
import { isAsyncIterable, isJsonType, type FinishedResponse } from '../../http/http.ts'
import { HttpError, httpError, phraseOf } from '../../http/errors.ts'
import { toDeclared } from '../../schema/declared.ts'
import { findResponse } from '../../schema/schema.ts'
import type { RequestContext } from './context.ts'
import { isAbort, logUnknown, toFailure, type Limit } from './failure.ts'
import { hasCondition, withoutSuffix, withSuffix } from './entity-tags.ts'
import type { Run } from './guards.ts'
import type { Answer, Input } from './validation/sources.ts'
import { dropResult, toData, type ResultAdapter } from './respond.ts'
import type { StreamAdapter } from './validation/stream-items.ts'
import { createChecks, type Checks } from './validation/response-check.ts'
import { isBodyless } from './framing.ts'
import { dropDigests, finish, JSON_TYPE, type ResponseHeaders } from './response-head.ts'

/** The code that versions put around a route. */
export interface RouteAdapter {
  /** The newest route, with the responses of the older version. */
  readonly answered: ResolvedRoute
  /** Has input that is valid in an older version converted into that of the newest one before the route answers. */
  readonly input: (answer: Answer) => Answer
  /** Converts errors to an older version, inside of middleware that may compress them. */
  readonly errors: (run: Run) => Run
  /** Adapts errors, the status and headers of responses to an older version, and adds a suffix to their entity tags. */
  readonly head: (run: Run) => Run
  /**
   * Converts results to an older version. The newest schema validates them, and the older one only shapes them. If a result doesn't match its
   * older schema at once, the newest one parses it first.
   */
  readonly results: ResultAdapter | undefined
}

/** Creates the code that versions put around a route. */
export type AdaptRoute = (
  route: ResolvedRoute,
  checking: true | 'strict' | false,
  limit: Limit,
) => RouteAdapter

/** Returns the end of a route's entity tags, or `undefined` for nothing. */
export type SuffixOf = (route: ResolvedRoute) => string | undefined

const same = <T>(given: T): T => given

/** Puts nothing around a route, for applications without versions. */
export const adaptNothing: AdaptRoute = (answered) => ({
  answered,
  input: same,
  errors: same,
  head: same,
  results: undefined,
})

/** Creates what adapts routes to versions, and notes which changes alter something if that is asked for. */
export function createAdaptRoute(suffixOf: SuffixOf, isTracked: boolean): AdaptRoute {
  return (route, checking, limit) => {
    const { newest, migration } = route
    const tracking = isTracked && migration !== undefined ? migration.tracking : UNTRACKED
    const head = (run: Run): Run =>
      withOlderHead(migration, suffixOf(route), tracked(run, tracking), tracking)
    if (newest === undefined || migration === undefined)
      return { ...adaptNothing(route, checking, limit), head }
    return {
      answered: { ...newest, responses: migration.responses },
      input: (answer) => withMigration(migration, limit, answer, tracking),
      errors: (run) => withOlderErrors(migration, run, tracking),
      head,
      results: createResultAdapter({ newest, migration, checking, limit }, tracking),
    }
  }
}

const NOTHING = (): void => undefined

const UNTRACKED: MigrationTracking = {
  begin: (context) => new RequestExtra(context),
  end: NOTHING,
  address: NOTHING,
  status: NOTHING,
}

function tracked(run: Run, tracking: MigrationTracking): Run {
  if (tracking === UNTRACKED) return run
  return (context, values) => {
    tracking.address(context)
    return run(context, values)
  }
}

function withMigration(
  migration: VersionAdapter,
  limit: Limit,
  answer: Answer,
  { begin, end }: MigrationTracking,
): Answer {
  const accept = (
    context: RequestContext,
    input: Input,
    extra: MigrationExtra,
    made: object,
  ): Awaitable<FinishedResponse> => {
    Object.assign(input, made)
    end(context, extra)
    return answer(context, input)
  }
  return (context, input) => {
    const extra = begin(context)
    let made
    try {
      made = migration.up(input, extra)
    } catch (error) {
      throw toFailed(context, error)
    }
    if (!isPromise(made)) return accept(context, input, extra, made)
    return loading(context, limit, made).then((settled) => accept(context, input, extra, settled))
  }
}

/** Waits for a conversion that loads data. */
async function loading<T>(context: RequestContext, limit: Limit, made: PromiseLike<T>): Promise<T> {
  try {
    return await limit(context, made, (value) => value)
  } catch (error) {
    throw toFailed(context, error)
  }
}

/** Logs why a change failed, and returns the error that the client gets. */
function toFailed(context: RequestContext, error: unknown): unknown {
  // the request is wrong or has ended, not the change
  if (error instanceof HttpError || (context.hasLeft && isAbort(error, context.signal))) return error
  logUnknown(context, error)
  const { requestId } = context
  return httpError(
    'migration_failed',
    'The request cannot be served in this version; the log has the reason',
    { requestId, cause: error },
  )
}

function withOlderHead(
  migration: VersionAdapter | undefined,
  suffix: string | undefined,
  run: Run,
  tracking: MigrationTracking,
): Run {
  const tagged = suffix === undefined ? run : withOwnConditions(suffix, run)
  const hasOlder = migration?.hasOlderHead === true
  if (!hasOlder && suffix === undefined) return run
  const toOlder: NonNullable<RequestContext['toOlderHead']> = (response, context) => {
    const tag = response.headers['etag']
    if (suffix !== undefined && isString(tag)) response.headers['etag'] = withSuffix(tag, suffix)
    return hasOlder ? toOlderHead(migration, response, context, tracking) : response
  }
  const once = (context: RequestContext, response: FinishedResponse): FinishedResponse => {
    context.toOlderHead = undefined
    return toOlder(response, context)
  }
  return (context, values): Awaitable<FinishedResponse> => {
    // what is thrown is answered further out
    context.toOlderHead = toOlder
    const response = tagged(context, values)
    return isPromise(response) ? response.then((settled) => once(context, settled)) : once(context, response)
  }
}

/** Has a route see the entity tags of conditions as its handler gave them. What is around it sees the request as it was sent. */
function withOwnConditions(suffix: string, run: Run): Run {
  return (context, values) => {
    const { request } = context
    if (!hasCondition(request)) return run(context, values)
    const showSent = context.showRequest((shown) => withoutSuffix(shown, suffix))
    let response
    try {
      response = run(context, values)
    } catch (error) {
      showSent()
      throw error
    }
    if (isPromise(response)) return Promise.resolve(response).finally(showSent)
    showSent()
    return response
  }
}

function toOlderHead(
  migration: VersionAdapter,
  response: FinishedResponse,
  context: RequestContext,
  { begin, end, status: noteStatus }: MigrationTracking,
): FinishedResponse {
  const { problemBefore, convertHeaders, statusOf } = migration
  try {
    const extra = begin(context)
    if (problemBefore !== undefined) convertError(problemBefore, response, context, extra)
    convertHeaders?.(response.headers, extra)
    end(context, extra)
  } catch (error) {
    throw toFailed(context, error)
  }
  const { status: newest } = response
  const status = convertedErrors.get(context) === true ? newest : statusOf(newest)
  if (status === newest) return response
  noteStatus(context, newest)
  return withOlderStatus(response, status)
}

/** Requests whose error has been converted, and whether it has a status of its own. */
const convertedErrors = new WeakMap<RequestContext, boolean>()

/** Has errors converted inside of what stands around a route. */
function withOlderErrors(
  { problemBefore }: VersionAdapter,
  run: Run,
  { begin, end }: MigrationTracking,
): Run {
  if (problemBefore === undefined) return run
  const convert = (context: RequestContext, response: FinishedResponse): FinishedResponse => {
    const extra = begin(context)
    try {
      convertError(problemBefore, response, context, extra)
    } catch (error) {
      return toFailure(context, toFailed(context, error))
    }
    end(context, extra)
    return response
  }
  return (context, values) => {
    const response = run(context, values)
    return isPromise(response)
      ? response.then((settled) => convert(context, settled))
      : convert(context, response)
  }
}

/** Converts the body and status of an error. */
function convertError(
  problemBefore: NonNullable<VersionAdapter['problemBefore']>,
  response: FinishedResponse,
  context: RequestContext,
  extra: MigrationExtra,
): void {
  const older = convertedErrors.has(context) ? undefined : toOlderProblem(problemBefore, response, extra)
  if (older === undefined) return
  const { status: own } = older
  convertedErrors.set(context, own !== undefined)
  const { status, headers } = response
  dropDigests(headers)
  Object.assign(response, finish(status, headers, JSON.stringify(older.body)))
  if (own !== undefined) withOlderStatus(response, own)
}

/** Sets the status that a response had. */
function withOlderStatus(response: FinishedResponse, status: number): FinishedResponse {
  const { status: newest, headers, body } = response
  const isRewritten = isProblem(headers['content-type']) && isString(body)
  if (isRewritten) {
    response.body = withStatus(body, newest, status)
    dropDigests(headers)
  }
  response.status = status
  // such as a 204, which has neither a body nor headers of one
  if (isBodyless(status)) for (const name of OF_A_BODY) delete headers[name]
  if (isRewritten || isBodyless(status) || isBodyless(newest))
    Object.assign(response, finish(status, headers, response.body))
  return response
}

/** The body and status that an error had, or `undefined` if they are the same. */
function toOlderProblem(
  problemBefore: NonNullable<VersionAdapter['problemBefore']>,
  { status, headers, body }: FinishedResponse,
  extra: MigrationExtra,
): OlderProblem | undefined {
  if (status < 400 || !isString(body)) return undefined
  if (!isJsonType(String(headers['content-type']))) return undefined
  const problem = recordOf(body)
  return problem && problemBefore(problem, status, extra)
}

/** Reads the body of an error, or returns `undefined` if it is no object: handlers may send a text as JSON. */
function recordOf(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const data: unknown = JSON.parse(body)
    return isRecord(data) ? data : undefined
  } catch {
    return undefined
  }
}

/** The headers that the route and its middleware give a body (RFC 9110 section 8), besides those that a response without one never has. */
const OF_A_BODY = ['content-encoding', 'content-language', 'content-disposition', 'content-range'] as const

function isProblem(type: unknown): boolean {
  return isString(type) && type.startsWith('application/problem+json')
}

/** A problem document says its status too, and about:blank has the phrase of the status as its title (RFC 9457 section 4.2.1). */
function withStatus(body: string, newest: number, status: number): string {
  const problem = recordOf(body)
  if (problem === undefined) return body
  const { type, title } = problem
  const isPhrase = type === 'about:blank' && title === phraseOf(newest)
  return JSON.stringify({ ...problem, status, ...(isPhrase && { title: phraseOf(status) ?? title }) })
}

/** The route, its adapter and the limits by which results are converted. */
interface Serving {
  readonly newest: ResolvedRoute
  readonly migration: VersionAdapter
  readonly checking: true | 'strict' | false
  readonly limit: Limit
}

/**
 * Creates the converter of results to an older version. The newest schema decides whether they are right, the older one
 * only shapes them. A result that is not what its older schema says at once is parsed by the newest one first.
 */
function createResultAdapter(serving: Serving, tracking: MigrationTracking): ResultAdapter {
  const { newest, migration, checking, limit } = serving
  const { down, isConverted, isParsedFirst, stream } = migration
  const converting = { ...tracking, down }
  // made for the first result that needs it, for there are many older versions
  const isParsed = checking !== false && newest.responses.size > 0
  let parsing: Checks | undefined
  const only = newest.isOneResponse ? migration.responses.get(newest.status) : undefined
  // functions of changes may make more than the older version declares
  const shape = (status: number, data: unknown): unknown => {
    const schema = findResponse(migration.responses, status) ?? only
    return schema === undefined ? data : toDeclared(schema, data)
  }
  const sendConverted = createSendConverted(serving, tracking, isParsed ? shape : undefined)
  const checkRaw = createRawCheck(newest, migration)
  const send: ResultAdapter['send'] = (checks, status, headers, data, context) => {
    if (isConverted(status)) dropDigests(headers)
    if (isAsyncIterable(data) || data instanceof Uint8Array) {
      checkRaw(status, data, context)
      return toData(status, headers, data, context)
    }
    if (!isParsed) return sendConverted(status, headers, data, context)
    if (checks !== undefined && !isParsedFirst(status) && typeof data === 'object' && data !== null) {
      const text = writeOlder(checks, converting, status, data, context)
      if (text !== undefined) {
        headers['content-type'] ??= JSON_TYPE
        return finish(status, headers, text)
      }
    }
    parsing ??= createChecks(newest, true)
    const parsed = parsing?.parse(status, data, context)
    return isPromise(parsed)
      ? parsed.then((settled) => sendConverted(status, headers, settled, context))
      : sendConverted(status, headers, parsed, context)
  }
  return {
    send,
    stream: stream && createStreamAdapter(stream, checking !== false, { ...tracking, limit }),
    checkRaw,
  }
}

function createSendConverted(
  { migration: { contentTypeOf, down }, limit }: Serving,
  { begin, end }: MigrationTracking,
  shape: ((status: number, data: unknown) => unknown) | undefined,
): (
  status: number,
  headers: ResponseHeaders,
  data: unknown,
  context: RequestContext,
) => Awaitable<FinishedResponse> {
  return (status, headers, data, context) => {
    const extra = begin(context)
    const send = (converted: unknown): Awaitable<FinishedResponse> => {
      end(context, extra)
      const type = contentTypeOf(status)
      if (type !== undefined) {
        // that of the newest body is none of the older one
        delete headers['content-type']
        if (type.named !== undefined) headers['content-type'] = type.named
      }
      const shaped = shape === undefined ? converted : shape(status, converted)
      return toData(status, headers, shaped, context, true)
    }
    let converted
    try {
      converted = down(status, data, extra)
    } catch (error) {
      throw toFailed(context, error)
    }
    return isPromise(converted) ? loading(context, limit, converted).then(send) : send(converted)
  }
}

function createRawCheck(newest: ResolvedRoute, { isConverted }: VersionAdapter): ResultAdapter['checkRaw'] {
  return (status, result, context) => {
    if (!isConverted(status)) return
    dropResult(result)
    const reason = 'returned a stream or bytes, which no change can convert: return data'
    throw toFailed(context, new Error(`${newest.label} ${reason}`))
  }
}

function createStreamAdapter(
  stream: StreamMigration,
  isChecked: boolean,
  { begin, end, limit }: MigrationTracking & Pick<Serving, 'limit'>,
): StreamAdapter {
  const down: StreamAdapter['down'] = (name, data, context) => {
    const extra = begin(context)
    const converted = stream.down(name, data, extra)
    const noted = (settled: unknown): unknown => {
      end(context, extra)
      return settled
    }
    return isPromise(converted) ? loading(context, limit, converted).then(noted) : noted(converted)
  }
  const convert: StreamAdapter['convert'] = (name, data, context) => {
    const schema = isChecked ? stream.older.schemas.get(name) : undefined
    try {
      return after(down(name, data, context), (converted) =>
        schema === undefined ? converted : toDeclared(schema, converted),
      )
    } catch (error) {
      throw toFailed(context, error)
    }
  }
  return { ...stream, down, convert }
}

/** How results are converted, and what is noted of that. */
type Converting = Pick<VersionAdapter, 'down'> & MigrationTracking

/** Writes a result in the older version in one pass, or `undefined` if it has to be parsed. */
function writeOlder(
  checks: Checks,
  { down, begin, end }: Converting,
  status: number,
  data: object,
  context: RequestContext,
): string | undefined {
  let converted
  const extra = begin(context)
  try {
    converted = down(status, data, extra)
  } catch {
    // a result that is wrong fails in functions of changes too
    return undefined
  }
  if (typeof converted !== 'object' || converted === null) return undefined
  const text = checks.write(status, converted)
  if (text !== undefined) end(context, extra)
  return text
}

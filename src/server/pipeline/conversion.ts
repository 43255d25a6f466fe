import type { BodyLayer, OlderProblem, ResolvedRoute, VersionLayer } from '../../routes/resolved-route.ts'
import { andThen, isPromise, isRecord, isString, type Awaitable } from '../../base/values.ts'
import { isJsonType, isStream, openStream, type FinishedResponse } from '../../http/http.ts'
import { HttpError, httpError, problemResponse, reasonPhrase } from '../../http/errors.ts'
import { toDeclared } from '../../schema/declared.ts'
import type { RequestContext } from './context.ts'
import { isAbort, logUnknown, toFailure, type Limit } from './failure.ts'
import { hasCondition, withoutSuffix, withSuffix } from './entity-tags.ts'
import type { Run } from './guards.ts'
import type { FormattedError } from '../options/error-writer.ts'
import type { RunHandler, Input } from './validation/sources.ts'
import { isBodyless } from './framing.ts'
import { dropDigests, finish } from './response-head.ts'

/** A route that is served in an older version, as the steps of a request need it. The layer converts, and the rest is the server's part. */
export interface Conversion {
  readonly layer: VersionLayer
  readonly newest: ResolvedRoute
  readonly checking: true | 'strict' | false
  /** Limits the time in which changes load data. */
  readonly limit: Limit
}

/** The part of a conversion that results need. */
export interface ResultConversion extends Pick<Conversion, 'checking' | 'limit'> {
  readonly layer: Pick<VersionLayer, 'response' | 'items' | 'events'> & Partial<Pick<VersionLayer, 'paged'>>
  readonly newest: Pick<ResolvedRoute, 'label' | 'status' | 'responses' | 'isOneResponse'>
}

/** Creates the conversion of a route, or `undefined` for one that is served as its code has it. */
export function createConversion(
  { newest, layer }: ResolvedRoute,
  checking: Conversion['checking'],
  limit: Limit,
): Conversion | undefined {
  return newest === undefined || layer === undefined ? undefined : { layer, newest, checking, limit }
}

/** The newest route with the response schemas of the older version: results are converted while they have their newest status. */
export function withOlderSchemas({ newest, layer }: Conversion): ResolvedRoute {
  const responses = [...newest.responses].map(
    ([key, schema]) => [key, layer.response(key)?.schema ?? schema] as const,
  )
  return { ...newest, responses: new Map(responses) }
}

/** Has input that is valid in the older version converted before the route answers. */
export function convertInput({ layer, limit }: Conversion, answer: RunHandler): RunHandler {
  const accept = (context: RequestContext, input: Input, made: object): Awaitable<FinishedResponse> => {
    Object.assign(input, made)
    return answer(context, input)
  }
  return (context, input) => {
    let made
    try {
      made = layer.toNewest(input, context)
    } catch (error) {
      throw toFailed(context, error)
    }
    return isPromise(made)
      ? whenLoaded(context, limit, made).then((settled) => accept(context, input, settled))
      : accept(context, input, made)
  }
}

/**
 * Converts data of a response, an event or an item, and leaves out what the older version does not declare.
 *
 * @throws `HttpError` for a change that fails, which is logged.
 */
export function convertBody(
  { checking, limit }: ResultConversion,
  { schema, toOlder }: BodyLayer,
  data: unknown,
  context: RequestContext,
): Awaitable<unknown> {
  let converted
  try {
    converted = toOlder === undefined ? data : toOlder(data, context)
    if (!isPromise(converted)) return checking === false ? converted : toDeclared(schema, converted)
  } catch (error) {
    throw toFailed(context, error)
  }
  return whenLoaded(context, limit, converted).then((settled) =>
    checking === false ? settled : toDeclared(schema, settled),
  )
}

/** Waits for a conversion that loads data. */
async function whenLoaded<T>(context: RequestContext, limit: Limit, made: PromiseLike<T>): Promise<T> {
  try {
    return await limit(context, made, (value) => value)
  } catch (error) {
    throw toFailed(context, error)
  }
}

/** Logs why a change failed, and returns the error that the client gets. */
export function toFailed(context: RequestContext, error: unknown): unknown {
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

/** Converts errors where middleware of the route has not compressed them yet. */
export function convertErrors({ layer }: Conversion, run: Run): Run {
  const { problem } = layer
  if (problem === undefined) return run
  const convert = (context: RequestContext, response: FinishedResponse): Awaitable<FinishedResponse> => {
    const fail = (error: unknown): Awaitable<FinishedResponse> => toFailure(context, toFailed(context, error))
    try {
      const converted = convertProblem(problem, response, context)
      return isPromise(converted) ? converted.then(() => response, fail) : response
    } catch (error) {
      return fail(error)
    }
  }
  const read = withReadErrors(run)
  return (context, values) => andThen(read(context, values), (response) => convert(context, response))
}

/** Has the JSON of errors that are streams, such as that of a `Response`, read before changes convert it. */
function withReadErrors(run: Run): Run {
  return (context, values) => {
    const response = run(context, values)
    return isPromise(response)
      ? response.then((settled) => readIfStreamed(context, settled))
      : readIfStreamed(context, response)
  }
}

function readIfStreamed(context: RequestContext, response: FinishedResponse): Awaitable<FinishedResponse> {
  if (!isStreamedError(response, context)) return response
  return readError(response).catch((error: unknown) => toFailure(context, toFailed(context, error)))
}

function isStreamedError({ status, headers, body }: FinishedResponse, context: RequestContext): boolean {
  return (
    status >= 400 &&
    isStream(body) &&
    context.method !== 'HEAD' &&
    headers['content-encoding'] === undefined &&
    isJsonType(String(headers['content-type']))
  )
}

/** The longest error that is read to be converted, in bytes. */
const LONGEST_ERROR = 1_048_576

/** @throws `Error` for an error that is too long, and what its stream throws. */
async function readError({ status, headers, body }: FinishedResponse): Promise<FinishedResponse> {
  const decoder = new TextDecoder()
  let text = ''
  if (isStream(body)) {
    const source = openStream(body)
    for (let chunk = await source.next(); chunk.done !== true; chunk = await source.next()) {
      text += typeof chunk.value === 'string' ? chunk.value : decoder.decode(chunk.value, { stream: true })
      if (text.length <= LONGEST_ERROR) continue
      source.cancel()
      throw new Error(
        `The JSON of an error is longer than ${LONGEST_ERROR} bytes, so that no change can convert it`,
      )
    }
  }
  return finish(status, headers, text + decoder.decode())
}

/**
 * Converts the status and headers of every response of a route, errors included, and those errors that `convertErrors` has not seen. `suffix` is
 * the end of its entity tags.
 */
export function convertHead(
  layer: VersionLayer | undefined,
  suffix: string | undefined,
  recover: (context: RequestContext, error: unknown) => Awaitable<FinishedResponse>,
  run: Run,
): Run {
  const noted = layer === undefined ? run : noteAddress(layer, run)
  const hasHead = (layer?.problem ?? layer?.status ?? layer?.headers) !== undefined
  if (!hasHead && suffix === undefined) return noted
  const whole = layer?.problem === undefined ? noted : withReadErrors(noted)
  const tagged = suffix === undefined ? whole : withOwnConditions(suffix, whole)
  const convert = (context: RequestContext, response: FinishedResponse): Awaitable<FinishedResponse> => {
    const tag = response.headers['etag']
    if (suffix !== undefined && isString(tag)) response.headers['etag'] = withSuffix(tag, suffix)
    return layer === undefined || !hasHead ? response : toOlderHead(layer, response, context)
  }
  const fail = (context: RequestContext, error: unknown): Awaitable<FinishedResponse> =>
    andThen(recover(context, error), (response) => convert(context, response))
  return (context, values) => {
    let response
    try {
      response = tagged(context, values)
    } catch (error) {
      return fail(context, error)
    }
    return isPromise(response)
      ? response.then(
          (settled) => convert(context, settled),
          (error) => fail(context, error),
        )
      : convert(context, response)
  }
}

/** Notes the changes without which the request would have been sent to another address. */
function noteAddress({ address }: VersionLayer, run: Run): Run {
  if (address.length === 0) return run
  return (context, values) => {
    const { altered } = context
    if (altered !== undefined) for (const change of address) altered(change)
    return run(context, values)
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
  layer: VersionLayer,
  response: FinishedResponse,
  context: RequestContext,
): Awaitable<FinishedResponse> {
  const { problem } = layer
  let converted
  try {
    converted = problem && convertProblem(problem, response, context)
  } catch (error) {
    throw toFailed(context, error)
  }
  if (!isPromise(converted)) return convertRest(layer, response, context)
  const fail = (error: unknown): never => {
    throw toFailed(context, error)
  }
  return converted.then(undefined, fail).then(() => convertRest(layer, response, context))
}

function convertRest(
  { headers, status: toStatus }: VersionLayer,
  response: FinishedResponse,
  context: RequestContext,
): FinishedResponse {
  try {
    // an error is none of the result before it
    if (context.result !== undefined && context.result.status !== response.status) context.result = undefined
    headers?.(response.headers, context)
  } catch (error) {
    throw toFailed(context, error)
  }
  // a change may have said which status this error had
  if (toStatus === undefined || context.olderProblem?.status !== undefined) return response
  const status = toStatus(response.status, context)
  return status === response.status ? response : withOlderStatus(response, status)
}

/** Converts the body and status of an error, once for a request. */
function convertProblem(
  problem: NonNullable<VersionLayer['problem']>,
  response: FinishedResponse,
  context: RequestContext,
): Awaitable<void> {
  if (context.olderProblem !== undefined) return undefined
  return andThen(toOlderProblem(problem, response, context), (older) => {
    if (older === undefined) return
    context.olderProblem = older
    const { status, headers } = response
    dropDigests(headers)
    Object.assign(response, finish(status, headers, toText(older, response, context)))
    if (older.status !== undefined) withOlderStatus(response, older.status)
  })
}

/** The text of an older error. The format of the application writes its own errors again, with the older code, status and members. */
function toText(
  { status, body }: OlderProblem,
  response: FormattedError,
  context: RequestContext,
): FinishedResponse['body'] {
  const { error, headers } = response
  if (error === undefined) return JSON.stringify(body)
  const { status: _status, detail, ...rest }: Readonly<Record<string, unknown>> = { ...body }
  const older = new HttpError(status ?? response.status, isString(detail) ? detail : undefined, {
    ...rest,
    headers: error.headers,
    cause: error,
  })
  const written = context.writeError(older)
  Object.assign(headers, { 'content-type': written.headers['content-type'] })
  return written.body
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
  problem: NonNullable<VersionLayer['problem']>,
  { status, headers, body: sent, error }: FormattedError,
  context: RequestContext,
): Awaitable<OlderProblem | undefined> {
  if (status < 400 || !isString(sent)) return undefined
  const { body } = error === undefined ? { body: sent } : problemResponse(error)
  if (error === undefined && !isJsonType(String(headers['content-type']))) return undefined
  const given = isString(body) ? recordOf(body) : undefined
  return given && problem(given, status, context)
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
  const isPhrase = type === 'about:blank' && title === reasonPhrase(newest)
  return JSON.stringify({ ...problem, status, ...(isPhrase && { title: reasonPhrase(status) ?? title }) })
}

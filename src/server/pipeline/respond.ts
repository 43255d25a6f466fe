import { isRaw, isReply, type Shape, type ToReply } from '../../define/reply.ts'
import { isPromise, type Awaitable } from '../../base/values.ts'
import { isAsyncIterable, isWebResponse, type FinishedResponse, type WebResponse } from '../../http/http.ts'
import { isNothing } from '../../schema/accepts.ts'
import { responseTypes } from '../../schema/body-types.ts'
import { findResponse, STREAM_STATUS } from '../../schema/schema.ts'
import type { RequestContext } from './context.ts'
import type { ResultConversion } from './conversion.ts'
import { createSendConverted, refuseRaw, type Send } from './convert-result.ts'
import { finish, addReplyHead, JSON_TYPE, type ResponseHead, type ResponseHeaders } from './response-head.ts'
import { connectionNames, isDecoded, OF_BYTES, OF_CONNECTION } from './framing.ts'
import { toData } from './result-data.ts'
import { startStream, toStream } from './start-stream.ts'
import { createChecks, type DeclaredResponses, type Checks } from './validation/response-check.ts'
import { createStreaming, type Streaming } from './validation/stream-items.ts'

/** Turns a result into a response. */
export type Respond = (
  result: unknown,
  head: ResponseHead | undefined,
  context: RequestContext,
) => Awaitable<FinishedResponse>

const byStatus = new Map<number, Respond>()

/** Turns what a middleware returned into a response. */
export function respondWith(
  result: unknown,
  status: number,
  context: RequestContext,
): Awaitable<FinishedResponse> {
  const respond =
    byStatus.get(status) ??
    createResponder({ label: '', status, responses: new Map(), isOneResponse: false }, false)
  byStatus.set(status, respond)
  return respond(result, context.takeHead(), context)
}

/** Creates the function that turns what a handler returned into a response. */
export function createResponder(
  route: DeclaredResponses,
  checking: true | 'strict' | false,
  conversion?: ResultConversion,
): Respond {
  const checks = createChecks(route, checking)
  const typeOf = route.typeOf ?? (route.responses.size > 0 ? responseTypes(route.responses) : undefined)
  const { label, stream } = route
  const streaming = stream && createStreaming({ label, stream, checking, conversion })
  const checkRaw = rawCheckOf(streaming, conversion)
  const isPlain = [streaming, typeOf, conversion, checks].every((part) => part === undefined)
  const respond: Respond = (result, head, context) => {
    if (isReply(result) && isRaw(result) && typeof result.data === 'function')
      return workOut({ toReply: result.data, shape: streaming?.shapeFor(context) }, respond, head, context)
    return respondNow(result, head, context)
  }
  const respondNow: Respond = (result, head, context) => {
    if (isWebResponse(result)) {
      checkRaw(result.status, result, context)
      return startStream(fromWeb(result, head), context)
    }
    const headers: ResponseHeaders = {}
    let status = head?.view.status
    let data = result
    if (isReply(result)) {
      status = result.status ?? status
      data = result.data
      addReplyHead(headers, result)
      if (isRaw(result)) {
        status ??= route.status
        checkRaw(status, data, context)
        head?.mergeInto(headers)
        return startStream(finish(status, headers, data), context)
      }
    }
    head?.mergeInto(headers)
    if (status === undefined && data === undefined && route.status === 200) {
      if (sendNothing !== undefined) return sendNothing(headers, context)
      status = 204
    }
    status ??= route.status
    if (isPlain) return toData(status, headers, data, context)
    return send(status, headers, data, context)
  }
  const send = createSend(route, { checks, streaming, typeOf, conversion })
  const sendNothing = createSendNothing(route, checks, send)
  return respond
}

/** The parts of a responder that routes may lack. */
interface SendParts {
  readonly checks: Checks | undefined
  readonly streaming: Streaming | undefined
  readonly typeOf: DeclaredResponses['typeOf']
  readonly conversion: ResultConversion | undefined
}

function createSend(
  { responses }: DeclaredResponses,
  { checks, streaming, typeOf, conversion }: SendParts,
): Send {
  const isDeclared = responses.size > 0
  const sendConverted = conversion && createSendConverted(conversion, checks)
  return (status, headers, data, context) => {
    if (streaming !== undefined && status === STREAM_STATUS) {
      const body = streaming.toBody(data, headers, context)
      return startStream(finish(status, headers, body), context)
    }
    if (typeOf !== undefined) setType(headers, data, typeOf(status))
    if (sendConverted !== undefined) return sendConverted(status, headers, data, context)
    return checks === undefined
      ? toData(status, headers, data, context, isDeclared)
      : toChecked(checks, status, headers, data, context)
  }
}

/** Creates the function that answers a result of `undefined`, if the route declares for 200 whether there is one. */
function createSendNothing(
  { status, responses }: DeclaredResponses,
  checks: Checks | undefined,
  send: Send,
): ((headers: ResponseHeaders, context: RequestContext) => Awaitable<FinishedResponse>) | undefined {
  const schema = status === 200 ? findResponse(responses, 200) : undefined
  if (schema === undefined || findResponse(responses, 204) !== undefined) return undefined
  const empty = isNothing(schema) ? 200 : 204
  if (checks === undefined) return (headers, context) => toData(empty, headers, undefined, context)
  return (headers, context) => {
    // a default may be filled in
    const sendFilled = (filled: unknown): Awaitable<FinishedResponse> =>
      filled === undefined
        ? toData(empty, headers, undefined, context)
        : send(200, headers, undefined, context)
    const parsed = checks.parse(200, undefined, context)
    return isPromise(parsed) ? parsed.then(sendFilled) : sendFilled(parsed)
  }
}

const TAKE = (): void => undefined

/** Creates the function that refuses results that are sent as they stand and should not be. */
function rawCheckOf(
  streaming: Streaming | undefined,
  conversion: ResultConversion | undefined,
): (status: number, result: unknown, context: RequestContext) => void {
  const checkOlder: ReturnType<typeof rawCheckOf> =
    conversion === undefined ? TAKE : (...given) => refuseRaw(conversion, ...given)
  if (streaming === undefined) return checkOlder
  return (status, result, context) => {
    if (status === STREAM_STATUS) streaming.checkRaw(result, context)
    else checkOlder(status, result, context)
  }
}

function setType(headers: ResponseHeaders, data: unknown, type: string | undefined): void {
  if (type !== undefined && data !== undefined && !isAsyncIterable(data)) headers['content-type'] ??= type
}

function toChecked(
  checks: Checks,
  status: number,
  headers: ResponseHeaders,
  data: unknown,
  context: RequestContext,
): Awaitable<FinishedResponse> {
  if (typeof data === 'object' && data !== null) {
    const text = checks.write(status, data)
    if (text !== undefined) {
      headers['content-type'] ??= JSON_TYPE
      return finish(status, headers, text)
    }
  }
  const parsed = checks.parse(status, data, context)
  return isPromise(parsed)
    ? parsed.then((settled) => toData(status, headers, settled, context, true))
    : toData(status, headers, parsed, context, true)
}

function workOut(
  { toReply, shape }: { readonly toReply: ToReply; readonly shape: Shape | undefined },
  respond: Respond,
  head: ResponseHead | undefined,
  context: RequestContext,
): Awaitable<FinishedResponse> {
  const settled = toReply(context, shape)
  return isPromise(settled)
    ? settled.then((result) => respond(result, head, context))
    : respond(settled, head, context)
}

function fromWeb(response: WebResponse, head: ResponseHead | undefined): FinishedResponse {
  const headers: ResponseHeaders = {}
  const cookies: string[] = []
  response.headers.forEach((value, name) => {
    const key = name.toLowerCase()
    if (key === 'set-cookie') cookies.push(value)
    else headers[key] = value
  })
  // those of the connection on which something else has sent it
  const theirs = [...connectionNames(headers['connection']), ...OF_CONNECTION]
  const untrue = isDecoded(response.url, headers['content-encoding']) ? OF_BYTES : []
  for (const name of [...theirs, ...untrue]) delete headers[name]
  const lines = response.headers.getSetCookie?.() ?? cookies
  if (lines.length > 0) headers['set-cookie'] = lines
  head?.mergeInto(headers)
  if (response.bodyUsed === true)
    throw new TypeError('The handler returned a Response whose body was read already')
  const { body, status } = response
  if (body === null) return finish(status, headers, undefined)
  return finish(status, headers, toStream(response, body))
}

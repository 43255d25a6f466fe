import { isObject, isPromise, type Awaitable } from '../../base/values.ts'
import { isAsyncIterable, type FinishedResponse } from '../../http/http.ts'
import type { BodyLayer } from '../../routes/resolved-route.ts'
import type { RequestContext } from './context.ts'
import { convertBody, toFailed, type ResultConversion } from './conversion.ts'
import { dropDigests, finish, JSON_TYPE, type ResponseHeaders } from './response-head.ts'
import { dropResult, toData } from './result-data.ts'
import { createChecks, type Checks } from './validation/response-check.ts'

/** Sends data with its status and headers. */
export type Send = (
  status: number,
  headers: ResponseHeaders,
  data: unknown,
  context: RequestContext,
) => Awaitable<FinishedResponse>

/**
 * Creates the function that sends results of an older version. The newest schema decides whether they are right, and the older one, which
 * `checks` have, only shapes them. A result that is not at once what its older schema says is parsed by the newest one first.
 */
export function createSendConverted(conversion: ResultConversion, checks: Checks | undefined): Send {
  const { layer, newest, checking } = conversion
  const isParsed = checking !== false && newest.responses.size > 0
  // pages are parsed before they are joined
  const isKnown = (data: unknown): boolean => !isParsed || layer.paged?.isJoined(data) === true
  // made for the first result that needs it, for there are many older versions
  let parsing: Checks | undefined
  const sendParsed: Send = (status, headers, data, context) => {
    const body = layer.response(status)
    if (body === undefined) return toData(status, headers, data, context, true)
    if (body.isSeen) context.result = { status, body: data, headers }
    const converted = convertBody(conversion, body, data, context)
    return isPromise(converted)
      ? converted.then((settled) => sendBody(body, status, headers, settled, context))
      : sendBody(body, status, headers, converted, context)
  }
  return (status, headers, data, context) => {
    const body = layer.response(status)
    if (body?.toOlder !== undefined) dropDigests(headers)
    if (isAsyncIterable(data) || data instanceof Uint8Array) {
      refuseRaw(conversion, status, data, context)
      return toData(status, headers, data, context)
    }
    if (isKnown(data)) return sendParsed(status, headers, data, context)
    if (checks !== undefined && body?.isParsedFirst !== true && isObject(data)) {
      const text = writeOlder(checks, body, status, data, context)
      if (text !== undefined) {
        headers['content-type'] ??= JSON_TYPE
        return finish(status, headers, text)
      }
    }
    parsing ??= createChecks(newest, true)
    const parsed = parsing?.parse(status, data, context)
    return isPromise(parsed)
      ? parsed.then((settled) => sendParsed(status, headers, settled, context))
      : sendParsed(status, headers, parsed, context)
  }
}

/** Writes a result in the older version in one pass, or `undefined` if it has to be parsed. */
function writeOlder(
  checks: Checks,
  body: BodyLayer | undefined,
  status: number,
  data: object,
  context: RequestContext,
): string | undefined {
  let converted
  try {
    converted = body?.toOlder === undefined ? data : body.toOlder(data, context)
  } catch {
    // a result that is wrong fails in functions of changes too
    return undefined
  }
  return isObject(converted) ? checks.write(status, converted) : undefined
}

function sendBody(
  { contentType }: BodyLayer,
  status: number,
  headers: ResponseHeaders,
  data: unknown,
  context: RequestContext,
): Awaitable<FinishedResponse> {
  if (contentType !== undefined) {
    // that of the newest body is none of the older one
    delete headers['content-type']
    if (contentType.named !== undefined) headers['content-type'] = contentType.named
  }
  return toData(status, headers, data, context, true)
}

/** Refuses results that are sent as they stand where a change would have to convert them, and cancels their streams. */
export function refuseRaw(
  { layer, newest }: ResultConversion,
  status: number,
  result: unknown,
  context: RequestContext,
): void {
  if (layer.response(status)?.toOlder === undefined) return
  dropResult(result)
  const reason = 'returned a stream or bytes, which no change can convert: return data'
  throw toFailed(context, new Error(`${newest.label} ${reason}`))
}

import { toJsonText } from '../../define/json-text.ts'
import { isReply } from '../../define/reply.ts'
import type { Awaitable } from '../../base/values.ts'
import {
  dropBody,
  isAsyncIterable,
  isJsonType,
  isWebResponse,
  isWebStream,
  type FinishedResponse,
} from '../../http/http.ts'
import type { RequestContext } from './context.ts'
import { finish, JSON_TYPE, type ResponseHeaders } from './response-head.ts'
import { startStream } from './start-stream.ts'

const BYTES_TYPE = 'application/octet-stream'

/** Sends data as it is. `isDeclared` is whether a schema declares it. */
export function toData(
  status: number,
  headers: ResponseHeaders,
  data: unknown,
  context: RequestContext,
  isDeclared = false,
): Awaitable<FinishedResponse> {
  if (data === undefined) return finish(status, headers, undefined)
  if (data instanceof Uint8Array || isAsyncIterable(data)) {
    headers['content-type'] ??= BYTES_TYPE
    return startStream(finish(status, headers, data), context)
  }
  if (isDeclared && data instanceof Blob) return toBlob(status, headers, data, context)
  if (isDeclared && data instanceof ArrayBuffer) return toData(status, headers, new Uint8Array(data), context)
  const type = headers['content-type']
  // a text that is declared as something else than JSON is sent as it stands
  if (typeof data === 'string' && typeof type === 'string' && !isJsonType(type))
    return finish(status, headers, data)
  headers['content-type'] ??= JSON_TYPE
  return finish(status, headers, toJsonText(data, isDeclared))
}

function toBlob(
  status: number,
  headers: ResponseHeaders,
  blob: Blob,
  context: RequestContext,
): Awaitable<FinishedResponse> {
  headers['content-type'] ??= blob.type === '' ? BYTES_TYPE : blob.type
  headers['content-length'] = String(blob.size)
  return startStream(finish(status, headers, blob.stream()), context)
}

/** Cancels the stream of a result that is not sent. */
export function dropResult(result: unknown): void {
  const body = isWebResponse(result) ? result.body : result
  const data = isReply(result) ? result.data : body
  if (isAsyncIterable(data) || isWebStream(data)) dropBody(data)
}

import { followSignal } from '../../base/signals.ts'
import type { UpstreamApp } from '../../define/context.ts'
import { clientWentAway, type BodyStream } from '../../http/http.ts'
import { isDecoded, OF_BYTES } from '../../server/pipeline/framing.ts'
import { noteOutcome } from '../../http/outcome.ts'
import { isUnconnected, toAbortReason, toUpstreamError } from './failures.ts'
import type { IncomingResponse, OutgoingRequest, Sender, UpstreamTransport } from './options.ts'

/** Creates the transport to an application, or by `fetch` of the platform, which decodes bodies. Time limits are for the head alone. */
export function createFetchTransport(
  name: string,
  origin: string,
  app: UpstreamApp,
  headersTimeout: number,
): UpstreamTransport {
  const fetchHead = async (request: OutgoingRequest, sender: Sender): Promise<IncomingResponse> => {
    const limit = new AbortController()
    const timer = setTimeout(
      () => limit.abort(new DOMException('No response in time', 'TimeoutError')),
      headersTimeout,
    )
    const { signal } = limit
    // for as long as the request lives, because the body of the response follows
    followSignal(sender.signal, limit)
    try {
      const response = await raced(app.fetch(toAppRequest(origin, request, signal)), signal)
      return toIncoming(request.method, response)
    } catch (error) {
      const failure: unknown = sender.signal.aborted
        ? (sender.signal.reason ?? clientWentAway())
        : toUpstreamError(name, limit.signal.aborted ? { code: 'ETIMEDOUT', cause: error } : error)
      noteOutcome(failure, !isUnconnected(error))
      throw failure
    } finally {
      clearTimeout(timer)
    }
  }
  return {
    send: (request, sender, receiver) =>
      fetchHead(request, sender).then(
        (response) => receiver.take(response),
        (error: unknown) => {
          throw receiver.fail(error)
        },
      ),
    upgrade: undefined,
    close: () => Promise.resolve(),
  }
}

/** An application may ignore the signal of its request. */
function raced(
  response: Response | Promise<Response> | PromiseLike<Response>,
  signal: AbortSignal,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(toAbortReason(signal.reason))
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave)
    Promise.resolve(response)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', leave))
  })
}

function toAppRequest(
  origin: string,
  { method, path, headers, body }: OutgoingRequest,
  signal: AbortSignal,
): Request {
  const list = new Headers()
  for (let at = 0; at + 1 < headers.length; at += 2) list.append(headers[at] ?? '', headers[at + 1] ?? '')
  const init = { method, headers: list, signal, redirect: 'manual' as const }
  if (body === null || method === 'GET' || method === 'HEAD') return new Request(origin + path, init)
  if (body instanceof Uint8Array) return new Request(origin + path, { ...init, body: new Uint8Array(body) })
  return new Request(origin + path, { ...init, body: toBodyStream(body), duplex: 'half' })
}

export function toBodyStream(body: BodyStream): ReadableStream<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done === true) controller.close()
      else controller.enqueue(typeof value === 'string' ? Buffer.from(value) : value)
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}

export function toIncoming(
  method: string,
  { status, headers: given, body, url }: Response,
): IncomingResponse {
  const headers: Record<string, string | string[]> = {}
  given.forEach((value, key) => {
    if (key !== 'set-cookie') headers[key] = value
  })
  const cookies = given.getSetCookie()
  if (cookies.length > 0) headers['set-cookie'] = cookies
  if (isDecoded(url, headers['content-encoding'])) for (const name of OF_BYTES) delete headers[name]
  return { status, headers, body: method === 'HEAD' ? null : body }
}

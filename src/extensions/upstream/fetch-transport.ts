import { followSignal } from '../../base/signals.ts'
import { clientWentAway, type BodyStream } from '../../http/http.ts'
import { isDecoded, OF_BYTES } from '../../server/pipeline/framing.ts'
import { noteOutcome } from '../../http/outcome.ts'
import { toHeaderMap } from './app/response.ts'
import { isUnconnected, toUpstreamError } from './failures.ts'
import type { IncomingResponse, OutgoingRequest, Sender, UpstreamTransport } from './options.ts'

/** Creates the transport by `fetch` of the platform, which decodes bodies. Time limits are for the head alone. */
export function createFetchTransport(
  name: string,
  origin: string,
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
      const response = await fetch(origin + request.path, toInit(request, signal))
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

function toInit({ method, headers, body }: OutgoingRequest, signal: AbortSignal): RequestInit {
  const init = { method, headers: toHeaders(headers), signal, redirect: 'manual' as const }
  if (body === null || method === 'GET' || method === 'HEAD') return init
  // the types of bytes differ between versions of TypeScript
  return body instanceof Uint8Array
    ? { ...init, body: new Uint8Array(body) }
    : { ...init, body: toBodyStream(body), duplex: 'half' }
}

/** Names and values in turn as headers. */
export function toHeaders(lines: readonly string[]): Headers {
  const list = new Headers()
  for (let at = 0; at + 1 < lines.length; at += 2) list.append(lines[at] ?? '', lines[at + 1] ?? '')
  return list
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

function toIncoming(method: string, { status, headers: given, body, url }: Response): IncomingResponse {
  const headers = toHeaderMap(given)
  if (isDecoded(url, headers['content-encoding'])) for (const name of OF_BYTES) delete headers[name]
  return { status, headers, body: method === 'HEAD' ? null : body }
}

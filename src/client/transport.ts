import { isString } from '../base/values.ts'
import { wait } from './deadline.ts'
import { visibleRoutesOf, type AnyClientOptions, type OutgoingRequest } from './client-options.ts'
import { createRetry } from './retry.ts'

/** Sends a request, several times if need be. */
export type SendWithRetries = (
  request: Omit<OutgoingRequest, 'attempt'>,
  hasKey?: boolean,
) => Promise<Response>

/** Creates the transport of a client: the tries that the option `retry` allows, with the hooks before and after each. */
export function createTransport(options: AnyClientOptions): SendWithRetries {
  const { onRequest, onResponse } = options
  const send = createSendOnce(options)
  const retry = createRetry(options.retry)
  return async (request, hasKey) => {
    const { signal } = request
    const limit = retry.limitFor(request, hasKey)
    for (let attempt = 1; ; attempt++) {
      const own = { ...request, attempt, url: new URL(request.url), headers: new Headers(request.headers) }
      await onRequest?.(own)
      signal?.throwIfAborted()
      const isLast = attempt > limit
      const response = await send(own).catch((error: unknown) => {
        // `fetch` rejects with a TypeError if the network fails
        if (isLast || signal?.aborted === true || !(error instanceof TypeError)) throw error
        return undefined
      })
      if (response !== undefined) await askHook(onResponse, response, own)
      const delay = isLast ? undefined : retry.delayAfter(attempt, response, hasKey)
      if (response !== undefined && delay === undefined) return response
      discard(response)
      await wait(delay ?? 0, signal)
    }
  }
}

async function askHook(
  onResponse: AnyClientOptions['onResponse'],
  response: Response,
  request: OutgoingRequest,
): Promise<void> {
  try {
    await onResponse?.(response, request)
  } catch (error) {
    discard(response)
    throw error
  }
}

/** Cancels the body, so that its connection is free for others. */
export function discard(response: Response | undefined): void {
  void response?.body?.cancel().catch(() => undefined)
}

/** Sends a request once. */
type SendOnce = (request: OutgoingRequest) => Promise<Response>

/** Called as `fetch` is, or with a `Request` alone. */
type FetchFunction = (input: string | Request, init?: object) => Promise<Response>

/** The client address of calls within the process, which `inject` has too. */
const OWN_ADDRESS = { remoteAddress: '127.0.0.1' }

/** Sends by the given `fetch`, or by that of the platform with a dispatcher where one is asked for. */
function createSendOnce(options: AnyClientOptions): SendOnce {
  const { fetch: given, credentials, dispatcher } = options
  // users pass functions with the parameters of `fetch`
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const own = given as FetchFunction | undefined
  const isNodeProcess = typeof process === 'object' && isString(process.versions?.node)
  if (dispatcher !== undefined && !isNodeProcess)
    throw new TypeError('createClient: dispatchers are for Node; leave the option out in browsers')
  const common = {
    ...(credentials === undefined ? {} : { credentials }),
    ...(dispatcher === undefined ? {} : { dispatcher }),
  }
  if (own === undefined) return async (request) => fetch(request.url.href, toInit(request, common))
  if (visibleRoutesOf(options) === undefined)
    return async (request) => own(request.url.href, toInit(request, common))
  return async (request) => own(new Request(request.url, toInit(request, common)), OWN_ADDRESS)
}

/** The types of the platform name neither its dispatchers nor all bodies that it sends. */
function toInit({ method, headers, body, signal }: OutgoingRequest, common: object): RequestInit {
  return {
    ...common,
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
    ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
  }
}

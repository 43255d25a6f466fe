import { randomUUID } from 'node:crypto'

import { httpError, HttpError, toProblem } from '../errors.ts'
import { isPromise, METHOD_INDEX } from '../http.ts'
import type { Awaitable, FinishedResponse, RawRequest } from '../http.ts'
import type { Enabled } from '../versioning/enable.ts'
import { RequestContext } from './context.ts'
import type { Lent } from './context.ts'
import type { Locate, Located } from './locate.ts'
import { createMiss } from './miss.ts'
import { addVary, headerProblem } from './response-head.ts'
import { finish } from './respond.ts'
import type { Table } from './table.ts'
import { readTarget, restoreSlashes } from './target.ts'
import type { Target } from './target.ts'

/** A response and how it came about. */
export interface Exchange {
  readonly context: RequestContext
  readonly response: Awaitable<FinishedResponse>
}

/** Answers requests: target → lookup → endpoint → response, errors included. Never throws and never rejects. */
export type Dispatch = (raw: RawRequest) => Exchange

const UNKNOWN_METHOD = -1
/** Bytes of all request headers together; a socket refuses more by itself. */
export const MAX_HEADER_BYTES = 16_384

/** Makes the dispatcher of a built application. */
export function createDispatch(
  table: Table,
  locate: Locate,
  lent: Lent,
  { enabled, redirects }: { readonly enabled: Enabled | undefined; readonly redirects: boolean },
): Dispatch {
  const miss = createMiss(table, enabled)
  const vary = enabled?.vary ?? []

  return (raw) => {
    const context = new RequestContext(raw, lent)
    return { context, response: answer(context, raw) }
  }

  function answer(context: RequestContext, raw: RawRequest): Awaitable<FinishedResponse> {
    try {
      if (raw.target === '*' && raw.method === 'OPTIONS') return finish(204, {}, undefined)
      const target = readTarget(raw.target)
      context.settle(target.url)
      const method = METHOD_INDEX.get(raw.method) ?? UNKNOWN_METHOD
      const located = locate(context, target.path, method)
      const response = isPromise(located)
        ? located.then((settled) => run(context, target, settled, method))
        : run(context, target, located, method)
      if (!isPromise(response)) return complete(context, raw, response)
      return response.then(
        (settled) => complete(context, raw, settled),
        (error: unknown) => fail(context, raw, error),
      )
    } catch (error) {
      return fail(context, raw, error)
    }
  }

  function run(
    context: RequestContext,
    target: Target,
    located: Located,
    method: number,
  ): Awaitable<FinishedResponse> {
    const { match, resolution } = located
    context.version = resolution.version
    context.versionInPath = match.version !== null
    const { leaf } = match
    const endpoint = leaf?.methods[method]
    if (leaf === null || endpoint === undefined) {
      const found = miss(located, method)
      context.varies = found.vary
      if ('error' in found) throw found.error
      return finish(204, { allow: found.allow }, undefined)
    }
    context.varies = leaf.shape.vary
    context.route = endpoint.info
    const slash = match.fullEnd > match.end
    if (redirects && endpoint.trailingSlash !== null && endpoint.trailingSlash !== slash) {
      return finish(308, { location: otherSpelling(target.url, slash) }, undefined)
    }
    return endpoint.run(context, target.escaped ? match.values.map(restoreSlashes) : match.values)
  }

  /** Last touches that every response gets, also errors. */
  function complete(context: RequestContext, raw: RawRequest, response: FinishedResponse): FinishedResponse {
    if (context.varies) addVary(response.headers, vary)
    const problem = headerProblem(response.headers)
    if (problem !== undefined)
      return fail(context, raw, new TypeError(`The response cannot be sent: ${problem}`))
    if (raw.method === 'HEAD') return withoutBody(response)
    return response
  }

  function fail(context: RequestContext, raw: RawRequest, error: unknown): FinishedResponse {
    const known = error instanceof HttpError ? problemOf(error) : undefined
    const response = known ?? unknownError(context, raw, error)
    if (context.varies) addVary(response.headers, vary)
    return raw.method === 'HEAD' ? withoutBody(response) : response
  }
}

/** The problem document of an error; `undefined` when it cannot be written, for then it is a mistake of its thrower. */
function problemOf(error: HttpError): FinishedResponse | undefined {
  try {
    const response = toProblem(error)
    return headerProblem(response.headers) === undefined ? response : undefined
  } catch {
    return undefined
  }
}

/** A 500 that says nothing of its cause; the log has it all under the same id. */
function unknownError(context: RequestContext, raw: RawRequest, error: unknown): FinishedResponse {
  const requestId = randomUUID()
  const route = context.route?.name
  context.log.error(
    { err: error, requestId, method: raw.method, route, version: context.version },
    'A request failed',
  )
  return toProblem(
    httpError('internal_error', 'The request could not be answered; the log has the reason', { requestId }),
  )
}

/** The same response with its head alone (RFC 9110 section 9.3.2); a stream is told that nobody reads it. */
function withoutBody(response: FinishedResponse): FinishedResponse {
  const { body } = response
  if (body !== null && typeof body === 'object' && !(body instanceof Uint8Array)) cancel(body)
  return { ...response, body: null }
}

function cancel(body: object): void {
  if ('cancel' in body && typeof body.cancel === 'function')
    void Promise.resolve(body.cancel()).catch(() => undefined)
  else if ('destroy' in body && typeof body.destroy === 'function') body.destroy()
  else if ('return' in body && typeof body.return === 'function')
    void Promise.resolve(body.return()).catch(() => undefined)
}

/** The URL with its trailing slash added or removed; never one that a client could read as another host. */
function otherSpelling(url: string, slash: boolean): string {
  const mark = url.indexOf('?')
  const path = mark === -1 ? url : url.slice(0, mark)
  const query = mark === -1 ? '' : url.slice(mark)
  const other = slash ? path.slice(0, -1) : `${path}/`
  return encodeForHeader(other.replace(/^\/+/, '/').replaceAll('\\', '%5C') + query)
}

/** Escapes what a header cannot carry. */
function encodeForHeader(text: string): string {
  return text.replaceAll(
    /[^\u0021-\u007e]/g,
    (char) => `%${Buffer.from(char, 'latin1').toString('hex').toUpperCase()}`,
  )
}

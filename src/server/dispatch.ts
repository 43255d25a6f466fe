import { isPromise, METHOD_INDEX } from '../http.ts'
import type { Awaitable, FinishedResponse, RawRequest } from '../http.ts'
import { restoreSlashes } from '../param-types.ts'
import { RequestContext } from './context.ts'
import type { Lent } from './context.ts'
import { cancelStream, toFailure } from './failure.ts'
import type { Miss } from './miss.ts'
import type { Locate, Located } from './resolution.ts'
import { addVary, headerProblem } from './response-head.ts'
import { finish } from './respond.ts'
import { otherSpelling, readTarget } from './target.ts'
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

/** What the steps of a request share; made once for an application. */
interface Site {
  readonly locate: Locate
  readonly miss: Miss
  /** The headers that choose versions. */
  readonly vary: readonly string[]
  /** Whether the other spelling of a trailing slash is redirected. */
  readonly redirects: boolean
}

/** Makes the dispatcher of a built application. */
export function createDispatch(site: Site, lent: Lent): Dispatch {
  return (raw) => {
    const context = new RequestContext(raw, lent)
    return { context, response: answer(site, context, raw) }
  }
}

function answer(site: Site, context: RequestContext, raw: RawRequest): Awaitable<FinishedResponse> {
  try {
    // OPTIONS * asks about the server, not about a path (RFC 9110 section 9.3.7)
    if (raw.target === '*' && raw.method === 'OPTIONS') return finish(204, {}, undefined)
    const target = readTarget(raw.target)
    context.settle(target.url)
    const method = METHOD_INDEX.get(raw.method) ?? UNKNOWN_METHOD
    const located = site.locate(context, target.path, method)
    const response = isPromise(located)
      ? located.then((settled) => run(site, context, target, settled, method))
      : run(site, context, target, located, method)
    if (!isPromise(response)) return complete(site, context, raw, response)
    return response.then(
      (settled) => complete(site, context, raw, settled),
      (error: unknown) => fail(site, context, raw, error),
    )
  } catch (error) {
    return fail(site, context, raw, error)
  }
}

function run(
  { miss, redirects }: Site,
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

/** Last touches that every response gets. */
function complete(
  site: Site,
  context: RequestContext,
  raw: RawRequest,
  response: FinishedResponse,
): FinishedResponse {
  if (context.varies) addVary(response.headers, site.vary)
  const problem = headerProblem(response.headers)
  if (problem !== undefined) {
    return fail(site, context, raw, new TypeError(`The response cannot be sent: ${problem}`))
  }
  return raw.method === 'HEAD' ? withoutBody(response) : response
}

function fail(site: Site, context: RequestContext, raw: RawRequest, error: unknown): FinishedResponse {
  const response = toFailure(context, raw.method, error)
  if (context.varies) addVary(response.headers, site.vary)
  return raw.method === 'HEAD' ? withoutBody(response) : response
}

/** The same response with its head alone (RFC 9110 section 9.3.2); a stream is told that nobody reads it. */
function withoutBody(response: FinishedResponse): FinishedResponse {
  const { body } = response
  if (body !== null && typeof body === 'object' && !(body instanceof Uint8Array)) cancelStream(body)
  return { ...response, body: null }
}

import { isPromise, type Awaitable } from '../base/values.ts'
import {
  isPreflight,
  METHOD_INDEX,
  METHODS,
  dropBody,
  type FinishedResponse,
  type HttpRequest,
  type Method,
  type RawRequest,
} from '../http/http.ts'
import type { Observer } from '../define/observer.ts'
import { restoreSlashes } from '../router/path/param-types.ts'
import type { OpenSession } from './session/sessions.ts'
import { RequestContext, type AppServices } from './pipeline/context.ts'
import { completeCors, keepCors, addVary, headerProblem, finish } from './pipeline/response-head.ts'
import { toFailure } from './pipeline/failure.ts'
import { framed } from './pipeline/framing.ts'
import { recovered, createMiddleware, type Recover } from './pipeline/middleware.ts'
import type { Endpoint } from './pipeline/endpoint.ts'
import {
  notFoundAnswer,
  withOwnPath,
  type MissAnswer,
  type PathLeaves,
  type Miss,
  type Locate,
  type RouteMatch,
} from './routing/lookup/resolution.ts'
import { otherSpelling, readTarget, type Target, type TargetRules } from './routing/lookup/target.ts'
import type { VersionReporter } from './routing/report/reporter.ts'

/** The response to a request, with the context that ends when the response does. */
interface DispatchResult {
  readonly context: RequestContext
  readonly response: Awaitable<FinishedResponse>
}

/** An application that has started. */
export interface RunningApp {
  readonly dispatch: Dispatch
}

/** Answers requests: target → lookup → endpoint → response, errors included. Never throws and never rejects. */
export type Dispatch = (raw: RawRequest) => DispatchResult

const UNKNOWN_METHOD = -1
const OPTIONS = METHOD_INDEX.get('OPTIONS') ?? UNKNOWN_METHOD

/** The parts that the steps of a request share; made once for an application. */
export interface DispatchParts {
  readonly services: AppServices
  /** Creates the context of a request. `undefined` if clients have no names. */
  readonly open: ((raw: RawRequest) => RequestContext) | undefined
  readonly locate: Locate
  readonly miss: Miss
  /** `undefined` when there is never anything to tell of versions. */
  readonly reporter: VersionReporter | undefined
  /** The headers that tell of versions, and those that carry them. */
  readonly cors: { readonly reporting: readonly string[]; readonly carrying: readonly string[] }
  /** Whether the other spelling of a trailing slash is redirected. */
  readonly redirects: boolean
  readonly settings: TargetRules
  /** Returns the answer of the application to errors that no route has answered. */
  readonly recover: Recover
  readonly middleware: ReturnType<typeof createMiddleware>
}

/**
 * Creates the dispatcher of an application that starts. `observerNow` returns what observes a request that arrives now; `health` answers
 * probes, which nothing observes.
 */
export function createDispatch(
  parts: DispatchParts,
  observerNow: () => Observer | undefined,
  health: ((raw: RawRequest) => Awaitable<FinishedResponse> | undefined) | undefined,
): Dispatch {
  const { services, open } = parts
  return (raw) => {
    const probed = health === undefined ? undefined : health(raw)
    const context = open === undefined || probed !== undefined ? new RequestContext(raw, services) : open(raw)
    const observer = observerNow()
    const response =
      probed ??
      (observer === undefined ? answer(parts, context, raw) : observe(parts, context, raw, observer))
    if (isPromise(response)) trackUntilSettled(services, context, response)
    return { context, response }
  }
}

/** Counts a request as under way until it has a response. */
function trackUntilSettled(
  { trackWork }: AppServices,
  context: RequestContext,
  response: PromiseLike<FinishedResponse>,
): void {
  const end = trackWork(context)
  void response.then(end, end)
}

function observe(
  parts: DispatchParts,
  context: RequestContext,
  raw: RawRequest,
  observer: Observer,
): Awaitable<FinishedResponse> {
  context.observer = observer
  return observer.run === undefined
    ? observeAnswer(parts, context, raw, observer)
    : observeInside(observer.run, parts, context, raw, observer)
}

function observeInside(
  around: NonNullable<Observer['run']>,
  parts: DispatchParts,
  context: RequestContext,
  raw: RawRequest,
  observer: Observer,
): Awaitable<FinishedResponse> {
  return around(context, () => observeAnswer(parts, context, raw, observer), raw)
}

function observeAnswer(
  parts: DispatchParts,
  context: RequestContext,
  raw: RawRequest,
  observer: Observer,
): Awaitable<FinishedResponse> {
  const started = performance.now()
  observer.start?.(context)
  const response = answer(parts, context, raw)
  return isPromise(response)
    ? observeEndLater(observer, context, raw, response, started)
    : observeEnd(observer, context, raw, response, started)
}

function observeEndLater(
  observer: Observer,
  context: RequestContext,
  raw: RawRequest,
  response: PromiseLike<FinishedResponse>,
  started: number,
): PromiseLike<FinishedResponse> {
  return response.then((settled) => observeEnd(observer, context, raw, settled, started))
}

function observeEnd(
  observer: Observer,
  context: RequestContext,
  raw: RawRequest,
  response: FinishedResponse,
  started: number,
): FinishedResponse {
  // another response is sent if the request is passed on
  if (raw.isPassed !== true) observer.end?.(context, response, performance.now() - started)
  return response
}

/** Each step that may take time goes on in a function of its own, so that a request that takes none makes no closure. */
function answer(parts: DispatchParts, context: RequestContext, raw: RawRequest): Awaitable<FinishedResponse> {
  try {
    const response =
      parts.middleware === undefined
        ? route(parts, context, raw)
        : runMiddleware(parts, parts.middleware, context, raw)
    return isPromise(response)
      ? finalizeLater(parts, context, raw, response)
      : finalize(parts, context, raw, response)
  } catch (error) {
    return fail(parts, context, raw, error)
  }
}

function runMiddleware(
  parts: DispatchParts,
  around: NonNullable<DispatchParts['middleware']>,
  context: RequestContext,
  raw: RawRequest,
): Awaitable<FinishedResponse> {
  return around(context, () => recovered(parts.recover, context, () => route(parts, context, raw)))
}

function finalizeLater(
  parts: DispatchParts,
  context: RequestContext,
  raw: RawRequest,
  response: PromiseLike<FinishedResponse>,
): PromiseLike<FinishedResponse> {
  return response.then(
    (settled) => finalize(parts, context, raw, settled),
    (error) => fail(parts, context, raw, error),
  )
}

function fail(
  parts: DispatchParts,
  context: RequestContext,
  raw: RawRequest,
  thrown: unknown,
): Awaitable<FinishedResponse> {
  const response = parts.recover(context, thrown)
  return isPromise(response)
    ? response.then((settled) => finalize(parts, context, raw, settled))
    : finalize(parts, context, raw, response)
}

function route(parts: DispatchParts, context: RequestContext, raw: RawRequest): Awaitable<FinishedResponse> {
  // OPTIONS * asks about the server, not about a path (RFC 9110 section 9.3.7)
  if (raw.method === 'OPTIONS' && raw.target === '*') return finish(204, {}, undefined)
  const target = readTarget(raw, parts.settings)
  const method = METHOD_INDEX.get(raw.method) ?? UNKNOWN_METHOD
  const located = parts.locate(context, target, method)
  return isPromise(located)
    ? runLater(parts, context, target, located, method)
    : run(parts, context, target, located, method)
}

function runLater(
  parts: DispatchParts,
  context: RequestContext,
  target: Target,
  located: PromiseLike<RouteMatch>,
  method: number,
): PromiseLike<FinishedResponse> {
  return located.then((settled) => run(parts, context, target, settled, method))
}

function run(
  { miss, redirects, reporter, recover }: DispatchParts,
  context: RequestContext,
  target: Target,
  located: RouteMatch,
  method: number,
): Awaitable<FinishedResponse> {
  const { match, resolution } = located
  context.version = resolution.version
  context.versionInPath = match.version !== null
  const { leaf } = match
  const endpoint = leaf?.methods[method]
  if (leaf === null || endpoint === undefined) {
    const found = toMissAnswer(miss, context, located, method)
    if (found.varies) context.vary = resolution.vary
    reporter?.onMiss(context, found)
    if ('error' in found) {
      if (found.error.code === 'route_not_found') context.pass()
      return recover(context, found.error)
    }
    return answerOptions(context, found.headers, found.leaves, recover)
  }
  if (leaf.shape.varies) context.vary = resolution.vary
  context.route = endpoint.info
  context.module = endpoint.module
  const slash = match.fullEnd > match.end
  if (redirects && endpoint.trailingSlash !== null && endpoint.trailingSlash !== slash)
    return finish(308, { location: context.base + otherSpelling(context.request.url, slash) }, undefined)
  reporter?.onMatch(context, located, endpoint)
  return endpoint.run(context, target.escaped ? match.values.map(restoreSlashes) : match.values)
}

function toMissAnswer(miss: Miss, context: RequestContext, located: RouteMatch, method: number): MissAnswer {
  const found = miss(withOwnPath(located), method, method === OPTIONS && isPreflight(context.request))
  return context.raw.host === undefined ? found : inHost(found)
}

/** An application around this one answers methods that no version has, and preflights without middleware here. */
function inHost(found: MissAnswer): MissAnswer {
  if (!found.isUndescribed) return found
  const leaves = 'leaves' in found ? found.leaves : []
  const hasOwn = leaves.some(({ methods }) => methods.some((each) => each?.preflight !== undefined))
  return hasOwn ? found : notFoundAnswer()
}

/** Answers a preflight as the middleware of the route does that it asks for, and otherwise says what the path answers. */
function answerOptions(
  context: RequestContext,
  headers: Record<string, string>,
  leaves: PathLeaves,
  recover: Recover,
): Awaitable<FinishedResponse> {
  const plain = (): FinishedResponse => finish(204, headers, undefined)
  if (!isPreflight(context.request)) return plain()
  const endpointsAt = (index: number): readonly Endpoint[] =>
    leaves.flatMap(({ methods }) => methods[index] ?? [])
  const asked = endpointsAt(
    METHOD_INDEX.get(context.request.header('access-control-request-method') ?? '') ?? UNKNOWN_METHOD,
  )
  // a method that nothing answers gets an error, which scripts may read if they may read any response of the path
  const [endpoint] = asked.length > 0 ? asked : METHODS.flatMap((_, index) => endpointsAt(index))
  const respond = endpoint?.preflight
  if (respond === undefined) return plain()
  // browsers remember the methods, so others of the path are left out
  const methods = METHODS.filter((_, index) => endpointsAt(index).some((each) => each.preflight === respond))
  const wrap = createMiddleware([(given) => respond(given, methods)], recover)
  return wrap === undefined ? plain() : wrap(context, plain)
}

/** Stores the session of a request, and completes the head of its response. */
function finalize(
  parts: DispatchParts,
  context: RequestContext,
  raw: RawRequest,
  response: FinishedResponse,
): Awaitable<FinishedResponse> {
  const session = context.openSession
  return session === undefined
    ? finalizeHead(parts, context, raw, response)
    : store(session, parts, context, raw, response)
}

function store(
  session: Promise<OpenSession>,
  parts: DispatchParts,
  context: RequestContext,
  raw: RawRequest,
  response: FinishedResponse,
): Promise<FinishedResponse> {
  return storeSession(session, response).then(
    (stored) => finalizeHead(parts, context, raw, stored),
    async (error) => {
      // what was answered before is not true: the session was not stored
      dropBody(response.body)
      return finalizeHead(
        parts,
        context,
        raw,
        keepCors(response.headers, await parts.recover(context, error)),
      )
    },
  )
}

/** Stores a session that was opened, and adds its cookie. One that could not be opened has failed the request before. */
async function storeSession(
  session: Promise<OpenSession>,
  response: FinishedResponse,
): Promise<FinishedResponse> {
  const open = await session.catch(() => undefined)
  const cookies = (await open?.commit()) ?? []
  if (cookies.length > 0) {
    response.headers['set-cookie'] = [...[response.headers['set-cookie'] ?? []].flat(), ...cookies]
  }
  return response
}

function finalizeHead(
  parts: DispatchParts,
  context: RequestContext,
  raw: RawRequest,
  response: FinishedResponse,
): FinishedResponse {
  try {
    const { headers } = response
    if (context.vary.length > 0) addVary(headers, context.vary)
    context.writeHeaders?.(response)
    if (headers['access-control-allow-origin'] !== undefined) addCors(parts, context.request, headers)
    if (response.status < 200 && raw.handOver === undefined)
      throw new RangeError('Return upgrade() to answer with 101')
    const problem = headerProblem(headers)
    if (problem === undefined) return framed(response, raw.method)
    throw new TypeError(`The response cannot be sent: ${problem}`)
  } catch (error) {
    return failSending(parts, context, raw, response, error)
  }
}

function addCors({ cors }: DispatchParts, request: HttpRequest, headers: FinishedResponse['headers']): void {
  const asked = isPreflight(request) ? (request.header('access-control-request-headers') ?? '') : undefined
  completeCors(headers, cors, asked)
}

function failSending(
  parts: DispatchParts,
  context: RequestContext,
  raw: RawRequest,
  response: FinishedResponse,
  error: unknown,
): FinishedResponse {
  dropBody(response.body)
  context.observe(error)
  // its own headers are valid; headers about versions may not be
  context.writeHeaders = undefined
  return finalizeHead(parts, context, raw, keepCors(response.headers, toFailure(context, error)))
}

/** Creates the function that tells which methods the path of a request answers. */
export function createAllowedMethods(
  locate: Locate,
  miss: Miss,
  settings: TargetRules,
): AppServices['allowedMethods'] {
  return (context, raw) => {
    const located = locate(context, readTarget(raw, settings), OPTIONS)
    const tell = (settled: RouteMatch): readonly Method[] =>
      miss.allowed(withOwnPath(settled), isPreflight(context.request))
    return isPromise(located) ? located.then(tell) : tell(located)
  }
}

import { preflightOf, type AnswerPreflight } from '../../define/layers.ts'
import type { Container } from '../container/container.ts'
import type { ForwardTarget, RouteInfo } from '../../define/context.ts'
import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import { hasOuterLayers, type ModuleNode } from '../../routes/modules.ts'
import { isPromise, type Awaitable } from '../../base/values.ts'
import { announce, type Announcement } from '../request/announce.ts'
import type { FinishedResponse } from '../../http/http.ts'
import type { RequestContext } from './context.ts'
import { createRecover, recovered, createTimedMiddleware, isFinished, type Recover } from './middleware.ts'
import { withGuards, type Run } from './guards.ts'
import { gatherPages } from './gather-pages.ts'
import { withInterceptors, type Invoke } from './interceptors.ts'
import { withSources, type RunHandler, type ToInput } from './validation/sources.ts'
import { createResponder, type Respond } from './respond.ts'
import { dropResult } from './result-data.ts'
import type { Settings } from '../options/settings.ts'
import { refuseDots } from '../request/dot-segments.ts'
import type { RequestSettings } from '../request/request.ts'
import {
  convertErrors,
  convertHead,
  convertInput,
  createConversion,
  withOlderSchemas,
  type Conversion,
} from './conversion.ts'
import { createLimit, type Limit } from './failure.ts'
import { withDeclaredCodes } from './declared-codes.ts'
import type { ReadingSettings } from '../request/read-sources.ts'
import { HttpError, addedError } from '../../http/errors.ts'
import { bodyTypes } from '../../schema/body-types.ts'
import { wantZod } from '../../schema/schema.ts'

/** A route of one method, ready to run. */
export interface Endpoint {
  readonly info: RouteInfo
  readonly module: ModuleNode
  /** The names of the path parameters, in order. */
  readonly params: readonly string[]
  /** Whether the endpoint forwards to an API behind, for requests that no route answers in any version. */
  readonly isRest: boolean
  /** Whether the pattern ends with a slash, or `null` if it is for the parameter to take. */
  readonly trailingSlash: boolean | null
  /** The header that announces the media types of the body. Made for misses alone, because zod has to be loaded. */
  readonly announce: () => Announcement
  /** Answers a preflight for a request to the route, or `undefined` if none of its middleware does. */
  readonly preflight: AnswerPreflight | undefined
  /** Answers a request; `values` are the texts of the path parameters, decoded. */
  readonly run: Run
}

/** The parts that the routes of an application share. */
interface EndpointParts {
  readonly settings: RequestSettings & Pick<Settings, 'errorFormat' | 'timeouts' | 'validateResponses'>
  readonly container: Container
  /** The query parameters that carry versions. */
  readonly hidden: readonly string[]
  /** Returns the end of a route's entity tags, or `undefined` for nothing. */
  readonly suffixOf: (route: ResolvedRoute) => string | undefined
  /** Returns the answer of the application to errors that no route has answered. */
  readonly recover: Recover
}

/** Creates the endpoints of a route, by method: everything that stands around its handler is closed over. */
export function createEndpoints(route: ResolvedRoute, parts: EndpointParts): ReadonlyMap<string, Endpoint> {
  const { pattern, name, controller, meta, newest = route } = route
  const own = newest === route ? createRun(route, parts) : createLater(route, newest, parts)
  const run = route.mount === undefined && route.forward === undefined ? own : withoutDots(own)
  const trailingSlash =
    pattern.segments.length === 0 || pattern.segments.at(-1)?.kind === 'rest' ? null : pattern.trailingSlash
  return new Map(
    route.methods.map((method) => [
      method,
      {
        info: Object.freeze({
          name,
          method,
          path: newest.pattern.text,
          controller,
          meta,
        }),
        module: route.module,
        params: pattern.params.map((param) => param.name),
        isRest: route.mount?.isRest === true,
        trailingSlash,
        announce: createAnnounce(route, method),
        preflight: preflightOf(route.layers.middleware),
        run,
      },
    ]),
  )
}

/** Refuses paths that code of others, which reads them anew, may take for those of other routes. */
function withoutDots(run: Run): Run {
  return (context, values) => {
    refuseDots(context.request.path)
    return run(context, values)
  }
}

/** Compiles the code of an older version with its first request, because there may be hundreds of versions without requests. */
function createLater(route: ResolvedRoute, newest: ResolvedRoute, parts: EndpointParts): Run {
  // the older one has as many schemas, and to read them would make them
  if (newest.sources.length > 0 || newest.responses.size > 0 || newest.stream !== undefined) wantZod()
  let run: Run | undefined
  return (context, values) => (run ??= createRun(route, parts))(context, values)
}

function createRun(given: ResolvedRoute, parts: EndpointParts): Run {
  const route = toForwarded(given, parts.settings)
  const reading = { hidden: parts.hidden, limits: parts.settings.limits }
  const time = route.timeout ?? parts.settings.timeouts.handler
  const limit = createLimit(time)
  const checking = route.validateResponses ?? parts.settings.validateResponses
  const conversion = createConversion(given, checking, limit)
  const declared = conversion === undefined ? given : withOlderSchemas(conversion)
  const site = { conversion, declared, checking, limit }
  const answer = withDeclaredCodes(given, checking, createAnswer(route, parts, site))
  const answered = withInput(
    route,
    reading,
    conversion === undefined ? answer : convertInput(conversion, answer),
  )
  const guarded = withGuards(route.layers.guards, parts.container, limit, answered)
  const wrapped = withOuterLayers(route, parts, { ...site, time }, guarded)
  const limited = withOwnLimits(route, parts.settings, wrapped)
  return convertHead(conversion?.layer, parts.suffixOf(given), parts.recover, limited)
}

/** The parts that the steps of one route share. */
interface RouteSite {
  readonly conversion: Conversion | undefined
  /** The declaration of the results, in the version of the request. */
  readonly declared: ResolvedRoute
  readonly checking: true | 'strict' | false
  readonly limit: Limit
}

/** Puts middleware and error handlers around the rest. */
function withOuterLayers(
  { layers }: ResolvedRoute,
  { settings }: EndpointParts,
  { conversion, declared, checking, time }: RouteSite & { readonly time: number },
  run: Run,
): Run {
  if (!hasOuterLayers(layers)) return run
  const recover = createRecover(layers.errorHandlers, {
    ...declared,
    isChecked: checking !== false,
    format: settings.errorFormat,
    conversion,
  })
  const safe: Run = (context, values) => recovered(recover, context, () => run(context, values))
  const answers = conversion === undefined ? safe : convertErrors(conversion, safe)
  const wrap = createTimedMiddleware(time, layers.middleware, recover)
  return wrap === undefined ? answers : (context, values) => wrap(context, () => answers(context, values))
}

const NOTHING_ANNOUNCED: Announcement = {}

function createAnnounce(route: ResolvedRoute, method: string): () => Announcement {
  const { newest = route } = route
  if (newest.sources.length === 0) return () => NOTHING_ANNOUNCED
  let made: Announcement | undefined
  return () => (made ??= announce(method, bodyTypes(route.sources, method)))
}

/** Has requests read by the limits of a route that has some of its own. */
function withOwnLimits({ bodyLimit, uploads }: ResolvedRoute, settings: RequestSettings, run: Run): Run {
  if (bodyLimit === undefined && uploads === undefined) return run
  const own = {
    ...settings,
    bodyLimit: bodyLimit ?? settings.bodyLimit,
    uploads: { ...settings.uploads, ...uploads },
  }
  return (context, values) => {
    context.readBy(own)
    return run(context, values)
  }
}

const NOTHING_INJECTED = Object.freeze({})

/** Creates the steps after validation: values are injected, the handler is called, its result is sent. */
function createAnswer(
  route: ResolvedRoute,
  { container }: EndpointParts,
  { conversion, declared, checking, limit }: RouteSite,
): RunHandler {
  const injection = container.prepare(route.inject, route.module)
  const handle: Invoke = (input, context) =>
    // the schemas have just proven what the handler's type says
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    route.handler(input as never, context as never)
  const invoke = withInterceptors(route.layers.interceptors, container, gatherPages(conversion, handle))
  const responder = createResponder(declared, checking, conversion)
  const respond = route.forward === undefined ? responder : passing(responder)
  const respondTo = (result: unknown, context: RequestContext): Awaitable<FinishedResponse> =>
    respond(result, context.takeHead(), context)
  const call: RunHandler = (context, input) => {
    const result = invoke(input, context)
    return isPromise(result) ? limit(context, result, respondTo, dropResult) : respondTo(result, context)
  }
  if (injection.isAsync) {
    return (context, input) =>
      limit(context, injection.readAsync(context), (inject) => {
        input.inject = inject
        return call(context, input)
      })
  }
  if (route.inject.size === 0) {
    return (context, input) => {
      input.inject = NOTHING_INJECTED
      return call(context, input)
    }
  }
  return (context, input) => {
    input.inject = injection.read(context)
    return call(context, input)
  }
}

/** Puts the reading and validating of input before what answers; nothing for a route without sources. */
function withInput(route: ResolvedRoute, reading: ReadingSettings, answer: RunHandler): Run {
  const toInput = createInput(route)
  if (route.sources.length === 0) return (context, values) => answer(context, toInput(values))
  return withSources(route, reading, toInput, answer)
}

/** Creates the function that starts an input: path parameters as their types read them, but for those that a schema reads. */
function createInput({ pattern, sources }: ResolvedRoute): ToInput {
  const refined = new Set(
    sources.flatMap(({ name, plan }) => (name === 'params' ? [...plan.fields.keys()] : [])),
  )
  const typed = [...pattern.params.entries()].flatMap(([index, { name, type }]) =>
    refined.has(name) ? [] : [{ index, name, type }],
  )
  if (pattern.params.length === 0) return () => ({ params: NO_PARAMS, inject: undefined })
  return (values) => {
    const params: Record<string, unknown> = Object.create(null)
    for (const { index, name, type } of typed) params[name] = type.parse(values[index] ?? '')
    return { params, inject: undefined }
  }
}

/** Of paths without parameters; one for all requests, so frozen. */
const NO_PARAMS: Record<string, unknown> = Object.freeze(Object.create(null))

/** The settings of the application that forwarding uses. */
export type ForwardSettings = Pick<Settings, 'trustProxy'>

/** Creates the handler of a route whose requests an upstream answers. */
export interface Forwarding {
  /** Returns the route with a handler, and without the sources that are not parsed. The handler returns a result or a finished response. */
  readonly toServed: (route: ResolvedRoute, settings: ForwardSettings) => ResolvedRoute
  /** Returns the route with a handler for calls that have input and no request of their own. */
  readonly toCalled: (route: ResolvedRoute) => ResolvedRoute
}

/** By a map, because definitions know nothing of servers. */
const forwardings = new WeakMap<ForwardTarget, Forwarding>()

/** Remembers how requests reach an upstream. */
export function registerForwarding(target: ForwardTarget, forwarding: Forwarding): void {
  forwardings.set(target, forwarding)
}

/** The route with the handler that forwards its requests, or as it is if it has a handler of its own. */
function toForwarded(route: ResolvedRoute, settings: ForwardSettings): ResolvedRoute {
  return findForwarding(route)?.toServed(route, settings) ?? route
}

/** The same for a route that others call. */
export function toCalledForward(route: ResolvedRoute): ResolvedRoute {
  return findForwarding(route)?.toCalled(route) ?? route
}

function findForwarding({ forward }: ResolvedRoute): Forwarding | undefined {
  return forward === undefined ? undefined : forwardings.get(forward)
}

/** Sends finished responses with the headers of `context.response`. A result that does not fit is a mistake of the upstream. */
function passing(respond: Respond): Respond {
  return (result, head, context) => {
    if (isFinished(result)) {
      head?.mergeInto(result.headers)
      return result
    }
    try {
      const response = respond(result, head, context)
      return isPromise(response) ? response.then(undefined, throwInvalid) : response
    } catch (error) {
      return throwInvalid(error)
    }
  }
}

/** A result that was refused is logged already. */
function throwInvalid(error: unknown): never {
  if (!(error instanceof HttpError) || error.code !== 'response_invalid') throw error
  throw addedError('upstream_invalid', 'The upstream has sent a response that cannot be used', {
    cause: error,
  })
}

import type { Container } from '../container/container.ts'
import type { RouteInfo } from '../define/context.ts'
import type { FlatRoute } from '../define/flat-route.ts'
import type { ModuleNode } from '../define/modules.ts'
import type { SchemaIssue, Validated } from '../define/schema.ts'
import { httpError } from '../errors.ts'
import { isPromise } from '../http.ts'
import type { Awaitable, FinishedResponse, HttpRequest } from '../http.ts'
import { createSourceReader } from '../request/read-sources.ts'
import type { ReadSource } from '../request/read-sources.ts'
import type { RequestContext } from './context.ts'
import { createRecover, recovered } from './error-handlers.ts'
import { withGuards } from './guards.ts'
import type { Run } from './guards.ts'
import { withInterceptors } from './interceptors.ts'
import { createMiddleware } from './middleware.ts'
import { createResponder } from './respond.ts'
import type { Settings } from './settings.ts'

/** A route of one method, ready to run. */
export interface Endpoint {
  readonly info: RouteInfo
  readonly module: ModuleNode
  /** The names of the path parameters, in order. */
  readonly params: readonly string[]
  /** Whether the pattern ends with a slash; `null` where it is for the parameter to take. */
  readonly trailingSlash: boolean | null
  /** Answers a request; `values` are the texts of the path parameters, decoded. */
  readonly run: Run
}

/** What the routes of an application share. */
export interface EndpointSite {
  readonly settings: Settings
  readonly container: Container
  /** The query parameters that carry versions. */
  readonly hidden: readonly string[]
}

/** Makes the endpoints of a route, by method: everything that stands around its handler is closed over. */
export function createEndpoints(route: FlatRoute, site: EndpointSite): ReadonlyMap<string, Endpoint> {
  const { guards, errorHandlers, middleware } = route.around
  const guarded = withGuards(guards, site.container, createRun(route, site))
  const recover = createRecover(errorHandlers)
  const wrap = createMiddleware(middleware, recover)
  const answers: Run =
    errorHandlers.length > 0 || wrap !== undefined
      ? (context, values) => recovered(recover, context, () => guarded(context, values))
      : guarded
  const run: Run =
    wrap === undefined ? answers : (context, values) => wrap(context, () => answers(context, values))
  const { pattern, name, controller, meta } = route
  const trailingSlash =
    pattern.segments.length === 0 || pattern.segments.at(-1)?.kind === 'rest' ? null : pattern.trailingSlash
  return new Map(
    route.methods.map((method) => [
      method,
      {
        info: Object.freeze({ name, method, path: pattern.text, controller, meta }),
        module: route.module,
        params: pattern.params.map((param) => param.name),
        trailingSlash,
        run,
      },
    ]),
  )
}

function createRun(route: FlatRoute, site: EndpointSite): Run {
  const { params: paramTypes } = route.pattern
  const readers = route.sources.map((source) => ({
    name: source.name,
    read: createSourceReader(source, site.hidden),
  }))
  const refined = new Set(
    route.sources.flatMap(({ name, plan }) => (name === 'params' ? [...plan.fields.keys()] : [])),
  )
  const answer = createAnswer(route, site)

  return (context, values) => {
    const texts: Record<string, string> = Object.create(null)
    const params: Record<string, unknown> = Object.create(null)
    for (const [index, { name, type }] of paramTypes.entries()) {
      const text = values[index] ?? ''
      texts[name] = text
      if (!refined.has(name)) params[name] = type.parse(text)
    }
    const input: Record<string, unknown> = { params, inject: undefined }
    const outcomes = readers.length === 0 ? NO_OUTCOMES : readAll(readers, context.request, texts)
    return outcomes.some(isPromise)
      ? Promise.all(outcomes.map(async (outcome) => outcome)).then((settled) =>
          call(context, input, params, settled),
        )
      : // none of them is a promise, as was just seen
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        call(context, input, params, outcomes as Validated[])
  }

  function call(
    context: RequestContext,
    input: Record<string, unknown>,
    params: Record<string, unknown>,
    outcomes: readonly Validated[],
  ): Awaitable<FinishedResponse> {
    const problems: InputProblem[] = []
    for (const [index, outcome] of outcomes.entries()) {
      const name = readers[index]?.name ?? ''
      if ('issues' in outcome) problems.push(...outcome.issues.map((issue) => toInputProblem(name, issue)))
      else if (name === 'params') Object.assign(params, outcome.value)
      else input[name] = outcome.value
    }
    if (problems.length > 0) throw validationError(problems)
    return answer(context, input)
  }
}

/** Makes what comes after validation: values are injected, the handler is called, its result is sent. */
function createAnswer(
  route: FlatRoute,
  { settings, container }: EndpointSite,
): (context: RequestContext, input: Record<string, unknown>) => Awaitable<FinishedResponse> {
  const injection = container.prepare(route.inject, route.module)
  const invoke = withInterceptors(route.around.interceptors, container, (input, context) =>
    // the schemas have just proven what the handler's type says
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    route.handler(input as never, context as never),
  )
  const respond = createResponder(route, route.validateResponses ?? settings.validateResponses)

  return (context, input) => {
    if (injection.isAsync) {
      return injection.readAsync(context).then((inject) => {
        input['inject'] = inject
        return call(context, input)
      })
    }
    input['inject'] = injection.read(context)
    return call(context, input)
  }

  function call(context: RequestContext, input: Record<string, unknown>): Awaitable<FinishedResponse> {
    const result = invoke(input, context)
    return isPromise(result)
      ? Promise.resolve(result).then((value) => respond(value, context.takeHead()))
      : respond(result, context.takeHead())
  }
}

/** Of a route without sources: nothing of the request is looked at. */
const NO_OUTCOMES: readonly Validated[] = []

function readAll(
  readers: readonly { readonly read: ReadSource }[],
  request: HttpRequest,
  texts: Readonly<Record<string, string>>,
): readonly Awaitable<Validated>[] {
  const outcomes: Awaitable<Validated>[] = []
  try {
    for (const { read } of readers) outcomes.push(read(request, texts))
  } catch (error) {
    // what is under way may fail too: nobody waits for it any more
    for (const outcome of outcomes) if (isPromise(outcome)) outcome.then(undefined, () => undefined)
    throw error
  }
  return outcomes
}

/** One entry of a 422. */
interface InputProblem {
  readonly in: string
  readonly path: readonly (string | number)[]
  readonly code: string
  readonly message: string
}

/** A hostile body can have a problem in every byte: this many are listed. */
const MAX_PROBLEMS = 200
/** Names of unknown keys are part of messages and paths: they are cut here. */
const MAX_TEXT = 200

function toInputProblem(name: string, { path, code, message }: SchemaIssue): InputProblem {
  return {
    in: name,
    path: path.map((key) => (typeof key === 'number' ? key : cut(String(key)))),
    code,
    message: cut(message),
  }
}

function validationError(problems: readonly InputProblem[]): Error {
  const count = problems.length === 1 ? 'One value is' : `${problems.length} values are`
  return httpError('validation_failed', `${count} not as the API describes`, {
    errors: problems.slice(0, MAX_PROBLEMS),
  })
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
}

import { documentedOf, type Documented, type Middleware } from '../../define/layers.ts'
import { Session } from '../../define/context.ts'
import { ownProblem, type AnyProblem } from '../../define/problem.ts'
import { httpError } from '../../http/errors.ts'
import { isNothing, mayBeNothing } from '../../schema/accepts.ts'
import { findResponse, type ResponseKey } from '../../schema/schema.ts'
import { hasBrownouts, type Lifetime } from '../../versioning/policy.ts'
import { deepFreeze } from '../freeze.ts'
import type {
  ConvertedRoute,
  DocumentedRoute,
  Content,
  OpenApiVersion,
  Operation,
  ResponseObject,
  Parameter,
  StreamedSchema,
  SchemaObject,
} from './types.ts'
import { mergeContents } from './merge.ts'
import {
  ANY_ERROR,
  descriptionOf,
  isFormatted,
  toProblemResponse,
  withExampleStatus,
  type ErrorAnswers,
  type ProblemAnswer,
} from './problems.ts'
import type { RequestWire } from './wire.ts'
import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import type { Method } from '../../http/http.ts'
import { toRecord } from '../../base/values.ts'
import { UNNAMED, type DeclaredStream } from '../../schema/route-schemas.ts'

type OperationResponses = Operation['responses']

/** The parts of an operation's responses besides its route. */
interface ResponseParts {
  readonly converted: ConvertedRoute
  readonly wire: RequestWire
  /** The answers of Octavo itself. */
  readonly answers: ErrorAnswers
  /** The documented effects of middleware, guards and interceptors. */
  readonly added: readonly Documented[]
  readonly openapi: OpenApiVersion
}

/** The headers of a declared response; whether its body is an object decides some of them. */
type HeadersAt = (status: ResponseKey, isObject?: boolean) => Pick<ResponseObject, 'headers'>

/** Returns the responses of an operation: the declared ones, and Octavo's errors. */
export function toOperationResponses(
  { route, lifetime }: DocumentedRoute,
  parts: ResponseParts,
): OperationResponses {
  const { converted, wire, answers, added } = parts
  const headersAt: HeadersAt = (status, isObject = status !== 204 && status !== 205) => {
    const sent = added.filter(({ marksObjects = false }) => isObject || !marksObjects)
    return successHeaders(
      lifetime,
      Object.assign({}, ...sent.map(({ responseHeaders = {} }) => responseHeaders)),
      route.forward === undefined ? status : 'default',
    )
  }
  const declared = declaredOf(route, parts, headersAt)
  // with a format, what error handlers return has to fit it
  const isUnknown =
    !isFormatted(answers) && route.layers.errorHandlers.some(({ response }) => response === undefined)
  const isExact = (status: number): boolean =>
    converted.responses.has(status) || converted.errors.some((each) => each.status === status)
  const found = errorsOf(route, lifetime, wire, added)
  // what is declared of an error is not all that may be sent with its status: handlers can throw errors too
  for (const status of declared.keys())
    if (/^[45]/.test(status) && !found.has(status)) found.set(status, ['Problem'])
  const problems = problemsByStatus(parts)
  const statuses = new Set([...found.keys(), ...problems.keys()])
  const errors = [...statuses].map((status): readonly [string, OperationResponses[string]] => {
    const names = found.get(status) ?? []
    const own = declared.get(status) ?? declared.get(`${status.charAt(0)}XX`) ?? declared.get('default')
    // a range is too wide to be what error handlers answer alone
    const isAlone = own === undefined || isExact(Number(status))
    const given = { status, names, problems: problems.get(status) ?? [], declared: own }
    return [status, toSharedError(given, answers, isUnknown && isAlone)]
  })
  const empty = added
    .flatMap((one) => Object.entries(one.empty ?? {}))
    .map(([status, description]) => [status, { description, ...headersAt(Number(status)) }] as const)
  return Object.fromEntries([...empty, ...declared, ...errors].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** The declared problems by their statuses. */
function problemsByStatus({
  converted,
  answers,
}: ResponseParts): ReadonlyMap<string, readonly ResponseObject[]> {
  const content = isFormatted(answers) ? answers.Problem.content : undefined
  const found = new Map<string, ResponseObject[]>()
  for (const { problem, members } of converted.problems) {
    const status = String(problem.status)
    found.set(status, [...(found.get(status) ?? []), toProblemResponse(problem, members, content)])
  }
  return found
}

/** The responses that a route and the error handlers around it declare, or that of a route that declares none. */
function declaredOf(
  route: DocumentedRoute['route'],
  { converted, wire, openapi }: ResponseParts,
  headersAt: HeadersAt,
): ReadonlyMap<string, ResponseObject> {
  const declared = new Map<string, ResponseObject>()
  for (const [status, { description, content }] of converted.responses) {
    declared.set(String(status), {
      description: description ?? descriptionOf(status),
      ...(isSuccess(status) ? headersAt(status, mayBeObject(content)) : {}),
      ...(content === undefined ? {} : { content: acceptedContent(content, wire) }),
    })
  }
  if (mayBeEmpty(route)) declared.set('204', { description: descriptionOf(204), ...headersAt(204) })
  for (const { status, content } of converted.errors) {
    const own = declared.get(String(status)) ?? { description: descriptionOf(status) }
    const contents = [own.content ?? [], acceptedContent(content, wire)].flat()
    declared.set(String(status), { ...own, content: mergeContents(contents) })
  }
  if (route.stream !== undefined) {
    const { description, content } = toStreamResponse(route.stream.kind, converted.stream, openapi)
    declared.set(String(route.status), {
      description,
      ...headersAt(route.status, false),
      content: acceptedContent(content, wire),
    })
  }
  const isOpen =
    route.stream === undefined &&
    ![...converted.responses.keys()].some((status) => status === 'default' || Number(status) < 400)
  if (isOpen && route.upgrade !== undefined) declared.set('101', { description: descriptionOf(101) })
  else if (isOpen)
    declared.set(route.status === 200 ? '2XX' : String(route.status), {
      description: 'Success',
      ...headersAt(route.status),
      content: { '*/*': {} },
    })
  return declared
}

/** Whether a result of `undefined` is answered with a status that the route does not declare. */
function mayBeEmpty({ status, responses, forward }: DocumentedRoute['route']): boolean {
  const schema = status === 200 && forward === undefined ? findResponse(responses, 200) : undefined
  if (schema === undefined || findResponse(responses, 204) !== undefined) return false
  return mayBeNothing(schema) && !isNothing(schema)
}

function isSuccess(status: ResponseKey): boolean {
  return status === 'default' || Number(status) < 300
}

/** Whether results of a declared response may be objects. A reference may lead to one. */
function mayBeObject(content: Content | undefined): boolean {
  const types = Object.values(content ?? {}).flatMap(({ schema }) => Object(schema).type)
  return types.some((type) => type === undefined || type === 'object')
}

const BODIES: ReadonlySet<string> = new Set(['body', 'form', 'files'])

/** Whether Octavo parses requests of the route. If not, the API behind refuses them. */
function isParsed({ forward, validate, newest }: DocumentedRoute['route']): boolean {
  return forward === undefined || validate === true || newest !== undefined
}

/** Returns the errors of Octavo itself, by status; handlers throw what they like, which is the `default`. */
function errorsOf(
  route: DocumentedRoute['route'],
  lifetime: Lifetime | undefined,
  { refusals, retired }: RequestWire,
  added: readonly Documented[],
): Map<string, string[]> {
  const found = new Map<string, string[]>([
    ['500', ['InternalError']],
    ['default', ['Problem']],
  ])
  const add = (status: number, name: string): void => {
    const names = found.get(String(status)) ?? []
    if (!names.includes(name)) found.set(String(status), [...names, name])
  }
  const { sources, layers, pattern } = route
  if (route.forward !== undefined) for (const status of [502, 504]) add(status, 'Problem')
  const isRead = isParsed(route)
  const hasBody = isRead && sources.some(({ name }) => BODIES.has(name))
  // those of Octavo declare their problems
  const asks = layers.guards.some(
    ({ part }) =>
      (part.security?.length ?? 0) > 0 &&
      documentedOf([part]).every(({ problems = [] }) => problems.every(({ status }) => status !== 401)),
  )
  const rules: readonly (readonly [can: boolean, status: number, name: ProblemAnswer])[] = [
    [hasBody || (isRead && sources.some(({ name }) => name === 'query')), 400, 'BadRequest'],
    [asks, 401, 'Unauthenticated'],
    // a limit among the guards, which is a function, refuses with problems of its own alone
    [layers.guards.some(({ part }) => typeof part !== 'function'), 403, 'Forbidden'],
    [isRead && pattern.params.length > 0, 404, 'NotFound'],
    [lifetime?.gone === true, retired, 'RetiredVersion'],
    [hasBrownouts(lifetime), retired, 'VersionBrownout'],
    [hasBody, 413, 'ContentTooLarge'],
    [hasBody, 415, 'UnsupportedMediaType'],
    [isRead && sources.length > 0, 422, 'ValidationFailed'],
  ]
  for (const [can, status, name] of rules) if (can) add(status, name)
  for (const [status, component] of componentsOf(added)) add(status, component)
  if (refusals?.unspecified !== undefined) add(refusals.unspecified, 'UnspecifiedVersion')
  if (refusals !== undefined) add(refusals.unsupported, 'UnsupportedVersion')
  return found
}

/** The errors of a status: the names of shared answers, declared problems, and the response that is declared. */
interface ErrorParts {
  readonly status: string
  readonly names: readonly string[]
  readonly problems: readonly ResponseObject[]
  readonly declared: ResponseObject | undefined
}

/** The problems of Octavo's own middleware, guards and interceptors, by the names of their responses. */
function componentsOf(
  added: readonly Documented[],
): readonly (readonly [status: number, component: string])[] {
  return added
    .flatMap(({ problems = [] }) => problems)
    .flatMap(({ status, component }) => (component === undefined ? [] : [[status, component] as const]))
}

/**
 * A reference to a shared answer; written out if more may be sent with its status, or its example has another. If it is not known what
 * error handlers answer, nothing is promised but what the route declares for this status.
 */
function toSharedError(
  { status, names, problems, declared }: ErrorParts,
  answers: ErrorAnswers,
  isUnknown: boolean,
): OperationResponses[string] {
  const shared = names.map((each) => withExampleStatus(answers[each] ?? answers.Problem, Number(status)))
  const own = [...problems, ...shared]
  const [name = 'Problem'] = names
  const isShared = own.length === 1 && own[0] === answers[name]
  if (declared === undefined && !isUnknown && isShared) return { $ref: `#/components/responses/${name}` }
  const headers = Object.assign({}, ...own.map((each) => each.headers ?? {}))
  const promised = isUnknown ? [] : own
  const contents = [declared, ...promised].map((each) => each?.content).filter((each) => each !== undefined)
  return {
    description:
      declared?.description ??
      (isShared && name === 'Problem' ? ANY_ERROR : own.map(({ description }) => description).join('. ')),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(contents.length === 0
      ? {}
      : { content: withExamples(mergeContents(contents), problems.length === 0 ? [] : promised) }),
  }
}

/** Content with the examples of its errors, by their codes, if it has several. */
function withExamples(content: Content, errors: readonly ResponseObject[]): Content {
  const medias = errors.flatMap((each) => Object.entries(each.content ?? {}))
  return Object.fromEntries(
    Object.entries(content).map(([type, media]) => {
      const examples = medias.flatMap(([other, { example }]) =>
        other === type && example !== undefined ? [[toRecord(example)['code'], { value: example }]] : [],
      )
      if (examples.length < 2) return [type, media]
      const { example: _one, ...rest } = media
      return [type, { ...rest, examples: Object.fromEntries(examples) }]
    }),
  )
}

/** Content under the types that a request in this version accepts. */
function acceptedContent(content: Content, { toAccepted }: RequestWire): Content {
  if (toAccepted === undefined) return content
  return Object.fromEntries(
    Object.entries(content).flatMap(([type, media]) => toAccepted(type).map((accepted) => [accepted, media])),
  )
}

/** The headers of successful responses: deprecation and sunset (RFC 9745, RFC 8594), headers of `accepted`, and added headers. */
function successHeaders(
  lifetime: Lifetime | undefined,
  added: NonNullable<ResponseObject['headers']>,
  status: ResponseKey,
): Pick<ResponseObject, 'headers'> {
  const names = [
    ...Object.keys(lifetime?.headers ?? {}).map((name) => (name === 'sunset' ? 'Sunset' : 'Deprecation')),
    ...(lifetime !== undefined && lifetime.links.length > 0 ? ['Link'] : []),
    ...(hasBrownouts(lifetime) ? ['Api-Brownout'] : []),
    ...(status === ACCEPTED ? ['Location', 'Retry-After'] : []),
  ]
  const headers = {
    ...Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    ...added,
  }
  return Object.keys(headers).length === 0 ? {} : { headers }
}

const ACCEPTED = 202

/** The headers that responses refer to. */
export const RESPONSE_HEADERS = deepFreeze({
  Deprecation: {
    description: 'Since when this is deprecated, or will be (RFC 9745)',
    schema: { type: 'string', pattern: '^@-?[0-9]+$' },
  },
  Sunset: {
    description: 'From when on this may not answer any more, as an HTTP date (RFC 8594)',
    schema: { type: 'string' },
  },
  Link: { description: 'Where that is explained (RFC 8288)', schema: { type: 'string' } },
  'Api-Brownout': {
    description: 'The next time in which this is answered with 410, as an ISO 8601 interval',
    schema: { type: 'string' },
  },
  Location: {
    description: 'Where the state of the work is (RFC 9110 section 10.2.2)',
    schema: { type: 'string', format: 'uri-reference' },
  },
  'Retry-After': {
    description: 'The seconds after which to ask for it, or an HTTP date (RFC 9110 section 10.2.3)',
    schema: { type: 'string' },
  },
} as const)

/** Returns the documentation of all that runs before the handler of a route. `middleware` is that of the application. */
export function addedTo(
  { layers, inject }: Pick<ResolvedRoute, 'layers' | 'inject'>,
  middleware: readonly Middleware[],
  method?: Method,
): readonly Documented[] {
  const placed = [...layers.guards, ...layers.interceptors].map(({ part }) => part)
  const injected = [...inject.values(), ...placed.flatMap((part) => Object.values(part.inject ?? {}))]
  const hasSession = injected.some((token) => Reflect.get(Object(token), 'token') === Session.token)
  return [
    ...documentedOf([...new Set([...middleware, ...layers.middleware, ...placed])], method),
    ...(hasSession ? [{ problems: SESSION_PROBLEMS }] : []),
  ]
}

/** The problems of routes that inject the session, or whose guards or interceptors do. */
const SESSION_PROBLEMS: readonly AnyProblem[] = [
  ownProblem(
    'SessionConflict',
    httpError('session_conflict', 'Another request changed or ended the session meanwhile; try again'),
    'Another request changed or ended the session',
  ),
  ownProblem(
    'SessionUnavailable',
    httpError('session_unavailable', 'Sessions are not available at the moment; try again later'),
    'Sessions are not available',
  ),
]

/** The parameters of a route with the headers that are added to it and that it does not declare itself. */
export function withAddedHeaders(
  parameters: readonly Parameter[],
  added: readonly Documented[],
): readonly Parameter[] {
  const declared = new Set(parameters.map(({ in: place, name }) => `${place} ${name.toLowerCase()}`))
  const headers = added
    .flatMap(({ requestHeaders = [] }) => requestHeaders)
    .filter(({ name }) => !declared.has(`header ${name.toLowerCase()}`))
    .map((header): Parameter => ({ ...header, in: 'header' }))
  return headers.length === 0 ? parameters : [...parameters, ...headers]
}

/** A stream in a document. */
interface StreamResponse {
  readonly description: string
  readonly content: Content
}

/**
 * The response that is a stream. OpenAPI 3.2 has `itemSchema` for it (section 4.14.4). Earlier versions have nothing, so `schema` is that
 * of one event or item there, which is how generators of clients read it.
 */
function toStreamResponse(
  kind: DeclaredStream['kind'],
  stream: ConvertedRoute['stream'],
  openapi: OpenApiVersion,
): StreamResponse {
  const member = openapi === '3.1' ? 'schema' : 'itemSchema'
  if (kind === 'items')
    return {
      description:
        openapi === '3.1'
          ? 'One line of JSON for each item. The schema is that of an item.'
          : 'One line of JSON for each item.',
      content: { 'application/x-ndjson': { [member]: stream.get(UNNAMED)?.schema ?? {} } },
    }
  const events = [...stream].map(([name, event]) => toEventSchema(name, event, openapi))
  const [only] = events
  return {
    description:
      openapi === '3.1' ? 'Server-sent events. The schema is that of an event.' : 'Server-sent events.',
    content: {
      'text/event-stream': { [member]: events.length === 1 && only !== undefined ? only : { oneOf: events } },
    },
  }
}

/** An event as an object of its fields. A field is text, which OpenAPI 3.2 says of data (section 4.14.4.2). */
function toEventSchema(
  name: string,
  { schema, isString, isOptional }: StreamedSchema,
  openapi: OpenApiVersion,
): SchemaObject {
  const required = [...(name === UNNAMED ? [] : ['event']), ...(isOptional ? [] : ['data'])]
  const data =
    schema === undefined || isString || openapi === '3.1'
      ? schema
      : { type: 'string', contentMediaType: 'application/json', contentSchema: schema }
  return {
    type: 'object',
    properties: {
      event: { type: 'string', const: name },
      ...(data === undefined ? {} : { data }),
      id: { type: 'string' },
      retry: { type: 'integer', minimum: 0 },
    },
    ...(required.length === 0 ? {} : { required }),
  }
}

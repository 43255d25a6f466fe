import type { VersionsOf } from '../define/names.ts'
import { isObject, isString } from '../base/values.ts'
import { readBody, toEssence, PROBLEM_TYPE, ProblemError, type Answer, type As } from './answer.ts'
import type { CallValues } from './encode-body.ts'
import { CALLED_ROUTE, type CalledRoute } from './called-route.ts'
import type { Client } from './client-type.ts'
import { createDeadline, orAborted } from './deadline.ts'
import { createDeprecationReport } from './deprecation.ts'
import { createEvents, hasEvents } from './events.ts'
import { createTakeData, withPages } from './pages.ts'
import { createItems, iterated, toNamedEvents } from './streams.ts'
import {
  checkClientOptions,
  checkReconnect,
  notForEvents,
  toBaseUrl,
  type AnyClientOptions,
  type ClientOptions,
  type ReconnectOptions,
  type VersionedClientOptions,
} from './client-options.ts'
import { appendHeader, toClientRequest, toCallUrl, type ClientRequest } from './call-request.ts'
import { createRetry } from './retry.ts'
import type { RouteCall } from './route-map.ts'
import { createFindRoute } from './find-route.ts'
import { createTransport, discard, type SendWithRetries } from './transport.ts'

/** The values of a call. */
interface CallArguments extends CallValues {
  readonly signal?: AbortSignal
  readonly as?: As
  readonly ifMatch?: string | Pick<Response, 'headers'>
  readonly idempotencyKey?: string
  readonly reconnect?: number | ReconnectOptions
}

/**
 * Creates a client of an application, which calls routes by their names, typed by their declarations and without generated code. It asks
 * the application for the routes at the first call.
 *
 * With a version, the client has the routes of that version alone. It is a type argument too, because TypeScript infers none beside
 * those that are given. Without one, it has the routes that answer requests without version, as far as types know them.
 *
 * A call rejects with a `ProblemError` for statuses of 400 and more that its route does not declare, with a `TypeError` for names that
 * there are not and values that cannot be sent, and with what `fetch` rejects with.
 *
 * @example
 * const client = createClient<typeof app, '2'>({ baseUrl: 'https://api.example.com', version: '2' })
 * const result = await client.car.getOne({ params: { car_id: '7' } })
 * if (result.status === 200) console.log(result.data.name)
 *
 * @example
 * const second = createClient<typeof app>({ baseUrl: 'https://api.example.com' }).at('2')
 *
 * @throws `TypeError` for options that cannot be used.
 */
export function createClient<A>(options?: ClientOptions): Client<A>
export function createClient<A, const V extends VersionsOf<A>>(
  options: VersionedClientOptions<V>,
): Client<A, V>
export function createClient(options: AnyClientOptions = {}): object {
  checkClientOptions(options)
  const base = toBaseUrl(options)
  const send = createTransport(options)
  const clients = new Map<string | undefined, object>()
  const at = (version: string | undefined): object => {
    const found = clients.get(version)
    if (found !== undefined) return found
    const own = { ...options, version }
    checkClientOptions(own)
    if (options.routes !== undefined && version !== options.version)
      throw new TypeError(
        'createClient: the option routes is of one version; leave it out for clients of several',
      )
    const calls = createCalls(own, base, send)
    const made = addRouteNames({}, '', calls, [
      ['at', at],
      ['url', calls.url],
    ])
    clients.set(version, made)
    return made
  }
  return at(options.version)
}

/** The operations on the name of a route. */
interface RouteCalls {
  /** The version of the client. */
  readonly version: string | null
  readonly call: (name: string, input: unknown) => Promise<unknown>
  /** Calls a route for the data of its success. */
  readonly take: (name: string, input: unknown) => Promise<unknown>
  readonly url: (name: string, input?: unknown) => Promise<string>
}

/** An answer, and what it is read by. */
interface ReceivedAnswer {
  readonly response: Response
  readonly request: ClientRequest
  readonly route: RouteCall
  /** The content type of errors of the application. */
  readonly errorType: string
}

function createCalls(options: AnyClientOptions, base: URL, send: SendWithRetries): RouteCalls {
  const toHeaders = createHeaders(options)
  const find = createFindRoute(options, base, send, toHeaders)
  const announce = createDeprecationReport(options, base)
  /** Sends a request. What reads the answer has to be done in time as well. */
  const ask = async <T>(
    name: string,
    input: CallArguments,
    read: (answered: ReceivedAnswer) => T,
    lastEventId = '',
  ): Promise<Awaited<T>> => {
    const { signal, meet } = createDeadline(input.signal, options.timeout)
    let left: Response | undefined
    try {
      const { route, errorType } = await orAborted(find(name), signal)
      const headers = await orAborted(toHeaders(), signal)
      if (wantsEvents(input, route)) addEventHeaders(headers, lastEventId)
      else if (input.reconnect !== undefined) throw notForEvents(name)
      const request = toClientRequest(name, route, base, input, headers)
      if (input.ifMatch !== undefined) request.headers.set('if-match', toIfMatch(name, input.ifMatch))
      const hasKey = addKey(name, request, route, input.idempotencyKey)
      const response = await answerInTime(send({ ...request, route: name, signal }, hasKey), signal)
      left = response
      await announce(name, request.url, response)
      return await read({ response, request, route, errorType })
    } finally {
      meet(left)
    }
  }
  const answer = async (name: string, given: unknown): Promise<unknown> => {
    const input = toInput(name, given, KEYS)
    const { as = 'data' } = input
    return ask(name, input, async (answered) => {
      const { response: first, route } = answered
      if (first.status < 400 && as === 'data' && route.items === true)
        return toClientAnswer(first, createItems(first, input.signal))
      if (!wantsEvents(input, route) || first.status >= 400) return readAnswer(answered, as)
      const limits = toReconnect(input.reconnect, answered.request)
      const reopen = async (lastEventId: string, signal: AbortSignal): Promise<Response> =>
        ask(name, { ...input, signal }, ({ response }) => response, lastEventId)
      const toError = async (response: Response): Promise<Error> =>
        toEventsError(name, { ...answered, response })
      if (!hasEvents(first)) throw await toError(first)
      const events = createEvents(first, { reopen, toError, signal: input.signal, limits })
      return toClientAnswer(first, as === 'data' ? toNamedEvents(events, route.events ?? {}) : events)
    })
  }
  const take = createTakeData(answer)
  const answerOrPages = withPages(find, answer, take)
  return {
    version: options.version ?? null,
    call: (name, given) => iterated(name, answerOrPages(name, given)),
    take,
    url: async (name, given) => {
      const input = toInput(name, given, URL_KEYS)
      const { route } = await find(name)
      return toCallUrl(name, route, base, input).href
    },
  }
}

/**
 * Adds a key to a request if its route takes one, for all of its tries. Returns whether it has one. @throws `TypeError` for a key that would
 * protect nothing.
 */
function addKey(
  name: string,
  { method, headers }: ClientRequest,
  { keys = [] }: RouteCall,
  given: string | undefined,
): boolean {
  const hasKey = keys.includes(method)
  if (given !== undefined && !(hasKey && given))
    throw new TypeError(`${name}: idempotencyKey is empty, or ${method} takes none`)
  if (hasKey && !headers.has('idempotency-key')) {
    // browsers have randomUUID in secure contexts alone
    const bytes = crypto.getRandomValues(new Uint8Array(16))
    const key = given ?? btoa(String.fromCharCode(...bytes))
    // JSON escapes what structured fields escape
    headers.set('idempotency-key', JSON.stringify(key))
  }
  return hasKey
}

/** Whether the answer is read as events: if the call says so, or the route declares them. */
function wantsEvents({ as = 'data' }: CallArguments, route: RouteCall): boolean {
  return as === 'events' || (as === 'data' && route.events !== undefined)
}

/** The tag of a state. One of a compressed body is weak, and no state matches a weak one (RFC 9110 section 13.1.1). */
function toIfMatch(name: string, given: CallArguments['ifMatch']): string {
  const tag = isString(given) ? given : given?.headers?.get('etag')?.replace('W/', '')
  if (tag) return tag
  throw new TypeError(`${name}: ifMatch has no entity tag`)
}

/** A value of the header is bytes, which `fetch` takes as one character each: those of the id in UTF-8. */
function addEventHeaders(headers: Headers, lastEventId: string): void {
  if (!headers.has('accept')) headers.set('accept', 'text/event-stream')
  if (lastEventId !== '')
    headers.set('last-event-id', String.fromCharCode(...new TextEncoder().encode(lastEventId)))
}

/** When a request for events is sent again. One that may not be repeated is not. */
function toReconnect(
  given: number | ReconnectOptions = {},
  request: ClientRequest,
): Required<ReconnectOptions> {
  const options = typeof given === 'number' ? { limit: given } : given
  const { limit = 10, minDelay = 1000, maxDelay = 30_000 } = options
  return { limit: createRetry({ limit }).limitFor(request), minDelay, maxDelay }
}

/** Why an answer is none of events. */
async function toEventsError(name: string, { response, request, errorType }: ReceivedAnswer): Promise<Error> {
  const type = toEssence(response.headers.get('content-type'))
  if (response.status >= 400)
    return new ProblemError(response, await readBody(response, request.method), type === errorType)
  discard(response)
  return new TypeError(
    `${name}: the answer has no events: its status is ${response.status} and its content type ${type || 'missing'}`,
  )
}

/** A function in place of `fetch` may ignore signals, so its late responses are dropped. */
async function answerInTime(sending: Promise<Response>, signal: AbortSignal | undefined): Promise<Response> {
  try {
    return await orAborted(sending, signal)
  } catch (error) {
    void sending.then(discard, () => undefined)
    throw error
  }
}

const URL_KEYS = ['params', 'query']
const KEYS = [
  ...URL_KEYS,
  'headers',
  'cookies',
  'body',
  'form',
  'files',
  'method',
  'signal',
  'as',
  'ifMatch',
  'idempotencyKey',
  'reconnect',
]

function toInput(name: string, given: unknown, keys: readonly string[]): CallArguments {
  if (given === undefined) return {}
  if (!isObject(given))
    throw new TypeError(`${name}: a call takes an object, such as { params: { id: '7' } }`)
  const unknown = Object.keys(given).find((key) => !keys.includes(key))
  if (unknown !== undefined) {
    const what = keys === KEYS ? 'a call' : 'a URL'
    throw new TypeError(`${name}: ${what} does not take ${unknown}; it takes ${keys.join(', ')}`)
  }
  const { reconnect, as }: CallArguments = given
  if (reconnect !== undefined) checkReconnect(name, reconnect, as)
  return given
}

function createHeaders({ headers = {} }: AnyClientOptions): () => Promise<Headers> {
  return async () => {
    const given = typeof headers === 'function' ? await headers() : headers
    const lines = Symbol.iterator in given ? [...given] : Object.entries(given)
    const all = new Headers()
    for (const [name, value] of lines) if (value !== undefined) appendHeader(all, name, value)
    return all
  }
}

async function readAnswer({ response, request, route, errorType }: ReceivedAnswer, as: As): Promise<unknown> {
  if (as === 'response') return response
  const { status, headers } = response
  const type = toEssence(headers.get('content-type'))
  const isStreamed = as === 'stream' && status < 400
  const data = isStreamed ? response.body : await readBody(response, request.method)
  // the type of errors that the application throws or refuses by itself; routes may declare JSON too
  const isOwn = type === PROBLEM_TYPE || (type === errorType && type !== 'application/json')
  const statuses = [status, status < 500 ? '4XX' : '5XX', 'default']
  const isDeclared = isOwn
    ? type === PROBLEM_TYPE && route.problems?.includes(String(Object(data).code))
    : statuses.some((key) => route.errors?.includes(key))
  if (status >= 400 && isDeclared !== true) throw new ProblemError(response, data, type === errorType)
  return toClientAnswer(response, data)
}

function toClientAnswer<D>(response: Response, data: D): Answer<number, D> {
  const { status, ok, headers } = response
  return { status, ok, data, headers, response }
}

/** Members that JavaScript itself asks objects for: a client that answered would be awaited, or turned into a text, as a route. */
const NOT_NAMES: readonly string[] = ['then', 'toJSON', 'toString', 'valueOf']

/** An object whose members are names of routes, joined by dots. Each can be called, and has members itself. */
function addRouteNames(
  target: object,
  above: string,
  calls: RouteCalls,
  taken: readonly (readonly [name: string, value: object])[] = [],
): object {
  const known = new Map(taken)
  return new Proxy(target, {
    get: (_target, key) => {
      if (typeof key === 'symbol' || NOT_NAMES.includes(key)) return Reflect.get(target, key)
      const found = known.get(key)
      if (found !== undefined) return found
      const made = createRouteMember(above === '' ? key : `${above}.${key}`, calls)
      known.set(key, made)
      return made
    },
  })
}

function createRouteMember(name: string, calls: RouteCalls): object {
  const route = (input?: unknown): Promise<unknown> => calls.call(name, input)
  const called: CalledRoute = {
    name,
    version: calls.version,
    take: async (input) => calls.take(name, input),
  }
  Object.defineProperties(route, { name: { value: name }, [CALLED_ROUTE]: { value: called } })
  return addRouteNames(route, name, calls)
}

import type { Duplex } from 'node:stream'

import {
  isBoolean,
  isCount,
  isFunction,
  isMilliseconds,
  isNonEmptyString,
  isObject,
  isRecord,
  toRecord,
  type Awaitable,
} from '../../base/values.ts'
import { checkOptions, type DefinitionProblem, type Rules } from '../../base/definition-error.ts'
import type { Injected, UpstreamApp } from '../../define/context.ts'
import type { BodyStream } from '../../http/http.ts'
import type { RequestContext } from '../../server/pipeline/context.ts'

/** The time limits of an upstream, in milliseconds. */
export interface UpstreamTimeouts {
  /** For a connection. @default 2000 */
  readonly connect?: number
  /** From the request to the head of the response, with the wait for a connection. @default 10000 */
  readonly headers?: number
  /** Between two chunks of a response, until a client reads more of one, and for each 64 KiB that a client sends. @default 30000 */
  readonly body?: number
}

/** The addresses of an API: one, or several of which each serves all of it. */
export type UpstreamUrls = string | readonly string[]

/** The options of `defineUpstream`. */
export interface UpstreamOptions<D> {
  /** Names the API in messages. */
  readonly name: string
  /** An application in this process, in the place of `url`: anything with a `fetch`, such as Hono, or a listener of node:http, such as Express. */
  readonly app?: UpstreamApp | ((request: never, response: never) => unknown)
  /**
   * Its address, without a path. A function is called once, when the application starts, and may be async. Several addresses share the
   * requests, and one that is down gets fewer of them.
   */
  readonly url?: UpstreamUrls | ((deps: Injected<D>) => Awaitable<UpstreamUrls | undefined>)
  /** The tokens that `url` needs, by the keys under which it receives their values. */
  readonly inject?: D
  /** The path below which the API lives, such as `/api`. @default none */
  readonly prefix?: string
  /** `'keep'` sends the `Host` of the client. @default the host of the address */
  readonly host?: 'keep'
  /** Time limits in milliseconds. A request that exceeds one is answered with 504. */
  readonly timeouts?: UpstreamTimeouts
  /** The most connections to each address. One client can have three quarters of them. @default 128 */
  readonly connections?: number
  /** How often a GET, HEAD or OPTIONS is sent again if no response came, or a 502, 503 or 504. @default 0 */
  readonly retries?: number
  /** Whether requests and responses are parsed even if no change alters them. A route can say otherwise. @default false */
  readonly validate?: boolean
  /** The longest response that is converted, in bytes. A longer one becomes a 502. Others have no limit, because they are not kept. @default 10485760 */
  readonly responseLimit?: number
  /** The path that `check` asks for, below `prefix`. @default '/' */
  readonly checkPath?: string
}

/** Where an API is: at an address, in this process behind Octavo, or in this process around it. */
export type UpstreamPlace = 'url' | 'app' | 'host'

/** The options with their defaults. */
export interface UpstreamSettings {
  readonly name: string
  readonly prefix: string
  readonly keepsHost: boolean
  readonly timeouts: Required<UpstreamTimeouts>
  readonly connections: number
  readonly retries: number
  readonly validate: boolean
  readonly responseLimit: number
  readonly checkPath: string
  readonly place: UpstreamPlace
}

export function isUpstreamApp(value: unknown): value is UpstreamApp {
  return isObject(value) && 'fetch' in value && isFunction(value.fetch)
}

const isUpstreamUrl = (value: unknown): boolean => {
  if (typeof value !== 'string' || !URL.canParse(value)) return false
  const { protocol, pathname, search } = new URL(value)
  return /^https?:$/.test(protocol) && pathname === '/' && search === ''
}

const isUrls = (value: unknown): value is UpstreamUrls =>
  isUpstreamUrl(value) || (Array.isArray(value) && value.length > 0 && value.every(isUpstreamUrl))

const isUpstreamPath = (value: unknown): boolean =>
  typeof value === 'string' && /^\/[!$&-;=@\w~%]*$/.test(value)

const TIMES: ReadonlySet<string> = new Set(['connect', 'headers', 'body'])

const RULES: Rules = {
  name: [isNonEmptyString, "a name, such as 'Garage'"],
  url: [
    (value) => isUrls(value) || isFunction(value),
    "an address without a path, such as 'http://garage:8080', several, or a function that returns them",
  ],
  app: [
    (value) => isUpstreamApp(value) || isFunction(value),
    'an application with a fetch, such as one of Hono, or a listener of node:http, such as one of Express',
  ],
  inject: [isRecord, 'tokens by key, such as { config: Config }'],
  prefix: [(value) => isUpstreamPath(value) && !String(value).endsWith('/'), "a path, such as '/api'"],
  host: [(value) => value === 'keep', "'keep'"],
  timeouts: [
    (value) =>
      isRecord(value) &&
      Object.entries(value).every(([key, limit]) => TIMES.has(key) && isMilliseconds(limit)),
    'connect, headers and body, in milliseconds',
  ],
  connections: [(value) => isCount(value) && value > 0, 'a whole number above 0'],
  retries: [isCount, 'a whole number, 0 or more'],
  validate: [isBoolean, 'true or false'],
  responseLimit: [isCount, 'a number of bytes'],
  checkPath: [isUpstreamPath, "a path, such as '/healthz'"],
}

/** The options of connections, which an application in this process has none of. */
const OF_CONNECTIONS = ['url', 'inject', 'host', 'connections', 'retries'] as const

function placeProblems(options: object): readonly DefinitionProblem[] {
  const given = toRecord(options)
  if (given['app'] === undefined)
    return given['url'] === undefined
      ? [placeProblem('it has no url', "write url: 'http://garage:8080', or app")]
      : []
  return OF_CONNECTIONS.filter((name) => given[name] !== undefined).map((name) =>
    placeProblem(
      `${name} is for an API at an address, and app is one in this process`,
      `leave out ${name}, or app`,
    ),
  )
}

function placeProblem(message: string, fix: string): DefinitionProblem {
  return { code: 'invalid_option', where: 'defineUpstream', message, fix }
}

const EXAMPLE = "defineUpstream({ name: 'Garage', url: 'http://garage:8080' })"

/** Reads the options. @throws `DefinitionError` with all that is wrong. */
export function toUpstreamSettings(
  options: Omit<UpstreamOptions<never>, 'inject' | 'url'>,
  place: UpstreamPlace = options.app === undefined ? 'url' : 'app',
): UpstreamSettings {
  checkOptions('defineUpstream', options, RULES, place === 'host' ? [] : placeProblems(options), EXAMPLE)
  const { name, prefix = '', host, connections = 128, retries = 0 } = options
  const { validate = false, responseLimit = 10_485_760, checkPath = '/' } = options
  return {
    name,
    prefix,
    keepsHost: host === 'keep',
    timeouts: { connect: 2_000, headers: 10_000, body: 30_000, ...options.timeouts },
    connections,
    retries,
    validate,
    responseLimit,
    checkPath,
    place,
  }
}

/** The addresses that an option or its function gave. @throws `Error` for what is none. */
export function toUrls(name: string, given: UpstreamUrls | undefined): readonly string[] {
  if (!isUrls(given))
    throw new Error(
      `defineUpstream: the url of ${name} is ${JSON.stringify(given) ?? 'undefined'}; it has to be an address without a path, such as 'http://garage:8080'`,
    )
  return [given].flat().map((each) => new URL(each).origin)
}

/** A body that is sent as it arrives. One that is not sent is returned. */
export interface OutgoingBody extends AsyncIterable<Uint8Array> {
  next(): Promise<IteratorResult<Uint8Array, undefined>>
  return(): Promise<IteratorResult<Uint8Array, undefined>>
}

/** A request as the API behind receives it. */
export interface OutgoingRequest {
  readonly method: string
  /** Path and query, below the address of the API. */
  readonly path: string
  /** Names in lower case and values in turn, one pair for each field line. */
  readonly headers: string[]
  readonly body: Uint8Array | OutgoingBody | null
}

/** A response of the API behind, as far as it has arrived. */
export interface IncomingResponse {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The body, `null` for none. A stream fails if the body breaks off. */
  readonly body: Uint8Array | BodyStream | null
}

/** The request that is forwarded, as far as sending concerns it. */
export interface Sender extends Pick<RequestContext, 'signal'> {
  /** `undefined` for a request of the application's own, as `raw` is. */
  readonly request?: Pick<RequestContext['request'], 'ip' | 'host' | 'protocol'>
  readonly raw?: RequestContext['raw']
}

/** Takes a response, or the error in its place. One object for each request, which saves a promise. */
export interface Receiver<T> {
  take(response: IncomingResponse): Awaitable<T>
  /** Returns the error that is thrown because no response has come. */
  fail(error: unknown): unknown
}

/** Returns responses and errors as they are. */
export const AS_IT_IS: Receiver<IncomingResponse> = {
  take: (response) => response,
  fail: (error) => error,
}

/** Sends requests to an API. */
export interface UpstreamTransport {
  /**
   * Sends a request. Returns what the receiver makes of the response.
   *
   * @throws `HttpError` 502 or 504, or the reason of the signal of a client that has left.
   */
  readonly send: <T>(request: OutgoingRequest, sender: Sender, receiver: Receiver<T>) => Promise<T>
  /** Asks for another protocol. Returns the connection, or the response if the API refuses. `undefined` where that is not possible. */
  readonly upgrade: ((request: OutgoingRequest, sender: Sender) => Promise<Upgraded>) | undefined
  readonly close: () => Promise<void>
}

/** The outcome of asking for another protocol. */
export type Upgraded =
  | { readonly headers: IncomingResponse['headers']; readonly connection: Duplex }
  | IncomingResponse

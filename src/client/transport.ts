import type { Sent } from './body.ts'
import type { AnyClientOptions, RetryOptions } from './options.ts'
import { tellRoutesOf } from './options.ts'

/** What is sent besides the URL. */
interface TransportInit {
  readonly method: string
  readonly headers: Headers
  readonly body: Sent | undefined
  readonly signal: AbortSignal | undefined
}

/** Sends a request. */
export type Transport = (url: URL, init: TransportInit) => Promise<Response>

/** Called as `fetch` is, or with a `Request` alone. */
type Send = (input: string | Request, init?: object) => Promise<Response>

/** Makes what sends requests: the given `fetch`, or that of the platform with a dispatcher where one is asked for. */
export function createTransport(options: AnyClientOptions): Transport {
  const { fetch: given, credentials, dispatcher, retry = 0 } = options
  // what is called as `fetch` takes what `fetch` takes
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const own = given as Send | undefined
  if (dispatcher !== undefined && !isNode())
    throw new TypeError('createClient: dispatchers are for Node; leave the option out in browsers')
  if (retry !== 0 && !isNode()) throw new TypeError('createClient: retry is for Node, where undici does it')
  const common = {
    ...(credentials === undefined ? {} : { credentials }),
    ...(dispatcher === undefined ? {} : { dispatcher }),
  }
  if (own === undefined)
    return retry === 0
      ? (url, init) => fetch(url.href, toInit(init, common))
      : createRetrying(dispatcher, typeof retry === 'number' ? { maxRetries: retry } : retry, common)
  if (tellRoutesOf(options) === undefined) return (url, init) => own(url.href, toInit(init, common))
  return (url, init) => own(new Request(url, toInit(init, common)))
}

/** The types of the platform name neither its dispatchers nor all bodies that it sends. */
function toInit({ method, headers, body, signal }: TransportInit, common: object): RequestInit {
  return {
    ...common,
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
    ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
  }
}

function isNode(): boolean {
  return typeof process === 'object' && typeof process.versions?.node === 'string'
}

/** Sends with the `fetch` of the platform through a dispatcher that tries again. */
function createRetrying(dispatcher: object | undefined, options: RetryOptions, common: object): Transport {
  let made: Promise<Dispatching> | undefined
  return async (url, init) => {
    const { body } = init
    // a stream can be sent once
    if (body instanceof ReadableStream) return fetch(url.href, toInit(init, common))
    const agent = await (made ??= withRetry(dispatcher, options))
    if (body === undefined) return fetch(url.href, toInit(init, { ...common, dispatcher: agent }))
    const encoded = new Response(body)
    const bytes = new Uint8Array(await encoded.arrayBuffer())
    const headers = new Headers(init.headers)
    const type = encoded.headers.get('content-type')
    if (type !== null && !headers.has('content-type')) headers.set('content-type', type)
    // `fetch` makes every body a stream, of which nothing is left for another try; redirects may take it away
    const again: Dispatching = {
      dispatch: (given, handler) => agent.dispatch(given.body ? { ...given, body: bytes } : given, handler),
    }
    return fetch(url.href, toInit({ ...init, headers, body: bytes }, { ...common, dispatcher: again }))
  }
}

/** The part of a dispatcher that `fetch` uses. */
interface Dispatching {
  dispatch(options: { readonly body?: unknown }, handler: object): boolean
}

/** The parts of undici that are used. */
interface Undici {
  readonly Agent: new () => object
  readonly RetryAgent: new (dispatcher: object, options: object) => Dispatching
}

async function withRetry(dispatcher: object | undefined, options: RetryOptions): Promise<Dispatching> {
  const { Agent, RetryAgent } = await importUndici()
  // the last answer is an answer, and no error of undici's
  return new RetryAgent(dispatcher ?? new Agent(), { throwOnError: false, ...options })
}

async function importUndici(): Promise<Undici> {
  // put together here, for bundlers follow every name that they can read
  const name = ['undi', 'ci'].join('')
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what that package exports
    return (await import(/* @vite-ignore */ /* webpackIgnore: true */ name)) as Undici
  } catch (cause) {
    throw new TypeError(
      'createClient: retry needs the package undici, which is not installed: npm install undici@7',
      { cause },
    )
  }
}

import type { ClientOptions, RetryOptions } from './options.ts'
import { tellRoutesOf } from './options.ts'

/** What is sent besides the URL. */
export interface TransportInit {
  readonly method: string
  readonly headers: Headers
  readonly body: unknown
  readonly signal: AbortSignal | undefined
}

/** Sends a request. */
export type Transport = (url: URL, init: TransportInit) => Promise<Response>

/** Called as `fetch` is, or with a `Request` alone. */
type Send = (input: string | Request, init?: object) => Promise<Response>

/** Makes what sends requests: the given `fetch`, or that of the platform with a dispatcher where one is asked for. */
export function createTransport(options: ClientOptions): Transport {
  const { fetch: given, credentials } = options
  // what is called as `fetch` takes what `fetch` takes
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const own = given as Send | undefined
  const takesRequest = own !== undefined && tellRoutesOf(options) !== undefined
  const dispatcher = createDispatcher(options)
  return async (url, { method, headers, body, signal }) => {
    const through = await dispatcher()
    const init = {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
      ...(credentials === undefined ? {} : { credentials }),
      ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
      ...(through === undefined ? {} : { dispatcher: through }),
    }
    if (own === undefined) return fetch(url.href, toInit(init))
    return own(takesRequest ? new Request(url, toInit(init)) : url.href, takesRequest ? undefined : init)
  }
}

/** The types of the platform name neither its dispatchers nor all bodies that it sends. */
function toInit(init: object): RequestInit {
  return init
}

/** Makes the function that gives the dispatcher, with retries where they are asked for; made once, when it is first needed. */
function createDispatcher({
  dispatcher,
  retry = 0,
}: ClientOptions): () => object | undefined | Promise<object> {
  if (dispatcher !== undefined && !isNode())
    throw new TypeError('createClient: dispatchers are for Node; leave the option out in browsers')
  if (retry === 0) return () => dispatcher
  if (!isNode()) throw new TypeError('createClient: retry is for Node, where undici does it')
  let made: Promise<object> | undefined
  return () => (made ??= withRetry(dispatcher, typeof retry === 'number' ? { maxRetries: retry } : retry))
}

function isNode(): boolean {
  return typeof process === 'object' && typeof process.versions?.node === 'string'
}

/** The parts of undici that are used. */
interface Undici {
  readonly Agent: new () => object
  readonly RetryAgent: new (dispatcher: object, options: object) => object
}

async function withRetry(dispatcher: object | undefined, options: RetryOptions): Promise<object> {
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

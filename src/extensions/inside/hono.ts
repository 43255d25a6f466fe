import type { Context, Env, MiddlewareHandler } from 'hono'

import type { Rules } from '../../base/definition-error.ts'
import { isObject, isPromise } from '../../base/values.ts'

import {
  type FinishedResponse,
  type HostApp,
  type HostRequest,
  type HostResponse,
  type RawBody,
} from '../../http/http.ts'
import { sendResponse } from '../../server/adapters/fetch.ts'
import { createOriginReader } from '../../server/adapters/web/url-origin.ts'
import { WebRequest } from '../../server/adapters/web/web-request.ts'
import { toAppResponse } from '../upstream/app/response.ts'
import { addHeaders } from './headers.ts'
import { isUnserved, openInside, type InsideApp, type InsideOptions } from './options.ts'

import { toReadBody } from './read-body.ts'

export type { InsideApp, InsideOptions } from './options.ts'

/** The options of `inside` for Hono. */
export interface HonoInsideOptions<E extends Env> extends InsideOptions<Context<E>> {
  /**
   * Your application, if changes moved paths: Hono has found the route before any middleware runs, so that such a request is answered by
   * another call of `fetch`, and middleware in front of `inside` runs twice.
   */
  readonly app?: {
    /** Answers a request, as Hono does. */
    fetch(request: Request, env: unknown, execution: never): Response | Promise<Response>
  }
}

/**
 * Creates the middleware that converts older versions of an API for an application of Hono. It comes before the routes.
 *
 * @example
 * app.use(inside(versions, { app, version: (c) => c.get('account')?.apiVersion }))
 *
 * @throws `TypeError` for anything but an application of Octavo, `DefinitionError` for options that cannot be used.
 */
export function inside<E extends Env = Env>(
  app: InsideApp,
  options: HonoInsideOptions<E> = {},
): MiddlewareHandler<E> {
  const { start, settings } = openInside(app, options, APP)
  const originOf = createOriginReader()
  return async (c, next) => {
    if (SEEN in c || SEEN in c.req.raw) return next()
    Reflect.set(c, SEEN, true)
    const started = start()
    const { dispatch } = isPromise(started) ? await started : started
    const { url } = c.req.raw
    const raw = new HonoRequest(c, originOf(url), settings.limits.headers, next, options)
    const { context, response } = dispatch(raw)
    raw.endWith(context)
    const finished = await response
    if (raw.isLeft && finished.isError !== true) return void context.end()
    if (isUnserved(raw, finished, context)) return next()
    const sent = await sendResponse(finished, context, raw)
    if (!raw.isAnswered) return sent
    // the headers of what was converted are in it, and Hono would add them again
    c.res = undefined
    c.res = sent
  }
}

const APP: Rules = { app: [(value) => isObject(value) && 'fetch' in value, 'your application of Hono'] }

/** Marks contexts, and requests that moved to another one, because a request is converted once. */
const SEEN: unique symbol = Symbol('octavo.inside')

/** A request that Hono has received. A class because one is made for every request. */
class HonoRequest<E extends Env> extends WebRequest implements HostApp {
  readonly #c: Context<E>
  readonly #next: () => Promise<void>
  readonly #app: HonoInsideOptions<E>['app']
  readonly version: string | undefined
  isPassed = false
  /** Whether the response is that of Hono, as it is. */
  isLeft = false
  /** Whether Hono has answered a request in the place of this one. */
  isAnswered = false

  constructor(
    c: Context<E>,
    origin: ReturnType<ReturnType<typeof createOriginReader>>,
    maxHeaders: number,
    next: () => Promise<void>,
    { app, version }: HonoInsideOptions<E>,
  ) {
    super(c.req.raw, c.req.raw.url, origin, c.env, maxHeaders)
    this.#c = c
    this.#next = next
    this.#app = app
    this.version = version?.(c)
  }

  get host(): HostApp {
    return this
  }

  pass(): void {
    this.isPassed = true
  }

  async leave(headers: FinishedResponse['headers']): Promise<number> {
    this.isLeft = true
    const c = this.#c
    // before the response is made, because a header that is added to one copies it, and its body into a stream
    for (const name in headers) addHeader(c, name, headers[name])
    await this.#next()
    addHeaders(
      headers,
      (name) => c.res.headers.get(name),
      (name, value) => {
        c.header(name, undefined)
        addHeader(c, name, value)
      },
    )
    return c.res.status
  }

  async answer(request: HostRequest | undefined): Promise<HostResponse> {
    this.isAnswered = true
    const c = this.#c
    const { pathname, search } = new URL(c.req.raw.url)
    const isMoved = request !== undefined && request.path.split('?', 1)[0] !== pathname
    if (request !== undefined) {
      const replaced = toRequest(request, c.req.raw, new URL(request.path, c.req.raw.url).href)
      if (isMoved) return toAppResponse(request.method, await this.#dispatch(replaced, pathname + search))
      c.req.raw = replaced
      c.req.bodyCache = {}
    }
    await this.#next()
    return toAppResponse(this.method, c.res)
  }

  /** Has the application find another route. */
  async #dispatch(request: Request, before: string): Promise<Response> {
    if (this.#app === undefined)
      throw new Error(
        `inside: ${before} has another path in the newest version; give your application, as in inside(versions, { app })`,
      )
    Object.defineProperty(request, SEEN, { value: true })
    return this.#app.fetch(request, this.#c.env, executionOf(this.#c))
  }

  /** Reads one header without the others, whose length the server of Hono has limited. */
  override header(name: string): string | undefined {
    if (name.toLowerCase() === 'host') return super.header(name)
    try {
      return this.request.headers.get(name) ?? undefined
    } catch {
      // no header has such a name
      return undefined
    }
  }

  /** Middleware before this may have read the body, which Hono keeps. */
  override get body(): RawBody {
    if (!this.request.bodyUsed) return super.body
    return toReadBody(undefined, async () => new Uint8Array(await this.#c.req.arrayBuffer()))
  }
}

function addHeader({ header }: Pick<Context, 'header'>, name: string, value: string | string[] = ''): void {
  for (const line of [value].flat()) header(name, line, { append: true })
}

function executionOf(c: Pick<Context, 'executionCtx'>): never {
  try {
    // the type of Hono is that of workers
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return c.executionCtx as never
  } catch {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return undefined as never
  }
}

/** The request in the place of another one, with its signal. */
function toRequest({ method, headers, body }: HostRequest, before: Request, url: string): Request {
  const list = new Headers()
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? ''
    const isOfBytes = body !== undefined && (name === 'content-length' || name === 'content-encoding')
    if (!isOfBytes) list.append(name, headers[at + 1] ?? '')
  }
  if (body instanceof Uint8Array) list.set('content-length', String(body.length))
  const hasBody = method !== 'GET' && method !== 'HEAD' && body !== null
  const content = body instanceof Uint8Array ? new Uint8Array(body) : before.body
  const made = new Request(url, {
    method,
    headers: list,
    redirect: 'manual',
    ...(hasBody && { body: content, duplex: 'half' }),
  })
  // asked for, it makes one, which most requests don't need
  return Object.defineProperty(made, 'signal', { get: () => before.signal })
}

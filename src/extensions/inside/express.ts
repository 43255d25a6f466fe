import type { IncomingMessage, ServerResponse } from 'node:http'

import { isPromise } from '../../base/values.ts'
import type { FinishedResponse, HostRequest, RawBody } from '../../http/http.ts'
import type { RunningApp } from '../../server/dispatch.ts'
import { NodeHost } from './node-host.ts'
import { isUnserved, openInside, type InsideApp, type InsideOptions } from './options.ts'
import { toReadBody } from './read-body.ts'

export type { InsideApp, InsideOptions } from './options.ts'

/** Middleware of Express, and of whatever has its shape. */
export type ExpressMiddleware<R extends IncomingMessage = IncomingMessage> = (
  request: R,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void

/**
 * Creates the middleware that converts older versions of an API for an application of Express. It comes before the routes, before or after body
 * parsers.
 *
 * @example
 * server.use(inside(versions))
 *
 * @throws `TypeError` for anything but an application of Octavo, `DefinitionError` for options that cannot be used.
 */
export function inside<R extends IncomingMessage = IncomingMessage>(
  app: InsideApp,
  options: InsideOptions<R> = {},
): ExpressMiddleware<R> {
  const { start } = openInside(app, options)
  const { version } = options
  const handle = ({ dispatch }: RunningApp, request: R, response: ServerResponse, next: Next): void => {
    const raw = new ExpressRequest(request, response, next, version?.(request))
    const { context, response: finished } = dispatch(raw)
    const settle = (settled: FinishedResponse): void => {
      if (raw.isLeft) void context.end()
      else if (isUnserved(raw, settled, context)) next()
      else raw.send(settled, context)
    }
    if (isPromise(finished)) void finished.then(settle)
    else settle(finished)
  }
  return (request, response, next) => {
    if (SEEN in request) return next()
    Reflect.set(request, SEEN, true)
    const started = start()
    if (isPromise(started))
      started.then((running) => handle(running, request, response, next)).then(undefined, next)
    else handle(started, request, response, next)
  }
}

type Next = (error?: unknown) => void

/** Marks requests that were converted, which is done once. */
const SEEN: unique symbol = Symbol('octavo.inside')

/** A request that Express has received. A class because one is made for every request. */
class ExpressRequest extends NodeHost {
  readonly #next: Next

  constructor(request: IncomingMessage, response: ServerResponse, next: Next, version: string | undefined) {
    super(request, response, version)
    this.#next = next
  }

  protected override goOn(): void {
    this.#next()
  }

  protected override replace(replacement: HostRequest): void {
    const { request } = this
    const isRead = request.readableDidRead
    super.replace(replacement)
    replaceQuery(request, replacement.path)
    if (isRead && replacement.body instanceof Uint8Array) replaceBody(request, replacement.body)
  }

  /** The body as it came, if a body parser has not read it, and otherwise written from its values. */
  override get body(): RawBody {
    const parsed: unknown = Reflect.get(this.request, 'body')
    if (!this.request.readableDidRead || parsed === undefined) return super.body
    const bytes = toParsedBytes(parsed, this.headers['content-type'])
    return toReadBody(bytes.length, () => Promise.resolve(bytes))
  }
}

function toParsedBytes(body: unknown, type: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body
  if (typeof body === 'string') return Buffer.from(body)
  if (/^application\/x-www-form-urlencoded/i.test(String(type)))
    return Buffer.from(new URLSearchParams(Object(body)).toString())
  return Buffer.from(JSON.stringify(body))
}

/** Express 4 parses the query before any middleware; Express 5 when it is asked for. */
function replaceQuery(request: IncomingMessage, path: string): void {
  if (!Object.hasOwn(request, 'query')) return
  const parse: unknown = Reflect.get(Object(Reflect.get(request, 'app')), 'get')?.call(
    Reflect.get(request, 'app'),
    'query parser fn',
  )
  const search = path.includes('?') ? path.slice(path.indexOf('?') + 1) : ''
  Reflect.set(
    request,
    'query',
    typeof parse === 'function' ? parse(search) : Object.fromEntries(new URLSearchParams(search)),
  )
}

/** Sets the values of a body that a parser has read. */
function replaceBody(request: IncomingMessage, body: Uint8Array): void {
  const parsed: unknown = Reflect.get(request, 'body')
  if (parsed === undefined || parsed instanceof Uint8Array) return
  const value = typeof parsed === 'string' ? Buffer.from(body).toString() : toParsed(body, request)
  Reflect.set(request, 'body', value)
}

function toParsed(body: Uint8Array, { headers }: IncomingMessage): unknown {
  const text = Buffer.from(body).toString()
  return /^application\/x-www-form-urlencoded/i.test(String(headers['content-type']))
    ? Object.fromEntries(new URLSearchParams(text))
    : JSON.parse(text)
}

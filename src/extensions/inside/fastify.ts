import { parse } from 'node:querystring'
import { Readable } from 'node:stream'

import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify'

import type { Rules } from '../../base/definition-error.ts'
import { isNonEmptyString, isObject, isPromise, type Awaitable } from '../../base/values.ts'
import {
  isAsyncIterable,
  isStream,
  type FinishedResponse,
  type HostRequest,
  type HostResponse,
} from '../../http/http.ts'
import type { RunningApp } from '../../server/dispatch.ts'
import type { RequestContext } from '../../server/pipeline/context.ts'
import { toHeaderRecord } from './headers.ts'
import { NodeHost } from './node-host.ts'
import { isUnserved, openInside, type InsideApp, type InsideOptions } from './options.ts'

export type { InsideApp, InsideOptions } from './options.ts'

/** The options of the plugin. */
export interface FastifyInsideOptions extends InsideOptions<FastifyRequest> {
  /** Your application of Octavo, whose routes forward to `host`. */
  readonly versions: InsideApp
}

/**
 * The plugin that gives an application of Fastify, older versions of its routes. Register it before plugins that
 * compress.
 *
 * @example
 * await server.register(inside, { versions })
 */
export const inside: FastifyPluginCallback<FastifyInsideOptions> = (server, options, done) => {
  const { versions, version } = options
  const { start } = openInside(versions, options, {
    versions: [isObject, 'an application of createApp'],
    ...OF_FASTIFY,
  })
  const application = { server, parseQuery: queryParserOf(server) }
  server.addHook('onRequest', (request, reply, next) => {
    const moved = exchangeOf(request)
    if (moved !== undefined) {
      moved.continueWith(request, reply)
      return next()
    }
    try {
      const exchange = new Exchange(application, request, reply, next, version?.(request))
      const started = start()
      if (isPromise(started)) started.then((running) => exchange.begin(running)).then(undefined, next)
      else exchange.begin(started)
    } catch (error) {
      next(toError(error))
    }
  })
  server.addHook('onSend', (request, reply, payload, next) => {
    const sent = exchangeOf(request)?.convert(reply, payload) ?? payload
    // most payloads are sent at once, and a hook that returns promises always takes time
    // oxlint-disable-next-line promise/no-callback-in-promise
    if (isPromise(sent)) sent.then((converted) => next(null, converted), next)
    else next(null, sent)
  })
  done()
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}

// hooks are for the whole application, as those of fastify-plugin
Object.assign(inside, { [Symbol.for('skip-override')]: true, [Symbol.for('fastify.display-name')]: 'octavo' })

/** Options that Fastify reads of any plugin. */
const OF_FASTIFY: Rules = { prefix: [isNonEmptyString, 'a path'], logLevel: [isNonEmptyString, 'a level'] }

/** The parts of an application that its requests share. */
interface Application {
  readonly server: FastifyInstance
  readonly parseQuery: (text: string) => unknown
}

/** The parser of queries that the application was given, of which Fastify tells by a symbol alone. */
function queryParserOf(server: object): Application['parseQuery'] {
  const key = Object.getOwnPropertySymbols(server).find(
    ({ description }) => description === 'fastify.options',
  )
  const before: unknown = Object.getPrototypeOf(server)
  // inside of another plugin, an instance has that of the application as its prototype
  if (key === undefined) return typeof before === 'object' && before !== null ? queryParserOf(before) : parse
  const { querystringParser, routerOptions } = Object(Reflect.get(server, key))
  return Object(routerOptions).querystringParser ?? querystringParser ?? parse
}

/** Marks the request of Node, because Fastify makes another one of it when a path that moved is routed again. */
const EXCHANGE: unique symbol = Symbol('octavo.inside')

function exchangeOf({ raw }: FastifyRequest): Exchange | undefined {
  const found: unknown = Reflect.get(raw, EXCHANGE)
  return found instanceof Exchange ? found : undefined
}

/** A request that Fastify has received, and its way through Octavo. A class because one is made for every request. */
class Exchange extends NodeHost {
  readonly #application: Application
  readonly #next: (error?: Error) => void
  #view: FastifyRequest
  #reply: FastifyReply
  #context: RequestContext | undefined
  #finished: Awaitable<FinishedResponse> | undefined
  /** The target that the client has sent, if the newest request has another one. */
  #path: string | undefined
  /** Whether Fastify sends the response. */
  #isConverted = false

  constructor(
    application: Application,
    view: FastifyRequest,
    reply: FastifyReply,
    next: (error?: Error) => void,
    version: string | undefined,
  ) {
    super(view.raw, reply.raw, version)
    this.#application = application
    this.#view = view
    this.#reply = reply
    this.#next = next
    Reflect.set(view.raw, EXCHANGE, this)
  }

  begin({ dispatch }: RunningApp): void {
    const { context, response } = dispatch(this)
    this.#context = context
    this.#finished = response
    if (isPromise(response)) void response.then((finished) => this.#settle(finished, context))
    else this.#settle(response, context)
  }

  #settle(finished: FinishedResponse, context: RequestContext): void {
    if (this.isLeft) void context.end()
    else if (this.captured !== undefined) return
    else if (isUnserved(this, finished, context)) this.#next()
    else void this.#fill(this.#reply, finished).send(toPayload(finished))
  }

  protected override replace(request: HostRequest): void {
    const before = this.request.url ?? '/'
    super.replace(request)
    if (request.path !== before) this.#path = before
  }

  protected override goOn(): void {
    const { captured } = this
    if (captured === undefined) return this.#next()
    void captured.response.then(() => this.#sendWritten())
    // later, because a handler that takes no time would answer before the dispatch has returned
    queueMicrotask(() => this.#route())
  }

  /** Has Fastify find the route of the newest request, if that is another one. */
  #route(): void {
    const { url = '/' } = this.request
    const [target, ...queries] = url.split('?')
    const before = this.#path
    if (before === undefined) return this.#next()
    if (target === before.split('?', 1)[0]) {
      this.#view.query = this.#application.parseQuery(queries.join('?'))
      return this.#next()
    }
    this.#reply.hijack()
    this.#application.server.routing(this.request, this.response)
  }

  /** The route was found anew. */
  continueWith(view: FastifyRequest, reply: FastifyReply): void {
    view.id = this.#view.id
    this.#view = view
    this.#reply = reply
  }

  /** Returns what is sent in the place of a payload of Fastify. */
  convert(reply: FastifyReply, payload: unknown): Awaitable<unknown> {
    const { captured } = this
    if (captured === undefined || this.#isConverted) return payload
    this.#isConverted = true
    captured.restore()
    const headers = toHeaderRecord(reply.getHeaders())
    captured.tell({ status: reply.statusCode, headers, body: toBytes(payload) })
    return this.#toConverted(reply)
  }

  async #toConverted(reply: FastifyReply): Promise<unknown> {
    const finished = await this.#finished
    if (finished === undefined) return null
    for (const name of Object.keys(reply.getHeaders())) reply.removeHeader(name)
    this.#fill(reply, finished)
    // a payload of none fails in the routes that Fastify makes for HEAD, and another one would say its length
    return reply.request.method === 'HEAD' ? Readable.from([]) : toPayload(finished)
  }

  #fill(reply: FastifyReply, { status, headers }: FinishedResponse): FastifyReply {
    this.response.once('close', () => void this.#context?.end())
    return reply.code(status).headers(headers)
  }

  /** Sends what a handler has written to the response of Node by itself, converted. */
  async #sendWritten(): Promise<void> {
    const finished = await this.#finished
    if (!this.#isConverted && finished !== undefined && this.#context !== undefined)
      this.send(finished, this.#context)
  }
}

/** The bytes of a payload of Fastify: a text, bytes or a stream. */
function toBytes(payload: unknown): HostResponse['body'] {
  if (typeof payload === 'string') return Buffer.from(payload)
  if (payload instanceof Uint8Array) return payload
  return isAsyncIterable(payload) ? payload : null
}

function toPayload({ body }: FinishedResponse): string | Buffer | Readable | null {
  if (body === null || typeof body === 'string') return body
  return isStream(body) ? Readable.from(body, { objectMode: false }) : Buffer.from(body)
}

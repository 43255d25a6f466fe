import { parse } from 'node:querystring'
import { Readable } from 'node:stream'
import type { IncomingMessage } from 'node:http'

import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify'

import type { Rules } from '../../base/definition-error.ts'
import { isNonEmptyString, isObject } from '../../base/values.ts'
import {
  isAsyncIterable,
  isStream,
  type FinishedResponse,
  type HostApp,
  type HostRequest,
  type HostResponse,
} from '../../http/http.ts'
import { NodeRequest } from '../../server/adapters/node/node-request.ts'
import type { RunningApp } from '../../server/dispatch.ts'
import type { RequestContext } from '../../server/pipeline/context.ts'
import { beforeFirstWrite, captureResponse, sendFinished, type Captured } from './captured.ts'
import { addHeaders, GONE, toHeaderRecord } from './headers.ts'
import { isUnserved, openInside, type InsideApp, type InsideOptions } from './options.ts'
import { replaceRequest } from './replaced.ts'

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
  const parseQuery = queryParserOf(server)
  server.decorateRequest(EXCHANGE, undefined)
  server.addHook('onRequest', async (request, reply) => {
    const { raw } = request
    const moved = movedBy.get(raw)
    if (moved !== undefined) {
      moved.continueWith(request, reply)
      return undefined
    }
    const exchange = new Exchange({ server, parseQuery }, request, reply, version?.(request))
    return exchange.begin(await start())
  })
  server.addHook('onSend', async (request, reply, payload) => {
    const exchange = exchangeOf(request)
    return exchange === undefined ? payload : exchange.send(reply, payload)
  })
  done()
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

const EXCHANGE: unique symbol = Symbol('octavo.inside')

/** By the request of Node, because Fastify makes another one of it when a path that moved is routed again. */
const movedBy = new WeakMap<IncomingMessage, Exchange>()

function exchangeOf(request: FastifyRequest): Exchange | undefined {
  const found: unknown = Reflect.get(request, EXCHANGE)
  return found instanceof Exchange ? found : undefined
}

/** A request that Fastify has received, and its way through Octavo. A class because one is made for every request. */
class Exchange extends NodeRequest implements HostApp {
  readonly #application: Application
  #view: FastifyRequest
  #reply: FastifyReply
  readonly version: string | undefined
  #context: RequestContext | undefined
  #finished: Promise<FinishedResponse> | undefined
  isPassed = false
  /** Headers about versions, if the response of Fastify is sent as it is. */
  #told: FinishedResponse['headers'] | undefined
  #replacement: HostRequest | undefined
  /** Lets Fastify go on. */
  #goOn: (() => void) | undefined
  /** Gets the response of Fastify. */
  #take: ((response: HostResponse) => void) | undefined
  #leave: ((status: number) => void) | undefined
  /** Has the response of Node be written as it is. */
  #stop: (() => void) | undefined

  constructor(
    application: Application,
    view: FastifyRequest,
    reply: FastifyReply,
    version: string | undefined,
  ) {
    super(view.raw, reply.raw)
    this.#application = application
    this.#view = view
    this.#reply = reply
    this.version = version
  }

  get host(): HostApp {
    return this
  }

  /** Dispatches the request. Resolves when Fastify has to go on, or with the reply that was sent. */
  async begin({ dispatch }: RunningApp): Promise<FastifyReply | undefined> {
    const continued = new Promise<void>((resolve) => {
      this.#goOn = resolve
    })
    const { context, response } = dispatch(this)
    this.#context = context
    this.#finished = Promise.resolve(response)
    const finished = await Promise.race([continued, this.#finished])
    if (finished === undefined) return this.#afterHost()
    if (isUnserved(this, finished, context)) return undefined
    const { status, headers } = finished
    this.#reply.code(status).headers(headers)
    this.#endWithReply()
    await this.#reply.send(toPayload(finished))
    return this.#reply
  }

  /** The application has been asked to answer. */
  #afterHost(): FastifyReply | undefined {
    const { raw } = this.#view
    const before = raw.url ?? '/'
    const { path = before } = this.#replacement ?? {}
    if (this.#replacement !== undefined) replaceRequest(raw, this.#replacement)
    const [target, ...queries] = path.split('?')
    if (target === before.split('?', 1)[0]) {
      if (path !== before) this.#view.query = this.#application.parseQuery(queries.join('?'))
      this.#follow(this.#view, this.#reply)
      return undefined
    }
    movedBy.set(raw, this)
    this.#reply.hijack()
    this.#application.server.routing(raw, this.#reply.raw)
    return this.#reply
  }

  /** The route was found anew. */
  continueWith(view: FastifyRequest, reply: FastifyReply): void {
    view.id = this.#view.id
    this.#follow(view, reply)
  }

  #follow(view: FastifyRequest, reply: FastifyReply): void {
    this.#view = view
    this.#reply = reply
    Reflect.set(view, EXCHANGE, this)
    if (this.#take !== undefined)
      this.#stop = beforeFirstWrite(
        this.response,
        () => void this.#takeWritten(captureResponse(this.response)),
      )
  }

  /** Converts what a handler writes to the response of Node by itself. */
  async #takeWritten({ response, release }: Captured): Promise<void> {
    this.#take?.(await response)
    const finished = await this.#finished
    if (finished !== undefined && this.#context !== undefined)
      sendFinished(release(), finished, this.#context)
  }

  pass(): void {
    this.isPassed = true
  }

  leave(headers: FinishedResponse['headers']): Promise<number> {
    this.#told = headers
    return new Promise((resolve) => {
      this.#leave = resolve
      this.response.once('close', () => resolve(this.response.statusCode))
      this.#goOn?.()
    })
  }

  answer(request: HostRequest | undefined): Promise<HostResponse> {
    this.#replacement = request
    return new Promise((resolve) => {
      this.#take = resolve
      this.response.once('close', () => resolve(GONE))
      this.#goOn?.()
    })
  }

  /** Returns what is sent in the place of a payload of Fastify. */
  async send(reply: FastifyReply, payload: unknown): Promise<unknown> {
    if (this.#told !== undefined) {
      addHeaders(this.#told, {
        get: (name) => reply.getHeader(name),
        set: (name, value) => void reply.removeHeader(name).header(name, value),
      })
      this.#leave?.(reply.statusCode)
      this.#endWithReply()
      return payload
    }
    if (this.#take === undefined || this.#finished === undefined) return payload
    this.#stop?.()
    this.#take({
      status: reply.statusCode,
      headers: toHeaderRecord(reply.getHeaders()),
      body: toBytes(payload),
    })
    this.#take = undefined
    const finished = await this.#finished
    for (const name of Object.keys(reply.getHeaders())) reply.removeHeader(name)
    reply.code(finished.status).headers(finished.headers)
    this.#endWithReply()
    // a payload of none fails in the routes that Fastify makes for HEAD, and another one would say its length
    return reply.request.method === 'HEAD' ? Readable.from([]) : toPayload(finished)
  }

  #endWithReply(): void {
    this.response.once('close', () => void this.#context?.end())
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

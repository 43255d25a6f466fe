import { parse as parseQuery } from 'node:querystring'
import { Readable } from 'node:stream'
import type { IncomingMessage } from 'node:http'

import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify'

import type { Rules } from '../../base/definition-error.ts'
import { isNonEmptyString, isObject } from '../../base/values.ts'
import {
  dropBody,
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
import { addHeaders, GONE, toHeaderRecord } from './headers.ts'
import { openInside, type InsideApp, type InsideOptions } from './options.ts'
import { replaceHead } from './replaced.ts'

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
  server.decorateRequest(EXCHANGE, undefined)
  server.addHook('onRequest', async (request, reply) => {
    const { raw } = request
    const moved = movedBy.get(raw)
    if (moved !== undefined) {
      moved.continueWith(request, reply)
      return undefined
    }
    const exchange = new Exchange(server, request, reply, version?.(request))
    return exchange.begin(await start())
  })
  server.addHook(
    'preParsing',
    async (request, _reply, payload) => exchangeOf(request)?.toPayload() ?? payload,
  )
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

const EXCHANGE: unique symbol = Symbol('octavo.inside')

/** By the request of Node, because Fastify makes another one of it when a path that moved is routed again. */
const movedBy = new WeakMap<IncomingMessage, Exchange>()

function exchangeOf(request: FastifyRequest): Exchange | undefined {
  const found: unknown = Reflect.get(request, EXCHANGE)
  return found instanceof Exchange ? found : undefined
}

/** A request that Fastify has received, and its way through Octavo. A class because one is made for every request. */
class Exchange extends NodeRequest implements HostApp {
  readonly #server: FastifyInstance
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

  constructor(
    server: FastifyInstance,
    view: FastifyRequest,
    reply: FastifyReply,
    version: string | undefined,
  ) {
    super(view.raw, reply.raw)
    this.#server = server
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
    if (this.isPassed && finished.status === 404) {
      dropBody(finished.body)
      void context.end()
      return undefined
    }
    const { status, headers } = finished
    this.#reply.code(status).headers(headers)
    this.#endWithReply()
    await this.#reply.send(toPayload(finished))
    return this.#reply
  }

  /** The application has been asked to answer. */
  #afterHost(): FastifyReply | undefined {
    Reflect.set(this.#view, EXCHANGE, this)
    const before = this.#view.raw.url ?? '/'
    if (this.#replacement === undefined) return undefined
    replaceHead(this.#view.raw, this.#replacement)
    if (this.#replacement.path === before) return undefined
    if (this.#replacement.path.split('?', 1)[0] === before.split('?', 1)[0]) {
      const { path } = this.#replacement
      this.#view.query = parseQuery(path.includes('?') ? path.slice(path.indexOf('?') + 1) : '')
      return undefined
    }
    movedBy.set(this.#view.raw, this)
    this.#reply.hijack()
    this.#server.routing(this.#view.raw, this.#reply.raw)
    return this.#reply
  }

  /** The route was found anew. */
  continueWith(view: FastifyRequest, reply: FastifyReply): void {
    view.id = this.#view.id
    this.#view = view
    this.#reply = reply
    Reflect.set(view, EXCHANGE, this)
  }

  pass(): void
  pass(headers: FinishedResponse['headers']): Promise<number>
  pass(headers?: FinishedResponse['headers']): Promise<number> | void {
    if (headers === undefined) {
      this.isPassed = true
      return
    }
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

  /** The body for the parser of Fastify, if it is another one. */
  toPayload(): Readable | undefined {
    const body = this.#replacement?.body
    if (body === undefined) return undefined
    const payload = Readable.from(body === null ? [] : [body], { objectMode: false })
    return Object.assign(payload, { receivedEncodedLength: body?.length ?? 0 })
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

import type { ServerResponse } from 'node:http'

import { bodyEndedEarly } from '../../server/request/body.ts'
import type { FinishedResponse, HostResponse } from '../../http/http.ts'
import { endWithResponse, giveUp, write } from '../../server/adapters/node/write-response.ts'
import type { RequestContext } from '../../server/pipeline/context.ts'
import { GONE, toHeaderRecord } from './headers.ts'

/** Bytes that wait for the conversion before the application is asked to pause. */
const HIGH_WATER = 65_536

/** The members of a response by which an application writes it. */
const WRITERS = ['writeHead', 'write', 'end', 'flushHeaders', 'headersSent', 'writableEnded'] as const

/** Those that throw when the head is written. */
const SETTERS = ['setHeader', 'appendHeader', 'removeHeader'] as const

/** A response that an application writes and that is not sent. */
export interface Captured {
  /** Resolves with its head, and with all of its body if that was written at once. */
  readonly response: Promise<HostResponse>
  /** Returns the response, without headers, for another one to be sent. What the application still writes goes to the body as before. */
  readonly release: () => ServerResponse
}

/** Takes what an application writes to a response of Node, so that nothing of it is sent. */
export function captureResponse(response: ServerResponse): Captured {
  const before: Members = new Map(
    [...SETTERS, ...WRITERS].map((name) => [name, Object.getOwnPropertyDescriptor(response, name)]),
  )
  const body = new WrittenBody(response)
  const restore = (name: string): void => {
    const own = before.get(name)
    Reflect.deleteProperty(response, name)
    if (own !== undefined) Object.defineProperty(response, name, own)
  }
  const release = (): ServerResponse => {
    for (const name of SETTERS) restore(name)
    for (const name of response.getHeaderNames()) response.removeHeader(name)
    response.statusMessage = ''
    if (!body.hasEnded) return withMembers(response, before)
    for (const name of WRITERS) restore(name)
    return response
  }
  const told = new Promise<HostResponse>((resolve) => {
    take(response, body, resolve)
    if (response.destroyed) resolve(GONE)
    else response.once('close', () => resolve(GONE))
  })
  return { response: told, release }
}

/** Calls `begin` before anything is written to a response. Returns what ends this. */
export function beforeFirstWrite(response: ServerResponse, begin: () => void): () => void {
  const before = Object.fromEntries(WRITERS.slice(0, 4).map((name) => [name, Reflect.get(response, name)]))
  const stop = (): void => void Object.assign(response, before)
  for (const name of Object.keys(before)) {
    const beginAnd = (...given: readonly unknown[]): unknown => {
      stop()
      begin()
      return Reflect.apply(Object(Reflect.get(response, name)), response, given)
    }
    Reflect.set(response, name, beginAnd)
  }
  return stop
}

/** Sends a response that Octavo has finished. Fails as the connection does. */
export function sendFinished(
  response: ServerResponse,
  finished: FinishedResponse,
  context: RequestContext,
): void {
  try {
    endWithResponse(response, context, finished)
    write(response, finished, false, context)
  } catch (error) {
    giveUp(response, context, error)
  }
}

type Members = ReadonlyMap<unknown, PropertyDescriptor | undefined>

/** The response with the members that it had, while the application has others. */
function withMembers(response: ServerResponse, members: Members): ServerResponse {
  const prototype: unknown = Object.getPrototypeOf(response)
  return new Proxy(response, {
    get: (target, name) => {
      const own = members.get(name)
      const value: unknown =
        own?.value ?? Reflect.get(members.has(name) ? Object(prototype) : target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
    set: (target, name, value) => Reflect.set(target, name, value, target),
  })
}

export type Callback = (error?: Error | null) => void

/** Puts the members in place. `tell` gets the response once its head and either its body or its first bytes are known. */
function take(response: ServerResponse, body: WrittenBody, tell: (response: HostResponse) => void): void {
  let hasHead = false
  let isTold = false
  const begin = (content: HostResponse['body']): void => {
    // by its name, because middleware may have put a function of its own around it
    if (!hasHead) response.writeHead(response.statusCode)
    if (isTold) return
    isTold = true
    tell({ status: response.statusCode, headers: toHeaderRecord(response.getHeaders()), body: content })
  }
  const put = (name: string, value: unknown): void => {
    Object.defineProperty(response, name, { value, configurable: true, writable: true })
  }
  const members = {
    writeHead: (status: number, ...rest: readonly unknown[]) => {
      if (hasHead) refuseHead()
      response.statusCode = status
      setHeaders(response, rest.at(-1))
      hasHead = true
      for (const name of SETTERS) put(name, refuseHead)
      return response
    },
    flushHeaders: () => begin(body),
    write: (chunk: unknown, ...rest: readonly unknown[]) => {
      begin(body)
      return body.add(toBytes(chunk, rest[0]), callbackOf(rest))
    },
    end: (...given: readonly unknown[]) => {
      const [chunk, encoding] = typeof given[0] === 'function' ? [] : given
      const bytes = chunk === undefined || chunk === null ? undefined : toBytes(chunk, encoding)
      const done = callbackOf(given)
      if (done !== undefined) response.once('finish', done)
      begin(bytes ?? null)
      body.end(bytes)
      return response
    },
  }
  for (const [name, value] of Object.entries(members)) put(name, value)
  Object.defineProperty(response, 'headersSent', { get: () => hasHead, configurable: true })
  Object.defineProperty(response, 'writableEnded', { get: () => body.hasEnded, configurable: true })
}

/** Does as Node does once a head is sent. */
function refuseHead(): never {
  const error = new Error('Cannot set headers after they are sent to the client')
  throw Object.assign(error, { code: 'ERR_HTTP_HEADERS_SENT' })
}

export function callbackOf(given: readonly unknown[]): Callback | undefined {
  // the last argument of methods of streams, if it is a function, is called back
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return given.find((each) => typeof each === 'function') as Callback | undefined
}

export function toBytes(chunk: unknown, encoding: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk
  const named = String(encoding)
  return Buffer.from(String(chunk), Buffer.isEncoding(named) ? named : 'utf8')
}

/** Sets the headers that `writeHead` was given: a record, or names and values in turn. */
export function setHeaders(response: ServerResponse, given: unknown): void {
  if (Array.isArray(given)) {
    const lines: readonly unknown[] = given.flat()
    for (let at = 0; at < lines.length; at += 2) response.removeHeader(String(lines[at]))
    for (let at = 0; at + 1 < lines.length; at += 2)
      response.appendHeader(String(lines[at]), toValue(lines[at + 1]))
  } else if (typeof given === 'object' && given !== null) {
    for (const [name, value] of Object.entries(given))
      if (value !== undefined) response.setHeader(name, toValue(value))
  }
}

function toValue(value: unknown): string | readonly string[] {
  return Array.isArray(value) ? value.map(String) : String(value)
}

/** The chunks that an application writes. A class because its state is that of one response. */
export class WrittenBody implements AsyncIterable<Uint8Array> {
  readonly #response: ServerResponse
  readonly #chunks: { readonly bytes: Uint8Array; readonly done: Callback | undefined }[] = []
  #size = 0
  #wake: (() => void) | undefined
  hasEnded = false
  #isGone = false

  constructor(response: ServerResponse) {
    this.#response = response
    response.once('close', () => {
      this.#isGone = true
      this.#wake?.()
    })
  }

  /** Returns whether more may follow at once. */
  add(bytes: Uint8Array, done?: Callback): boolean {
    this.#chunks.push({ bytes, done })
    this.#size += bytes.length
    this.#wake?.()
    return this.#size < HIGH_WATER
  }

  end(bytes: Uint8Array | undefined): void {
    if (bytes !== undefined && bytes.length > 0) this.add(bytes)
    this.hasEnded = true
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const next = this.#chunks.shift()
      if (next !== undefined) {
        const wasFull = this.#size >= HIGH_WATER
        this.#size -= next.bytes.length
        yield next.bytes
        next.done?.()
        if (wasFull && this.#size < HIGH_WATER) this.#response.emit('drain')
      } else if (this.hasEnded) return
      else if (this.#isGone) throw bodyEndedEarly()
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
    }
  }
}

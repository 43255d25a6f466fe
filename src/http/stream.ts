import type { EventEmitter } from 'node:events'
import type { Writable } from 'node:stream'

import { ignoreFailure } from '../base/async.ts'
import type { BodyStream, FinishedResponse } from './http.ts'
import { isObject } from '../base/values.ts'

/** Where the chunks of a streamed body come from. */
export interface ChunkSource {
  readonly next: () => Promise<{
    readonly done?: boolean | undefined
    readonly value?: Uint8Array | string | undefined
  }>
  /** Cancels the source, also while a chunk is awaited. */
  readonly cancel: () => void
}

/** Whether a body has to be read chunk by chunk. */
export function isStream(body: FinishedResponse['body']): body is BodyStream {
  return body !== null && typeof body === 'object' && !(body instanceof Uint8Array)
}

/** Node and web readable streams and async generators all are async iterables. */
export function isAsyncIterable(value: unknown): value is BodyStream {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

/** Whether the value is a web stream, of this realm or of a ponyfill. */
export function isWebStream(value: unknown): value is ReadableStream<Uint8Array> {
  return typeof value === 'object' && value !== null && 'getReader' in value
}

/** The members of a `Response` of any realm, be it that of the platform, of an installed undici or of a ponyfill. */
export interface WebResponse extends Pick<Response, 'status' | 'arrayBuffer'> {
  readonly headers: Pick<Headers, 'forEach'> & Partial<Pick<Headers, 'getSetCookie'>>
  readonly body?: Response['body'] | undefined
  readonly bodyUsed?: boolean
}

/** Whether the value is a `Response`. Asked for plain objects and lists without touching `Response`, which Node loads when it is first named. */
export function isWebResponse(result: unknown): result is WebResponse {
  if (!isObject(result) || Array.isArray(result)) return false
  const prototype: unknown = Object.getPrototypeOf(result)
  if (prototype === Object.prototype || prototype === null) return false
  if (!('status' in result) || typeof result.status !== 'number' || !('headers' in result)) return false
  const { headers } = result
  return isObject(headers) && hasMethod(headers, 'forEach') && hasMethod(result, 'arrayBuffer')
}

function hasMethod(value: object, name: string): boolean {
  return typeof Reflect.get(value, name) === 'function'
}

/** Opens a streamed body. @throws `TypeError` when something else reads it already. */
export function openStream(body: BodyStream): ChunkSource {
  if (isWebStream(body)) {
    // the iterator of a web stream would wait for the next chunk before it cancels
    const reader: ReadableStreamDefaultReader<Uint8Array | string> = body.getReader()
    return { next: () => reader.read(), cancel: () => ignoreFailure(() => reader.cancel()) }
  }
  const iterator = body[Symbol.asyncIterator]()
  const cancel = (): void =>
    ignoreFailure(() => {
      // a stream of Node
      if ('destroy' in body && typeof body.destroy === 'function') return body.destroy()
      return iterator.return?.()
    })
  return {
    next: async () => {
      const { done, value } = await iterator.next()
      return done === true ? { done } : { value }
    },
    cancel,
  }
}

/** Keeps a failing Node stream without a reader from ending the process. A reader still receives the error. */
export function ignoreErrors(body: unknown): void {
  if (isEmitter(body) && !body.listeners('error').includes(ignore)) body.on('error', ignore)
}

/** Asked without the module, which takes Bun longer to load than a tenth of Octavo. */
function isEmitter(value: unknown): value is Pick<EventEmitter, 'on' | 'listeners'> {
  if (typeof value !== 'object' || value === null || !('on' in value && 'listeners' in value)) return false
  return typeof value.on === 'function' && typeof value.listeners === 'function'
}

/** Cancels a streamed body. */
export function dropBody(body: FinishedResponse['body'] | undefined): void {
  // a stream that cannot be cancelled has no one left to tell
  ignoreFailure(() => {
    if (body === undefined || !isStream(body)) return undefined
    ignoreErrors(body)
    if ('cancel' in body && typeof body.cancel === 'function') return body.cancel()
    if ('destroy' in body && typeof body.destroy === 'function') return body.destroy()
    return 'return' in body && typeof body.return === 'function' ? body.return() : undefined
  })
}

/** Whether the memory behind bytes was transferred elsewhere. Such bytes look empty, and most that is done with them throws. */
export function isDetached(bytes: Uint8Array | string): boolean {
  if (typeof bytes === 'string' || bytes.length > 0) return false
  try {
    return new Uint8Array(bytes.buffer).length > 0
  } catch {
    return true
  }
}

/** Resolves when the written data was consumed, or when the target closes. */
export function drained(target: Writable): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      target.off('drain', go).off('close', go)
      resolve()
    }
    if (target.destroyed) resolve()
    else target.once('drain', go).once('close', go)
  })
}

/** A source that fails while it is given up has no one left to tell. */
function ignore(): void {}

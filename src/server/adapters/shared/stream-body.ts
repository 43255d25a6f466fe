import { httpError, type HttpError } from '../../../http/errors.ts'
import {
  isDetached,
  openStream,
  type BodyStream,
  type RawBody,
  type ChunkSource,
  type FinishedResponse,
} from '../../../http/http.ts'
import { bodyEndedEarly, bodyTooLarge, collectChunks } from '../../request/body.ts'
import type { RequestContext } from '../../pipeline/context.ts'
import type { Awaitable } from '../../../base/values.ts'

/** A body that comes as a stream, without a socket. A class because it remembers how far it was read. */
export class StreamBody implements RawBody {
  readonly length: number | undefined
  readonly #stream: BodyStream
  readonly #onFailure: (error: unknown) => void
  #source: ChunkSource | undefined
  #isOver = false
  #breakReading: ((error: HttpError) => void) | undefined

  /** `length` is the declared one, in bytes; `onFailure` is told what the stream fails with. */
  constructor(
    stream: BodyStream,
    length: number | undefined,
    onFailure: (error: unknown) => void = () => undefined,
  ) {
    this.length = length
    this.#stream = stream
    this.#onFailure = onFailure
  }

  /** Whether it is being read and has not ended. */
  get isArriving(): boolean {
    return this.#source !== undefined && !this.#isOver
  }

  read(limit: number): Promise<Uint8Array> {
    return collectChunks(this.chunks(limit))
  }

  async *chunks(limit: number): AsyncGenerator<Uint8Array> {
    const { length } = this
    if (length === 0) return
    if (length !== undefined && length > limit) throw bodyTooLarge(limit)
    let size = 0
    try {
      for (let chunk = await this.#next(); chunk !== undefined; chunk = await this.#next()) {
        size += chunk.length
        if (size > limit) throw bodyTooLarge(limit)
        if (length !== undefined && size > length) throw otherLength()
        if (chunk.length > 0) yield chunk
      }
      if (length !== undefined && size < length) throw otherLength()
    } finally {
      this.discard()
    }
  }

  /** Cancels the rest of the stream. */
  discard(): void {
    if (this.#isOver) return
    this.#isOver = true
    try {
      ;(this.#source ?? openStream(this.#stream)).cancel()
    } catch {
      // somebody else reads it
    }
  }

  /** Ends with its request: when that is answered, and when its signal aborts, also while the stream gives nothing more. */
  endWith(context: Pick<RequestContext, 'atEnd'>, signal: AbortSignal): void {
    const stop = (): void => {
      this.#breakReading?.(bodyEndedEarly())
      this.discard()
    }
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop)
    context.atEnd(() => {
      signal.removeEventListener('abort', stop)
      this.discard()
    })
  }

  async #next(): Promise<Uint8Array | undefined> {
    if (this.#isOver) throw bodyEndedEarly()
    const source = (this.#source ??= openStream(this.#stream))
    try {
      const { done, value } = await new Promise<Awaited<ReturnType<ChunkSource['next']>>>(
        (resolve, reject) => {
          this.#breakReading = reject
          source.next().then(resolve, reject)
        },
      )
      if (done !== true) return toBytes(value)
      this.#isOver = true
      return undefined
    } catch (error) {
      if (this.#isOver) throw bodyEndedEarly()
      this.#onFailure(error)
      throw bodyEndedEarly(error)
    }
  }
}

/** The error of a body whose head says another length. */
export function otherLength(): HttpError {
  return httpError('malformed_request', 'The body is not as long as its Content-Length says')
}

/** A chunk of a streamed body as bytes. @throws `TypeError` when it is neither text nor bytes */
export function toBytes(chunk: unknown): Uint8Array {
  if (typeof chunk === 'string') return Buffer.from(chunk)
  if (chunk instanceof Uint8Array) {
    // it looks like an empty one, and what follows would be taken for the whole
    if (isDetached(chunk)) throw new TypeError('A chunk of a streamed body was transferred elsewhere')
    return chunk
  }
  throw new TypeError(`A chunk of a streamed body is a ${typeof chunk}, neither text nor bytes`)
}

/** The bytes of a streamed response. Its request ends with it, once, however that is; until then the application does not close. */
export interface ByteSource {
  /** The next bytes; `undefined` at the end, and when it was cancelled. Rejects when the source fails. */
  readonly next: () => Promise<Uint8Array | undefined>
  /** Abandons the source because it has no reader, and aborts the signal of the request. */
  readonly cancel: (reason: unknown) => void
}

/** Opens the body of a response. @throws `TypeError` when something else reads it already; the request has ended then. */
export function openBytes(
  body: BodyStream,
  headers: FinishedResponse['headers'],
  context: RequestContext,
): ByteSource {
  let isOver = false
  const end = (): Awaitable<void> => {
    isOver = true
    return context.end()
  }
  const source = openOrEnd(body, context)
  const keep = createLengthCheck(headers['content-length'])
  context.atEnd(NOTHING)
  return {
    next: async () => {
      if (isOver) return undefined
      try {
        const { done, value } = await source.next()
        // cancelled meanwhile
        if (wasEnded()) return undefined
        const bytes = done === true ? undefined : toBytes(value)
        keep(bytes)
        if (bytes === undefined) await end()
        return bytes
      } catch (error) {
        if (wasEnded()) return undefined
        source.cancel()
        await end()
        throw toReadableError(error)
      }
    },
    cancel: (reason) => {
      if (isOver) return
      isOver = true
      source.cancel()
      context.abort(reason)
      void end()
    },
  }

  function wasEnded(): boolean {
    return isOver
  }
}

/** The error of a source, or one in its place that can be read: streams look at its prototype and stack, where a hostile one throws. */
function toReadableError(error: unknown): unknown {
  try {
    if (error instanceof Error) void error.stack
    else void Reflect.get(Object(error), 'stack')
    return error
  } catch {
    return new TypeError('A streamed body failed with an error that cannot be read')
  }
}

function openOrEnd(body: BodyStream, context: RequestContext): ChunkSource {
  try {
    return openStream(body)
  } catch (error) {
    void context.end()
    throw error
  }
}

/** Checks the next bytes of a stream, or its end. @throws `TypeError` if it is not as long as its head says. */
export type LengthCheck = (bytes: Uint8Array | undefined) => void

/** Creates the check that a stream is as long as its head says, which a socket would break off at. */
export function createLengthCheck(declared: string | string[] | number | undefined): LengthCheck {
  if (declared === undefined) return NOTHING
  let left = Number(declared)
  return (bytes) => {
    left -= bytes?.length ?? 0
    if (left < 0 || (bytes === undefined && left > 0))
      throw new TypeError('The length of a streamed body differs from its Content-Length')
  }
}

const NOTHING = (): void => undefined

/** A body that is there already. A class because one is made for every request that has a body. */
export class BytesBody implements RawBody {
  readonly #bytes: Uint8Array
  readonly length: number

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.length = bytes.length
  }

  read(limit: number): Promise<Uint8Array> {
    if (this.length <= limit) return Promise.resolve(this.#bytes)
    return Promise.reject(bodyTooLarge(limit))
  }

  async *chunks(limit: number): AsyncGenerator<Uint8Array> {
    if (this.length > limit) throw bodyTooLarge(limit)
    // in pieces, as a socket gives them
    for (let at = 0; at < this.length; at += CHUNK) yield this.#bytes.subarray(at, at + CHUNK)
  }
}

const CHUNK = 65_536

/** The body of requests that have none. */
export const NO_BODY = new BytesBody(new Uint8Array(0))

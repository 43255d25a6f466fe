import { keepContext } from '../../base/platform.ts'
import type { Awaitable } from '../../base/values.ts'
import {
  ignoreErrors,
  isAsyncIterable,
  isDetached,
  isStream,
  isWebStream,
  openStream,
  type BodyStream,
  type ChunkSource,
  type FinishedResponse,
  type WebResponse,
} from '../../http/http.ts'
import type { RequestContext } from './context.ts'

/** The chunks of the body of a `Response`. */
export function toStream(response: WebResponse, body: BodyStream | object | undefined): BodyStream {
  return isAsyncIterable(body) ? body : chunksOf(response)
}

/**
 * Reads a `Response` whose stream cannot be iterated, or that has none.
 *
 * @yields the chunks of its body
 */
async function* chunksOf(response: WebResponse): AsyncGenerator<Uint8Array | string> {
  const { body } = response
  if (!isWebStream(body)) {
    yield new Uint8Array(await response.arrayBuffer())
    return
  }
  const source = openStream(body)
  try {
    for (let chunk = await source.next(); chunk.done !== true; chunk = await source.next())
      if (chunk.value !== undefined) yield chunk.value
  } finally {
    source.cancel()
  }
}

/** Opens a stream whose code goes on in the asynchronous context of now, whoever reads it. */
function openInContext(body: BodyStream): ChunkSource {
  const run = keepContext()
  const { next, cancel } = openStream(body)
  return { next: () => run(next), cancel: () => run(cancel) }
}

/** Milliseconds that a stream has for its first chunk before its head is sent without. */
const PATIENCE = 100

/**
 * The response with its stream begun, so that an error before the first chunk is answered as any other error is. A stream that takes
 * longer than that does not keep its head waiting. For HEAD nothing is begun.
 */
export function startStream(
  response: FinishedResponse,
  context: RequestContext,
): Awaitable<FinishedResponse> {
  const { body } = response
  if (!isStream(body)) return response
  if (context.method !== 'HEAD') return startBody(response, body, context)
  ignoreErrors(body)
  return response
}

type Chunk = Awaited<ReturnType<ChunkSource['next']>>

async function startBody(
  response: FinishedResponse,
  body: BodyStream,
  context: RequestContext,
): Promise<FinishedResponse> {
  const source = openInContext(body)
  // also when a middleware puts another stream in its place
  context.atEnd(source.cancel)
  let timer: NodeJS.Timeout | undefined
  try {
    const first = source.next().then(checked)
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, PATIENCE)
    })
    await Promise.race([first, late])
    return { ...response, body: resume(source, first) }
  } catch (error) {
    source.cancel()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** The first chunk, which shows whether a stream holds what can be sent. */
function checked(chunk: Chunk): Chunk {
  const { done, value } = chunk
  if (done === true || typeof value === 'string') return chunk
  if (value instanceof Uint8Array && !isDetached(value)) return chunk
  throw new TypeError(
    `A chunk of a streamed body is a ${typeof value}, neither text nor bytes with their memory`,
  )
}

/** The rest of a stream, with what was read of it. */
function resume(source: ChunkSource, first: Promise<Chunk>): BodyStream {
  let begun: Promise<Chunk> | undefined = first
  const rest: AsyncIterableIterator<Uint8Array | string, undefined> = {
    [Symbol.asyncIterator]: () => rest,
    next: async () => {
      const chunk = begun ?? source.next()
      begun = undefined
      const { done, value } = await chunk
      return done === true || value === undefined ? { done: true, value: undefined } : { value }
    },
    return: () => {
      source.cancel()
      return Promise.resolve({ done: true, value: undefined })
    },
  }
  return rest
}

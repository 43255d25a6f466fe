import type { Awaitable } from '../../../base/values.ts'
import { openStream, type BodyStream, type FinishedResponse, type ChunkSource } from '../../../http/http.ts'
import type { RequestContext } from '../../pipeline/context.ts'
import { toBytes } from './stream-body.ts'

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
        throw toReadable(error)
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
function toReadable(error: unknown): unknown {
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

/** Creates the check that a stream is as long as its head says, which a socket would break off at. */
function createLengthCheck(declared: string | string[] | undefined): (bytes: Uint8Array | undefined) => void {
  if (declared === undefined) return NOTHING
  let left = Number(declared)
  return (bytes) => {
    left -= bytes?.length ?? 0
    if (left < 0 || (bytes === undefined && left > 0))
      throw new TypeError('The length of a streamed body differs from its Content-Length')
  }
}

const NOTHING = (): void => undefined

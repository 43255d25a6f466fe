import { clientWentAway, type BodyStream, type FinishedResponse } from '../../../http/http.ts'
import type { RequestContext } from '../../pipeline/context.ts'
import { logBroken } from '../../pipeline/failure.ts'
import { openBytes } from '../shared/stream-body.ts'

/** A request that is answered with a stream. */
interface StreamedExchange {
  readonly context: RequestContext
  /** The signal of the client. */
  readonly signal: AbortSignal
}

/**
 * The body as a web stream that reads its source only when it is read itself.
 *
 * @throws `TypeError` when something else reads the source already; the request has ended then.
 */
export function toWebStream(
  body: BodyStream,
  headers: FinishedResponse['headers'],
  { context, signal }: StreamedExchange,
): ReadableStream<Uint8Array> {
  const source = openBytes(body, headers, context)
  let stop: (() => void) | undefined
  const release = (): void => {
    if (stop !== undefined) signal.removeEventListener('abort', stop)
    stop = undefined
  }
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        stop = () => {
          source.cancel(signal.reason)
          controller.error(signal.reason)
        }
        if (signal.aborted) stop()
        else signal.addEventListener('abort', stop, { once: true })
      },
      pull: async (controller) => {
        try {
          const bytes = await source.next()
          if (signal.aborted) return
          if (bytes !== undefined) return controller.enqueue(bytes)
          release()
          controller.close()
        } catch (error) {
          release()
          logBroken(context, error)
          throw error
        }
      },
      cancel: (reason) => {
        release()
        source.cancel(reason ?? clientWentAway())
      },
    },
    { highWaterMark: 0 },
  )
}

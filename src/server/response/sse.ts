import {
  rawReply,
  replyTo,
  type EventsReply,
  type RawOptions,
  type ReplyContext,
  type ServerSentEvent,
} from '../../define/reply.ts'
import { LONGEST_TIMER, type Awaitable } from '../../base/values.ts'
import { toRetry } from './event-text.ts'
import { createPump } from './pump.ts'

/** Events, one after the other. */
export type Events<E = ServerSentEvent> = AsyncIterable<E> | Iterable<E>

/** The argument of a function that returns events. */
export interface EventRequest {
  /** The id of the last event that the client has seen, `undefined` at its first request. */
  readonly lastEventId: string | undefined
  /** Aborted when the client disconnects or the application closes. */
  readonly signal: AbortSignal
}

/** The options of `sse`. */
export interface SseOptions extends RawOptions {
  /** Milliseconds of silence after which a comment is sent, so that proxies do not close the connection. 0 sends none. @default 15000 */
  readonly heartbeat?: number
  /** Milliseconds after which a client that lost the connection reconnects. @default as browsers like: a few seconds */
  readonly retry?: number
}

const HEAD = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  // nginx would gather events before it passes them on
  'x-accel-buffering': 'no',
} as const

/**
 * Returns a result that is a stream of events for `EventSource` (the HTML standard, section 9.2). The next event is requested when the
 * client has read the last one. When the client disconnects or the application closes, the signal is aborted and the source returns, so
 * that `finally` in a generator runs.
 *
 * @example
 * handler: () => sse(async function* ({ lastEventId, signal }) {
 *   for await (const car of cars.since(lastEventId, signal)) yield { event: 'car', id: car.id, data: car }
 * })
 *
 * @throws `RangeError` when `heartbeat` or `retry` is not a number of milliseconds.
 */
export function sse<const E extends ServerSentEvent = ServerSentEvent>(
  source: Events<E> | ((request: EventRequest) => Awaitable<Events<E>>),
  options: SseOptions = {},
): EventsReply<E> {
  const { heartbeat = 15_000, retry, status, cookies = {}, headers } = options
  if (!Number.isSafeInteger(heartbeat) || heartbeat < 0 || heartbeat > LONGEST_TIMER)
    throw new RangeError('sse: heartbeat is not a number of milliseconds')
  const start = retry === undefined ? '' : `${toRetry(retry)}\n`
  const made = replyTo(async (context, shape) => {
    const abort = new AbortController()
    const events = await open(source, context, abort)
    let forget: (() => void) | undefined
    const ended = (): void => {
      forget?.()
      abort.abort(new DOMException('Nobody reads the events any more', 'AbortError'))
    }
    const pump = createPump(events, { start, heartbeat, ended, shape })
    const stop = (): void => void pump.return()
    forget = context.whenClosing(stop)
    // also when nothing of it was sent
    context.atEnd(stop)
    return rawReply(status, pump, { headers: { ...HEAD, ...headers }, cookies })
  })
  // only types know the events
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return made as EventsReply<E>
}

/** Starts a source; a client that leaves meanwhile aborts its signal. */
async function open(
  source: Parameters<typeof sse>[0],
  { request, signal }: ReplyContext,
  abort: AbortController,
): Promise<AsyncIterator<unknown> | Iterator<unknown>> {
  const leave = (): void => abort.abort(signal.reason)
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  const lastEventId = decodeId(request.header('last-event-id'))
  try {
    const events = typeof source === 'function' ? await source({ lastEventId, signal: abort.signal }) : source
    if (!isSource(events))
      throw new TypeError('sse: the source is neither an iterable of events nor a function that returns one')
    return Symbol.asyncIterator in events ? events[Symbol.asyncIterator]() : events[Symbol.iterator]()
  } catch (error) {
    abort.abort(error)
    throw error
  }
}

function isSource(events: unknown): boolean {
  return (
    typeof events === 'object' &&
    events !== null &&
    (Symbol.asyncIterator in events || Symbol.iterator in events)
  )
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true })

/** Ids are UTF-8, in a header that node:http reads byte by byte; some clients send them byte by byte, too. */
function decodeId(id: string | undefined): string | undefined {
  if (id === undefined) return undefined
  const bytes = Buffer.from(id, 'latin1')
  try {
    return bytes.toString('latin1') === id ? UTF_8.decode(bytes) : id
  } catch {
    return id
  }
}

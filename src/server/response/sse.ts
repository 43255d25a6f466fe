import { checkOptionNames } from '../../base/definition-error.ts'
import {
  RAW_OPTIONS,
  rawReply,
  replyTo,
  type EventsReply,
  type RawOptions,
  type ReplyContext,
  type ServerSentEvent,
  type Shape,
} from '../../define/reply.ts'
import { followSignal } from '../../base/signals.ts'
import { toJsonText } from '../../define/json-text.ts'
import { keepContext } from '../../base/platform.ts'
import { LONGEST_TIMER, type Awaitable } from '../../base/values.ts'

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

const OPTIONS: ReadonlySet<string> = new Set([...RAW_OPTIONS, 'heartbeat', 'retry'])

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
  checkOptionNames('sse', options, OPTIONS)
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
    const run = keepContext()
    // the source is told by whoever closes
    const stop = (): void => void run(() => pump.return())
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
  context: ReplyContext,
  abort: AbortController,
): Promise<AsyncIterator<unknown> | Iterator<unknown>> {
  context.atEnd(followSignal(context.signal, abort))
  const lastEventId = decodeId(context.request.header('last-event-id'))
  try {
    const events = typeof source === 'function' ? await source({ lastEventId, signal: abort.signal }) : source
    const isIterable =
      typeof events === 'object' &&
      events !== null &&
      (Symbol.asyncIterator in events || Symbol.iterator in events)
    if (!isIterable)
      throw new TypeError('sse: the source is neither an iterable of events nor a function that returns one')
    return Symbol.asyncIterator in events ? events[Symbol.asyncIterator]() : events[Symbol.iterator]()
  } catch (error) {
    abort.abort(error)
    throw error
  }
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

/** A stream of event text, as a response takes it. */
interface Pump extends AsyncIterableIterator<string> {
  /** The conversion of its events. */
  readonly shape: Shape | undefined
  return(): Promise<IteratorReturnResult<undefined>>
}

/** How a pump runs. */
interface PumpSettings {
  /** The text before the first event. */
  readonly start: string
  /** Milliseconds of silence after which a heartbeat is sent; 0 for none. */
  readonly heartbeat: number
  /** Called once, when the pump is given up or its source ends. */
  readonly ended: () => void
  /** Converts an event before it is sent. @default it is sent as it is */
  readonly shape?: Shape | undefined
}

type EventIterator = AsyncIterator<unknown> | Iterator<unknown>

type EventChunk = IteratorResult<string, undefined>

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined }

/**
 * Creates the stream of events of a source. It reads an event only when a chunk is requested, so a slow client causes no backlog. While the
 * source is idle, heartbeats are sent. `return` ends the stream at once, also while it waits for the source.
 */
function createPump(source: EventIterator, { start, heartbeat, ended, shape }: PumpSettings): Pump {
  let prefix = start
  let isOver = false
  /** Whether the source was asked and has not answered. */
  let isAsked = false
  /** The result of the source that has no reader yet. */
  let ready: Promise<EventChunk> | undefined
  const toChunk = (text: string): EventChunk => {
    const value = prefix + text
    prefix = ''
    return { done: false, value }
  }
  const seat = createSeat(heartbeat, () => toChunk(HEARTBEAT))
  const over = (): void => {
    if (isOver) return
    isOver = true
    seat.give(DONE)
    ended()
  }
  const ask = async (): Promise<EventChunk> => {
    const { done, value } = await source.next()
    if (done !== true) return toChunk(toEventText(shape === undefined ? value : await shape(value)))
    over()
    return DONE
  }
  const askNow = (): void => {
    isAsked = true
    const answer = ask()
    const settled = (): void => {
      isAsked = false
      if (!seat.give(answer)) ready = answer
    }
    answer.then(settled, settled)
  }
  const pump: Pump = {
    shape,
    [Symbol.asyncIterator]: () => pump,
    next: () => {
      if (isOver) return Promise.resolve(DONE)
      if (ready !== undefined) {
        const answer = ready
        ready = undefined
        return answer
      }
      const chunk = seat.take()
      if (!isAsked) askNow()
      return chunk
    },
    return: () => {
      if (!isOver) {
        over()
        // after the signal, which is what the source may be waiting for
        void endSource(source)
      }
      return Promise.resolve(DONE)
    },
  }
  return pump
}

/** Ends a source; one that fails while it ends has no one left to tell. */
async function endSource(source: EventIterator): Promise<void> {
  try {
    await source.return?.()
  } catch {}
}

/** Where the one who reads waits for a chunk. */
interface Seat {
  /** Waits, for a heartbeat if nothing else comes. */
  readonly take: () => Promise<EventChunk>
  /** Passes a chunk to the waiting reader. Returns whether there was one. */
  readonly give: (chunk: EventChunk | Promise<EventChunk>) => boolean
}

function createSeat(heartbeat: number, beat: () => EventChunk): Seat {
  let waiting: ((chunk: EventChunk | Promise<EventChunk>) => void) | undefined
  let timer: NodeJS.Timeout | undefined
  const give = (chunk: EventChunk | Promise<EventChunk>): boolean => {
    clearTimeout(timer)
    const take = waiting
    waiting = undefined
    take?.(chunk)
    return take !== undefined
  }
  return {
    give,
    take: () =>
      new Promise((resolve) => {
        waiting = resolve
        if (heartbeat > 0) timer = setTimeout(() => give(beat()), heartbeat).unref()
      }),
  }
}

/** A comment without text, which keeps connections from being taken for idle. */
const HEARTBEAT = ':\n\n'

const MEMBERS = new Set(['data', 'event', 'id', 'retry', 'comment'])

/**
 * The text of an event, with the empty line that ends it.
 *
 * @throws `TypeError` when it is no event, or cannot be written.
 */
function toEventText(value: unknown): string {
  const names = typeof value === 'object' && value !== null ? Object.keys(value) : []
  if (names.length === 0 || !names.every((name) => MEMBERS.has(name)))
    throw new TypeError('An event is an object of data, event, id, retry and comment: yield { data: value }')
  const event: ServerSentEvent = Object(value)
  const { comment, id, retry } = event
  return [
    ...(comment === undefined ? [] : toEventLines(':', comment)),
    ...(event.event === undefined ? [] : [toField('event', event.event)]),
    ...(id === undefined ? [] : [toField('id', id)]),
    ...(retry === undefined ? [] : [toRetry(retry)]),
    ...toDataLines(event),
    '\n',
  ].join('')
}

/** The field that says when to come back. @throws `RangeError` unless it is a number of milliseconds. */
function toRetry(retry: number): string {
  if (!Number.isSafeInteger(retry) || retry < 0) throw new RangeError('retry is not a number of milliseconds')
  return `retry: ${retry}\n`
}

/** An event with a name and no data would not reach anybody, so it gets a line of data without text. */
function toDataLines({ data, event }: ServerSentEvent): readonly string[] {
  if (data === undefined) return event === undefined ? [] : ['data:\n']
  return toEventLines('data:', typeof data === 'string' ? data : toJsonText(data))
}

/** One line for each line of a text, whichever way its lines end. */
function toEventLines(field: string, text: string): readonly string[] {
  return text.split(/\r\n|[\r\n]/).map((line) => `${field} ${line}\n`)
}

function toField(name: 'event' | 'id', value: unknown): string {
  if (typeof value === 'string' && !/[\r\n\0]/.test(value)) return `${name}: ${value}\n`
  throw new TypeError(`The ${name} of an event is not text on one line`)
}

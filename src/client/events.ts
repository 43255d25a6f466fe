import { toEssence } from './answer.ts'
import { followSignal, whenCollected } from '../base/signals.ts'
import { orAborted, wait } from './deadline.ts'
import { createEventParser, type EventState } from './event-parser.ts'
import { DONE, toItemStream, type EventStream, type ReceivedEvent } from './event-stream.ts'
import type { ReconnectOptions } from './client-options.ts'
import { createRetry } from './retry.ts'
import { discard } from './transport.ts'

/** Where the events of a call come from. */
interface EventOrigin {
  /** Asks again, with the id of the last event. */
  readonly reopen: (lastEventId: string, signal: AbortSignal) => Promise<Response>
  /** Creates the error for an answer without events. */
  readonly toError: (response: Response) => Promise<Error>
  /** Ends the events with its reason. */
  readonly signal: AbortSignal | undefined
  /** How often it is asked again in a row, and when. */
  readonly limits: Required<ReconnectOptions>
}

/** Whether an answer has events. Those of 204 are over (the HTML standard, section 9.2.3). */
export function hasEvents({ status, headers }: Response): boolean {
  return status === 204 || (status === 200 && toEssence(headers.get('content-type')) === 'text/event-stream')
}

/** Reads the events of an answer, and of those that follow when a connection ends. */
export function createEvents(first: Response, origin: EventOrigin): EventStream {
  const stop = new AbortController()
  let forget = origin.signal === undefined ? undefined : followSignal(origin.signal, stop)
  const events = readConnections(first, { ...origin, signal: stop.signal })
  let isClosed = false
  const next = async (): Promise<IteratorResult<ReceivedEvent, undefined>> => {
    try {
      const result = await events.next()
      if (result.done === true) forget?.()
      return result
    } catch (error) {
      forget?.()
      if (isClosed) return DONE
      throw error
    }
  }
  const close = (): void => {
    isClosed = true
    forget?.()
    stop.abort()
    void events.return(undefined)
    discard(first)
  }
  // it is held by every stream that is mapped from this one
  if (forget !== undefined) forget = whenCollected(next, forget)
  return toEventStream(next, close, (event) => event)
}

/** Events whose data is mapped. */
function toEventStream<D>(
  next: () => Promise<IteratorResult<ReceivedEvent, undefined>>,
  close: () => void,
  map: (event: ReceivedEvent) => ReceivedEvent<D>,
): EventStream<D> {
  const read = async (): Promise<IteratorResult<ReceivedEvent<D>, undefined>> => {
    const result = await next()
    return result.done === true ? result : { done: false, value: map(result.value) }
  }
  return Object.assign(toItemStream(read, close), {
    json: <T>() => toEventStream<T>(next, close, (event) => ({ ...event, data: JSON.parse(event.data) })),
  })
}

/** The origin of events that can be stopped. */
interface Stoppable extends EventOrigin {
  readonly signal: AbortSignal
}

/**
 * Reads one connection after the other.
 *
 * @yields each event
 */
async function* readConnections(
  first: Response,
  origin: Stoppable,
): AsyncGenerator<ReceivedEvent, undefined> {
  const { signal, limits } = origin
  const kept: EventState = { id: '', retry: limits.minDelay }
  let response: Response | undefined = first
  let failure: unknown
  for (let attempt = 1; ; attempt++) {
    if (response?.status === 204) return undefined
    if (response !== undefined && hasEvents(response)) {
      const end = yield* readOne(response, kept, signal)
      failure = end.failure
      response = undefined
      if (end.hasArrived) attempt = 1
    } else if (response !== undefined) {
      failure = await origin.toError(response)
    }
    const { delayAfter } = createRetry({ ...limits, minDelay: kept.retry })
    const delay = attempt > limits.limit ? undefined : delayAfter(attempt, response)
    if (delay === undefined) {
      if (failure === undefined) return undefined
      // oxlint-disable-next-line typescript/only-throw-error -- what the last try rejected with
      throw failure
    }
    await wait(delay, signal)
    try {
      response = await origin.reopen(kept.id, signal)
    } catch (error) {
      // `fetch` rejects with a TypeError if the network fails
      if (signal.aborted || !(error instanceof TypeError)) throw error
      response = undefined
      failure = error
    }
  }
}

/**
 * Reads one connection to its end. Returns why it broke off, if it did.
 *
 * @yields each event
 */
async function* readOne(
  { body }: Response,
  kept: EventState,
  signal: AbortSignal,
): AsyncGenerator<ReceivedEvent, { readonly failure: unknown; readonly hasArrived: boolean }> {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  const parse = createEventParser(kept)
  let hasArrived = false
  try {
    for (;;) {
      const chunk = await orAborted(reader?.read() ?? NO_BODY, signal)
      if (chunk.done) return { failure: undefined, hasArrived }
      hasArrived = true
      yield* parse(decoder.decode(chunk.value, { stream: true }))
    }
  } catch (failure) {
    if (signal.aborted) throw failure
    return { failure, hasArrived }
  } finally {
    void reader?.cancel().catch(() => undefined)
  }
}

const NO_BODY = Promise.resolve({ done: true, value: undefined } as const)

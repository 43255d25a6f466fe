import { LineSplitter } from '../base/lines.ts'
import { isObject } from '../base/values.ts'
import { ProblemError, type Answer } from './answer.ts'
import { orAborted } from './deadline.ts'
import {
  DONE,
  toItemStream,
  type EventStream,
  type ItemStream,
  type NamedEvents,
  type ReceivedEvent,
} from './event-stream.ts'
import type { RouteCall } from './route-map.ts'

/** Declared events, with their data by its kind. Those of other names are passed over, as listeners of `EventSource` do. */
export function toNamedEvents(
  events: EventStream,
  kinds: NonNullable<RouteCall['events']>,
): NamedEvents<ReceivedEvent<unknown>> {
  return toItemStream(
    async () => {
      for (;;) {
        const result = await events.next()
        if (result.done === true) return result
        const { event, data } = result.value
        const kind = Object.hasOwn(kinds, event) ? kinds[event] : undefined
        if (kind === 'text') return { done: false, value: { ...result.value, data } }
        // an event without data has an empty line of it
        const value: unknown = kind === undefined || data === '' ? undefined : JSON.parse(data)
        if (kind !== undefined) return { done: false, value: { ...result.value, data: value } }
      }
    },
    () => void events.return(),
  )
}

/** The items of an answer, one line of JSON each. */
export function createItems({ body }: Response, signal: AbortSignal | undefined): ItemStream<unknown> {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  const splitter = new LineSplitter()
  let lines: readonly string[] = []
  // an index, because to shift a long list moves the rest of it each time
  let at = 0
  let isOver = reader === undefined
  const close = (): void => {
    isOver = true
    lines = []
    void reader?.cancel().catch(() => undefined)
  }
  const read = async (): Promise<IteratorResult<unknown, undefined>> => {
    for (;;) {
      const next = lines[at]
      if (next !== undefined) {
        at++
        if (next.trim() !== '') return { done: false, value: JSON.parse(next) }
      } else if (isOver || reader === undefined) return DONE
      else {
        const { done, value } = await orAborted(reader.read(), signal)
        const ended = splitter.add(done ? decoder.decode() : decoder.decode(value, { stream: true }))
        // those of another call that waited, too
        lines = [...lines.slice(at), ...ended, ...(done ? [splitter.rest] : [])]
        at = 0
        isOver ||= done
      }
    }
  }
  return toItemStream(read, close)
}

/** The promise of a call, which can be iterated if its answer is a stream. */
export function iterated(name: string, call: Promise<unknown>): Promise<unknown> {
  return Object.assign(call, { [Symbol.asyncIterator]: () => each(name, call) })
}

/**
 * Waits for an answer, then for what it carries.
 *
 * @yields each event or item
 */
async function* each(name: string, call: Promise<unknown>): AsyncGenerator<unknown, undefined> {
  // every call of a route gives one unless it asks for another form
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const { ok, data, response } = (await call) as Answer<number, unknown>
  if (!ok) throw new ProblemError(response, data)
  if (response.status === 204) return undefined
  if (!isStream(data))
    throw new TypeError(`${name}: the route declares no events and no items, so its answer is no stream`)
  yield* data
  return undefined
}

function isStream(data: unknown): data is AsyncIterable<unknown> {
  return isObject(data) && Symbol.asyncIterator in data
}

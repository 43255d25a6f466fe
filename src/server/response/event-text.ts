import type { ServerSentEvent } from '../../define/reply.ts'

/** A comment without text, which keeps connections from being taken for idle. */
export const HEARTBEAT = ':\n\n'

const MEMBERS = new Set(['data', 'event', 'id', 'retry', 'comment'])

/**
 * The text of an event, with the empty line that ends it.
 *
 * @throws `TypeError` when it is no event, or cannot be written.
 */
export function toEventText(value: unknown): string {
  const event = toEvent(value)
  const { comment, id, retry } = event
  return [
    ...(comment === undefined ? [] : toLines(':', comment)),
    ...(event.event === undefined ? [] : [toField('event', event.event)]),
    ...(id === undefined ? [] : [toField('id', id)]),
    ...(retry === undefined ? [] : [toRetry(retry)]),
    ...toDataLines(event),
    '\n',
  ].join('')
}

/** The field that says when to come back. @throws `RangeError` unless it is a number of milliseconds. */
export function toRetry(retry: number): string {
  if (!Number.isSafeInteger(retry) || retry < 0) throw new RangeError('retry is not a number of milliseconds')
  return `retry: ${retry}\n`
}

function toEvent(value: unknown): ServerSentEvent {
  const names = typeof value === 'object' && value !== null ? Object.keys(value) : []
  if (names.length > 0 && names.every((name) => MEMBERS.has(name))) return Object(value)
  throw new TypeError('An event is an object of data, event, id, retry and comment: yield { data: value }')
}

/** An event with a name and no data would not reach anybody, so it gets a line of data without text. */
function toDataLines({ data, event }: ServerSentEvent): readonly string[] {
  if (data === undefined) return event === undefined ? [] : ['data:\n']
  const text: unknown = typeof data === 'string' ? data : JSON.stringify(data)
  if (typeof text === 'string') return toLines('data:', text)
  throw new TypeError(`The data of an event is a ${typeof data}, which JSON cannot hold`)
}

/** One line for each line of a text, whichever way its lines end. */
function toLines(field: string, text: string): readonly string[] {
  return text.split(/\r\n|[\r\n]/).map((line) => `${field} ${line}\n`)
}

function toField(name: 'event' | 'id', value: unknown): string {
  if (typeof value === 'string' && !/[\r\n\0]/.test(value)) return `${name}: ${value}\n`
  throw new TypeError(`The ${name} of an event is not text on one line`)
}

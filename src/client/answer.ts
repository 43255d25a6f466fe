import type { AnswersOf as DeclaredBy, ByStatus, StatusesAt } from '../define/infer.ts'
import type { OutAt, ResponsesAt } from '../changes/state.ts'
import type { ResponseKey, SuccessStatus } from '../schema/responses.ts'
import type { OutputOf, Schema } from '../schema/schema.ts'
import type { EventStream, NamedEvents } from './event-stream.ts'

/** How the body of an answer is given: `data`, as a stream of bytes for downloads, as events, or the `Response` untouched. */
export type As = 'data' | 'stream' | 'events' | 'response'

/** An answer of a status. */
export interface Answer<S extends number, D> {
  /** The status of the response. */
  readonly status: S
  /** Whether the status is 200 to 299. */
  readonly ok: number extends S ? boolean : S extends SuccessStatus ? true : false
  /** The body: JSON and text as values, other types as bytes, `undefined` where there is none. */
  readonly data: D
  /** The headers of the response. */
  readonly headers: Headers
  /** What `data` was read from: its body is used up. */
  readonly response: Response
}

/** The answers of a route by its declared response: one for each status, and where no status is declared, one for any. */
type AnswersOf<R, St> = [R] extends [never]
  ? Answer<number, unknown>
  : R extends Schema
    ? Answer<number, Wire<OutputAt<R, St>>>
    : {
        [K in keyof R & ResponseKey]: Answer<StatusesAt<R, K>, DataAt<R[K], St>>
      }[keyof R & ResponseKey]

/** The answers of a route by its element, in a state of the models. `N` is its name. */
export type AnswersIn<E, N, St> = AnswersOf<
  unknown extends St ? ByStatus<DeclaredBy<E>> : ResponsesAt<ByStatus<DeclaredBy<E>>, N, St>,
  St
>

/** What a client reads of a status: a value, or the events or items of a stream. */
type DataAt<S, St> = S extends { readonly '~stream': infer T }
  ? T extends readonly ['items', infer I]
    ? AsyncIterableIterator<Wire<OutputAt<I, St>>, undefined>
    : T extends readonly ['events', infer M]
      ? NamedEvents<{ [K in keyof M]: NamedEvent<K, Wire<OutputAt<M[K], St>>> }[keyof M]>
      : never
  : Wire<OutputAt<S, St>>

/** An event of a name. */
export interface NamedEvent<K, D> {
  /** The name of the event. */
  readonly event: K
  /** The data. */
  readonly data: D
  /** The id of this event, or of the last one before it that had an id. Empty if there is none. */
  readonly id: string
}

/** What the stream of a route carries, of its answers. */
type StreamedIn<R> = R extends { readonly data: AsyncIterableIterator<infer T, undefined> } ? T : never

/** What a call of a route with a stream can be iterated as, without waiting for its head. */
export type Iterated<R, A> = A extends 'data'
  ? [StreamedIn<R>] extends [never]
    ? unknown
    : AsyncIterable<StreamedIn<R>>
  : unknown

/** What a schema's value is in a state of the models. */
type OutputAt<S, St> = unknown extends St ? OutputOf<S> : OutAt<S, St>

/** Declared errors are read also where successes are streamed. */
type Streamed<R, D> = R extends Answer<infer S, unknown> ? (R['ok'] extends false ? R : Answer<S, D>) : never

/** What a call gives, of the answers of its route and the form that was asked for. */
export type Given<R, A> = A extends 'response'
  ? Response
  : A extends 'data'
    ? R
    : Streamed<R, A extends 'events' ? EventStream : ReadableStream<Uint8Array>>

/**
 * A value as it is after it went through JSON: a `Date` is a string, and so is whatever `toJSON` makes one. Members are looked at when
 * they are used, so a large type costs what is used of it.
 */
export type Wire<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends { toJSON(): infer J }
    ? Wire<J>
    : T extends Uint8Array | Blob
      ? Uint8Array
      : T extends object
        ? { [K in keyof T]: Wire<T[K]> }
        : unknown

/**
 * The body of an answer, by its content type: JSON as a value, text as a string, anything else as bytes; `undefined` where there is
 * none.
 *
 * @throws `SyntaxError` for malformed JSON; of an error, its text tells more.
 */
export async function readBody(response: Response, method: string): Promise<unknown> {
  if (method === 'HEAD' || response.body === null || EMPTY.has(response.status)) return undefined
  const type = toEssence(response.headers.get('content-type'))
  if (type === 'application/json' || type.endsWith('+json')) {
    return toValue(await response.text(), response.status)
  }
  if (type.startsWith('text/') || type === 'application/xml' || type.endsWith('+xml')) return response.text()
  const bytes = new Uint8Array(await response.arrayBuffer())
  return bytes.length === 0 && type === '' ? undefined : bytes
}

/** A content type without its parameters. */
export function toEssence(type: string | null): string {
  return type?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

function toValue(text: string, status: number): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch (error) {
    if (status >= 400) return text
    throw error
  }
}

const EMPTY: ReadonlySet<number> = new Set([204, 205, 304])

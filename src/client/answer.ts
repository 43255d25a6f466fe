import type { AnswersOf as DeclaredBy, ByStatus, StatusesAt } from '../define/infer.ts'
import type { EnvelopeContent, EnvelopeIn, EnvelopesIn, Wrapping } from '../define/interceptor.ts'
import type { ProblemAt } from '../changes/problem-state.ts'
import type { ErrorFormatAt, OutAt, ResponsesAt, StateOf } from '../changes/state.ts'
import type { JsonValue, ResponseKey, SuccessStatus, OutputOf, Schema } from '../schema/schema.ts'
import type { EventStream, ItemStream, NamedEvents } from './event-stream.ts'
import type { ProblemDocument } from '../define/error-format.ts'
import type { Declared } from '../define/problem.ts'
import type { TYPES, VersionsOf } from '../define/names.ts'
import type { ValidationIssue } from '../http/errors.ts'
import { isObject, isRecord, isString } from '../base/values.ts'

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
  /** The response that `data` was read from: its body is used up. */
  readonly response: Response
}

/**
 * The answers of a route by its declared response: one for each status, and where no status is declared, one for any status `Any`.
 */
type AnswersByStatus<R, St, Es, Any extends number> = [R] extends [never]
  ? Answer<Any, unknown>
  : R extends Schema
    ? Answer<Any, Enveloped<Wire<OutputAt<R, St>>, Es>>
    : {
        [K in keyof R & ResponseKey]: Answer<
          StatusesAt<R, K>,
          Es extends readonly [] ? DataAt<R[K], St> : EnvelopedData<K, R[K], DataAt<R[K], St>, Es>
        >
      }[keyof R & ResponseKey]

/**
 * The value that a client reads of a status of a route in envelopes. Errors, redirects, and what has no content or is a stream have none.
 */
type EnvelopedData<K, S, D, Es> = S extends { readonly '~stream': unknown }
  ? D
  : K extends Exclude<SuccessStatus, 204 | 205>
    ? Enveloped<D, Es>
    : K extends 'default'
      ? D | Enveloped<D, Es>
      : D

/** Data in the envelopes of interceptors, the outermost of which is the first. */
type Enveloped<D, Es> = Es extends readonly [...infer Outer, infer E]
  ? [D] extends [Uint8Array | undefined]
    ? D
    : Enveloped<Filled<E, D>, Outer>
  : D

/** The output of an envelope as it is after it went through JSON, with data in its place. */
type Filled<T, D> = T extends EnvelopeContent
  ? D
  : T extends string | number | boolean | null | undefined
    ? T
    : T extends { toJSON(): infer J }
      ? Wire<J>
      : T extends object
        ? number extends keyof T
          ? FilledMany<T, T[number & keyof T], D>
          : { [K in keyof T]: Filled<T[K], D> }
        : unknown

/** The same of a list or a record, as for `Wire`. */
type FilledMany<T, E, D> = [string, T] extends [E, JsonValue]
  ? T
  : E[] extends T
    ? T extends unknown[]
      ? Filled<E, D>[]
      : readonly Filled<E, D>[]
    : { [K in keyof T]: Filled<T[K], D> }

/** The envelopes of interceptors, the outermost first. */
type EnvelopesAround<Is, Es extends readonly unknown[] = readonly []> = Is extends readonly [
  infer I,
  ...infer Inner,
]
  ? EnvelopesAround<Inner, readonly [...Es, ...EnvelopeIn<I>]>
  : Es

/** The envelopes around a route and its own envelope. A route is inferred as a union if the order is known. */
type EnvelopesOf<Around, Own> = [Own] extends [never]
  ? Around extends readonly []
    ? readonly []
    : EnvelopesAround<Around>
  : readonly [...EnvelopesAround<Around>, ...([Own] extends [Both<Own>] ? Own : readonly [unknown])]

type Both<U> = (U extends unknown ? (_: U) => void : never) extends (
  _: infer I extends readonly unknown[],
) => void
  ? I
  : never

/**
 * The answers of a route by its element, in a state of the models. `N` is its name, `Around` what is around it. Most routes have neither
 * envelopes nor problems, so that one question is enough.
 */
export type AnswersIn<E, N, St, Around> = [Extract<E, Wrapping | Declared>, Around] extends [
  never,
  readonly [],
]
  ? AnswersByStatus<DeclaredAt<E, N, St>, St, readonly [], number>
  : MarkedAnswers<E, N, St, Around, ProblemsIn<E, Around>>

type MarkedAnswers<E, N, St, Around, Ps> =
  | AnswersByStatus<
      DeclaredAt<E, N, St>,
      St,
      EnvelopesOf<Around, EnvelopesIn<E>>,
      [Ps] extends [never] ? number : SuccessStatus
    >
  | ProblemAnswers<unknown extends St ? Ps : ProblemsAt<Ps, N, St>, St>

/** The marks of problems in a state, none if errors had a format of their own then. */
type ProblemsAt<Ps, N, St> = [ErrorFormatAt<never, St>] extends [never]
  ? Ps extends unknown
    ? ProblemAt<Ps, N, St>
    : never
  : never

/** The declared responses of a route, in a state of the models. */
type DeclaredAt<E, N, St> = unknown extends St
  ? ByStatus<DeclaredBy<E>>
  : ResponsesAt<ByStatus<DeclaredBy<E>>, N, St>

/** Stands before what is around routes whose errors have a format of their own, and are never problems. */
export type Formatted = 'formatted'

/** The marks of the problems that a route declares, and those that are declared around it. */
type ProblemsIn<E, Around> = Around extends readonly []
  ? Extract<E, Declared>
  : Around extends readonly [Formatted, ...unknown[]]
    ? never
    : Extract<E, Declared> | ProblemsOf<Around[number & keyof Around]>

type ProblemsOf<P> = P extends { readonly $declares?: infer D } ? Extract<D, Declared> : never

/** The answers that are declared problems, one for each code. */
type ProblemAnswers<D, St> =
  D extends Declared<infer C, infer S extends number, infer M>
    ? Answer<S, DeclaredProblem<C, S> & (M extends Schema ? Wire<OutputAt<M, St>> : unknown)>
    : never

/** The body of a declared problem, besides its further members. */
export interface DeclaredProblem<C, S> {
  /** A URI that identifies the kind of problem. */
  readonly type: string
  /** A short summary of the kind of problem. */
  readonly title: string
  /** The status of the response. */
  readonly status: S
  /** An explanation of this occurrence. */
  readonly detail?: string
  /** The stable word for programs, which tells it from other problems. */
  readonly code: C
}

/** The value that a client reads of a status, or the events or items of a stream. */
type DataAt<S, St> = S extends { readonly '~stream': infer T }
  ? T extends readonly ['items', infer I]
    ? ItemStream<Wire<OutputAt<I, St>>>
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

/** The events or items of a route's stream, of its answers. */
type StreamedIn<R> = R extends { readonly data: AsyncIterableIterator<infer T> } ? T : never

/** The iterator that a call of a route with a stream is, without waiting for its head. */
export type Iterated<R, A> = A extends 'data'
  ? [StreamedIn<R>] extends [never]
    ? unknown
    : AsyncIterable<StreamedIn<R>>
  : unknown

/** The output of a schema in a state of the models. */
type OutputAt<S, St> = unknown extends St ? OutputOf<S> : OutAt<S, St>

/** Declared errors are read also where successes are streamed. */
type Streamed<R, D> = R extends Answer<infer S, unknown> ? (R['ok'] extends false ? R : Answer<S, D>) : never

/** The result of a call, from the responses of its route and the requested form. */
export type CallResult<R, A> = A extends 'response'
  ? Response
  : A extends 'data'
    ? R
    : Streamed<R, A extends 'events' ? EventStream : ReadableStream<Uint8Array>>

/**
 * The type of a value after a round trip through JSON: a `Date` is a string, and `toJSON` is applied. Members are resolved when they are
 * used, so a large type costs as much as is used of it.
 */
export type Wire<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends { toJSON(): infer J }
    ? Wire<J>
    : T extends Uint8Array | Blob
      ? Uint8Array
      : T extends object
        ? number extends keyof T
          ? WireMany<T, T[number & keyof T]>
          : { [K in keyof T]: Wire<T[K]> }
        : unknown

/**
 * The same of a list or a record of `E`. What is JSON keeps its name, which declarations can write. Brackets are resolved when they are used, and
 * mapped lists at once, which never ends for lists that hold themselves, so that only tuples are mapped.
 */
type WireMany<T, E> = [string, T] extends [E, JsonValue]
  ? T
  : E[] extends T
    ? T extends unknown[]
      ? Wire<E>[]
      : readonly Wire<E>[]
    : { [K in keyof T]: Wire<T[K]> }

/**
 * Reads the body of a response by its content type: JSON as a value, text as a string, anything else as bytes. Returns `undefined` without a
 * body.
 *
 * @throws `SyntaxError` for malformed JSON; of an error, its text tells more.
 */
export async function readBody(response: Response, method: string): Promise<unknown> {
  if (method === 'HEAD' || response.body === null || EMPTY.has(response.status)) return undefined
  const type = toEssence(response.headers.get('content-type'))
  if (type === 'application/json' || type.endsWith('+json')) {
    return parseBody(await response.text(), response.status)
  }
  if (type.startsWith('text/') || type === 'application/xml' || type.endsWith('+xml')) return response.text()
  const bytes = new Uint8Array(await response.arrayBuffer())
  return bytes.length === 0 && type === '' ? undefined : bytes
}

/** A content type without its parameters. */
export function toEssence(type: string | null): string {
  return type?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

function parseBody(text: string, status: number): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch (error) {
    if (status >= 400) return text
    throw error
  }
}

const EMPTY: ReadonlySet<number> = new Set([204, 205, 304])

/** The content type of problem documents (RFC 9457). */
export const PROBLEM_TYPE = 'application/problem+json'

/**
 * The body of errors of an application, as its error format sends it.
 *
 * @example
 * type Failure = ErrorBody<typeof app>
 */
export type ErrorBody<A, V extends VersionsOf<A> | undefined = undefined> = A extends {
  readonly $written: infer W
}
  ? W extends { readonly errors: infer F }
    ? F
    : ProblemDocument
  : ErrorBodyOf<A, V>

/** The body of errors of an application by its type. */
type ErrorBodyOf<A, V extends VersionsOf<A> | undefined> = A extends {
  readonly [TYPES]?: { readonly errors: infer F; readonly versions: infer H }
}
  ? ErrorIn<
      F,
      H extends { readonly history: infer History }
        ? V extends string
          ? StateOf<History, V>
          : unknown
        : unknown
    >
  : never

/** The body of errors in a state of the models. */
type ErrorIn<F, St> =
  ErrorFormatAt<F, St> extends infer Format extends Schema ? Wire<OutputAt<Format, St>> : ProblemDocument

/**
 * A response of 400 or more that the route does not declare. Members such as `code` are those of a problem document (RFC 9457). `data` is
 * the body of any type.
 *
 * @example
 * try {
 *   await client.car.create({ body: { name: '' } })
 * } catch (error) {
 *   if (error instanceof ProblemError && error.code === 'validation_failed') show(error.errors)
 *   else throw error
 * }
 */
export class ProblemError extends Error {
  /** The status of the response. */
  readonly status: number
  /** The stable word for programs, `undefined` if the response has none. */
  readonly code: string | undefined
  /** A short summary of the kind of problem. @default the status phrase */
  readonly title: string
  /** An explanation of this occurrence. */
  readonly detail: string | undefined
  /** A URI that identifies the kind of problem. @default 'about:blank' */
  readonly type: string
  /** The issues of a 422 by Octavo, otherwise empty. */
  readonly errors: readonly ValidationIssue[]
  /** Further members of the problem document. */
  readonly members: Readonly<Record<string, unknown>>
  /** The body as it was read: a value of JSON, a text, bytes, or `undefined`. */
  readonly data: unknown
  /** The headers of the response. */
  readonly headers: Headers
  /** Its body is used up. */
  readonly response: Response
  /**
   * The cursor of the page that an iteration of `pages` could not read. Begin another one with it. `undefined` for the first page, and for
   * other calls. Every `Error` of an iteration has it.
   */
  declare readonly cursor?: string

  readonly #isOwn: boolean

  /** `isOwn` says that the content type is that of errors of the application. */
  constructor(response: Response, data: unknown, isOwn = false) {
    const isProblem = toEssence(response.headers.get('content-type')) === PROBLEM_TYPE
    const {
      type,
      title,
      status: _status,
      detail,
      code,
      errors,
      ...members
    } = isProblem && isRecord(data) && !ArrayBuffer.isView(data) ? { ...data } : {}
    const phrase = response.statusText === '' ? `Status ${response.status}` : response.statusText
    super(textOrUndefined(detail) ?? textOrUndefined(title) ?? phrase)
    this.name = 'ProblemError'
    this.status = response.status
    this.code = textOrUndefined(code)
    this.title = textOrUndefined(title) ?? phrase
    this.detail = textOrUndefined(detail)
    this.type = textOrUndefined(type) ?? 'about:blank'
    this.errors = Array.isArray(errors) ? errors.filter(isValidationIssue) : []
    this.members = members
    this.data = data
    this.headers = response.headers
    this.response = response
    this.#isOwn = isOwn
  }

  /**
   * Whether an error was sent by the application in its format, and not by a proxy or in another format. By its content type alone, so
   * choose one of your own for a format.
   *
   * @example
   * if (ProblemError.isFrom<typeof app>(error)) show(error.data.error.message)
   */
  static isFrom<A, const V extends VersionsOf<A> | undefined = undefined>(
    error: unknown,
  ): error is ProblemError & { readonly data: ErrorBody<A, V> } {
    return error instanceof ProblemError && error.#isOwn
  }
}

function textOrUndefined(value: unknown): string | undefined {
  return isString(value) ? value : undefined
}

function isValidationIssue(value: unknown): value is ValidationIssue {
  return isObject(value) && 'in' in value && 'path' in value && 'message' in value
}

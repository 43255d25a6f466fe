import type { ProblemDocument } from '../define/error-format.ts'
import type { TYPES } from '../define/names.ts'
import type { ValidationIssue } from '../http/errors.ts'
import type { OutputOf, Schema } from '../schema/schema.ts'
import { isObject, isRecord, isString } from '../base/values.ts'
import { toEssence, type Wire } from './answer.ts'

/** The content type of problem documents (RFC 9457). */
export const PROBLEM_TYPE = 'application/problem+json'

/**
 * The body of errors of an application, as its error format sends it.
 *
 * @example
 * type Failure = ErrorBody<typeof app>
 */
export type ErrorBody<A> = A extends { readonly [TYPES]?: { readonly errors: infer F } }
  ? [F] extends [Schema]
    ? Wire<OutputOf<F>>
    : ProblemDocument
  : never

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
    } = isProblem ? membersOf(data) : {}
    const phrase = response.statusText === '' ? `Status ${response.status}` : response.statusText
    super(textOf(detail) ?? textOf(title) ?? phrase)
    this.name = 'ProblemError'
    this.status = response.status
    this.code = textOf(code)
    this.title = textOf(title) ?? phrase
    this.detail = textOf(detail)
    this.type = textOf(type) ?? 'about:blank'
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
  static isFrom<A>(error: unknown): error is ProblemError & { readonly data: ErrorBody<A> } {
    return error instanceof ProblemError && error.#isOwn
  }
}

/** The members of a problem document, none of a body that is text or bytes. */
function membersOf(data: unknown): Readonly<Record<string, unknown>> {
  return isRecord(data) && !ArrayBuffer.isView(data) ? { ...data } : {}
}

function textOf(value: unknown): string | undefined {
  return isString(value) ? value : undefined
}

function isValidationIssue(value: unknown): value is ValidationIssue {
  return isObject(value) && 'in' in value && 'path' in value && 'message' in value
}

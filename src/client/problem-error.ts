import type { ValidationIssue } from '../errors.ts'
import { isObject, isRecord, isString } from '../values.ts'

/**
 * An answer of 400 and more that the route does not declare: its problem document (RFC 9457), or what there was of another type.
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
  readonly status: number
  /** The stable word for programs; `undefined` where the answer has none. */
  readonly code: string | undefined
  /** @default the status phrase */
  readonly title: string
  readonly detail: string | undefined
  /** @default 'about:blank' */
  readonly type: string
  /** What did not fit, of a 422 by Octavo; empty otherwise. */
  readonly errors: readonly ValidationIssue[]
  /** Further members of the problem document. */
  readonly members: Readonly<Record<string, unknown>>
  /** The body as it was read: a value of JSON, a text, bytes, or `undefined`. */
  readonly data: unknown
  readonly headers: Headers
  /** Its body is used up. */
  readonly response: Response

  constructor(response: Response, data: unknown) {
    const { type, title, status: _status, detail, code, errors, ...members } = membersOf(data)
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
  }
}

/** The members of a problem document; none of a body that is text or bytes. */
function membersOf(data: unknown): Readonly<Record<string, unknown>> {
  return isRecord(data) && !ArrayBuffer.isView(data) ? { ...data } : {}
}

function textOf(value: unknown): string | undefined {
  return isString(value) ? value : undefined
}

function isValidationIssue(value: unknown): value is ValidationIssue {
  return isObject(value) && 'in' in value && 'path' in value && 'message' in value
}

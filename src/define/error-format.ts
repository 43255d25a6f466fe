import { checkOptions, type Rules } from '../base/definition-error.ts'
import { isFunction, isString } from '../base/values.ts'
import type { HttpError, ValidationIssue } from '../http/errors.ts'
import { isSchema, type InputOf, type Schema } from '../schema/schema.ts'
import type { ExecutionContext } from './context.ts'

/** The options of `defineErrorFormat`. */
export interface ErrorFormatOptions<S> {
  /** The media type of every error. JSON types send the value of the schema as JSON, all others a text. @default 'application/json' */
  readonly contentType?: string
  /** The body of every error, as documents show it. */
  readonly schema: S
  /**
   * Returns the body of an error, which the schema then parses. Unknown errors arrive as a 500 with the code `internal_error`. Requests
   * that are refused before they reach the application have no context.
   */
  readonly format: (error: HttpError, context: ExecutionContext | undefined) => InputOf<S>
}

/** The form of all errors of an application, as `defineErrorFormat` returns it. */
export interface ErrorFormat<S = unknown> {
  /** Distinguishes error formats from other definitions. */
  readonly kind: 'error-format'
  /** For types alone: the type of the schema. */
  readonly $schema?: S
  /** The media type of every error. */
  readonly contentType: string
  /** The schema that parses the body of every error. */
  readonly schema: Schema
  /** Returns the body of an error before it is parsed. */
  format(error: HttpError, context: ExecutionContext | undefined): unknown
}

/** The body of errors in applications without a format: a problem document (RFC 9457) with the code of the error. */
export interface ProblemDocument {
  /** A URI that identifies the kind of problem. `about:blank` if the status is enough. */
  readonly type: string
  /** A short summary of the kind of problem. */
  readonly title: string
  /** The status of the response. */
  readonly status: number
  /** An explanation of this occurrence. */
  readonly detail?: string
  /** A stable word for programs. */
  readonly code: string
  /** Of a `ValidationError`. */
  readonly errors?: readonly ValidationIssue[]
  /** Further members of the error. */
  readonly [member: string]: unknown
}

// `createApp` reports those that are missing, and types that cannot be sent
const OPTIONS: Rules = {
  contentType: [isString, "a media type, such as 'application/json'"],
  schema: [isSchema, 'a zod schema'],
  format: [isFunction, 'a function, such as ({ code, detail }) => ({ code, detail })'],
}

/**
 * Defines the body of every error of an application, including those of Octavo, for the option `errorFormat` of `createApp`. Status and
 * headers stay those of the error. Documents and the client show the schema.
 *
 * @example
 * const errorFormat = defineErrorFormat({
 *   schema: z.object({ error: z.object({ code: z.string(), message: z.string() }) }),
 *   format: ({ code, detail, title }) => ({ error: { code, message: detail ?? title } }),
 * })
 */
export function defineErrorFormat<const S extends Schema>(options: ErrorFormatOptions<S>): ErrorFormat<S> {
  checkOptions('defineErrorFormat', options, OPTIONS)
  return { ...options, contentType: options.contentType ?? 'application/json', kind: 'error-format' }
}

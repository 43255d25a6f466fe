import type { ProblemDocument } from '../../define/error-format.ts'
import type { Given } from '../../define/infer.ts'
import type { OutputOf, Schema } from '../../schema/schema.ts'
import type { ChangeExtra } from '../convert/converter.ts'
import type { Said } from '../was.ts'

/** The second argument of `down` of `reformatErrors`. */
export interface ReformatExtra extends ChangeExtra {
  /** The status of the response. */
  readonly status: number
}

/** The options of `reformatErrors`. */
export interface ReformatOptions<N, W> {
  /** The schema of the error format, or what it was after this change. @default problem documents, if the application has no format */
  readonly now?: N
  /** The schema before this change. A model in it has the fields that it had then. */
  readonly was: W
  /** Returns the body of the older version. At run time, models in both are as they were at this change, and types show the newest ones. */
  readonly down: (now: N extends Schema ? OutputOf<N> : ProblemDocument, extra: ReformatExtra) => Given<W>
}

/** The part of a change that describes the body of all errors. */
export interface Reformat<F = unknown> {
  /** Distinguishes it from other parts. */
  readonly kind: 'reformat'
  /** For types alone: what the body was. */
  readonly '~was': F
}

/** The body of all errors before a change, for code that does not ask which one it is. */
export interface AnyReformat {
  readonly kind: 'reformat'
  readonly now?: Schema
  readonly was: Schema
  readonly down: (now: unknown, extra: ReformatExtra) => unknown
}

/**
 * Describes the body of all errors before a change, if it was another one as a whole. If its format is a model, `reshape` changes fields of it.
 *
 * @example
 * reformatErrors({ now: Failure, was: z.object({ message: z.string() }), down: ({ error }) => ({ message: error.message }) })
 */
export function reformatErrors<W extends Schema, N extends Schema | undefined = undefined>(
  options: ReformatOptions<N, W>,
): Reformat<Said<'error format', readonly ['error format', W]>['fact']> {
  const made: object = { kind: 'reformat', ...options }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the facts are types alone
  return made as never
}

export function isReformat(part: unknown): part is AnyReformat {
  return typeof part === 'object' && part !== null && 'kind' in part && part.kind === 'reformat'
}

import { invalidOption, type OptionRule } from '../../base/check-options.ts'
import type { DefinitionProblem } from '../../base/definition-error.ts'
import { isPositive, isRecord } from '../../base/values.ts'
import type { ExecutionContext } from '../../define/context.ts'
import type { InputOf, Schema } from '../../schema/schema.ts'

/** A schema that is that of an item, or what to mend, so that the error of a wrong one is at `items` and not at `order`. */
export type ItemSchema<S extends Schema> =
  unknown extends InputOf<S>
    ? S
    : [InputOf<S>] extends [readonly unknown[]]
      ? 'items is the schema of one item, which is an object'
      : [InputOf<S>] extends [object]
        ? S
        : 'items is the schema of one item, which is an object'

/** How many items a page has. */
export interface PageLimit {
  /** The items of a page if the request has no `limit`. @default 20 */
  readonly default?: number
  /** The most that `limit` may be. A request for more is a 422. @default 100 */
  readonly max?: number
}

/** The members of a request's context that `read` needs. */
export type PageContext = Pick<ExecutionContext, 'path' | 'version' | 'request' | 'response'>

export const LIMIT: OptionRule = [
  (value) =>
    isRecord(value) &&
    Object.entries(value).every(([key, own]) => ['default', 'max'].includes(key) && isPositive(own)),
  'an object with default and max, each a whole number above 0',
]

/** Reports a default that is above the most. */
export function limitProblems(where: string, limit: unknown): readonly DefinitionProblem[] {
  const { default: usual = 0, max = 100 } = Object(limit)
  return usual > max
    ? [invalidOption(where, `limit.default is above limit.max, which is ${max}`, 'give a smaller default')]
    : []
}

/** The limits with their defaults. */
export function toLimits({ max = 100, default: usual = Math.min(20, max) }: PageLimit = {}): {
  readonly usual: number
  readonly max: number
} {
  return { usual, max }
}

import {
  invalidOption,
  checkOptions,
  missingOptions,
  type OptionRule,
  type DefinitionProblem,
  type Rules,
} from '../../base/definition-error.ts'
import { isPositive, isRecord, type Awaitable } from '../../base/values.ts'
import type { ExecutionContext } from '../../define/context.ts'
import { isSchema, type InputOf, type Schema } from '../../schema/schema.ts'
import { addNumberedLinks, NUMBERED_LINK } from './links.ts'
import {
  rowFieldsOf,
  toOffsetFields,
  toOffsetSchema,
  type OffsetFields,
  type OffsetPageOf,
  type OffsetPageSchema,
} from './schemas.ts'

/** The schema of an item, or what to mend, so that the error of a wrong schema is at `items` and not at `order`. */
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

export function toLimits({ max = 100, default: usual = Math.min(20, max) }: PageLimit = {}): {
  readonly usual: number
  readonly max: number
} {
  return { usual, max }
}

/** The options of `page.offset`. */
export interface OffsetOptions<S extends Schema> {
  /** The schema of an item. */
  readonly items: ItemSchema<S>
  /** How many items a page has. */
  readonly limit?: PageLimit
  /** The most rows that a request may skip, because a database reads each of them. A request for more is a 422. @default 10000 */
  readonly maxOffset?: number
}

/** The values of the query that select a page. */
export interface OffsetQuery {
  /** How many items the page has. */
  readonly limit: number
  /** How many items are before the page. */
  readonly offset: number
}

/** A list that is read in pages by numbers, as `page.offset` returns it. */
export interface OffsetList<S> {
  /** The query parameters `limit` and `offset`, for `input: { query }`. Add your filters beside them. */
  readonly query: OffsetFields
  /** The schema of a page, for `response`. */
  readonly response: OffsetPageSchema<S>
  /** Describes the header `Link` in documents, for `openapi`. */
  readonly openapi: object
  /**
   * Reads the page that a request asks for and sets the header `Link`. `find` returns the rows, and how many rows there are in all.
   *
   * @example
   * handler: ({ query }, context) => cars.read(query, context, ({ limit, offset }) => findCars(limit, offset))
   *
   * @throws `Error` for more rows than `limit`.
   */
  readonly read: (
    query: OffsetQuery,
    context: PageContext,
    find: (query: OffsetQuery) => Awaitable<OffsetPageOf<InputOf<S>>>,
  ) => Promise<OffsetPageOf<InputOf<S>>>
}

const WHERE = 'page.offset'

const OPTIONS: Rules = {
  items: [isSchema, 'the schema of an item'],
  limit: LIMIT,
  maxOffset: [isPositive, 'a whole number above 0'],
}

/**
 * Defines a list that is read in pages by `limit` and `offset`, with the number of all items. Rows that others insert or delete meanwhile move
 * the pages, and late pages take longer, which `page` avoids.
 *
 * @example
 * const cars = page.offset({ items: Car })
 * const list = {
 *   method: 'GET',
 *   input: { query: cars.query },
 *   response: cars.response,
 *   handler: ({ query }, context) => cars.read(query, context, ({ limit, offset }) => findCars(limit, offset)),
 * }
 *
 * @throws `DefinitionError` when an option is wrong.
 */
export function offset<S extends Schema>(options: OffsetOptions<S>): OffsetList<S> {
  const { items, limit, maxOffset = 10_000 }: Partial<OffsetOptions<S>> = Object(options)
  const missing = missingOptions(WHERE, options, ['items'], 'write page.offset({ items })')
  const wrong =
    isSchema(items) && rowFieldsOf(items) === undefined
      ? [
          invalidOption(
            WHERE,
            'items is no object schema',
            'give the schema of an item, such as z.object({ … })',
          ),
        ]
      : []
  checkOptions(WHERE, options, OPTIONS, [...missing, ...wrong, ...limitProblems(WHERE, limit)])
  const { usual, max } = toLimits(limit)
  return {
    query: toOffsetFields(usual, max, maxOffset),
    // its type is a text only for items that the compiler refuses
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    response: toOffsetSchema(items as unknown as S),
    openapi: { responses: { 200: { headers: { Link: NUMBERED_LINK } } } },
    read: async ({ limit: count, offset: start }, context, find) => {
      const { items: found, total } = await find({ limit: count, offset: start })
      if (found.length > count)
        throw new Error(`${found.length} rows were read for a page of ${count}: limit the query`)
      addNumberedLinks(context, { limit: count, offset: start, total, maxOffset })
      return { items: found, total }
    },
  }
}

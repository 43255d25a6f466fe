import { describeValue } from '../../base/values.ts'

/** A value that rows are sorted by. */
export type SortKey = string | number | bigint | boolean | Date | null

/** A field that rows are sorted by. */
export interface SortBy<F extends string = string> {
  /** The field of an item. */
  readonly field: F
  /** The direction of its values. @default 'asc' */
  readonly direction?: 'asc' | 'desc' | undefined
  /** Where rows without a value are. Required if the field can be `null`. @default such a row is an error */
  readonly nulls?: 'first' | 'last' | undefined
}

/** A field that rows are sorted by, as a query needs it. */
export interface SortedBy<F extends string = string> {
  /** The field of an item. */
  readonly field: F
  /** The direction of its values. */
  readonly direction: 'asc' | 'desc'
  /** Where rows without a value are, `undefined` if there are none. */
  readonly nulls: 'first' | 'last' | undefined
}

/** A condition on a field of a row. */
export interface PageCondition<F extends string = string> {
  /** The field of an item. */
  readonly field: F
  /** The operator, as SQL writes it. */
  readonly operator: '<' | '<=' | '>' | '>=' | 'is' | 'is not'
  /** The value to compare with, `null` for `is` and `is not`. */
  readonly value: SortKey
}

/** The reversed order. */
export function toReversed<F extends string>(order: readonly SortedBy<F>[]): readonly SortedBy<F>[] {
  return order.map(({ field, direction, nulls }) => ({
    field,
    direction: direction === 'asc' ? 'desc' : 'asc',
    nulls: nulls && (nulls === 'first' ? 'last' : 'first'),
  }))
}

/**
 * The condition on rows that follow those with these keys: of each list, one comparison has to be true. The first list is about the first
 * field alone, so that a database finds the place in its index, which it does not with a list of alternatives.
 */
export function toWhere<F extends string>(
  order: readonly SortedBy<F>[],
  keys: readonly SortKey[],
): readonly (readonly PageCondition<F>[])[] {
  const clauses: PageCondition<F>[][] = []
  const before: PageCondition<F>[] = []
  for (const [index, sorted] of order.entries()) {
    const key = keys[index] ?? null
    const isLast = index === order.length - 1
    if (isLast || !(key === null && sorted.nulls === 'first'))
      clauses.push([...before, ...following(sorted, key, !isLast)])
    before.push(...following(sorted, key, false))
  }
  return clauses
}

/** The comparisons one of which is true for a value that follows a key, or is alike. */
function following<F extends string>(
  { field, direction, nulls }: SortedBy<F>,
  key: SortKey,
  orAlike: boolean,
): readonly PageCondition<F>[] {
  if (key === null) {
    if (nulls === 'first') return [{ field, operator: 'is not', value: null }]
    return orAlike ? [{ field, operator: 'is', value: null }] : []
  }
  const operator = `${direction === 'asc' ? '>' : '<'}${orAlike ? '=' : ''}` as const
  const own: PageCondition<F> = { field, operator, value: key }
  return nulls === 'last' ? [own, { field, operator: 'is', value: null }] : [own]
}

/** The keys of a row. @throws `TypeError` for a value that no list can be sorted by. */
export function sortKeysOf(order: readonly SortedBy[], row: unknown): readonly SortKey[] {
  return order.map(({ field, nulls }): SortKey => {
    const value: unknown = Reflect.get(Object(row), field)
    if (isSortKey(value) && (value !== null || nulls !== undefined)) return value
    if (value === null)
      throw new TypeError(`A row has null in ${field}: give the order of it nulls: 'first' or 'last'`)
    throw new TypeError(
      `A row has ${describeValue(value)} in ${field}: rows are sorted by strings, finite numbers, bigints, booleans and dates`,
    )
  })
}

function isSortKey(value: unknown): value is SortKey {
  if (value instanceof Date) return !Number.isNaN(value.getTime())
  return value === null || ['string', 'bigint', 'boolean'].includes(typeof value) || Number.isFinite(value)
}

/**
 * Compares the keys of rows in an order: negative if the first row comes first, 0 if the order does not tell them apart, `undefined` if text
 * decides and is not sorted here. A database sorts text by rules of its own, JavaScript by its UTF-16 code units.
 */
export function compareSortKeys(
  order: readonly SortedBy[],
  one: readonly SortKey[],
  other: readonly SortKey[],
  sortsText: boolean,
): number | undefined {
  for (const [index, { direction, nulls }] of order.entries()) {
    const [a, b] = [toComparable(one[index]), toComparable(other[index])]
    if (a === b) continue
    if (a === null || b === null) return (a === null) === (nulls === 'first') ? -1 : 1
    if (typeof a === 'string' && !sortsText) return undefined
    return a < b === (direction === 'asc') ? -1 : 1
  }
  return 0
}

function toComparable(key: SortKey | undefined): Exclude<SortKey, Date> {
  return key instanceof Date ? key.getTime() : (key ?? null)
}

/**
 * Checks what can be checked of rows that a query found: they follow the keys of the cursor and each other.
 *
 * @throws `Error` that tells what the query gets wrong, because its pages would skip or repeat rows.
 */
export function checkRows(
  order: readonly SortedBy[],
  start: readonly SortKey[] | undefined,
  rows: readonly (readonly SortKey[])[],
): void {
  const fields = order.map(({ field }) => field).join(', ')
  let before = start
  for (const keys of rows) {
    const compared = before === undefined ? -1 : compareSortKeys(order, before, keys, false)
    if (compared === 0 && before === start)
      throw new Error(
        'The first row is that of the cursor, or has the same keys: apply `where` of the position, end the order with a field that is unique, and compare with all digits of times',
      )
    if (compared === 0)
      throw new Error(
        `Two rows have the same ${fields}: end the order with a field that is unique, such as an id`,
      )
    if (compared === 1)
      throw new Error(
        `The rows are not in the order of ${fields}: sort them by \`orderBy\` of the position, with its directions and its nulls`,
      )
    before = keys
  }
}

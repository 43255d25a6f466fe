import { addedError } from '../../http/errors.ts'
import {
  checkOptions,
  invalidOption,
  missingOptions,
  type Rules,
  type DefinitionProblem,
} from '../../base/definition-error.ts'
import { isPositive, isRecord, isNonEmptyString, type Awaitable } from '../../base/values.ts'
import { isSchema, type InputOf, type Schema } from '../../schema/schema.ts'
import { SECRET, toSecrets } from '../../server/session/options.ts'
import {
  LIMIT,
  limitProblems,
  toLimits,
  offset,
  type ItemSchema,
  type PageContext,
  type PageLimit,
} from './list.ts'
import { addPageLinks, LINK } from './links.ts'
import {
  checkRows,
  compareSortKeys,
  sortKeysOf,
  toReversed,
  toWhere,
  type PageCondition,
  type SortBy,
  type SortedBy,
  type SortKey,
} from './order.ts'
import {
  rowFieldsOf,
  takesNull,
  toPageFields,
  toPageSchema,
  MAX_CURSOR,
  type PageFields,
  type PageOf,
  type PageSchema,
} from './schemas.ts'
import { findSecret, signatureOf } from '../../server/session/signature.ts'

/** The names of the fields of an item. */
export type FieldOf<T> = [T] extends [readonly unknown[]]
  ? string
  : [T] extends [object]
    ? keyof T & string
    : string

/** The options of `page`. */
export interface PageOptions<S extends Schema, F extends string> {
  /** The schema of an item: an object with the fields of `order`. */
  readonly items: ItemSchema<S>
  /**
   * The fields that the list is sorted by, the most significant first. The last one has to be unique, such as an id, and never `null`. A
   * name alone is ascending.
   */
  readonly order: readonly (F | SortBy<F>)[]
  /** The secret that signs cursors, of 32 characters or more. In a list, the first signs, and all are accepted. */
  readonly secret: string | readonly string[]
  /** How many items a page has. */
  readonly limit?: PageLimit
  /** Milliseconds until a cursor expires. @default none */
  readonly lifetime?: number
}

/** The values of the query that select a page. Any others are the filter, which a cursor is bound to. */
export interface PageQuery {
  /** How many items the page has. */
  readonly limit: number
  /** The page to read. `undefined` is the first one. */
  readonly cursor?: string | undefined
}

/** The rows that a page needs, in the words of a query. */
export interface PagePosition<F extends string> {
  /** The condition on the rows: of each list, one comparison has to be true. Empty for a page at the beginning or end. */
  readonly where: readonly (readonly PageCondition<F>[])[]
  /** The order to read the rows in: that of the list, or the reverse for a page backward. */
  readonly orderBy: readonly SortedBy<F>[]
  /** The most rows to read: one more than the page has, because it shows whether there is another page. */
  readonly take: number
  /** Returns these rows of a list in memory, which sorts text by its UTF-16 code units. */
  readonly select: <T>(rows: Iterable<T>) => readonly T[]
}

/** A list that is read in pages, as `page` returns it. */
export interface PagedList<S, F extends string> {
  /** The query parameters `limit` and `cursor`, for `input: { query }`. Add your filters beside them. */
  readonly query: PageFields
  /** The schema of a page, for `response`. */
  readonly response: PageSchema<S>
  /** Describes the header `Link` in documents, for `openapi`. */
  readonly openapi: object
  /**
   * Reads the page that a request asks for and sets the header `Link`. `find` returns the rows at a position. Every value of the query
   * besides `limit` and `cursor` counts as the filter, so add all that selects rows, such as the tenant.
   *
   * @example
   * handler: ({ query }, context) => cars.read(query, context, (position) => position.select(all))
   *
   * @throws `HttpError` 422 for a cursor of another filter, order, path or version, and `Error` for rows that are not in order.
   */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- literals of a type of their own may have further members
  readonly read: <Q extends PageQuery>(
    query: Q,
    context: PageContext,
    find: (position: PagePosition<F>) => Awaitable<Iterable<InputOf<S>>>,
  ) => Promise<PageOf<InputOf<S>>>
}

const WHERE = 'page'

const DIRECTIONS: readonly unknown[] = ['asc', 'desc']
const NULLS: readonly unknown[] = ['first', 'last']

const isSort = (value: unknown): boolean =>
  isNonEmptyString(value) ||
  (isRecord(value) &&
    isNonEmptyString(value['field']) &&
    (value['direction'] === undefined || DIRECTIONS.includes(value['direction'])) &&
    (value['nulls'] === undefined || NULLS.includes(value['nulls'])) &&
    Object.keys(value).every((key) => ['field', 'direction', 'nulls'].includes(key)))

const OPTIONS: Rules = {
  items: [isSchema, 'the schema of an item'],
  order: [
    (value) => Array.isArray(value) && value.length > 0 && value.every(isSort),
    "a list of fields, such as [{ field: 'placed', direction: 'desc' }, 'id']",
  ],
  secret: SECRET,
  limit: LIMIT,
  lifetime: [isPositive, 'a number of milliseconds above 0'],
}

/**
 * Defines a list that is read in pages by cursors. A page begins right after the last row of the one before, so that no row is skipped or
 * repeated while others are inserted and deleted.
 *
 * @example
 * const cars = page({ items: Car, order: [{ field: 'built', direction: 'desc' }, 'id'], secret })
 * const list = {
 *   method: 'GET',
 *   name: 'list',
 *   input: { query: { ...cars.query, maker: z.string().optional() } },
 *   response: cars.response,
 *   handler: ({ query }, context) => cars.read(query, context, (position) => findCars(query.maker, position)),
 * }
 *
 * @throws `DefinitionError` when an option is wrong.
 */
export function page<S extends Schema, const F extends FieldOf<InputOf<S>>>(
  options: PageOptions<S, F>,
): PagedList<S, F> {
  checkOptions(WHERE, options, OPTIONS, pageProblems(options))
  const { items, secret, lifetime } = options
  const { usual, max } = toLimits(options.limit)
  const order = options.order.map(toSortedRows)
  const cursors = createCursors(toSecrets(secret), lifetime)
  return {
    query: toPageFields(usual, max),
    // its type is a text only for items that the compiler refuses
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    response: toPageSchema(items as S),
    openapi: { responses: { 200: { headers: { Link: LINK } } } },
    read: async (query, context, find) => {
      const { limit, cursor, ...filter } = query
      const about = JSON.stringify([context.path, context.version, order, filter], toStable)
      const place = cursor === undefined ? START : cursors.read(about, cursor)
      if (place === undefined) throw addedError('invalid_cursor', DETAIL)
      const position = toPosition(order, place, limit + 1)
      const rows = [...(await find(position))]
      if (rows.length > position.take)
        throw new Error(
          `${rows.length} rows were read for a page: limit the query to \`take\` of the position`,
        )
      const keys = rows.map((row) => sortKeysOf(order, row))
      checkRows(position.orderBy, place.keys, keys)
      const { next, prev } = toBeside(place, keys, limit)
      const found = rows.slice(0, limit)
      const write = (beside: CursorPlace | undefined): string | null =>
        beside === undefined ? null : cursors.write(about, beside)
      const result = {
        items: place.isBackward ? found.toReversed() : found,
        next: write(next),
        prev: write(prev),
      }
      addPageLinks(context, limit, result)
      return result
    },
  }
}

page.offset = offset

const START: CursorPlace = { isBackward: false, keys: undefined }

const DETAIL = 'The cursor is not one of this list, or has expired. Begin with the first page'

function toSortedRows<F extends string>(sort: F | SortBy<F>): SortedBy<F> {
  const { field, direction = 'asc', nulls }: SortBy<F> = typeof sort === 'string' ? { field: sort } : sort
  return { field, direction, nulls }
}

function toPosition<F extends string>(
  order: readonly SortedBy<F>[],
  { isBackward, keys }: CursorPlace,
  take: number,
): PagePosition<F> {
  const orderBy = isBackward ? toReversed(order) : order
  return {
    orderBy,
    take,
    where: keys === undefined ? [] : toWhere(orderBy, keys),
    select: (rows) => selectRows(orderBy, keys, rows).slice(0, take),
  }
}

function selectRows<T>(
  order: readonly SortedBy[],
  start: readonly SortKey[] | undefined,
  rows: Iterable<T>,
): readonly T[] {
  const compare = (one: readonly SortKey[], other: readonly SortKey[]): number =>
    compareSortKeys(order, one, other, true) ?? 0
  return [...rows]
    .map((row) => ({ row, keys: sortKeysOf(order, row) }))
    .filter(({ keys }) => start === undefined || compare(start, keys) < 0)
    .toSorted((a, b) => compare(a.keys, b.keys))
    .map(({ row }) => row)
}

/** The places of the pages beside one. `keys` are those of its rows, and of one more if there is one. */
function toBeside(
  { isBackward, keys: start }: CursorPlace,
  keys: readonly (readonly SortKey[])[],
  limit: number,
): Partial<Record<'next' | 'prev', CursorPlace>> {
  const last = keys[Math.min(limit, keys.length) - 1]
  const onward = keys.length > limit ? { isBackward, keys: last } : undefined
  // the page that the request came from, or the end of the list if all rows of this one are gone
  const back = start === undefined ? undefined : { isBackward: !isBackward, keys: keys[0] }
  const [next, prev] = isBackward ? [back, onward] : [onward, back]
  return { ...(next && { next }), ...(prev && { prev }) }
}

/** A text that is equal for equal filters: keys of objects are sorted, and values that JSON cannot write stay distinct. */
function toStable(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return { bigint: String(value) }
  if (value instanceof Set || value instanceof Map) return [...value]
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Reports what no rule of a single option sees. */
function pageProblems(options: unknown): readonly DefinitionProblem[] {
  const { items, order, limit } = Object(options)
  const fix = 'write page({ items, order, secret })'
  const missing = missingOptions(WHERE, options, ['items', 'order', 'secret'], fix)
  const sorts = Array.isArray(order) && order.every(isSort) ? order.map(toSortedRows<string>) : []
  return [
    ...missing,
    ...limitProblems(WHERE, limit),
    ...(isSchema(items) ? pageOrderProblems(items, sorts) : []),
  ]
}

function pageOrderProblems(items: Schema, order: readonly SortedBy[]): readonly DefinitionProblem[] {
  const fields = rowFieldsOf(items)
  if (fields === undefined)
    return [
      invalidOption(
        WHERE,
        'items is no object schema',
        'give the schema of an item, such as z.object({ … })',
      ),
    ]
  return order.flatMap(({ field, nulls }, index) => {
    const say = (message: string, fix: string): readonly DefinitionProblem[] => [
      invalidOption(WHERE, `order has ${field}, ${message}`, fix),
    ]
    const schema = Object.hasOwn(fields, field) ? fields[field] : undefined
    if (!isSchema(schema)) return say('which is no field of items', `use ${Object.keys(fields).join(', ')}`)
    if (order.findIndex((other) => other.field === field) !== index) return say('twice', 'name it once')
    if (index === order.length - 1) {
      if (nulls === undefined && !takesNull(schema)) return []
      return say('which can be null, as its last field', 'end it with a field that is unique, such as an id')
    }
    return nulls === undefined && takesNull(schema)
      ? say('which can be null', "write where such rows are: { field, nulls: 'last' }")
      : []
  })
}

/** A place in a list. */
interface CursorPlace {
  /** Whether the page has the rows before the place, instead of those that follow it. */
  readonly isBackward: boolean
  /** The keys of the row at the place. `undefined` is the beginning of the list, or its end for pages backward. */
  readonly keys: readonly SortKey[] | undefined
}

/** Reads and writes cursors. `about` is the list that a cursor is of: its filter, order and version. */
interface Cursors {
  /** @throws `RangeError` if the keys are too long. */
  readonly write: (about: string, place: CursorPlace) => string
  /** `undefined` for a cursor that was not signed here, is that of another list, or has expired. */
  readonly read: (about: string, cursor: string) => CursorPlace | undefined
}

const PURPOSE = 'octavo.page'

/** A payload in base64url, a dot, and the 32 bytes of its signature in base64url. */
const SIGNED = /^([\w-]+)\.([\w-]{43})$/

/** Signs with the first secret, accepts the signatures of all. `lifetime` is in milliseconds. */
function createCursors(secrets: readonly string[], lifetime: number | undefined): Cursors {
  const [first = ''] = secrets
  return {
    write: (about, place) => {
      const keys = (place.keys ?? []).map(toCursorJson)
      const end = lifetime === undefined ? null : Date.now() + lifetime
      const content: Payload = [place.isBackward ? 1 : 0, end, ...keys]
      const payload = Buffer.from(JSON.stringify(content)).toString('base64url')
      // the payload has no line break, so nothing else has this text
      const cursor = `${payload}.${signatureOf(PURPOSE, `${payload}\n${about}`, first)}`
      if (cursor.length <= MAX_CURSOR) return cursor
      throw new RangeError(
        `The cursor of a row would have ${cursor.length} characters, and ${MAX_CURSOR} are possible: order by shorter fields`,
      )
    },
    read: (about, cursor) => {
      const [, payload = '', signature = ''] = SIGNED.exec(cursor) ?? []
      const text = `${payload}\n${about}`
      if (signature === '' || findSecret(PURPOSE, text, signature, secrets) === -1) return undefined
      const content: Payload = JSON.parse(Buffer.from(payload, 'base64url').toString())
      const [isBackward, end, ...keys] = content
      if (end !== null && end < Date.now()) return undefined
      return { isBackward: isBackward === 1, keys: keys.length === 0 ? undefined : keys.map(fromCursorJson) }
    },
  }
}

/** The content of a cursor: its direction, when it ends or `null`, and its keys. What JSON has no word for is a list. */
type Payload = readonly [isBackward: 0 | 1, end: number | null, ...keys: unknown[]]

function toCursorJson(key: SortKey): unknown {
  if (typeof key === 'bigint') return [String(key)]
  return key instanceof Date ? [key.getTime()] : key
}

function fromCursorJson(key: unknown): SortKey {
  if (!Array.isArray(key)) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its signature proves that it was written above
    return key as SortKey
  }
  const [held]: readonly unknown[] = key
  return typeof held === 'string' ? BigInt(held) : new Date(Number(held))
}

import assert from 'node:assert/strict'

import { page } from 'octavo/pages'
import type { PageContext, PageOptions, PagePosition, PagedList, SortBy } from 'octavo/pages'
import { z } from 'zod'

export const SECRET = 'a secret of more than 32 characters'

export const Car = z.object({ id: z.int(), maker: z.string(), price: z.int().nullable(), built: z.date() })
export type CarRow = z.input<typeof Car>

/** A list that every kind of order is in: descending, with ties, `null` and a unique last field. */
export const ORDER = [
  { field: 'price', direction: 'desc', nulls: 'last' },
  { field: 'built', direction: 'desc' },
  'maker',
  'id',
] as const satisfies PageOptions<typeof Car, keyof CarRow>['order']

export type CarField = 'price' | 'built' | 'maker' | 'id'

export function carPages(
  options: Partial<PageOptions<typeof Car, CarField>> = {},
): PagedList<typeof Car, CarField> {
  return page<typeof Car, CarField>({ items: Car, order: ORDER, secret: SECRET, ...options })
}

/** A position as PostgreSQL reads it. The names of columns are those of fields. */
export function toSql(position: PagePosition<string>): { readonly text: string; readonly values: unknown[] } {
  const values: unknown[] = []
  const where = position.where
    .map((any) =>
      any
        .map(({ field, operator, value }) =>
          value === null ? `${field} ${operator} null` : `${field} ${operator} $${values.push(value)}`,
        )
        .join(' or '),
    )
    .map((any) => `(${any})`)
    .join(' and ')
  const orderBy = position.orderBy.map(
    ({ field, direction, nulls = 'last' }) => `${field} ${direction} nulls ${nulls}`,
  )
  return {
    text: `${where === '' ? '' : `where ${where} `}order by ${orderBy.join(', ')} limit ${position.take}`,
    values,
  }
}

/** Numbers from 0 to below a limit, always the same for a seed (mulberry32). */
export function createRandom(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
  }
}

const MAKERS = ['Ford', 'Fiat', 'Škoda', 'BMW'] as const

/** A row with few values, so that many rows share each of them. */
export function randomCar(id: number, random: (limit: number) => number): CarRow {
  const price = random(4)
  return {
    id,
    maker: MAKERS[random(MAKERS.length)] ?? '',
    price: price === 0 ? null : price,
    built: new Date(Date.UTC(2026, 0, 1 + random(3))),
  }
}

/** The context of a request for a list, as far as one is needed. */
export function fakeContext(): PageContext {
  return {
    path: '/car',
    version: null,
    // the methods that a list asks for
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    request: { method: 'GET', url: '/car' } as never,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    response: { headers: { append: () => undefined } } as never,
  }
}

/** The order of a list of cars. */
export type Order = readonly (CarField | SortBy<CarField>)[]
export type Find = (position: PagePosition<CarField>) => readonly CarRow[] | Promise<readonly CarRow[]>

/** Reads all pages in one direction, with a change of the rows between two of them. Returns the ids, and the first row of the last page
 * with the cursor of the page before it. */
export async function walk(
  order: Order,
  find: Find,
  change: (seen: number) => void | Promise<void>,
  { limit, direction, from }: { limit: number; direction: 'next' | 'prev'; from?: string | undefined },
) {
  const list = page({ items: Car, order, secret: SECRET })
  const pages: number[][] = []
  let cursor = from
  for (;;) {
    const found = await list.read({ limit, cursor }, fakeContext(), find)
    const ids = found.items.map(({ id }) => id)
    pages.push(direction === 'next' ? ids : ids.toReversed())
    const next = found[direction]
    if (next === null) return { ids: pages.flat(), first: pages.at(-1)?.[0], prev: found.prev }
    cursor = next
    await change(pages.length)
  }
}

/** Asserts that every row that stayed was seen once, and no row twice. */
export function assertComplete(ids: readonly number[], stayed: Iterable<number>): void {
  assert.equal(new Set(ids).size, ids.length, 'a row is repeated')
  const seen = new Set(ids)
  assert.deepEqual(
    [...stayed].filter((id) => !seen.has(id)),
    [],
    'a row is skipped',
  )
}

/** What changes rows at random: it inserts and deletes, and remembers which rows stay. */
export function createChanges(random: (limit: number) => number) {
  const present = new Set<number>()
  let stayed = new Set<number>()
  let nextId = 0
  return {
    stayed: () => stayed,
    /** Counts from here on. */
    begin: () => {
      stayed = new Set(present)
    },
    insert: (count: number): readonly CarRow[] =>
      Array.from({ length: count }, () => {
        // ids in any order, each used once
        const row = randomCar((nextId++ * 7919) % 1_000_003, random)
        present.add(row.id)
        return row
      }),
    remove: (count: number): readonly number[] => {
      const all = [...present]
      const gone = Array.from({ length: Math.min(count, all.length) }, () => all[random(all.length)] ?? -1)
      for (const id of gone) {
        present.delete(id)
        stayed.delete(id)
      }
      return gone
    },
  }
}

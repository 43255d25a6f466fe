import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import * as fc from 'fast-check'
import type { PagePosition, SortBy, SortedBy } from 'octavo/pages'

import { assertComplete, createChanges, createRandom, randomCar, walk } from './support.ts'
import type { CarField, CarRow, Find } from './support.ts'
import { compareSortKeys, sortKeysOf, toWhere } from '../inside/parts.ts'

const field = fc.constantFrom('price', 'built', 'maker')
const direction = fc.constantFrom('asc', 'desc')

/** Every order of the fields, with `id` as its last. */
const anyOrder: fc.Arbitrary<readonly SortBy<CarField>[]> = fc
  .tuple(
    fc.uniqueArray(fc.record({ field, direction, nulls: fc.constantFrom('first', 'last') }), {
      selector: (sort) => sort.field,
    }),
    direction,
  )
  .map(([sorts, last]) => [
    ...sorts.map(({ nulls, ...sort }): SortBy<CarField> =>
      sort.field === 'price' ? { ...sort, nulls } : sort,
    ),
    { field: 'id', direction: last },
  ])

function toOrder(order: readonly SortBy<CarField>[]): readonly SortedBy<CarField>[] {
  return order.map(({ field: name, direction: way = 'asc', nulls }) => ({
    field: name,
    direction: way,
    nulls,
  }))
}

describe('pages of rows that come and go', () => {
  it('skip no row and repeat none, in any order and direction', async () => {
    let changes = 0
    await fc.assert(
      fc.asyncProperty(anyOrder, fc.integer(), fc.integer({ min: 1, max: 9 }), async (given, seed, limit) => {
        const order = toOrder(given)
        const random = createRandom(seed)
        const rows = new Map<number, CarRow>()
        const ever = new Map<number, CarRow>()
        const put = (row: CarRow): void => {
          rows.set(row.id, row)
          ever.set(row.id, row)
        }
        const made = createChanges(random)
        const change = () => {
          const added = made.insert(1 + random(20))
          for (const row of added) put(row)
          const gone = made.remove(1 + random(20))
          for (const id of gone) rows.delete(id)
          changes += added.length + gone.length
        }
        const find: Find = (position) => position.select(rows.values())
        for (const row of made.insert(60)) put(row)
        made.begin()
        const there = await walk(order, find, change, { limit, direction: 'next' })
        assertComplete(there.ids, made.stayed())
        const { first, prev } = there
        const place = first === undefined ? undefined : ever.get(first)
        if (prev === null || place === undefined) return
        made.begin()
        const back = await walk(order, find, change, { limit, direction: 'prev', from: prev })
        const isBefore = (id: number): boolean =>
          (compareSortKeys(order, sortKeysOf(order, ever.get(id)), sortKeysOf(order, place), true) ?? 0) < 0
        assertComplete(back.ids, [...made.stayed()].filter(isBefore))
      }),
      { numRuns: 8 },
    )
    assert.ok(changes > 500, `${changes} changes`)
  })

  it('skip no row and repeat none over 10,000 changes of rows that share their values', async () => {
    const order = toOrder([{ field: 'price', direction: 'desc', nulls: 'last' }, { field: 'id' }])
    const made = createChanges(createRandom(7))
    const rows = new Map<number, CarRow>()
    const insert = (count: number): void => {
      for (const row of made.insert(count)) rows.set(row.id, row)
    }
    insert(1200)
    made.begin()
    let changes = 0
    const change = (): void => {
      insert(60)
      for (const id of made.remove(60)) rows.delete(id)
      changes += 120
    }
    const { ids } = await walk(order, (position) => position.select(rows.values()), change, {
      limit: 8,
      direction: 'next',
    })
    assertComplete(ids, made.stayed())
    assert.ok(changes >= 10_000, `${changes} changes`)
    // a price is that of hundreds of rows, so most pages begin in the middle of a tie
    assert.ok(new Set([...rows.values()].map(({ price }) => price)).size <= 4)
  })

  it('have a condition that is true for the rows that follow, as SQL reads it', () => {
    const found = fc.array(
      fc.integer().map((seed) => randomCar(0, createRandom(seed))),
      { minLength: 2, maxLength: 9 },
    )
    fc.assert(
      fc.property(anyOrder, found, (given, some) => {
        const order = toOrder(given)
        const rows = some.map((row, id) => ({ ...row, id }))
        for (const from of rows) {
          const keys = sortKeysOf(order, from)
          const where = toWhere(order, keys)
          assert.deepEqual(
            rows.filter((row) => where.every((any) => any.some((one) => isTrue(one, row)))),
            rows.filter((row) => (compareSortKeys(order, keys, sortKeysOf(order, row), true) ?? 0) < 0),
          )
        }
      }),
      { numRuns: 40 },
    )
  })
})

function isTrue(
  { field: name, operator, value }: PagePosition<CarField>['where'][number][number],
  row: CarRow,
): boolean {
  const own = row[name]
  if (operator === 'is') return own === null
  if (operator === 'is not') return own !== null
  // a comparison with null is never true in SQL
  if (own === null || value === null) return false
  const sign = own < value ? -1 : own > value ? 1 : 0
  return { '<': sign < 0, '<=': sign <= 0, '>': sign > 0, '>=': sign >= 0 }[operator]
}

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { PGlite } from '@electric-sql/pglite'
import { page } from 'octavo/pages'
import { z } from 'zod'

import { assertComplete, Car, createChanges, createRandom, fakeContext, ORDER } from './support.ts'
import { SECRET, toSql, walk } from './support.ts'
import type { CarRow, Find } from './support.ts'

describe('pages of a table in PostgreSQL', () => {
  let database: PGlite
  before(async () => {
    database = await PGlite.create()
    await database.exec(`
      create table cars (id int primary key, maker text not null, price int, built timestamptz(3) not null);
    `)
  })
  after(() => database.close())

  const Rows = z.array(Car)
  const find: Find = async (position) => {
    const { text, values } = toSql(position)
    const { rows } = await database.query(`select * from cars ${text}`, values)
    return Rows.parse(rows)
  }
  const insert = async (rows: readonly CarRow[]): Promise<void> => {
    await database.query('insert into cars select * from json_populate_recordset(null::cars, $1::json)', [
      JSON.stringify(rows),
    ])
  }

  it('skip no row and repeat none over 10,000 inserts and deletes', async () => {
    const made = createChanges(createRandom(22))
    await insert(made.insert(3000))
    let count = 0
    const change = async (): Promise<void> => {
      await insert(made.insert(50))
      await database.query('delete from cars where id = any($1)', [made.remove(50)])
      count += 100
    }
    for (const round of [1, 2, 3, 4]) {
      made.begin()
      const { ids } = await walk(ORDER, find, change, { limit: 100, direction: 'next' })
      assert.ok(ids.length > 1000, `round ${round}`)
      assertComplete(ids, made.stayed())
    }
    assert.ok(count >= 10_000, `${count} changes`)
  })

  it('find their place in the index by the condition on the first field', async () => {
    await database.exec(
      'create index cars_by_time on cars (built desc, id); analyze cars; set enable_seqscan = off',
    )
    const list = page({ items: Car, order: [{ field: 'built', direction: 'desc' }, 'id'], secret: SECRET })
    const { next } = await list.read({ limit: 50 }, fakeContext(), find)
    let plan = ''
    await list.read({ limit: 50, cursor: next ?? '' }, fakeContext(), async (position) => {
      const { text, values } = toSql(position)
      const { rows } = await database.query<{ 'QUERY PLAN': string }>(
        `explain select * from cars ${text.replaceAll(' nulls last', '')}`,
        values,
      )
      plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      return find(position)
    })
    assert.match(plan, /Index Scan using cars_by_time on cars.*\n\s+Index Cond: \(built <= /)
    assert.doesNotMatch(plan, /Sort/)
  })
})

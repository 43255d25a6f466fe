/** A wrong definition of `page` is an error at the member that is wrong, and nowhere else. */
import { expectTypeOf } from 'expect-type'
import { defineController } from 'octavo'
import { operation } from 'octavo/changes'
import { page } from 'octavo/pages'
import type { PagedList } from 'octavo/pages'
import { z } from 'zod'

const Car = z.object({ id: z.int(), built: z.iso.date() })
const Van = Car.extend({ doors: z.int() })
const secret = 'a secret of 32 characters or more'

page({
  // @ts-expect-error a text has no fields
  items: z.string(),
  order: ['id'],
  secret,
})
page({
  // @ts-expect-error the list in place of its item
  items: z.array(Car),
  order: ['id'],
  secret,
})
page({
  // @ts-expect-error an item that may be missing
  items: Car.nullable(),
  order: ['id'],
  secret,
})
// @ts-expect-error no items
page({
  order: ['id'],
  secret,
})
page({
  items: Car,
  order: [
    { field: 'built', direction: 'desc' },
    // @ts-expect-error no field
    'name',
  ],
  secret,
})
page({
  items: Car,
  order: [
    {
      field: 'built',
      // @ts-expect-error no direction
      direction: 'down',
    },
  ],
  secret,
})
page({
  items: Car,
  order: ['id'],
  // @ts-expect-error a variable that may be missing
  secret: process.env['PAGE_SECRET'],
})
page({
  items: Car,
  order: ['id'],
  secret,
  limit: {
    // @ts-expect-error no such limit
    most: 10,
  },
})

expectTypeOf(page({ items: Car, order: ['id'], secret })).toEqualTypeOf<PagedList<typeof Car, 'id'>>()
const either = z.union([Car, Van])
expectTypeOf(page({ items: either, order: ['built', 'id'], secret })).toEqualTypeOf<
  PagedList<typeof either, 'built' | 'id'>
>()
const open = z.any()
expectTypeOf(page({ items: open, order: ['id'], secret })).toEqualTypeOf<PagedList<typeof open, 'id'>>()
const record = z.record(z.string(), z.int())
expectTypeOf(page({ items: record, order: ['id'], secret })).toEqualTypeOf<PagedList<typeof record, 'id'>>()

// more values than those of the query select the rows
const cars = page({ items: Car, order: ['id'], secret })
defineController({
  prefix: '/cars',
  routes: [
    {
      method: 'GET',
      name: 'list',
      input: { query: cars.query },
      response: cars.response,
      handler: ({ query }, context) =>
        cars.read({ ...query, tenant: 7 }, context, ({ select }) => select([])),
    },
    {
      method: 'GET',
      path: '/wrong',
      input: { query: cars.query },
      // @ts-expect-error no limit
      handler: (_, context) => cars.read({ tenant: 7 }, context, ({ select }) => select([])),
    },
  ],
})
// a page was a list, as check --write writes it
operation({
  route: 'car.list',
  response: { body: { 200: { now: cars.response, was: z.array(Car), down: (list) => list.items } } },
})

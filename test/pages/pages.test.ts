import assert from 'node:assert/strict'
import { afterEach, describe, it, mock } from 'node:test'

import { createApp, defineController, defineModule, DefinitionError, VersioningSchemes } from 'octavo'
import type { App, InjectResponse } from 'octavo'
import { page } from 'octavo/pages'
import type { PagedList } from 'octavo/pages'
import { z } from 'zod'

import { Car, carPages, createRandom, fakeContext, randomCar, SECRET } from './support.ts'
import type { CarField, CarRow } from './support.ts'

const random = createRandom(1)
const ROWS: readonly CarRow[] = Array.from({ length: 25 }, (_, index) => randomCar(index + 1, random))

/** The order of ORDER, in other words. */
const SORTED = ROWS.toSorted(
  (a, b) =>
    (b.price ?? -1) - (a.price ?? -1) ||
    b.built.getTime() - a.built.getTime() ||
    (a.maker < b.maker ? -1 : a.maker > b.maker ? 1 : a.id - b.id),
).map(({ id }) => id)

interface Body {
  readonly items: readonly { readonly id: number }[]
  readonly next: string | null
  readonly prev: string | null
}

// the body of a list, which tests compare
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const bodyOf = (response: InjectResponse): Body => response.json() as Body
const codeOf = (response: InjectResponse): unknown => Object(response.json()).code
const idsOf = ({ items }: Body): readonly number[] => items.map(({ id }) => id)

type CarPages = PagedList<typeof Car, CarField>

function serve(cars: CarPages = carPages(), rows: Iterable<CarRow> = ROWS): App {
  const controller = defineController({
    name: 'car',
    routes: [
      {
        method: 'GET',
        name: 'list',
        version: ['1', '2'],
        input: {
          query: { ...cars.query, maker: z.string().optional(), tag: z.array(z.string()).optional() },
        },
        response: cars.response,
        openapi: cars.openapi,
        handler: ({ query }, context) =>
          cars.read(query, context, (position) =>
            position.select(
              [...rows].filter(({ maker }) => query.maker === undefined || maker === query.maker),
            ),
          ),
      },
      {
        method: 'GET',
        path: '/of/{owner}',
        version: '1',
        input: { query: cars.query },
        response: cars.response,
        handler: ({ query }, context) => cars.read(query, context, (position) => position.select(rows)),
      },
    ],
  })
  const app = createApp(defineModule({ controllers: [controller] }), { docs: {}, logger: false })
  app.enableVersioning(VersioningSchemes.URL, { format: 'integer' })
  return app
}

const get = (app: App, query = '', path = '/v1/car'): Promise<InjectResponse> =>
  app.inject({ url: `${path}?${query}` })

describe('a list in pages', () => {
  it('has every row once, in its order, whatever the size of pages', async () => {
    const app = serve()
    for (const limit of [1, 2, 7, 24, 25, 26]) {
      const seen: number[] = []
      let cursor: string | null = ''
      for (let pages = 0; cursor !== null && pages < 30; pages++) {
        const body: Body = bodyOf(await get(app, `limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`))
        seen.push(...idsOf(body))
        cursor = body.next
      }
      assert.deepEqual(seen, SORTED, `limit ${limit}`)
    }
  })

  it('goes back page by page to the first', async () => {
    const app = serve()
    const pages: Body[] = [bodyOf(await get(app, 'limit=4'))]
    for (let last = pages[0]; last?.next; last = pages.at(-1))
      pages.push(bodyOf(await get(app, `limit=4&cursor=${last.next}`)))
    assert.equal(pages.length, 7)
    assert.equal(pages[0]?.prev, null)
    let from = pages.pop()
    for (const expected of pages.toReversed()) {
      const back = bodyOf(await get(app, `limit=4&cursor=${from?.prev ?? ''}`))
      assert.deepEqual(idsOf(back), idsOf(expected))
      assert.notEqual(back.next, null)
      from = back
    }
    assert.equal(from?.prev, null)
  })

  it('goes on where rows were, if all that a page had are gone', async () => {
    const rows = new Map(ROWS.map((row) => [row.id, row]))
    const app = serve(carPages(), { [Symbol.iterator]: () => rows.values() })
    const first = bodyOf(await get(app, 'limit=5'))
    const second = bodyOf(await get(app, `limit=5&cursor=${first.next ?? ''}`))
    for (const id of SORTED.slice(0, 5)) rows.delete(id)
    const before = bodyOf(await get(app, `limit=5&cursor=${second.prev ?? ''}`))
    assert.deepEqual([before.items, before.prev], [[], null])
    const again = bodyOf(await get(app, `limit=5&cursor=${before.next ?? ''}`))
    assert.deepEqual([idsOf(again), again.prev], [SORTED.slice(5, 10), null])
    for (const id of SORTED.slice(10)) rows.delete(id)
    const after = bodyOf(await get(app, `limit=5&cursor=${second.next ?? ''}`))
    assert.deepEqual([after.items, after.next], [[], null])
    const end = bodyOf(await get(app, `limit=5&cursor=${after.prev ?? ''}`))
    assert.deepEqual([idsOf(end), end.next], [SORTED.slice(5, 10), null])
  })

  it('has 20 items by default and 100 at most, or as its options say', async () => {
    const rows = Array.from({ length: 120 }, (_, index) => randomCar(index + 1, random))
    const sizes = async (app: App) => [
      bodyOf(await get(app)).items.length,
      ...(await Promise.all(
        ['limit=100', 'limit=101', 'limit=0', 'limit=many'].map(async (query) => {
          const response = await get(app, query)
          return response.statusCode === 200 ? bodyOf(response).items.length : response.statusCode
        }),
      )),
    ]
    assert.deepEqual(await sizes(serve(carPages(), rows)), [20, 100, 422, 422, 422])
    assert.deepEqual(
      await sizes(serve(carPages({ limit: { default: 3, max: 5 } }), rows)),
      [3, 422, 422, 422, 422],
    )
    assert.deepEqual(await sizes(serve(carPages({ limit: { max: 5 } }), rows)), [5, 422, 422, 422, 422])
  })
})

describe('the header Link', () => {
  const linksOf = (response: InjectResponse): Readonly<Record<string, string>> =>
    Object.fromEntries(
      [...String(response.headers['link']).matchAll(/<([^>]*)>; rel="(\w+)"/g)].map(
        ([, url = '', rel = '']) => [rel, new URL(url, 'http://cars.test/v1/car?limit=1').href],
      ),
    )

  it('leads to the first, next and previous page, with the filter of the request', async () => {
    const app = serve()
    const first = await get(app, 'maker=Ford&limit=2&tag=a&tag=b%26c')
    const body = bodyOf(first)
    const common = 'http://cars.test/v1/car?maker=Ford&limit=2&tag=a&tag=b%26c'
    assert.deepEqual(linksOf(first), { first: common, next: `${common}&cursor=${body.next}` })
    const second = await app.inject({ url: linksOf(first)['next']?.replace('http://cars.test', '') ?? '' })
    assert.deepEqual(linksOf(second), {
      first: common,
      next: `${common}&cursor=${bodyOf(second).next}`,
      prev: `${common}&cursor=${bodyOf(second).prev}`,
    })
  })

  it('is escaped, so that a query adds no link of its own', async () => {
    const link = String((await get(serve(), 'x=%3E;+rel=%22canonical%22&y=>;"\u0001')).headers['link'])
    assert.match(link, /^<\?[^<>"]*>; rel="first", <\?[^<>"]*>; rel="next"$/)
  })

  it('is left out if a long filter makes it longer than proxies take', async () => {
    const app = serve()
    const long = await get(app, `limit=2&maker=Ford&tag=${'a'.repeat(600)}`)
    assert.ok(String(long.headers['link']).length > 1000)
    const cursor = bodyOf(long).next ?? ''
    const second = await get(app, `limit=2&maker=Ford&tag=${'a'.repeat(600)}&cursor=${cursor}`)
    assert.deepEqual([second.statusCode, second.headers['link']], [200, undefined])
    assert.notEqual(bodyOf(second).prev, null)
    // escapes count as well
    assert.equal((await get(app, `tag=${'!'.repeat(400)}`)).headers['link'], undefined)
  })

  it('stays beside other links of the response', async () => {
    const app = createApp(
      defineModule({
        controllers: [
          defineController({
            name: 'car',
            routes: [
              {
                method: 'GET',
                input: { query: CARS.query },
                handler: ({ query }, context) => {
                  context.response.headers.append('link', '</docs>; rel="help"')
                  return CARS.read(query, context, (position) => position.select(ROWS))
                },
              },
            ],
          }),
        ],
      }),
      { logger: false },
    )
    const { headers } = await app.inject({ url: '/car' })
    assert.match([headers['link']].flat().join(', '), /^<\/docs>; rel="help", <\?limit=20>; rel="first"/)
  })
})

const CARS = carPages()

describe('a cursor', () => {
  afterEach(() => mock.timers.reset())

  const refused = async (app: App, cursor: string, query = 'limit=5', path?: string): Promise<void> => {
    const response = await get(app, `${query}&cursor=${encodeURIComponent(cursor)}`, path)
    assert.equal(response.statusCode, 422, cursor)
    assert.deepEqual(response.json(), {
      type: 'urn:octavo:problem:invalid-cursor',
      title: 'Invalid cursor',
      status: 422,
      detail: 'The cursor is not one of this list, or has expired. Begin with the first page',
      code: 'invalid_cursor',
    })
  }
  const nextOf = async (app: App, query = 'limit=5', path?: string): Promise<string> =>
    bodyOf(await get(app, query, path)).next ?? ''
  const accepted = async (app: App, cursor: string, query = 'limit=5'): Promise<void> => {
    const response = await get(app, `${query}&cursor=${cursor}`)
    assert.deepEqual([response.statusCode, idsOf(bodyOf(response))], [200, SORTED.slice(5, 10)])
  }

  it('is refused wherever one bit of it is changed, and nothing of it is repeated', async () => {
    const app = serve()
    const cursor = await nextOf(app)
    await accepted(app, cursor)
    for (let index = 0; index < cursor.length; index++) {
      // the last character of base64url has bits that mean nothing
      if (index === cursor.length - 1) continue
      const changed = cursor.charAt(index) === 'A' ? 'B' : 'A'
      await refused(app, cursor.slice(0, index) + changed + cursor.slice(index + 1))
    }
    for (const other of [
      `${cursor}A`,
      cursor.slice(1),
      cursor.slice(0, -1),
      '.',
      'a',
      '{"id":1}',
      'é',
      `${cursor}.${cursor}`,
    ])
      await refused(app, other)
  })

  it('is refused if it is empty or longer than cursors are', async () => {
    const app = serve()
    for (const cursor of ['', 'a'.repeat(2001)]) {
      const response = await get(app, `cursor=${cursor}`)
      assert.deepEqual([response.statusCode, codeOf(response)], [422, 'validation_failed'])
    }
  })

  it('is of one filter, in any order of its parameters, and of every limit', async () => {
    const app = serve()
    const cursor = await nextOf(app, 'maker=Ford&tag=a&tag=b&limit=1')
    assert.equal((await get(app, `tag=a&tag=b&maker=Ford&limit=9&cursor=${cursor}`)).statusCode, 200)
    for (const query of ['maker=Fiat&tag=a&tag=b', 'maker=Ford', 'maker=Ford&tag=b&tag=a', 'limit=5'])
      await refused(app, cursor, query)
    await refused(app, await nextOf(app), 'maker=Ford')
  })

  it('goes on with another limit, and with another cap of the next release', async () => {
    const app = serve()
    const found: number[] = []
    let cursor = ''
    for (const limit of [1, 4, 2, 100]) {
      const body = bodyOf(await get(app, `limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`))
      found.push(...idsOf(body))
      cursor = body.next ?? ''
    }
    assert.deepEqual([found, cursor], [SORTED, ''])
    const next = await nextOf(app)
    const capped = serve(carPages({ limit: { default: 3, max: 4 } }))
    const refusal = await get(capped, `limit=5&cursor=${next}`)
    assert.deepEqual([refusal.statusCode, codeOf(refusal)], [422, 'validation_failed'])
    assert.deepEqual(idsOf(bodyOf(await get(capped, `limit=4&cursor=${next}`))), SORTED.slice(5, 9))
    assert.deepEqual(idsOf(bodyOf(await get(capped, `cursor=${next}`))), SORTED.slice(5, 8))
  })

  it('is of one path, with its parameters', async () => {
    const app = serve()
    const cursor = await nextOf(app, 'limit=5', '/v1/car/of/ann')
    assert.equal((await get(app, `cursor=${cursor}`, '/v1/car/of/ann')).statusCode, 200)
    await refused(app, cursor, 'limit=5', '/v1/car/of/bob')
    await refused(app, cursor)
  })

  it('is of one version', async () => {
    const app = serve()
    const cursor = await nextOf(app)
    await refused(app, cursor, 'limit=5', '/v2/car')
    await refused(app, await nextOf(app, 'limit=5', '/v2/car'))
  })

  it('is of one order', async () => {
    const cursor = await nextOf(serve())
    const orders: Parameters<typeof carPages>[0][] = [
      { order: ['id'] },
      {
        order: [
          { field: 'price', direction: 'desc', nulls: 'first' },
          { field: 'built', direction: 'desc' },
          'maker',
          'id',
        ],
      },
      {
        order: [
          { field: 'price', direction: 'asc', nulls: 'last' },
          { field: 'built', direction: 'desc' },
          'maker',
          'id',
        ],
      },
    ]
    for (const options of orders) await refused(serve(carPages(options)), cursor)
  })

  it('is of the secrets of the list: the first signs, all are accepted', async () => {
    const other = 'another secret of more than 32 characters'
    const cursor = await nextOf(serve())
    await accepted(serve(carPages({ secret: [other, SECRET] })), cursor)
    await refused(serve(carPages({ secret: other })), cursor)
    const rotated = await nextOf(serve(carPages({ secret: [other, SECRET] })))
    await refused(serve(), rotated)
    await accepted(serve(carPages({ secret: other })), rotated)
  })

  it('is no signature of something else that has the same secret', async () => {
    const { createSigner } = await import('../../src/server/session/signature.ts')
    await refused(serve(), createSigner([SECRET]).sign('a'.repeat(32)))
  })

  it('expires after its lifetime', async () => {
    mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 0, 1) })
    const app = serve(carPages({ lifetime: 60_000 }))
    const cursor = await nextOf(app)
    mock.timers.tick(60_000)
    await accepted(app, cursor)
    mock.timers.tick(1)
    await refused(app, cursor)
  })

  it('keeps every kind of key as it is', async () => {
    const Row = z.object({
      text: z.string(),
      big: z.bigint(),
      flag: z.boolean(),
      number: z.number(),
      time: z.date(),
    })
    const list = page({ items: Row, order: ['flag', 'text', 'number', 'time', 'big'], secret: SECRET })
    const row = { text: "O'Brien\n\u{1f697}", big: 2n ** 70n, flag: false, number: -0.1, time: new Date(-1) }
    let found: unknown
    const controller = defineController({
      name: 'rows',
      routes: [
        {
          method: 'GET',
          input: { query: list.query },
          handler: async ({ query }, context) => {
            const { next } = await list.read(query, context, ({ where, take }) => {
              found = where.at(-1)?.map(({ value }) => value)
              return [row, { ...row, big: row.big + 1n }].slice(0, take)
            })
            return next
          },
        },
      ],
    })
    const app = createApp(defineModule({ controllers: [controller] }), { logger: false })
    const next = String((await app.inject({ url: '/rows?limit=1' })).json())
    // the rows of the answer are those of the cursor again, which is noticed
    assert.equal((await app.inject({ url: `/rows?limit=1&cursor=${next}` })).statusCode, 500)
    assert.deepEqual(found, [row.flag, row.text, row.number, row.time, row.big])
  })

  it('that would be too long for a URL is an error of the server', async () => {
    const Row = z.object({ id: z.string() })
    const list = page({ items: Row, order: ['id'], secret: SECRET })
    const context = fakeContext()
    const rows = ['a', 'b'].map((letter) => ({ id: letter.repeat(1500) }))
    await assert.rejects(
      list.read({ limit: 1 }, context, () => rows),
      /The cursor of a row would have \d+ characters, and 2000 are possible: order by shorter fields/,
    )
  })
})

describe('rows that no page can be made of are errors of the server', () => {
  const rowsOf = (...rows: Partial<CarRow>[]): CarRow[] =>
    rows.map((row, index) => ({ id: index, maker: 'Ford', price: 1, built: new Date(0), ...row }))
  const read = (
    list: CarPages,
    rows: readonly CarRow[],
    query: { limit: number; cursor?: string | undefined } = { limit: 9 },
  ) => list.read(query, fakeContext(), () => rows)

  it('if two rows have the same keys', async () => {
    await assert.rejects(
      read(carPages(), rowsOf({ id: 7 }, { id: 7 })),
      /Two rows have the same price, built, maker, id: end the order with a field that is unique, such as an id/,
    )
  })

  it('if they are not in order', async () => {
    for (const rows of [
      rowsOf({ price: 1 }, { price: 2 }),
      rowsOf({ price: null }, { price: 2 }),
      rowsOf({ built: new Date(1) }, { built: new Date(2) }),
      rowsOf({ id: 2 }, { id: 1 }),
    ])
      await assert.rejects(read(carPages(), rows), /The rows are not in the order of price, built, maker, id/)
  })

  it('unless text decides, which databases sort by rules of their own', async () => {
    const { items } = await read(carPages(), rowsOf({ maker: 'Škoda' }, { maker: 'Ford' }))
    assert.equal(items.length, 2)
  })

  it('if the query ignores the cursor, or the limit', async () => {
    const { next } = await read(carPages(), rowsOf({}, {}), { limit: 1 })
    await assert.rejects(
      read(carPages(), rowsOf({}, {}), { limit: 1, cursor: next ?? '' }),
      /The first row is that of the cursor/,
    )
    await assert.rejects(read(carPages(), rowsOf({}, {}, {}), { limit: 1 }), /3 rows were read for a page/)
  })

  it('if a key is missing or null', async () => {
    const list = page({ items: Car, order: ['built', 'id'], secret: SECRET })
    const wrong = (row: object) =>
      list.read({ limit: 1 }, fakeContext(), () => [{ ...rowsOf({})[0], ...row } as never])
    await assert.rejects(
      wrong({ built: undefined }),
      /A row has undefined in built: rows are sorted by strings/,
    )
    await assert.rejects(wrong({ built: new Date(Number.NaN) }), /A row has an instance of Date in built/)
    await assert.rejects(wrong({ id: Number.NaN }), /A row has NaN in id/)
    await assert.rejects(wrong({ id: null }), /A row has null in id/)
  })
})

describe('page', () => {
  const problemsOf = (options: object): readonly string[] => {
    try {
      // what JavaScript users may pass
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      page(options as never)
    } catch (error) {
      assert.ok(error instanceof DefinitionError)
      return error.errors.map(({ message }) => message)
    }
    return []
  }
  const options = { items: Car, order: ['id'], secret: SECRET }
  const cases: readonly (readonly [object, readonly string[]])[] = [
    [{}, ['items is missing', 'order is missing', 'secret is missing']],
    [{ ...options, order: [] }, ['order is an empty list']],
    [
      { ...options, order: [{ field: 'id', direction: 'down' }] },
      ['order[0] is an object with field, direction'],
    ],
    [{ ...options, order: ['ID'] }, ['order has ID, which is no field of items']],
    [{ ...options, order: ['id', 'id'] }, ['order has id, twice']],
    [{ ...options, order: ['price', 'id'] }, ['order has price, which can be null']],
    [
      { ...options, order: ['id', { field: 'price', nulls: 'last' }] },
      ['order has price, which can be null, as its last field'],
    ],
    [{ ...options, items: z.string() }, ['items is no object schema']],
    [{ ...options, secret: 'short' }, ['secret is a string of 5 characters']],
    [{ ...options, secret: [] }, ['secret is an empty list']],
    [{ ...options, limit: { default: 200 } }, ['limit.default is above limit.max, which is 100']],
    [{ ...options, limit: { default: 0 } }, ['limit.default is 0']],
    [{ ...options, lifetime: 0 }, ['lifetime is 0']],
    [{ ...options, sort: 1 }, ['there is no option "sort"']],
  ]
  for (const [given, messages] of cases)
    it(`reports ${messages.join(' and ')}`, () => assert.deepEqual(problemsOf(given), messages))
})

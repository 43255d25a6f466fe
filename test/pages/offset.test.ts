import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, DefinitionError } from 'octavo'
import type { InjectResponse } from 'octavo'
import { createClient } from 'octavo/client'
import { page } from 'octavo/pages'
import type { OffsetOptions } from 'octavo/pages'
import { z } from 'zod'

const Car = z.object({ id: z.int(), maker: z.string() })
const ROWS = Array.from({ length: 25 }, (_, index) => ({
  id: index + 1,
  maker: index % 2 === 0 ? 'Ford' : 'Fiat',
}))

function serve(
  options: Partial<OffsetOptions<typeof Car>> = {},
  rows: readonly z.infer<typeof Car>[] = ROWS,
) {
  const cars = page.offset({ items: Car, limit: { default: 10, max: 50 }, maxOffset: 1000, ...options })
  const controller = defineController({
    name: 'car',
    routes: [
      {
        method: 'GET',
        name: 'list',
        input: { query: { ...cars.query, maker: z.string().optional() } },
        response: cars.response,
        openapi: cars.openapi,
        handler: ({ query }, context) =>
          cars.read(query, context, async ({ limit, offset }) => {
            const found = rows.filter(({ maker }) => query.maker === undefined || maker === query.maker)
            return { items: found.slice(offset, offset + limit), total: found.length }
          }),
      },
    ],
  })
  return createApp(defineModule({ controllers: [controller] }), { logger: false })
}

/** The targets of `Link` by their relation. */
const linksOf = (link: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...String(link).matchAll(/<([^>]*)>; rel="(\w+)"/g)].map(([, target = '', name = '']) => [name, target]),
  )

describe('page.offset', () => {
  it('reads all items by its links, with their number in each page', async () => {
    const app = serve()
    const ids: unknown[] = []
    let query: string | undefined = ''
    while (query !== undefined) {
      const response: InjectResponse = await app.inject(`/car${query}`)
      const body: { readonly items: readonly { readonly id: number }[]; readonly total: number } = Object(
        response.json(),
      )
      assert.equal(body.total, 25)
      ids.push(...body.items.map(({ id }) => id))
      query = linksOf(response.headers['link'])['next']
    }
    assert.deepEqual(
      ids,
      ROWS.map(({ id }) => id),
    )
  })

  it('links the pages beside one, with its filter, and none that is too far', async () => {
    const links = async (url: string, options?: Partial<OffsetOptions<typeof Car>>) =>
      linksOf((await serve(options).inject(url)).headers['link'])
    assert.deepEqual(await links('/car?maker=Ford&offset=5&limit=5'), {
      first: '?maker=Ford&limit=5&offset=0',
      prev: '?maker=Ford&limit=5&offset=0',
      next: '?maker=Ford&limit=5&offset=10',
      last: '?maker=Ford&limit=5&offset=10',
    })
    assert.deepEqual(await links('/car?offset=7'), {
      first: '?limit=10&offset=0',
      prev: '?limit=10&offset=0',
      next: '?limit=10&offset=17',
      last: '?limit=10&offset=17',
    })
    assert.deepEqual(await links('/car?offset=900'), {
      first: '?limit=10&offset=0',
      prev: '?limit=10&offset=20',
      last: '?limit=10&offset=20',
    })
    assert.deepEqual(await links('/car?maker=Opel'), { first: '?maker=Opel&limit=10&offset=0' })
    assert.deepEqual(await links('/car', { maxOffset: 9 }), { first: '?limit=10&offset=0' })
  })

  it('refuses pages that are too large or too far', async () => {
    const app = serve()
    for (const query of ['limit=51', 'limit=0', 'offset=-1', 'offset=1001', 'offset=1.5'])
      assert.equal((await app.inject(`/car?${query}`)).statusCode, 422, query)
    const head = await app.inject({ method: 'HEAD', url: '/car?offset=1000' })
    assert.equal(head.statusCode, 200)
  })

  it('fails if more rows are read than the page has', async () => {
    const cars = page.offset({ items: Car })
    const controller = defineController({
      name: 'car',
      routes: [
        {
          method: 'GET',
          input: { query: cars.query },
          response: cars.response,
          handler: ({ query }, context) => cars.read(query, context, () => ({ items: ROWS, total: 25 })),
        },
      ],
    })
    const app = createApp(defineModule({ controllers: [controller] }), { logger: false })
    assert.equal((await app.inject('/car')).statusCode, 500)
  })

  it('is typed in clients, and described in documents', async () => {
    const app = serve()
    await app.ready()
    const client = createClient<typeof app>({ baseUrl: 'http://localhost', fetch: app.fetch })
    const { data } = await client.car.list({ query: { limit: 2, offset: 4 } })
    const total: number = data.total
    const [first] = data.items
    assert.deepEqual([total, first?.id, first?.maker], [25, 5, 'Ford'])
    const operation = Object(app.openapi().paths?.['/car']?.['get'])
    assert.deepEqual(
      operation.parameters.map(({ name, schema }: { name: string; schema: object }) => [name, schema]),
      [
        ['limit', { default: 10, maximum: 50, minimum: 1, type: 'integer' }],
        ['offset', { default: 0, maximum: 1000, minimum: 0, type: 'integer' }],
        ['maker', { type: 'string' }],
      ],
    )
    assert.ok(operation.responses['200'].headers.Link)
  })

  it('refuses wrong options', () => {
    // as JavaScript may call it
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const create = page.offset as (options: unknown) => unknown
    for (const [options, message] of [
      [{}, /items is missing/],
      [{ items: z.string() }, /items is no object schema/],
      [{ items: Car, limit: { default: 9, max: 5 } }, /limit\.default is above limit\.max/],
      [{ items: Car, maxOffset: 0 }, /maxOffset/],
      [{ items: Car, order: ['id'] }, /order/],
      [undefined, /the options are/],
    ] as const)
      assert.throws(
        () => create(options),
        (error) => error instanceof DefinitionError && message.test(error.message),
        String(message),
      )
  })
})

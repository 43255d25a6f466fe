import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { expectTypeOf } from 'expect-type'
import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import type { ExecutionContext } from 'octavo'
import { absent, defineVersionChange, defineVersions, model, operation, reshape } from 'octavo/changes'
import { createClient, ProblemError } from 'octavo/client'
import { page } from 'octavo/pages'
import { z } from 'zod'

import { assertOpenApi } from '../support/openapi.ts'
import { SECRET } from './support.ts'

const Car = model('Car', { id: z.int(), name: z.string(), built: z.date() })

const titles = defineVersionChange({
  version: '2',
  title: 'Cars have names',
  description: '`Car.title` is called `name`.',
  change: [reshape({ of: Car, fields: { name: { was: 'title' } } })],
})
const history = defineVersions({ versions: ['2', '1'], models: { Car }, changes: [titles] })

const ROWS = Array.from({ length: 7 }, (_, index) => ({
  id: index + 1,
  name: `car ${index + 1}`,
  built: new Date(Date.UTC(2026, 0, 1 + Math.floor(index / 2))),
}))

const list = page({
  items: Car,
  order: [{ field: 'built', direction: 'desc' }, 'id'],
  secret: SECRET,
  limit: { default: 3 },
})

const car = defineController({
  name: 'car',
  routes: [
    {
      method: 'GET',
      name: 'list',
      input: { query: { ...list.query, even: z.stringbool().optional() } },
      response: { 200: list.response.meta({ id: 'CarPage' }) },
      openapi: list.openapi,
      handler: ({ query }, context) =>
        list.read(query, context, (position) =>
          position.select(ROWS.filter(({ id }) => query.even !== true || id % 2 === 0)),
        ),
    },
    {
      method: 'GET',
      path: '/{id:int}',
      name: 'getOne',
      response: Car,
      handler: () => ROWS[0] ?? { id: 0, name: '', built: new Date() },
    },
    {
      method: 'GET',
      path: '/pages',
      name: 'pages',
      response: z.string(),
      handler: () => 'a route of that name',
    },
  ],
})

const app = createApp(defineModule({ controllers: [car] }), {
  logger: false,
  docs: {},
  versioning: { scheme: VersioningSchemes.HEADER, format: 'integer', headerParameter: 'x-version', history },
})

const client = createClient<typeof app, '2'>({ baseUrl: 'http://cars.test', fetch: app.fetch, version: '2' })
const IDS = [7, 5, 6, 3, 4, 1, 2]

describe('the pages of an older version', () => {
  it('have items as they were', async () => {
    const old = client.at('1')
    const { data } = await old.car.list()
    expectTypeOf(data.items).toEqualTypeOf<{ id: number; title: string; built: string }[]>()
    assert.deepEqual(data.items[0], { id: 7, title: 'car 7', built: '2026-01-04T00:00:00.000Z' })
    const found: string[] = []
    for await (const { title } of old.car.list.pages()) found.push(title)
    assert.deepEqual(
      found,
      IDS.map((id) => `car ${id}`),
    )
  })

  it('have cursors of their own', async () => {
    const { data } = await client.at('1').car.list()
    await assert.rejects(
      client.car.list({ query: { cursor: data.next ?? '' } }),
      (error) => error instanceof ProblemError && error.code === 'invalid_cursor',
    )
  })
})

describe('a client', () => {
  it('iterates over the items of all pages, with the input of the call', async () => {
    const found: number[] = []
    for await (const item of client.car.list.pages({ query: { limit: 2 } })) {
      expectTypeOf(item).toEqualTypeOf<{ id: number; name: string; built: string }>()
      found.push(item.id)
    }
    assert.deepEqual(found, IDS)
    const even: number[] = []
    for await (const { id } of client.car.list.pages({ query: { limit: 1, even: 'true' } })) even.push(id)
    assert.deepEqual(even, [6, 4, 2])
  })

  it('begins at a cursor, and asks for no page whose items are not used', async () => {
    const urls: string[] = []
    const counting = createClient<typeof app, '2'>({
      baseUrl: 'http://cars.test',
      fetch: app.fetch,
      version: '2',
      onRequest: ({ url, route }) => void (route === undefined || urls.push(url.search)),
    })
    const { data } = await counting.car.list()
    for await (const { id } of counting.car.list.pages({ query: { cursor: data.next ?? '' } })) {
      assert.equal(id, 3)
      break
    }
    assert.deepEqual(urls, ['', `?cursor=${data.next}`])
  })

  it('rejects with the problem of a page', async () => {
    const iterate = async () => {
      for await (const _ of client.car.list.pages({ query: { cursor: 'foreign' } })) assert.fail()
    }
    await assert.rejects(
      iterate(),
      (error) => error instanceof ProblemError && error.code === 'invalid_cursor',
    )
  })

  for (const [name, fails] of [
    [
      'a problem',
      () =>
        new Response('{"code":"down"}', {
          status: 503,
          headers: { 'content-type': 'application/problem+json' },
        }),
    ],
    ['a network error', () => Promise.reject(new TypeError('fetch failed'))],
    [
      'a body that ends early',
      () => new Response('{"items":[', { headers: { 'content-type': 'application/json' } }),
    ],
    ['an answer that is no page', () => Response.json({ error: 'proxy' })],
  ] as const)
    it(`goes on at the page that failed: ${name}`, async () => {
      let pages = 0
      let isDown = true
      const failing = createClient<typeof app, '2'>({
        baseUrl: 'http://cars.test',
        version: '2',
        fetch: async (...given: Parameters<typeof fetch>) => {
          const request = new Request(...given)
          if (new URL(request.url).pathname !== '/car') return app.fetch(request)
          return ++pages === 3 && isDown ? fails() : app.fetch(request)
        },
      })
      const found: number[] = []
      const iterate = async (cursor?: string): Promise<unknown> => {
        try {
          for await (const { id } of failing.car.list.pages({ query: { limit: 2, cursor } })) found.push(id)
          return undefined
        } catch (error) {
          return error
        }
      }
      const error = await iterate()
      assert.ok(error instanceof Error)
      assert.deepEqual(found, IDS.slice(0, 4))
      const { cursor } = Object(error)
      assert.equal(typeof cursor, 'string')
      pages = 2
      assert.equal(Object(await iterate(cursor)).cursor, cursor)
      isDown = false
      assert.equal(await iterate(cursor), undefined)
      assert.deepEqual(found, IDS)
    })

  it('has no cursor in an error of the first page, at which another iteration begins', async () => {
    const error = new Error('down')
    const failing = createClient<typeof app, '2'>({
      baseUrl: 'http://cars.test',
      version: '2',
      fetch: async (...given: Parameters<typeof fetch>) => {
        const request = new Request(...given)
        return new URL(request.url).pathname === '/car' ? Promise.reject(error) : app.fetch(request)
      },
    })
    await assert.rejects(async () => {
      for await (const _ of failing.car.list.pages()) assert.fail()
    }, error)
    assert.equal(Object(error).cursor, undefined)
  })

  it('stops with its signal', async () => {
    const stop = new AbortController()
    const found: number[] = []
    const iterate = async () => {
      for await (const { id } of client.car.list.pages({ query: { limit: 3 }, signal: stop.signal })) {
        found.push(id)
        stop.abort()
      }
    }
    await assert.rejects(iterate(), { name: 'AbortError' })
    assert.deepEqual(found, [7, 5, 6])
  })

  it('has pages of routes with a cursor and items alone, and a route of that name stays one', async () => {
    // @ts-expect-error no list
    const none = client.car.getOne.pages
    await assert.rejects(async () => {
      for await (const _ of none({ params: { id: 1 } })) assert.fail()
    }, /The answer is no page: its data has no items/)
    assert.equal((await client.car.pages()).data, 'a route of that name')
    await assert.rejects(
      // @ts-expect-error no route
      async () => client.car.lost.pages(),
      /There is no route "car\.lost"/,
    )
  })
})

describe('documents', () => {
  it('have the parameters, the page and the header, in the words of each version, and are valid', async () => {
    const document: unknown = (await app.inject('/docs/openapi.json')).json()
    await assertOpenApi(document)
    const { paths, components } = Object(document)
    const { parameters, responses } = paths['/car'].get
    assert.deepEqual(
      parameters
        .filter((one: object) => Reflect.get(one, 'in') === 'query')
        .map((one: object) => Reflect.get(one, 'name')),
      ['limit', 'cursor', 'even'],
    )
    assert.deepEqual(Object.keys(responses['200'].headers), ['Link'])
    assert.ok('422' in responses)
    const fieldsOf = (name: string) => Object.keys(components.schemas[name].properties)
    assert.deepEqual(fieldsOf('CarPage.v1'), ['items', 'next', 'prev'])
    assert.deepEqual(
      [fieldsOf('Car.v1'), fieldsOf('Car.v2')],
      [
        ['id', 'title', 'built'],
        ['id', 'name', 'built'],
      ],
    )
  })
})

describe('links to pages in a version whose parameters had other names', () => {
  const offsets = page.offset({ items: Car, limit: { default: 3 } })
  const Page = z.number().optional()
  const change = defineVersionChange({
    version: '2',
    title: 'Parameters of pages',
    change: [
      operation({ route: 'car.renamed', query: { cursor: { was: 'after' }, limit: { was: 'count' } } }),
      operation({ route: 'car.added', query: { limit: { was: absent } } }),
      operation({
        route: 'car.without',
        query: { cursor: { was: absent } },
        response: { headers: { Link: { was: absent } } },
      }),
      operation({ route: 'car.swapped', query: { offset: { was: 'limit' }, limit: { was: 'offset' } } }),
      operation({
        route: 'car.converted',
        query: { offset: { was: Page, up: (at) => (at ?? 0) * 3 } },
      }),
    ],
  })
  const cursors = (name: string) =>
    ({
      method: 'GET',
      path: `/${name}`,
      name,
      input: { query: list.query },
      response: { 200: list.response },
      openapi: list.openapi,
      handler: ({ query }: { query: Parameters<typeof list.read>[0] }, context: ExecutionContext) =>
        list.read(query, context, (position) => position.select(ROWS)),
    }) as const
  const numbers = (name: string) =>
    ({
      method: 'GET',
      path: `/${name}`,
      name,
      input: { query: offsets.query },
      response: { 200: offsets.response },
      openapi: offsets.openapi,
      handler: ({ query }: { query: Parameters<typeof offsets.read>[0] }, context: ExecutionContext) =>
        offsets.read(query, context, ({ offset, limit }) => ({
          items: ROWS.slice(offset, offset + limit),
          total: ROWS.length,
        })),
    }) as const
  const paged = createApp(
    defineModule({
      controllers: [
        defineController({
          name: 'car',
          routes: [
            cursors('renamed'),
            cursors('added'),
            cursors('without'),
            numbers('swapped'),
            numbers('converted'),
          ],
        }),
      ],
    }),
    {
      logger: false,
      versioning: {
        scheme: VersioningSchemes.URL,
        history: defineVersions({ versions: ['2', '1'], models: { Car }, changes: [change] }),
      },
    },
  )

  /** The ids of the pages that `rel="next"` leads to, at most five, and the header of the first. */
  async function follow(first: string): Promise<{ ids: number[]; link: string | undefined }> {
    const ids: number[] = []
    let link: string | undefined
    let next: string | undefined = first
    for (let count = 0; next !== undefined && count < 5; count++) {
      const url: string = next
      const { headers, statusCode, body } = await paged.inject(url)
      assert.equal(statusCode, 200, body)
      const { items } = JSON.parse(body) as { items: { id: number }[] }
      ids.push(...items.map(({ id }) => id))
      const sent = headers['link'] === undefined ? undefined : String(headers['link'])
      if (count === 0) link = sent
      const [, query] = /<(\?[^<>]*)>; rel="next"/.exec(sent ?? '') ?? []
      next = query === undefined ? undefined : new URL(query, `http://a.test${url}`).href.slice(13)
    }
    return { ids, link }
  }

  it('have those names, so that each page leads to the next', async () => {
    const all = [7, 5, 6, 3, 4, 1, 2]
    for (const [name, query] of [
      ['renamed', '?count=2'],
      ['renamed', ''],
      ['added', ''],
    ] as const)
      assert.deepEqual((await follow(`/v1/car/${name}${query}`)).ids, all, name)
    const { ids, link } = await follow('/v1/car/swapped?offset=2&limit=0')
    assert.deepEqual(ids, [1, 2, 3, 4, 5, 6, 7])
    assert.match(link ?? '', /<\?offset=2&limit=2>; rel="next"/)
    assert.deepEqual((await follow('/v2/car/swapped?limit=2')).ids, [1, 2, 3, 4, 5, 6, 7])
  })

  it('are left out if they would lead to the first page again, or are read in another way', async () => {
    await paged.ready()
    assert.deepEqual(await follow('/v1/car/without'), { ids: [7, 5, 6], link: undefined })
    assert.deepEqual(await follow('/v1/car/converted'), { ids: [1, 2, 3], link: undefined })
    const document = JSON.stringify(paged.openapi({ version: '1' }).paths?.['/v1/car/without'])
    assert.doesNotMatch(document, /Link/)
    assert.match(JSON.stringify(paged.openapi({ version: '2' }).paths?.['/v2/car/without']), /Link/)
  })
})

import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import {
  createApp,
  defineController,
  defineGuard,
  defineInterceptor,
  DefinitionError,
  defineModule,
  notFound,
  reply,
  VersioningSchemes,
} from 'octavo'
import type { App, AppOptions, ExecutionContext } from 'octavo'
import {
  absent,
  before,
  defineVersionChange,
  defineVersions,
  model,
  operation,
  reshape,
} from 'octavo/changes'
import type { VersionChange } from 'octavo/changes'
import { createClient } from 'octavo/client'
import { rateLimit } from 'octavo/middleware'
import { page } from 'octavo/pages'
import { checkHistory } from 'octavo/testing'
import { expectTypeOf } from 'expect-type'
import { z } from 'zod'

import { serve } from '../support/serve.ts'
import { createCounts } from '../support/usage.ts'
import { garageAt, startServer } from '../upstream/garage.ts'
import { SECRET } from './support.ts'

const Car = model('Car', { id: z.int(), label: z.string() })
const CARS = Array.from({ length: 25 }, (_, index) => ({ id: index + 1, label: `car ${index + 1}` }))

const cars = page({ items: Car, order: ['id'], secret: SECRET, limit: { default: 10 } })
const numbered = page.offset({ items: Car, limit: { default: 10 } })
const Numbered = z.object({ data: z.array(Car), page: z.int(), pages: z.int() })

const pages = defineVersionChange({
  version: '2',
  title: 'Cars come in pages',
  change: [
    reshape({ of: Car, fields: { label: { was: 'name' } } }),
    operation({
      route: 'car.list',
      query: { cursor: { was: absent }, limit: { was: absent, up: () => 7 } },
      paged: { now: cars.response, was: z.array(Car), atMost: 25 },
    }),
    operation({
      route: 'car.numbered',
      paged: {
        now: numbered.response,
        was: z.object({ cars: z.array(Car) }),
        down: ({ items, total }) => {
          assert.equal(total, items.length)
          return { cars: items }
        },
        atMost: 100,
      },
    }),
    operation({
      route: 'car.custom',
      paged: {
        now: Numbered,
        was: z.array(Car),
        atMost: 100,
        next: (now, query) => {
          expectTypeOf(now.page).toEqualTypeOf<number>()
          return now.page < now.pages ? { page: now.page + 1, even: query['even'] } : undefined
        },
      },
    }),
  ],
})
const history = defineVersions({ versions: ['2', '1'], models: { Car }, changes: [pages] })

let calls = 0
let intercepted = 0
const car = defineController({
  name: 'car',
  prefix: '/cars',
  interceptors: [
    defineInterceptor({
      name: 'Counted',
      intercept: (_context, next) => {
        intercepted += 1
        return next()
      },
    }),
  ],
  routes: [
    {
      method: 'GET',
      name: 'list',
      input: { query: { ...cars.query, even: z.stringbool().optional() } },
      response: cars.response,
      handler: ({ query }, context) => {
        calls += 1
        return cars.read(query, context, (position) =>
          position.select(CARS.filter(({ id }) => query.even !== true || id % 2 === 0)),
        )
      },
    },
    {
      method: 'GET',
      path: '/numbered',
      name: 'numbered',
      input: { query: numbered.query },
      response: numbered.response,
      handler: ({ query }, context) =>
        numbered.read(query, context, ({ limit, offset }) => ({
          items: CARS.slice(offset, offset + limit),
          total: CARS.length,
        })),
    },
    {
      method: 'GET',
      path: '/custom',
      name: 'custom',
      input: {
        query: { page: z.int().default(1), even: z.stringbool().optional(), fail: z.int().optional() },
      },
      response: { 200: Numbered },
      handler: ({ query }) => {
        if (query.page === query.fail) throw notFound('No page', { code: 'no_page' })
        const found = CARS.filter(({ id }) => query.even !== true || id % 2 === 0)
        return reply(
          200,
          {
            data: found.slice(query.page * 10 - 10, query.page * 10),
            page: query.page,
            pages: Math.ceil(found.length / 10),
          },
          { headers: { etag: '"one page"', link: '<?page=2>; rel="next"', 'x-own': 'yes' } },
        )
      },
    },
  ],
})
const versioning = { scheme: VersioningSchemes.URL, history } as const
const app = serve(car, { versioning })

function ids(data: unknown): readonly unknown[] {
  return z
    .array(z.object({ id: z.int(), name: z.string() }))
    .parse(data)
    .map(({ id }) => id)
}

const typed = createApp(defineModule({ controllers: [car] }), { logger: false, versioning })

/** An application whose only change has other options for a list. */
function serveOne(
  paged: unknown,
  response: z.ZodType = Numbered,
  method = 'GET',
  options: AppOptions = {},
): App {
  const handler = (): unknown => ({ data: CARS.slice(0, 1), page: 1, pages: 1, items: [], next: null })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- mistakes that types refuse
  const input = { query: { page: z.int().optional() } }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  const routes = [{ method, name: 'custom', path: '/custom', input, response, handler }] as never
  const controller = defineController({ name: 'car', prefix: '/cars', routes })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  const change = defineVersionChange({
    version: '2',
    title: 'Pages',
    change: [operation({ route: 'car.custom', paged } as never)],
  })
  const own = defineVersions({ versions: ['2', '1'], models: { Car }, changes: [change] })
  return serve(controller, { versioning: { scheme: VersioningSchemes.URL, history: own }, ...options })
}

function limited(atMost: number): App {
  const change = defineVersionChange({
    version: '2',
    title: 'Pages',
    change: [operation({ route: 'car.list', paged: { now: cars.response, was: z.array(Car), atMost } })],
  })
  const own = defineVersions({ versions: ['2', '1'], models: { Car }, changes: [change] })
  return serve(car, { versioning: { scheme: VersioningSchemes.URL, history: own } })
}

function codeOf(problem: unknown): string {
  return z.object({ code: z.string() }).parse(problem).code
}

const ALL = CARS.map(({ id }) => id)

describe('a list that became pages', () => {
  it('is whole in the older version, each handler call a page', async () => {
    calls = 0
    intercepted = 0
    const response = await app.inject('/v1/cars')
    assert.equal(response.statusCode, 200)
    assert.deepEqual(ids(response.json()), ALL)
    assert.equal(response.headers['link'], undefined)
    assert.deepEqual([calls, intercepted], [4, 1])
    const newest = await app.inject('/v2/cars')
    assert.equal(z.object({ items: z.array(z.unknown()) }).parse(newest.json()).items.length, 10)
    assert.match(String(newest.headers['link']), /rel="next"/)
  })

  it('keeps filters, and takes no parameter that pages alone have', async () => {
    assert.deepEqual(
      ids((await app.inject('/v1/cars?even=true&limit=2')).json()),
      ALL.filter((id) => id % 2 === 0),
    )
  })

  it('is read by numbers, and by what next of the change returns', async () => {
    const { cars: found } = z
      .object({ cars: z.unknown() })
      .parse((await app.inject('/v1/cars/numbered')).json())
    assert.deepEqual(ids(found), ALL)
    const response = await app.inject('/v1/cars/custom?even=true')
    assert.deepEqual(
      ids(response.json()),
      ALL.filter((id) => id % 2 === 0),
    )
    const { etag, link } = response.headers
    assert.deepEqual([etag, link, response.headers['x-own']], [undefined, undefined, 'yes'])
  })

  it('is never short: an error of a later page is the answer', async () => {
    const response = await app.inject('/v1/cars/custom?fail=3')
    assert.deepEqual([response.statusCode, codeOf(response.json())], [404, 'no_page'])
  })

  it('has the types and documents of the older version', async () => {
    const client = createClient<typeof typed, '1'>({
      baseUrl: 'http://cars.test',
      fetch: typed.fetch,
      version: '1',
    })
    const { data } = await client.car.list()
    expectTypeOf(data).toEqualTypeOf<{ id: number; name: string }[]>()
    assert.equal(data.length, 25)
    await app.ready()
    const { paths } = app.openapi({ version: '1' })
    const operations = JSON.stringify(paths?.['/v1/cars'])
    assert.match(operations, /"type":"array"/)
    assert.doesNotMatch(operations, /cursor/)
  })

  it('answers 422 beyond the limit', async () => {
    const response = await limited(24).inject('/v1/cars')
    assert.deepEqual([response.statusCode, codeOf(response.json())], [422, 'list_too_long'])
    assert.equal(z.array(Car).parse((await limited(25).inject('/v1/cars')).json()).length, 25)
  })

  it('has pages of any length', async () => {
    const now = z.object({ data: z.array(z.int()) })
    const data = Array.from({ length: 200_000 }, (_, index) => index)
    const paged = { now, was: z.array(z.int()), atMost: 200_000, next: () => undefined }
    const change = defineVersionChange({
      version: '2',
      title: 'Pages',
      change: [operation({ route: 'number.all', paged })],
    })
    const own = defineVersions({ versions: ['2', '1'], models: {}, changes: [change] })
    const numbers = defineController({
      name: 'number',
      prefix: '/numbers',
      routes: [
        {
          method: 'GET',
          name: 'all',
          input: { query: { from: z.int().optional() } },
          response: { 200: now },
          handler: () => ({ data }),
        },
      ],
    })
    const long = serve(numbers, { versioning: { scheme: VersioningSchemes.URL, history: own } })
    assert.deepEqual((await long.inject('/v1/numbers')).json(), data)
  })

  it('does not run without end', async () => {
    const logged: unknown[] = []
    const log = (...given: readonly unknown[]): void => void logged.push(given)
    const logger = { debug: () => {}, info: () => {}, warn: log, error: log }
    for (const next of [() => ({ page: 1 }), () => ({ page: 1, again: Math.random() })]) {
      const endless = serveOne({ now: Numbered, was: z.array(Car), atMost: 50, next }, Numbered, 'GET', {
        logger,
      })
      const response = await endless.inject('/v1/cars/custom')
      assert.ok([422, 500].includes(response.statusCode), response.body)
    }
    const next = (): unknown => JSON.parse('{')
    const throwing = serveOne({ now: Numbered, was: z.array(Car), atMost: 50, next }, Numbered, 'GET', {
      logger,
    })
    const thrown = await throwing.inject('/v1/cars/custom')
    assert.deepEqual([thrown.statusCode, codeOf(thrown.json())], [500, 'migration_failed'])
    assert.ok(logged.length >= 2)
  })

  it('is a definition error where pages or their items are not found', async () => {
    const now = z.object({ one: z.array(Car), two: z.array(Car) })
    const few = z.object({ items: z.array(Car).max(10), next: z.string().nullable() })
    const cases = [
      [{ now: Numbered, was: z.array(Car), atMost: 5 }, Numbered, /lacks next/],
      [{ now, was: z.array(Car), atMost: 5, next: () => undefined }, now, /no member of the page/],
      [{ now: Numbered, was: Car, atMost: 5, next: () => undefined }, Numbered, /lacks down/],
      [{ now: few, was: z.array(Car), atMost: 50, next: () => undefined }, few, /has 10 items at most/],
      [{ now: few, was: z.array(Car), atMost: 0, next: () => undefined }, few, /atMost/],
    ] as const
    for (const [paged, response, expected] of cases)
      await assert.rejects(
        async () => serveOne(paged, response).ready(),
        (error) => error instanceof DefinitionError && expected.test(error.message),
        String(expected),
      )
    const paged = { now: Numbered, was: z.array(Car), atMost: 5, next: () => undefined }
    await assert.rejects(async () => serveOne(paged, Numbered, 'POST').ready(), /called by POST/)
  })
})

describe('the calls for the pages of a list', () => {
  const Numbers = z.object({ items: z.array(z.int()), next: z.string().nullable() })
  type Given = Readonly<Record<string, unknown>>
  type Handle = (query: Given, context: ExecutionContext) => unknown

  /** An application with a list of numbers, whose older version is the array. */
  function open(
    handle: Handle,
    {
      response = Numbers,
      query = { cursor: z.string().optional() },
      route = {},
      ...options
    }: Given & { readonly response?: z.ZodType } = {},
  ): App {
    const paged = { now: response, was: z.array(z.int()), atMost: 50 }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of any response
    const part = operation({ route: 'number.all', paged } as never)
    const change = defineVersionChange({ version: '2', title: 'Pages', change: [part] })
    const own = defineVersions({ versions: ['2', '1'], models: {}, changes: [change] })
    const numbers = {
      method: 'GET',
      name: 'all',
      input: { query },
      response: { 200: response, 204: z.undefined() },
      handler: ({ query: asked }: { readonly query: Given }, context: ExecutionContext) =>
        handle(asked, context),
      ...Object(route),
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    const controller = defineController({ name: 'number', prefix: '/numbers', routes: [numbers as never] })
    return serve(controller, { versioning: { scheme: VersioningSchemes.URL, history: own }, ...options })
  }

  /** A page of one number, of as many as are given. */
  const pageOf = ({ cursor }: Given, count: number): z.output<typeof Numbers> => {
    const at = Number(cursor ?? 0)
    return { items: [at], next: at + 1 < count ? String(at + 1) : null }
  }

  it('are one request for guards, rate limits and usage', async () => {
    let guarded = 0
    let handled = 0
    const { usage, read } = createCounts()
    const Counted = defineGuard({
      name: 'Counted',
      canActivate: () => {
        guarded += 1
        return true
      },
    })
    const counted = open(
      (query) => {
        handled += 1
        return pageOf(query, 5)
      },
      {
        route: { guards: [Counted], middleware: [rateLimit({ limit: 2, window: 60 })] },
        usage,
      },
    )
    const first = await counted.inject('/v1/numbers')
    assert.deepEqual(first.json(), [0, 1, 2, 3, 4])
    assert.deepEqual([guarded, handled], [1, 5])
    assert.equal((await counted.inject('/v1/numbers')).statusCode, 200)
    assert.equal((await counted.inject('/v1/numbers')).statusCode, 429)
    await counted.close()
    assert.equal(
      (await read()).reduce((sum, { count }) => sum + count, 0),
      3,
    )
  })

  it('end when the time is over', async () => {
    let read = 0
    const slow = open(
      async (query) => {
        read += 1
        await sleep(20)
        return pageOf(query, 40)
      },
      { timeouts: { handler: 50 } },
    )
    const response = await slow.inject('/v1/numbers')
    assert.deepEqual([response.statusCode, codeOf(response.json())], [503, 'handler_timeout'])
    await sleep(60)
    assert.ok(read <= 4, String(read))
  })

  it('end when the client leaves', async () => {
    let read = 0
    const leaving = new AbortController()
    const left = open(async (query) => {
      read += 1
      if (read === 2) leaving.abort()
      await sleep(1)
      return pageOf(query, 40)
    })
    await assert.rejects(async () => left.inject({ url: '/v1/numbers', signal: leaving.signal }))
    await sleep(20)
    assert.equal(read, 2)
  })

  it('end at a page that names one before it, and at no page', async () => {
    const cases: readonly Handle[] = [
      ({ cursor }) => ({ items: [1], next: cursor === 'a' ? 'b' : 'a' }),
      ({ cursor }) => (cursor === undefined ? pageOf({}, 3) : reply(204)),
    ]
    for (const handle of cases) {
      const response = await open(handle).inject('/v1/numbers')
      assert.deepEqual([response.statusCode, codeOf(response.json())], [500, 'migration_failed'])
    }
    assert.equal((await open(() => reply(204)).inject('/v1/numbers')).statusCode, 204)
  })

  it('leave no header that describes one page', async () => {
    const tagged = open((query, { response }) => {
      response.headers.set('etag', '"one"')
      response.headers.set('x-own', 'yes')
      return pageOf(query, 3)
    })
    const { headers } = await tagged.inject('/v1/numbers')
    assert.deepEqual([headers['etag'], headers['x-own']], [undefined, 'yes'])
    assert.equal((await tagged.inject('/v2/numbers')).headers['etag'], '"one"')
  })

  it('follow links of pages that are lists', async () => {
    const response = z.array(z.int())
    const query = { page: z.bigint().default(1n), even: z.stringbool().optional() }
    const linked = open(
      ({ page: at, even }, context) => {
        assert.equal(typeof at, 'bigint')
        const next = Number(at) + 1
        const link = `<?page=1>; rel="first", <https://a.test/numbers?even=yes&page=${next}>; title="a, b"; rel="next last"`
        context.response.headers.set('link', at === 3n ? '<?page=1>; rel="first"' : link)
        return [Number(at) + (even === true ? 10 : 0)]
      },
      { response, query },
    )
    assert.deepEqual((await linked.inject('/v1/numbers?even=yes')).json(), [11, 12, 13])
    assert.equal((await linked.inject('/v1/numbers')).headers['link'], undefined)
    assert.deepEqual((await linked.inject('/v2/numbers?even=yes')).json(), [11])
    await assert.rejects(
      async () => open(() => [], { response, route: { input: {} } }).ready(),
      /number\.all reads no query/,
    )
  })
})

describe('checkHistory and a list that became pages', () => {
  const findings = (change: VersionChange<'2'>): readonly string[] =>
    checkHistory(defineVersions({ versions: ['2', '1'], models: { Car }, changes: [change] })).map(
      ({ code }) => code,
    )
  const about = { version: '2', title: 'Pages' } as const
  const was = z.array(Car)

  it('reports down of one page', () => {
    const now = z.object({ items: z.array(Car), next: z.string().nullable() })
    const down = ({ items }: z.output<typeof now>) => items
    const short = operation({ route: 'a', response: { body: { 200: { now, was, down } } } })
    assert.deepEqual(findings(defineVersionChange({ ...about, change: [short] })), ['one_page'])
    const whole = operation({ route: 'a', paged: { now, was, atMost: 5 } })
    assert.deepEqual(findings(defineVersionChange({ ...about, change: [whole] })), [])
  })

  it('reports no envelope, and no pages by numbers, which may have been there before', () => {
    const now = z.object({ items: z.array(Car), next: z.int().nullable() })
    const down = ({ items }: z.output<typeof now>) => items
    const part = operation({ route: 'a', response: { body: { 200: { now, was, down } } } })
    assert.deepEqual(findings(defineVersionChange({ ...about, change: [part] })), [])
  })
})

describe('a list that an API behind sends in pages', () => {
  it('is whole in the older version if links name the next page', async () => {
    const seen: string[] = []
    const behind = await startServer((request: IncomingMessage, response: ServerResponse) => {
      seen.push(String(request.url))
      const at = Number(new URL(String(request.url), 'http://x').searchParams.get('page') ?? 1)
      const link = `<http://${request.headers.host}/cars?color=red&page=${at + 1}>; rel="next"`
      response
        .writeHead(200, { 'content-type': 'application/json', ...(at < 3 && { link }) })
        .end(JSON.stringify(CARS.slice(at * 10 - 10, at * 10)))
    })
    const list = defineController({
      name: 'list',
      prefix: '/cars',
      routes: [
        {
          method: 'GET',
          name: 'all',
          input: { query: { page: z.int().optional() } },
          response: z.array(Car),
          forward: garageAt(behind.url),
        },
      ],
    })
    const paged = { now: z.array(Car), was: z.array(Car), atMost: 100 }
    const change = defineVersionChange({
      version: '2',
      title: 'Pages',
      change: [
        reshape({ of: Car, fields: { label: { was: 'name' } } }),
        operation({ route: 'list.all', query: { page: { was: absent } }, paged }),
      ],
    })
    const own = defineVersions({ versions: ['2', '1'], models: { Car }, changes: [change] })
    const forwarding = serve(list, { versioning: { scheme: VersioningSchemes.URL, history: own } })
    try {
      const response = await forwarding.inject('/v1/cars?color=red')
      assert.deepEqual(ids(response.json()), ALL)
      assert.equal(response.headers['link'], undefined)
      assert.deepEqual(seen, ['/cars?color=red', '/cars?color=red&page=2', '/cars?color=red&page=3'])
      assert.match(String((await forwarding.inject('/v2/cars')).headers['link']), /page=2>; rel="next"/)
    } finally {
      await forwarding.close()
      behind.close()
    }
  })

  it('is whole in the older version', async () => {
    const seen: string[] = []
    const behind = await startServer((request: IncomingMessage, response: ServerResponse) => {
      seen.push(String(request.url))
      const cursor = Number(new URL(String(request.url), 'http://x').searchParams.get('cursor') ?? 0)
      const next = cursor + 10 < 25 ? String(cursor + 10) : null
      response
        .writeHead(200, { 'content-type': 'application/json', etag: '"page"' })
        .end(JSON.stringify({ items: CARS.slice(cursor, cursor + 10), next }))
    })
    try {
      const Page = z.object({ items: z.array(Car), next: z.string().nullable() })
      const list = defineController({
        name: 'list',
        prefix: '/cars',
        routes: [
          {
            method: 'GET',
            name: 'all',
            input: { query: { cursor: z.string().optional() } },
            response: Page,
            forward: garageAt(behind.url),
          },
        ],
      })
      const change = defineVersionChange({
        version: '2',
        title: 'Pages',
        change: [
          reshape({ of: Car, fields: { label: { was: 'name' } } }),
          operation({ route: 'list.all', paged: { now: Page, was: z.array(Car), atMost: 100 } }),
        ],
      })
      const own = defineVersions({ versions: ['2', '1'], models: { Car }, changes: [change] })
      const forwarding = serve(list, { versioning: { scheme: VersioningSchemes.URL, history: own } })
      const response = await forwarding.inject('/v1/cars?color=red')
      assert.deepEqual(ids(response.json()), ALL)
      assert.equal(response.headers['etag'], undefined)
      assert.deepEqual(seen, ['/cars?color=red', '/cars?color=red&cursor=10', '/cars?color=red&cursor=20'])
      await forwarding.close()
    } finally {
      behind.close()
    }
  })
})

/** Three versions of a list: whole, in pages, and in pages of another shape. Cars got a label, and then a code. */
function openThree(newest: object, shape: unknown, now: z.ZodType, down: unknown): App {
  const Vehicle = Coded
  const turned = defineVersionChange({
    version: '3',
    title: 'Pages have another shape',
    change: [
      reshape({ of: Vehicle, fields: { code: { was: 'label' } } }),
      operation({
        route: 'car.list',
        response: { body: { 200: { now: shape as never, was: now, down: down as never } } },
      }),
    ],
  })
  const paged = defineVersionChange({
    version: '2',
    title: 'Cars come in pages',
    change: [
      reshape({ of: before(turned, Vehicle), fields: { label: { was: 'name' } } }),
      operation({
        route: 'car.list',
        before: [turned],
        query: { cursor: { was: absent } },
        paged: {
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of any shape
          now: now as typeof Second,
          was: z.array(Vehicle),
          atMost: 25,
          next: ({ rows, more }) => {
            assert.ok(rows.every(({ label }) => label.startsWith('car')))
            return more === null ? undefined : { cursor: more }
          },
          down: ({ rows }) => rows,
        },
      }),
    ],
  })
  const own = defineVersions({ versions: ['3', '2', '1'], models: { Vehicle }, changes: [turned, paged] })
  const list = defineController({
    name: 'car',
    prefix: '/cars',
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of any shape
    routes: [{ method: 'GET', name: 'list', ...newest } as never],
  })
  return serve(list, { versioning: { scheme: VersioningSchemes.URL, history: own } })
}

const Coded = model('Coded', { id: z.int(), code: z.string() })
const Second = z.object({ rows: z.array(Coded), more: z.string().nullable() })
const Third = z.object({ data: z.object({ all: z.array(Coded) }), links: z.object({ next: z.string() }) })
const fromThird = ({ data, links }: z.infer<typeof Third>): object => ({
  rows: data.all,
  more: links.next === '' ? null : links.next,
})
const thirdAt = (cursor = 0): z.infer<typeof Third> => ({
  data: { all: CARS.slice(cursor, cursor + 10).map(({ id, label }) => ({ id, code: label })) },
  links: { next: cursor + 10 < CARS.length ? String(cursor + 10) : '' },
})

describe('a list whose pages got another shape since', () => {
  const whole = CARS.map(({ id, label }) => ({ id, name: label }))
  const query = { cursor: z.coerce.number().optional() }
  it('is whole from the pages of a handler', async () => {
    const handler = ({ query: { cursor } }: { query: { cursor?: number } }): object => thirdAt(cursor)
    const served = openThree({ input: { query }, response: Third, handler }, Third, Second, fromThird)
    assert.deepEqual((await served.inject('/v1/cars')).json(), whole)
    const second = { rows: CARS.slice(20), more: null }
    assert.deepEqual((await served.inject('/v2/cars?cursor=20')).json(), second)
    assert.deepEqual((await served.inject('/v3/cars?cursor=20')).json(), thirdAt(20))
  })
  it('fails loudly where a page cannot be converted', async () => {
    const handler = ({ query: { cursor } }: { query: { cursor?: number } }): object => thirdAt(cursor)
    const failing = (third: z.infer<typeof Third>): object => {
      if (third.links.next === '') throw new Error('the last page')
      return fromThird(third)
    }
    const served = openThree({ input: { query }, response: Third, handler }, Third, Second, failing)
    const failed = await served.inject('/v1/cars')
    assert.deepEqual([failed.statusCode, Object(failed.json()).code], [500, 'migration_failed'])
    const wrong = (): object => ({ data: { all: [{ id: 'x' }] }, links: { next: '' } })
    const invalid = openThree({ input: { query }, response: Third, handler: wrong }, Third, Second, fromThird)
    assert.equal((await invalid.inject('/v1/cars')).statusCode, 500)
  })
  it('is whole from the pages of an API behind', async () => {
    const behind = await startServer((request: IncomingMessage, response: ServerResponse) => {
      const cursor = Number(new URL(String(request.url), 'http://x').searchParams.get('cursor') ?? 0)
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(thirdAt(cursor)))
    })
    const newest = { input: { query }, response: Third, forward: garageAt(behind.url) }
    const served = openThree(newest, Third, Second, fromThird)
    try {
      assert.deepEqual((await served.inject('/v1/cars')).json(), whole)
    } finally {
      await served.close()
      behind.close()
    }
  })
  it('is whole from the pages of octavo/pages', async () => {
    const coded = page({ items: Coded, order: ['id'], secret: SECRET, limit: { default: 10 } })
    const newest = {
      input: { query: coded.query },
      response: coded.response,
      handler: ({ query: asked }: { query: never }, context: never) =>
        coded.read(asked, context, (position) =>
          position.select(CARS.map(({ id, label }) => ({ id, code: label }))),
        ),
    }
    const down = ({ items, next }: { items: unknown; next: unknown }): object => ({ rows: items, more: next })
    const served = openThree(newest, coded.response, Second, down)
    const response = await served.inject('/v1/cars')
    assert.deepEqual(response.json(), whole)
    assert.equal(response.headers['link'], undefined)
    assert.equal(Object((await served.inject('/v2/cars')).json()).rows.length, 10)
  })
})

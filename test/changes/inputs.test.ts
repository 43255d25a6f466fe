import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'

import { createApp, defineController, DefinitionError, defineModule, VersioningSchemes } from 'octavo'
import type { App } from 'octavo'
import {
  absent,
  defineVersionChange,
  defineVersions,
  derive,
  fieldNames,
  model,
  operation,
  reshape,
} from 'octavo/changes'
import type { VersionChange } from 'octavo/changes'
import { createClient } from 'octavo/client'
import { checkHistory } from 'octavo/testing'
import { expectTypeOf } from 'expect-type'
import { z } from 'zod'

import { serve } from '../support/serve.ts'
import { garageAt, startServer } from '../upstream/garage.ts'

const Car = model('Car', { id: z.int(), label: z.string() })
const NewCar = derive(Car, (car) => car.omit({ id: true }))

const routes = [
  {
    method: 'GET',
    name: 'list',
    input: { query: { cursor: z.string().optional(), color: z.string().optional() } },
    response: z.object({ query: z.unknown() }),
    handler: ({ query }: { query: unknown }) => ({ query }),
  },
  {
    method: 'POST',
    path: '/tenants/{tenant:int}',
    name: 'create',
    input: { headers: { 'x-trace': z.string() }, body: NewCar },
    response: z.object({ params: z.unknown(), headers: z.unknown(), body: z.unknown() }),
    handler: ({ params, headers, body }: { params: unknown; headers: unknown; body: unknown }) => ({
      params,
      headers,
      body,
    }),
  },
] as const

const cursors = defineVersionChange({
  version: '3',
  title: 'Lists have cursors, and the tenant stands in the path',
  change: [
    operation({
      route: 'car.list',
      input: {
        was: { query: z.object({ page: z.int().default(1), color: z.string().optional() }) },
        up: ({ query: { page, color } }) => {
          expectTypeOf(page).toEqualTypeOf<number>()
          return { query: { cursor: `page ${page}`, ...(color !== undefined && { color }) } }
        },
      },
    }),
    operation({
      route: 'car.create',
      path: { was: '/cars' },
      input: {
        was: {
          params: z.object({}),
          headers: z.object({ 'x-tenant': z.int() }),
          body: z.object({ car: NewCar, trace: z.string() }),
        },
        up: ({ headers, body }) => ({
          params: { tenant: headers['x-tenant'] },
          headers: { 'x-trace': body.trace },
          body: body.car,
        }),
      },
    }),
  ],
})
const names = defineVersionChange({
  version: '2',
  title: 'Cars have labels, and pages are called page',
  change: [
    reshape({ of: Car, fields: { label: { was: 'name' } } }),
    operation({ route: 'car.list', query: { page: { was: 'p' } } }),
  ],
})
const history = defineVersions({ versions: ['3', '2', '1'], models: { Car }, changes: [cursors, names] })
const versioning = { scheme: VersioningSchemes.URL, history } as const
const controller = defineController({ name: 'car', prefix: '/', routes })
const app = createApp(defineModule({ controllers: [controller] }), { logger: false, versioning })

const dataOf = async (url: string, options = {}): Promise<unknown> => {
  const response = await app.inject({ url, ...options })
  assert.equal(response.statusCode < 300, true, response.body)
  return response.json()
}

describe('input that an operation describes as a whole', () => {
  it('becomes the newest one, with what older operations say of it before', async () => {
    assert.deepEqual(await dataOf('/v2/?page=3&color=red'), { query: { cursor: 'page 3', color: 'red' } })
    assert.deepEqual(await dataOf('/v1/?p=3'), { query: { cursor: 'page 3' } })
    assert.deepEqual(await dataOf('/v2/?cursor=x'), { query: { cursor: 'page 1' } })
    assert.deepEqual(await dataOf('/v3/?cursor=x'), { query: { cursor: 'x' } })
  })

  it('moves values between the path, headers and body, whose models are those of the change', async () => {
    const moved = { params: { tenant: 7 }, headers: { 'x-trace': 'abc' } }
    for (const [version, car] of [
      ['1', { name: 'Bee' }],
      ['2', { label: 'Bee' }],
    ] as const) {
      const options = { method: 'POST', headers: { 'x-tenant': '7' }, body: { car, trace: 'abc' } }
      assert.deepEqual(await dataOf(`/v${version}/cars`, options), { ...moved, body: { label: 'Bee' } })
    }
  })

  it('is refused in the names of its version', async () => {
    const response = await app.inject('/v1/?p=x')
    assert.equal(response.statusCode, 422)
    assert.deepEqual(issuesOf(response.json()), [['query', ['p']]])
    const missing = await app.inject({
      url: '/v2/cars',
      method: 'POST',
      body: { car: { label: 'Bee' }, trace: 'a' },
    })
    assert.deepEqual(issuesOf(missing.json()), [['headers', ['x-tenant']]])
    assert.equal((await app.inject({ url: '/v2/tenants/7', method: 'POST' })).statusCode, 404)
  })

  it('has documents and clients of its version', async () => {
    await app.ready()
    const { paths } = app.openapi({ version: '1' })
    const parameters = (path: string, method: 'get' | 'post'): readonly string[] =>
      z
        .array(z.object({ in: z.string(), name: z.string() }))
        .parse(Object(paths)[path][method].parameters)
        .map((each) => `${each.in} ${each.name}`)
    assert.deepEqual(parameters('/v1/', 'get'), ['query p', 'query color'])
    assert.deepEqual(parameters('/v1/cars', 'post'), ['header x-tenant'])
    const client = createClient<typeof app, '2'>({
      baseUrl: 'http://cars.test',
      fetch: app.fetch,
      version: '2',
    })
    const { data } = await client.car.list({ query: { page: 2 } })
    assert.deepEqual(data.query, { cursor: 'page 2' })
    expectTypeOf<Parameters<typeof client.car.create>[0]>().toMatchTypeOf<{
      headers: { 'x-tenant': number }
      body: { car: { label: string }; trace: string }
      params?: {} | undefined
    }>()
  })
})

describe('checkHistory', () => {
  it('calls up of whole inputs', () => {
    assert.deepEqual(checkHistory(history), [])
    const input = {
      was: { query: z.object({ a: z.enum(['b']) }) },
      up: (): {} => z.object({}).parse(JSON.parse('{')),
    }
    const change = defineVersionChange({
      version: '2',
      title: 'Fails',
      change: [operation({ route: 'a', input })],
    })
    const found = checkHistory(defineVersions({ versions: ['2', '1'], models: {}, changes: [change] }))
    assert.deepEqual(
      found.map(({ code, fields }) => [code, fields]),
      [['failed', ['input']]],
    )
  })
})

describe('a link of an older version whose path has other parameters', () => {
  it('leads to the newest version', async () => {
    const linking = defineController({
      name: 'link',
      prefix: '/link',
      routes: [{ method: 'GET', handler: (_, { urlFor }) => urlFor('car.create', { tenant: 7 }) }],
    })
    const linked = serve([controller, linking], { versioning })
    assert.equal((await linked.inject('/v1/link')).json(), '/v3/tenants/7')
  })
})

describe('what up of a whole input returns', () => {
  const logged: unknown[] = []
  const note = (...given: readonly unknown[]): void => void logged.push(given)
  const logger = { debug: () => {}, info: () => {}, warn: note, error: note }

  /** The answer of a route with a required query to an older request. */
  const answer = async (input: unknown): Promise<readonly [status: number, code: unknown]> => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- mistakes that types refuse
    const part = operation({ route: 'car.find', input } as never)
    const response = await serveWith(part, { logger }).inject('/v1/find/1?old=1')
    return [response.statusCode, codeOf(response.json())]
  }
  const was = { query: z.object({ old: z.string() }) }

  it('is a failed change if it does not fit, and a mistake of the client if narrowed', async () => {
    assert.deepEqual(await answer({ was, up: () => ({ query: { size: 'x' } }) }), [500, 'migration_failed'])
    assert.deepEqual(await answer({ was, up: () => ({ query: { size: 'x' } }), narrowed: true }), [
      422,
      'validation_failed',
    ])
    assert.deepEqual(await answer({ was, up: () => ({}) }), [500, 'migration_failed'])
    assert.deepEqual(await answer({ was, up: () => ({ headers: {}, query: { size: 1 } }) }), [
      500,
      'migration_failed',
    ])
    assert.deepEqual(await answer({ was, up: () => 7 }), [500, 'migration_failed'])
    assert.deepEqual(await answer({ was, up: async () => ({ query: { size: 1 } }) }), [
      500,
      'migration_failed',
    ])
    assert.match(inspect(logged, { depth: 6 }), /up of an input returned headers, which is not in its was/)
    const params = { ...was, params: z.object({ id: z.string() }) }
    assert.deepEqual(await answer({ was: params, up: () => ({ query: { size: 1 }, params: { id: 'x' } }) }), [
      500,
      'migration_failed',
    ])
    assert.deepEqual(await answer({ was: params, up: () => ({ query: { size: 1 }, params: { id: '8' } }) }), [
      200,
      undefined,
    ])
    const none = { ...was, cookies: z.object({}) }
    assert.deepEqual(await answer({ was: none, up: () => ({ query: { size: 1 }, cookies: { a: '1' } }) }), [
      500,
      'migration_failed',
    ])
  })

  it('is refused at the start where the definition is wrong', async () => {
    const up = (): object => ({})
    const cases = [
      [{ was: {}, up }, /write input: \{ was/i],
      [{ was }, /input.up is missing/],
      [{ was: { query: z.string() }, up }, /input.was.query/],
      [{ was: { form: z.object({}) }, up }, /form/],
      [{ was, up, down: up }, /down/],
    ] as const
    for (const [input, expected] of cases) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- mistakes that types refuse
      const start = async (): Promise<unknown> =>
        serveWith(operation({ route: 'car.find', input } as never)).ready()
      await assert.rejects(
        start,
        (error) => error instanceof DefinitionError && expected.test(error.message),
        String(expected),
      )
    }
    const twice = operation({
      route: 'car.find',
      query: { size: { was: absent, up: () => 1 } },
      input: { was, up: () => ({ query: { size: 1 } }) },
    })
    await assert.rejects(async () => serveWith(twice).ready(), /describe one source/)
  })

  it('may leave a source as it was, which a newer change converts together with others', async () => {
    const both = { query: z.object({ size: z.int() }), headers: z.object({}) }
    const newer = defineVersionChange({
      version: '3',
      title: 'Newer',
      change: [operation({ route: 'car.find', input: { was: both, up: ({ query }) => ({ query }) } })],
    })
    const input = { was: { ...was, headers: both.headers }, up: () => ({ query: { size: 1 } }) }
    const older = defineVersionChange({
      version: '2',
      title: 'Older',
      change: [operation({ route: 'car.find', input })],
    })
    const served = serveChanges([newer, older])
    assert.deepEqual((await served.inject('/v1/find/1?old=1')).json(), { size: 1, id: 1 })
    assert.deepEqual((await served.inject('/v2/find/1?size=2')).json(), { size: 2, id: 1 })
  })

  it('waits for the other sources of a newer change, which converts them together', async () => {
    const Tag = model('Tag', { text: z.string() })
    const seen: unknown[] = []
    const tags = defineController({
      name: 'tag',
      prefix: '/tags',
      routes: [
        {
          method: 'POST',
          name: 'add',
          input: { query: { size: z.int() }, headers: { 'x-size': z.int() }, body: Tag },
          handler: ({ query, headers, body }) => ({ query, size: headers['x-size'], body }),
        },
      ],
    })
    const moved = defineVersionChange({
      version: '3',
      title: 'Sizes moved',
      change: [
        operation({
          route: 'tag.add',
          input: {
            was: { query: z.object({ a: z.int() }), headers: z.object({ 'x-b': z.int() }), body: Tag },
            up: ({ query, headers, body }) => {
              seen.push(['3', query, headers['x-b'], body])
              return { query: { size: query.a }, headers: { 'x-size': headers['x-b'] }, body }
            },
          },
        }),
      ],
    })
    const older = defineVersionChange({
      version: '2',
      title: 'Queries have a, headers b, and tags text',
      change: [
        reshape({ of: Tag, fields: { text: { was: 'label' } } }),
        operation({
          route: 'tag.add',
          headers: { 'x-b': { was: 'x-was' } },
          input: {
            was: { query: z.object({ z: z.int() }) },
            up: ({ query }) => {
              seen.push(['2', query])
              return { query: { a: query.z + 1 } }
            },
          },
        }),
      ],
    })
    const changes = [moved, older] as const
    const own = defineVersions({ versions: ['3', '2', '1'], models: { Tag }, changes })
    const served = serve(tags, { versioning: { scheme: VersioningSchemes.URL, history: own } })
    const send = { url: '/v1/tags?z=6', headers: { 'x-was': '8' }, body: { label: 'red' } } as const
    const response = await served.inject({ method: 'POST', ...send })
    assert.deepEqual(response.json(), { query: { size: 7 }, size: 8, body: { text: 'red' } })
    assert.deepEqual(seen, [
      ['2', { z: 6 }],
      ['3', { a: 7 }, 8, { text: 'red' }],
    ])
    const wrong = await served.inject({ method: 'POST', ...send, headers: {} })
    assert.deepEqual(issuesOf(wrong.json()), [['headers', ['x-was']]])
  })

  it('does not hide a parameter of a newer change that lacks its function', async () => {
    const required = operation({ route: 'car.find', query: { size: { was: absent } } })
    const newer = defineVersionChange({ version: '3', title: 'Newer', change: [required] })
    const older = defineVersionChange({
      version: '2',
      title: 'Older',
      change: [operation({ route: 'car.find', input: { was, up: () => ({ query: {} }) } })],
    })
    await assert.rejects(async () => serveChanges([newer, older]).ready(), /operation.query.size lacks up/)
  })
})

describe('input as a whole of an API behind', () => {
  it('is sent as the newest one', async () => {
    const seen: unknown[] = []
    const behind = await startServer((request, response) => {
      seen.push([request.url, request.headers['x-trace']])
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}')
    })
    const change = defineVersionChange({
      version: '2',
      title: 'Moved',
      change: [
        operation({
          route: 'far.find',
          path: { was: '/far/find' },
          input: {
            was: { params: z.object({}), query: z.object({ id: z.int() }), headers: z.object({}) },
            up: ({ query }) => ({ params: { id: query.id }, headers: { 'x-trace': `t${query.id}` } }),
          },
        }),
      ],
    })
    const far = defineController({
      name: 'far',
      prefix: '/far',
      routes: [
        {
          method: 'GET',
          path: '/{id:int}',
          name: 'find',
          input: { headers: { 'x-trace': z.string() } },
          response: z.object({ ok: z.boolean() }),
          forward: garageAt(behind.url),
        },
      ],
    })
    const own = defineVersions({ versions: ['2', '1'], models: {}, changes: [change] })
    const forwarding = serve(far, { versioning: { scheme: VersioningSchemes.URL, history: own } })
    try {
      assert.equal((await forwarding.inject('/v1/far/find?id=7&other=1')).body, '{"ok":true}')
      assert.deepEqual(seen, [['/far/7?other=1', 't7']])
    } finally {
      await forwarding.close()
      behind.close()
    }
  })
})

function serveWith(part: ReturnType<typeof operation>, options = {}): App {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of any route
  return serveChanges(
    [defineVersionChange({ version: '2', title: 'Moved', change: [part as never] })],
    options,
  )
}

function serveChanges(changes: readonly VersionChange[], options = {}): App {
  const find = defineController({
    name: 'car',
    prefix: '/',
    routes: [
      {
        method: 'GET',
        path: '/find/{id:int}',
        name: 'find',
        input: { query: { size: z.int() } },
        handler: ({ query, params }) => ({ size: query.size, id: params.id }),
      },
    ],
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of any version
  const own = defineVersions({ versions: ['3', '2', '1'], models: {}, changes: changes as never })
  return serve(find, { versioning: { scheme: VersioningSchemes.URL, history: own }, ...options })
}

function issuesOf(problem: unknown): readonly unknown[] {
  const schema = z.object({ errors: z.array(z.object({ in: z.string(), path: z.array(z.unknown()) })) })
  return schema.parse(problem).errors.map((issue) => [issue.in, issue.path])
}

function codeOf(problem: unknown): unknown {
  return z.object({ code: z.string().optional() }).parse(problem).code
}

/** The same released change, without and with newer ones. */
function openGarage(isNewer: boolean): { readonly served: App; readonly seen: unknown[] } {
  const seen: unknown[] = []
  const Part = model('Part', (isNewer ? { code: z.string() } : { id: z.string() }) as { id: z.ZodString })
  const Wagon = model('Wagon', {
    ...(isNewer ? { label: z.string(), wheels: z.int() } : { name: z.string() }),
    part: Part,
  })
  const wagonNames = fieldNames(Wagon)
  const reshaped = (options: object): object => reshape(options as never)
  const change = (version: string, ...parts: readonly object[]): VersionChange =>
    defineVersionChange({ version, title: `Change ${version}`, change: parts as never })
  const released = change(
    '2',
    operation({
      route: 'wagon.create',
      input: {
        was: { query: z.object({ by: z.string() }), body: z.object({ wagon: Wagon, spare: Part }) },
        up: ({ query, body }) => {
          seen.push({ query, body })
          return { query: { sort: query.by }, body: { wagons: [body.wagon], spares: [body.spare] } }
        },
      },
    }),
    operation({
      route: 'wagon.list',
      query: {
        sort: { was: z.string(), up: (old) => (old === 'n' ? 'name' : 'part') },
        only: {
          was: z.array(wagonNames),
          up: (old) => {
            seen.push(old)
            return [old].flat()[0]
          },
        },
      },
    }),
  )
  const newest = [
    change(
      '4',
      reshaped({ of: Part, fields: { code: { was: 'id' } } }),
      reshaped({
        of: Wagon,
        fields: { wheels: { was: absent }, label: { was: 'name' } },
        up: () => ({ wheels: 4 }),
      }),
    ),
    change(
      '3',
      operation({
        route: 'wagon.create',
        input: {
          was: { query: z.object({ sort: z.string() }) },
          up: ({ query }) => ({ query: { order: query.sort, by: 'asc' } }),
        },
        body: {
          now: z.object({ all: z.array(Wagon), spares: z.array(Part) }),
          was: z.object({ wagons: z.array(Wagon), spares: z.array(Part) }),
          up: ({ wagons, spares }) => {
            seen.push(wagons)
            return { all: wagons, spares }
          },
        },
      }),
    ),
  ]
  const Echo = z.object({ got: z.unknown() })
  const handler = (input: { query?: unknown; body?: unknown }): object => ({
    got: { query: input.query, body: input.body },
  })
  const wagons = defineController({
    name: 'wagon',
    prefix: '/wagons',
    routes: [
      {
        method: 'POST',
        name: 'create',
        status: 200,
        input: {
          query: isNewer ? z.object({ order: z.string(), by: z.string() }) : z.object({ sort: z.string() }),
          body: isNewer
            ? z.object({ all: z.array(Wagon), spares: z.array(Part) })
            : z.object({ wagons: z.array(Wagon), spares: z.array(Part) }),
        },
        response: Echo,
        handler: handler as never,
      },
      {
        method: 'GET',
        name: 'list',
        input: { query: z.object({ sort: wagonNames, only: wagonNames.optional() }) },
        response: Echo,
        handler: handler as never,
      },
    ],
  })
  const versions = isNewer ? (['4', '3', '2', '1'] as const) : (['2', '1'] as const)
  const served = serve(wagons, {
    versioning: {
      scheme: VersioningSchemes.URL,
      history: defineVersions({
        versions: versions as readonly ['4', '3', '2', '1'],
        models: { Part, Wagon },
        changes: [...(isNewer ? newest : []), released] as never,
      }),
    },
  })
  return { served, seen }
}

describe('a released change of an input', () => {
  it('gets what it got before newer changes, which convert what it returns', async () => {
    const [before, now] = [openGarage(false), openGarage(true)]
    const wagon = { name: 'a', part: { id: 'p' } }
    const request = {
      method: 'POST',
      url: '/v1/wagons?by=name',
      body: { wagon, spare: { id: 's' } },
    } as const
    const old = { query: { by: 'name' }, body: { wagon, spare: { id: 's' } } }
    assert.deepEqual((await before.served.inject(request)).json(), {
      got: { query: { sort: 'name' }, body: { wagons: [wagon], spares: [{ id: 's' }] } },
    })
    assert.deepEqual(before.seen, [old])
    const answer = (await now.served.inject(request)).json()
    assert.deepEqual(now.seen, [old, [wagon]])
    const wagons = [{ label: 'a', part: { code: 'p' }, wheels: 4 }]
    assert.deepEqual(answer, {
      got: { query: { order: 'name', by: 'asc' }, body: { all: wagons, spares: [{ code: 's' }] } },
    })
  })

  it('does so for parameters', async () => {
    const url = '/v1/wagons?sort=n&only=name&only=part'
    for (const [isNewer, name] of [
      [false, 'name'],
      [true, 'label'],
    ] as const) {
      const { served, seen } = openGarage(isNewer)
      assert.deepEqual((await served.inject(url)).json(), { got: { query: { sort: name, only: name } } })
      assert.deepEqual(seen, [['name', 'part']])
      const wrong = await served.inject('/v1/wagons?sort=n&only=label&only=part')
      assert.deepEqual(isNewer ? issuesOf(wrong.json()) : [], isNewer ? [['query', ['only', 0]]] : [])
    }
  })
})

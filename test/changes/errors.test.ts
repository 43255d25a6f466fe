import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'

import {
  createApp,
  defineController,
  defineErrorHandler,
  defineGuard,
  defineProblem,
  DefinitionError,
  defineModule,
  HttpError,
  reply,
  text,
  VersioningSchemes,
} from 'octavo'
import { absent, defineVersionChange, defineVersions, model, operation, reshape } from 'octavo/changes'
import type { OperationOptions, VersionChange } from 'octavo/changes'
import { createClient } from 'octavo/client'
import { expectTypeOf } from 'expect-type'
import { compression } from 'octavo/middleware'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

class Declined extends Error {}

const Problem = z.object({ code: z.enum(['card_declined', 'no_money']), status: z.int(), retry: z.boolean() })
const Closed = defineGuard({
  name: 'Closed',
  canActivate: () => {
    throw new HttpError(403, 'closed '.repeat(100), { code: 'closed' })
  },
})

const controller = defineController({
  name: 'PayController',
  prefix: '/pay',
  // inside of what sees the finished response
  middleware: [compression({ threshold: 0 })],
  errorHandlers: [
    defineErrorHandler({
      match: Declined,
      handle: () => reply(402, { code: 'card_declined', status: 402, retry: false }),
    }),
  ],
  routes: [
    {
      method: 'GET',
      path: '/{how}',
      name: 'pay',
      response: { 200: z.string(), 402: Problem },
      handler: ({ params: { how } }) => {
        if (how === 'thrown')
          throw new HttpError(402, 'no '.repeat(100), { code: 'card_declined', retry: true })
        if (how === 'handler') throw new Declined()
        if (how === 'declared')
          return reply(402, { code: 'card_declined' as const, status: 402, retry: true })
        if (how === 'raw')
          return Response.json({ code: 'card_declined', status: 402, retry: true }, { status: 402 })
        if (how === 'long') return Response.json({ code: 'x'.repeat(2 ** 21) }, { status: 402 })
        if (how === 'money') return reply(402, { code: 'no_money' as const, status: 402, retry: false })
        if (how === 'other') throw new HttpError(409, 'other', { code: 'other', secret: 7 })
        if (how === 'unknown') throw new Error('unknown')
        if (how === 'json' || how === 'problem+json')
          return text('no JSON', { status: 402, headers: { 'content-type': `application/${how}` } })
        return 'paid'
      },
    },
    { method: 'GET', path: '/closed/now', name: 'closed', guards: [Closed], handler: () => 'open' },
  ],
})

type Given = Omit<OperationOptions, 'route'> & { readonly route?: string | readonly string[] }

/** An application of three versions, with operations between each two, newer first. */
function open(newer: readonly Given[], older: readonly Given[] = []) {
  const changes = [newer, older].map((given, index) =>
    defineVersionChange({
      version: index === 0 ? '3' : '2',
      title: `Change ${index}`,
      change: given.map((each) => operation({ route: 'pay.pay', ...each })),
    }),
  )
  return serve(controller, {
    docs: {},
    versioning: {
      scheme: VersioningSchemes.URL,
      history: defineVersions({
        versions: ['3', '2', '1'],
        models: {},
        changes: changes.filter(({ change }) => change.length > 0) as VersionChange<'3'>[],
      }),
    },
  })
}

async function get(app: ReturnType<typeof open>, url: string): Promise<readonly unknown[]> {
  const answer = await app.inject(url)
  return [answer.statusCode, answer.body.startsWith('{') ? answer.json() : answer.body]
}

describe('an error of an older version', () => {
  it('has the code, status and members that it had, however it is answered', async () => {
    const app = open([
      {
        errors: {
          card_declined: {
            was: 'payment_failed',
            status: 400,
            down: ({ retry, ...problem }) => ({ ...problem, again: retry }),
          },
        },
      },
    ])
    for (const how of ['thrown', 'declared', 'handler', 'raw']) {
      const [newest, problem] = await get(app, `/v3/pay/${how}`)
      assert.equal(newest, 402)
      assert.equal(Object(problem).code, 'card_declined')
      const [status, older] = await get(app, `/v2/pay/${how}`)
      const { code, status: own, again, retry, title } = Object(older)
      assert.deepEqual(
        [status, code, own, again, retry],
        [400, 'payment_failed', 400, how !== 'handler', undefined],
        how,
      )
      // the title of about:blank is the phrase of the status
      assert.equal(title, how === 'thrown' ? 'Bad Request' : undefined)
    }
    assert.deepEqual(await get(app, '/v2/pay/money'), [402, { code: 'no_money', status: 402, retry: false }])
    assert.deepEqual(await get(app, '/v2/pay/now'), [200, '"paid"'])
    assert.equal((await get(app, '/v2/pay/unknown'))[0], 500)
    assert.equal((await get(app, '/v3/pay/long'))[0], 402)
    assert.equal((await get(app, '/v2/pay/long'))[0], 500)
    const packed = await app.inject({ url: '/v2/pay/thrown', headers: { 'accept-encoding': 'gzip' } })
    assert.equal(packed.headers['content-encoding'], 'gzip')
    assert.equal(JSON.parse(gunzipSync(packed.bytes).toString()).code, 'payment_failed')
  })

  it('keeps its members if an error handler answers with a status that the route does not declare', async () => {
    const Taken = defineProblem({ code: 'taken', status: 409, title: 'It is taken' })
    const cars = defineController({
      name: 'car',
      prefix: '/cars',
      errorHandlers: [
        defineErrorHandler({ match: Declined, handle: () => reply(409, { code: 'taken', message: 'No' }) }),
      ],
      routes: [
        {
          method: 'GET',
          path: '/',
          name: 'buy',
          response: z.string(),
          problems: [Taken],
          handler: () => {
            throw new Declined()
          },
        },
      ],
    })
    const ask = async (own: object): Promise<readonly unknown[]> => {
      const part = operation({ route: 'car.buy', ...own })
      const change = defineVersionChange({ version: '2', title: 'One', change: [part] })
      const history = defineVersions({ versions: ['2', '1'], models: {}, changes: [change] })
      return get(serve(cars, { versioning: { scheme: VersioningSchemes.URL, history } }), '/v1/cars')
    }
    assert.deepEqual(await ask({ summary: { was: 'Buy' } }), [409, { code: 'taken', message: 'No' }])
    const errors = { taken: { was: 'sold', status: 410 } }
    assert.deepEqual(await ask({ errors }), [410, { code: 'sold', message: 'No' }])
  })

  it('passes as it is if it is no JSON, though it says so', async () => {
    const app = open([
      {
        errors: { card_declined: { was: 'payment_failed', status: 400 } },
        response: { status: { 402: { was: 410 } } },
      },
    ])
    for (const how of ['json', 'problem+json']) {
      assert.deepEqual(await get(app, `/v3/pay/${how}`), [402, 'no JSON'])
      assert.deepEqual(await get(app, `/v2/pay/${how}`), [410, 'no JSON'])
    }
  })

  it('is what the oldest change says, and functions of newer ones run first', async () => {
    const app = open(
      [{ errors: { card_declined: { was: 'newer', down: (problem) => ({ ...problem, seen: ['3'] }) } } }],
      [
        {
          errors: {
            card_declined: {
              was: 'older',
              status: 418,
              down: (problem) => ({ ...problem, seen: [...(problem['seen'] as string[]), '2'] }),
            },
          },
        },
      ],
    )
    const shown = async (version: string): Promise<readonly unknown[]> => {
      const [status, { code, seen }] = (await get(app, `/v${version}/pay/thrown`)) as [
        number,
        Record<string, unknown>,
      ]
      return [status, code, seen]
    }
    assert.deepEqual(await shown('3'), [402, 'card_declined', undefined])
    assert.deepEqual(await shown('2'), [402, 'newer', ['3']])
    assert.deepEqual(await shown('1'), [418, 'older', ['3', '2']])
  })

  it('counts for all routes, several of them or one, and the one counts more', async () => {
    const app = open([
      { route: '*', errors: { card_declined: { was: 'all' }, other: { was: 'all' } } },
      { route: ['pay.pay', 'pay.closed'], errors: { closed: { was: 'shut' } } },
      { errors: { card_declined: { was: 'one' } } },
    ])
    const code = async (url: string): Promise<unknown> => Object((await get(app, url))[1]).code
    assert.equal(await code('/v2/pay/thrown'), 'one')
    assert.equal(await code('/v2/pay/other'), 'all')
    assert.equal(await code('/v2/pay/closed/now'), 'shut')
    assert.equal(await code('/v3/pay/closed/now'), 'closed')
  })

  it('is what middleware of the application sees and compresses', async () => {
    const seen: unknown[] = []
    const bare = defineController({
      name: 'PayController',
      prefix: '/pay',
      routes: [{ method: 'GET', path: '/closed', name: 'pay', guards: [Closed], handler: () => 'open' }],
    })
    const change = operation({ route: 'pay.pay', errors: { closed: { was: 'shut', status: 410 } } })
    const app = serve(bare, {
      middleware: [
        compression({ threshold: 0 }),
        async (_context, next) => {
          const response = await next()
          const { status, body } = response
          if (typeof body === 'string') seen.push(status, JSON.parse(body).code)
          return response
        },
      ],
      versioning: {
        scheme: VersioningSchemes.URL,
        history: defineVersions({
          versions: ['2', '1'],
          models: {},
          changes: [defineVersionChange({ version: '2', title: 'Shut', change: [change] })],
        }),
      },
    })
    const answer = await app.inject({ url: '/v1/pay/closed', headers: { 'accept-encoding': 'gzip' } })
    assert.deepEqual(
      [answer.statusCode, JSON.parse(gunzipSync(answer.bytes).toString()).code, ...seen],
      [410, 'shut', 410, 'shut'],
    )
  })

  it('keeps its status from other operations about statuses', async () => {
    const app = open([
      {
        errors: { card_declined: { status: 400 } },
        response: { status: { 400: { was: 410 }, 409: { was: 411 } } },
      },
    ])
    assert.equal((await get(app, '/v2/pay/thrown'))[0], 400)
    assert.equal((await get(app, '/v2/pay/other'))[0], 411)
  })

  it('is in documents', async () => {
    const app = open([{ errors: { card_declined: { was: 'payment_failed', status: 400 } } }])
    await app.ready()
    const responses = (version: string): Record<string, { content: Record<string, { schema: unknown }> }> =>
      Object(app.openapi({ version }).paths)[`/v${version}/pay/{how}`].get.responses
    const codes = (version: string, status: string): unknown => {
      const written = JSON.stringify(
        responses(version)[status]?.content['application/problem+json']?.schema ?? {},
      )
      return [...written.matchAll(/card_declined|no_money|payment_failed/g)].map(([code]) => code)
    }
    assert.deepEqual(codes('3', '402'), ['card_declined', 'no_money'])
    assert.deepEqual(codes('2', '402'), ['no_money'])
    assert.deepEqual(codes('2', '400'), ['payment_failed'])
  })

  it('is a mistake of a function that throws or returns no object', async () => {
    for (const down of [
      () => 7,
      () => {
        throw new Error('no')
      },
      async () => ({}),
    ]) {
      const app = open([{ errors: { card_declined: { down: down as never } } }])
      const [status, problem] = await get(app, '/v2/pay/thrown')
      assert.deepEqual([status, Object(problem).code], [500, 'migration_failed'])
    }
  })
})

describe('a guard that did not guard', () => {
  it('does not guard older versions', async () => {
    const app = open([{ route: 'pay.closed', withoutGuards: [Closed] }])
    assert.equal((await get(app, '/v3/pay/closed/now'))[0], 403)
    assert.deepEqual(await get(app, '/v2/pay/closed/now'), [200, '"open"'])
    const all = open([], [{ route: '*', withoutGuards: [Closed] }])
    assert.equal((await get(all, '/v2/pay/closed/now'))[0], 403)
    assert.deepEqual(await get(all, '/v1/pay/closed/now'), [200, '"open"'])
  })
})

describe('a mistake in an operation', () => {
  const other = defineGuard({ name: 'Other', canActivate: () => true })
  for (const [what, part, expected] of [
    [
      'a problem of Octavo',
      { errors: { validation_failed: { was: 'invalid' } } },
      /errors\.validation_failed is a problem of Octavo/,
    ],
    [
      'an error that was the same',
      { errors: { closed: { was: 'closed' } } },
      /the error closed of pay\.pay was what it is/,
    ],
    ['an error without anything', { errors: { closed: {} } }, /operation\.errors\.closed is/],
    [
      'an unknown member',
      { errors: { closed: { was: 'shut', wsa: 1 } } },
      /option "errors\.closed\.wsa"|wsa/,
    ],
    ['a status that is no error', { errors: { closed: { status: 200 } } }, /errors\.closed\.status is 200/],
    ['a path of all routes', { route: '*', path: { was: '/old' } }, /operation of '\*' has path/],
    [
      'a list with an unknown route',
      { route: ['pay.pay', 'pay.no'], errors: { closed: { was: 'shut' } } },
      /names the route pay\.no, which does not exist/,
    ],
    [
      'a guard that guards nothing',
      { withoutGuards: [other] },
      /withoutGuards names Other, which does not guard pay\.pay/,
    ],
    ['no guard', { withoutGuards: ['Closed'] }, /operation\.withoutGuards\[0\] is/],
  ] as const)
    it(`is reported: ${what}`, async () => {
      await assert.rejects(
        async () => await open([part as unknown as Given]).ready(),
        (error) => error instanceof DefinitionError && expected.test(error.message),
      )
    })

  it('is reported if two operations of one version say it of the same routes', async () => {
    const errors = { closed: { was: 'shut' } }
    await assert.rejects(
      async () => await open([{ errors }, { errors: { closed: { was: 'locked' } } }]).ready(),
      /the error closed of pay\.pay is touched by another operation/,
    )
  })
})

describe('declared problems of older versions', () => {
  const Buyer = model('Buyer', { fullName: z.string(), since: z.int() })
  const CarSold = defineProblem({
    code: 'car_sold',
    status: 409,
    title: 'The car is sold',
    members: z.object({ buyer: Buyer, price: z.int() }),
  })
  const CarLocked = defineProblem({
    code: 'car_locked',
    status: 423,
    title: 'The car is locked',
    members: z.object({ until: z.string() }),
  })
  const Locked = defineProblem({
    code: 'locked',
    status: 409,
    title: 'The car was locked',
    members: z.object({ seconds: z.int() }),
  })
  const CarLost = defineProblem({ code: 'car_lost', status: 404, title: 'The car is lost' })
  const NoTrade = defineProblem({ code: 'no_trade', status: 403, title: 'No trade today' })
  const Trading = defineGuard({
    name: 'Trading',
    problems: [NoTrade],
    canActivate: ({ request }) => {
      if (request.header('x-day') === 'sunday') throw NoTrade()
      return true
    },
  })
  const cars = defineController({
    prefix: '/car',
    name: 'CarController',
    routes: [
      {
        method: 'GET',
        path: '/{id:int}',
        name: 'buy',
        guards: [Trading],
        problems: [CarSold, CarLocked, CarLost],
        response: z.object({ owner: z.string() }),
        handler: ({ params: { id } }) => {
          if (id === 1) throw CarSold('Sold', { buyer: { fullName: 'Ann Lee', since: 3 }, price: 7 })
          if (id === 2) throw CarLocked('Locked', { until: '60' })
          if (id === 3) throw CarLost()
          return { owner: 'You' }
        },
      },
    ],
  })
  const history = defineVersions({
    versions: ['3', '2', '1'],
    models: { Buyer },
    changes: [
      defineVersionChange({
        version: '3',
        title: 'Problems have other codes',
        change: [
          operation({
            route: 'car.buy',
            errors: {
              car_sold: { was: 'sold', status: 410 },
              car_locked: {
                now: CarLocked,
                was: Locked,
                down: ({ until, ...problem }) => ({ ...problem, seconds: Number(until) }),
              },
              no_trade: { was: 'closed' },
            },
          }),
        ],
      }),
      defineVersionChange({
        version: '2',
        title: 'Names of buyers',
        change: [
          reshape({
            of: Buyer,
            fields: { fullName: { was: 'name' }, since: { was: absent } },
            up: () => ({ since: 0 }),
          }),
        ],
      }),
    ],
  })
  const app = createApp(defineModule({ controllers: [cars] }), {
    logger: false,
    docs: {},
    versioning: { scheme: VersioningSchemes.HEADER, headerParameter: 'x-api-version', history },
  })
  const ask = async (id: number, version: string, headers: Readonly<Record<string, string>> = {}) => {
    const { statusCode, ...response } = await app.inject({
      url: `/car/${id}`,
      headers: { 'x-api-version': version, ...headers },
    })
    return { statusCode, ...Object(response.json()) }
  }
  const type = 'about:blank'

  it('have the codes, statuses and members that they had', async () => {
    const sold = { type, title: 'The car is sold', detail: 'Sold', price: 7 }
    assert.deepEqual(await ask(1, '3'), {
      statusCode: 409,
      ...sold,
      status: 409,
      code: 'car_sold',
      buyer: { fullName: 'Ann Lee', since: 3 },
    })
    assert.deepEqual(await ask(1, '2'), {
      statusCode: 410,
      ...sold,
      status: 410,
      code: 'sold',
      buyer: { fullName: 'Ann Lee', since: 3 },
    })
    assert.deepEqual(await ask(1, '1'), {
      statusCode: 410,
      ...sold,
      status: 410,
      code: 'sold',
      buyer: { name: 'Ann Lee' },
    })
    assert.deepEqual(await ask(2, '1'), {
      statusCode: 409,
      type,
      title: 'The car was locked',
      status: 409,
      detail: 'Locked',
      code: 'locked',
      seconds: 60,
    })
    assert.equal((await ask(3, '1')).code, 'car_lost')
    assert.equal((await ask(9, '3', { 'x-day': 'sunday' })).code, 'no_trade')
    assert.equal((await ask(9, '2', { 'x-day': 'sunday' })).code, 'closed')
  })

  it('are documented as they were', async () => {
    await app.ready()
    const codesIn = (version: string): object => {
      const document = JSON.parse(JSON.stringify(app.openapi({ version })))
      const { responses } = document.paths['/car/{id}'].get
      const codes = Object.entries<{ content?: Readonly<Record<string, { schema: object }>> }>(responses).map(
        ([status, { content = {} }]) => [
          status,
          [...JSON.stringify(content).matchAll(/"const":"(\w+)"/g)].map(([, code]) => code),
        ],
      )
      return Object.fromEntries(codes.filter(([, found]) => found?.length !== 0))
    }
    assert.deepEqual(codesIn('3'), {
      403: ['no_trade'],
      404: ['car_lost'],
      409: ['car_sold'],
      423: ['car_locked'],
    })
    assert.deepEqual(codesIn('1'), { 403: ['closed'], 404: ['car_lost'], 409: ['locked'], 410: ['sold'] })
    const { schemas } = Object(app.openapi({ version: '1' }).components)
    assert.deepEqual(schemas.Buyer.properties, { name: { type: 'string' } })
  })

  it('are results of the client of their version', async () => {
    const client = createClient<typeof app>({ baseUrl: 'http://cars', fetch: app.fetch }).at('1')
    const sold = await client.car.buy({ params: { id: 1 } })
    assert.equal(sold.status, 410)
    if (sold.ok) return
    if (sold.data.code === 'sold') {
      sold.data.status satisfies 410
      assert.equal(sold.data.buyer.name satisfies string, 'Ann Lee')
    } else assert.fail(sold.data.code satisfies 'locked' | 'car_lost')
    const locked = await client.car.buy({ params: { id: 2 } })
    if (locked.ok || locked.data.code !== 'locked') return assert.fail()
    assert.equal(locked.data.seconds satisfies number, 60)
  })

  it('have dates, data that is loaded, and what a function adds', async () => {
    const Event = model('ProblemEvent', { at: z.date(), by: z.string() })
    const Full = defineProblem({
      code: 'full',
      status: 409,
      title: 'It is full',
      members: z.object({ event: Event, left: z.int() }),
    })
    const change = defineVersionChange({
      version: '2',
      title: 'Events have times',
      change: [
        reshape({
          of: Event,
          fields: {
            at: {
              was: z.number(),
              up: (old) => new Date(old),
              down: (now) => now.getTime(),
            },
            name: { was: z.string() },
          },
          reads: ['by'],
          responseOnly: true,
          load: async (events) => new Set(events.map(({ by }) => by)),
          down: ({ by }, { loaded }) => ({ name: loaded.has(by) ? `Dr ${by}` : '' }),
        }),
        operation({
          route: 'event.join',
          errors: {
            full: {
              now: Full,
              was: 'closed',
              down: ({ left, ...problem }) => ({
                ...problem,
                free: left,
                // functions get dates
                year: problem.event.at.getFullYear(),
              }),
            },
          },
        }),
      ],
    })
    const events = defineController({
      prefix: '/event',
      name: 'event',
      routes: [
        {
          method: 'GET',
          name: 'join',
          problems: [Full],
          response: z.object({}),
          handler: () => {
            throw Full('No room', { event: { at: new Date(7), by: 'Ann' }, left: 0 })
          },
        },
      ],
    })
    const own = defineVersions({ versions: ['2', '1'], models: { Event }, changes: [change] })
    const served = serve(events, { versioning: { scheme: VersioningSchemes.URL, history: own } })
    const common = { type, title: 'It is full', status: 409, detail: 'No room' }
    assert.deepEqual((await served.inject('/v2/event')).json(), {
      ...common,
      code: 'full',
      event: { at: '1970-01-01T00:00:00.007Z', by: 'Ann' },
      left: 0,
    })
    assert.deepEqual((await served.inject('/v1/event')).json(), {
      ...common,
      code: 'closed',
      event: { at: 7, by: 'Ann', name: 'Dr Ann' },
      free: 0,
      year: 1970,
    })
  })

  it('have typed members for functions that name them', () => {
    const { car_locked: locked } =
      operation({
        route: 'car.buy',
        errors: {
          car_locked: {
            now: CarLocked,
            was: Locked,
            down: ({ until, detail, status }) => {
              expectTypeOf(until).toEqualTypeOf<string>()
              expectTypeOf([detail, status]).toEqualTypeOf<(string | number | undefined)[]>()
              return { seconds: 1 }
            },
          },
          car_lost: { was: 'lost', down: ({ since, ...problem }) => ({ ...problem, since }) },
        },
      }).errors ?? {}
    assert.equal(locked?.now, CarLocked)
    operation({
      route: 'car.buy',
      // @ts-expect-error -- the older problem has seconds
      errors: { car_locked: { now: CarLocked, was: Locked, down: () => ({ second: 1 }) } },
    })
    operation({
      route: 'car.buy',
      // @ts-expect-error -- the newest problem has no seconds
      errors: { car_locked: { now: CarLocked, was: 'locked', down: ({ seconds }) => ({ seconds }) } },
    })
  })

  const rejected = async (
    errors: NonNullable<OperationOptions['errors']>,
    older?: NonNullable<OperationOptions['errors']>,
  ): Promise<string> => {
    const changes = [errors, older].flatMap((given, index) =>
      given === undefined
        ? []
        : defineVersionChange({
            version: String(3 - index),
            title: `Change ${index}`,
            change: [operation({ route: 'car.buy', errors: given })],
          }),
    )
    try {
      await createApp(defineModule({ controllers: [cars] }), {
        logger: false,
        versioning: {
          scheme: VersioningSchemes.HEADER,
          headerParameter: 'x-api-version',
          history: defineVersions({ versions: ['3', '2', '1'], models: {}, changes: changes as never }),
        },
      }).ready()
      return ''
    } catch (error) {
      return String(error)
    }
  }

  it('are named by codes that the route declares', async () => {
    assert.match(
      await rejected({ car_sol: { was: 'sold' } }),
      /operation\.errors names car_sol, which car\.buy does not declare\. Did you mean "car_sold"\?/,
    )
    assert.match(
      await rejected({ car_sold: { now: CarLocked, was: 'sold' } }),
      /operation\.errors\.car_sold\.now is not the problem that the route has/,
    )
    const now = { now: CarLocked, was: Locked }
    assert.match(
      await rejected({ car_locked: now }, { car_locked: now }),
      /operation\.errors\.car_locked\.now is not the problem that the route has/,
    )
    assert.equal(
      await rejected({ car_locked: now }, { car_locked: { now: Locked, was: CarLocked, status: 400 } }),
      '',
    )
  })
})

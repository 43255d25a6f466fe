import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import { conflict, defineController, defineGuard, reply, VersioningSchemes } from 'octavo'
import type { AnyGuard, App, AppOptions, InjectOptions, InjectResponse, Store } from 'octavo'
import { absent, defineVersionChange, defineVersions, derive, model, reshape } from 'octavo/changes'
import { anyOf, apiKey, bearerAuth, jwtAuth } from 'octavo/auth'
import { idempotency } from 'octavo/idempotency'
import type { IdempotencyOptions } from 'octavo/idempotency'
import { SignJWT } from 'jose'
import { createMemoryStore } from 'octavo/stores'
import { z } from 'zod'
import { serve } from '../support/serve.ts'

const KEY = '"8e03978e-40d5-43dd-bc93-6894a57f9324"'

/** An application with one POST, whose handler counts its runs. */
function counting(
  options: IdempotencyOptions = {},
  handler: (run: number) => unknown = (run) => ({ run }),
  appOptions: AppOptions = {},
): { readonly app: App; readonly runs: () => number } {
  let runs = 0
  const controller = defineController({
    prefix: '/orders',
    interceptors: [idempotency(options)],
    routes: [{ method: 'POST', handler: () => handler(++runs) }],
  })
  const app = serve(controller, appOptions)
  return { app, runs: () => runs }
}

const post = async (app: App, key = KEY, options: Partial<InjectOptions> = {}): Promise<InjectResponse> =>
  app.inject({
    method: 'POST',
    url: '/orders',
    ...options,
    headers: { 'idempotency-key': key, ...options.headers },
  })

const codeOf = (response: InjectResponse): unknown => Object(response.json()).code

/** What a schema may make of an input. */
class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  reveal(): string {
    return this.#value
  }
}

class Hidden extends Secret {
  toJSON(): string {
    return '***'
  }
}

describe('the owner of a key', () => {
  const who = defineGuard({
    name: 'who',
    canActivate: (context) => {
      Object.assign(context, { identity: { id: context.request.header('x-user') } })
      return true
    },
  })

  it('is the identity, whatever the name of its client is', async () => {
    const { app, runs } = counting({}, undefined, {
      guards: [who],
      client: (request) => request.header('x-program'),
    })
    const send = async (user: string, program: string): Promise<unknown> =>
      Object((await post(app, '"1"', { headers: { 'x-user': user, 'x-program': program } })).json()).run
    assert.equal(await send('ann', 'ios'), 1)
    assert.equal(await send('bob', 'ios'), 2)
    assert.equal(await send('ann', 'android'), 1)
    assert.equal(runs(), 2)
  })

  it('is not known by the name of its client alone, which is a claim: its keys are not short', async () => {
    const { app, runs } = counting({}, undefined, { client: () => 'ios' })
    const response = await post(app, '"1"')
    assert.deepEqual([response.statusCode, codeOf(response)], [400, 'malformed_idempotency_key'])
    assert.equal(runs(), 0)
  })

  for (const [name, id, status] of [
    ['an empty text', '', 400],
    ['null', null, 400],
    ['a promise', Promise.resolve('ann'), 500],
    ['a number', 7, 500],
  ] as const)
    it(`that the option client names with ${name} shares no short keys`, async () => {
      // what JavaScript could return
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      const { app, runs } = counting({ client: () => id as never })
      assert.equal((await post(app, '"1"')).statusCode, status)
      assert.equal(runs(), 0)
    })
})

describe('clients with equal ids', () => {
  const apart = async (guard: AnyGuard, ...clients: readonly Record<string, string>[]): Promise<void> => {
    const { app, runs } = counting({}, undefined, { guards: [guard] })
    for (const [index, headers] of clients.entries()) {
      const first = await post(app, KEY, { headers })
      assert.deepEqual([first.statusCode, first.json()], [200, { run: index + 1 }])
      assert.equal(first.headers['idempotency-replayed'], undefined)
      assert.deepEqual((await post(app, KEY, { headers })).json(), { run: index + 1 })
    }
    assert.equal(runs(), clients.length)
  }
  const bearer = (id: unknown, word: string): AnyGuard =>
    bearerAuth({ verify: (token) => (token === word ? { id } : undefined) })

  it('of different guards have keys of their own', async () => {
    const partner = apiKey({ in: 'header', name: 'x-api-key', verify: () => ({ id: '7' }) })
    const custom = defineGuard({
      name: 'custom',
      canActivate: (context) => {
        Object.assign(context, { identity: { id: '7' } })
        return true
      },
    })
    const guard = anyOf(bearer('7', 'user'), bearer('7', 'staff'), partner, custom)
    const tokens = ['user', 'staff'].map((token) => ({ authorization: `Bearer ${token}` }))
    await apart(guard, ...tokens, { 'x-api-key': 'k' }, {})
  })

  it('of different types have keys of their own', async () => {
    const verify = (token: string): object => ({ id: token === 'text' ? '7' : token === 'big' ? 7n : 7 })
    const tokens = ['text', 'big', 'number'].map((token) => ({ authorization: `Bearer ${token}` }))
    await apart(bearerAuth({ verify }), ...tokens)
  })

  it('of different issuers have keys of their own, also if the identity has no issuer', async () => {
    const secret = new TextEncoder().encode('a secret of more than 32 characters')
    const sign = async (issuer: string): Promise<Record<string, string>> => {
      const token = new SignJWT({}).setSubject('7').setIssuer(issuer).setAudience('api')
      const signed = await token.setProtectedHeader({ alg: 'HS256' }).setExpirationTime('1h').sign(secret)
      return { authorization: `Bearer ${signed}` }
    }
    const options = { issuer: ['one', 'two'], audience: 'api', secret, algorithms: ['HS256'] } as const
    const tokens = [await sign('one'), await sign('two')]
    await apart(jwtAuth(options), ...tokens)
    await apart(jwtAuth({ ...options, identity: ({ sub }) => ({ id: sub }) }), ...tokens)
    const own = (token: string): object => ({ iss: token, sub: '7' })
    await apart(
      bearerAuth({ verify: own }),
      ...['one', 'two'].map((name) => ({ authorization: `Bearer ${name}` })),
    )
  })
})

describe('a request', () => {
  it('is another one if its host differs, or a query that no schema reads', async () => {
    const { app, runs } = counting()
    const ask = async (url: string, host = 'shop.example.com'): Promise<number> =>
      (await post(app, KEY, { url, headers: { host } })).statusCode
    assert.equal(await ask('/orders?a=1&b=2'), 200)
    assert.equal(await ask('/orders?b=2&a=1', 'SHOP.example.com:8080'), 200)
    for (const url of ['/orders', '/orders?a=2&b=2', '/orders?a=1&b=2&c=3']) assert.equal(await ask(url), 422)
    assert.equal(await ask('/orders?a=1&b=2', 'other.example.com'), 422)
    assert.equal(runs(), 1)
  })

  for (const [scheme, ask] of [
    [VersioningSchemes.QUERY, (version: string) => ({ url: `/orders?a=1&version=${version}` })],
    [VersioningSchemes.HOST, (version: string) => ({ headers: { host: `v${version}.example.com` } })],
  ] as const)
    it(`is the same in all versions that it names by ${scheme.name}`, async () => {
      const { app, runs } = counting({}, undefined, {
        versioning: { scheme, history: defineVersions({ versions: ['2', '1'], models: {}, changes: [] }) },
      })
      for (const version of ['1', '2']) assert.equal((await post(app, KEY, ask(version))).statusCode, 200)
      assert.equal(runs(), 1)
    })

  for (const [name, toValue] of [
    ['private fields', (value: string) => new Secret(value)],
    ['a toJSON that hides them', (value: string) => new Hidden(value)],
  ] as const)
    it(`is another one if only the fields of an instance differ: ${name}`, async () => {
      const controller = defineController({
        prefix: '/orders',
        interceptors: [idempotency()],
        routes: [
          {
            method: 'POST',
            input: {
              query: z.object({ a: z.string().transform(toValue).optional() }),
              body: z.object({ a: z.string().transform(toValue) }),
            },
            handler: ({ body }) => body.a.reveal(),
          },
        ],
      })
      const app = serve(controller)
      const send = async (a: string, query = ''): Promise<unknown> => {
        const response = await post(app, KEY, { url: `/orders${query}`, json: { a } })
        return response.statusCode === 200 ? response.json() : codeOf(response)
      }
      assert.equal(await send('1'), '1')
      assert.equal(await send('1'), '1')
      assert.equal(await send('2'), 'idempotency_key_reused')
      assert.equal(await send('1', '?a=1'), 'idempotency_key_reused')
    })
})

describe('results', () => {
  it('have the bytes that they had, of each kind', async () => {
    const { app } = counting({}, () => ({ a: new Date(0), b: Buffer.from([1]) }))
    const first = await post(app)
    const second = await post(app)
    assert.equal(second.headers['idempotency-replayed'], 'true')
    assert.equal(second.body, first.body)
  })

  it('in memory are dropped if they are long and there is no room, but their keys are not', async () => {
    const ends: (() => void)[] = []
    const { app, runs } = counting(
      { store: createMemoryStore({ maxBytes: 7000 }) },
      async () => new Promise((resolve) => ends.push(() => resolve('x'.repeat(1500)))),
    )
    const keys = Array.from({ length: 5 }, (_, index) => `"room-00000000000${index}"`)
    const first = keys.map(async (key) => post(app, key))
    while (runs() < keys.length) await sleep(1)
    for (const end of ends) end()
    assert.deepEqual(
      (await Promise.all(first)).map(({ statusCode }) => statusCode),
      keys.map(() => 200),
    )
    const found: unknown[] = []
    for (const key of keys) {
      const response = await post(app, key)
      found.push(response.statusCode === 200 ? 'kept' : codeOf(response))
    }
    assert.deepEqual(found, ['kept', ...keys.slice(1).map(() => 'idempotent_response_lost')])
    assert.equal(runs(), keys.length)
  })
})

describe('a result that does not fit its response schema', () => {
  /** One release of a program. The kept results are those of the first. */
  const releaseOf = (
    store: Store,
    response: z.ZodType,
    handler: () => unknown,
  ): ((key?: string) => Promise<readonly unknown[]>) => {
    const controller = defineController({
      prefix: '/orders',
      interceptors: [idempotency({ store })],
      routes: [
        { method: 'POST', response: { 201: response }, handler: () => reply(201, handler() as never) },
      ],
    })
    const app = serve(controller)
    return async (key) => {
      const sent = await post(app, key)
      const { run, code } = Object(sent.json())
      return [sent.statusCode, code ?? run, sent.headers['idempotency-replayed']]
    }
  }

  it('is a 500 that is not kept, and its handler does not write a second time: a mended release sends the result', async () => {
    const store = createMemoryStore()
    let runs = 0
    const handler = (): unknown => ({ run: ++runs, paid: 'yes' })
    const broken = releaseOf(store, z.object({ run: z.int(), paid: z.boolean() }), handler)
    assert.deepEqual(await broken(), [500, 'response_invalid', undefined])
    assert.deepEqual((await broken()).slice(0, 2), [500, 'response_invalid'])
    const mended = releaseOf(store, z.object({ run: z.int(), paid: z.string() }), handler)
    assert.deepEqual(await mended(), [201, 1, 'true'])
    assert.equal(runs, 1)
  })

  it('is the same for a result that is no JSON', async () => {
    const store = createMemoryStore()
    let runs = 0
    const broken = releaseOf(store, z.object({ run: z.bigint() }), () => ({
      run: 2n ** 60n * BigInt(++runs),
    }))
    assert.equal((await broken())[0], 500)
    assert.equal((await broken())[0], 500)
    const mended = releaseOf(store, z.object({ run: z.bigint().transform(Number) }), () => ++runs)
    assert.deepEqual(await mended(), [201, 2 ** 60, 'true'])
    assert.equal(runs, 1)
  })
})

describe('routes of versions', () => {
  it('of one name do not replay the results of each other', async () => {
    const controllers = ['1', '2'].map((version) =>
      defineController({
        name: 'OrderController',
        prefix: '/orders',
        version,
        routes: [
          {
            method: 'POST',
            input: { body: z.object({ car: z.string() }) },
            response: z.object({ [`of${version}`]: z.string() }),
            handler: ({ body }) => ({ [`of${version}`]: body.car }),
          },
        ],
      }),
    )
    const app = serve(controllers, {
      interceptors: [idempotency()],
      versioning: { scheme: VersioningSchemes.URL },
    })
    for (const [first, second] of [
      ['1', '2'],
      ['2', '1'],
    ] as const) {
      const key = `"versions-0000000000${first}"`
      const send = async (version: string) =>
        post(app, key, { url: `/v${version}/orders`, json: { car: 'A4' } })
      assert.deepEqual((await send(first)).json(), { [`of${first}`]: 'A4' })
      const other = await send(second)
      assert.deepEqual([other.statusCode, codeOf(other)], [422, 'idempotency_key_reused'])
      const again = await send(first)
      assert.deepEqual(again.json(), { [`of${first}`]: 'A4' })
      assert.equal(again.headers['idempotency-replayed'], 'true')
    }
    await app.ready()
    const document = JSON.stringify(app.openapi({ version: '1' }).paths)
    assert.match(document, /"name":"Idempotency-Key"/)
  })

  it('that changes derive replay a result in the version of each request', async () => {
    const Order = model('Order', { id: z.int(), firstName: z.string(), lastName: z.string() })
    const change = defineVersionChange({
      version: '2',
      title: 'Names have two parts',
      change: [
        reshape({
          of: Order,
          fields: { name: { was: z.string() }, firstName: { was: absent }, lastName: { was: absent } },
          up: ({ name }) => ({ firstName: name.split(' ')[0] ?? '', lastName: name.split(' ')[1] ?? '' }),
          down: ({ firstName, lastName }) => ({ name: `${firstName} ${lastName}` }),
        }),
      ],
    })
    let runs = 0
    const controller = defineController({
      prefix: '/orders',
      interceptors: [idempotency()],
      routes: [
        {
          method: 'POST',
          input: { body: derive(Order, (order) => order.omit({ id: true })) },
          response: { 201: Order },
          handler: ({ body }) => {
            runs++
            if (body.lastName === 'Nobody') throw conflict('Not for sale')
            return reply(201, { id: 7, ...body })
          },
        },
      ],
    })
    const history = defineVersions({ versions: ['2', '1'], models: { Order }, changes: [change] })
    const app = serve(controller, { versioning: { scheme: VersioningSchemes.URL, history } })
    const send = async (version: string, key: string, lastName: string) =>
      post(app, key, {
        url: `/v${version}/orders`,
        json: version === '1' ? { name: `Ann ${lastName}` } : { firstName: 'Ann', lastName },
      })
    const shapes: Readonly<Record<string, object>> = {
      1: { id: 7, name: 'Ann Lee' },
      2: { id: 7, firstName: 'Ann', lastName: 'Lee' },
    }
    for (const order of ['121', '212']) {
      for (const version of order) {
        const response = await send(version, `"changes-000000000-${order}"`, 'Lee')
        assert.deepEqual([response.statusCode, response.json()], [201, shapes[version]])
        const refused = await send(version, `"refused-000000000-${order}"`, 'Nobody')
        assert.deepEqual([refused.statusCode, codeOf(refused)], [409, 'conflict'])
      }
    }
    assert.equal(runs, 4)
  })
})

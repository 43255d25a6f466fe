import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import {
  conflict,
  defineController,
  defineErrorHandler,
  defineGuard,
  defineInterceptor,
  HttpError,
  html,
  redirect,
  reply,
  serviceUnavailable,
  stream,
  tooManyRequests,
  ValidationError,
} from 'octavo'
import type { App, AppOptions, InjectOptions, InjectResponse, Interceptor, Store } from 'octavo'
import { bearerAuth, optional } from 'octavo/auth'
import { idempotency } from 'octavo/idempotency'
import type { IdempotencyOptions } from 'octavo/idempotency'
import { createMemoryStore } from 'octavo/stores'
import { z } from 'zod'
import type { AnyRoute } from '../inside/parts.ts'
import { serve } from '../support/serve.ts'

const KEY = '"8e03978e-40d5-43dd-bc93-6894a57f9324"'

/** An application of one controller at `/orders`. */
function appOf(routes: readonly object[], options: AppOptions = {}): App {
  // their types are forgotten
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const controller = defineController({ prefix: '/orders', routes: routes as readonly AnyRoute[] as never })
  return serve(controller, options)
}

/** An application with one POST, whose handler counts its runs. */
function counting(
  options: IdempotencyOptions = {},
  handler: (run: number) => unknown = (run) => reply(201, { run }),
  appOptions: AppOptions = {},
): { readonly app: App; readonly runs: () => number } {
  let runs = 0
  const app = appOf(
    [
      {
        method: 'POST',
        input: { body: z.object({ car: z.string(), count: z.int().optional() }) },
        interceptors: [idempotency(options)],
        handler: () => handler(++runs),
      },
    ],
    appOptions,
  )
  return { app, runs: () => runs }
}

const post = async (
  app: App,
  key: string | undefined = KEY,
  options: Partial<InjectOptions> = {},
): Promise<InjectResponse> =>
  app.inject({
    method: 'POST',
    url: '/orders',
    body: { car: 'A4' },
    ...options,
    headers: { 'idempotency-key': key, ...options.headers },
  })

/** What of a response is replayed. */
function seen({ statusCode, headers, body }: InjectResponse): object {
  const { 'idempotency-replayed': _mark, date: _date, ...others } = headers
  return { statusCode, headers: others, body }
}

const codeOf = (response: InjectResponse): unknown => Object(response.json()).code

describe('idempotency', () => {
  it('runs the handler once and replays status, headers and body, marked', async () => {
    const { app, runs } = counting({}, (run) =>
      reply(201, { run, at: new Date(0) }, { headers: { location: '/orders/7' }, cookies: { seen: 'yes' } }),
    )
    const first = await post(app)
    const second = await post(app)
    assert.equal(runs(), 1)
    assert.equal(first.statusCode, 201)
    assert.deepEqual(seen(second), seen(first))
    assert.equal(first.headers['idempotency-replayed'], undefined)
    assert.equal(second.headers['idempotency-replayed'], 'true')
    assert.equal(second.headers['location'], '/orders/7')
  })

  it('runs the handler for each key, and for requests without one', async () => {
    const { app, runs } = counting()
    await post(app, '"key-0000000000000001"')
    await post(app, '"key-0000000000000002"')
    await post(app, undefined, { headers: { 'idempotency-key': undefined } })
    await post(app, undefined, { headers: { 'idempotency-key': undefined } })
    assert.equal(runs(), 4)
  })

  it('replays what the handler has set on the response, and not what was set before', async () => {
    let requests = 0
    const before = defineInterceptor({
      name: 'before',
      intercept: (context, next) => {
        context.response.headers.set('x-request', String(++requests))
        context.response.cookies.set('outer', String(requests))
        return next()
      },
    })
    const app = appOf([
      {
        method: 'POST',
        interceptors: [before, idempotency()],
        handler: (_input: unknown, context: Parameters<Interceptor['intercept']>[0]) => {
          context.response.status = 202
          context.response.headers.set('x-own', 'kept')
          context.response.cookies.set('inner', '1')
          return 'done'
        },
      },
    ])
    const first = await post(app)
    const second = await post(app)
    assert.deepEqual([first.statusCode, second.statusCode], [202, 202])
    assert.deepEqual([first.headers['x-own'], second.headers['x-own']], ['kept', 'kept'])
    assert.deepEqual([first.headers['x-request'], second.headers['x-request']], ['1', '2'])
    assert.deepEqual(second.headers['set-cookie'], ['outer=2', 'inner=1'])
  })

  for (const [name, handler] of [
    ['nothing', () => undefined],
    ['a text', () => 'done'],
    ['html', () => html('<p>')],
    ['a redirect', () => redirect('/elsewhere', 303)],
    ['bytes', () => new Uint8Array([1, 2, 255])],
    ['a result of 4xx', () => reply(404, { detail: 'No such car' })],
    ['null', () => null],
    ['an object with the name of a mark', () => ({ $octavo: ['date', 0], ['__proto__']: 1 })],
    ['a reply without data', () => reply(204)],
  ] as const)
    it(`replays ${name}`, async () => {
      const { app, runs } = counting({}, handler)
      const first = await post(app)
      const second = await post(app)
      assert.deepEqual(seen(second), seen(first))
      assert.equal(second.headers['idempotency-replayed'], 'true')
      assert.equal(runs(), 1)
    })

  it('replays values that JSON has not to a response schema that needs them', async () => {
    const response = z.object({
      at: z.date(),
      big: z.bigint().transform(String),
      tags: z.set(z.string()).transform((set) => [...set]),
    })
    let runs = 0
    const app = appOf([
      {
        method: 'POST',
        response,
        interceptors: [idempotency()],
        handler: () => ({ at: new Date(86_400_000 * ++runs), big: 10n ** 20n, tags: new Set(['a']) }),
      },
    ])
    const first = await post(app)
    assert.deepEqual(first.json(), {
      at: '1970-01-02T00:00:00.000Z',
      big: '100000000000000000000',
      tags: ['a'],
    })
    assert.deepEqual(seen(await post(app)), seen(first))
  })
})

describe('a key', () => {
  for (const [name, key] of [
    ['empty', '""'],
    ['not closed', '"abc-0000000000000001'],
    ['not opened', 'abc-0000000000000001"'],
    ['a quote alone', '"'],
    ['with a wrong escape', '"abc-0000000000000001\\d"'],
    ['a list', '"abc-0000000000000001", "abc-0000000000000002"'],
    ['with parameters', '"abc-0000000000000001";a=1'],
    ['too long', `"${'a'.repeat(256)}"`],
    ['much too long', 'a'.repeat(5000)],
    ['short, from clients that are not known', '"1"'],
  ] as const)
    it(`that is ${name} is a 400`, async () => {
      const { app, runs } = counting()
      const response = await post(app, key)
      assert.equal(response.statusCode, 400)
      assert.equal(codeOf(response), 'malformed_idempotency_key')
      assert.equal(runs(), 0)
    })

  it('that is missing and required is a 400', async () => {
    const { app, runs } = counting({ required: true })
    const response = await post(app, undefined, { headers: { 'idempotency-key': undefined } })
    assert.deepEqual([response.statusCode, codeOf(response)], [400, 'missing_idempotency_key'])
    assert.equal(runs(), 0)
  })

  it('is the same with and without quotes', async () => {
    const { app, runs } = counting()
    await post(app, '"abc-0000000000000001"')
    await post(app, 'abc-0000000000000001')
    assert.equal(runs(), 1)
  })

  it('can have spaces, quotes and backslashes, which are escaped', async () => {
    const { app, runs } = counting()
    assert.equal((await post(app, String.raw`"a \\ b \" c 0000000001"`)).statusCode, 201)
    assert.equal((await post(app, String.raw`"a \\ b \" c 0000000001"`)).statusCode, 201)
    assert.equal((await post(app, String.raw`"a \" b \\ c 0000000001"`)).statusCode, 201)
    assert.equal(runs(), 2)
  })

  it('is free after its lifetime', async (test) => {
    test.mock.timers.enable({ apis: ['Date'] })
    const { app, runs } = counting({ lifetime: 1, lease: 1 })
    await post(app)
    test.mock.timers.tick(1100)
    const response = await post(app)
    assert.equal(response.headers['idempotency-replayed'], undefined)
    assert.equal(runs(), 2)
  })
})

describe('the same key with another request', () => {
  const routes = (): readonly object[] => {
    const shared = idempotency()
    const handler = (): string => 'done'
    return [
      {
        method: ['POST', 'PATCH'],
        path: '/{id:int}',
        name: 'one',
        input: {
          query: z.object({ dry: z.boolean().optional() }),
          body: z.object({ a: z.int(), b: z.int().optional() }),
        },
        interceptors: [shared],
        handler,
      },
      { method: 'POST', path: '/{id:int}/other', name: 'two', interceptors: [shared], handler },
      {
        method: 'POST',
        path: '/raw',
        name: 'raw',
        interceptors: [shared],
        handler: async (_input: unknown, { request }: Parameters<Interceptor['intercept']>[0]) =>
          request.text(),
      },
    ]
  }
  const app = appOf(routes())
  const send = async (options: Partial<InjectOptions>): Promise<number> => {
    const response = await app.inject({
      method: 'POST',
      url: '/orders/7',
      json: { a: 1, b: 2 },
      ...options,
      headers: { 'idempotency-key': KEY, 'content-type': 'application/json', ...options.headers },
    })
    if (response.statusCode === 422) assert.equal(codeOf(response), 'idempotency_key_reused')
    return response.statusCode
  }

  it('is a 422 if body, query, path, method or route differ', async () => {
    assert.equal(await send({}), 200)
    assert.equal(await send({ json: { a: 2, b: 2 } }), 422)
    assert.equal(await send({ json: { a: 1 } }), 422)
    assert.equal(await send({ url: '/orders/7?dry=true' }), 422)
    assert.equal(await send({ url: '/orders/8' }), 422)
    assert.equal(await send({ method: 'PATCH' }), 422)
    assert.equal(await send({ url: '/orders/7/other' }), 422)
  })

  it('is a replay if the same value is written in another way', async () => {
    assert.equal(await send({ json: undefined, body: ' { "b":2, "a" : 1.0 }' }), 200)
  })

  it('compares the bytes of a body that no schema reads', async () => {
    const key = { headers: { 'idempotency-key': '"raw-0000000000000001"' } }
    const raw = async (body: string): Promise<number> =>
      (await app.inject({ method: 'POST', url: '/orders/raw', body, headers: key.headers })).statusCode
    assert.equal(await raw('{"a":1}'), 200)
    assert.equal(await raw('{"a":1}'), 200)
    assert.equal(await raw('{"a": 1}'), 422)
  })

  it('compares the bytes of a long body that no schema reads', async () => {
    const headers = { 'idempotency-key': '"raw-0000000000000002"' }
    const raw = async (body: string): Promise<number> =>
      (await app.inject({ method: 'POST', url: '/orders/raw', body, headers })).statusCode
    const long = 'a'.repeat(5000)
    assert.equal(await raw(long), 200)
    assert.equal(await raw(long), 200)
    assert.equal(await raw(`${long.slice(1)}b`), 422)
    assert.equal(await raw(long.slice(1)), 422)
  })

  it('is validated first, so an invalid request uses up no key', async () => {
    const { app: own, runs } = counting()
    const invalid = await post(own, KEY, { body: { car: 7 } })
    assert.deepEqual([invalid.statusCode, codeOf(invalid)], [422, 'validation_failed'])
    assert.equal((await post(own)).statusCode, 201)
    assert.equal(runs(), 1)
  })
})

describe('requests at the same time', () => {
  it('get a 409 with Retry-After while the first one runs', async () => {
    let end: (value: string) => void = () => undefined
    const { app, runs } = counting({}, async () => new Promise((resolve) => (end = resolve)))
    const first = post(app)
    while (runs() === 0) await sleep(1)
    const second = await post(app)
    assert.deepEqual([second.statusCode, codeOf(second)], [409, 'idempotency_key_in_use'])
    assert.equal(second.headers['retry-after'], '1')
    const other = await post(app, KEY, { body: { car: 'B5' } })
    assert.deepEqual([other.statusCode, codeOf(other)], [422, 'idempotency_key_reused'])
    end('done')
    assert.deepEqual((await first).json(), 'done')
    assert.equal((await post(app)).headers['idempotency-replayed'], 'true')
    assert.equal(runs(), 1)
  })

  it('run the handler once, however many there are', async () => {
    const { app, runs } = counting({}, async () => sleep(5, 'done'))
    const responses = await Promise.all(Array.from({ length: 100 }, async () => post(app)))
    assert.equal(runs(), 1)
    assert.deepEqual(new Set(responses.map(({ statusCode }) => statusCode)), new Set([200, 409]))
  })

  it('get a 409 however long the handler runs, because its lease is renewed', async (test) => {
    test.mock.timers.enable({ apis: ['Date', 'setInterval'] })
    let end: (value: string) => void = () => undefined
    const { app, runs } = counting(
      { lease: 1, lifetime: 1, afterLease: 'run' },
      async () => new Promise((resolve) => (end = resolve)),
    )
    const first = post(app)
    while (runs() === 0) await sleep(1)
    for (let times = 0; times < 3; times++) {
      test.mock.timers.tick(700)
      const second = await post(app)
      assert.deepEqual([second.statusCode, codeOf(second)], [409, 'idempotency_key_in_use'])
    }
    end('slow')
    assert.equal((await first).json(), 'slow')
    assert.equal((await post(app)).json(), 'slow')
    assert.equal(runs(), 1)
  })

  it('have one timer each while the handler runs, which does not keep the process alive', async (test) => {
    const started = test.mock.method(globalThis, 'setInterval')
    const ended = test.mock.method(globalThis, 'clearInterval')
    const ends: (() => void)[] = []
    const { app } = counting(
      {},
      async (run) =>
        new Promise((resolve, reject) => {
          ends.push(run === 1 ? () => resolve(run) : () => reject(conflict()))
        }),
    )
    const responses = [post(app, '"timer-000000000001"'), post(app, '"timer-000000000002"')]
    while (ends.length < 2) await sleep(1)
    const timers = started.mock.calls.map(({ result }) => result)
    assert.deepEqual(
      timers.map((timer) => timer?.hasRef()),
      [false, false],
    )
    assert.equal(ended.mock.callCount(), 0)
    for (const end of ends) end()
    assert.deepEqual(
      (await Promise.all(responses)).map(({ statusCode }) => statusCode),
      [200, 409],
    )
    assert.deepEqual(new Set(ended.mock.calls.map(({ arguments: [timer] }) => timer)), new Set(timers))
  })

  it('get a 409 of its own when the lease has ended, and the result when it comes late', async (test) => {
    test.mock.timers.enable({ apis: ['Date'] })
    let end: (value: string) => void = () => undefined
    const { app, runs } = counting({ lease: 1 }, async () => new Promise((resolve) => (end = resolve)))
    const first = post(app)
    while (runs() === 0) await sleep(1)
    test.mock.timers.tick(1050)
    const second = await post(app)
    assert.deepEqual([second.statusCode, codeOf(second)], [409, 'idempotent_outcome_unknown'])
    assert.equal(second.headers['retry-after'], '1')
    end('late')
    await first
    assert.equal((await post(app)).json(), 'late')
    assert.equal(runs(), 1)
  })

  it("run the handler again after the lease with afterLease: 'run', and keep the result of that run", async (test) => {
    test.mock.timers.enable({ apis: ['Date'] })
    const ends: ((value: string) => void)[] = []
    const { app, runs } = counting(
      { lease: 1, afterLease: 'run' },
      async () => new Promise((resolve) => ends.push(resolve)),
    )
    const first = post(app)
    while (runs() === 0) await sleep(1)
    test.mock.timers.tick(1050)
    assert.equal((await post(app, KEY, { body: { car: 'B5' } })).statusCode, 422)
    const second = post(app)
    while (runs() === 1) await sleep(1)
    ends[0]?.('first')
    assert.equal((await first).json(), 'first')
    ends[1]?.('second')
    assert.equal((await second).json(), 'second')
    assert.equal((await post(app)).json(), 'second')
    assert.equal(runs(), 2)
  })
})

describe('errors', () => {
  it('of the client are replayed, with code, members and headers', async () => {
    const { app, runs } = counting({}, (run) => {
      throw new HttpError(409, 'Sold', { code: 'sold', type: 'urn:sold', run, headers: { 'x-a': 'b' } })
    })
    const first = await post(app)
    const second = await post(app)
    assert.equal(first.statusCode, 409)
    assert.deepEqual(seen(second), seen(first))
    assert.equal(second.headers['idempotency-replayed'], 'true')
    assert.equal(runs(), 1)
  })

  it('reach error handlers as they did the first time', async () => {
    const { app } = counting(
      {},
      () => {
        throw new ValidationError([{ in: 'body', path: ['car'], code: 'taken', message: 'Taken' }])
      },
      {
        errorHandlers: [
          defineErrorHandler({ match: ValidationError, handle: (error) => reply(422, error.errors) }),
        ],
      },
    )
    const first = await post(app)
    assert.deepEqual(first.json(), [{ in: 'body', path: ['car'], code: 'taken', message: 'Taken' }])
    assert.equal((await post(app)).body, first.body)
  })

  for (const [name, handler] of [
    [
      'thrown by the server',
      () => {
        throw serviceUnavailable()
      },
    ],
    [
      'that are no HttpError',
      () => {
        throw new Error('bug')
      },
    ],
    [
      'that ask for another try',
      () => {
        throw tooManyRequests()
      },
    ],
    ['that are results', () => reply(500, 'no')],
  ] as const)
    it(`${name} are not kept`, async () => {
      const { app, runs } = counting({}, (run) => (run === 1 ? handler() : 'done'))
      assert.ok((await post(app)).statusCode >= 429)
      const second = await post(app)
      assert.equal(second.statusCode, 200)
      assert.equal(second.headers['idempotency-replayed'], undefined)
      assert.equal(runs(), 2)
    })

  it('of status 4xx that a handler throws after conflict are kept', async () => {
    const { app, runs } = counting({}, () => {
      throw conflict('Twice')
    })
    await post(app)
    await post(app)
    assert.equal(runs(), 1)
  })
})

describe('results that cannot be kept', () => {
  for (const [name, handler, options] of [
    ['streams', () => stream(['a', 'b']), {}],
    ['responses of the web', () => new Response('a'), {}],
    ['long results', () => 'x'.repeat(100), { maxResult: 100 }],
  ] as const)
    it(`are sent once, and repeated requests get a 409: ${name}`, async () => {
      const { app, runs } = counting(options, handler)
      assert.equal((await post(app)).statusCode, 200)
      const second = await post(app)
      assert.deepEqual([second.statusCode, codeOf(second)], [409, 'idempotent_response_lost'])
      assert.equal(runs(), 1)
    })
})

describe('clients', () => {
  const who = defineGuard({
    name: 'who',
    canActivate: (context) => {
      const name = context.request.header('x-user')
      Object.assign(context, {
        identity: name === undefined ? undefined : name.startsWith('{') ? JSON.parse(name) : name,
      })
      return true
    },
  })

  it('have keys of their own: by identity, its id, its sub, or the client of the application', async () => {
    const { app, runs } = counting({}, undefined, { guards: [who] })
    for (const user of ['ann', 'bob', '{"id":1}', '{"id":2}', '{"sub":"9"}', undefined]) {
      const first = await post(app, KEY, { headers: { 'x-user': user } })
      assert.equal(first.headers['idempotency-replayed'], undefined, user)
      const second = await post(app, KEY, { headers: { 'x-user': user } })
      assert.equal(second.body, first.body)
    }
    assert.equal(runs(), 6)
    const named = counting({}, undefined, { client: (request) => request.header('x-account') })
    await post(named.app, KEY, { headers: { 'x-account': 'a' } })
    await post(named.app, KEY, { headers: { 'x-account': 'b' } })
    await post(named.app, KEY, { headers: { 'x-account': 'b' } })
    assert.equal(named.runs(), 2)
  })

  it('whose identity has no id are a 500 until the option client names them', async () => {
    const failing = counting({}, undefined, { guards: [who] })
    assert.equal((await post(failing.app, KEY, { headers: { 'x-user': '{}' } })).statusCode, 500)
    assert.equal(failing.runs(), 0)
    const named = counting({ client: () => 'one' }, undefined, { guards: [who] })
    assert.equal((await post(named.app, KEY, { headers: { 'x-user': '{}' } })).statusCode, 201)
  })
})

describe('a store', () => {
  const broken = (): never => {
    throw new Error('down')
  }

  it('that fails refuses with 503, or lets the handler run, as configured', async () => {
    const store = { get: broken, set: broken, delete: broken }
    const closed = counting({ store })
    const response = await post(closed.app)
    assert.deepEqual([response.statusCode, codeOf(response)], [503, 'idempotency_unavailable'])
    assert.equal(closed.runs(), 0)
    const lines: string[] = []
    const log = (_details: object, message = ''): void => void lines.push(message)
    const logger = { debug: log, info: log, warn: log, error: log }
    const open = counting({ store, onStoreError: 'allow' }, undefined, { logger })
    assert.equal((await post(open.app)).statusCode, 201)
    assert.equal((await post(open.app)).statusCode, 201)
    assert.equal(open.runs(), 2)
    assert.deepEqual(
      lines.filter((line) => line.includes('idempotency')),
      [
        'The store of idempotency keys fails',
        'A handler runs without its idempotency key being kept',
        'A handler runs without its idempotency key being kept',
      ],
    )
  })

  it('that does not answer in time counts as failing, and the key that it started late is given back', async () => {
    const memory = createMemoryStore()
    const asked: string[] = []
    const store: Store = {
      ...memory,
      set: async (key, value, options) => {
        asked.push('set')
        await sleep(60)
        return memory.set(key, value, options)
      },
      delete: (key, options) => {
        asked.push('delete')
        return memory.delete(key, options)
      },
    }
    const { app, runs } = counting({ store, storeTimeout: 20 })
    assert.equal((await post(app)).statusCode, 503)
    assert.deepEqual(asked, ['set'])
    await sleep(100)
    assert.deepEqual([asked, runs()], [['set', 'delete'], 0])
    assert.equal((await post(counting({ store: memory }).app)).statusCode, 201)
  })

  it('that fails after the handler ran does not lose the response', async () => {
    const memory = createMemoryStore()
    const store: Store = {
      ...memory,
      set: (key, value, options) => (options?.ifAbsent === true ? memory.set(key, value, options) : broken()),
    }
    assert.equal((await post(counting({ store }).app)).statusCode, 201)
  })

  it('in memory refuses new keys when it is full, and takes them again when keys have ended', async (test) => {
    test.mock.timers.enable({ apis: ['Date'] })
    const { app, runs } = counting({ store: createMemoryStore({ maxBytes: 1200 }), lifetime: 1, lease: 1 })
    const statuses: number[] = []
    for (let index = 0; index < 6; index++)
      statuses.push((await post(app, `"full-00000000000${index}"`)).statusCode)
    assert.deepEqual(statuses, [201, 201, 503, 503, 503, 503])
    assert.equal((await post(app, '"full-000000000000"')).headers['idempotency-replayed'], 'true')
    test.mock.timers.tick(1100)
    assert.equal((await post(app, '"full-000000000009"')).statusCode, 201)
    assert.equal(runs(), 3)
  })

  it('in memory has room for others when one client has filled its share', async () => {
    const lines: string[] = []
    const log = (_details: object, message = ''): void => void lines.push(message)
    const { app } = counting(
      { store: createMemoryStore({ maxBytes: 200_000 }), lifetime: 600 },
      () => 'x'.repeat(5000),
      {
        guards: [optional(bearerAuth({ verify: (id) => ({ id }) }))],
        client: (request) => request.header('x-program'),
        logger: { debug: log, info: log, warn: log, error: log },
      },
    )
    const ask = async (remoteAddress: string, key: number, headers = {}): Promise<InjectResponse> =>
      post(app, `"a key of someone ${key}"`, { remoteAddress, headers })
    let first = 0
    // it can give itself names
    while ((await ask('2001:db8::1', first, { 'x-program': `${first}` })).statusCode === 200) first++
    assert.ok(first > 10 && first < 40, String(first))
    const refused = await ask('2001:db8::2', 1001)
    assert.deepEqual([refused.statusCode, codeOf(refused)], [503, 'idempotency_unavailable'])
    assert.equal(refused.headers['retry-after'], '60')
    assert.equal((await ask('2001:db8::1', 0, { 'x-program': '0' })).headers['idempotency-replayed'], 'true')
    assert.equal((await ask('2001:db8:0:1::1', 1002)).statusCode, 200)
    assert.equal((await ask('10.0.0.1', 1003)).statusCode, 200)
    assert.equal((await ask('2001:db8::1', 1004, { authorization: 'Bearer ann' })).statusCode, 200)
    assert.deepEqual(
      lines.filter((line) => line.includes('idempotency')),
      ['A client has no room for more idempotency keys'],
    )
  })
})

describe('routes', () => {
  const handler = (): string => 'done'

  it('of an application keep what they are for: other methods, streams and files go without', async () => {
    let runs = 0
    const count = (): string => `${++runs}`
    const app = appOf(
      [
        { method: ['GET', 'PUT', 'DELETE'], handler: count },
        { method: 'POST', path: '/items', name: 'items', items: z.string(), handler: () => [count()] },
        {
          method: 'POST',
          path: '/files',
          name: 'files',
          input: { files: z.object({ a: z.file().optional() }) },
          handler: count,
        },
      ],
      { interceptors: [idempotency({ required: true })] },
    )
    const headers = { 'idempotency-key': KEY }
    for (const method of ['GET', 'PUT', 'DELETE'] as const)
      for (let times = 0; times < 2; times++)
        assert.equal((await app.inject({ method, url: '/orders', headers })).statusCode, 200)
    for (const url of ['/orders/items', '/orders/files'])
      for (let times = 0; times < 2; times++)
        assert.equal((await app.inject({ method: 'POST', url, headers })).statusCode, 200)
    assert.equal(runs, 10)
  })

  it('have the innermost one', async () => {
    const app = appOf([{ method: 'POST', interceptors: [idempotency()], handler }], {
      interceptors: [idempotency({ required: true })],
    })
    assert.equal((await app.inject({ method: 'POST', url: '/orders' })).statusCode, 200)
  })

  for (const [name, route, message] of [
    ['GET', { method: 'GET' }, /is for POST, PATCH/],
    ['a stream', { method: 'POST', events: z.string() }, /a stream cannot be kept/],
    ['files', { method: 'POST', input: { files: z.object({ a: z.file() }) } }, /reads files/],
    ['a WebSocket', { method: 'GET', upgrade: 'websocket' }, /a connection cannot be kept/],
  ] as const)
    it(`that list it and cannot have it are a mistake: ${name}`, () => {
      assert.throws(
        () => appOf([{ ...route, interceptors: [idempotency()], handler }]),
        (error) => message.test(String(error)) && /\[invalid_field\]/.test(String(error)),
      )
    })

  it('can have a key for PUT and DELETE', async () => {
    let runs = 0
    const app = appOf([
      { method: 'DELETE', interceptors: [idempotency({ methods: ['DELETE'] })], handler: () => ++runs },
    ])
    const headers = { 'idempotency-key': KEY }
    await app.inject({ method: 'DELETE', url: '/orders', headers })
    assert.equal((await app.inject({ method: 'DELETE', url: '/orders', headers })).json(), 1)
  })

  it('that are called by context.call go without', async () => {
    let runs = 0
    const shared = idempotency()
    const app = appOf([
      { method: 'POST', path: '/inner', name: 'inner', interceptors: [shared], handler: () => ++runs },
      {
        method: 'POST',
        name: 'outer',
        interceptors: [shared],
        handler: async (_input: unknown, { call }: Parameters<Interceptor['intercept']>[0]) => [
          await call('orders.inner'),
          await call('orders.inner'),
        ],
      },
    ])
    assert.deepEqual((await post(app)).json(), [1, 2])
    assert.deepEqual((await post(app)).json(), [1, 2])
  })

  it('show the header and the problems in documents', async () => {
    const app = appOf([{ method: ['GET', 'POST'], input: { query: z.object({ a: z.string() }) }, handler }], {
      interceptors: [idempotency({ required: true })],
    })
    await app.ready()
    const { get, post: own } = app.openapi().paths['/orders'] ?? {}
    assert.deepEqual(
      get?.parameters?.map(({ name }) => name),
      ['a'],
    )
    const header = own?.parameters?.find(({ name }) => name === 'Idempotency-Key')
    assert.deepEqual([header?.in, header?.required], ['header', true])
    assert.deepEqual(Object.keys(get?.responses ?? {}).includes('409'), false)
    const responses = Object(own?.responses)
    assert.deepEqual(responses['409'], { $ref: '#/components/responses/IdempotencyKeyInUse' })
    assert.deepEqual(responses['503'], { $ref: '#/components/responses/IdempotencyUnavailable' })
    assert.match(responses['400'].description, /Idempotency-Key/)
    assert.match(responses['422'].description, /Idempotency-Key/)
    assert.deepEqual(Object.keys(responses['2XX'].headers), ['Idempotency-Replayed'])
  })
})

describe('mistakes', () => {
  for (const [name, options] of [
    ['an unknown option', { time: 1 }],
    ['null', null],
    ['GET', { methods: ['GET'] }],
    ['no time', { lifetime: 0 }],
    ['a run that outlives its key', { lifetime: 59 }],
    ['half a store', { store: { get: () => undefined } }],
    ['another behaviour', { onStoreError: 'run' }],
  ] as const)
    it(`${name}: a definition error`, () => {
      // what JavaScript could pass
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      assert.throws(() => idempotency(options as never), { name: 'DefinitionError' })
    })
})

import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'

import {
  bind,
  createApp,
  defineController,
  defineModule,
  defineProvider,
  defineToken,
  HttpRequest,
  lazy,
} from 'octavo'
import type { App, Awaitable, Provider, Scope, Token, Tokens } from 'octavo'

interface Thing {
  readonly name: string
  readonly number: number
}

/** Providers that write down what happens to their values. */
function recorder() {
  const events: string[] = []
  let number = 0
  const thing = (
    name: string,
    { scope = 'singleton', inject = {}, fails = '' }: { scope?: Scope; inject?: Tokens; fails?: string } = {},
  ): Provider<Thing> =>
    defineProvider({
      name,
      scope,
      inject,
      create: async (): Promise<Thing> => {
        await delay(1)
        if (fails === 'create') throw new Error(`${name} is broken`)
        events.push(`+${name}`)
        return { name, number: ++number }
      },
      dispose: async () => {
        await delay(1)
        events.push(`-${name}`)
        if (fails === 'dispose') throw new Error(`${name} does not go`)
      },
    })
  return { events, thing }
}

const appOf = (providers: readonly Provider<unknown>[], inject: Tokens = {}): App =>
  createApp(
    defineModule({
      name: 'AppModule',
      providers,
      controllers: [
        defineController({
          name: 'CarController',
          routes: [{ method: 'GET', input: { inject }, handler: (input) => input.inject }],
        }),
      ],
    }),
    { logger: false },
  )

const textsOf = (error: unknown): readonly string[] =>
  error instanceof AggregateError ? error.errors.map((each) => String(each)) : [String(error)]

describe('a singleton', () => {
  it('is made once, before the first request, also when it is made in time', async () => {
    const { events, thing } = recorder()
    const Cars = thing('Cars')
    const app = appOf([Cars], { one: Cars, two: Cars })
    await app.ready()
    assert.deepEqual(events, ['+Cars'])
    const car = { name: 'Cars', number: 1 }
    assert.deepEqual((await app.inject('/car')).json(), { one: car, two: car })
    assert.deepEqual((await app.inject('/car')).json(), { one: car, two: car })
    assert.deepEqual(events, ['+Cars'])
  })

  it('is made after what it injects, and disposed before it', async () => {
    const { events, thing } = recorder()
    const Config = thing('Config')
    const Database = thing('Database', { inject: { config: Config } })
    const Cars = thing('Cars', { inject: { db: Database, config: Config } })
    const app = appOf([Cars, Database, Config])
    await app.ready()
    await app.close()
    assert.deepEqual(events, ['+Config', '+Database', '+Cars', '-Cars', '-Database', '-Config'])
  })

  it('is disposed once, however often the application closes', async () => {
    const { events, thing } = recorder()
    const app = appOf([thing('Cars')])
    await app.ready()
    await Promise.all([app.close(), app.close()])
    await app.close()
    assert.deepEqual(events, ['+Cars', '-Cars'])
  })

  it('is disposed also when another one fails, and close tells of every failure', async () => {
    const { events, thing } = recorder()
    const app = appOf([thing('A', { fails: 'dispose' }), thing('B'), thing('C', { fails: 'dispose' })])
    await app.ready()
    await assert.rejects(app.close(), (error) => {
      assert.ok(error instanceof AggregateError)
      assert.deepEqual(textsOf(error), [
        'Error: C of AppModule could not be disposed',
        'Error: A of AppModule could not be disposed',
      ])
      return true
    })
    assert.deepEqual(events.slice(3), ['-C', '-B', '-A'])
  })

  it('that cannot be made fails the start, and what had been made is disposed', async () => {
    const { events, thing } = recorder()
    const app = appOf([thing('A'), thing('B'), thing('C', { fails: 'create' }), thing('D')])
    await assert.rejects(app.ready(), (error: Error) => {
      assert.equal(error.message, 'C (provider of AppModule) could not be made')
      assert.equal(String(error.cause), 'Error: C is broken')
      return true
    })
    assert.deepEqual(events, ['+A', '+B', '-B', '-A'])
    await app.close()
    assert.deepEqual(events, ['+A', '+B', '-B', '-A'])
  })

  it('that cannot be made brings the failures of disposing along', async () => {
    const { thing } = recorder()
    const app = appOf([thing('A', { fails: 'dispose' }), thing('B', { fails: 'create' })])
    await assert.rejects(app.ready(), (error) => {
      assert.deepEqual(textsOf(error), [
        'Error: B (provider of AppModule) could not be made',
        'Error: A of AppModule could not be disposed',
      ])
      return true
    })
  })

  it('is never made when the application closes before it starts', async () => {
    const { events, thing } = recorder()
    const app = appOf([thing('Cars')])
    await app.close()
    assert.deepEqual(events, [])
    await assert.rejects(app.ready(), /The application is closed/)
  })

  it('is disposed when the application closes while it starts', async () => {
    const { events, thing } = recorder()
    const app = appOf([thing('A'), thing('B')])
    const started = app.ready()
    await Promise.all([app.close(), started])
    assert.deepEqual(events, ['+A', '+B', '-B', '-A'])
  })
})

describe('a transient', () => {
  it('is new for each place that injects it', async () => {
    const { thing } = recorder()
    const Id = thing('Id', { scope: 'transient' })
    const holder = (name: string) =>
      defineProvider({ name, inject: { id: Id }, create: ({ id }) => ({ holds: id.number }) })
    const [A, B] = [holder('A'), holder('B')]
    const app = appOf([Id, A, B], { a: A, b: B, one: Id, two: Id })
    const first = (await app.inject('/car')).json()
    assert.deepEqual(first, {
      a: { holds: 1 },
      b: { holds: 2 },
      one: { name: 'Id', number: 3 },
      two: { name: 'Id', number: 4 },
    })
    const second = (await app.inject('/car')).json()
    assert.deepEqual(second, { ...first, one: { name: 'Id', number: 5 }, two: { name: 'Id', number: 6 } })
  })

  it('ends with what injects it', async () => {
    const { events, thing } = recorder()
    const Id = thing('Id', { scope: 'transient' })
    const app = appOf([Id, thing('Cars', { inject: { id: Id } })], { id: Id })
    await app.ready()
    assert.deepEqual(events.splice(0), ['+Id', '+Cars'])
    await app.inject('/car')
    await app.close()
    assert.deepEqual(events, ['+Id', '-Id', '-Cars', '-Id'])
  })
})

describe('a provider for one request', () => {
  it('is made once for each request, and not when nothing needs it', async () => {
    const { events, thing } = recorder()
    const Visit = thing('Visit', { scope: 'request' })
    const Basket = thing('Basket', { scope: 'request', inject: { visit: Visit } })
    const app = appOf([Visit, Basket, thing('Unused', { scope: 'request' })], { one: Visit, basket: Basket })
    await app.ready()
    assert.deepEqual(events, [])
    const visit = { name: 'Visit', number: 1 }
    assert.deepEqual((await app.inject('/car')).json(), { one: visit, basket: { name: 'Basket', number: 2 } })
    assert.deepEqual((await app.inject('/car')).json(), {
      one: { name: 'Visit', number: 3 },
      basket: { name: 'Basket', number: 4 },
    })
    await app.close()
    assert.deepEqual(events, [
      '+Visit',
      '+Basket',
      '-Basket',
      '-Visit',
      '+Visit',
      '+Basket',
      '-Basket',
      '-Visit',
    ])
  })

  it('may inject the request', async () => {
    const Path = defineProvider({
      name: 'Path',
      scope: 'request',
      inject: { request: HttpRequest },
      create: ({ request }) => request.path,
    })
    assert.deepEqual((await appOf([Path], { path: Path }).inject('/car?x=1')).json(), { path: '/car' })
  })

  it('that cannot be made is a 500', async () => {
    const { events, thing } = recorder()
    const Visit = thing('Visit', { scope: 'request' })
    const Bad = thing('Bad', { scope: 'request', inject: { visit: Visit }, fails: 'create' })
    const app = appOf([Visit, Bad], { bad: Bad })
    assert.equal((await app.inject('/car')).statusCode, 500)
    await app.close()
    assert.deepEqual(events, ['+Visit', '-Visit'])
  })

  it('that cannot be disposed is logged, and neither answer nor close suffer', async () => {
    const { events, thing } = recorder()
    const Visit = thing('Visit', { scope: 'request', fails: 'dispose' })
    const app = appOf([Visit], { visit: Visit })
    assert.equal((await app.inject('/car')).statusCode, 200)
    await app.close()
    assert.deepEqual(events, ['+Visit', '-Visit'])
  })
})

/** An application whose handler writes down when it ran; its request has a value of its own. */
function visited(handler: (events: string[], signal: AbortSignal) => Awaitable<unknown>) {
  const { events, thing } = recorder()
  const Visit = thing('Visit', { scope: 'request' })
  const controller = defineController({
    name: 'CarController',
    inject: { visit: Visit },
    routes: [{ method: 'GET', handler: (_input, { signal }) => handler(events, signal) as Awaitable<null> }],
  })
  const app = createApp(defineModule({ providers: [Visit], controllers: [controller] }), { logger: false })
  return { events, app }
}

type Send = (app: App) => Promise<unknown>

const adapters: readonly (readonly [adapter: string, send: Send])[] = [
  ['inject', async (app) => (await app.inject('/car')).body],
  ['a socket', async (app) => (await fetch(`${await app.listen({ port: 0 })}/car`)).text()],
]

for (const [adapter, send] of adapters) {
  describe(`what lives for one request, over ${adapter}`, () => {
    it('is disposed after the response ended', async () => {
      const { events, app } = visited(async (list) => {
        await delay(2)
        list.push('handled')
        return 'done'
      })
      await send(app)
      await app.close()
      assert.deepEqual(events, ['+Visit', 'handled', '-Visit'])
    })

    it('is disposed after the last chunk of a stream', async () => {
      const { events, app } = visited((list) => {
        async function* chunks() {
          for (const chunk of ['a', 'b', 'c']) {
            await delay(2)
            list.push(chunk)
            yield chunk
          }
        }
        return chunks()
      })
      await send(app)
      await app.close()
      assert.deepEqual(events, ['+Visit', 'a', 'b', 'c', '-Visit'])
    })

    it('is disposed when the handler throws', async () => {
      const { events, app } = visited(() => {
        throw new Error('a mistake')
      })
      await send(app)
      await app.close()
      assert.deepEqual(events, ['+Visit', '-Visit'])
    })
  })
}

describe('a client that goes away while the handler runs', () => {
  it('over a socket: what lives for the request is disposed after the handler ended', async () => {
    const client = new EventEmitter()
    const arrived = once(client, 'arrived')
    const { events, app } = visited(async (list, signal) => {
      client.emit('arrived')
      if (!signal.aborted) await once(signal, 'abort')
      await delay(10)
      list.push('handled')
      return 'late'
    })
    const { port } = new URL(await app.listen({ port: 0 }))
    const socket = connect(Number(port), '127.0.0.1')
    socket.write('GET /car HTTP/1.1\r\nHost: x\r\n\r\n')
    await arrived
    socket.destroy()
    await app.close()
    assert.deepEqual(events, ['+Visit', 'handled', '-Visit'])
  })

  it('over inject: the same', async () => {
    const client = new AbortController()
    const { events, app } = visited(async (list) => {
      client.abort()
      await delay(10)
      list.push('handled')
      return 'late'
    })
    await app.inject({ url: '/car', signal: client.signal }).catch(() => undefined)
    await app.close()
    assert.deepEqual(events, ['+Visit', 'handled', '-Visit'])
  })
})

describe('a bound value', () => {
  const Anything = defineToken<unknown>('Anything')
  class Engine {
    readonly power = 90
  }
  const values: readonly unknown[] = [
    0,
    '',
    null,
    false,
    undefined,
    Number.NaN,
    Engine,
    () => 1,
    [1],
    new Engine(),
  ]

  for (const value of values) {
    it(`is injected as it is: ${String(value)}`, async () => {
      const app = createApp(defineModule({ providers: [bind(Anything, { value })] }), { logger: false })
      assert.ok(Object.is(await app.resolve(Anything), value))
      await app.close()
    })
  }

  it('may come from create, and be a class, a function or nothing at all', async () => {
    for (const value of [...values, Promise]) {
      const Made = defineProvider({ name: 'Made', create: (): unknown => value })
      const app = createApp(defineModule({ providers: [Made] }), { logger: false })
      assert.ok(Object.is(await app.resolve(Made), value))
    }
  })
})

describe('a token', () => {
  it('that is bound to a provider shares its instance', async () => {
    const { events, thing } = recorder()
    const Cars = thing('Cars')
    const Store: Token<Thing> = defineToken<Thing>('Store')
    const app = createApp(defineModule({ providers: [bind(Store, Cars), Cars] }), { logger: false })
    assert.equal(await app.resolve(Store), await app.resolve(Cars))
    await app.close()
    assert.deepEqual(events, ['+Cars', '-Cars'])
  })

  it('that is bound makes its provider when nothing else provides it', async () => {
    const { events, thing } = recorder()
    const Store = defineToken<Thing>('Store')
    const Shop = defineToken<Thing>('Shop')
    const Cars = thing('Cars')
    const app = createApp(defineModule({ providers: [bind(Store, Cars), bind(Shop, Cars)] }), {
      logger: false,
    })
    assert.equal(await app.resolve(Store), await app.resolve(Shop))
    await app.close()
    assert.deepEqual(events, ['+Cars', '-Cars'])
  })

  it('may be lazy wherever tokens stand', async () => {
    const Late = defineToken<string>('Late')
    const Text = defineProvider({
      name: 'Text',
      inject: { late: lazy(() => Late) },
      create: ({ late }) => `${late}!`,
    })
    const controller = defineController({
      name: 'CarController',
      inject: { text: lazy(() => Text) },
      routes: [{ method: 'GET', handler: ({ inject }) => inject.text }],
    })
    const inner = defineModule({
      providers: [
        bind(
          lazy(() => Late),
          { value: 'late' },
        ),
      ],
      exports: [lazy(() => Late)],
    })
    const app = createApp(
      defineModule({ imports: [lazy(() => inner)], providers: [Text], controllers: [controller] }),
      { logger: false },
    )
    assert.equal((await app.inject('/car')).json(), 'late!')
    assert.equal(await app.resolve(lazy(() => Late)), 'late')
  })
})

describe('resolve', () => {
  const Visit = defineProvider({ name: 'Visit', scope: 'request', create: () => ({}) })
  const Hidden = defineProvider({ name: 'Hidden', create: () => 'hidden' })
  const controller = defineController({
    name: 'CarController',
    inject: { visit: Visit },
    routes: [
      {
        method: 'GET',
        handler: async ({ inject }, context) => [
          inject.visit === (await context.resolve(Visit)),
          await context.resolve(Hidden),
          await context.resolve(HttpRequest).then(({ path }) => path),
        ],
      },
    ],
  })
  const make = () =>
    createApp(
      defineModule({
        name: 'AppModule',
        imports: [defineModule({ providers: [Visit, Hidden], exports: [Visit], controllers: [controller] })],
      }),
      { logger: false },
    )

  it('of a request gives what the module of its route sees', async () => {
    assert.deepEqual((await make().inject('/car')).json(), [true, 'hidden', '/car'])
  })

  it('of the application gives what the root module sees, for no request', async () => {
    const app = make()
    await assert.rejects(app.resolve(Hidden), new Error('AppModule does not see Hidden'))
    const message = 'lives for one request: use context.resolve in a request'
    await assert.rejects(app.resolve(Visit), new Error(`Visit ${message}`))
    await assert.rejects(app.resolve(HttpRequest), new Error(`HttpRequest ${message}`))
    await app.close()
    await assert.rejects(app.resolve(Hidden), new Error('The application is closed'))
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, defineProvider, DefinitionError, lazy } from 'octavo'
import type { Module, StartedApp, Token } from 'octavo'
import { withoutPlaces } from '../support/places.ts'

type AnyModule = Module<unknown, unknown>

const QUIET = { logger: false } as const
const Engine = defineProvider({ name: 'Engine', create: () => ({ power: 90 }) })
const Wheel = defineProvider({ name: 'Wheel', create: () => ({ size: 17 }) })

/** The value that the root module sees, after the application has closed again. */
async function seenBy(root: AnyModule, token: Token<unknown>): Promise<unknown> {
  const app = createApp(root, QUIET)
  const value = await app.resolve(token)
  await app.close()
  return value
}

describe('a module sees', () => {
  const engines = defineModule({ name: 'Engines', providers: [Engine, Wheel], exports: [Engine] })
  const sees: readonly (readonly [title: string, root: AnyModule])[] = [
    ['what it provides', defineModule({ providers: [Engine] })],
    ['what an import exports', defineModule({ imports: [engines] })],
    [
      'what an import passes on with its module',
      defineModule({ imports: [defineModule({ imports: [engines], exports: [engines] })] }),
    ],
    [
      'what an import passes on by its token',
      defineModule({ imports: [defineModule({ imports: [engines], exports: [Engine] })] }),
    ],
    [
      'what is passed on twice over',
      defineModule({
        imports: [
          defineModule({
            imports: [defineModule({ imports: [engines], exports: [engines] })],
            exports: [Engine],
          }),
        ],
      }),
    ],
    [
      'one and the same thing by two ways',
      defineModule({ imports: [engines, defineModule({ imports: [engines], exports: [engines] })] }),
    ],
    [
      'what it provides rather than what an import exports',
      defineModule({ imports: [engines], providers: [Engine] }),
    ],
    [
      'what a global module exports, wherever that is imported',
      defineModule({
        imports: [
          defineModule({
            imports: [defineModule({ global: true, providers: [Engine], exports: [Engine] })],
          }),
        ],
      }),
    ],
  ]
  for (const [title, root] of sees) {
    it(title, async () => assert.deepEqual(await seenBy(root, Engine), { power: 90 }))
  }

  it('nothing that an import keeps to itself or merely imports', async () => {
    const message = 'App does not see'
    const middle = defineModule({ imports: [engines] })
    await assert.rejects(
      seenBy(defineModule({ name: 'App', imports: [engines] }), Wheel),
      new Error(`${message} Wheel`),
    )
    await assert.rejects(
      seenBy(defineModule({ name: 'App', imports: [middle] }), Engine),
      new Error(`${message} Engine`),
    )
  })

  it('nothing that a global module does not export', async () => {
    const kept = defineModule({ global: true, providers: [Engine] })
    await assert.rejects(
      seenBy(defineModule({ name: 'App', imports: [kept] }), Engine),
      /App does not see Engine/,
    )
  })
})

describe('a module that several import', () => {
  it('is one module: its providers are made once', async () => {
    let made = 0
    const Counter = defineProvider({ name: 'Counter', create: () => ++made })
    const counter = defineModule({ providers: [Counter], exports: [Counter] })
    const part = () => defineModule({ imports: [counter], exports: [counter] })
    const root = defineModule({ imports: [counter, counter, part(), part(), lazy(() => counter)] })
    assert.equal(await seenBy(root, Counter), 1)
    assert.equal(made, 1)
  })

  it('serves its routes once', () => {
    const cars = defineModule({
      controllers: [
        defineController({ name: 'CarController', routes: [{ method: 'GET', handler: () => 1 }] }),
      ],
    })
    const app = createApp(defineModule({ imports: [cars, defineModule({ imports: [cars] })] }), QUIET)
    assert.deepEqual(
      app.routes().map(({ name }) => name),
      ['car.get'],
    )
  })
})

describe('modules that import each other', () => {
  it('see what the other one exports', async () => {
    const Left = defineProvider({ name: 'Left', create: () => 'left' })
    const Right = defineProvider({
      name: 'Right',
      inject: { left: Left },
      create: ({ left }) => `right of ${left}`,
    })
    const Both = defineProvider({
      name: 'Both',
      inject: { right: Right },
      create: ({ right }) => `both: ${right}`,
    })
    const left: AnyModule = defineModule({
      imports: [lazy((): AnyModule => right)],
      providers: [Left, Both],
      exports: [Left, Both],
    })
    const right = defineModule({ imports: [left], providers: [Right], exports: [Right] })
    assert.equal(await seenBy(left, Both), 'both: right of left')
    assert.equal(await seenBy(right, Both), 'both: right of left')
  })

  it('may pass each other on', async () => {
    const one: AnyModule = defineModule({
      name: 'One',
      imports: [lazy((): AnyModule => two)],
      exports: [lazy((): AnyModule => two)],
    })
    const two: AnyModule = defineModule({ name: 'Two', imports: [one], exports: [one], providers: [Engine] })
    await assert.rejects(seenBy(one, Engine), new Error('One does not see Engine'))
  })

  it('start and stop once each', async () => {
    const events: string[] = []
    const hooks = (name: string) => ({
      name,
      onStart: () => events.push(`+${name}`),
      onStop: () => events.push(`-${name}`),
    })
    const one: AnyModule = defineModule({ ...hooks('one'), imports: [lazy((): AnyModule => two)] })
    const two: AnyModule = defineModule({ ...hooks('two'), imports: [one] })
    const app = createApp(one, QUIET)
    await app.ready()
    await app.close()
    assert.deepEqual(events, ['+two', '+one', '-one', '-two'])
  })
})

describe('a module made by a function', () => {
  it('is another module for each call', async () => {
    const Url = defineProvider({ name: 'Url', create: () => '' })
    const database = (url: string) => {
      const Own = defineProvider({ name: 'Url', create: () => url })
      return { module: defineModule({ providers: [Own], exports: [Own] }), Own }
    }
    const [a, b] = [database('a'), database('b')]
    const Joined = defineProvider({ name: 'Joined', inject: { a: a.Own, b: b.Own }, create: (urls) => urls })
    const root = defineModule({ imports: [a.module, b.module], providers: [Joined, Url] })
    assert.deepEqual(await seenBy(root, Joined), { a: 'a', b: 'b' })
  })
})

describe('a promised module', () => {
  const cars = () =>
    defineModule({
      providers: [Engine],
      exports: [Engine],
      controllers: [
        defineController({ name: 'CarController', routes: [{ method: 'GET', handler: () => 'car' }] }),
      ],
    })

  it('belongs to the application once that is ready', async () => {
    const inner = defineModule({ imports: [Promise.resolve(cars())], exports: [Engine] })
    const app = createApp(defineModule({ imports: [Promise.resolve(inner)] }), QUIET)
    // the names of promised modules' routes are not known to TypeScript here
    const { urlFor } = app as unknown as { readonly urlFor: (name: string) => string }
    const early = new Error('An imported module is still a promise: call await app.ready() first')
    assert.throws(() => app.routes(), early)
    assert.throws(() => app.printRoutes(), early)
    assert.throws(() => urlFor('car.get'), early)
    assert.equal((await app.inject('/car')).json(), 'car')
    assert.equal(urlFor('car.get'), '/car')
    assert.deepEqual(await app.resolve(Engine), { power: 90 })
  })

  it('that is promised twice by one promise is one module', async () => {
    const promise = Promise.resolve(cars())
    const app = createApp(defineModule({ imports: [promise, defineModule({ imports: [promise] })] }), QUIET)
    await app.ready()
    assert.equal(app.routes().length, 1)
  })

  it('has its mistakes reported when the application gets ready, with those that wait for it', async () => {
    const Cars = defineProvider({ name: 'Cars', inject: { wheel: Wheel }, create: () => null })
    const bad = defineModule({ name: 'CarsModule', providers: [Cars] })
    const app = createApp(defineModule({ imports: [Promise.resolve(bad)] }), QUIET)
    await assert.rejects(app.ready(), (error) => {
      assert.ok(error instanceof DefinitionError)
      assert.equal(
        withoutPlaces(error.message),
        'A mistake in the definitions\n  Cars (provider of CarsModule): inject.wheel needs Wheel: no module provides it. Add Wheel to providers of CarsModule [missing_provider]',
      )
      return true
    })
  })

  it('that is refused fails the start with the reason', async () => {
    const reason = new Error('no such file')
    const app = createApp(defineModule({ imports: [Promise.reject(reason)] }), QUIET)
    for (const attempt of [app.ready(), app.inject('/')]) {
      await assert.rejects(attempt, { message: 'A promised module could not be made', cause: reason })
    }
    await app.close()
  })
})

/** A chain of modules, each importing the next, whose hooks write down what happens. */
function chain(names: readonly string[], failing: readonly string[] = []) {
  const events: string[] = []
  const happen = (event: string) => async (): Promise<void> => {
    await Promise.resolve()
    events.push(event)
    if (failing.includes(event)) throw new Error(`no ${event}`)
  }
  const root = names.reduceRight<AnyModule | undefined>(
    (inner, name) =>
      defineModule({
        name,
        imports: inner === undefined ? [] : [inner],
        providers: [
          defineProvider({ name: `${name} value`, create: () => 0, dispose: happen(`dispose ${name}`) }),
        ],
        onStart: happen(`start ${name}`),
        onStop: happen(`stop ${name}`),
      }),
    undefined,
  )
  return { events, app: createApp(root ?? defineModule({}), QUIET) }
}

describe('onStart and onStop', () => {
  it('run imports first, and the other way round', async () => {
    const { events, app } = chain(['app', 'cars', 'db'])
    await Promise.all([app.ready(), app.inject('/')])
    await app.close()
    await app.close()
    assert.deepEqual(events, [
      'start db',
      'start cars',
      'start app',
      'stop app',
      'stop cars',
      'stop db',
      'dispose app',
      'dispose cars',
      'dispose db',
    ])
  })

  it('stop what had started when a start fails, and the values end too', async () => {
    const { events, app } = chain(['app', 'cars', 'db'], ['start cars'])
    await assert.rejects(app.ready(), (error: Error) => {
      assert.equal(error.message, 'onStart of cars failed')
      assert.equal(String(error.cause), 'Error: no start cars')
      return true
    })
    const expected = ['start db', 'start cars', 'stop db', 'dispose app', 'dispose cars', 'dispose db']
    assert.deepEqual(events, expected)
    await app.close()
    assert.deepEqual(events, expected)
  })

  it('go on after a failure of another, and close tells of each', async () => {
    const { events, app } = chain(['app', 'cars', 'db'], ['stop app', 'stop db', 'dispose cars'])
    await app.ready()
    await assert.rejects(app.close(), (error) => {
      assert.ok(error instanceof AggregateError)
      assert.deepEqual(
        error.errors.map(({ message }: Error) => message),
        ['onStop of app failed', 'onStop of db failed', 'cars value of cars could not be disposed'],
      )
      return true
    })
    assert.equal(events.length, 9)
  })

  it('do not run when the application closes before it was ready', async () => {
    const { events, app } = chain(['app'])
    await app.close()
    assert.deepEqual(events, [])
  })

  it('get the application as their module sees it', async () => {
    const seen: unknown[] = []
    const look = async (app: StartedApp): Promise<void> => {
      seen.push(await app.resolve(Engine), app.urlFor('car.get'), typeof app.log.info)
      await assert.rejects(app.resolve(Wheel), /Cars does not see Wheel/)
    }
    const inner = defineModule({
      name: 'Cars',
      providers: [Engine],
      controllers: [
        defineController({ name: 'CarController', routes: [{ method: 'GET', handler: () => 1 }] }),
      ],
      onStart: look,
      onStop: look,
    })
    const app = createApp(defineModule({ imports: [inner], providers: [Wheel] }), QUIET)
    await app.ready()
    await app.close()
    const once = [{ power: 90 }, '/car', 'function']
    assert.deepEqual(seen, [...once, ...once])
  })
})

describe('an application of fifty modules', () => {
  const modules: AnyModule[] = []
  for (let index = 0; index < 50; index++) {
    const Own = defineProvider({ name: `Service${index}`, create: () => index })
    const controller = defineController({
      name: `C${index}`,
      inject: { own: Own },
      routes: [
        { method: 'GET', handler: ({ inject }) => inject.own },
        { method: 'POST', handler: ({ inject }) => inject.own },
      ],
    })
    modules.push(
      defineModule({
        name: `Module${index}`,
        imports: modules.slice(-1),
        providers: [Own],
        exports: [Own],
        controllers: [controller],
      }),
    )
  }

  it('serves every route with what its module sees', async () => {
    const app = createApp(modules.at(-1) ?? defineModule({}), QUIET)
    for (const index of [0, 25, 49]) assert.equal((await app.inject(`/c${index}`)).json(), index)
    assert.equal(app.routes().length, 100)
  })
})

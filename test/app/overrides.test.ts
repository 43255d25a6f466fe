import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  bind,
  createApp,
  defineController,
  defineGuard,
  defineInterceptor,
  defineModule,
  defineProvider,
  defineToken,
  ClientAddress,
  lazy,
} from 'octavo'
import type { AppOptions, Binding } from 'octavo'

import { serve } from '../support/serve.ts'

interface Cars {
  list(): readonly string[]
}

const Clock = defineToken<() => string>('Clock')
const CarService = defineProvider({
  name: 'CarService',
  create: (): Cars => {
    throw new Error('there is no database here')
  },
})
const Title = defineProvider({
  name: 'Title',
  inject: { cars: CarService, clock: Clock },
  create: ({ cars, clock }) => `${cars.list().join()} at ${clock()}`,
})
const SignedIn = defineGuard({ name: 'SignedIn', canActivate: () => false })
const Everyone = defineGuard({ name: 'Everyone', canActivate: () => true })
const Loud = defineInterceptor({
  name: 'Loud',
  intercept: async (_context, next) => String(await next()).toUpperCase(),
})
const Quiet = defineInterceptor({ name: 'Quiet', intercept: (_context, next) => next() })

/** Everything that is replaced stands in a module that a module imports. */
const carsModule = defineModule({
  name: 'CarsModule',
  providers: [CarService, bind(Clock, { value: () => 'noon' }), Title],
  exports: [CarService, Title],
  guards: [SignedIn],
  interceptors: [Loud],
  controllers: [
    defineController({
      name: 'CarController',
      inject: { title: Title, host: ClientAddress },
      routes: [{ method: 'GET', handler: ({ inject: { title, host } }) => `${title} for ${host}` }],
    }),
  ],
})
const root = defineModule({ imports: [defineModule({ imports: [carsModule] })] })

const fake: Cars = { list: () => ['a', 'b'] }
const FakeCars = defineProvider({ name: 'FakeCars', create: () => fake })
const needed = [bind(CarService, { value: fake }), bind(SignedIn, Everyone)]

async function answer(overrides: readonly Binding[], options: AppOptions = {}): Promise<unknown> {
  const app = createApp(root, { logger: false, overrides: [...needed, ...overrides], ...options })
  const response = await app.inject('/car')
  await app.close()
  return response.statusCode === 200 ? response.json() : response.statusCode
}

const cases: readonly (readonly [title: string, overrides: readonly Binding[], expected: unknown])[] = [
  ['replaces a provider by a value, and a guard by a guard', [], 'A,B AT NOON FOR 127.0.0.1'],
  ['replaces a provider by a provider', [bind(CarService, FakeCars)], 'A,B AT NOON FOR 127.0.0.1'],
  ['replaces a bound value', [bind(Clock, { value: () => 'dawn' })], 'A,B AT DAWN FOR 127.0.0.1'],
  [
    'replaces a bound value by a provider',
    [bind(Clock, defineProvider({ name: 'Dusk', create: () => () => 'dusk' }))],
    'A,B AT DUSK FOR 127.0.0.1',
  ],
  ['replaces an interceptor', [bind(Loud, Quiet)], 'a,b at noon for 127.0.0.1'],
  ['replaces what is built in', [bind(ClientAddress, { value: 'me' })], 'A,B AT NOON FOR ME'],
  ['replaces what another one injects', [bind(Title, { value: 'title' })], 'TITLE FOR 127.0.0.1'],
  [
    'replaces by a provider that injects what the module sees',
    [
      bind(
        Title,
        defineProvider({ name: 'Short', inject: { clock: Clock }, create: ({ clock }) => clock() }),
      ),
    ],
    'NOON FOR 127.0.0.1',
  ],
  [
    'takes the later of two for one thing',
    [bind(Loud, Loud), bind(Loud, Quiet)],
    'a,b at noon for 127.0.0.1',
  ],
  [
    'may be lazy',
    [
      bind(
        lazy(() => Title),
        { value: 'late' },
      ),
    ],
    'LATE FOR 127.0.0.1',
  ],
  [
    'counts as used although another override hides the only use',
    [bind(Title, { value: 'x' }), bind(Clock, { value: () => 'never' })],
    'X FOR 127.0.0.1',
  ],
  ['may be as strict as before', [bind(SignedIn, SignedIn)], 403],
]

describe('an override', () => {
  for (const [title, overrides, expected] of cases) {
    it(title, async () => assert.equal(await answer(overrides), expected))
  }

  it('replaces a guard of the application and of a route', async () => {
    const controller = defineController({
      name: 'CarController',
      routes: [{ method: 'GET', guards: [SignedIn], handler: () => 'seen' }],
    })
    const app = serve(controller, {
      guards: [SignedIn],
      overrides: [bind(SignedIn, Everyone)],
    })
    assert.equal((await app.inject('/car')).json(), 'seen')
  })

  it('keeps a guard droppable by its own name', async () => {
    const controller = defineController({
      name: 'CarController',
      guards: [SignedIn],
      routes: [{ method: 'GET', withoutGuards: [SignedIn], handler: () => 'seen' }],
    })
    const app = serve(controller)
    assert.equal((await app.inject('/car')).json(), 'seen')
    const replaced = serve(controller, {
      overrides: [bind(SignedIn, defineGuard({ name: 'Nobody', canActivate: () => false }))],
    })
    assert.equal((await replaced.inject('/car')).json(), 'seen')
  })

  it('replaces what a module gets by another token', async () => {
    const Store = defineToken<Cars>('Store')
    const app = createApp(defineModule({ providers: [CarService, bind(Store, CarService)] }), {
      logger: false,
      overrides: [bind(CarService, FakeCars)],
    })
    assert.equal(await app.resolve(Store), fake)
    assert.equal(await app.resolve(CarService), fake)
  })

  it('makes what stands in once, and disposes it', async () => {
    const events: string[] = []
    const Fake = defineProvider({
      name: 'Fake',
      create: () => (events.push('+'), fake),
      dispose: () => events.push('-'),
    })
    const Store = defineToken<Cars>('Store')
    const app = createApp(defineModule({ providers: [CarService, bind(Store, CarService)] }), {
      logger: false,
      overrides: [bind(CarService, Fake)],
    })
    await app.ready()
    await app.close()
    assert.deepEqual(events, ['+', '-'])
  })

  it('is found also in a promised module', async () => {
    const app = createApp(defineModule({ imports: [Promise.resolve(root)] }), {
      logger: false,
      overrides: needed,
    })
    assert.equal((await app.inject('/car')).json(), 'A,B AT NOON FOR 127.0.0.1')
  })

  it('that replaces nothing is reported when promised modules have come', async () => {
    const app = createApp(defineModule({ imports: [Promise.resolve(defineModule({}))] }), {
      logger: false,
      overrides: [bind(Title, { value: 'x' })],
    })
    await assert.rejects(app.ready(), /overrides replaces Title, which is neither provided nor used/)
  })
})

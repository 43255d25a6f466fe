import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  createApp,
  defineController,
  defineGuard,
  defineInterceptor,
  defineModule,
  defineProvider,
  defineRouter,
  notFound,
  reply,
  VersioningSchemes,
} from 'octavo'
import type { App, RouteContext } from 'octavo'
import { absent, defineVersionChange, defineVersions, model, reshape } from 'octavo/changes'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

const User = model('User', { id: z.string(), firstName: z.string().max(5), lastName: z.string() })
const splitName = defineVersionChange({
  version: '2',
  title: 'Names have two parts',
  sideEffects: true,
  change: [
    reshape({
      of: User,
      fields: { name: { was: z.string() }, firstName: { was: absent }, lastName: { was: absent } },
      up: ({ name }) => ({ firstName: name.split(' ')[0] ?? '', lastName: name.split(' ')[1] ?? '' }),
      down: ({ firstName, lastName }) => ({ name: `${firstName} ${lastName}` }),
    }),
  ],
})
const history = defineVersions({ versions: ['2', '1'], models: { User }, changes: [splitName] })
const ann = { id: '7', firstName: 'Ann', lastName: 'Lee' }

const Counter = defineProvider({
  name: 'Counter',
  scope: 'request',
  create: () => {
    let count = 0
    return { next: () => ++count }
  },
})

function open(seen: unknown[] = []): App {
  const guard = defineGuard({
    name: 'counting',
    canActivate: () => {
      seen.push('guard')
      return true
    },
  })
  const doubling = defineInterceptor({
    name: 'doubling',
    intercept: async (context, next) => {
      seen.push(`interceptor of ${context.route.name}`)
      return next()
    },
  })
  const UserController = defineController({
    prefix: '/user',
    guards: [guard],
    inject: { counter: Counter },
    routes: [
      {
        method: 'POST',
        name: 'create',
        interceptors: [doubling],
        input: { body: User },
        response: { 201: User },
        handler: ({ body, inject: { counter } }, context) => {
          seen.push([counter.next(), context.version, context.since(splitName), context.route.name])
          context.response.headers.set('x-created', '1')
          return reply(201, { ...body, id: `${body.id}!` })
        },
      },
      {
        method: 'GET',
        path: '/{id:int}',
        name: 'get',
        input: { query: { deep: z.boolean().default(false) } },
        handler: ({ params, query }) => {
          if (params.id === 0) throw notFound('No such user')
          return params.id === 1 ? reply(409, { taken: true }) : { ...params, ...query }
        },
      },
      { method: 'GET', path: '/loop', name: 'loop', handler: (_, context) => context.call('user.loop') },
      {
        method: 'POST',
        path: '/full',
        name: 'full',
        version: '<2',
        status: 200,
        input: { body: User },
        response: User,
        handler: async ({ body, inject: { counter } }, context) => {
          seen.push(counter.next())
          return context.call<z.output<typeof User>>('user.create', { body })
        },
      },
      {
        method: 'GET',
        path: '/call/{id}',
        name: 'call',
        handler: async ({ params }, context) => context.call('user.get', { params, query: { deep: true } }),
      },
      {
        method: 'GET',
        path: '/unknown',
        name: 'unknown',
        handler: (_, context) => context.call('user.nobody'),
      },
      {
        method: 'GET',
        path: '/migrated',
        name: 'migrated',
        handler: (_, context) => [
          context.migrate(User, ann),
          context.migrate(User, ann, { to: '2' }),
          context.migrate(User, { id: '7', name: 'Ann Lee' }, { from: '1', to: '2' }),
        ],
      },
    ],
  })
  return createApp(defineModule({ controllers: [UserController], providers: [Counter] }), {
    logger: false,
    versioning: { scheme: VersioningSchemes.URL, history },
  })
}

describe('context.call', () => {
  it('runs the newest route once, with its interceptors and without guards', async () => {
    const seen: unknown[] = []
    const answer = await open(seen).inject({
      method: 'POST',
      url: '/v1/user/full',
      json: { id: '7', name: 'Ann Lee' },
    })
    assert.deepEqual([answer.statusCode, answer.json()], [200, { id: '7!', name: 'Ann Lee' }])
    assert.equal(answer.headers['x-created'], undefined)
    assert.deepEqual(seen, ['guard', 1, 'interceptor of user.create', [2, '1', false, 'user.create']])
  })

  it('passes what each source is given, as schemas and types of the path make it', async () => {
    assert.deepEqual((await open().inject('/v2/user/call/7')).json(), { id: 7, deep: true })
  })

  for (const [title, url, status, code] of [
    ['what the schemas of the route refuse', '/v2/user/call/x', 422, 'validation_failed'],
    ['what the route throws', '/v2/user/call/0', 404, 'not_found'],
    ['a reply that is an error', '/v2/user/call/1', 409, 'conflict'],
    ['a route that does not exist', '/v2/user/unknown', 500, 'internal_error'],
  ] as const)
    it(`throws ${title}`, async () => {
      const answer = await open().inject(url)
      assert.deepEqual([answer.statusCode, Object(answer.json()).code], [status, code])
    })

  it('refuses sources that the route does not have, and takes those that are not given', async () => {
    const found: unknown[] = []
    const routes = [
      { method: 'GET', name: 'none', handler: () => 'none' },
      {
        method: 'POST',
        path: '/{id}',
        name: 'some',
        input: { body: z.string() },
        handler: ({ body }: { readonly body: string }) => body,
      },
      {
        method: 'GET',
        path: '/all',
        name: 'all',
        handler: async (_: unknown, context: RouteContext) => {
          const calls: readonly (readonly [string, object])[] = [
            ['a.none', { body: undefined }],
            ['a.none', { body: 1 }],
            ['a.some', { params: { id: 7 }, body: 'b', query: {} }],
            ['a.some', { params: { id: 7 }, boddy: 'b' }],
          ]
          for (const [name, input] of calls)
            found.push(await context.call(name, input).catch((error: unknown) => String(error)))
        },
      },
    ]
    const controller = Reflect.apply(defineController, undefined, [{ name: 'a', prefix: '/a', routes }])
    const app = serve(controller)
    assert.equal((await app.inject('/a/all')).statusCode, 204)
    assert.deepEqual(found, [
      'none',
      'TypeError: context.call: the route a.none takes no input, and is given "body"',
      'TypeError: context.call: the route a.some takes only params, body, and is given "query"',
      'TypeError: context.call: the route a.some takes only params, body, and is given "boddy"',
    ])
  })

  it('names what the newest models refuse', async () => {
    const answer = await open().inject({
      method: 'POST',
      url: '/v1/user/full',
      json: { id: '7', name: 'Annabelle Lee' },
    })
    assert.equal(answer.statusCode, 500)
  })

  it('stops a loop with an error that says where', async () => {
    const logged: unknown[] = []
    const LoopController = defineController({
      prefix: '/loop',
      routes: [{ method: 'GET', name: 'a', handler: (_, context) => context.call('loop.a') }],
    })
    const ignore = (): void => undefined
    const logger = {
      debug: ignore,
      info: ignore,
      warn: ignore,
      error: (details: object) => void logged.push(details),
    }
    const app = serve(LoopController, { logger })
    assert.equal((await app.inject('/loop')).statusCode, 500)
    assert.match(String(Object(logged[0]).err), /16 nested calls.*loop\.a → loop\.a/)
  })

  it('sees the module of the route that is called', async () => {
    const Secret = defineProvider({ name: 'Secret', create: () => 'inner' })
    const inner = defineModule({
      name: 'InnerModule',
      providers: [Secret],
      routers: [
        defineRouter({
          prefix: '/inner',
          routes: [{ method: 'GET', name: 'get', handler: (_, context) => context.resolve(Secret) }],
        }),
      ],
    })
    const outer = defineRouter({
      prefix: '/outer',
      routes: [{ method: 'GET', name: 'get', handler: (_, context) => context.call('inner.get') }],
    })
    const app = createApp(defineModule({ imports: [inner], routers: [outer] }), { logger: false })
    assert.equal((await app.inject('/outer')).body, '"inner"')
  })
})

describe('context.migrate', () => {
  it('turns values into the version of the request, or another', async () => {
    const app = open()
    const old = { id: '7', name: 'Ann Lee' }
    assert.deepEqual((await app.inject('/v1/user/migrated')).json(), [old, ann, ann])
    assert.deepEqual((await app.inject('/v2/user/migrated')).json(), [ann, ann, ann])
  })

  it('needs a history', async () => {
    const CarController = defineController({
      prefix: '/car',
      routes: [{ method: 'GET', name: 'get', handler: (_, context) => context.migrate(User, ann) }],
    })
    const app = serve(CarController)
    assert.equal((await app.inject('/car')).statusCode, 500)
  })
})

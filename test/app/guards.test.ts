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
  defineRouter,
  DefinitionError,
  HttpError,
  VersioningSchemes,
} from 'octavo'
import type { Guard } from 'octavo'
import { anyOf } from 'octavo/auth'
import { z } from 'zod'

import { placeless } from '../support/places.ts'
import { serve } from '../support/serve.ts'

const asked: string[] = []
const named = (name: string): ReturnType<typeof defineGuard> =>
  defineGuard({
    name,
    canActivate: () => {
      asked.push(name)
      return true
    },
  })
const [A, B, C] = [named('A'), named('B'), named('C')]
const handler = (): string => 'in'
const method = 'GET' as const

/** The guards that a request asks, in order. */
async function asks(url: string): Promise<readonly string[]> {
  const routes = [
    { method, name: 'all', path: '/all', handler },
    { method, name: 'own', path: '/own', guards: [C, B], handler },
    { method, name: 'noGlobal', path: '/no-global', withoutGuards: [A], handler },
    { method, name: 'noB', path: '/no-b', guards: [C], withoutGuards: [B], handler },
  ] as const
  const cars = defineController({ prefix: '/car', guards: [A, B], routes })
  const inner = defineRouter({ prefix: '/inner', routes })
  const outer = defineRouter({ prefix: '/outer', guards: [B], routers: [inner] })
  const module = defineModule({ controllers: [cars], routers: [outer] })
  const app = createApp(module, { logger: false, guards: [A] })
  asked.length = 0
  assert.equal((await app.inject(url)).statusCode, 200)
  return [...asked]
}

describe('guards', () => {
  const cases = [
    ['/all', ['A', 'B']],
    ['/own', ['A', 'B', 'C']],
    ['/no-global', ['B']],
    ['/no-b', ['A', 'C']],
  ] as const
  for (const [path, expected] of cases) {
    for (const prefix of ['/car', '/outer/inner']) {
      it(`of every level, each once, are asked before ${prefix}${path}`, async () => {
        assert.deepEqual(await asks(prefix + path), expected)
      })
    }
  }

  const denials: readonly (readonly [string, () => unknown, number])[] = [
    ['gives false', () => false, 403],
    ['gives undefined', () => undefined, 403],
    ['gives false later', async () => false, 403],
    [
      'throws an HttpError',
      () => {
        throw new HttpError(402)
      },
      402,
    ],
    ['rejects with an error', async () => Promise.reject(new Error('broken')), 500],
  ]
  for (const [what, canActivate, status] of denials) {
    it(`deny with ${status} before input is read when one ${what}`, async () => {
      // a guard in JavaScript may return anything
      const guard = defineGuard({ name: 'Denies', canActivate: canActivate as () => boolean })
      const routes = [{ method, guards: [guard], input: { query: { n: z.number() } }, handler }] as const
      const cars = defineController({ prefix: '/car', routes })
      const app = serve(cars)
      assert.equal((await app.inject('/car?n=x')).statusCode, status)
    })
  }

  it('of the application see what the root module provides, and an override replaces them everywhere', async () => {
    const Door = defineProvider({ name: 'Door', create: async () => ({ open: true }) })
    const Open = defineGuard({
      name: 'Open',
      inject: { door: Door },
      canActivate: (_context, { door }) => door.open,
    })
    const Shut = defineGuard({ name: 'Shut', canActivate: () => false })
    const cars = defineController({
      prefix: '/car',
      routes: [
        { method, handler },
        { method, path: '/free', withoutGuards: [Open], handler },
      ],
    })
    const root = defineModule({ providers: [Door], imports: [defineModule({ controllers: [cars] })] })
    const options = { logger: false, guards: [Open] } as const
    const app = createApp(root, options)
    const shut = createApp(root, { ...options, overrides: [bind(Open, Shut)] })
    assert.equal((await app.inject('/car')).statusCode, 200)
    assert.equal((await shut.inject('/car')).statusCode, 403)
    assert.equal((await shut.inject('/car/free')).statusCode, 200)
  })
})

describe('a guard after another one', () => {
  const SignedIn = defineGuard({
    name: 'SignedIn',
    canActivate: (context) => {
      context.identity = { role: context.request.header('x-role') }
      return true
    },
  }) as Guard<{ readonly role: string | undefined }>
  const IsAdmin = defineGuard({
    name: 'IsAdmin',
    after: SignedIn,
    canActivate: ({ identity }) => identity.role === 'admin',
  })
  const open = { method, path: '/open', withoutGuards: [SignedIn], handler } as const
  const routesOf = (guards: readonly Guard<{ readonly role: string | undefined }>[]) =>
    defineController({ prefix: '/car', guards, routes: [{ method, guards: [IsAdmin], handler }] })

  it('reads its identity', async () => {
    const app = serve(routesOf([SignedIn]))
    const answers = await Promise.all(
      ['admin', 'user'].map((role) => app.inject({ url: '/car', headers: { 'x-role': role } })),
    )
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode),
      [200, 403],
    )
  })

  it('is content with an override of either', async () => {
    const Everyone = defineGuard({ name: 'Everyone', canActivate: () => true })
    const app = serve(routesOf([SignedIn]), { overrides: [bind(IsAdmin, Everyone)] })
    assert.equal((await app.inject('/car')).statusCode, 200)
    serve(routesOf([SignedIn]), { overrides: [bind(SignedIn, Everyone)] })
    serve(routesOf([]), { overrides: [bind(IsAdmin, Everyone)] })
  })

  it('is a mistake without it, reported once', () => {
    const fix = 'list SignedIn before IsAdmin, under guards of the route or of a level above it'
    const reads = 'the guard IsAdmin reads the identity of SignedIn, which does not run before it'
    const wrong = (...routes: readonly object[]): readonly string[] => {
      const cars = defineController({
        prefix: '/car',
        guards: [SignedIn, IsAdmin],
        routes: routes as never[],
      })
      try {
        serve(cars)
        return []
      } catch (error) {
        assert.ok(error instanceof DefinitionError)
        return placeless(error.errors).map(({ code, where, message, fix: edit }) =>
          [code, where, message, edit].join(' | '),
        )
      }
    }
    assert.deepEqual(
      wrong(open, { ...open, method: 'POST' }, { ...open, method: 'PUT' }, { ...open, method: 'PATCH' }),
      [
        `missing_guard | car.getOpen: GET /car/open | ${reads}, as in car.postOpen: POST /car/open and 2 more | ${fix}`,
      ],
    )
    assert.deepEqual(
      wrong({ method, withoutGuards: [SignedIn, IsAdmin], guards: [IsAdmin, SignedIn], handler }),
      [`missing_guard | car.get: GET /car | ${reads} | ${fix}`],
    )
    assert.throws(
      () =>
        serve(defineController({ prefix: '/car', guards: [anyOf(IsAdmin)], routes: [{ method, handler }] })),
      /the guard anyOf\(IsAdmin\) reads the identity of SignedIn/,
    )
  })
})

describe('guards and interceptors', () => {
  it('always see a route', async () => {
    const seen: string[] = []
    const guard = defineGuard({
      name: 'Seen',
      canActivate: (context) => {
        seen.push(`guard ${context.route.name}`)
        return true
      },
    })
    const interceptor = defineInterceptor({
      name: 'Seen',
      intercept: (context, next) => {
        seen.push(`interceptor ${context.route.name}`)
        return next()
      },
    })
    const cars = defineController({
      prefix: '/cars',
      version: '1',
      routes: [{ method: 'GET', path: '/{id:int}', name: 'one', handler: (_input, { route }) => route.name }],
    })
    const mounted = defineRouter({ prefix: '/mounted', mount: () => new Response('mounted') })
    const app = createApp(defineModule({ controllers: [cars], routers: [mounted] }), {
      guards: [guard],
      interceptors: [interceptor],
      docs: {},
      health: {},
      logger: false,
    })
    app.enableVersioning(VersioningSchemes.HEADER, { headerParameter: 'x-version', defaultVersion: '1' })
    const statuses = await Promise.all(
      [
        { url: '/cars/7' },
        { url: '/cars/7/' },
        { method: 'HEAD', url: '/cars/7' },
        { method: 'OPTIONS', url: '/cars/7' },
        { method: 'POST', url: '/cars/7' },
        { url: '/cars/seven' },
        { url: '/cars/7', headers: { 'x-version': '9' } },
        { url: '/%' },
        { url: '/mounted/anything' },
      ].map(async (request) => (await app.inject(request)).statusCode),
    )
    assert.ok(statuses.includes(404) && statuses.includes(405), statuses.join())
    assert.deepEqual([...new Set(seen)].toSorted(), [
      'guard cars.one',
      'guard mounted.mount',
      'interceptor cars.one',
      'interceptor mounted.mount',
    ])
  })
})

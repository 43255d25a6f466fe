import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { bind, defineController, defineGuard, unauthorized } from 'octavo'
import type { AnyGuard, App } from 'octavo'
import { anyOf, apiKey, basicAuth, bearerAuth, jwtAuth, optional, scopes } from 'octavo/auth'

import { serve } from '../support/serve.ts'
import { ask, authorization, basic } from './support.ts'

const BEARER = 'Bearer realm="api"'
const USER = 'Basic realm="api", charset="UTF-8"'
const KEY = 'ApiKey realm="api", in="header", name="X-API-Key"'
const NOBODY = { identity: undefined }
const refused = (challenge: string): object => ({ status: 401, code: 'invalid_credentials', challenge })

const SignedIn = bearerAuth({ verify: (token) => token === 'good' && { by: 'bearer' } })
const bearer = optional(SignedIn)
const user = optional(basicAuth({ verify: async (name) => name === 'ann' && { by: 'basic' } }))
const key = apiKey({
  in: 'header',
  name: 'X-API-Key',
  verify: (text: string) => text === 'good' && { by: 'key' },
})
const optionalKey = optional(key)

describe('an optional guard', () => {
  const cases = [
    ['lets pass what has no token', bearer, {}, NOBODY],
    ['lets pass what has another scheme', bearer, authorization('Basic YTpi'), NOBODY],
    ['finds who sends a token', bearer, authorization('Bearer good'), { identity: { by: 'bearer' } }],
    [
      'refuses a wrong token',
      bearer,
      authorization('Bearer bad'),
      refused(`${BEARER}, error="invalid_token"`),
    ],
    [
      'refuses what is no token',
      bearer,
      authorization('Bearer'),
      refused(`${BEARER}, error="invalid_token"`),
    ],
    [
      'refuses two tokens',
      bearer,
      authorization('Bearer good', 'Bearer good'),
      refused(`${BEARER}, error="invalid_token"`),
    ],
    ['lets pass what has no user', user, {}, NOBODY],
    ['refuses a wrong user', user, authorization(basic('bob:x')), refused(USER)],
    ['lets pass what has no key', optionalKey, {}, NOBODY],
    ['lets pass an empty key', optionalKey, { headers: { 'x-api-key': '' } }, NOBODY],
    ['refuses a wrong key', optionalKey, { headers: { 'x-api-key': 'bad' } }, refused(KEY)],
    ['leaves the required one as it is', key, {}, { status: 401, code: 'unauthenticated', challenge: KEY }],
  ] as const
  for (const [title, guard, carried, expected] of cases) {
    it(title, async () => assert.deepEqual(await ask(guard, carried), expected))
  }

  it('has no credentials as the last alternative in documents', () => {
    assert.deepEqual(bearer.security, [{ bearerAuth: { type: 'http', scheme: 'bearer' } }, {}])
    assert.deepEqual(user.security, [{ basicAuth: { type: 'http', scheme: 'basic' } }, {}])
  })
})

describe('a guard of your own', () => {
  const failing = (code: string) =>
    defineGuard({
      name: 'own',
      canActivate: async () => {
        throw unauthorized('Sign in', { code })
      },
    })

  it('is optional by its 401 with the code unauthenticated', async () => {
    assert.deepEqual(await ask(optional(failing('unauthenticated')), {}), NOBODY)
    const ended = { status: 401, code: 'session_ended', challenge: undefined }
    assert.deepEqual(await ask(optional(failing('session_ended')), {}), ended)
    assert.equal(await ask(optional(defineGuard({ name: 'no', canActivate: () => false })), {}), false)
  })

  it('has one optional form', () => {
    assert.equal(optional(SignedIn), optional(SignedIn))
    assert.equal(optional(optional(SignedIn)), optional(SignedIn))
  })

  it('is one guard, and not a list of them', () => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what only JavaScript lets through
    const wrong = [SignedIn] as unknown as typeof SignedIn
    assert.throws(() => optional(wrong), /Give one guard, such as optional\(SignedIn\) \[invalid_option\]/)
  })
})

describe('one guard, required and optional', () => {
  const IsBearer = defineGuard({
    name: 'IsBearer',
    after: SignedIn,
    canActivate: ({ identity }) => identity.by === 'bearer',
  })
  const NoStranger = defineGuard({
    name: 'NoStranger',
    after: optional(SignedIn),
    canActivate: ({ identity }) => identity?.by !== 'stranger',
  })
  const appOf = (guards: readonly AnyGuard[], own: object = {}): App => {
    const route = { method: 'GET', handler: () => 'done', ...own } as const
    const cars = defineController({ prefix: '/car', guards, routes: [route] })
    return serve(cars)
  }
  const statusOf = async (app: App): Promise<number> => (await app.inject('/car')).statusCode

  it('guards a controller, and is optional for a route', async () => {
    const app = appOf([SignedIn], { withoutGuards: [SignedIn], guards: [bearer] })
    assert.equal(await statusOf(app), 200)
    assert.equal(await statusOf(appOf([bearer], { guards: [SignedIn] })), 401)
  })

  it('is read by guards after either', async () => {
    assert.equal(await statusOf(appOf([SignedIn, IsBearer])), 401)
    assert.equal(await statusOf(appOf([SignedIn, NoStranger])), 401)
    assert.equal(await statusOf(appOf([bearer, NoStranger])), 200)
  })

  it('does not stand in for a required one that another guard reads', () =>
    assert.throws(
      () => appOf([bearer, IsBearer]),
      /IsBearer reads the identity of bearerAuth, which is optional here\. .* \[missing_guard\]/,
    ))

  it('is not optional behind itself', () =>
    assert.throws(
      () => appOf([SignedIn], { guards: [bearer] }),
      /bearerAuth has no effect, because bearerAuth itself runs before it\. .* \[unused_optional\]/,
    ))

  it('is replaced in both forms by one override', async () => {
    const Nobody = defineGuard({ name: 'Nobody', canActivate: () => false })
    const cars = defineController({
      prefix: '/car',
      guards: [bearer],
      routes: [{ method: 'GET', handler: () => 1 }],
    })
    const app = serve(cars, { overrides: [bind(SignedIn, Nobody)] })
    assert.equal(await statusOf(app), 403)
  })
})

describe('an optional guard in anyOf', () => {
  const good = { 'x-api-key': 'good' }
  const guard = anyOf(bearer, key)
  const cases = [
    ['asks the others first', guard, { headers: good }, { identity: { by: 'key' } }],
    ['finds who sends a token', guard, authorization('Bearer good'), { identity: { by: 'bearer' } }],
    ['lets pass what has no credentials of any', guard, {}, NOBODY],
    ['wherever it stands', anyOf(key, bearer), {}, NOBODY],
    [
      'refuses wrong credentials of its own',
      guard,
      authorization('Bearer bad'),
      refused(`${BEARER}, error="invalid_token", ${KEY}`),
    ],
    [
      'refuses wrong credentials of another',
      guard,
      { headers: { 'x-api-key': 'bad' } },
      refused(`${BEARER}, ${KEY}`),
    ],
    [
      'allows what one accepts beside wrong ones',
      guard,
      { headers: { ...good, authorization: 'Bearer bad' } },
      { identity: { by: 'key' } },
    ],
    ['in anyOf in anyOf', anyOf(guard, user), {}, NOBODY],
    [
      'in anyOf in anyOf, asking the others first',
      anyOf(guard, user),
      authorization(basic('ann:x')),
      { identity: { by: 'basic' } },
    ],
  ] as const
  for (const [title, combined, carried, expected] of cases) {
    it(title, async () => assert.deepEqual(await ask(combined, carried), expected))
  }

  it('lets pass what a guard of your own says no to, unless that is a 401', async () => {
    const no = defineGuard({ name: 'no', canActivate: () => false })
    const fails = defineGuard({
      name: 'fails',
      canActivate: () => {
        throw unauthorized('The session has ended')
      },
    })
    assert.deepEqual(await ask(anyOf(bearer, no), {}), NOBODY)
    assert.deepEqual(await ask(anyOf(bearer, fails), {}), {
      status: 401,
      code: 'unauthenticated',
      challenge: BEARER,
    })
  })

  it('has no credentials as the last alternative in documents, once', () => {
    const names = (alternatives: readonly object[] = []): unknown =>
      alternatives.map((each) => Object.keys(each))
    assert.deepEqual(names(anyOf(bearer, key).security), [['bearerAuth'], ['header-X-API-Key'], []])
    assert.deepEqual(names(anyOf(bearer, anyOf(user, key)).security), [
      ['bearerAuth'],
      ['basicAuth'],
      ['header-X-API-Key'],
      [],
    ])
    const own = defineGuard({ name: 'own', security: [{}], canActivate: () => true })
    assert.deepEqual(names(anyOf(own, key).security), [['header-X-API-Key'], []])
  })
})

describe('an optional guard of an application', () => {
  const Everyone = optional(bearerAuth({ verify: () => true }))
  const cars = defineController({
    prefix: '/car',
    guards: [bearer],
    routes: [
      { method: 'GET', handler: (_input, { identity }) => identity?.by ?? 'nobody' },
      { method: 'GET', path: '/key', guards: [key], handler: (_input, { identity }) => identity },
      {
        method: 'GET',
        path: '/after',
        guards: [Everyone],
        handler: (_input, { identity }) => identity ?? 'nobody',
      },
    ],
  })
  const app = serve(cars)
  const token = { authorization: 'Bearer good' }
  const cases = [
    [{ url: '/car' }, 200, 'nobody'],
    [{ url: '/car', headers: token }, 200, 'bearer'],
    [{ url: '/car/key' }, 401, undefined],
    [{ url: '/car/key', headers: { 'x-api-key': 'good' } }, 200, { by: 'key' }],
    [{ url: '/car/after', headers: token }, 200, { by: 'bearer' }],
  ] as const
  for (const [request, status, body] of cases) {
    it(`${JSON.stringify(request)} → ${status}`, async () => {
      const response = await app.inject(request)
      assert.equal(response.statusCode, status)
      if (body !== undefined) assert.deepEqual(response.json(), body)
    })
  }

  it('is an alternative to none in its documents', async () => {
    await app.ready()
    const { paths } = app.openapi()
    assert.deepEqual(paths['/car']?.['get']?.security, [{ bearerAuth: [] }, {}])
    assert.deepEqual(paths['/car/key']?.['get']?.security, [
      { bearerAuth: [], 'header-X-API-Key': [] },
      { 'header-X-API-Key': [] },
    ])
    assert.deepEqual(paths['/car']?.['get']?.responses['401'], {
      $ref: '#/components/responses/CredentialsRefused',
    })
  })
})

describe('the list of routes', () => {
  it('marks guards that are optional, and tells public routes from others', () => {
    const token = jwtAuth({
      issuer: 'https://auth.example.com',
      audience: 'https://api.example.com',
      algorithms: ['HS256'],
      secret: 'a secret of thirty-two characters',
    })
    const own = defineGuard({ name: 'own', canActivate: () => true })
    const handler = (): null => null
    const cars = defineController({
      name: 'car',
      prefix: '/car',
      routes: [
        { method: 'GET', name: 'none', path: '/none', handler },
        { method: 'GET', name: 'own', path: '/own', guards: [own], handler },
        { method: 'GET', name: 'optional', path: '/optional', guards: [bearer], handler },
        { method: 'GET', name: 'any', path: '/any', guards: [anyOf(bearer, key)], handler },
        { method: 'GET', name: 'both', path: '/both', guards: [bearer, key], handler },
        {
          method: 'GET',
          name: 'scoped',
          path: '/scoped',
          guards: [optional(token), scopes('cars:read')],
          handler,
        },
      ],
    })
    const routes = serve(cars).routes()
    assert.deepEqual(
      routes.map(({ name, guards, public: isPublic }) => [name, guards, isPublic]),
      [
        ['car.none', [], true],
        ['car.own', ['own'], true],
        ['car.optional', ['bearerAuth?'], true],
        ['car.any', ['anyOf(bearerAuth, header-X-API-Key)?'], true],
        ['car.both', ['bearerAuth?', 'header-X-API-Key'], false],
        ['car.scoped', ['jwtAuth?', 'scopes(cars:read)'], false],
      ],
    )
  })
})

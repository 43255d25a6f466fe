import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { bind, createApp, defineController, defineModule, defineProvider, DefinitionError } from 'octavo'
import { anyOf, apiKey, basicAuth, bearerAuth, optional } from 'octavo/auth'
import type { AnyGuard, App, AppOptions, Provider } from 'octavo'

import { basic } from './support.ts'
import { placeless } from '../support/places.ts'

type Names = ReadonlyMap<string, string>

const Users = defineProvider({ name: 'Users', create: (): Names => new Map([['good', 'ann']]) })
const Requested = defineProvider({
  name: 'Requested',
  scope: 'request',
  create: async (): Promise<Names> => new Map([['good', 'ann']]),
})

const bearerOf = (users: Provider<Names>): AnyGuard =>
  bearerAuth({ inject: { users }, verify: (token, _context, inject) => inject.users.get(token) })
const basicOf = (users: Provider<Names>): AnyGuard =>
  basicAuth({ inject: { users }, verify: (name, _password, _context, inject) => inject.users.get(name) })
const keyOf = (users: Provider<Names>): AnyGuard =>
  apiKey({
    in: 'header',
    name: 'x-key',
    inject: { users },
    verify: async (key, _context, inject) => inject.users.get(key),
  })

const GUARDS = [
  ['bearerAuth', bearerOf, { authorization: 'Bearer good' }],
  ['basicAuth', basicOf, { authorization: basic('good:') }],
  ['apiKey', keyOf, { 'x-key': 'good' }],
  ['anyOf', (users: Provider<Names>) => anyOf(bearerOf(users), keyOf(users)), { 'x-key': 'good' }],
] as const

/** An application whose module imports the one that provides. */
function appOf(guard: AnyGuard, exports: readonly Provider<Names>[], options: AppOptions = {}): App {
  const users = defineModule({ name: 'UsersModule', providers: [Users, Requested], exports })
  const cars = defineController({
    prefix: '/car',
    guards: [guard],
    routes: [{ method: 'GET', handler: (_input, { identity }) => identity }],
  })
  const module = defineModule({ name: 'CarsModule', imports: [users], controllers: [cars] })
  return createApp(module, { logger: false, ...options })
}

describe('guards for credentials that inject', () => {
  for (const [name, guardOf, headers] of GUARDS) {
    it(`reaches verify of ${name}`, async () => {
      for (const provider of [Users, Requested]) {
        const app = appOf(guardOf(provider), [Users, Requested])
        const response = await app.inject({ url: '/car', headers })
        assert.deepEqual([response.statusCode, response.json()], [200, 'ann'])
      }
    })

    it(`is checked when the application is created: ${name}`, () =>
      assert.throws(
        () => appOf(guardOf(Users), []),
        (error) => {
          assert.ok(error instanceof DefinitionError)
          const [problem] = placeless(error.errors)
          assert.equal(problem?.code, 'missing_provider')
          assert.match(problem?.where ?? '', /^guard .* of CarsModule$/)
          assert.match(
            problem?.message ?? '',
            /Users: CarsModule imports UsersModule, which .* does not export it/,
          )
          return true
        },
      ))
  }

  it('reaches verify of an optional guard', async () => {
    const guard = optional(bearerOf(Users))
    const response = await appOf(guard, [Users]).inject({
      url: '/car',
      headers: { authorization: 'Bearer good' },
    })
    assert.equal(response.json(), 'ann')
  })

  it('is replaced by overrides', async () => {
    const fakes: Names = new Map([['good', 'fake']])
    const app = appOf(bearerOf(Users), [Users], { overrides: [bind(Users, { value: fakes })] })
    const response = await app.inject({ url: '/car', headers: { authorization: 'Bearer good' } })
    assert.equal(response.json(), 'fake')
  })

  it('is no token by mistake', () => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what only JavaScript lets through
    const guard = bearerAuth({ inject: { users: undefined as never }, verify: () => true })
    assert.throws(() => appOf(guard, [Users]), /inject\.users is undefined/)
  })
})

describe('overrides of guards in anyOf', () => {
  const SignedIn = bearerAuth({ verify: () => false })
  const Partner = apiKey({ in: 'header', name: 'x-key', verify: () => false })
  const Ann = optional(
    bearerAuth({ inject: { users: Users }, verify: (token, _context, { users }) => users.get(token) }),
  )
  const headers = { authorization: 'Bearer good' }

  it('stand in for it, with what they inject', async () => {
    const app = appOf(anyOf(Partner, SignedIn), [Users], { overrides: [bind(SignedIn, Ann)] })
    const found = await app.inject({ url: '/car', headers })
    assert.equal(found.json(), 'ann')
    const nobody = await app.inject('/car')
    assert.equal(nobody.statusCode, 204)
  })

  it('reach it in anyOf in anyOf', async () => {
    const app = appOf(anyOf(Partner, anyOf(SignedIn, Partner)), [Users], { overrides: [bind(SignedIn, Ann)] })
    const found = await app.inject({ url: '/car', headers })
    assert.equal(found.json(), 'ann')
  })

  it('are checked as the guards of the module are', () =>
    assert.throws(() => appOf(anyOf(Partner, SignedIn), [], { overrides: [bind(SignedIn, Ann)] }), /Users/))

  it('of the whole count before those of its members', async () => {
    const Either = anyOf(Partner, SignedIn)
    const app = appOf(Either, [Users], { overrides: [bind(Either, Ann)] })
    const found = await app.inject({ url: '/car', headers })
    assert.equal(found.json(), 'ann')
  })

  it('leave withoutGuards and other applications as they are', async () => {
    const Either = anyOf(Partner, SignedIn)
    const cars = defineController({
      prefix: '/car',
      guards: [Either],
      routes: [
        { method: 'GET', handler: () => 'in' },
        { method: 'GET', path: '/open', withoutGuards: [Either], handler: () => 'open' },
      ],
    })
    const module = defineModule({ controllers: [cars], providers: [Users] })
    const fake = createApp(module, { logger: false, overrides: [bind(SignedIn, Ann)] })
    assert.equal((await fake.inject('/car')).statusCode, 200)
    assert.equal((await fake.inject('/car/open')).json(), 'open')
    assert.equal((await createApp(module, { logger: false }).inject('/car')).statusCode, 401)
  })

  it('are unused when no anyOf has the guard', () => {
    const other = bearerAuth({ verify: () => true })
    assert.throws(
      () => appOf(anyOf(Partner, SignedIn), [Users], { overrides: [bind(other, Ann)] }),
      /overrides replaces bearerAuth/,
    )
  })
})

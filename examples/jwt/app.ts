import { randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'

import { createApp, defineController, defineGuard, defineModule, defineProvider } from 'octavo'
import { basicAuth, bearerAuth, safeEqual } from 'octavo/auth'
import type { App, AppOptions, Guard } from 'octavo'

import { createTokens, User } from './tokens.ts'

const hash = promisify<string, string, number, Buffer>(scrypt)

async function toAccount(role: User['role'], password: string): Promise<Account> {
  const salt = randomBytes(16).toString('hex')
  return { role, salt, hash: (await hash(password, salt, 32)).toString('hex') }
}

interface Account {
  readonly role: User['role']
  readonly salt: string
  readonly hash: string
}

const NOBODY = await toAccount('driver', randomBytes(16).toString('hex'))
const ACCOUNTS: ReadonlyMap<string, Account> = new Map([
  ['ann', await toAccount('manager', 'ann-secret')],
  ['bob', await toAccount('driver', 'bob-secret')],
])

async function findUser(name: string, password: string): Promise<User | undefined> {
  // a name that nobody has costs as much time as a wrong password
  const account = ACCOUNTS.get(name) ?? NOBODY
  const found = await hash(password, account.salt, 32)
  return safeEqual(found.toString('hex'), account.hash) ? { sub: name, role: account.role } : undefined
}

export const TokenService = defineProvider({
  name: 'TokenService',
  create: () => createTokens({ issuer: 'https://auth.example.com', audience: 'cars' }),
})

/** Name and password, to get a token with. */
const Login = basicAuth({ schemeName: 'login', realm: 'login', verify: findUser })

/** A token: `context.identity` is a `User` behind it. */
const SignedIn = bearerAuth({
  bearerFormat: 'JWT',
  inject: { tokens: TokenService },
  verify: (token, _context, { tokens }) => tokens.verify(token),
})

/** Lets users with one role in; everybody else gets a 403. */
const hasRole = (role: User['role']): Guard =>
  defineGuard({
    name: `hasRole(${role})`,
    canActivate: ({ identity }) => User.safeParse(identity).data?.role === role,
  })

const login = defineController({
  name: 'LoginController',
  inject: { tokens: TokenService },
  routes: [
    {
      method: 'POST',
      guards: [Login],
      handler: async ({ inject }, { identity }) => ({ token: await inject.tokens.sign(identity) }),
    },
    { method: 'GET', path: '/keys', handler: ({ inject }) => inject.tokens.jwks },
  ],
})

const cars = defineController({
  name: 'CarController',
  guards: [SignedIn],
  routes: [
    { method: 'GET', handler: (_input, { identity }) => `The cars of ${identity.sub}` },
    {
      method: 'DELETE',
      path: '/{car_id:int}',
      guards: [hasRole('manager')],
      handler: ({ params }, { identity }) => `${identity.sub} sold car ${params.car_id}`,
    },
  ],
})

export const JwtModule = defineModule({
  name: 'JwtModule',
  controllers: [login, cars],
  providers: [TokenService],
})

export function createJwtApp(options: AppOptions = {}): App<typeof JwtModule> {
  return createApp(JwtModule, options)
}

import { randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'

import { createApp, defineController, defineModule } from 'octavo'
import { basicAuth, jwtAuth, safeEqual, scopes } from 'octavo/auth'
import type { App, AppOptions } from 'octavo'

import { ALGORITHM, createTokens, User } from './tokens.ts'
import type { Tokens } from './tokens.ts'

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

const OURS = { issuer: 'https://auth.example.com', audience: 'cars' }

/** Name and password, to get a token with. */
const Login = basicAuth({ schemeName: 'login', realm: 'login', verify: findUser })

/** Where tokens come from another service, there is the URL of its keys alone. */
const OWN = await createTokens(OURS)

export function createJwtApp(options: AppOptions = {}, tokens: Tokens = OWN): App {
  /** A token: `context.identity` is a `User` behind it. */
  const SignedIn = jwtAuth({ ...OURS, jwks: tokens.jwks, algorithms: [ALGORITHM], claims: User })

  const login = defineController({
    name: 'LoginController',
    routes: [
      {
        method: 'POST',
        guards: [Login],
        handler: async (_input, { identity }) => ({ token: await tokens.sign(identity) }),
      },
      { method: 'GET', path: '/keys', handler: () => tokens.jwks },
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
        guards: [scopes('cars:sell')],
        handler: ({ params }, { identity }) => `${identity.sub} sold car ${params.car_id}`,
      },
    ],
  })

  return createApp(defineModule({ name: 'JwtModule', controllers: [login, cars] }), options)
}

import { Config, defineController, defineProblem, defineProvider, VERSION_NEUTRAL } from 'octavo'
import { bearerAuth, optional } from 'octavo/auth'
import { errors, jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'

import { hashPassword, verifyPassword } from '../shop/accounts/passwords.ts'
import { Db } from './database.ts'
import { Text } from './errors.ts'
import { Settings } from './settings.ts'

const Profile = z.object({ username: Text, email: z.email('is invalid'), password: Text.max(200) })
const Login = Profile.pick({ email: true, password: true })
const Change = z
  .object({ ...Profile.shape, bio: Text.nullable(), image: z.url('is invalid').nullable() })
  .partial()

const Shown = z.object({
  user: z.object({
    email: z.string(),
    token: z.string(),
    username: z.string(),
    bio: z.string().nullable(),
    image: z.string().nullable(),
  }),
})

export interface User {
  readonly id: number
  readonly username: string
  readonly email: string
  readonly password: string
  readonly bio: string | null
  readonly image: string | null
}

const CredentialsWrong = defineProblem({
  code: 'credentials_wrong',
  status: 401,
  title: 'email or password is invalid',
})

export const Users = defineProvider({
  name: 'Users',
  inject: { db: Db, settings: Config.of(Settings) },
  create: ({ db, settings }) => {
    const key = new TextEncoder().encode(settings.secret)
    const first = async (sql: string, ...parameters: unknown[]): Promise<User | undefined> =>
      (await db.query<User>(sql, ...parameters))[0]
    return {
      register: async ({ username, email, password }: z.output<typeof Profile>) =>
        first(
          'INSERT INTO users (username, email, password) VALUES ($1, $2, $3) RETURNING *',
          username,
          email,
          await hashPassword(password),
        ),
      login: async ({ email, password }: z.output<typeof Login>) => {
        const user = await first('SELECT * FROM users WHERE email = $1', email)
        return (await verifyPassword(password, user?.password)) ? user : undefined
      },
      change: async (user: User, { password, ...changes }: z.output<typeof Change>) => {
        const next = { ...user, ...changes, ...(password && { password: await hashPassword(password) }) }
        const values = [user.id, next.username, next.email, next.password, next.bio, next.image]
        const columns = 'username = $2, email = $3, password = $4, bio = $5, image = $6'
        return first(`UPDATE users SET ${columns} WHERE id = $1 RETURNING *`, ...values)
      },
      /** The user of a token; `undefined` if it is not one of ours, or has expired. */
      ofToken: async (token: string) => {
        try {
          const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'] })
          return await first('SELECT * FROM users WHERE id = $1', Number(payload.sub))
        } catch (error) {
          if (error instanceof errors.JOSEError) return undefined
          throw error
        }
      },
      /** What clients get to see of a user. */
      show: async (user: User | undefined): Promise<z.input<typeof Shown>> => {
        if (user === undefined) throw CredentialsWrong()
        const claims = new SignJWT().setProtectedHeader({ alg: 'HS256' }).setSubject(String(user.id))
        return { user: { ...user, token: await claims.setExpirationTime('7d').sign(key) } }
      },
    }
  },
})

/** Behind it, `context.identity` is a `User`. */
export const SignedIn = bearerAuth({
  scheme: 'Token',
  bearerFormat: 'JWT',
  inject: { users: Users },
  verify: (token, _context, { users }) => users.ofToken(token),
})

/** Lets everybody in: `context.identity` is a `User`, or `undefined` without a token. */
export const Visitor = optional(SignedIn)

export const userController = defineController({
  name: 'UserController',
  prefix: '/',
  version: VERSION_NEUTRAL,
  inject: { users: Users },
  routes: [
    {
      method: 'POST',
      path: '/users',
      name: 'register',
      input: { body: z.object({ user: Profile }) },
      response: { 201: Shown },
      handler: async ({ body, inject: { users } }) => users.show(await users.register(body.user)),
    },
    {
      method: 'POST',
      path: '/users/login',
      name: 'login',
      input: { body: z.object({ user: Login }) },
      response: Shown,
      problems: [CredentialsWrong],
      handler: async ({ body, inject: { users } }) => users.show(await users.login(body.user)),
    },
    {
      method: 'GET',
      path: '/user',
      name: 'current',
      guards: [SignedIn],
      response: Shown,
      handler: ({ inject: { users } }, { identity }) => users.show(identity),
    },
    {
      method: 'PUT',
      path: '/user',
      name: 'change',
      guards: [SignedIn],
      input: { body: z.object({ user: Change }) },
      response: Shown,
      handler: async ({ body, inject: { users } }, { identity }) =>
        users.show(await users.change(identity, body.user)),
    },
  ],
})

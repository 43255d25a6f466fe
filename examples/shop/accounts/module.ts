import {
  Config,
  defineController,
  defineModule,
  defineProblem,
  reply,
  Session,
  VERSION_NEUTRAL,
} from 'octavo'
import { z } from 'zod'

import { DatabaseModule, Db, Transactional } from '../database/module.ts'
import { ShopSettings } from '../settings.ts'
import { Account, Accounts, accountsIn } from './accounts.ts'
import { ShopSession, SignedIn } from './guards.ts'
import { hashPassword, verifyPassword } from './passwords.ts'

// clients are told what is meant; blanks and capital letters are forgiven
const Email = z.string().meta({ format: 'email' }).trim().toLowerCase().pipe(z.email())
const Credentials = z.object({ email: Email, password: z.string().min(8).max(200) })

const AddressTaken = defineProblem({
  code: 'address_taken',
  status: 409,
  title: 'There is an account with this address',
})
const CredentialsWrong = defineProblem({
  code: 'credentials_wrong',
  status: 401,
  title: 'Address or password is wrong',
})

const accountController = defineController({
  name: 'AccountController',
  prefix: '/accounts',
  inject: { session: Session.of(ShopSession) },
  routes: [
    {
      method: 'POST',
      name: 'register',
      input: { body: Credentials, inject: { accounts: Accounts } },
      response: { 201: Account },
      problems: [AddressTaken],
      handler: async ({ body, inject }) => {
        const password = await hashPassword(body.password)
        const account = await inject.accounts.create({ email: body.email, password, role: 'customer' })
        if (account === undefined) throw AddressTaken()
        return account
      },
    },
    {
      method: 'POST',
      path: '/login',
      name: 'login',
      input: { body: Credentials, inject: { database: Db } },
      response: { 200: Account },
      problems: [CredentialsWrong],
      handler: async ({ body, inject: { database, session } }) => {
        const found = await accountsIn(database).findWithPassword(body.email)
        const isRight = await verifyPassword(body.password, found?.password)
        // one answer for both: it tells nobody who has an account
        if (found === undefined || !isRight) throw CredentialsWrong()
        // a new id: one that somebody planted before is worth nothing
        await session.regenerate()
        session.data.accountId = found.id
        return { id: found.id, email: found.email, role: found.role }
      },
    },
    {
      method: 'POST',
      path: '/logout',
      name: 'logout',
      handler: async ({ inject }) => {
        await inject.session.destroy()
        return reply(204)
      },
    },
    {
      method: 'GET',
      path: '/me',
      name: 'me',
      guards: [SignedIn],
      response: Account,
      handler: (_input, { identity }) => identity,
    },
  ],
})

export const AccountsModule = defineModule({
  name: 'AccountsModule',
  version: VERSION_NEUTRAL,
  imports: [DatabaseModule],
  controllers: [accountController],
  providers: [Accounts],
  interceptors: [Transactional],
  onStart: async (app) => {
    const { adminPassword } = await app.resolve(Config.of(ShopSettings))
    if (adminPassword === undefined) return
    const accounts = accountsIn(await app.resolve(Db))
    const password = await hashPassword(adminPassword)
    await accounts.create({ email: 'admin@shop.example', password, role: 'admin' })
  },
})

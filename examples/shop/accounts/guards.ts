import { defineGuard, Session, unauthorized } from 'octavo'
import type { Guard } from 'octavo'
import { z } from 'zod'

import { Db } from '../database/module.ts'
import { Account, accountsIn } from './accounts.ts'

/** What the session of a client holds. */
export const ShopSession = z.object({ accountId: z.number().optional() })

/** Lets those in who have logged in: `context.identity` is their account. */
export const SignedIn: Guard<Account> = defineGuard({
  name: 'SignedIn',
  security: [
    {
      session: {
        type: 'apiKey',
        in: 'cookie',
        name: '__Host-sid',
        description: 'What POST /accounts/login sets; without HTTPS it is called sid',
      },
    },
  ],
  // not the unit of work: its transaction would wait for the rest of the request to arrive
  inject: { session: Session.of(ShopSession), database: Db },
  canActivate: async (context, { session, database }) => {
    const { accountId } = session.data
    const account = accountId === undefined ? undefined : await accountsIn(database).find(accountId)
    if (account === undefined) throw unauthorized('Log in first')
    context.identity = account
    return true
  },
})

/** Goes after `SignedIn`; customers get a 403. */
export const IsAdmin = defineGuard({
  name: 'IsAdmin',
  canActivate: ({ identity }) => Account.safeParse(identity).data?.role === 'admin',
})

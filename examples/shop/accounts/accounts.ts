import { defineProvider } from 'octavo'
import { z } from 'zod'

import type { Queries } from '../database/database.ts'
import { UnitOfWork } from '../database/module.ts'

export const Account = z.object({ id: z.number(), email: z.string(), role: z.enum(['customer', 'admin']) })
export type Account = z.output<typeof Account>

const WithPassword = Account.extend({ password: z.string() })

export interface NewAccount extends Omit<Account, 'id'> {
  /** As `hashPassword` made it. */
  readonly password: string
}

/** The accounts in a database or in a transaction. */
export function accountsIn(db: Queries) {
  return {
    /** `undefined` when there is an account with this address. */
    create: async ({ email, password, role }: NewAccount): Promise<Account | undefined> => {
      const [created] = await db.query(
        Account,
        `INSERT INTO accounts (email, password, role) VALUES ($1, $2, $3)
         ON CONFLICT DO NOTHING RETURNING id, email, role`,
        email,
        password,
        role,
      )
      return created
    },
    find: async (id: number): Promise<Account | undefined> => {
      const [found] = await db.query(Account, 'SELECT id, email, role FROM accounts WHERE id = $1', id)
      return found
    },
    findWithPassword: async (email: string): Promise<z.output<typeof WithPassword> | undefined> => {
      const [found] = await db.query(WithPassword, 'SELECT * FROM accounts WHERE email = $1', email)
      return found
    },
  }
}

export const Accounts = defineProvider({
  name: 'Accounts',
  scope: 'request',
  inject: { work: UnitOfWork },
  create: ({ work }) => accountsIn(work),
})

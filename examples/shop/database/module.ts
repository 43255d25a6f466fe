import { Config, defineInterceptor, defineModule, defineProvider } from 'octavo'

import { ShopSettings } from '../settings.ts'
import { openDatabase } from './database.ts'
import type { Database, Queries, Transaction } from './database.ts'
import { createTables } from './tables.ts'

/** The database: opened when the application starts, closed when it ends. */
export const Db = defineProvider({
  name: 'Db',
  inject: { settings: Config.of(ShopSettings) },
  create: async ({ settings }) => {
    const database = await openDatabase(settings.databaseUrl)
    try {
      await createTables(database)
    } catch (error) {
      await database.close()
      throw error
    }
    return database
  },
  dispose: (database) => database.close(),
})

/** What one request does to the database: a transaction that begins with the first query. */
function createWork(database: Database): Transaction {
  let transaction: Promise<Transaction> | undefined
  const end = async (how: 'commit' | 'rollback'): Promise<void> => {
    const ending = transaction
    transaction = undefined
    if (ending !== undefined) await (await ending)[how]()
  }
  const query: Queries['query'] = async (...parameters) => {
    transaction ??= database.begin()
    return (await transaction).query(...parameters)
  }
  return { query, commit: () => end('commit'), rollback: () => end('rollback') }
}

export const UnitOfWork = defineProvider({
  name: 'UnitOfWork',
  scope: 'request',
  inject: { database: Db },
  create: ({ database }) => createWork(database),
  // whatever nobody committed, such as what a route without the interceptor did
  dispose: (work) => work.rollback(),
})

/** Commits when the handler has succeeded, before the answer is sent; takes everything back when it threw. */
export const Transactional = defineInterceptor({
  name: 'Transactional',
  inject: { work: UnitOfWork },
  intercept: async (_context, next, { work }) => {
    try {
      const value = await next()
      await work.commit()
      return value
    } catch (error) {
      await work.rollback()
      throw error
    }
  },
})

export const DatabaseModule = defineModule({
  name: 'DatabaseModule',
  providers: [Db, UnitOfWork],
  exports: [Db, UnitOfWork],
})

import { PGlite } from '@electric-sql/pglite'
import { Pool } from 'pg'
import { z } from 'zod'

/** Runs SQL. Every row is checked, so that its type is true. */
export interface Queries {
  query<S extends z.ZodType>(row: S, sql: string, ...parameters: unknown[]): Promise<z.output<S>[]>
}

/** Queries that count together or not at all: end it with one of the two. */
export interface Transaction extends Queries {
  commit(): Promise<void>
  rollback(): Promise<void>
}

export interface Database extends Queries {
  begin(): Promise<Transaction>
  close(): Promise<void>
}

/** `postgres://…` is a server; `memory://` or a folder is a PostgreSQL inside this process. Nobody else knows which. */
export function openDatabase(url: string): Promise<Database> {
  return /^postgres(ql)?:/.test(url) ? openServer(url) : openEmbedded(url)
}

type Run = (sql: string, parameters: unknown[]) => Promise<{ readonly rows: readonly unknown[] }>

function toQueries(run: Run): Queries {
  return {
    query: async (row, sql, ...parameters) => z.array(row).parse((await run(sql, parameters)).rows),
  }
}

async function openServer(url: string): Promise<Database> {
  const pool = new Pool({ connectionString: url })
  // a connection that breaks while nobody uses it: the pool opens another
  pool.on('error', () => undefined)
  return {
    ...toQueries((sql, parameters) => pool.query(sql, parameters)),
    close: () => pool.end(),
    begin: async () => {
      const client = await pool.connect()
      const end = async (sql: string): Promise<void> => {
        try {
          await client.query(sql)
          client.release()
        } catch (error) {
          client.release(true)
          throw error
        }
      }
      await client.query('BEGIN').catch((error: unknown) => {
        client.release(true)
        throw error
      })
      return {
        ...toQueries((sql, parameters) => client.query(sql, parameters)),
        commit: () => end('COMMIT'),
        rollback: () => end('ROLLBACK'),
      }
    },
  }
}

async function openEmbedded(url: string): Promise<Database> {
  const pglite = await PGlite.create(url)
  return {
    ...toQueries((sql, parameters) => pglite.query(sql, parameters)),
    close: () => pglite.close(),
    // there is one connection: PGlite lets one transaction in at a time, other queries and transactions wait in a queue
    begin: () =>
      new Promise((begun, failed) => {
        const ended = pglite.transaction(
          (inside) =>
            new Promise<void>((leave) => {
              begun({
                ...toQueries((sql, parameters) => inside.query(sql, parameters)),
                commit: () => {
                  leave()
                  return ended
                },
                rollback: async () => {
                  await inside.rollback()
                  leave()
                  await ended
                },
              })
            }),
        )
        ended.catch(failed)
      }),
  }
}

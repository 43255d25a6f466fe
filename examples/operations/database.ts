import { Config, defineModule, defineProvider, serviceUnavailable } from 'octavo'
import { DatabaseError, Pool } from 'pg'

import { Settings } from './settings.ts'

/** All instances create the tables when they start, so they take turns. */
const TABLES = `
  BEGIN;
  SELECT pg_advisory_xact_lock(1);
  CREATE TABLE IF NOT EXISTS orders (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    client text NOT NULL, article text NOT NULL, quantity integer NOT NULL,
    ordered_at timestamptz NOT NULL DEFAULT now(),
    key text, UNIQUE (client, key));
  COMMIT;`

/** Rows of SQL: response schemas check them before they are sent. */
export type Query = <Row>(sql: string, ...values: readonly unknown[]) => Promise<Row[]>

/**
 * Whether the database cannot be reached or is busy, by the class of its error: connections (08), resources (53), and a server that
 * starts or stops (57P). Any other answer of the database is a mistake of this program.
 */
function isUnavailable(error: unknown): boolean {
  return !(error instanceof DatabaseError) || /^(?:08|53|57P)/.test(error.code ?? '')
}

export const Database = defineProvider({
  name: 'Database',
  inject: { settings: Config.of(Settings) },
  create: async ({ settings }) => {
    const pool = new Pool({
      connectionString: settings.databaseUrl,
      connectionTimeoutMillis: 2000,
      // a database that hangs must not keep requests
      query_timeout: 5000,
    })
    // without a listener, an idle connection that breaks would end the process. The next query opens another one
    pool.on('error', () => undefined)
    await pool.query(TABLES)
    const query: Query = async (sql, ...values) => {
      try {
        return (await pool.query(sql, [...values])).rows
      } catch (error) {
        if (!isUnavailable(error)) throw error
        throw serviceUnavailable('Orders are not available at the moment', { cause: error })
      }
    }
    return { query, close: () => pool.end() }
  },
  dispose: (database) => database.close(),
})

export const DatabaseModule = defineModule({
  name: 'DatabaseModule',
  providers: [Database],
  exports: [Database],
})

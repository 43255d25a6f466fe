import { PGlite } from '@electric-sql/pglite'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'

/** A PostgreSQL server for drivers that need a socket. */
export interface Postgres {
  readonly url: string
  readonly stop: () => Promise<void>
}

/** Starts PostgreSQL on any free port, and runs some SQL in it. */
export async function startPostgres(setup = ''): Promise<Postgres> {
  const database = await PGlite.create()
  await database.exec(setup)
  const server = new PGLiteSocketServer({ db: database, host: '127.0.0.1', port: 0, maxConnections: 10 })
  const listening = new Promise<number>((resolve) =>
    server.addEventListener('listening', (event) => resolve(Object(event).detail.port)),
  )
  await server.start()
  return {
    url: `postgresql://postgres:postgres@127.0.0.1:${await listening}/postgres`,
    stop: async () => {
      await server.stop()
      await database.close()
    },
  }
}

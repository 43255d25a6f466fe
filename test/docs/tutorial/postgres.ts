import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

import { Client } from 'pg'

import { findPort } from '../../support/ports.ts'

const DEBIAN = '/usr/lib/postgresql'

/** A server of PostgreSQL with an empty database. */
export interface PostgresServer {
  readonly url: string
  stop(): Promise<void>
}

/** The folder with the programs of PostgreSQL, in the path or where Debian has them. */
export function findPostgres(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).map((name) => join(DEBIAN, name, 'bin')) : []
  return [...(process.env['PATH'] ?? '').split(delimiter), ...versions].find((folder) =>
    existsSync(join(folder, 'initdb')),
  )
}

export async function startPostgres(programs: string): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-postgres-'))
  const owner = ownerOf(folder)
  const data = join(folder, 'data')
  const options = { cwd: folder, stdio: 'ignore', ...owner } as const
  execFileSync(join(programs, 'initdb'), ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync'], options)
  const port = await findPort()
  const child = spawn(
    join(programs, 'postgres'),
    ['-D', data, '-p', String(port), '-k', folder, '-c', 'fsync=off'],
    options,
  )
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const url = `postgres://postgres@localhost:${port}/postgres`
  await untilReady(url)
  return {
    url,
    stop: async () => {
      child.kill('SIGINT')
      await closed
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** PostgreSQL refuses to run as root, so the user of Debian's package runs it. */
function ownerOf(folder: string): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  const owner = { uid: idOf('-u'), gid: idOf('-g') }
  chownSync(folder, owner.uid, owner.gid)
  return owner
}

async function untilReady(url: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    const client = new Client({ connectionString: url })
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      if (tries === 600) throw error
      await setTimeout(100)
    }
  }
}

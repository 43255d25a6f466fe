import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'

import { Client } from 'pg'

import type { Postgres } from './postgres.ts'

const DEBIAN = '/usr/lib/postgresql'

/** The folder with the programs of PostgreSQL, in the path or where Debian has them. */
export function findPostgres(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).map((name) => join(DEBIAN, name, 'bin')) : []
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...versions]
  return folders.find((folder) => existsSync(join(folder, 'initdb')))
}

/** Starts the server of PostgreSQL on any free port, for several processes and for transactions that run at the same time. */
export async function startPostgresServer(programs: string): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-postgres-'))
  const data = join(folder, 'data')
  const options = { cwd: folder, stdio: 'ignore', ...ownerOf(folder) } as const
  execFileSync(join(programs, 'initdb'), ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync'], options)
  const port = String(await findPort())
  const child = spawn(join(programs, 'postgres'), ['-D', data, '-p', port, '-k', folder, '-F'], options)
  const closed = once(child, 'close')
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
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

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  // it listens on a port
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
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
      await wait(100)
    }
  }
}

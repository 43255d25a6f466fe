import { mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

import { createClient } from '@redis/client'
import type { UsageEntry } from 'octavo'
import { createRedisStore } from 'octavo/stores'
import { Client } from 'pg'

import {
  startBalancer,
  startInstance,
  startPostgres,
  startRedis,
} from '../../../examples/operations/cluster.ts'
import type { Service } from '../../../examples/operations/cluster.ts'
import { findPort } from '../../support/ports.ts'
import { createCounts } from '../../support/usage.ts'

/** Redis, PostgreSQL and a balancer, and the instances that a test starts. */
export interface Setting {
  readonly balancer: number
  readonly accessLog: string
  /** The ports of instances that are not used yet. */
  readonly freePorts: number[]
  /** Starts an instance of a release. */
  readonly addInstance: (program: string) => Promise<Service>
  readonly stopRedis: () => Promise<unknown>
  readonly startRedis: () => Promise<void>
  /** Has Redis take commands without an answer, until the function that it returns is called. */
  readonly hangRedis: () => () => void
  readonly stopPostgres: () => Promise<unknown>
  readonly startPostgres: () => Promise<void>
  /** Has all orders wait that are to be stored, or those that are read, too, until the function that it returns is called. */
  readonly holdOrders: (mode?: 'SHARE' | 'ACCESS EXCLUSIVE') => Promise<() => Promise<void>>
  /** Has Redis forget all idempotency keys. */
  readonly loseKeys: () => Promise<void>
  readonly query: (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>
  readonly readUsage: () => Promise<readonly UsageEntry[]>
  readonly stop: () => Promise<void>
}

/** Starts a setting without instances. `slots` is the number of instances that may be started. */
export async function startSetting(slots: number, env: Readonly<Record<string, string>>): Promise<Setting> {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-operations-'))
  const accessLog = join(folder, 'access.log')
  const ports: number[] = []
  while (ports.length < slots + 3) ports.push(await findPort())
  const [redisPort = 0, postgresPort = 0, balancerPort = 0, ...instances] = ports
  const redisUrl = `redis://127.0.0.1:${redisPort}`
  const databaseUrl = `postgres://postgres@127.0.0.1:${postgresPort}/postgres`
  const running: Service[] = []
  const keep = (service: Service): Service => {
    running.push(service)
    return service
  }
  let redis = await startRedis(folder, redisPort)
  let postgres: Service | undefined
  let balancer: Service | undefined
  const stop = async (): Promise<void> => {
    for (const service of running.toReversed()) await service.stop('SIGKILL')
    // killed, nginx would leave its workers behind
    await balancer?.stop()
    await postgres?.stop()
    await redis.stop('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    postgres = await startPostgres(folder, postgresPort)
    balancer = await startBalancer({ folder, port: balancerPort, instances, accessLog })
  } catch (error) {
    await stop()
    throw error
  }
  const freePorts = [...instances]
  return {
    balancer: balancerPort,
    accessLog,
    freePorts,
    addInstance: async (program) => {
      const port = freePorts.shift() ?? 0
      const log = openSync(join(folder, `${port}.log`), 'a')
      const settings = { REDIS_URL: redisUrl, DATABASE_URL: databaseUrl, ...env }
      return keep(await startInstance({ port, log, env: settings, program }))
    },
    stopRedis: () => redis.stop(),
    startRedis: async () => {
      redis = await startRedis(folder, redisPort)
    },
    hangRedis: () => {
      redis.child.kill('SIGSTOP')
      return () => redis.child.kill('SIGCONT')
    },
    stopPostgres: async () => postgres?.stop(),
    startPostgres: async () => {
      postgres = await startPostgres(folder, postgresPort)
    },
    holdOrders: async (mode = 'SHARE') => {
      const client = new Client({ connectionString: databaseUrl })
      await client.connect()
      await client.query(`BEGIN; LOCK TABLE orders IN ${mode} MODE`)
      return () => client.end()
    },
    loseKeys: async () => {
      const client = createClient({ url: redisUrl })
      await client.connect()
      await client.del(await client.keys('octavo:idempotency:*'))
      await client.close()
    },
    query: async (sql) => {
      const client = new Client({ connectionString: databaseUrl })
      await client.connect()
      try {
        return (await client.query(sql)).rows
      } finally {
        await client.end()
      }
    },
    readUsage: async () => {
      const client = createClient({ url: redisUrl })
      await client.connect()
      const { read } = createCounts({ store: createRedisStore(client) })
      const entries = await read()
      await client.close()
      return entries
    },
    stop,
  }
}

/** Waits until a condition holds. It is asked again for a minute, because processes start slowly on a busy machine. */
export async function until(condition: () => Promise<boolean> | boolean, what: string): Promise<void> {
  for (let tries = 0; !(await condition()); tries++) {
    if (tries === 600) throw new Error(`Waited in vain until ${what}`)
    await setTimeout(100)
  }
}

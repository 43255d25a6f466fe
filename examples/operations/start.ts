/*
 * Starts the API of orders as three instances behind nginx, with one Redis and one PostgreSQL:
 *
 *   npm run operations                   Ctrl+C stops all of it
 *   OTEL=console npm run operations      prints spans and metrics
 *   BROWNOUTS=2026-12-01T10:00:00Z/2026-12-01T11:00:00Z npm run operations
 *                                        has version 1 answer 410 in that time
 *   PORTS=8090,6490,5590,3011,3012 npm run operations
 *                                        uses these ports for nginx, Redis, PostgreSQL and two instances
 *
 * nginx, redis-server, postgres and curl have to be installed. `compose.yaml` starts the same in containers.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import {
  createStages,
  missingPrograms,
  startBalancer,
  startInstance,
  startPostgres,
  startRedis,
} from './cluster.ts'

/** The ports of nginx, Redis, PostgreSQL and the instances. */
const [PORT = 8080, REDIS = 6390, POSTGRES = 5490, ...INSTANCES] = (
  process.env['PORTS'] ?? '8080,6390,5490,3001,3002,3003'
)
  .split(',')
  .map(Number)

const { BROWNOUTS } = process.env

const missing = missingPrograms()
if (missing.length > 0) {
  console.error(`Not installed: ${missing.join(', ')}`)
  process.exit(1)
}

const folder = mkdtempSync(join(tmpdir(), 'orders-'))
const stages = createStages()
let ending: Promise<void> | undefined

async function end(): Promise<void> {
  await stages.stop()
  rmSync(folder, { recursive: true, force: true })
}
// the processes have sessions of their own, so they would go on if this one ended without them
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    if (ending === undefined) console.log('Stopping all of it')
    ending ??= end()
  })
// so would they if it ended by an error, as it does when it prints for a program such as head that has ended
for (const output of [process.stdout, process.stderr]) output.on('error', () => (ending ??= end()))

const settings = {
  REDIS_URL: `redis://127.0.0.1:${REDIS}`,
  DATABASE_URL: `postgres://postgres@127.0.0.1:${POSTGRES}/postgres`,
  SESSION_SECRET: 'to try it out on this machine only',
  SECURE_COOKIES: 'false',
  DESK_PASSWORD: 'open sesame',
  CLIENTS: 'acme=acme-key,globex=globex-key',
  OTEL: process.env['OTEL'] ?? 'none',
  ...(BROWNOUTS !== undefined && { BROWNOUTS }),
}
const accessLog = join(folder, 'access.log')
try {
  await stages.start(() => [startRedis(folder, REDIS), startPostgres(folder, POSTGRES)])
  const instances = await stages.start(() => INSTANCES.map((port) => startInstance({ port, env: settings })))
  await stages.start(() => [startBalancer({ folder, port: PORT, instances: INSTANCES, accessLog })])
  print(`http://localhost:${PORT}`, instances[0]?.child.pid)
} catch (error) {
  if (ending === undefined) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
  ending ??= end()
}

function print(url: string, pid: number | undefined): void {
  console.log(`${INSTANCES.length} instances answer on ${url}

Try:
  curl -H 'x-api-key: acme-key' -H 'idempotency-key: order-1' --json '{"article":"cup","quantity":2}' ${url}/orders      (again: the same order)
  curl -i -H 'x-api-key: acme-key' ${url}/orders
  curl -i -H 'x-api-key: acme-key' -H 'x-api-version: 1' ${url}/orders      (item instead of article, deprecated)
  curl -c jar --json '{"operator":"ann","password":"open sesame"}' ${url}/desk/session
  curl -b jar ${url}/desk/session
  curl -b jar '${url}/desk/usage?version=1'      (who calls version 1, ten seconds later at most)
  curl http://localhost:${INSTANCES[0]}/metrics      (each instance has its own)
  kill -9 ${pid}      (the others go on)

Ctrl+C stops all of it.`)
}

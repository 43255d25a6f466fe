/*
 * Starts the API of orders as three instances behind nginx, with one Redis and one PostgreSQL:
 *
 *   npm run operations                   Ctrl+C stops all of it
 *   OTEL=console npm run operations      prints spans and metrics
 *
 * nginx, redis-server, postgres and curl have to be installed. `compose.yaml` starts the same in containers.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { missingPrograms, startBalancer, startInstance, startPostgres, startRedis } from './cluster.ts'
import type { Service } from './cluster.ts'

const REDIS = 6390
const POSTGRES = 5490
const INSTANCES = [3001, 3002, 3003]
const PORT = 8080

const missing = missingPrograms()
if (missing.length > 0) {
  console.error(`Not installed: ${missing.join(', ')}`)
  process.exit(1)
}

const folder = mkdtempSync(join(tmpdir(), 'orders-'))
/** What runs, in the order of the start. Services of one list don't need each other. */
const stages: (readonly Service[])[] = []

async function stop(): Promise<void> {
  for (const services of stages.splice(0).toReversed())
    await Promise.all(services.map((service) => service.stop()))
  rmSync(folder, { recursive: true, force: true })
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop())

const settings = {
  REDIS_URL: `redis://127.0.0.1:${REDIS}`,
  DATABASE_URL: `postgres://postgres@127.0.0.1:${POSTGRES}/postgres`,
  SESSION_SECRET: 'to try it out on this machine only',
  SECURE_COOKIES: 'false',
  DESK_PASSWORD: 'open sesame',
  CLIENTS: 'acme=acme-key,globex=globex-key',
  OTEL: process.env['OTEL'] ?? '',
}
try {
  stages.push(await Promise.all([startRedis(folder, REDIS), startPostgres(folder, POSTGRES)]))
  stages.push(await Promise.all(INSTANCES.map((port) => startInstance({ port, env: settings }))))
  const accessLog = join(folder, 'access.log')
  stages.push([await startBalancer({ folder, port: PORT, instances: INSTANCES, accessLog })])
} catch (error) {
  await stop()
  throw error
}

const url = `http://localhost:${PORT}`
console.log(`Three instances answer on ${url}

Try:
  curl -H 'x-api-key: acme-key' --json '{"article":"cup","quantity":2}' ${url}/orders
  curl -i -H 'x-api-key: acme-key' ${url}/orders
  curl -i -H 'x-api-key: acme-key' -H 'x-api-version: 1' ${url}/orders      (item instead of article, deprecated)
  curl -c jar --json '{"operator":"ann","password":"open sesame"}' ${url}/desk/session
  curl -b jar ${url}/desk/session
  curl http://localhost:${INSTANCES[0]}/metrics                             (each instance has its own)
  kill -9 ${stages[1]?.[0]?.child.pid}                                          (the others go on)

Ctrl+C stops all of it.`)

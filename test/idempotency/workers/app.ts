import cluster from 'node:cluster'

import { createClient } from '@redis/client'
import { Redis } from 'ioredis'
import { defineController, reply } from 'octavo'
import { idempotency } from 'octavo/idempotency'
import { createRedisStore } from 'octavo/stores'
import { z } from 'zod'

import { serve } from '../../support/serve.ts'

/** The program of the tests: four workers that share a Redis at a socket, by each of the clients. */
const [path = ''] = process.argv.slice(2)

const ioredis = new Redis({ path, maxRetriesPerRequest: 1 })
const redis = createClient({ socket: { path, tls: false } })
await redis.connect()

const controllers = Object.entries({ ioredis, redis }).map(([name, client]) =>
  defineController({
    name,
    interceptors: [idempotency({ store: createRedisStore(client), lease: 5 })],
    routes: [
      {
        method: 'POST',
        input: { body: z.object({ name: z.string(), dies: z.boolean().optional() }) },
        handler: async ({ body }) => {
          const run = await ioredis.incr(`runs:${body.name}`)
          if (body.dies === true) process.kill(process.pid, 'SIGKILL')
          return reply(201, { run, at: new Date(0) }, { headers: { 'x-run': String(run) } })
        },
      },
    ],
  }),
)
const app = serve(controllers)
const url = await app.listen({ port: 0, host: '127.0.0.1', workers: 4 })
if (cluster.isPrimary) console.log(url)

import { createClient } from '@redis/client'
import { defineController } from 'octavo'
import { bearerAuth } from 'octavo/auth'
import { rateLimit } from 'octavo/middleware'
import { createRedisStore } from 'octavo/stores'

import { serve } from '../support/serve.ts'

/** The program of the test: four workers that count together in the Redis of the socket in `REDIS`. */
const PLANS: Readonly<Record<string, number>> = { free: 10, team: 40, open: Infinity }

const redis = createClient({ socket: { path: process.env['REDIS'] ?? '', tls: false } })
redis.on('error', () => undefined)
await redis.connect()

interface Client {
  readonly id: string
  readonly plan: string
}

const SignedIn = bearerAuth({ verify: (token): Client => ({ id: token, plan: token.split('-')[0] ?? '' }) })
const daily = rateLimit<Client>({
  name: 'day',
  by: ({ identity }) => identity.id,
  limit: async ({ identity }) => PLANS[identity.plan] ?? 0,
  window: 86_400,
  store: createRedisStore(redis),
  storeTimeout: 10_000,
  onStoreError: 'refuse',
})
const cars = defineController({
  prefix: '/car',
  guards: [SignedIn, daily],
  routes: [{ method: 'GET', handler: () => process.pid }],
})
const app = serve(cars)
console.log(JSON.stringify({ url: await app.listen({ port: 0, host: '127.0.0.1', workers: 4 }) }))

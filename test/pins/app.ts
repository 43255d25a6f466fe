import cluster from 'node:cluster'

import { createClient } from '@redis/client'
import { defineController, VersioningSchemes } from 'octavo'
import { pinned } from 'octavo/pins'
import { createRedisStore } from 'octavo/stores'

import { serve } from '../support/serve.ts'

/**
 * The program of the test: four workers that share the pins in the Redis of the socket in `REDIS`. Each worker would pin new clients to
 * another version, unless `FIRST` names one for all.
 */
const redis = createClient({
  socket: { path: process.env['REDIS'] ?? '', tls: false, reconnectStrategy: 50 },
  disableOfflineQueue: true,
})
redis.on('error', () => undefined)
if (cluster.isWorker) await redis.connect()

const shared = createRedisStore(redis)
const own = String(1 + (((cluster.worker?.id ?? 1) - 1) % 4))
const pins = pinned({
  client: (request) => request.header('x-account'),
  store: {
    ...shared,
    set: async (key, version, options) => {
      const isStored = await shared.set(key, version, options)
      if (isStored && options?.ifAbsent === true) await redis.hIncrBy('writes', key.replace('pin:', ''), 1)
      return isStored
    },
  },
  onFirstUse: () => process.env['FIRST'] ?? own,
  otherwise: '1',
  // requests ask Redis again and again, and a slow machine gets no error of its own
  ttl: 20,
  storeTimeout: 10_000,
})
const versions = ['5', '4', '3', '2', '1'] as const
const cars = defineController({
  prefix: '/car',
  version: versions,
  routes: [
    { method: 'GET', handler: (_input, { version }) => ({ version, pid: process.pid }) },
    {
      method: 'PUT',
      handler: async (_input, { version, request }) => {
        await pins.upgrade(request.header('x-account') ?? '', version ?? '')
      },
    },
  ],
})
const app = serve(cars)
app.enableVersioning(VersioningSchemes.QUERY, { defaultVersion: pins, vary: ['x-account'] })
const url = await app.listen({ port: 0, host: '127.0.0.1', workers: 4 })
if (cluster.isPrimary) console.log(JSON.stringify({ url }))

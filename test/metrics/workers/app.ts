import cluster from 'node:cluster'

import { defineController } from 'octavo'
import { createMetrics } from 'octavo/metrics'

import { serve } from '../../support/serve.ts'

/** The program of the tests: two workers, and metrics on a port of their own in the process that keeps them. */
const cars = defineController({
  prefix: '/car',
  routes: [{ method: 'GET', handler: () => process.pid }],
})
const metrics = createMetrics()
const app = serve([cars, metrics.controller])
const url = await app.listen({ port: 0, host: '127.0.0.1', workers: 2 })
if (cluster.isPrimary) {
  const own = serve(metrics.controller)
  console.log(JSON.stringify({ url, own: await own.listen({ port: 0, host: '127.0.0.1' }) }))
}

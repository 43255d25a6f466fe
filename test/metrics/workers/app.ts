import cluster from 'node:cluster'

import { createApp, defineController, defineModule } from 'octavo'
import { createMetrics } from 'octavo/metrics'

/** The program of the tests: two workers, and metrics on a port of their own in the process that keeps them. */
const cars = defineController({
  prefix: '/car',
  routes: [{ method: 'GET', handler: () => process.pid }],
})
const metrics = createMetrics()
const app = createApp(defineModule({ controllers: [cars, metrics.controller] }), { logger: false })
const url = await app.listen({ port: 0, host: '127.0.0.1', workers: 2 })
if (cluster.isPrimary) {
  const own = createApp(defineModule({ controllers: [metrics.controller] }), { logger: false })
  console.log(JSON.stringify({ url, own: await own.listen({ port: 0, host: '127.0.0.1' }) }))
}

import { spawn, spawnSync } from 'node:child_process'
import cluster from 'node:cluster'

import { createApp, defineController, defineModule } from 'octavo'

/** The server that the tests of stalled log readers start: it logs with the default logger and sends its URL to its parent. */
// tsx makes the output non-blocking, and a child that shares it makes it blocking as it was
spawnSync('true', { stdio: 'inherit' })
const workers = Number(process.argv[2])

/** Lines that this process logged. */
let count = 0

const controller = defineController({
  prefix: '/',
  routes: [
    {
      method: 'GET',
      path: '/{size:int}',
      handler: ({ params }, { log }) => {
        log.info({ index: count++, by: process.pid, text: 'x'.repeat(params.size) }, 'line')
        return count
      },
    },
    {
      // this makes the output blocking again
      method: 'GET',
      path: '/child',
      handler: async () => {
        const child = spawn('true', { stdio: 'inherit' })
        await new Promise((resolve) => child.once('close', resolve))
        return 'ended'
      },
    },
  ],
})
const app = createApp(defineModule({ controllers: [controller] }))
const url = await app.listen({ port: 0, host: '127.0.0.1', ...(workers > 0 && { workers }) })
if (cluster.isPrimary) process.send?.(url)

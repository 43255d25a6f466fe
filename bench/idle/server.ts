/** A server whose connections stay, in a process that tells how much memory it takes: `node server.js octavo`. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import { createApp, defineController, defineModule } from 'octavo'
import type { ListenOptions } from 'octavo'
import { direct } from 'octavo/engine'
import { defineUpstream } from 'octavo/upstream'
import type { Upstream } from 'octavo/upstream'

/** How much memory the process takes, in bytes. */
export interface Memory {
  readonly rss: number
  readonly heap: number
  readonly connections: number
}

/** Milliseconds: longer than anything that is measured. */
const IDLE = 3_600_000

async function listen(options: ListenOptions, forward?: Upstream): Promise<number> {
  const hello = defineController({
    prefix: '/',
    routes: [
      forward === undefined
        ? { method: 'GET', handler: () => ({ hello: 'world' }) }
        : { method: 'GET', forward },
    ],
  })
  const app = createApp(defineModule({ controllers: [hello] }), { logger: false, timeouts: { idle: IDLE } })
  return Number(new URL(await app.listen({ port: 0, host: '127.0.0.1', ...options })).port)
}

/** In front of another process, which answers the same. */
async function listenInFront(): Promise<number> {
  const behind = fork(fileURLToPath(import.meta.url), ['node:http'])
  const [port] = await once(behind, 'message')
  const api = defineUpstream({ name: 'API', url: `http://127.0.0.1:${port}` })
  return listen({}, api)
}

const SERVERS: Readonly<Record<string, () => Promise<number>>> = {
  octavo: () => listen({}),
  'octavo, in front of an API': listenInFront,
  'octavo, direct engine': () => listen({ engine: direct() }),
  'node:http': () =>
    new Promise((resolve) => {
      const body = JSON.stringify({ hello: 'world' })
      const server = createServer({ keepAliveTimeout: IDLE }, (_request, response) => {
        response
          .writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
          .end(body)
      })
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
    }),
}

const port = await SERVERS[process.argv[2] ?? '']?.()
process.send?.(port)
process.on('message', async () => {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.()
    await delay(50)
  }
  const { rss, heapUsed: heap } = process.memoryUsage()
  const connections = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
  process.send?.({ rss, heap, connections } satisfies Memory)
})
process.on('disconnect', () => process.exit())

import cluster from 'node:cluster'
import { createServer } from 'node:net'
import { availableParallelism } from 'node:os'

import { WORKER_VARIABLE } from './worker.ts'

/**
 * Returns the role of this process: one that keeps workers, one of these, or one that serves alone since another program, such as a process
 * manager, has made it a worker of its own.
 */
export function roleOf(): 'primary' | 'worker' | 'alone' {
  if (cluster.isPrimary) return 'primary'
  return process.env[WORKER_VARIABLE] === undefined ? 'alone' : 'worker'
}

/** How many workers an option of `listen` asks for. */
export function workerCount(workers: number | 'auto' = 1): number {
  return workers === 'auto' ? availableParallelism() : workers
}

/** A port that nothing listens at: workers that each ask for any port share one only as long as some of them are there. */
export function findPort(host: string | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ port: 0, ...(host === undefined ? {} : { host }) }, () => {
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      server.close(() => resolve(port))
    })
  })
}

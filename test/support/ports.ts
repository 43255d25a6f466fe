import { createServer } from 'node:net'

/**
 * Below the ports that systems give to connections and to servers that ask for any port, so that no other test takes one between `findPort`
 * and its use. Processes begin at different places.
 */
const RANGE = { first: 12_000, count: 20_000 } as const
let next = (process.pid * 97) % RANGE.count

/** Finds a port that nothing listens on. */
export async function findPort(): Promise<number> {
  for (let tries = 0; tries < RANGE.count; tries++) {
    const port = RANGE.first + next
    next = (next + 1) % RANGE.count
    if (await isFree(port)) return port
  }
  throw new Error('All ports are in use')
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, () => server.close(() => resolve(true)))
  })
}

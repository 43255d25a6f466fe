import { createServer } from 'node:net'

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

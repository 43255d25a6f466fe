import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { after } from 'node:test'

/** Starts a server that ends with the tests, and resolves to its address. */
export async function startServer(server: Server): Promise<string> {
  if (server.address() === null) {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  }
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return `http://127.0.0.1:${address.port}`
}

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { after } from 'node:test'
import { gunzipSync } from 'node:zlib'

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

/** An item that Sentry was sent, such as an event or a list of spans. */
export interface SentryItem {
  readonly type: string
  readonly body: ReturnType<typeof Object>
}

/** Starts a server that takes envelopes of Sentry, and returns the DSN of a project and what it was sent. */
export async function startSentry(): Promise<{ readonly dsn: string; readonly items: SentryItem[] }> {
  const items: SentryItem[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const bytes = Buffer.concat(chunks)
      const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes
      // lines of JSON: the head, then a head and a body for each item
      const [, head = '{}', body = '{}'] = String(text).split('\n')
      items.push({ type: JSON.parse(head).type, body: JSON.parse(body) })
      response.end('{}')
    })
  })
  const address = await startServer(server)
  return { dsn: `${address.replace('://', '://key@')}/1`, items }
}

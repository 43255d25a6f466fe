/** The API behind: 1 kB of JSON, and bytes in both directions. Prints its port. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const CHUNK = Buffer.alloc(65_536)
const BODY = JSON.stringify({ id: 7, label: 'Bee', town: 'x'.repeat(970) })
const LENGTH = Buffer.byteLength(BODY)

const server = createServer((request, response) => {
  const size = Number(/^\/bytes\/(\d+)/.exec(request.url ?? '')?.[1] ?? -1)
  if (request.method === 'POST') {
    let received = 0
    request.on('data', (chunk: Buffer) => {
      received += chunk.length
    })
    request.on('end', () => response.end(String(received)))
  } else if (size >= 0) {
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': size })
    let left = size
    const write = (): void => {
      while (left > 0) {
        const chunk = left < CHUNK.length ? CHUNK.subarray(0, left) : CHUNK
        left -= chunk.length
        if (!response.write(chunk)) return void response.once('drain', write)
      }
      response.end()
    }
    write()
  } else {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': LENGTH })
    response.end(BODY)
  }
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.once('disconnect', () => process.exit())

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'

import { defineController, defineGuard, unauthorized } from 'octavo'

import { ENGINES, open, readUntil } from '../node/support.ts'
import { serve } from '../support/serve.ts'
import { garageAt } from './garage.ts'
import { startRaw } from './raw-server.ts'

const KEY = 'dGhlIHNhbXBsZSBub25jZQ=='
const ACCEPT = createHash('sha1').update(`${KEY}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
const HANDSHAKE = `Host: a.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${KEY}\r\n`

const SignedIn = defineGuard({
  name: 'SignedIn',
  canActivate: ({ request }) => {
    if (request.header('authorization') === undefined) throw unauthorized('Sign in')
    return true
  },
})

for (const [engine, options] of Object.entries(ENGINES)) {
  describe(`WebSockets of an upstream, on ${engine}`, () => {
    it('pass after guards, in both directions, until one side ends', async () => {
      const heads: string[] = []
      const behind = await startRaw((socket, head) => {
        heads.push(head)
        if (head.includes('/rooms/closed'))
          return void socket.write('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno')
        socket.removeAllListeners('data')
        socket.write(
          `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${ACCEPT}\r\n\r\nfirst;`,
        )
        socket.on('data', (chunk) => socket.write(`echo ${String(chunk)};`))
      })
      const garage = garageAt(behind.url)
      const controller = defineController({
        prefix: '/rooms',
        guards: [SignedIn],
        routes: [{ method: 'GET', path: '/{room}', upgrade: 'websocket', forward: garage }],
      })
      const app = serve(controller)
      const url = await app.listen({ port: 0, host: '127.0.0.1', ...options })

      const refused = await open(url)
      refused.write(`GET /rooms/one HTTP/1.1\r\n${HANDSHAKE}\r\n`)
      assert.match(await readUntil(refused, /\r\n\r\n/), /^HTTP\/1\.1 401/)
      assert.equal(heads.length, 0)

      const closed = await open(url)
      closed.write(`GET /rooms/closed HTTP/1.1\r\n${HANDSHAKE}Authorization: a\r\n\r\n`)
      assert.match(await readUntil(closed, /no$/), /^HTTP\/1\.1 403/)

      const client = await open(url)
      client.write(`GET /rooms/one HTTP/1.1\r\n${HANDSHAKE}Authorization: a\r\n\r\n`)
      const head = await readUntil(client, /first;/)
      assert.match(head, /^HTTP\/1\.1 101 Switching Protocols\r\n/)
      assert.match(head, new RegExp(`sec-websocket-accept: ${ACCEPT.replaceAll('+', String.raw`\+`)}`, 'i'))
      client.write('hello')
      assert.match(await readUntil(client, /;/), /^echo hello;/)
      client.destroy()
      for (let tries = 0; tries < 400 && behind.sockets.size > 1; tries++)
        await new Promise((resolve) => setTimeout(resolve, 10))
      await app.close()
      behind.close()
    })
  })
}

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { after, before, describe, it } from 'node:test'

import { createApp, defineController, defineModule } from 'octavo'

import { Database, DatabaseModule } from '../../../examples/operations/database.ts'

/** A message of the protocol of PostgreSQL, version 3: a type, its length and its content. */
function message(type: string, content: string | Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(Buffer.byteLength(content) + 4, 1)
  return Buffer.concat([head, Buffer.from(content)])
}

const READY = message('Z', 'I')
const WELCOME = Buffer.concat([message('R', Buffer.alloc(4)), READY])
const DONE = Buffer.concat([message('C', 'SELECT 0\0'), READY])
const refusal = (code: string): Buffer => message('E', `SFATAL\0C${code}\0Mno\0\0`)

describe('the database of the example of operations', () => {
  let answer: Buffer = DONE
  let server: Server
  before(async () => {
    server = createServer((socket) => {
      // the first message has no type
      socket.once('data', () => {
        socket.write(WELCOME)
        socket.on('data', (bytes) => {
          // Q is a query, and S ends one with parameters
          if (bytes[0] === 0x51 || bytes.includes(message('S', ''))) socket.write(answer)
        })
      })
      socket.on('error', () => undefined)
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
  })
  after(() => server.close())

  const cases: readonly (readonly [code: string, status: number, why: string])[] = [
    ['57P01', 503, 'an administrator stops the server'],
    ['57P02', 503, 'the server crashed'],
    ['57P03', 503, 'the server starts'],
    ['53300', 503, 'the server has too many connections'],
    ['08006', 503, 'the connection failed'],
    ['42P01', 500, 'there is no such table'],
    ['23505', 500, 'a value is not unique'],
  ]
  for (const [code, status, why] of cases) {
    it(`is ${status} if ${why} (${code})`, async () => {
      answer = DONE
      const { port } = server.address() as AddressInfo
      const orders = defineController({
        prefix: '/orders',
        inject: { database: Database },
        routes: [{ method: 'GET', handler: ({ inject }) => inject.database.query('SELECT 1') }],
      })
      const app = createApp(defineModule({ controllers: [orders], imports: [DatabaseModule] }), {
        logger: false,
        config: {
          databaseUrl: `postgres://octavo@127.0.0.1:${port}/octavo`,
          redisUrl: '',
          sessionSecret: 'x'.repeat(32),
          deskPassword: 'password',
          clients: 'acme=key',
        },
      })
      await app.ready()
      answer = refusal(code)
      assert.equal((await app.inject('/orders')).statusCode, status)
      await app.close()
    })
  }
})

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'

import { defineController, upgrade } from 'octavo'
import { createMetrics } from 'octavo/metrics'
import { Registry } from 'prom-client'

import { LOOPBACK } from '../node/support.ts'
import { ADAPTERS } from '../otel/adapters.ts'
import { serve } from '../support/serve.ts'

/** An application with metrics of its own, and a function that reads how many requests are active. */
function create() {
  const { registry } = createMetrics({ registry: new Registry(), processMetrics: false })
  const read = async (): Promise<number> => {
    const line = await registry.getSingleMetricAsString('http_requests_active')
    return Number(line.split(' ').at(-1))
  }
  const seen: number[] = []
  const note = async (): Promise<void> => void seen.push(await read())
  const controller = defineController({
    prefix: '/car',
    routes: [
      { method: 'GET', handler: note },
      {
        method: 'GET',
        path: '/parts',
        handler: async function* parts() {
          yield 'wheel'
          await note()
          yield 'door'
        },
      },
      {
        method: 'GET',
        path: '/broken',
        handler: async () => {
          await note()
          throw new Error('of the test')
        },
      },
      {
        method: 'GET',
        path: '/endless',
        handler: async function* endless() {
          for (;;) {
            await delay(2)
            yield 'wheel'
          }
        },
      },
      {
        method: 'GET',
        path: '/radio',
        upgrade: 'websocket',
        handler: () =>
          upgrade(({ socket }) => {
            socket.write(
              'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
            )
            // its own end follows that of the client
            socket.pipe(socket)
          }),
      },
    ],
  })
  const app = serve(controller)
  const isActive = async (count: number): Promise<void> => {
    for (let tries = 0; tries < 6_000 && (await read()) !== count; tries++) await delay(10)
    assert.equal(await read(), count)
  }
  return { app, seen, isActive }
}

describe('http_requests_active', () => {
  for (const [adapter, { ask }] of Object.entries(ADAPTERS)) {
    it(`counts requests over ${adapter} until their response has ended`, async () => {
      const { app, seen, isActive } = create()
      for (const path of ['/car', '/car/parts', '/car/broken', '/nothing'])
        await ask(app, { method: 'GET', path, headers: {} })
      await isActive(0)
      assert.deepEqual(seen, [1, 1, 1])
      await app.close()
    })
  }

  it('counts a stream until its client leaves', async () => {
    const { app, isActive } = create()
    const url = await app.listen(LOOPBACK)
    const abort = new AbortController()
    await fetch(`${url}/car/endless`, { signal: abort.signal })
    await isActive(1)
    abort.abort()
    await isActive(0)
    await app.close()
  })

  it('counts an upgraded connection until it is closed', async () => {
    const { app, isActive } = create()
    const { port, hostname } = new URL(await app.listen(LOOPBACK))
    const socket = connect(Number(port), hostname)
    socket.write(
      [
        'GET /car/radio HTTP/1.1',
        'Host: a.test',
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
        'Sec-WebSocket-Version: 13',
        '\r\n',
      ].join('\r\n'),
    )
    await once(socket, 'data')
    await isActive(1)
    socket.destroy()
    await isActive(0)
    await app.close()
  })

  it('does not keep requests that are passed on', async () => {
    const { app, isActive } = create()
    const server = createServer((request, response) => {
      app.handler(request, response, () => void response.end('outside'))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
    assert.equal(await (await fetch(`${url}/elsewhere`)).text(), 'outside')
    await isActive(0)
    server.close()
    await app.close()
  })
})

import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

import { Channels, createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import type { App, AppOptions } from 'octavo'

import { behind, createGate, createTestApp, LOOPBACK, open, parse, readAll, readUntil } from './support.ts'
import type { Gate } from './support.ts'

const REQUEST = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a.test\r\n\r\n`

interface Setup {
  readonly app: App
  readonly url: string
  readonly gate: Gate
  readonly ran: string[]
}

async function setUp(grace = 5_000): Promise<Setup> {
  const gate = createGate()
  const ran: string[] = []
  const app: App = createTestApp(
    defineController({
      prefix: '/',
      routes: [
        {
          method: 'GET',
          path: '/slow',
          handler: behind(gate, () => 'slow'),
        },
        {
          method: 'GET',
          path: '/fast',
          handler: () => {
            ran.push('fast')
            return 'fast'
          },
        },
        { method: 'GET', path: '/big', handler: () => 'x'.repeat(8_000_000) },
        {
          method: 'GET',
          path: '/close',
          handler: () => {
            void app.close()
            return 'closing'
          },
        },
        {
          method: 'GET',
          path: '/await-close',
          handler: async () => {
            await app.close()
            return 'closed'
          },
        },
      ],
    }),
    { timeouts: { grace } },
  )
  return { app, url: await app.listen(LOOPBACK), gate, ran }
}

describe('close', () => {
  it('waits for requests in flight, whose answers are the last on their connections', async () => {
    const { app, url, gate } = await setUp()
    const socket = await open(url)
    socket.write(REQUEST('/slow'))
    await gate.entered
    const closed = app.close()
    assert.equal(app.close(), closed)
    gate.open()
    const { statusLine, headers, body } = parse(await readAll(socket))
    await closed
    assert.deepEqual([statusLine, headers['connection'], body], ['HTTP/1.1 200 OK', 'close', '"slow"'])
  })

  it('breaks off what takes longer than the grace time', async () => {
    const { app, url, gate } = await setUp(50)
    const socket = await open(url)
    socket.on('error', () => undefined)
    socket.write(REQUEST('/slow'))
    await gate.entered
    const start = performance.now()
    await app.close()
    const took = performance.now() - start
    gate.open()
    // it waits for ever for a handler that is not broken off
    assert.ok(took >= 45, `took ${took} ms`)
    assert.equal(socket.destroyed || (await readAll(socket).catch(() => '')) === '', true)
  })

  for (const [title, text] of [
    ['silent', ''],
    ['half-sent', 'GET / HTTP/1.1\r\nHost: a'],
  ] as const) {
    it(`does not wait for ${title} connections`, async () => {
      const { app, url } = await setUp(60_000)
      const socket = await open(url)
      socket.on('error', () => undefined)
      const gone = new Promise((resolve) => socket.once('close', resolve))
      socket.resume().write(text)
      await app.close()
      await gone
    })
  }

  it('does not wait for kept connections', async () => {
    const { app, url } = await setUp(60_000)
    const socket = await open(url)
    socket.write(REQUEST('/fast'))
    await readUntil(socket, /"fast"$/)
    await app.close()
    socket.destroy()
  })

  it('refuses what arrives on a connection that is still busy', async () => {
    const { app, url, gate, ran } = await setUp()
    const socket = await open(url)
    socket.write(REQUEST('/slow'))
    await gate.entered
    const closed = app.close()
    socket.write(REQUEST('/fast'), () => setImmediate(gate.open))
    const answer = await readAll(socket)
    await closed
    assert.deepEqual(ran, [])
    assert.equal(parse(answer).body.startsWith('"slow"'), true)
    assert.doesNotMatch(answer, /"fast"/)
  })

  it('lets a slow reader have all of a long answer', async () => {
    const { app, url } = await setUp()
    const socket = await open(url)
    socket.write(REQUEST('/big'))
    await once(socket, 'readable')
    const closed = app.close()
    const { body } = parse(await readAll(socket))
    await closed
    assert.equal(body.length, 8_000_002)
  })

  it('can be called in a handler', async () => {
    const { app, url } = await setUp()
    const response = await fetch(`${url}/close`)
    assert.deepEqual([await response.json(), response.headers.get('connection')], ['closing', 'close'])
    await app.close()
  })

  it('awaited in a handler ends with the grace time', async () => {
    const { app, url } = await setUp(50)
    await assert.rejects(fetch(`${url}/await-close`), TypeError)
    await app.close()
  })

  it('waits for inject', async () => {
    const { app, gate } = await setUp()
    const injected = app.inject('/slow')
    await gate.entered
    const closed = app.close()
    gate.open()
    await closed
    assert.equal((await injected).body, '"slow"')
  })

  it('refuses requests of every kind', async () => {
    const { app, url } = await setUp()
    const server = createServer(app.handler).listen(0, '127.0.0.1')
    await once(server, 'listening')
    await app.close()
    await assert.rejects(app.inject('/fast'), new Error('The application is closed'))
    await assert.rejects(app.listen(LOOPBACK), new Error('The application is closed'))
    await assert.rejects(fetch(url), TypeError)
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/fast`)
    server.close()
    assert.deepEqual(
      [response.status, response.headers.get('connection'), await response.json()],
      [
        503,
        'close',
        {
          type: 'urn:octavo:problem:closing',
          title: 'Service Unavailable',
          status: 503,
          detail: 'The server is shutting down',
          code: 'closing',
        },
      ],
    )
  })

  it('while listen is under way: listen rejects, and nothing listens', async () => {
    const app = createTestApp(
      defineController({ prefix: '/', routes: [{ method: 'GET', handler: () => 1 }] }),
    )
    const before = process.listenerCount('SIGTERM')
    const listening = app.listen(LOOPBACK)
    await app.close()
    await assert.rejects(listening, new Error('The application is closed'))
    while (process.listenerCount('SIGTERM') > before) await nextTurn()
  })

  /** An application whose start takes a moment, and what happens in it. */
  function createStarting(options: AppOptions = {}) {
    const events: string[] = []
    const root = defineModule({
      onStart: async () => {
        await sleep(20)
        events.push('started')
      },
      onStop: () => void events.push('stopped'),
    })
    return { app: createApp(root, { logger: false, ...options }), events }
  }

  it('waits for the start that listen has begun', async () => {
    const { app, events } = createStarting()
    const listening = app.listen(LOOPBACK)
    await app.close()
    assert.deepEqual(events, ['started', 'stopped'])
    await assert.rejects(listening, new Error('The application is closed'))
  })

  for (const options of [{}, { health: { live: '/livez' } }]) {
    it(`waits for the start that a request of app.handler has begun, with ${JSON.stringify(options)}`, async () => {
      const { app, events } = createStarting(options)
      const server = createServer(app.handler).listen(0, '127.0.0.1')
      await once(server, 'listening')
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens at a port
      const { port } = server.address() as AddressInfo
      const asked = once(server, 'request')
      const response = fetch(`http://127.0.0.1:${port}/`)
      await asked
      await app.close()
      assert.deepEqual(events, ['started', 'stopped'])
      await response
      server.close()
    })
  }
})

describe('listen', () => {
  it('publishes its channel, handles signals and settles versioning in the turn in which it is called', async () => {
    const app = createApp(defineModule({}), { logger: false })
    const before = process.listenerCount('SIGTERM')
    let calls = 0
    const count = (): void => void calls++
    subscribe(Channels.listen, count)
    const listening = app.listen(LOOPBACK)
    unsubscribe(Channels.listen, count)
    assert.deepEqual([calls, process.listenerCount('SIGTERM') - before], [1, 1])
    assert.throws(() => app.enableVersioning(VersioningSchemes.URL), /call it before the first request/)
    await listening
    await app.close()
  })

  it('rejects when the port is taken, and leaves no signal handler', async () => {
    const { app, url } = await setUp()
    const other = createTestApp(
      defineController({ prefix: '/', routes: [{ method: 'GET', handler: () => 1 }] }),
    )
    const before = [process.listenerCount('SIGTERM'), process.listenerCount('SIGINT')]
    await assert.rejects(other.listen({ ...LOOPBACK, port: Number(new URL(url).port) }), {
      code: 'EADDRINUSE',
    })
    assert.deepEqual([process.listenerCount('SIGTERM'), process.listenerCount('SIGINT')], before)
    await app.close()
    assert.deepEqual([process.listenerCount('SIGTERM'), process.listenerCount('SIGINT')], [0, 0])
  })

  it('takes a limit for whole requests below the one for headers', async () => {
    const app = createTestApp(
      defineController({ prefix: '/', routes: [{ method: 'GET', handler: () => 1 }] }),
      { timeouts: { request: 1_000 } },
    )
    assert.equal((await fetch(await app.listen(LOOPBACK))).status, 200)
    await app.close()
  })
})

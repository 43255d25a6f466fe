import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { describe, it } from 'node:test'

import { createApp, defineModule, defineRouter } from 'octavo'
import type { App } from 'octavo'
import type { UpstreamOptions } from 'octavo/upstream'

import { ENGINES, exchange, readAll } from '../node/support.ts'
import { ConnectionQueue, type WaitingRequest } from '../inside/server.ts'
import { garageAt } from './garage.ts'
import { startRaw, type RawServer, type Script } from './raw-server.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'
const GET = 'GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n'

interface Front {
  readonly app: App
  readonly url: string
  readonly behind: RawServer
  /** Sends the beginning of a request from an address of this machine. */
  readonly begin: (text: string, localAddress?: string) => Socket
}

/** Serves an application that passes everything to a script over few connections. */
async function serve(
  script: Script,
  options: Partial<UpstreamOptions<{}>>,
  use: (front: Front) => Promise<void>,
  engine = {},
): Promise<void> {
  const behind = await startRaw(script)
  const garage = garageAt(behind.url, options)
  const app = createApp(defineModule({ routers: [defineRouter({ mount: garage })] }), { logger: false })
  const url = await app.listen({ port: 0, host: '127.0.0.1', ...engine })
  const clients: Socket[] = []
  const begin: Front['begin'] = (text, localAddress = '127.0.0.1') => {
    const client = connect({ host: '127.0.0.1', port: Number(new URL(url).port), localAddress })
    client.on('error', () => undefined)
    client.write(text)
    clients.push(client)
    return client
  }
  try {
    await use({ app, url, behind, begin })
  } finally {
    for (const client of clients) client.destroy()
    await app.close()
    behind.close()
  }
}

async function becomes(isTrue: () => boolean): Promise<boolean> {
  for (let tries = 0; tries < 400 && !isTrue(); tries++) await wait(10)
  return isTrue()
}

const wait = (time: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, time))

/** Answers everything but `/hold`. */
const holding: Script = (socket, head) => {
  if (!head.startsWith('GET /hold')) socket.write(OK)
}

for (const [engine, listen] of Object.entries(ENGINES)) {
  describe(`the connections to an upstream, on ${engine}`, () => {
    const long = 'POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 100000\r\n\r\n'
    const BEGINNINGS: Readonly<Record<string, string>> = {
      'a short body': 'POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 10\r\n\r\na',
      'a short body without a length':
        'POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n',
      'the first 64 KiB of a long body': `${long}${'a'.repeat(65_000)}`,
    }
    for (const [title, text] of Object.entries(BEGINNINGS))
      it(`are not taken by ${title} that has not arrived`, () =>
        serve(
          holding,
          { connections: 1 },
          async ({ begin, behind, url }) => {
            for (let count = 0; count < 4; count++) begin(text)
            await wait(30)
            assert.match(await exchange(url, GET), /^HTTP\/1.1 200/)
            assert.equal(behind.count(), 1)
          },
          listen,
        ))

    it('are freed by a long body that arrives too slowly, with 408', () =>
      serve(
        () => undefined,
        { connections: 1, timeouts: { body: 150 } },
        async ({ begin, behind }) => {
          const client = begin(`${long}${'a'.repeat(70_000)}`)
          const drip = setInterval(() => client.write('a'), 20)
          const answer = await readAll(client)
          clearInterval(drip)
          assert.match(answer, /^HTTP\/1.1 408 /)
          assert.match(answer, /"code":"request_timeout"/)
          assert.ok(await becomes(() => behind.sockets.size === 0))
        },
        listen,
      ))

    it('are not freed by a long body for which the API takes its time', () =>
      serve(
        (socket) => {
          socket.pause()
          setTimeout(() => {
            socket.removeAllListeners('data').resume()
            socket.write(OK)
          }, 400)
        },
        { connections: 1, timeouts: { body: 150, headers: 5000 } },
        async ({ begin }) => {
          const client = begin(`${long.replace('100000', '9000000')}${'a'.repeat(9_000_000)}`)
          const answer = new Promise((resolve) => client.once('data', resolve))
          assert.match(String(await answer), /^HTTP\/1.1 200 /)
        },
        listen,
      ))

    it('are freed by a response that its client does not read', () =>
      serve(
        (socket, head) => {
          if (head.startsWith('GET /long'))
            socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 30000000\r\n\r\n${'a'.repeat(30_000_000)}`)
          else socket.write(OK)
        },
        { connections: 1, timeouts: { body: 150 } },
        async ({ begin, url }) => {
          const client = begin(GET.replace('/', '/long')).pause()
          assert.match(await exchange(url, GET), /^HTTP\/1.1 200/)
          const answer = await readAll(client).catch(() => 'reset')
          assert.ok(answer.length < 30_000_000)
        },
        listen,
      ))

    it('are not all taken by one client', () =>
      serve(
        holding,
        { connections: 4 },
        async ({ begin, behind }) => {
          for (let count = 0; count < 10; count++) begin(GET.replace('/', '/hold'))
          assert.ok(await becomes(() => behind.count() === 3))
          const other = begin(GET, '127.0.0.2')
          assert.match(await readAll(other), /^HTTP\/1.1 200/)
        },
        listen,
      ))
  })
}

describe('the wait for a connection to an upstream', () => {
  it('counts for the time limit of the head', () =>
    serve(holding, { connections: 1, timeouts: { headers: 600 } }, async ({ app }) => {
      const since = performance.now()
      const answers = await Promise.all([1, 2, 3, 4].map(() => app.inject('/hold')))
      assert.deepEqual(
        answers.map(({ statusCode }) => statusCode),
        [504, 504, 504, 504],
      )
      // one after the other would take four times the limit, and undici measures no finer than a second
      assert.ok(performance.now() - since < 1700)
    }))

  it('ends with a client that leaves, which the API never sees', () => {
    const heads: string[] = []
    return serve(
      (socket, head) => {
        heads.push(head.split(' ', 2).join(' '))
        if (head.startsWith('GET /hold')) setTimeout(() => socket.write(OK), 100)
        else socket.write(OK)
      },
      { connections: 1 },
      async ({ begin, app }) => {
        const holder = app.inject('/hold')
        assert.ok(await becomes(() => heads.length === 1))
        const leaving = begin(
          'POST /left HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1\r\n\r\na',
          '127.0.0.2',
        )
        await wait(30)
        leaving.destroy()
        await wait(20)
        const last = app.inject('/last')
        assert.deepEqual([(await holder).statusCode, (await last).statusCode], [200, 200])
        assert.deepEqual(heads, ['GET /hold', 'GET /last'])
      },
    )
  })

  it('is a 503 at once if too many wait, of whom one client is three quarters at most', () =>
    serve(holding, { connections: 1, timeouts: { headers: 300 } }, async ({ app }) => {
      const of = async (remoteAddress: string, count: number): Promise<number[]> => {
        const list = Array.from({ length: count }, () => app.inject({ url: '/hold', remoteAddress }))
        return (await Promise.all(list)).map(({ statusCode }) => statusCode)
      }
      const answers = await Promise.all([of('10.0.0.1', 8), of('10.0.0.2', 3)])
      // one runs and six wait, and two others wait
      assert.deepEqual(answers, [
        [504, 504, 504, 504, 504, 504, 504, 503],
        [504, 504, 503],
      ])
    }))

  it('is in order, but for clients that have had their share', () => {
    const heads: string[] = []
    const free: (() => void)[] = []
    return serve(
      (socket, head) => {
        heads.push(head.split(' ', 2)[1] ?? '')
        free.push(() => socket.write(OK))
      },
      { connections: 2 },
      async ({ app }) => {
        // each has one of two at most
        const asked = [
          ['10.0.0.1', '/1a'],
          ['10.0.0.1', '/1b'],
          ['10.0.0.2', '/2a'],
          ['10.0.0.2', '/2b'],
          ['10.0.0.1', '/1c'],
        ].map(([remoteAddress = '', url = '']) => app.inject({ url, remoteAddress }))
        for (let count = 0; count < asked.length; count++) {
          assert.ok(await becomes(() => heads.length >= Math.min(5, count + 2)))
          free[count]?.()
        }
        await Promise.all(asked)
        assert.deepEqual(heads.slice(0, 2).toSorted(), ['/1a', '/2a'])
        assert.deepEqual(heads.toSorted(), ['/1a', '/1b', '/1c', '/2a', '/2b'])
        assert.ok(heads.indexOf('/1b') < heads.indexOf('/1c'))
      },
    )
  })
})

describe('the queue of an upstream', () => {
  it('goes on after requests that fail as soon as they start', () => {
    const queue = new ConnectionQueue(1)
    const started: string[] = []
    const make = (name: string, fails: boolean): WaitingRequest => {
      const request: WaitingRequest = {
        client: 'a',
        start() {
          started.push(name)
          if (fails) queue.leave(request)
        },
      }
      return request
    }
    const first = make('first', false)
    assert.equal(queue.enter(first), true)
    for (const request of [make('second', true), make('third', true), make('fourth', false)])
      assert.equal(queue.wait(request), true)
    queue.leave(first)
    assert.deepEqual(started, ['second', 'third', 'fourth'])
  })
})

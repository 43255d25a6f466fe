import assert from 'node:assert/strict'
import dns from 'node:dns'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:http2'
import { text } from 'node:stream/consumers'
import { describe, it, mock } from 'node:test'

import { createApp, defineModule, defineRouter, VersioningSchemes } from 'octavo'
import type { App } from 'octavo'
import { defineVersionChange, defineVersions, operation } from 'octavo/changes'
import type { Upstream } from 'octavo/upstream'

import { exchange } from '../node/support.ts'
import { Car, frontOf, garageAt, startServer, history } from './garage.ts'
import { startRaw } from './raw-server.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const BUSY = 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nbusy'

async function pass(garage: Upstream, use: (app: App) => Promise<void>): Promise<void> {
  const app = createApp(defineModule({ routers: [defineRouter({ mount: garage })] }), { logger: false })
  await use(app).finally(() => app.close())
}

describe('a request that is retried', () => {
  it('is one without a body that changes nothing, and gets the last response', async () => {
    const asked: string[] = []
    const behind = await startRaw((socket, head) => {
      const [line = ''] = head.split('\r\n')
      asked.push(line.replace(' HTTP/1.1', ''))
      socket.write(line.includes('once') && asked.length > 1 ? OK : BUSY)
    })
    await pass(garageAt(behind.url, { retries: 2 }), async (app) => {
      const outcomes: unknown[] = []
      for (const [method, url] of [
        ['GET', '/once'],
        ['GET', '/busy'],
        ['POST', '/busy'],
        ['PUT', '/busy'],
      ] as const) {
        asked.length = 0
        const { statusCode, body } = await app.inject({ method, url })
        outcomes.push([statusCode, body, asked.length])
      }
      assert.deepEqual(outcomes, [
        [200, 'ok', 2],
        [503, 'busy', 3],
        [503, 'busy', 1],
        [503, 'busy', 1],
      ])
    })
    behind.close()
  })

  it('is none of which a part has been passed on', async () => {
    let asked = 0
    const behind = await startRaw((socket) => {
      asked++
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n${'x'.repeat(100_000)}`, () =>
        socket.destroy(),
      )
    })
    await pass(garageAt(behind.url, { retries: 2 }), async (app) => {
      const url = await app.listen({ port: 0, host: '127.0.0.1' })
      const answer = await exchange(url, 'GET / HTTP/1.1\r\nHost: a.test\r\n\r\n').catch(() => 'reset')
      assert.ok(answer.length < 200_000)
      assert.equal(asked, 1)
    })
    behind.close()
  })
})

describe('a request behind', () => {
  it('has the host of the address, or that of the client if it is kept', async () => {
    const hosts: (string | undefined)[] = []
    const behind = await startRaw((socket, head) => {
      hosts.push(/^host: (.*)$/im.exec(head)?.[1])
      socket.write(OK)
    })
    for (const options of [{}, { host: 'keep' }] as const)
      await pass(garageAt(behind.url, options), async (app) => {
        await app.inject({ url: '/', headers: { host: 'api.test' } })
      })
    assert.deepEqual(hosts, [new URL(behind.url).host, 'api.test'])
    behind.close()
  })

  it('goes where its name leads when a connection is opened, and is a 502 if it leads nowhere', async () => {
    const behind = await startServer((_request, response) => response.setHeader('connection', 'close').end())
    const { port } = new URL(behind.url)
    let isKnown = true
    const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })
    mock.method(dns, 'lookup', (...given: readonly unknown[]) => {
      const found = given.at(-1)
      if (typeof found === 'function')
        found(isKnown ? null : unknown, isKnown ? [{ address: '127.0.0.1', family: 4 }] : undefined)
    })
    await pass(garageAt(`http://garage.test:${port}`), async (app) => {
      const statuses: number[] = []
      for (const known of [true, false, true]) {
        isKnown = known
        statuses.push((await app.inject('/')).statusCode)
      }
      assert.deepEqual(statuses, [200, 502, 200])
    })
    mock.restoreAll()
    behind.close()
  })
})

describe('a request over HTTP/2', () => {
  it('passes as one of HTTP/1.1, and its body as it arrives', async () => {
    let seen: IncomingMessage | undefined
    let size = 0
    const behind = await startServer((request, response) => {
      seen = request
      request.on('data', (chunk: Buffer) => {
        size += chunk.length
      })
      request.on('end', () => response.setHeader('keep-alive', 'timeout=9').end('taken'))
    })
    await pass(garageAt(behind.url), async (app) => {
      const session = connect(await app.listen({ port: 0, host: '127.0.0.1', http2: true }))
      const stream = session.request({ ':method': 'POST', ':path': '/a?b=c', 'x-a': 'b' })
      stream.end(Buffer.alloc(200_000))
      const [headers] = await once(stream, 'response')
      assert.equal(await text(stream), 'taken')
      assert.deepEqual([headers[':status'], headers['keep-alive']], [200, undefined])
      session.close()
    })
    const { host } = new URL(behind.url)
    assert.deepEqual([seen?.method, seen?.url, size], ['POST', '/a?b=c', 200_000])
    assert.deepEqual([seen?.headers.host, seen?.headers['x-a'], seen?.headers.via], [host, 'b', '1.1 octavo'])
    behind.close()
  })
})

describe('a response of the API behind', () => {
  it('has its own addresses as those of the version, and others as they are', async () => {
    const behind = await startRaw((socket, head) => {
      const own = head.includes('/other') ? 'https://other.test/cars/9' : `${behind.url}/api/cars/9?a=b`
      socket.write(
        `HTTP/1.1 201 Created\r\nLocation: ${own}\r\nLink: <${own}>; rel=self, </api>; rel=up\r\nContent-Length: 0\r\n\r\n`,
      )
    })
    const app = frontOf(garageAt(behind.url, { prefix: '/api' }))
    const { headers } = await app.inject('/v1/own')
    assert.deepEqual(
      [headers['location'], headers['link']],
      ['/v1/cars/9?a=b', '</v1/cars/9?a=b>; rel=self, </v1/>; rel=up'],
    )
    assert.equal((await app.inject('/v1/other')).headers['location'], 'https://other.test/cars/9')
    await app.close()
    behind.close()
  })

  it('is ours by any scheme and by the host that was sent, and each of our addresses begins with one slash', async () => {
    const behind = await startRaw((socket, head) => {
      const location = /x-location: (.*)/.exec(head)?.[1]?.trimEnd()
      socket.write(
        `HTTP/1.1 201 Created\r\nLocation: ${location}\r\nLink: <${location}>\r\nContent-Length: 0\r\n\r\n`,
      )
    })
    const { host, port } = new URL(behind.url)
    const cases: readonly (readonly [location: string, own: string])[] = [
      [`https://${host}/api/cars/9`, '/cars/9'],
      [`//${host}/api/cars/9?a`, '/cars/9?a'],
      [`HTTP://${host}/api`, '/'],
      [`http://${host}/api?x`, '/?x'],
      [`http://${host}/api#x`, '/#x'],
      ['/api?x', '/?x'],
      ['https://shop.test/api/cars/9', '/cars/9'],
      ['http://SHOP.test:443/api/cars/9', '/cars/9'],
      ['/api//evil.example/x', '/evil.example/x'],
      ['/api///evil.example/x', '/evil.example/x'],
      ['/api/\\evil.example/x', '/evil.example/x'],
      [`http://${host}/api//evil.example/x`, '/evil.example/x'],
      ['https://shop.test/login', 'https://shop.test/login'],
      ['https://shop.test:8443/api/cars/9', 'https://shop.test:8443/api/cars/9'],
      [`http://${host}@evil.example/api/x`, `http://${host}@evil.example/api/x`],
      [`http://127.0.0.1:1${port}/api/x`, `http://127.0.0.1:1${port}/api/x`],
      ['//evil.example/api', '//evil.example/api'],
      ['/api/a/../cars/9', '/cars/9'],
      ['/api/%2e%2e/admin', '/api/%2e%2e/admin'],
      ['/apiary', '/apiary'],
      ['cars/9', 'cars/9'],
    ]
    for (const options of [{}, { host: 'keep' }] as const) {
      const garage = garageAt(behind.url, { prefix: '/api', ...options })
      const plain = frontOf(garage, { versioning: { scheme: VersioningSchemes.QUERY, history } })
      const versioned = frontOf(garage)
      for (const [location, own] of cases) {
        const sent = { 'x-location': location }
        const { headers } = await plain.inject({ url: '/else', host: 'shop.test', headers: sent })
        assert.deepEqual([headers['location'], headers['link']], [own, `<${own}>`], location)
        const older = await versioned.inject({ url: '/v1/else', host: 'shop.test', headers: sent })
        if (own !== location) assert.match(String(older.headers['location']), /^\/v1\//, location)
      }
      await Promise.all([plain.close(), versioned.close()])
    }
    behind.close()
  })

  it('has the addresses that moved routes had in its version', async () => {
    const behind = await startRaw((socket, head) => {
      const location = /x-location: (.*)/.exec(head)?.[1]
      socket.write(`HTTP/1.1 201 Created\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`)
    })
    const garage = garageAt(behind.url, { prefix: '/api' })
    const moves = defineVersionChange({
      version: '2',
      title: 'Autos are cars',
      change: [operation({ route: 'cars.getOne', path: { was: '/autos/{id:int}' } })],
    })
    const versions = defineVersions({ versions: ['2', '1'], models: { Car }, changes: [moves] })
    const asked = [
      ['/own/v1/else', { scheme: VersioningSchemes.URL }],
      ['/own/else?version=1', { scheme: VersioningSchemes.QUERY }],
      ['/own/else', { scheme: VersioningSchemes.HEADER, headerParameter: 'x-version' }],
      ['/own/v2/else', { scheme: VersioningSchemes.URL }],
    ] as const
    const seen: unknown[] = []
    for (const [url, scheme] of asked) {
      const app = frontOf(garage, { prefix: '/own', versioning: { ...scheme, history: versions } })
      const locations = ['/api/cars/9?a=b', '/api/cars/here', '/api/cars/%', '/api/else#c'].map(
        async (location) => {
          const sent = { 'x-version': '1', 'x-location': location }
          const { headers } = await app.inject({ method: 'POST', url, headers: sent })
          return headers['location']
        },
      )
      seen.push(await Promise.all(locations))
      await app.close()
    }
    assert.deepEqual(seen, [
      ['/own/v1/autos/9?a=b', '/own/v1/cars/here', '/own/v1/cars/%', '/own/v1/else#c'],
      [
        '/own/autos/9?version=1&a=b',
        '/own/cars/here?version=1',
        '/own/cars/%?version=1',
        '/own/else?version=1#c',
      ],
      ['/own/autos/9?a=b', '/own/cars/here', '/own/cars/%', '/own/else#c'],
      ['/own/v2/cars/9?a=b', '/own/v2/cars/here', '/own/v2/cars/%', '/own/v2/else#c'],
    ])
    behind.close()
  })

  it('passes without early hints and trailers', async () => {
    const behind = await startRaw(
      (socket) =>
        void socket.write(
          'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\nHTTP/1.1 200 OK\r\nTrailer: x-sum\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nx-sum: 7\r\n\r\n',
        ),
    )
    await pass(garageAt(behind.url), async (app) => {
      const url = await app.listen({ port: 0, host: '127.0.0.1' })
      const answer = await exchange(url, 'GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n')
      assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/)
      assert.doesNotMatch(answer, /a\.css|x-sum|trailer/i)
    })
    behind.close()
  })
})

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as send } from 'node:http'
import type { Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'

import { createApp, defineModule, defineRouter } from 'octavo'
import type { App, Logger } from 'octavo'
import type { Upstream } from 'octavo/upstream'

import { ENGINES, exchange, open, readAll, readUntil } from '../node/support.ts'
import { serve } from '../support/serve.ts'
import { frontOf, garageAt } from './garage.ts'
import { startRaw } from './raw-server.ts'
import type { RawServer, Script } from './raw-server.ts'

const logged: unknown[] = []
const ignore = (): void => undefined
const logger: Logger = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: (details) => void logged.push(details),
}
const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'

/** The code of a problem. */
function codeOf({ body }: { readonly body: string }): string {
  const { code }: { readonly code: string } = JSON.parse(body)
  return code
}

/** Whether something becomes true soon. */
async function becomes(isTrue: () => boolean): Promise<boolean> {
  for (let tries = 0; tries < 400 && !isTrue(); tries++)
    await new Promise((resolve) => setTimeout(resolve, 10))
  return isTrue()
}

/** An application that passes everything, and closes with what is behind. */
async function pass(
  garage: Upstream,
  use: (url: string, app: App) => Promise<void>,
  options = {},
): Promise<void> {
  const app = createApp(defineModule({ routers: [defineRouter({ mount: garage })] }), { logger })
  const url = await app.listen({ port: 0, host: '127.0.0.1', ...options })
  try {
    await use(url, app)
  } finally {
    await app.close()
  }
}

describe('an upstream that does not answer', () => {
  it('is a 504 after its time limit', async () => {
    const behind = await startRaw(() => undefined)
    await pass(garageAt(behind.url, { timeouts: { headers: 100 } }), async (_url, app) => {
      const response = await app.inject('/')
      assert.deepEqual([response.statusCode, codeOf(response)], [504, 'upstream_timeout'])
    })
    behind.close()
  })

  it('is a 502 if it refuses connections or has no address', async () => {
    const gone = await startRaw(() => undefined)
    gone.close()
    for (const url of [gone.url, 'http://does-not-exist.invalid:81'])
      await pass(garageAt(url), async (_url, app) => {
        const response = await app.inject('/')
        assert.deepEqual([response.statusCode, codeOf(response)], [502, 'upstream_unreachable'])
        assert.doesNotMatch(response.body, /invalid:81|ECONN|ENOTFOUND|127\.0\.0\.1/)
      })
  })

  it('breaks the response off if its body stops', async () => {
    const behind = await startRaw((socket) => void socket.write(`${OK}Content-Length: 200000\r\n\r\n{`))
    await pass(garageAt(behind.url, { timeouts: { body: 100 } }), async (url) => {
      const text = await exchange(url, 'GET / HTTP/1.1\r\nHost: a.test\r\n\r\n').catch(() => 'reset')
      assert.ok(text === 'reset' || text.endsWith('{'), text)
    })
    behind.close()
  })
})

describe('connections to an upstream', () => {
  it('are kept, and one that ended meanwhile is no error of an idempotent request', async () => {
    // the second request of each connection ends it, as a server does whose time for idle connections is over
    const behind = await startRaw((socket, _head, nth) => {
      if (nth === 2) socket.destroy()
      else socket.write(`${OK}Content-Length: 2\r\n\r\n{}`)
    })
    await pass(garageAt(behind.url, { connections: 1 }), async (_url, app) => {
      for (let count = 0; count < 4; count++) assert.equal((await app.inject('/')).statusCode, 200)
      assert.equal(behind.count(), 4)
      const post = await app.inject({ method: 'POST', url: '/', body: 'a' })
      assert.equal(codeOf(post), 'upstream_unreachable')
    })
    behind.close()
  })

  it('are shared by several addresses, of which one may be down or dies', async () => {
    const answer: Script = (socket) => void socket.write(`${OK}Content-Length: 2\r\n\r\n{}`)
    const [gone, dying, behind] = [await startRaw(answer), await startRaw(answer), await startRaw(answer)]
    gone.close()
    await pass(garageAt([gone.url, dying.url, behind.url]), async (_url, app) => {
      for (let count = 0; count < 12; count++) {
        if (count === 6) {
          assert.ok(dying.count() > 0)
          dying.close()
        }
        // a connection may end while a request is sent, which one that may change something does not survive
        const sent = count < 6 ? { method: 'POST', url: '/', body: 'a' } : '/'
        const response = await app.inject(sent)
        assert.equal(response.statusCode, 200)
      }
    })
    behind.close()
  })

  it('close with the application', async () => {
    const behind = await startRaw((socket) => void socket.write(`${OK}Content-Length: 2\r\n\r\n{}`))
    await pass(garageAt(behind.url), async (_url, app) => {
      await app.inject('/')
      assert.equal(behind.sockets.size, 1)
    })
    assert.ok(await becomes(() => behind.sockets.size === 0))
    behind.close()
  })
})

describe('a response that a change needs', () => {
  const BODIES: Readonly<Record<string, (socket: Socket) => void>> = {
    'is not JSON': (socket) => void socket.write(`${OK}Content-Length: 4\r\n\r\n{"a"`),
    'breaks off': (socket) => void socket.end(`${OK}Transfer-Encoding: chunked\r\n\r\n5\r\n{"id"\r\n`),
    'is too long': (socket) => void socket.write(`${OK}Content-Length: 99999\r\n\r\n${'x'.repeat(99_999)}`),
    'is too long without a length': (socket) =>
      void socket.end(`${OK}Connection: close\r\n\r\n${'x'.repeat(99_999)}`),
    'breaks off in its coding': (socket) => {
      const bytes = gzipSync(JSON.stringify({ id: 7, label: 'Bee' })).subarray(0, -9)
      socket.write(`${OK}Content-Encoding: gzip\r\nContent-Length: ${bytes.length}\r\n\r\n`)
      socket.write(bytes)
    },
    'has an unknown coding': (socket) =>
      void socket.write(`${OK}Content-Encoding: own\r\nContent-Length: 2\r\n\r\n{}`),
  }
  let behind: RawServer
  let app: App
  let answer: (socket: Socket) => void = ignore

  before(async () => {
    behind = await startRaw((socket) => answer(socket))
    app = frontOf(garageAt(behind.url, { responseLimit: 50_000 }), { logger })
    await app.ready()
  })

  after(async () => {
    await app.close()
    behind.close()
  })

  for (const [name, respond] of Object.entries(BODIES))
    it(`and ${name} is a 502, with the reason in the log alone`, async () => {
      answer = respond
      logged.length = 0
      const response = await app.inject('/v1/cars/7')
      assert.equal(response.statusCode, 502)
      assert.match(codeOf(response), name === 'breaks off' ? /upstream_unreachable/ : /upstream_invalid/)
      assert.doesNotMatch(response.body, /six|gzip|50000|\{"id"/)
      assert.ok(logged.length > 0)
    })

  it('is converted and sent if it is not as its schema says', async () => {
    const text = '{"id":"six","label":"Bee"}'
    answer = (socket) => void socket.write(`${OK}Content-Length: ${text.length}\r\n\r\n${text}`)
    const response = await app.inject('/v1/cars/7')
    assert.deepEqual(response.json(), { id: 'six', name: 'Bee' })
  })

  it('is decoded', async () => {
    const bytes = gzipSync(JSON.stringify({ id: 7, label: 'Bee' }))
    answer = (socket) => {
      socket.write(`${OK}Content-Encoding: gzip\r\nContent-Length: ${bytes.length}\r\n\r\n`)
      socket.write(bytes)
    }
    const response = await app.inject({ url: '/v1/cars/7', headers: { 'accept-encoding': 'zstd, gzip' } })
    assert.deepEqual(response.json(), { id: 7, name: 'Bee' })
    assert.equal(response.headers['content-encoding'], undefined)
  })
})

for (const [engine, options] of Object.entries(ENGINES)) {
  describe(`a client on ${engine}`, () => {
    it('that leaves ends the request behind', async () => {
      const scripts: readonly Script[] = [
        () => undefined,
        (socket) => void socket.write(`${OK}Content-Length: 999999\r\n\r\n{`),
      ]
      for (const script of scripts) {
        let asked: Socket | undefined
        const behind = await startRaw((socket, head, nth) => {
          asked = socket
          script(socket, head, nth)
        })
        await pass(
          garageAt(behind.url),
          async (url) => {
            const client = await open(url)
            client.write('GET / HTTP/1.1\r\nHost: a.test\r\n\r\n')
            assert.ok(await becomes(() => asked !== undefined))
            client.destroy()
            assert.ok(await becomes(() => asked?.destroyed === true))
          },
          options,
        )
        behind.close()
      }
    })

    it('gets the answer to a long body that was refused at once', async () => {
      const behind = await startRaw((socket) => {
        socket.removeAllListeners('data')
        socket.resume()
        socket.write('HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\n{}')
      })
      await pass(
        garageAt(behind.url),
        async (url) => {
          const { hostname, port } = new URL(url)
          const request = send({
            hostname,
            port,
            method: 'POST',
            path: '/',
            headers: { 'content-length': 100_000_000 },
          })
          request.on('error', () => undefined)
          const chunk = Buffer.alloc(65_536)
          const write = (): void => {
            while (!request.destroyed && request.write(chunk)) if (request.writableEnded) return
            request.once('drain', write)
          }
          write()
          const [response] = await once(request, 'response')
          assert.equal(response.statusCode, 413)
          request.destroy()
        },
        options,
      )
      behind.close()
    })

    it('that breaks its body off ends the request behind, which never looks whole', async () => {
      const bodies: string[] = []
      let asked: Socket | undefined
      const behind = await startRaw((socket) => {
        asked = socket
        socket.removeAllListeners('data')
        socket.on('data', (chunk) => bodies.push(String(chunk)))
      })
      await pass(
        garageAt(behind.url),
        async (url) => {
          const client = await open(url)
          client.write('POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n')
          client.write(`11170\r\n${'half'.repeat(17_500)}\r\n`)
          assert.ok(await becomes(() => asked !== undefined))
          client.destroy()
          assert.ok(await becomes(() => asked?.destroyed === true))
          assert.doesNotMatch(bodies.join(''), /0\r\n\r\n$/)
        },
        options,
      )
      behind.close()
    })
  })

  describe(`shapes of smuggling on ${engine}`, () => {
    /** What a client sends, and how often the API behind is asked. */
    const SHAPES: Readonly<Record<string, readonly [text: string, asked: number]>> = {
      'both framings': ['Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG', 0],
      'two lengths': ['Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef', 0],
      'another coding': ['Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n', 0],
      'a blank before the colon': ['Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n', 0],
      'a length that the connection drops': [
        'Connection: close, content-length\r\nContent-Length: 2\r\n\r\nab',
        1,
      ],
      'a coding that the connection drops': [
        'Connection: close, transfer-encoding\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n',
        1,
      ],
      'a request in the body': [
        'Connection: close\r\nContent-Length: 40\r\n\r\nGET /other HTTP/1.1\r\nHost: behind.test\r\n\r\n',
        1,
      ],
      'a host in the target': [
        'Connection: close\r\nContent-Length: 2\r\nX-Forwarded-For: 6.6.6.6\r\n\r\nab',
        1,
      ],
    }
    let behind: RawServer
    let heads: string[] = []

    before(async () => {
      behind = await startRaw((socket, head) => {
        heads.push(head)
        socket.write(`${OK}Content-Length: 2\r\n\r\n{}`)
      })
    })

    after(() => behind.close())

    for (const [name, [text, asked]] of Object.entries(SHAPES))
      it(`such as ${name} reach the API behind ${asked} times`, async () => {
        await pass(
          garageAt(behind.url),
          async (url) => {
            heads = []
            const client = await open(url)
            client.on('error', () => undefined)
            client.write(`POST /own HTTP/1.1\r\nHost: a.test\r\n${text}`)
            await (asked === 0 ? readUntil(client, /HTTP\/1\.1 400/) : readAll(client))
            client.destroy()
            assert.equal(heads.length, asked)
            for (const head of heads) {
              assert.match(head, /^POST \/own HTTP\/1\.1\r\n/)
              assert.equal(head.match(/content-length|transfer-encoding/gi)?.length, 1)
              assert.doesNotMatch(head, /6\.6\.6\.6/)
            }
          },
          options,
        )
      })

    it('such as dot segments do not leave the path that guards protect', async () => {
      await pass(garageAt(behind.url), async (url) => {
        for (const path of ['/a/../b', '/a/%2e%2e/b', '/a/..%2fb', '/a/%252e%252e/b', '/a/..%5cb', '/.']) {
          heads = []
          const text = await exchange(
            url,
            `GET ${path} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n`,
          )
          assert.match(text, /^HTTP\/1\.1 400/, path)
          assert.deepEqual(heads, [])
        }
      })
    })
  })
}

describe('a route beside forward', () => {
  it('reads what it declares in the newest version, too, with validate', async () => {
    const behind = await startRaw((socket) => void socket.write(`${OK}Content-Length: 2\r\n\r\n{}`))
    const garage = garageAt(behind.url)
    const app = serve([{ method: 'POST', input: { query: ['size'] }, validate: true, forward: garage }], {
      logger,
    })
    assert.equal((await app.inject({ method: 'POST', url: '/' })).statusCode, 422)
    assert.equal((await app.inject({ method: 'POST', url: '/?size=1' })).statusCode, 200)
    await app.close()
    behind.close()
  })
})

import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'

import { createApp, defineModule, defineRouter } from 'octavo'
import type { App, Logger } from 'octavo'

import { ENGINES, open, readAll } from '../node/support.ts'
import { garageAt } from './garage.ts'
import { startRaw } from './raw-server.ts'
import type { RawServer, Script } from './raw-server.ts'

const JSON_HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'
const LONG = 'x'.repeat(100_000)

/** Sends a byte of a text at a time. */
function drip(socket: Socket, text: string, at = 0): void {
  if (at >= text.length || socket.destroyed) return
  socket.write(text[at] ?? '')
  setImmediate(() => drip(socket, text, at + 1))
}

/** What the API behind does at each path. */
const FAULTS: Readonly<Record<string, Script>> = {
  silent: () => undefined,
  'reset-before': (socket) => socket.resetAndDestroy(),
  'end-before': (socket) => socket.end(),
  'reset-after': (socket) => {
    socket.write(`${JSON_HEAD}Content-Length: 200000\r\n\r\n${LONG}`, () => socket.resetAndDestroy())
  },
  'half-chunk': (socket) => void socket.end(`${JSON_HEAD}Transfer-Encoding: chunked\r\n\r\nffff\r\nhalf`),
  'no-last-chunk': (socket) => void socket.end(`${JSON_HEAD}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n`),
  'bad-chunk': (socket) => void socket.end(`${JSON_HEAD}Transfer-Encoding: chunked\r\n\r\nnone\r\nhalf\r\n`),
  'short-length': (socket) => void socket.end(`${JSON_HEAD}Content-Length: 9\r\n\r\n{}`),
  'short-length-of-more': (socket) => void socket.end(`${JSON_HEAD}Content-Length: 200000\r\n\r\n${LONG}`),
  'long-body': (socket) =>
    void socket.write(`${JSON_HEAD}Content-Length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\n\r\n`),
  'two-lengths': (socket) =>
    void socket.write(`${JSON_HEAD}Content-Length: 2\r\nContent-Length: 4\r\n\r\n{}{}`),
  'both-framings': (socket) =>
    void socket.write(
      `${JSON_HEAD}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    ),
  'odd-length': (socket) => void socket.write(`${JSON_HEAD}Content-Length: -2\r\n\r\n{}`),
  'body-of-204': (socket) =>
    void socket.write('HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nHTTP/1.1 200 OK\r\n\r\n'),
  'odd-coding': (socket) => void socket.end(`${JSON_HEAD}Transfer-Encoding: chunked, gzip\r\n\r\n{}`),
  'endless-headers': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const more = (): void => {
      if (!socket.destroyed && socket.write(`x-a: ${LONG.slice(0, 4096)}\r\n`)) setImmediate(more)
    }
    more()
  },
  'endless-1xx': (socket) => {
    const more = (): void => {
      if (!socket.destroyed && socket.write('HTTP/1.1 102 Processing\r\n\r\n')) setImmediate(more)
    }
    more()
  },
  'continue-unasked': (socket) =>
    void socket.write(`HTTP/1.1 100 Continue\r\n\r\n${JSON_HEAD}Content-Length: 2\r\n\r\n{}`),
  'no-http': (socket) => void socket.end('220 smtp.example ESMTP\r\n\r\n'),
  'status-999': (socket) => void socket.write('HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n'),
  'unasked-101': (socket) =>
    void socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n'),
  'injected-header': (socket) =>
    void socket.write('HTTP/1.1 200 OK\r\nx-a: b\u0000c\r\nContent-Length: 0\r\n\r\n'),
  closes: (socket) => void socket.end(`${JSON_HEAD}Connection: close\r\nContent-Length: 2\r\n\r\n{}`),
  slowly: (socket) => drip(socket, `${JSON_HEAD}Content-Length: 13\r\n\r\n{"slow":true}`),
  old: (socket) => void socket.end('HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n{"old":true}'),
  redirect: (socket) =>
    void socket.write('HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n'),
  cookies: (socket) =>
    void socket.write(
      'HTTP/1.1 204 No Content\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2; Path=/\r\nKeep-Alive: timeout=5\r\nX-Own: 1\r\nConnection: keep-alive, x-own\r\n\r\n',
    ),
}

const INVALID = [502, 'upstream_invalid'] as const
const UNREACHABLE = [502, 'upstream_unreachable'] as const

/** The status and the code, or the body, that the client gets. Those that break off have a head and no whole body. */
const ROWS: Readonly<Record<string, readonly [number, string] | 'breaks off'>> = {
  'reset-before': UNREACHABLE,
  'end-before': UNREACHABLE,
  'reset-after': 'breaks off',
  'half-chunk': 'breaks off',
  'no-last-chunk': 'breaks off',
  'bad-chunk': 'breaks off',
  'short-length': UNREACHABLE,
  'short-length-of-more': 'breaks off',
  'long-body': [200, '{}'],
  'two-lengths': INVALID,
  'both-framings': INVALID,
  'odd-length': INVALID,
  'body-of-204': [204, ''],
  'odd-coding': INVALID,
  'endless-headers': INVALID,
  'endless-1xx': INVALID,
  'no-http': INVALID,
  'status-999': INVALID,
  'unasked-101': UNREACHABLE,
  'injected-header': INVALID,
  closes: [200, '{}'],
  slowly: [200, '{"slow":true}'],
  old: [200, '{"old":true}'],
  redirect: [302, ''],
  cookies: [204, ''],
}

const ignore = (): void => undefined
const logger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore }

for (const [engine, options] of Object.entries(ENGINES)) {
  describe(`an upstream with faults, on ${engine}`, () => {
    let behind: RawServer
    let app: App
    let url: string

    before(async () => {
      behind = await startRaw((socket, head, nth) => {
        const name = /^\S+ \/([^ ?]*)/.exec(head)?.[1] ?? ''
        FAULTS[name]?.(socket, head, nth)
      })
      const module = defineModule({ routers: [defineRouter({ mount: garageAt(behind.url) })] })
      app = createApp(module, { logger })
      url = await app.listen({ port: 0, host: '127.0.0.1', ...options })
    })

    after(async () => {
      behind.close()
      await app.close()
    })

    /** Everything that a client receives until its connection ends. */
    async function ask(path: string): Promise<string> {
      const socket = await open(url)
      socket.on('error', () => undefined)
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n`)
      return readAll(socket).catch(() => 'reset')
    }

    for (const [name, expected] of Object.entries(ROWS))
      it(`that is ${name} is answered as the table says`, async () => {
        const text = await ask(`/${name}`)
        if (expected === 'breaks off') return assert.ok(isBroken(text), text.slice(0, 300))
        const [status, content] = expected
        const [head = '', body = ''] = text.split('\r\n\r\n', 2)
        assert.equal(Number(head.split(' ')[1]), status, text.slice(0, 300))
        if (status === 502) assert.equal(JSON.parse(body).code, content)
        else assert.equal(body.replaceAll(/^[\da-f]+\r\n|\r\n0?$/gm, ''), content)
      })

    it('passes cookies line by line, and no header of the connection', async () => {
      const text = await ask('/cookies')
      assert.match(text, /set-cookie: a=1\r\nset-cookie: b=2; Path=\/\r\n/i)
      assert.doesNotMatch(text, /x-own|timeout=5/i)
    })
  })
}

/** Whether a response shows that it is not whole. */
function isBroken(text: string): boolean {
  if (text === 'reset') return true
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const body = rest.join('\r\n\r\n')
  const length = /content-length: (\d+)/i.exec(head)?.[1]
  if (length !== undefined) return body.length < Number(length)
  return /transfer-encoding: chunked/i.test(head) && !body.endsWith('0\r\n\r\n') && rest.length < 3
}

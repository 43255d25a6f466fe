import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import type { Socket } from 'node:net'

import { defineController, reply, upgrade } from 'octavo'
import type { UpgradedConnection } from 'octavo'

import { createRandom } from '../fault/fuzz/random.ts'
import { TEST_TLS } from '../support/tls.ts'
import { createTestApp, ENGINES, open, PLACE } from './support.ts'

const SWITCHING = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'

/** Sends back what came with the handshake, then what comes. */
function echo({ socket, head }: UpgradedConnection): void {
  socket.on('error', () => undefined)
  socket.write(SWITCHING)
  socket.write(head)
  socket.pipe(socket)
}

const controller = defineController({
  prefix: '/',
  routes: [
    { method: 'GET', handler: () => 'home' },
    { method: 'GET', path: '/later', handler: async () => delay(5, 'later') },
    { method: 'GET', path: '/long', handler: async () => delay(60, 'long') },
    { method: 'POST', path: '/unread', handler: () => 'unread' },
    { method: 'GET', path: '/echo', upgrade: 'websocket', handler: () => upgrade(echo) },
    {
      method: 'GET',
      path: '/echo-later',
      upgrade: 'websocket',
      handler: async () => delay(5, upgrade(echo)),
    },
    { method: 'GET', path: '/refused', upgrade: 'websocket', handler: () => reply(403, 'no') },
    {
      method: 'GET',
      path: '/throws',
      upgrade: 'websocket',
      handler: () =>
        upgrade(() => {
          throw new Error('secret')
        }),
    },
  ],
})

const HOST = 'Host: a.test\r\n'
const get = (path: string, lines = ''): string => `GET ${path} HTTP/1.1\r\n${HOST}${lines}\r\n`
const handshake = (path = '/echo', lines = ''): string =>
  get(
    path,
    `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${lines}`,
  )

/** What is sent, in packets. */
const CASES: Readonly<Record<string, readonly string[]>> = {
  'a handshake': [handshake()],
  'bytes behind the head': [`${handshake()}frames`],
  'bytes in the next packets': [handshake(), 'frames', 'more'],
  'bytes that look like a request': [`${handshake()}${get('/')}`, get('/')],
  'a head in two packets': [handshake().slice(0, 40), `${handshake().slice(40)}frames`],
  'a handshake that takes time': [`${handshake('/echo-later')}frames`, 'more'],
  'bytes behind the head of one that takes time': [handshake('/echo-later'), 'a', 'b', 'c'],
  'a handshake behind requests': [`${get('/')}${get('/later')}${handshake()}frames`, 'more'],
  'bytes that come while a request before is answered': [
    `${get('/long')}${handshake()}frames`,
    'more',
    'last',
  ],
  'a handshake behind a request with a body': [
    `POST /unread HTTP/1.1\r\n${HOST}Content-Length: 4\r\n\r\nab`,
    `cd${handshake()}frames`,
  ],
  'a handshake behind HTTP/1.0': [`GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n${handshake()}frames`],
  'a handshake behind the last request': [`${get('/', 'Connection: close\r\n')}${handshake()}frames`],
  'a handshake with a body': [`${handshake('/echo', 'Content-Length: 4\r\n')}abcd`],
  'a handshake with an empty body': [`${handshake('/echo', 'Content-Length: 0\r\n')}frames`],
  'a handshake in chunks': [`${handshake('/echo', 'Transfer-Encoding: chunked\r\n')}0\r\n\r\n`],
  'a handshake that is refused': [`${handshake('/refused')}frames`],
  'a handshake that is refused behind another request': [`${get('/later')}${handshake('/refused')}frames`],
  'a handshake that fails': [`${handshake('/throws')}frames`],
  'a handshake at a path without upgrades': [`${handshake('/')}frames`],
  'a handshake at an unknown path': [`${handshake('/nowhere')}frames`],
  'a handshake without Host': [handshake().replace(HOST, '')],
  'a handshake with two Host lines': [handshake('/echo', HOST)],
  'a handshake of HTTP/1.0': [handshake().replace('HTTP/1.1', 'HTTP/1.0')],
  'a handshake with another method': [handshake().replace('GET', 'POST')],
  'two handshakes': [`${handshake()}${handshake()}`],
  CONNECT: [`CONNECT a.test:80 HTTP/1.1\r\n${HOST}\r\n`],
  'CONNECT and a request': [`CONNECT a.test:80 HTTP/1.1\r\n${HOST}\r\n${get('/')}`, get('/')],
  'CONNECT behind a request': [`${get('/later')}CONNECT a.test:80 HTTP/1.1\r\n${HOST}\r\n`],
  'another protocol': [get('/', 'Connection: upgrade\r\nUpgrade: h2c\r\n'), get('/')],
}

for (const over of ['TCP', 'TLS'] as const)
  describe(`handshakes over ${over}`, () => {
    const apps = { node: createTestApp(controller), direct: createTestApp(controller) }
    const urls = { node: '', direct: '' }
    const tls = over === 'TLS' ? { tls: TEST_TLS } : {}
    before(async () => {
      for (const engine of ['node', 'direct'] as const)
        urls[engine] = await apps[engine].listen({ ...PLACE, ...tls, ...ENGINES[engine] })
    })
    after(async () => {
      await apps.node.close()
      await apps.direct.close()
    })

    async function connect(url: string): Promise<Socket> {
      if (over === 'TCP') return open(url)
      const socket = connectTls({ port: Number(new URL(url).port), host: '127.0.0.1', ca: TEST_TLS.cert })
      await new Promise<void>((resolve) => socket.once('secureConnect', resolve))
      return socket
    }

    /** Sends packets, and keeps what comes back. */
    async function send(url: string, packets: readonly string[]) {
      const socket = await connect(url)
      const sent = { socket, text: '', closed: new Promise((resolve) => socket.once('close', resolve)) }
      socket.on('error', () => undefined).setNoDelay()
      socket.setEncoding('latin1').on('data', (chunk: string) => (sent.text += chunk))
      for (const packet of packets) {
        if (socket.writable) socket.write(packet, 'latin1')
        await delay(15)
      }
      return sent
    }

    const withoutDates = (text: string): string =>
      text.replaceAll(/^date: .*\r\n/gim, '').replaceAll(/"(?:requestId|instance)":"[^"]*"/g, '"id":""')

    for (const [title, packets] of Object.entries(CASES))
      it(`are answered byte by byte as node:http does: ${title}`, async () => {
        const both = await Promise.all([urls.direct, urls.node].map(async (url) => send(url, packets)))
        const texts = (): readonly string[] => both.map(({ text }) => withoutDates(text))
        const isSame = (): boolean => texts()[0] !== '' && texts()[0] === texts()[1]
        // one of them may be slower
        for (let round = 0; round < 300 && !isSame(); round++) await delay(10)
        await delay(20)
        for (const { socket } of both) if (socket.writable) socket.end()
        await Promise.all(both.map(async ({ closed }) => closed))
        const [direct, node] = texts()
        assert.equal(direct, node)
        assert.match(direct ?? '', /^HTTP\/1\.1 \d/)
      })

    it('leave nothing behind where the client resets the connection at any moment', async () => {
      const random = createRandom(4)
      const all = Object.values(CASES)
      for (let round = 0; round < 6; round++)
        await Promise.all(
          Array.from({ length: 10 }, async () => {
            const socket = await connect(urls.direct)
            socket.on('error', () => undefined)
            for (const packet of all[random.below(all.length)] ?? []) {
              socket.write(packet.slice(0, random.chance(0.3) ? random.below(packet.length) : packet.length))
              if (random.chance(0.5)) await delay(random.below(8))
            }
            if (over === 'TCP' && random.chance(0.7)) socket.resetAndDestroy()
            else socket.destroy()
          }),
        )
      const sent = await send(urls.direct, [`${handshake()}frames`])
      for (let round = 0; round < 300 && !sent.text.endsWith('frames'); round++) await delay(10)
      sent.socket.end()
      await sent.closed
      assert.match(sent.text, /\r\n\r\nframes$/)
    })
  })

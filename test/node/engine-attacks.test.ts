import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'

import { defineController } from 'octavo'
import { z } from 'zod'

import { createTestApp, open, readAll } from './support.ts'

const PLACE = { port: 0, host: '127.0.0.1' } as const

/** What ran, in order. */
const ran: string[] = []

const run = <T>(name: string, answer: T): T => {
  ran.push(name)
  return answer
}

const controller = defineController({
  prefix: '/',
  routes: [
    { method: 'GET', path: '/', handler: () => run('home', 'home') },
    { method: 'GET', path: '/later', handler: async () => delay(5, run('later', 'later')) },
    {
      method: 'POST',
      path: '/echo',
      input: { body: z.instanceof(Uint8Array) },
      handler: ({ body }) => run('echo', `echo ${body.length}`),
    },
    { method: 'POST', path: '/unread', handler: () => run('unread', 'unread') },
    { method: 'POST', path: '/unread-later', handler: async () => delay(5, run('unread', 'unread')) },
  ],
})

const HOST = 'Host: a.test\r\n'
const HOME = `GET / HTTP/1.1\r\n${HOST}\r\n`
const LAST = `GET / HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`
const post = (path: string, lines: string, body = ''): string =>
  `POST ${path} HTTP/1.1\r\n${HOST}${lines}\r\n${body}`
const UPGRADE = 'Connection: upgrade\r\nUpgrade: h2c\r\n'
const CHUNKED = 'Transfer-Encoding: chunked\r\n'
const EXPECT = 'Expect: 100-continue\r\n'

/** What is sent, the statuses that come back before the connection ends, and what runs. */
const ROWS: Readonly<Record<string, readonly [pieces: readonly string[], statuses: string, runs: string]>> = {
  'a body that was not asked for ends the connection': [
    [post('/unread', `Content-Length: 4\r\n${EXPECT}`, HOME.slice(0, 4)), HOME],
    '200',
    'unread',
  ],
  'nothing behind such a request runs': [
    [post('/unread-later', `Content-Length: 4\r\n${EXPECT}`, 'abcd') + HOME],
    '200',
    'unread',
  ],
  'a body that is asked for behind others': [
    [`GET /later HTTP/1.1\r\n${HOST}\r\n${post('/echo', `Content-Length: 4\r\n${EXPECT}`, 'abcd')}${LAST}`],
    '200 100 200 200',
    'echo home later',
  ],
  'an answer without length to HTTP/1.0 ends the connection': [
    [`OPTIONS / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n${LAST}`],
    '204',
    '',
  ],
  'a body whose request was answered is malformed: no second answer': [
    [post('/unread', CHUNKED, '2\r\nab\r\n0 \r\n\r\n')],
    '200',
    'unread',
  ],
  'the same in two packets': [[post('/unread', CHUNKED, '2\r\n'), 'abc\r\n'], '200', 'unread'],
  'an upgrade with a malformed body': [[post('/echo', CHUNKED + UPGRADE, '2\r\nabc\r\n')], '400', ''],
  'an upgrade with a body that ends too early': [
    [post('/echo', CHUNKED + UPGRADE, '2\r\nab\r\n')],
    '400',
    '',
  ],
  'an upgrade whose body comes in two packets': [
    [post('/echo', `Content-Length: 4\r\n${UPGRADE}`, 'ab'), `cd${HOME}${LAST}`],
    '200 200 200',
    'echo home home',
  ],
  'garbage behind an upgrade': [
    [`GET / HTTP/1.1\r\n${HOST}${UPGRADE}\r\n${HOME}G ET / HTTP/1.1\r\n\r\n`],
    '200 200 400',
    'home home',
  ],
  'garbage in the next packet behind an upgrade': [
    [`GET / HTTP/1.1\r\n${HOST}${UPGRADE}\r\n${HOME}GE`, 'G / HTTP/1.1\r\n\r\n'],
    '200 200 400',
    'home home',
  ],
  'a head that ends too early behind an upgrade': [
    [`GET / HTTP/1.1\r\n${HOST}${UPGRADE}\r\nGET / HTTP/1.1\r\n`],
    '200 400',
    'home',
  ],
  'a request behind one of another version': [[`GET / HTTP/2.0\r\n${HOST}\r\n${HOME}`], '400', ''],
}

describe('attacks on the direct engine', () => {
  const app = createTestApp(controller)
  let url = ''
  before(async () => {
    url = await app.listen({ ...PLACE, engine: 'direct' })
  })
  after(() => app.close())

  for (const [title, [pieces, statuses, runs]] of Object.entries(ROWS))
    it(`are answered with ${statuses}: ${title}`, async () => {
      ran.length = 0
      const socket = await open(url)
      socket.on('error', () => undefined).setNoDelay()
      const answer = readAll(socket)
      for (const piece of pieces) {
        socket.write(piece, 'latin1')
        await delay(20)
      }
      socket.end()
      assert.equal((await answer).match(/(?<=HTTP\/1\.1 )\d+/g)?.join(' '), statuses)
      assert.equal(ran.toSorted().join(' '), runs)
    })
})

describe('node:http', () => {
  it('runs nothing behind a request of another version', async () => {
    const app = createTestApp(controller)
    const url = await app.listen({ ...PLACE, engine: 'node' })
    ran.length = 0
    const socket = await open(url)
    socket.end(`GET / HTTP/2.0\r\n${HOST}\r\n${HOME}`)
    assert.match(await readAll(socket), /^HTTP\/1\.1 400 /)
    await app.close()
    assert.deepEqual(ran, [])
  })
})

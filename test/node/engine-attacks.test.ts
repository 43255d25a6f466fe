import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { defineController, reply } from 'octavo'
import { z } from 'zod'

import { createGate, createTestApp, ENGINES, open, PLACE, readAll } from './support.ts'

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
  'a request in the next packets behind an upgrade': [
    [`GET / HTTP/1.1\r\n${HOST}${UPGRADE}\r\n`, HOME.slice(0, 20), `${HOME.slice(20)}${LAST}`],
    '200 200 200',
    'home home home',
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

const statusesOf = (text: string): string | undefined => text.match(/(?<=HTTP\/1\.1 )\d+/g)?.join(' ')

describe('attacks on the direct engine', () => {
  const app = createTestApp(controller)
  let url = ''
  before(async () => {
    url = await app.listen({ ...PLACE, ...ENGINES.direct })
  })
  after(() => app.close())

  for (const [title, [pieces, statuses, runs]] of Object.entries(ROWS))
    it(`are answered with ${statuses}: ${title}`, async () => {
      ran.length = 0
      const socket = await open(url)
      socket.on('error', () => undefined).setNoDelay()
      let received = ''
      const answer = readAll(socket)
      socket.on('data', (text) => (received += String(text)))
      for (const piece of pieces) {
        socket.write(piece, 'latin1')
        await delay(20)
      }
      // a server that is told of the end before it has answered leaves the answer out
      for (let tries = 0; tries < 100 && statusesOf(received) !== statuses; tries++) await delay(10)
      await delay(10)
      socket.end()
      assert.equal(statusesOf(await answer), statuses)
      assert.equal(ran.toSorted().join(' '), runs)
    })
})

/** Bytes whose memory is elsewhere. */
function detached(): Uint8Array {
  const bytes = new Uint8Array(8)
  structuredClone(bytes, { transfer: [bytes.buffer] })
  return bytes
}

/** Results of handlers, and what comes back for them behind the status line and the date. */
const RESULTS: Readonly<Record<string, readonly [result: () => unknown, answer: RegExp]>> = {
  'bytes of a part of a buffer': [
    () => reply(200, Buffer.from('0123456789').subarray(2, 5)),
    /content-length: 3\r\n[^]*\r\n\r\n234$/,
  ],
  'bytes of shared memory': [
    () => reply(200, new Uint8Array(new SharedArrayBuffer(3)).fill(65)),
    /content-length: 3\r\n[^]*\r\n\r\nAAA$/,
  ],
  'text whose characters are of Latin-1': [
    () => ({ a: 'é' }),
    /content-length: 10\r\n[^]*\r\n\r\n\{"a":"Ã©"\}$/,
  ],
  'a stream whose bytes were transferred, which would seem complete': [
    async function* () {
      yield Buffer.from('a')
      yield detached()
    },
    /\r\n1\r\na\r\n$/,
  ],
  'a stream with its length': [
    () => reply(200, Readable.from([Buffer.from('abc')]), { headers: { 'content-length': '003' } }),
    /^HTTP\/1\.1 200 OK\r\ncontent-length: 3\r\n[^]*\r\n\r\nabc$/,
  ],
  'a list in Connection': [
    () => reply(200, 'a', { headers: { connection: 'x, close' } }),
    /^HTTP\/1\.1 200 OK\r\nconnection: x, close\r\n/,
  ],
  'a header that would end the head': [
    () => reply(200, 'a', { headers: { 'x-a': 'a\r\n\r\nb' } }),
    /^HTTP\/1\.1 500 /,
  ],
}

for (const engine of ['direct', 'node'] as const)
  describe(`a packet of many requests, with the engine ${engine}`, () => {
    /** Answers numbers once its gate is open. */
    async function serveBehind() {
      const gate = createGate()
      const counts = { runs: 0, posts: 0 }
      const waiting = defineController({
        prefix: '/',
        routes: [
          {
            method: 'GET',
            handler: async () => {
              const number = ++counts.runs
              gate.enter()
              await gate.opened
              return number
            },
          },
          { method: 'POST', handler: () => ++counts.posts },
        ],
      })
      const app = createTestApp(waiting)
      const socket = await open(await app.listen({ ...PLACE, ...ENGINES[engine] }))
      return { app, socket, gate, counts }
    }

    it('is answered whole and in order, and few of them run while the first one waits', async () => {
      const { app, socket, gate, counts } = await serveBehind()
      socket.write(HOME.repeat(500) + LAST)
      await gate.entered
      await delay(20)
      assert.equal(counts.runs, 64)
      gate.open()
      const numbers = (await readAll(socket)).match(/(?<=\r\n\r\n)\d+/g)?.map(Number)
      assert.deepEqual(
        numbers,
        Array.from({ length: 501 }, (_, at) => at + 1),
      )
      await app.close()
    })

    it('runs none of them that is malformed', async () => {
      const { app, socket, gate, counts } = await serveBehind()
      socket.write(HOME.repeat(100) + post('/', CHUNKED, '2\r\nabcd\r\n'))
      await gate.entered
      await delay(20)
      gate.open()
      const statuses = (await readAll(socket)).match(/(?<=HTTP\/1\.1 )\d+/g)?.join(' ')
      assert.equal(statuses, `${'200 '.repeat(100)}400`)
      assert.deepEqual(counts, { runs: 100, posts: 0 })
      await app.close()
    })

    it('is refused where the application closes meanwhile', async () => {
      const { app, socket, gate, counts } = await serveBehind()
      socket.write(HOME.repeat(100))
      await gate.entered
      await delay(20)
      const closed = app.close()
      gate.open()
      const statuses = (await readAll(socket)).match(/(?<=HTTP\/1\.1 )\d+/g)?.join(' ')
      await closed
      assert.match(statuses ?? '', /^(?:200 )*(?:200|503)$/)
      assert.ok(counts.runs <= 64, `${counts.runs} ran`)
    })
  })

describe('a client that ends its side behind many requests', () => {
  let count = 0
  const long = 'x'.repeat(100_000)
  const routes = [
    { method: 'GET', handler: () => `${++count}${long}` },
    { method: 'GET', path: '/soon', handler: async () => Promise.resolve(`${++count}${long}`) },
  ] as const
  const app = createTestApp(defineController({ prefix: '/', routes }))
  let url = ''
  before(async () => {
    url = await app.listen({ ...PLACE, ...ENGINES.direct })
  })
  after(() => app.close())

  for (const path of ['/', '/soon'])
    it(`gets all answers in order, though they wait until it reads: ${path}`, async () => {
      count = 0
      const socket = await open(url)
      // more than 64, and more than a system buffers
      socket.pause().end(HOME.replace('GET /', `GET ${path}`).repeat(200))
      await delay(50)
      const numbers = (await readAll(socket)).match(/(?<=\r\n\r\n")\d+/g)?.map(Number)
      assert.deepEqual(
        numbers,
        Array.from({ length: 200 }, (_, at) => at + 1),
      )
    })
})

describe('a packet of many refused upgrades', () => {
  it('is answered whole, without a call below another one for each', async () => {
    let deepest = 0
    const frames = (): number => {
      const { stackTraceLimit } = Error
      Error.stackTraceLimit = Number.POSITIVE_INFINITY
      const { length } = (new Error('here').stack ?? '').split('\n')
      Error.stackTraceLimit = stackTraceLimit
      return length
    }
    const handler = (): number => (deepest = Math.max(deepest, frames()))
    const app = createTestApp(defineController({ prefix: '/', routes: [{ method: 'GET', handler }] }))
    const socket = await open(await app.listen({ ...PLACE, ...ENGINES.direct }))
    socket.write(HOME.replace('\r\n\r\n', `\r\n${UPGRADE}\r\n`).repeat(500) + LAST)
    assert.equal((await readAll(socket)).match(/HTTP\/1\.1 200 /g)?.length, 501)
    assert.ok(deepest < 200, `${deepest} frames`)
    await app.close()
  })
})

describe('odd results of handlers on the direct engine', () => {
  const routes = Object.entries(RESULTS).map(
    ([, [handler]], at) => ({ method: 'GET', path: `/${at}`, handler }) as const,
  )
  const app = createTestApp(defineController({ prefix: '/', routes }))
  let url = ''
  before(async () => {
    url = await app.listen({ ...PLACE, ...ENGINES.direct })
  })
  after(() => app.close())

  for (const [at, [title, [, answer]]] of Object.entries(RESULTS).entries())
    it(`are sent as they are on node:http: ${title}`, async () => {
      const socket = await open(url)
      socket.on('error', () => undefined).write(`GET /${at} HTTP/1.1\r\n${HOST}\r\n`)
      await delay(20)
      socket.end()
      assert.match(await readAll(socket), answer)
    })
})

describe('a parser that is freed after its server', () => {
  it('leaves the list of that server', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    for (let round = 0; round < 10; round++) {
      const app = createTestApp(controller)
      // the connection stays, so that it ends with its server
      const response = await fetch(await app.listen({ ...PLACE, ...ENGINES.direct }))
      await response.text()
      await app.close()
    }
    // a list that was freed before its parsers ends the process
    for (let round = 0; round < 5; round++) {
      collect()
      await delay(5)
    }
  })
})

describe('node:http', () => {
  it('runs nothing behind a request of another version', async () => {
    const app = createTestApp(controller)
    const url = await app.listen(PLACE)
    ran.length = 0
    const socket = await open(url)
    socket.end(`GET / HTTP/2.0\r\n${HOST}\r\n${HOME}`)
    assert.match(await readAll(socket), /^HTTP\/1\.1 400 /)
    await app.close()
    assert.deepEqual(ran, [])
  })
})

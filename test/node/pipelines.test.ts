import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import { defineController, FileStream } from 'octavo'

import { z } from 'zod'

import { serve } from '../support/serve.ts'
import { createTestApp, ENGINES, LOOPBACK, open, PLACE, readAll, readUntil } from './support.ts'

let ran = 0
const controller = defineController({
  prefix: '/',
  routes: [
    { method: 'GET', path: '/now', handler: () => 'good' },
    {
      method: 'GET',
      path: '/later',
      handler: async () => {
        await sleep(30)
        return 'good'
      },
    },
    {
      method: 'GET',
      path: '/stream',
      handler: async function* stream() {
        yield '"go'
        await sleep(30)
        yield 'od"'
      },
    },
    { method: 'POST', path: '/count', handler: () => ++ran },
  ],
})

const HEAD = 'HTTP/1.1\r\nHost: a.test\r\n'
const get = (path: string): string => `GET ${path} ${HEAD}\r\n`
const OLD = 'HTTP/1.0\r\nConnection: keep-alive\r\n'
const getOld = (path: string): string => `GET ${path} ${OLD}\r\n`
const POST = `POST /count ${HEAD}Content-Length: 0\r\n\r\n`

/** Writes each text when what was written before it had time to be read, and reads to the end. */
async function tell(url: string, ...texts: readonly string[]): Promise<string> {
  const socket = await open(url)
  const answer = readAll(socket)
  for (const text of texts) {
    socket.write(text, 'latin1')
    await sleep(10)
  }
  return answer
}

const MALFORMED: Readonly<Record<string, string>> = {
  'what is not HTTP': 'hello\r\n\r\n',
  'the start of a handshake': '\x16\x03\x01\x02\x00\x01\x00\x01',
  'a header without colon': `GET /now ${HEAD}bad header\r\n\r\n`,
  'a folded header': `GET /now ${HEAD}X: a\r\n b\r\n\r\n`,
  'two lengths': `POST /count ${HEAD}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`,
  'a length that is no number': `POST /count ${HEAD}Content-Length: abc\r\n\r\n`,
  'length and coding': `POST /count ${HEAD}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'another coding': `POST /count ${HEAD}Transfer-Encoding: gzip\r\n\r\n`,
  'lines without CR': 'GET /now HTTP/1.1\nHost: a.test\n\n',
  'another version': 'GET /now HTTP/1.2\r\nHost: a.test\r\n\r\n',
  'another protocol': 'GET /now RTSP/1.0\r\nCSeq: 1\r\n\r\n',
}

describe('a malformed request behind a good one', () => {
  const app = createTestApp(controller)
  let url = ''
  before(async () => {
    url = await app.listen(LOOPBACK)
  })
  beforeEach(() => {
    ran = 0
  })
  after(() => app.close())

  for (const [title, text] of Object.entries(MALFORMED)) {
    for (const path of ['/now', '/later', '/stream']) {
      it(`${title} behind ${path} is refused, and the connection ends behind the answer to the good one`, async () => {
        for (const parts of [[get(path) + text + POST], [get(path), text, POST]]) {
          const answer = await tell(url, ...parts)
          assert.deepEqual(
            [...answer.matchAll(/HTTP\/1\.1 (\d+)|"(malformed_request)"/g)].map(
              ([, status, code]) => status ?? code,
            ),
            ['200', '400', 'malformed_request'],
          )
          assert.match(answer, /go[\s\S]*od"/)
        }
        assert.equal(ran, 0)
      })
    }
  }
})

const BIG = 'B'.repeat(3_000_000)

/** Good requests, and the answers to them. */
const GOOD = get('/now') + get('/later') + get('/stream') + get('/now')
const ANSWERED = ['good', 'good', 'good', 'good']

const chunked = (path: string, lines = '', chunk = 'ab'): string =>
  `POST ${path} ${HEAD}${lines}Transfer-Encoding: chunked\r\n\r\n${chunk.length.toString(16)}\r\n${chunk}\r\n`
const FILE = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nab'

/** Malformed requests in two parts: chunked ones become so in the second. */
const MALFORMED_PARTS: Readonly<Record<string, readonly [string, string]>> = {
  'a bad request line': ['G ET /no', 'w HTTP/1.1\r\n\r\n'],
  'a bad header': [`GET /now ${HEAD}bad`, ' header\r\n\r\n'],
  'a length and a coding': [`POST /count ${HEAD}Content-Length: 3\r\nTransfer-Encoding`, ': chunked\r\n\r\n'],
  'a bad chunk that the handler waits for': [chunked('/body'), 'zz\r\n'],
  'a bad chunk while the handler runs': [chunked('/slow'), 'zz\r\n'],
  'a bad chunk while the answer is streamed': [chunked('/begun'), 'zz\r\n'],
  'a bad chunk of what the answer streams': [
    chunked('/echo', 'Content-Type: multipart/form-data; boundary=b\r\n', FILE),
    'zz\r\n',
  ],
}

/** Routes that take a body, and one with a big answer. */
const bodies = defineController({
  prefix: '/',
  routes: [
    { method: 'GET', path: '/big', handler: () => BIG },
    { method: 'POST', path: '/body', input: { body: z.instanceof(Uint8Array) }, handler: () => 'bad' },
    { method: 'POST', path: '/slow', handler: async () => sleep(500, 'bad', { ref: false }) },
    {
      method: 'POST',
      path: '/begun',
      handler: async function* begun() {
        yield 'ba'
        await sleep(500, undefined, { ref: false })
        yield 'd'
      },
    },
    {
      method: 'POST',
      path: '/echo',
      input: { files: { file: z.instanceof(FileStream) } },
      handler: async function* echo({ files }) {
        // the second part of the request is there before the head is sent
        await sleep(50, undefined, { ref: false })
        yield 'bad'
        yield* files.file
      },
    },
  ],
})

for (const engine of ['node', 'direct'] as const)
  describe(`with the engine ${engine}, good requests of all kinds`, () => {
    const app = serve([controller, bodies])
    let url = ''
    before(async () => {
      url = await app.listen({ ...PLACE, ...ENGINES[engine] })
    })
    after(() => app.close())

    /** The bodies of the answers, and the code of the last one. */
    const told = (text: string): readonly (string | undefined)[] =>
      text
        .split(/HTTP\/1\.1 \d+ /)
        .slice(1)
        .map((answer) => {
          const body = answer.slice(answer.indexOf('\r\n\r\n') + 4)
          const [, code] = /"code":"(\w+)"/.exec(body) ?? []
          return code ?? body.replaceAll(/[^a-zB]/g, '')
        })

    for (const [title, [first, second]] of Object.entries(MALFORMED_PARTS)) {
      it(`are answered whole and in order before the 400 of ${title}`, async () => {
        const [last, ...others] = told(await tell(url, GOOD + first, second)).toReversed()
        assert.deepEqual(others, ANSWERED)
        // a busy machine lets the second part arrive when the answer has begun, which breaks off then
        const hasBegun = title === 'a bad chunk while the answer is streamed' && last === 'ba'
        if (!hasBegun) assert.equal(last, 'malformed_request')
        const inOne = await tell(url, get('/later') + get('/big') + GOOD + first + second)
        assert.deepEqual(told(inOne), ['good', BIG, ...ANSWERED, 'malformed_request'])
      })
    }

    it('and a stream differs if it answers a malformed body that came with its head', async () => {
      const streamed = await tell(url, `${chunked('/begun')}zz\r\n`)
      assert.deepEqual(told(streamed), engine === 'direct' ? ['malformed_request'] : ['ba'])
      const whole = await tell(url, `${chunked('/count')}zz\r\n`)
      assert.match(whole, /^HTTP\/1\.1 200 OK\r\n/)
    })
  })

describe('a request behind one of HTTP/1.0', () => {
  const app = createTestApp(controller)
  const server = createServer(app.handler)
  const urls = { 'over a server of Octavo': '', 'over a server of node:http': '' }
  before(async () => {
    urls['over a server of Octavo'] = await app.listen(LOOPBACK)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    urls['over a server of node:http'] =
      `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  })
  beforeEach(() => {
    ran = 0
  })
  after(async () => {
    server.close()
    await app.close()
  })

  for (const name of ['over a server of Octavo', 'over a server of node:http'] as const) {
    it(`${name} does not run if the answer ends the connection`, async () => {
      for (const text of [getOld('/stream') + POST, getOld('/later') + getOld('/stream') + POST + POST]) {
        const answer = await tell(urls[name], text)
        assert.doesNotMatch(answer, /200 OK[\s\S]*200 OK[\s\S]*200 OK/)
        assert.match(answer, /"good"$/)
      }
      assert.equal(ran, 0)
    })

    it(`${name} runs after it if the connection stays`, async () => {
      const socket = await open(urls[name])
      socket.write(getOld('/later') + getOld('/now') + POST + POST)
      const answer = await readUntil(socket, /\r\n\r\n2$/)
      assert.equal(answer.match(/200 OK/g)?.length, 4)
      socket.destroy()
    })
  }
})

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import { defineController } from 'octavo'

import { createTestApp, LOOPBACK, open, readAll, readUntil } from './support.ts'

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

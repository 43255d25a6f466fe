import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:http2'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { after, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'

import { defineController, stream } from 'octavo'
import { z } from 'zod'

import { createGate, createTestApp, exchange, LOOPBACK, open, parse, readAll, readUntil } from './support.ts'

const LIMIT = 1_048_576
const TIMES = { idle: 3_000, handler: 150, grace: 300 } as const
/** Those of an application that tests keep waiting. */
const HASTY = { ...TIMES, headers: 300, request: 500 } as const
/** Milliseconds that some routes have. */
const TIME = 150
const HOST = 'Host: a.test\r\n'

const never = () => new Promise<never>(() => undefined)

let given = 0
const stopped = createGate()
async function* endless() {
  try {
    for (;;) {
      given += LIMIT
      yield Buffer.alloc(LIMIT)
    }
  } finally {
    stopped.open()
  }
}

const controller = defineController({
  prefix: '/',
  routes: [
    { method: 'GET', path: '/', handler: () => 'ok' },
    { method: ['GET', 'POST'], path: '/never', handler: never },
    { method: 'GET', path: '/endless', handler: () => stream(endless()) },
    {
      method: 'POST',
      path: '/size',
      timeout: 0,
      input: { body: z.instanceof(Uint8Array).optional() },
      handler: ({ body }) => body?.length ?? 0,
    },
    {
      method: 'POST',
      path: '/timed',
      timeout: TIME,
      input: { body: z.instanceof(Uint8Array) },
      handler: async ({ body }) => body.length,
    },
    {
      method: 'POST',
      path: '/read',
      timeout: TIME,
      handler: async (_input, { request }) => (await request.bytes()).length,
    },
  ],
})

const app = createTestApp(controller, { timeouts: TIMES })
const hasty = createTestApp(controller, { timeouts: HASTY })
let url = ''
let hastyUrl = ''
before(async () => {
  url = await app.listen(LOOPBACK)
  hastyUrl = await hasty.listen(LOOPBACK)
})
after(() => Promise.all([app.close(), hasty.close()]))

/** Writes a text byte by byte until it ends or the connection does. */
async function drip(socket: Socket, text: string, pause: number): Promise<void> {
  for (const byte of text) {
    if (socket.destroyed || !socket.writable) return
    socket.write(byte)
    await delay(pause)
  }
}

const codeOf = (body: string): unknown => Object(JSON.parse(body)).code

/** Status and code of the only answer on a connection, once it has ended. */
async function refusalOf(socket: Socket): Promise<readonly unknown[]> {
  socket.on('error', () => undefined)
  return toRefusal(await readAll(socket))
}

function toRefusal(text: string): readonly unknown[] {
  const { statusLine, headers, body } = parse(text)
  return [statusLine, headers['connection'], codeOf(body)]
}

const TIMEOUT = ['HTTP/1.1 408 Request Timeout', 'close', 'request_timeout']

describe('a slow client', () => {
  it('has so much time for its headers, whatever it sends meanwhile', async () => {
    const socket = await open(hastyUrl)
    let isSending = true
    const sent = drip(socket, `GET / HTTP/1.1\r\n${HOST}X-Slow: ${'a'.repeat(1000)}`, 15)
    void sent.then(() => (isSending = false))
    assert.deepEqual(toRefusal(await readUntil(socket, /\}$/)), TIMEOUT)
    assert.ok(isSending, 'the time began anew with each byte')
    socket.destroy()
  })

  it('has so much time for a whole request, whatever it sends meanwhile', async () => {
    for (const [head, end] of [
      ['Content-Length: 5000', ''],
      ['Transfer-Encoding: chunked', '1388\r\n'],
      ['Content-Encoding: gzip\r\nContent-Length: 5000', `\x1f\x8b\x08\x08${'\0'.repeat(6)}`],
    ] as const) {
      const socket = await open(hastyUrl)
      socket.write(`POST /size HTTP/1.1\r\n${HOST}${head}\r\n\r\n${end}`, 'latin1')
      void drip(socket, 'a'.repeat(1000), 15)
      // the connection ends when the client has stopped, or a few seconds later
      assert.deepEqual(toRefusal(await readUntil(socket, /\}$/)), TIMEOUT, head)
      socket.end()
      await once(socket, 'close')
    }
  })

  it('has the time anew for each request of a connection', async (test) => {
    // longer than a busy machine keeps the client from sending, shorter than all rounds together
    const headers = 1_200
    const patient = createTestApp(controller, { timeouts: { ...TIMES, headers, request: 60_000 } })
    test.after(() => patient.close())
    const socket = await open(await patient.listen(LOOPBACK))
    for (let round = 0; round < 3; round++) {
      socket.write('GET / HTTP/1.1\r\n')
      await delay(10)
      socket.write(`${HOST}\r\n`)
      assert.match(await readUntil(socket, /"ok"$/), /^HTTP\/1\.1 200/)
      await delay(headers / 2.5)
    }
    void drip(socket, `GET / HTTP/1.1\r\n${HOST}X-Slow: ${'a'.repeat(1000)}`, 15)
    assert.deepEqual(await refusalOf(socket), TIMEOUT)
  })

  it('does not keep others from their answers, however many there are', async () => {
    const slow = await Promise.all(Array.from({ length: 50 }, () => open(hastyUrl)))
    const ended = slow.map((socket) => refusalOf(socket))
    for (const socket of slow) socket.write('GET / HTTP/1.1\r\nX-')
    for (let round = 0; round < 5; round++) {
      assert.match(await exchange(hastyUrl, `GET / HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`), /"ok"$/)
    }
    for (const refusal of await Promise.all(ended)) assert.deepEqual(refusal, TIMEOUT)
  })

  it('that says nothing more is disconnected, however many there are', async () => {
    const IDLE = 150
    const patient = createTestApp(controller, { timeouts: { idle: IDLE } })
    const address = await patient.listen(LOOPBACK)
    const idle = await Promise.all(Array.from({ length: 50 }, () => open(address)))
    const started = performance.now()
    for (const socket of idle) socket.write(`GET / HTTP/1.1\r\n${HOST}\r\n`)
    for (const text of await Promise.all(idle.map(readAll))) assert.equal(parse(text).body, '"ok"')
    const took = performance.now() - started
    assert.ok(took >= IDLE, `took ${took} ms`)
    await patient.close()
  })
})

describe('a client that closes its half of the connection', () => {
  it('gets the answer to what it has asked', async () => {
    const socket = await open(url)
    socket.end(`GET / HTTP/1.1\r\n${HOST}\r\n`)
    assert.equal(parse(await readAll(socket)).body, '"ok"')
  })

  for (const [title, text] of [
    ['in the middle of its headers', `GET / HTTP/1.1\r\n${HOST}`],
    ['in the middle of its body', `POST /size HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\nab`],
    [
      'in the middle of a coded body',
      `POST /size HTTP/1.1\r\n${HOST}Content-Encoding: gzip\r\nContent-Length: 50\r\n\r\n\x1f\x8b`,
    ],
  ] as const) {
    it(`${title} is told that this is no request`, async () => {
      const socket = await open(url)
      socket.end(text, 'latin1')
      assert.deepEqual(await refusalOf(socket), ['HTTP/1.1 400 Bad Request', 'close', 'malformed_request'])
    })
  }
})

describe('a client that reads nothing', () => {
  it('does not fill the memory, and is left when it goes', async () => {
    const socket = await open(url)
    socket.pause()
    socket.write(`GET /endless HTTP/1.1\r\n${HOST}\r\n`)
    let last = 0
    while (last === 0 || given > last) {
      last = given
      await delay(200)
    }
    assert.ok(given < 64 * LIMIT, `${given} bytes were made`)
    socket.destroy()
    await stopped.opened
  })

  it('does not keep an application from closing', async () => {
    const other = createTestApp(controller, { timeouts: { grace: 50 } })
    const socket = await open(await other.listen(LOOPBACK))
    socket.on('error', () => undefined)
    socket.write(`GET /endless HTTP/1.1\r\n${HOST}\r\n`)
    await once(socket, 'readable')
    await other.close()
    socket.resume()
    await once(socket, 'close')
  })
})

describe('a route that takes too long', () => {
  const LATE = ['HTTP/1.1 503 Service Unavailable', 'handler_timeout']

  it('leaves the connection to further requests', async () => {
    const socket = await open(url)
    socket.write(`GET /never HTTP/1.1\r\n${HOST}\r\n`)
    const { statusLine, headers, body } = parse(await readUntil(socket, /\}$/))
    assert.deepEqual([statusLine, codeOf(body)], LATE)
    assert.equal(headers['connection'], 'keep-alive')
    socket.write(`GET / HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`)
    assert.equal(parse(await readAll(socket)).body, '"ok"')
  })

  it('leaves it also when the body that it did not read has arrived', async () => {
    const socket = await open(url)
    socket.write(`POST /never HTTP/1.1\r\n${HOST}Content-Length: 3\r\n\r\nabc`)
    const { statusLine, body } = parse(await readUntil(socket, /\}$/))
    assert.deepEqual([statusLine, codeOf(body)], LATE)
    socket.write(`GET / HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`)
    assert.equal(parse(await readAll(socket)).body, '"ok"')
  })

  const bodies = [
    ['a body', 'Content-Length: 5', ['ab', 'cde'], '5'],
    ['a chunked body', 'Transfer-Encoding: chunked', ['2\r\nab\r\n', '3\r\ncde\r\n0\r\n\r\n'], '5'],
  ] as const
  for (const path of ['/timed', '/read']) {
    for (const [title, head, [first, rest], size] of bodies) {
      it(`is not ${path} while ${title} takes the time`, async () => {
        const socket = await open(url)
        socket.write(`POST ${path} HTTP/1.1\r\n${HOST}${head}\r\n\r\n${first}`)
        await delay(3 * TIME)
        socket.write(rest)
        const { statusLine, headers, body } = parse(await readUntil(socket, /\r\n\r\n.+$/))
        assert.deepEqual([statusLine, headers['connection'], body], ['HTTP/1.1 200 OK', 'keep-alive', size])
        socket.destroy()
      })
    }
  }

  it('is not a route that reads a slow body over HTTP/2', async () => {
    const other = createTestApp(controller, { timeouts: TIMES })
    const session = connect(await other.listen({ ...LOOPBACK, http2: true }))
    for (const path of ['/timed', '/read']) {
      const stream2 = session.request({ ':method': 'POST', ':path': path })
      stream2.write('ab')
      await delay(3 * TIME)
      stream2.end('cde')
      const [head] = await once(stream2, 'response')
      assert.equal(head[':status'], 200, path)
      stream2.resume()
    }
    session.close()
    await other.close()
  })
})

describe('a body in a content coding', () => {
  const post = (headers: string): string => `POST /size HTTP/1.1\r\n${HOST}${headers}\r\n\r\n`
  const next = `GET / HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`
  const coded = gzipSync('abc'.repeat(1000))
  const length = `Content-Encoding: gzip\r\nContent-Length: `

  /** Both answers on a connection, the second to an ordinary request. */
  async function sendTwo(head: string, body: Uint8Array): Promise<readonly string[]> {
    const socket = await open(url)
    socket.write(Buffer.concat([Buffer.from(post(head)), body, Buffer.from(next)]))
    const answers = (await readAll(socket)).split(/(?=HTTP\/1\.1 )/)
    return answers.map(
      (answer) => `${parse(answer).statusLine.slice(9, 12)} ${parse(answer).body.slice(0, 4)}`,
    )
  }

  it('leaves the connection to further requests', async () => {
    assert.deepEqual(await sendTwo(`${length}${coded.length}`, coded), ['200 3000', '200 "ok"'])
  })

  it('of no bytes does too', async () => {
    assert.deepEqual(await sendTwo(`${length}0`, Buffer.alloc(0)), ['200 0', '200 "ok"'])
  })

  it('in chunks is decoded as they come', async () => {
    const chunks = [...coded].map((byte) =>
      Buffer.concat([Buffer.from('1\r\n'), Buffer.of(byte), Buffer.from('\r\n')]),
    )
    const body = Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')])
    assert.deepEqual(await sendTwo('Content-Encoding: gzip\r\nTransfer-Encoding: chunked', body), [
      '200 3000',
      '200 "ok"',
    ])
  })

  it('that is cut off leaves the connection, for all of it was read', async () => {
    const cut = coded.subarray(0, -4)
    const [first, second] = await sendTwo(`${length}${cut.length}`, cut)
    assert.match(first ?? '', /^400/)
    assert.equal(second, '200 "ok"')
  })

  it('that is refused unread leaves the connection', async () => {
    const [first, second] = await sendTwo(`Content-Encoding: lzma\r\nContent-Length: 3`, Buffer.from('abc'))
    assert.match(first ?? '', /^415/)
    assert.equal(second, '200 "ok"')
  })

  it('that becomes too long ends the connection at once, also when the rest never comes', async () => {
    const bomb = gzipSync(Buffer.alloc(8 * LIMIT))
    const socket = await open(url)
    socket.write(post(`${length}${LIMIT}`))
    socket.write(bomb)
    const { statusLine, headers, body } = parse(await readUntil(socket, /\}$/))
    assert.equal(statusLine, 'HTTP/1.1 413 Payload Too Large')
    assert.deepEqual([headers['connection'], codeOf(body)], ['close', 'body_too_large'])
    socket.end()
    await once(socket, 'close')
  })

  it('is asked for, where the client wants to be asked', async () => {
    const socket = await open(url)
    socket.write(post(`${length}${coded.length}\r\nConnection: close\r\nExpect: 100-continue`))
    assert.equal(await readUntil(socket, /\r\n\r\n$/), 'HTTP/1.1 100 Continue\r\n\r\n')
    socket.write(coded)
    assert.equal(parse(await readAll(socket)).body, '3000')
  })

  it('is not asked for in an unknown coding', async () => {
    const text = await exchange(
      url,
      post('Content-Encoding: lzma\r\nContent-Length: 5\r\nConnection: close\r\nExpect: 100-continue'),
    )
    assert.equal(parse(text).statusLine, 'HTTP/1.1 415 Unsupported Media Type')
    assert.equal(parse(text).headers['accept-encoding']?.startsWith('gzip, deflate, br'), true)
  })
})

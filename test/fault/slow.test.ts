import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'

import { defineController } from 'octavo'
import { z } from 'zod'

import { createTestApp, LOOPBACK, open, parse, readAll, send } from '../node/support.ts'

const CHUNK = Buffer.alloc(65_536, 'x')
const MANY = 20

function createSlowApp(timeouts = {}) {
  const seen = { produced: 0, open: 0, ran: 0 }
  async function* rows() {
    seen.open++
    try {
      for (let row = 0; row < 2_000; row++) {
        seen.produced++
        yield CHUNK
      }
    } finally {
      seen.open--
    }
  }
  const app = createTestApp(
    defineController({
      prefix: '/',
      routes: [
        { method: 'GET', path: '/rows', handler: () => rows() },
        { method: 'GET', path: '/canary', handler: () => 'alive' },
        {
          method: 'POST',
          path: '/body',
          input: { body: z.object({ a: z.string() }) },
          handler: ({ body }) => {
            seen.ran++
            return body
          },
        },
      ],
    }),
    { timeouts: { grace: 1_000, ...timeouts } },
  )
  return { app, seen }
}

async function expectCanary(url: string): Promise<void> {
  assert.equal((await send(url, { path: '/canary' })).bytes.toString(), '"alive"')
}

/** Waits until no source is open, for a minute at most, because a busy machine is slow. */
async function untilNoneIsOpen(seen: { readonly open: number }): Promise<void> {
  for (let tries = 0; tries < 12_000 && seen.open > 0; tries++) await delay(5)
  assert.equal(seen.open, 0)
}

/** Writes a byte now and then until the connection ends. */
async function drip(socket: Socket, text: string, pause: number): Promise<void> {
  for (const letter of text) {
    if (socket.destroyed || !socket.writable) return
    socket.write(letter)
    await delay(pause)
  }
}

describe('clients that do not read', () => {
  it('hold back what feeds their answers, and nobody else', async () => {
    const { app, seen } = createSlowApp()
    const url = await app.listen(LOOPBACK)
    const sockets = await Promise.all(Array.from({ length: MANY }, () => open(url)))
    for (const socket of sockets) {
      socket.on('error', () => undefined)
      socket.pause().write('GET /rows HTTP/1.1\r\nHost: a.test\r\n\r\n')
    }
    await expectCanary(url)
    let produced = -1
    for (let tries = 0; tries < 50 && produced !== seen.produced; tries++) {
      ;({ produced } = seen)
      await delay(150)
    }
    await expectCanary(url)
    // no more than the buffers of the sockets take: 2,000 chunks would be the whole answer of one client
    assert.equal(seen.produced, produced)
    assert.ok(produced < MANY * 200, `${produced} chunks for ${MANY} clients`)
    assert.equal(seen.open, MANY)
    for (const socket of sockets) socket.destroy()
    await untilNoneIsOpen(seen)
    await app.close()
  })

  it('are cut off when the application closes and the grace time is over', async () => {
    const { app, seen } = createSlowApp({ grace: 200 })
    const socket = await open(await app.listen(LOOPBACK))
    socket.on('error', () => undefined)
    socket.pause().write('GET /rows HTTP/1.1\r\nHost: a.test\r\n\r\n')
    await delay(100)
    const start = performance.now()
    await app.close()
    const took = performance.now() - start
    assert.ok(took > 150, `close took ${took} ms`)
    await untilNoneIsOpen(seen)
    socket.destroy()
  })

  it('of many answers in a pipeline do not have them all made at once', async () => {
    const { app, seen } = createSlowApp()
    const socket = await open(await app.listen(LOOPBACK))
    socket.on('error', () => undefined)
    socket.pause().write('GET /rows HTTP/1.1\r\nHost: a.test\r\n\r\n'.repeat(50))
    await delay(300)
    assert.ok(seen.produced < 1_000, `${seen.produced} chunks`)
    socket.destroy()
    await untilNoneIsOpen(seen)
    await app.close()
  })
})

describe('clients that send slowly', () => {
  const HEAD = 'POST /body HTTP/1.1\r\nHost: a.test\r\nContent-Type: application/json\r\n'
  for (const [title, text] of [
    ['a head', `${HEAD}X-Padding: ${'y'.repeat(200)}\r\n\r\n`],
    ['a body', `${HEAD}Content-Length: 300\r\n\r\n{"a":"${'y'.repeat(292)}"}`],
    ['chunks', `${HEAD}Transfer-Encoding: chunked\r\n\r\n${'1\r\ny\r\n'.repeat(50)}`],
  ] as const) {
    it(`are told 408 when ${title} takes too long, and nobody waits for them`, async () => {
      const { app, seen } = createSlowApp({ headers: 300, request: 300 })
      const url = await app.listen(LOOPBACK)
      const sockets = await Promise.all(Array.from({ length: 20 }, () => open(url)))
      const answers = sockets.map((socket) => {
        socket.on('error', () => undefined)
        void drip(socket, text, 15)
        return readAll(socket)
      })
      await delay(100)
      await expectCanary(url)
      const texts = await Promise.all(answers)
      assert.deepEqual(
        new Set(texts.map((answer) => parse(answer).statusLine)),
        new Set(['HTTP/1.1 408 Request Timeout']),
      )
      assert.equal(seen.ran, 0)
      for (const socket of sockets) socket.destroy()
      await app.close()
    })
  }

  it('are served when they are slow within the limits', async () => {
    const { app } = createSlowApp()
    const url = await app.listen(LOOPBACK)
    const socket = await open(url)
    const body = '{"a":"slow"}'
    void drip(socket, `${HEAD}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`, 1)
    const answer = parse(await readAll(socket))
    assert.deepEqual([answer.statusLine, answer.body], ['HTTP/1.1 200 OK', body])
    await app.close()
  })
})

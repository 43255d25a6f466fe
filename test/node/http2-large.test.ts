import assert from 'node:assert/strict'
import { connect } from 'node:http2'
import type { ClientHttp2Session, ClientSessionOptions } from 'node:http2'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import { defineController, reply } from 'octavo'
import { z } from 'zod'

import { createTestApp, LOOPBACK } from './support.ts'

const KB = 1_000
const MB = 1_000_000

/** Bytes that differ from each other, so that a piece in the wrong place shows. */
function toBytes(size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  for (let at = 0; at < size; at++) bytes[at] = (at * 31 + (at >> 8)) % 251
  return bytes
}

const bodies = new Map([300 * KB, MB, 3 * MB].map((size) => [size, toBytes(size)]))
const bytesOf = (size: number): Uint8Array => bodies.get(size) ?? toBytes(size)

const SIZE = { params: z.object({ size: z.coerce.number() }) }
const controller = defineController({
  prefix: '/',
  routes: [
    { method: 'GET', path: '/bytes/{size}', input: SIZE, handler: ({ params }) => bytesOf(params.size) },
    {
      method: 'GET',
      path: '/text/{size}',
      input: SIZE,
      handler: ({ params }) =>
        reply(200, 'é'.repeat(params.size / 2), { headers: { 'content-type': 'text/plain' } }),
    },
    {
      method: 'GET',
      path: '/chunk/{size}',
      input: SIZE,
      handler: async function* chunk({ params }) {
        yield bytesOf(params.size)
      },
    },
    { method: 'GET', path: '/small', handler: () => 'small' },
  ],
})

interface Answer {
  readonly status: number | undefined
  readonly bytes: Buffer
  /** What the stream was reset with; 0 is no error. */
  readonly code: number
}

const sessions = new Set<ClientHttp2Session>()
after(() => {
  for (const session of sessions) session.destroy()
})

function open(url: string, options: ClientSessionOptions = {}): ClientHttp2Session {
  const session = connect(url, options)
  session.on('error', () => undefined)
  sessions.add(session)
  return session
}

/** Reads one answer, `pause` milliseconds before each piece. */
async function ask(session: ClientHttp2Session, path: string, pause = 0): Promise<Answer> {
  const stream = session.request({ ':path': path })
  let status: number | undefined
  const chunks: Buffer[] = []
  stream.on('response', (headers) => (status = headers[':status']))
  stream.on('error', () => undefined)
  const closed = new Promise((resolve) => stream.once('close', resolve))
  try {
    for await (const chunk of stream) {
      chunks.push(chunk)
      if (pause > 0) await sleep(pause)
    }
  } catch {
    // the code says what was wrong
  }
  await closed
  return { status, bytes: Buffer.concat(chunks), code: stream.rstCode }
}

describe('large answers over HTTP/2', () => {
  const app = createTestApp(controller)
  let url = ''
  before(async () => {
    url = await app.listen({ ...LOOPBACK, http2: true })
  })
  after(() => app.close())

  for (const [count, size, kind] of [
    [50, 300 * KB, 'bytes'],
    [5, MB, 'text'],
    [5, MB, 'chunk'],
    [3, 3 * MB, 'bytes'],
  ] as const) {
    it(`${count} of ${size} ${kind} on one session all arrive whole`, async () => {
      const session = open(url)
      const answers = await Promise.all(Array.from({ length: count }, () => ask(session, `/${kind}/${size}`)))
      const expected = kind === 'text' ? Buffer.from('é'.repeat(size / 2)) : Buffer.from(bytesOf(size))
      for (const { status, bytes, code } of answers) {
        assert.deepEqual([status, code, bytes.length], [200, 0, size])
        assert.ok(bytes.equals(expected))
      }
    })
  }

  it('all arrive at a client that reads slowly, whose other requests are answered meanwhile', async () => {
    const session = open(url)
    const slow = Array.from({ length: 5 }, () => ask(session, `/bytes/${MB}`, 5))
    await sleep(20)
    const other = await ask(session, '/small')
    assert.deepEqual([other.status, String(other.bytes)], [200, '"small"'])
    for (const { status, bytes, code } of await Promise.all(slow))
      assert.deepEqual([status, code, bytes.length], [200, 0, MB])
  })
})

describe('clients of HTTP/2 that open no window', () => {
  it('are kept waiting with little memory, and lose their streams after a time', async (test) => {
    const app = createTestApp(controller, { timeouts: { send: 400 } })
    test.after(() => app.close())
    const url = await app.listen({ ...LOOPBACK, http2: true })
    await app.inject(`/bytes/${3 * MB}`)
    const atFirst = process.memoryUsage().arrayBuffers
    const session = open(url, { settings: { initialWindowSize: 0 } })
    let most = 0
    const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().arrayBuffers - atFirst)), 20)
    test.after(() => clearInterval(timer))
    const answers = await Promise.all(Array.from({ length: 40 }, () => ask(session, `/bytes/${3 * MB}`)))
    assert.ok(answers.every(({ status, bytes, code }) => status === 200 && bytes.length === 0 && code !== 0))
    assert.ok(most < 20 * MB, `${most} bytes`)
    const others = await ask(open(url), '/small')
    assert.equal(others.status, 200)
  })
})

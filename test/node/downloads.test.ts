import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, pipeline, Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'

import { defineController, file, sse, stream } from 'octavo'
import type { EventRequest } from 'octavo'

import { EventSource } from 'undici'

import { behind, createGate, createTestApp, LOOPBACK, open, readUntil, send } from './support.ts'

const FOLDER = mkdtempSync(join(tmpdir(), 'octavo-downloads-'))
const LARGE = join(FOLDER, 'large.bin')
const SIZE = 16 * 1024 * 1024
const SHRINKING = join(FOLDER, 'shrinking.bin')
const EVENTS = 5_000
const CHUNK = Buffer.alloc(65_536, 'x')
/** Far more than what sockets take before anybody reads. */
const ENDLESS = 1024 * 1024 * 1024

writeFileSync(LARGE, Buffer.alloc(SIZE, 'large'))

let ended = createGate()
let reason: unknown
let produced = 0

async function* endless(): AsyncGenerator<Uint8Array> {
  try {
    for (produced = 0; produced < ENDLESS; produced += CHUNK.length) yield CHUNK
  } finally {
    ended.open()
  }
}

async function* flood() {
  for await (const chunk of endless()) yield { data: String(chunk) }
}

async function* count() {
  for (let id = 1; id <= EVENTS; id++) {
    if (id % 1_000 === 0) await new Promise(setImmediate)
    yield { id: String(id), data: { id } }
  }
}

// one event, then silence until somebody says stop
async function* silent({ signal }: EventRequest) {
  try {
    yield { data: 'first' }
    await once(signal, 'abort')
    reason = signal.reason
  } finally {
    ended.open()
  }
}

// waits for something else than its signal
async function* deaf() {
  yield { data: 'first' }
  await new Promise(() => undefined)
}

const routes = [
  { method: 'GET', path: '/large', handler: () => file(LARGE) },
  { method: 'GET', path: '/shrinking', handler: () => file(SHRINKING) },
  { method: 'GET', path: '/count', handler: () => sse(count) },
  {
    method: 'GET',
    path: '/two',
    handler: () =>
      sse(
        ({ lastEventId }) => [
          { id: lastEventId === undefined ? 'é1' : 'é2', data: 'a\r\nb\n', comment: 'data: no\n\ndata: no' },
          { event: 'rate', data: { after: lastEventId ?? 'none' } },
        ],
        { retry: 5 },
      ),
  },
  { method: 'GET', path: '/silent', handler: () => sse(silent) },
  { method: 'GET', path: '/deaf', handler: () => sse(deaf, { heartbeat: 10 }) },
  { method: 'GET', path: '/mute', handler: () => sse(() => ({ [Symbol.asyncIterator]: () => NEVER })) },
  { method: 'GET', path: '/flood', handler: () => sse(flood, { heartbeat: 1 }) },
  { method: 'GET', path: '/generator', handler: () => stream(endless()) },
  { method: 'GET', path: '/node', handler: () => stream(Readable.from(endless())) },
  {
    method: 'GET',
    path: '/through',
    handler: () => stream(pipeline(Readable.from(endless()), new PassThrough(), () => undefined)),
  },
  { method: 'GET', path: '/web', handler: () => stream(Readable.toWeb(Readable.from(endless()))) },
  {
    method: 'GET',
    path: '/signal',
    handler: (_input: unknown, { signal }: { readonly signal: AbortSignal }) => {
      signal.addEventListener('abort', () => ended.open())
      return stream(new PassThrough())
    },
  },
] as const

const NEVER: AsyncIterator<never> = { next: () => new Promise(() => undefined) }

const app = createTestApp(defineController({ prefix: '/', routes }))
let url = ''
before(async () => {
  url = await app.listen(LOOPBACK)
})
after(async () => {
  await app.close()
  rmSync(FOLDER, { recursive: true })
})

const ask = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a.test\r\n\r\n`
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe('events over a socket', () => {
  it('arrive whole and in order', async () => {
    const { bytes } = await send(url, { path: '/count' })
    const ids = [...bytes.toString().matchAll(/^id: (\d+)\ndata: \{"id":(\d+)\}\n\n/gm)]
    assert.equal(ids.length, EVENTS)
    assert.ok(
      ids.every(([, id, data], at) => id === String(at + 1) && id === data),
      'an event is out of order',
    )
  })

  it('begin with their head, also where the source is silent', async () => {
    const socket = await open(url)
    socket.write(ask('/mute'))
    assert.match(
      await readUntil(socket, /\r\n\r\n$/),
      /^HTTP\/1.1 200 OK\r\ncontent-type: text\/event-stream/,
    )
    socket.destroy()
  })

  it('end when the client goes away, after their signal', async () => {
    ended = createGate()
    const socket = await open(url)
    socket.write(ask('/silent'))
    await readUntil(socket, /first/)
    socket.destroy()
    await ended.opened
    assert.ok(reason instanceof DOMException && reason.name === 'AbortError', String(reason))
  })

  it('are what EventSource reads, and it goes on where it lost the connection', async () => {
    const source = new EventSource(`${url}/two`)
    const messages: unknown[] = []
    const listen = (event: object): void => {
      messages.push(['type', 'data', 'lastEventId'].map((name): unknown => Reflect.get(event, name)))
      if (messages.length === 4) source.close()
    }
    source.addEventListener('message', listen)
    source.addEventListener('rate', listen)
    while (messages.length < 4) await wait(5)
    assert.deepEqual(messages, [
      ['message', 'a\nb\n', 'é1'],
      ['rate', '{"after":"none"}', 'é1'],
      ['message', 'a\nb\n', 'é2'],
      ['rate', '{"after":"é1"}', 'é2'],
    ])
  })

  for (const path of ['/silent', '/deaf', '/mute']) {
    it(`end soon when the application closes: ${path}`, async () => {
      const closing = createTestApp(defineController({ prefix: '/', routes }), {
        timeouts: { grace: 300_000 },
      })
      const socket = await open(await closing.listen(LOOPBACK))
      socket.write(ask(path))
      await readUntil(socket, path === '/mute' ? /\r\n\r\n/ : /first/)
      const rest = readUntil(socket, /0\r\n\r\n$/)
      const started = Date.now()
      await closing.close()
      assert.ok(Date.now() - started < 60_000, 'closing took all the time there was')
      // not broken off, but ended
      await rest
    })
  }

  it('are not begun in an application that closes', async () => {
    const gate = createGate()
    const closing = createTestApp(
      defineController({
        prefix: '/',
        routes: [{ method: 'GET', handler: behind(gate, () => sse(deaf)) }],
      }),
    )
    const answer = send(await closing.listen(LOOPBACK), { path: '/' })
    await gate.entered
    const closed = closing.close()
    gate.open()
    const { status, bytes } = await answer
    assert.deepEqual([status, bytes.toString()], [200, ''])
    await closed
  })
})

describe('a client that reads nothing', () => {
  for (const path of ['/flood', '/generator', '/node', '/through', '/web']) {
    it(`stops the source of ${path} after a bounded amount, and ends it when it leaves`, async () => {
      ended = createGate()
      produced = 0
      const socket = await open(url)
      socket.pause()
      socket.write(ask(path))
      let last = -1
      for (let tries = 0; (last <= 0 || produced !== last) && tries < 1_500; tries++) {
        last = produced
        await wait(40)
      }
      assert.equal(produced, last)
      // what the buffers of both sockets take
      assert.ok(produced > 0 && produced < 32 * 1024 * 1024, `${produced} bytes were produced`)
      socket.destroy()
      await ended.opened
    })
  }
})

describe('a client that leaves', () => {
  it('aborts the signal of the request while its stream is sent', async () => {
    ended = createGate()
    const socket = await open(url)
    socket.write(ask('/signal'))
    await readUntil(socket, /\r\n\r\n/)
    socket.destroy()
    await ended.opened
  })
})

describe('a slow start', () => {
  it('does not keep the head of a stream waiting', async () => {
    const socket = await open(url)
    socket.write(ask('/signal'))
    assert.match(await readUntil(socket, /\r\n\r\n/), /transfer-encoding: chunked/i)
    socket.destroy()
  })
})

const countFiles = (): number => readdirSync('/proc/self/fd').length

describe('a file over a socket', { skip: process.platform !== 'linux' }, () => {
  it('arrives whole', async () => {
    const { headers, bytes } = await send(url, { path: '/large' })
    assert.equal(headers['content-length'], String(SIZE))
    assert.ok(bytes.equals(Buffer.alloc(SIZE, 'large')), 'the bytes differ')
  })

  it('is closed when the client leaves halfway', async () => {
    const files = countFiles()
    for (let times = 0; times < 5; times++) {
      const socket = await open(url)
      socket.write(ask('/large'))
      await once(socket, 'readable')
      socket.destroy()
    }
    for (let tries = 0; countFiles() > files && tries < 12_000; tries++) await wait(5)
    assert.ok(countFiles() <= files, `${countFiles() - files} files more are open than before`)
  })

  it('leaves the connection to the next request', async () => {
    const socket = await open(url)
    for (const header of ['Range: bytes=0-4', 'If-None-Match: *', 'Range: bytes=5-9']) {
      socket.write(ask('/large').replace(/\r\n$/, `${header}\r\n\r\n`))
      await readUntil(socket, header.startsWith('Range') ? /\r\n\r\nlarge$/ : /^HTTP\/1.1 304 [^]*\r\n\r\n$/)
    }
    socket.destroy()
  })

  it('that becomes shorter breaks off, for its length was promised', async () => {
    writeFileSync(SHRINKING, Buffer.alloc(SIZE))
    const socket = await open(url)
    socket.write(ask('/shrinking'))
    await once(socket, 'readable')
    truncateSync(SHRINKING, 1_000_000)
    let size = 0
    for await (const chunk of socket) size += chunk.length
    assert.ok(size < SIZE, `${size} bytes came`)
  })
})

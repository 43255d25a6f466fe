import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { PassThrough, Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import * as zlib from 'node:zlib'

import { defineController, stream, text } from 'octavo'
import { compression } from 'octavo/middleware'

import { createTestApp, LOOPBACK, send } from './support.ts'

const LONG = 'All work and no play makes Jack a dull boy. '.repeat(200)
const CODINGS = ['br', 'gzip'] as const

/** What the sources do: how many are open, how many bytes they gave, and what makes one that waits go on. */
const sources: { open: number; produced: number; wake: (() => void) | undefined } = {
  open: 0,
  produced: 0,
  wake: undefined,
}

async function* slow(signal: AbortSignal) {
  sources.open++
  try {
    for (let event = 1; ; event++) {
      yield `event ${event}\n`
      await new Promise<void>((resolve) => {
        sources.wake = resolve
        signal.addEventListener('abort', () => resolve())
      })
      if (signal.aborted) return
    }
  } finally {
    sources.open--
  }
}

// longer than what gzip looks back at, so it cannot be compressed
const NOISE = randomBytes(65_536)

// as fast as it is read
async function* endless() {
  sources.open++
  try {
    for (;;) {
      sources.produced += NOISE.length
      yield NOISE
    }
  } finally {
    sources.open--
  }
}

async function* failing() {
  yield LONG
  await sleep(1)
  throw new Error('broken')
}

const CSV = { type: 'text/csv' }
const api = defineController({
  prefix: '/',
  routes: [
    { method: 'GET', path: '/text', handler: () => text(LONG) },
    { method: 'GET', path: '/slow', handler: (_input, { signal }) => stream(slow(signal), CSV) },
    { method: 'GET', path: '/endless', handler: () => stream(endless(), CSV) },
    { method: 'GET', path: '/failing', handler: () => stream(failing(), CSV) },
    {
      method: 'GET',
      path: '/node',
      handler: () => {
        sources.open++
        // waits for ever after its first chunk
        const source = new PassThrough()
        source.write('first\n')
        return stream(
          source.once('close', () => sources.open--),
          CSV,
        )
      },
    },
    {
      method: 'GET',
      path: '/web',
      handler: () => {
        sources.open++
        return stream(
          new ReadableStream({
            start: (controller) => controller.enqueue(Buffer.from('first\n')),
            cancel: () => void sources.open--,
          }),
          CSV,
        )
      },
    },
    {
      method: 'GET',
      path: '/much',
      handler: () => stream(Readable.from(Array.from({ length: 300 }, (_, row) => `${row} ${LONG}`)), CSV),
    },
  ],
})

const app = createTestApp(api, { middleware: [compression({ encodings: [...CODINGS] })] })
let url = ''
before(async () => {
  url = await app.listen(LOOPBACK)
})
after(() => app.close())

/** Sends a request and gives the response when its head has come. */
async function start(path: string, coding: string): Promise<IncomingMessage> {
  const request = httpRequest(`${url}${path}`, { headers: { 'accept-encoding': coding }, agent: false })
  request.on('error', () => undefined)
  request.end()
  const [response] = await once(request, 'response')
  assert.equal(response.headers['content-encoding'], coding)
  return response
}

const DECODERS = {
  br: () => zlib.createBrotliDecompress(),
  gzip: () => zlib.createGunzip(),
  deflate: () => zlib.createInflate(),
}

async function untilClosed(): Promise<void> {
  for (let tries = 0; tries < 12_000 && sources.open > 0; tries++) await sleep(5)
  assert.equal(sources.open, 0, 'sources that were not told')
}

describe('compression over a socket', () => {
  for (const coding of CODINGS) {
    it(`is undone by fetch: ${coding}`, async () => {
      const response = await fetch(`${url}/text`, { headers: { 'accept-encoding': coding } })
      assert.equal(response.headers.get('content-encoding'), coding)
      assert.ok(Number(response.headers.get('content-length')) < 1000, 'it is short')
      assert.equal(await response.text(), LONG)
      const much = await fetch(`${url}/much`, { headers: { 'accept-encoding': coding } })
      assert.equal(much.headers.get('content-length'), null)
      assert.equal((await much.text()).length, LONG.length * 300 + 1090)
    })

    it(`sends each piece of a slow stream when it comes: ${coding}`, async () => {
      const response = await start('/slow', coding)
      const decoded = response.pipe(DECODERS[coding]())
      decoded.on('error', () => undefined)
      for (let event = 1; event <= 3; event++) {
        const [piece] = await once(decoded, 'data')
        assert.equal(String(piece), `event ${event}\n`)
        while (sources.wake === undefined) await sleep(1)
        const go = sources.wake
        sources.wake = undefined
        go()
      }
      response.destroy()
      await untilClosed()
      sources.wake = undefined
    })
  }

  it('reads the source no faster than the client reads', async () => {
    sources.produced = 0
    const response = await start('/endless', 'gzip')
    response.pause()
    let last = -1
    // until the buffers on the way are full
    for (let tries = 0; tries < 1_200 && (last <= 0 || sources.produced !== last); tries++) {
      last = sources.produced
      await sleep(50)
    }
    assert.equal(sources.produced, last, 'the source goes on')
    assert.ok(sources.produced < 32 * 1024 * 1024, `${sources.produced} bytes were read`)
    response.destroy()
    await untilClosed()
  })

  for (const path of ['/slow', '/endless', '/node', '/web']) {
    it(`tells the source when the client goes away: ${path}`, async () => {
      for (const coding of CODINGS) {
        const responses = await Promise.all(Array.from({ length: 10 }, () => start(path, coding)))
        await once(responses[0] ?? new PassThrough(), 'data')
        assert.equal(sources.open, 10)
        for (const response of responses) response.destroy()
        await untilClosed()
      }
    })
    it(`tells the source when nobody asked for the content: HEAD ${path}`, async () => {
      const head = await send(url, { method: 'HEAD', path, headers: { 'accept-encoding': 'gzip' } })
      assert.equal(head.status, 200)
      assert.equal(head.headers['content-encoding'], 'gzip')
      await untilClosed()
    })
  }

  it('breaks off when the source fails, and answers the next request', async () => {
    const response = await start('/failing', 'gzip')
    const error: unknown = await response.toArray().catch((reason: unknown) => reason)
    assert.ok(error instanceof Error, 'the response ended as if it were whole')
    assert.equal((await send(url, { path: '/text' })).status, 200)
  })
})

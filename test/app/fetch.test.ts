import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'

import { sse, type App } from 'octavo'

import { serve } from '../support/serve.ts'
import {
  abortedSoon,
  CHUNK,
  CHUNKS,
  createBrokenApp,
  createSlowApp,
  createUpload,
  eventually,
} from './adapters-support.ts'

const BASE = 'http://cars.example'

function post(app: App, path: string, body: AsyncIterable<Uint8Array>, headers: Record<string, string> = {}) {
  const stream = Readable.toWeb(Readable.from(body)) as ReadableStream<Uint8Array>
  return app.fetch(new Request(BASE + path, { method: 'POST', body: stream, duplex: 'half', headers }))
}

describe('a web request', () => {
  it('tells its URL, host and protocol', async () => {
    const { app } = createSlowApp()
    const response = await app.fetch(new Request('https://Cars.example:8443/seen?a=%C3%A9#part'))
    assert.deepEqual(await response.json(), {
      url: '/seen?a=%C3%A9',
      host: 'cars.example:8443',
      protocol: 'https',
      ip: '',
    })
  })

  it('asks for the host of its URL, whatever its Host header says', async () => {
    const { app } = createSlowApp()
    const request = new Request(`${BASE}/seen`, { headers: { host: 'other.example' } })
    assert.equal(((await (await app.fetch(request)).json()) as { host: string }).host, 'cars.example')
  })

  const infos = [
    ['the address of the client, where it is given', { remoteAddress: '203.0.113.7' }, '203.0.113.7'],
    ['what other servers pass on, which is ignored', { DB: 'binding', remoteAddress: 7 }, ''],
  ] as const
  for (const [title, info, ip] of infos) {
    it(`comes with ${title}`, async () => {
      const { fetch } = createSlowApp().app // servers call it without its application
      const response = await fetch(new Request(`${BASE}/seen`), info)
      assert.equal(((await response.json()) as { ip: string }).ip, ip)
    })
  }

  it('may be of another implementation', async () => {
    const { app } = createSlowApp()
    const { signal } = new AbortController()
    const request = { url: `${BASE}/short`, method: 'GET', headers: new Headers(), body: null, signal }
    const response = await app.fetch(request as Request)
    assert.equal(response.status, 200)
  })

  it('gets a status text', async () => {
    const { app } = createSlowApp()
    assert.equal((await app.fetch(new Request(`${BASE}/nowhere`))).statusText, 'Not Found')
  })
})

describe('the body of a web request', () => {
  it('is read as it comes', async () => {
    const { app } = createSlowApp()
    const { upload, source } = createUpload(10)
    const response = await post(app, '/size', source())
    assert.deepEqual(await response.json(), { size: 10 * CHUNK.length })
    assert.equal(upload.taken, 10)
  })

  it('is cancelled when nobody reads it', async () => {
    const { app } = createSlowApp()
    const { upload, source } = createUpload(1000)
    const response = await post(app, '/ignored', source())
    assert.equal(response.status, 200)
    await eventually(() => upload.stopped === 1, 'the source is told')
    assert.ok(upload.taken < 20, `${upload.taken} chunks were taken`)
  })

  it('is cancelled when it is too long', async () => {
    const { app } = createSlowApp()
    const { upload, source } = createUpload(1000)
    const response = await post(app, '/size', source())
    assert.equal(response.status, 413)
    await eventually(() => upload.stopped === 1, 'the source is told')
    assert.ok(upload.taken < 100, `${upload.taken} chunks were taken`)
  })

  const lengths = [
    ['longer than it says', '10', 400],
    ['shorter than it says', '100000', 400],
    ['too long by what it says', '2000000', 413],
    ['as long as it says', '32768', 200],
  ] as const
  for (const [title, length, status] of lengths) {
    it(`that is ${title} is a ${status}`, async () => {
      const { app } = createSlowApp()
      const response = await post(app, '/size', createUpload(2).source(), { 'content-length': length })
      assert.equal(response.status, status)
    })
  }

  it('that fails is a 400', async () => {
    const { app } = createSlowApp()
    const response = await post(app, '/size', createUpload(2, new Error('gone')).source())
    assert.equal(response.status, 400)
    assert.equal(((await response.json()) as { code: string }).code, 'malformed_request')
  })

  it('that somebody else has read is a 500', async () => {
    const { app } = createSlowApp()
    const request = new Request(`${BASE}/size`, { method: 'POST', body: 'abc' })
    await request.text()
    assert.equal((await app.fetch(request)).status, 500)
  })
})

describe('the streamed body of a web response', () => {
  it('is produced no faster than it is read, and ends its request once', async () => {
    const { app, happenings } = createSlowApp()
    const response = await app.fetch(new Request(`${BASE}/long`))
    // one, to know whether it starts at all
    assert.equal(happenings.produced, 1)
    assert.ok(response.body !== null, 'it has a body')
    const reader = response.body.getReader()
    await reader.read()
    await reader.read()
    assert.equal(happenings.produced, 2)
    let size = 2 * CHUNK.length
    for (let part = await reader.read(); !part.done; part = await reader.read()) size += part.value.length
    assert.equal(size, CHUNKS * CHUNK.length)
    assert.deepEqual(happenings, { produced: CHUNKS, stopped: 1, ended: 1, reason: undefined })
  })

  it('ends its request when it is cancelled', async () => {
    const { app, happenings } = createSlowApp()
    const response = await app.fetch(new Request(`${BASE}/long`))
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.cancel('enough')
    await eventually(() => happenings.ended === 1, 'the request ends')
    assert.deepEqual(happenings, { produced: 1, stopped: 1, ended: 1, reason: 'enough' })
    await app.close()
    assert.equal(happenings.ended, 1)
  })

  it('fails when the request is aborted', async () => {
    const { app, happenings } = createSlowApp()
    const abort = new AbortController()
    const response = await app.fetch(new Request(`${BASE}/long`, { signal: abort.signal }))
    const reader = response.body?.getReader()
    await reader?.read()
    const reason = new Error('enough')
    abort.abort(reason)
    await assert.rejects(async () => reader?.read(), reason)
    await eventually(() => happenings.ended === 1, 'the request ends')
    assert.deepEqual(happenings, { produced: 1, stopped: 1, ended: 1, reason })
  })

  const failures = [
    ['/broken', 'the source fails', /halfway/],
    ['/wrong-length', 'it is not as long as its head says', /Content-Length/],
    ['/numbers', 'a chunk is neither text nor bytes', /neither text nor bytes/],
  ] as const
  for (const [path, title, expected] of failures) {
    it(`fails when ${title}`, async () => {
      const { app, happenings } = createSlowApp()
      const response = await app.fetch(new Request(BASE + path))
      await assert.rejects(response.arrayBuffer(), expected)
      assert.equal(happenings.ended, 1)
    })
  }

  it('is not there in the answer to HEAD', async () => {
    const { app, happenings } = createSlowApp()
    const response = await app.fetch(new Request(`${BASE}/long`, { method: 'HEAD' }))
    assert.equal(response.body, null)
    assert.deepEqual(happenings, { produced: 0, stopped: 0, ended: 1, reason: undefined })
  })

  it('keeps the application from closing until it is read', async () => {
    const { app, happenings } = createSlowApp()
    const response = await app.fetch(new Request(`${BASE}/long`))
    const order: string[] = []
    const closed = app.close().then(() => order.push('closed'))
    await response.arrayBuffer().then(() => order.push('read'))
    await closed
    assert.deepEqual(order, ['read', 'closed'])
    assert.equal(happenings.ended, 1)
  })
})

describe('app.fetch', () => {
  for (const given of [BASE, new URL(BASE), null]) {
    it(`says that it takes a Request when it is given ${given instanceof URL ? 'a URL' : String(given)}`, async () => {
      const { app } = createSlowApp()
      await assert.rejects(Reflect.apply(app.fetch, undefined, [given]), {
        name: 'TypeError',
        message: /^fetch: give a Request/,
      })
      await app.close()
    })
  }

  it('answers when the request was aborted before, with the signal aborted', async () => {
    const { app, happenings } = createSlowApp()
    const response = await app.fetch(
      new Request(`${BASE}/never`, { signal: abortedSoon(new Error('enough')) }),
    )
    assert.equal(response.status, 499)
    assert.match(String(happenings.reason), /enough/)
  })

  it('leaves no listener on the signal of a request', async () => {
    const app = serve([
      {
        method: 'GET',
        handler: (_input, { signal }) => signal.addEventListener('abort', () => {}),
      },
      {
        method: 'GET',
        path: '/events',
        handler: () =>
          sse(async function* () {
            yield { data: 1 }
          }),
      },
    ])
    for (const path of ['/', '/events']) {
      const request = new Request(BASE + path)
      await (await app.fetch(request)).text()
      await eventually(() => getEventListeners(request.signal, 'abort').length === 0, path)
    }
  })

  it('rejects when the application is closed', async () => {
    const { app } = createSlowApp()
    await app.close()
    await assert.rejects(app.fetch(new Request(`${BASE}/short`)), /The application is closed/)
  })

  it('rejects when the application cannot start', async () => {
    await assert.rejects(createBrokenApp().fetch(new Request(BASE)), /Broken .* could not be made/)
  })
})

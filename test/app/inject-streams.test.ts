import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'

import { defineController, reply } from 'octavo'

import { serve } from '../support/serve.ts'
import { abortedSoon, CHUNK, CHUNKS, createSlowApp, createUpload, eventually } from './adapters-support.ts'

describe('inject with stream: true', () => {
  it('resolves at the head, and produces no faster than it is read', async () => {
    const { app, happenings } = createSlowApp()
    const { statusCode, headers, stream } = await app.inject({ url: '/long', stream: true })
    assert.equal(statusCode, 200)
    assert.equal(headers['content-type'], 'application/octet-stream')
    assert.equal(happenings.produced, 1)
    let size = 0
    for await (const chunk of stream) {
      size += (chunk as Buffer).length
      assert.ok(happenings.produced * CHUNK.length <= size + 8 * CHUNK.length, 'it is not far ahead')
    }
    assert.equal(size, CHUNKS * CHUNK.length)
    assert.deepEqual(happenings, { produced: CHUNKS, stopped: 1, ended: 1, reason: undefined })
  })

  it('ends the request when the stream is destroyed', async () => {
    const { app, happenings } = createSlowApp()
    const { stream } = await app.inject({ url: '/long', stream: true })
    stream.destroy()
    await eventually(() => happenings.ended === 1, 'the request ends')
    assert.equal(happenings.stopped, 1)
    assert.match(String(happenings.reason), /The client went away/)
  })

  it('fails with the source', async () => {
    const { app, happenings } = createSlowApp()
    const { stream } = await app.inject({ url: '/broken', stream: true })
    await assert.rejects(stream.toArray(), /halfway/)
    assert.equal(happenings.ended, 1)
  })

  it('fails when the signal aborts', async () => {
    const { app, happenings } = createSlowApp()
    const abort = new AbortController()
    const { stream } = await app.inject({ url: '/long', stream: true, signal: abort.signal })
    abort.abort(new Error('enough'))
    await assert.rejects(stream.toArray(), /enough/)
    await eventually(() => happenings.ended === 1, 'the request ends')
  })

  it('rejects when the signal aborts before the head', async () => {
    const { app, happenings } = createSlowApp()
    const signal = abortedSoon(new Error('enough'))
    await assert.rejects(app.inject({ url: '/never', stream: true, signal }), /enough/)
    await eventually(() => happenings.ended === 1, 'the request ends')
  })

  it('has route, version and cookies', async () => {
    const controller = defineController({
      name: 'Car',
      routes: [{ method: 'GET', handler: () => reply(200, 'a', { cookies: { b: 'c' } }) }],
    })
    const app = serve(controller)
    const response = await app.inject({ url: '/car', stream: true })
    assert.equal(response.route?.name, 'car.get')
    assert.equal(response.version, null)
    assert.deepEqual(response.cookies, [{ name: 'b', value: 'c' }])
    assert.equal(String(await response.stream.read()), '"a"')
  })
})

describe('the body of inject', () => {
  const bodies: readonly (readonly [string, () => unknown])[] = [
    ['a Node stream', () => Readable.from(createUpload(4).source())],
    ['a web stream', () => Readable.toWeb(Readable.from(createUpload(4).source()))],
    ['an async iterable', () => createUpload(4).source()],
  ]
  for (const [title, body] of bodies) {
    it(`may be ${title}`, async () => {
      const { app } = createSlowApp()
      const response = await app.inject({ method: 'POST', url: '/size', body: body() })
      assert.deepEqual(response.json(), { size: 4 * CHUNK.length })
    })
  }

  it('is taken no further than it is read', async () => {
    const { app } = createSlowApp()
    const { upload, source } = createUpload(1000)
    const response = await app.inject({ method: 'POST', url: '/ignored', body: source() })
    assert.equal(response.statusCode, 200)
    assert.deepEqual(upload, { taken: 0, stopped: 1 })
  })

  it('is refused when it is too long', async () => {
    const { app } = createSlowApp()
    const { upload, source } = createUpload(1000)
    const response = await app.inject({ method: 'POST', url: '/size', body: source() })
    assert.equal(response.statusCode, 413)
    assert.deepEqual(upload, { taken: 65, stopped: 1 })
  })

  it('that fails rejects with its error, and aborts the request', async () => {
    const { app, happenings } = createSlowApp()
    const { source } = createUpload(2, new Error('disk'))
    await assert.rejects(app.inject({ method: 'POST', url: '/size', body: source() }), /disk/)
    await eventually(() => happenings.ended === 1, 'the request ends')
    assert.match(String(happenings.reason), /disk/)
  })

  it('has to be as long as it says', async () => {
    const { app } = createSlowApp()
    const inject = async (length: string) =>
      app.inject({
        method: 'POST',
        url: '/size',
        body: createUpload(2).source(),
        headers: { 'Content-Length': length },
      })
    const statuses = [(await inject('7')).statusCode, (await inject('32768')).statusCode]
    assert.deepEqual(statuses, [400, 200])
  })
})

describe('inject', () => {
  it('takes a URL, and search parameters', async () => {
    const { app } = createSlowApp()
    const url = new URL('https://cars.example/seen?a=1#part')
    const seen = (await app.inject(url)).json() as { url: string; host: string; protocol: string }
    assert.deepEqual([seen.url, seen.host, seen.protocol], ['/seen?a=1', 'cars.example', 'https'])
    const query = new URLSearchParams([
      ['b', '2'],
      ['b', '3'],
    ])
    assert.equal(((await app.inject({ url, query })).json() as { url: string }).url, '/seen?a=1&b=2&b=3')
  })
})

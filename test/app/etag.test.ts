import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, reply, stream, text, VersioningSchemes } from 'octavo'
import { etag } from 'octavo/middleware'
import type { App, Middleware } from 'octavo'
import type { EtagOptions } from 'octavo/middleware'

const asBytes: Middleware = async (_context, next) => ({ ...(await next()), body: new Uint8Array([0, 255]) })
let count = 0
let isCancelled = false
const api = defineController({
  prefix: '/',
  routes: [
    { method: 'GET', path: '/cars', handler: () => ['Ford'] },
    { method: 'POST', path: '/cars', handler: () => ['Ford'] },
    { method: 'GET', path: '/text', handler: () => text('["Ford"]') },
    { method: 'GET', path: '/changes', handler: () => ++count },
    { method: 'GET', path: '/created', handler: () => reply(201, 'made') },
    { method: 'GET', path: '/none', handler: () => undefined },
    { method: 'GET', path: '/bytes', middleware: [asBytes], handler: () => 'bytes' },
    {
      method: 'GET',
      path: '/head',
      handler: (_input, { response }) => {
        response.headers.set('cache-control', 'no-cache')
        response.headers.set('content-language', 'en')
        response.headers.set('last-modified', 'Sat, 21 Nov 2026 00:00:00 GMT')
        response.headers.set('vary', 'Accept-Language')
        response.cookies.set('seen', '1')
        return 'with head'
      },
    },
    { method: 'GET', path: '/own', handler: () => text('own', { headers: { ETag: 'W/"own"' } }) },
    {
      method: 'GET',
      path: '/stream',
      handler: () =>
        stream(
          new ReadableStream({
            pull: (controller) => {
              controller.enqueue(Buffer.from('x'))
              controller.close()
            },
            cancel: () => void (isCancelled = true),
          }),
        ),
    },
    {
      method: 'GET',
      path: '/own-stream',
      handler: () =>
        stream(new ReadableStream({ cancel: () => void (isCancelled = true) }), { headers: { etag: '"s"' } }),
    },
  ],
})
const serve = (options?: EtagOptions): App =>
  createApp(defineModule({ controllers: [api] }), { logger: false, middleware: [etag(options)] })
const app = serve()

async function tagOf(url: string, from = app, method = 'GET'): Promise<string | undefined> {
  const { headers } = await from.inject({ method, url })
  const tag = headers['etag']
  return tag === undefined ? undefined : String(tag)
}

describe('etag', () => {
  it('tags text and bytes of a 200 to GET and HEAD, the same each time', async () => {
    for (const url of ['/cars', '/text', '/bytes']) {
      const tag = await tagOf(url)
      assert.match(tag ?? '', /^"[\w-]{22}"$/)
      assert.equal(await tagOf(url, app, 'HEAD'), tag)
      assert.equal(await tagOf(url), tag)
    }
  })
  it('tags other content otherwise, and the same text in another type', async () => {
    assert.notEqual(await tagOf('/changes'), await tagOf('/changes'))
    assert.notEqual(await tagOf('/cars'), await tagOf('/text'))
  })
  it('tags weakly when it is told to', async () => {
    assert.match((await tagOf('/cars', serve({ weak: true }))) ?? '', /^W\/"[\w-]{22}"$/)
  })
  it('leaves other statuses, methods, streams and tags of handlers alone', async () => {
    assert.equal(await tagOf('/cars', app, 'POST'), undefined)
    assert.equal(await tagOf('/created'), undefined)
    assert.equal(await tagOf('/none'), undefined)
    assert.equal(await tagOf('/unknown'), undefined)
    assert.equal(await tagOf('/stream'), undefined)
    assert.equal(await tagOf('/own'), 'W/"own"')
  })
  it('tags versions apart, also where their bytes are equal', async () => {
    const cars = defineController({
      prefix: '/cars',
      version: ['1', '2'],
      routes: [{ method: 'GET', handler: () => ['Ford'] }],
    })
    const versioned = createApp(defineModule({ controllers: [cars] }), {
      logger: false,
      middleware: [etag()],
      versioning: { scheme: VersioningSchemes.HEADER, headerParameter: 'x-version' },
    })
    const ask = (version: string, known?: string) =>
      versioned.inject({ url: '/cars', version, headers: { 'if-none-match': known } })
    const [one, two] = [await ask('1'), await ask('2')]
    assert.equal(one.body, two.body)
    assert.notEqual(one.headers['etag'], two.headers['etag'])
    assert.equal((await ask('2', String(one.headers['etag']))).statusCode, 200)
    const same = await ask('2', String(two.headers['etag']))
    assert.equal(same.statusCode, 304)
    assert.equal(same.headers['vary'], 'x-version')
  })
  it('refuses options that it does not have', () => {
    assert.throws(() => Reflect.apply(etag, undefined, [{ weak: 'yes' }]), { name: 'DefinitionError' })
    assert.throws(() => Reflect.apply(etag, undefined, [{ strong: true }]), { name: 'DefinitionError' })
  })
})

describe('If-None-Match', () => {
  const cases = [
    ['the tag', (tag: string) => tag, 304],
    ['the tag as a weak one', (tag: string) => `W/${tag}`, 304],
    ['a list that has the tag', (tag: string) => `"a", W/"b,c" ,${tag}`, 304],
    ['any', () => '*', 304],
    ['another tag', () => '"other"', 200],
    ['a tag without quotes', (tag: string) => tag.slice(1, -1), 200],
    ['a part of the tag', (tag: string) => `${tag.slice(0, 10)}"`, 200],
    ['nothing', () => '', 200],
    ['a quote that never ends', () => '"'.repeat(3), 200],
  ] as const
  for (const [what, known, status] of cases) {
    it(`with ${what} is ${status}, for GET and HEAD`, async () => {
      const tag = (await tagOf('/cars')) ?? ''
      for (const method of ['GET', 'HEAD']) {
        const response = await app.inject({ method, url: '/cars', headers: { 'if-none-match': known(tag) } })
        assert.equal(response.statusCode, status)
        assert.equal(response.headers['etag'], tag)
        assert.equal(response.body, status === 304 || method === 'HEAD' ? '' : '["Ford"]')
      }
    })
  }
  it('does not change what a POST or an error is answered with', async () => {
    const headers = { 'if-none-match': '*' }
    assert.equal((await app.inject({ method: 'POST', url: '/cars', headers })).statusCode, 200)
    assert.equal((await app.inject({ url: '/unknown', headers })).statusCode, 404)
    assert.equal((await app.inject({ url: '/created', headers })).statusCode, 201)
  })
  it('leaves in the head of a 304 what a cache needs, and nothing that describes the content', async () => {
    const { headers } = await app.inject('/head')
    const known = String(headers['etag'])
    const response = await app.inject({ url: '/head', headers: { 'if-none-match': known } })
    assert.equal(response.statusCode, 304)
    assert.deepEqual(response.headers, {
      'cache-control': 'no-cache',
      vary: 'Accept-Language',
      'set-cookie': ['seen=1'],
      etag: known,
    })
  })
  it('counts for tags of handlers, and a stream that is not sent is told', async () => {
    assert.equal((await app.inject({ url: '/own', headers: { 'if-none-match': '"own"' } })).statusCode, 304)
    isCancelled = false
    const response = await app.inject({ url: '/own-stream', headers: { 'if-none-match': '"s"' } })
    assert.equal(response.statusCode, 304)
    assert.equal(isCancelled, true)
  })
})

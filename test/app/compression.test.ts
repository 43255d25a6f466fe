import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import * as zlib from 'node:zlib'

import { createApp, defineController, defineModule, reply, stream, text } from 'octavo'
import { compression, etag } from 'octavo/middleware'
import type { App, AppOptions, InjectOptions, InjectResponse, Middleware } from 'octavo'
import type { CompressionOptions } from 'octavo/middleware'

const LONG = 'All work and no play makes Jack a dull boy. '.repeat(100)
const NOISE = randomBytes(3000)
const asNoise: Middleware = async (_context, next) => ({ ...(await next()), body: NOISE })
const ended: string[] = []

async function* rows(name: string) {
  try {
    for (let row = 0; row < 500; row++) yield `row ${row} of ${name}\n`
  } finally {
    ended.push(name)
  }
}

const ofType = (type: string) => text(LONG, { headers: { 'content-type': type } })
const withHeader = (name: string, value: string) => text(LONG, { headers: { [name]: value } })

const api = defineController({
  prefix: '/',
  routes: [
    { method: 'GET', path: '/long', handler: () => ({ text: LONG }) },
    { method: 'GET', path: '/short', handler: () => ({ text: 'short' }) },
    { method: 'GET', path: '/type', input: { query: ['is'] }, handler: ({ query }) => ofType(query.is) },
    {
      method: 'GET',
      path: '/header',
      input: { query: ['name', 'value'] },
      handler: ({ query }) => withHeader(query.name, query.value),
    },
    { method: 'GET', path: '/noise', middleware: [asNoise], handler: () => text('noise') },
    {
      method: 'GET',
      path: '/part',
      handler: () => text(LONG, { status: 206, headers: { 'content-range': 'bytes 0-9/10' } }),
    },
    { method: 'GET', path: '/nothing', handler: () => undefined },
    {
      method: 'GET',
      path: '/unsendable',
      handler: () => stream(rows('rows'), { type: 'text/csv', headers: { 'x-text': 'a\r\nb' } }),
    },
    { method: 'GET', path: '/rows', handler: () => stream(rows('rows'), { type: 'text/csv' }) },
    {
      method: 'GET',
      path: '/file',
      handler: () =>
        stream(Readable.from([Buffer.from(LONG)]), {
          type: 'text/csv',
          headers: { 'content-length': String(LONG.length), 'accept-ranges': 'bytes', etag: '"of-file"' },
        }),
    },
    {
      method: 'GET',
      path: '/small-file',
      handler: () =>
        stream(Readable.from(['small']), { type: 'text/csv', headers: { 'content-length': '5' } }),
    },
    { method: 'GET', path: '/events', handler: () => stream(rows('events'), { type: 'text/event-stream' }) },
    { method: 'GET', path: '/same', handler: () => reply(304, undefined, { headers: { etag: '"x"' } }) },
    {
      method: 'GET',
      path: '/fails',
      handler: () => {
        throw new Error('broken')
      },
    },
  ],
})
const AppModule = defineModule({ controllers: [api] })

function serve(options?: CompressionOptions, more: AppOptions = {}): App {
  return createApp(AppModule, { logger: false, middleware: [compression(options)], ...more })
}

const all = serve({ encodings: ['br', 'gzip'] })

function get(url: string, accept?: string | readonly string[], method = 'GET'): InjectOptions {
  return { method, url, headers: { 'accept-encoding': accept } }
}

const typed = (type: string): string => `/type?is=${encodeURIComponent(type)}`
const headed = (name: string, value: string): string =>
  `/header?name=${name}&value=${encodeURIComponent(value)}`

/** The content of a response without its coding. */
function decode({ headers, bytes }: InjectResponse): string {
  const coding = headers['content-encoding']
  if (coding === 'br') return zlib.brotliDecompressSync(bytes).toString()
  if (coding === 'gzip') return zlib.gunzipSync(bytes).toString()
  return Buffer.from(bytes).toString()
}

describe('the coding that compression chooses', () => {
  const cases = [
    [undefined, undefined],
    ['', undefined],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['deflate', undefined],
    ['gzip, deflate, br', 'br'],
    ['br;q=0.5, gzip', 'gzip'],
    ['br;q=0.5,gzip;q=0.5', 'br'],
    ['gzip;q=0', undefined],
    ['br;q=0, *', 'gzip'],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['br;q=0,gzip;q=0,*;q=0.1', undefined],
    ['identity, *;q=0', undefined],
    ['identity;q=0.5, gzip;q=0.2', undefined],
    ['identity, gzip', 'gzip'],
    ['identity;q=0', undefined],
    ['unknown, gzip ; Q=0.001', 'gzip'],
    ['gzip;q=2, br;q=x, deflate;q=0.1234', undefined],
    ['gzip;q=1;x=y', undefined],
    [['gzip;q=0.1', 'br'], 'br'],
    [',, ,gzip,', 'gzip'],
  ] as const
  for (const [accept, expected] of cases) {
    it(`is ${expected ?? 'none'} for ${accept === undefined ? 'no header' : JSON.stringify(accept)}`, async () => {
      const response = await all.inject(get('/long', accept))
      assert.equal(response.headers['content-encoding'], expected)
      assert.equal(response.headers['vary'], 'Accept-Encoding')
      assert.equal(response.headers['content-length'], String(response.bytes.length))
      assert.deepEqual(JSON.parse(decode(response)), { text: LONG })
    })
  }

  it('is the first of the list among those that weigh the same', async () => {
    const app = serve({ encodings: ['gzip', 'br'] })
    const response = await app.inject(get('/long', 'br, gzip'))
    assert.equal(response.headers['content-encoding'], 'gzip')
  })

  it('is zstd where this version of Node has it', async () => {
    const response = await serve().inject(get('/long', 'zstd, gzip'))
    const hasZstd = 'zstdDecompressSync' in zlib
    assert.equal(response.headers['content-encoding'], hasZstd ? 'zstd' : 'gzip')
    if ('zstdDecompressSync' in zlib && typeof zlib.zstdDecompressSync === 'function')
      assert.deepEqual(JSON.parse(String(zlib.zstdDecompressSync(response.bytes))), { text: LONG })
  })
})

describe('compression', () => {
  const types = [
    ['text/plain', true],
    ['TEXT/HTML; charset=utf-8', true],
    ['application/json', true],
    ['application/problem+json', true],
    ['application/vnd.api+json;version=2', true],
    ['application/javascript', true],
    ['application/xml', true],
    ['application/yaml', true],
    ['application/x-ndjson', true],
    ['application/wasm', true],
    ['image/svg+xml', true],
    ['font/ttf', true],
    ['text/event-stream', false],
    ['image/png', false],
    ['font/woff2', false],
    ['video/mp4', false],
    ['application/zip', false],
    ['application/octet-stream', false],
  ] as const
  for (const [type, isCompressed] of types) {
    it(`is ${isCompressed ? '' : 'not '}${type}, and Vary tells the same`, async () => {
      const { headers } = await all.inject(get(typed(type), 'gzip'))
      assert.equal(headers['content-encoding'], isCompressed ? 'gzip' : undefined)
      assert.equal(headers['vary'], isCompressed ? 'Accept-Encoding' : undefined)
    })
  }

  const asItIs = [
    ['what has a coding already', headed('content-encoding', 'x-own')],
    ['what is not to be transformed', headed('cache-control', 'public, no-transform')],
    ['what a digest signs', headed('repr-digest', 'sha-256=:AAAA:')],
    ['nothing', '/nothing'],
  ] as const
  for (const [what, url] of asItIs) {
    it(`is not ${what}`, async () => {
      const coded = await all.inject(get(url, 'gzip'))
      const plain = await all.inject(get(url))
      assert.deepEqual(coded.headers, plain.headers)
      assert.equal(coded.body, plain.body)
      assert.equal(coded.headers['vary'], undefined)
    })
  }

  it('is not a part, whose Vary is that of the whole', async () => {
    const coded = await all.inject(get('/part', 'gzip, identity;q=0'))
    assert.equal(coded.statusCode, 206)
    assert.equal(coded.body, LONG)
    assert.equal(coded.headers['content-encoding'], undefined)
    assert.equal(coded.headers['content-range'], 'bytes 0-9/10')
    assert.equal(coded.headers['vary'], 'Accept-Encoding')
  })

  it('is not what is short, unless the client demands a coding; Vary says that either may come', async () => {
    const plain = await all.inject(get('/short', 'gzip'))
    assert.equal(plain.headers['content-encoding'], undefined)
    assert.equal(plain.headers['vary'], 'Accept-Encoding')
    const demanded = await all.inject(get('/short', 'gzip, identity;q=0'))
    assert.equal(demanded.headers['content-encoding'], 'gzip')
    assert.equal(decode(demanded), '{"text":"short"}')
    const low = await serve({ threshold: 10, level: { br: 11 } }).inject(get('/short', 'br'))
    assert.equal(low.headers['content-encoding'] ?? 'longer', 'longer')
  })

  it('is not what becomes no shorter', async () => {
    const response = await all.inject(get('/noise', 'br'))
    assert.equal(response.headers['content-encoding'], undefined)
    assert.equal(response.headers['vary'], 'Accept-Encoding')
    assert.deepEqual(Buffer.from(response.bytes), NOISE)
  })

  it('is what the filter says, and what the filter cannot say stays', async () => {
    const app = serve({ filter: ({ status }, { request }) => status === 200 && request.url !== '/long' })
    assert.equal((await app.inject(get('/long', 'gzip'))).headers['content-encoding'], undefined)
    assert.equal((await app.inject(get(typed('image/png'), 'gzip'))).headers['content-encoding'], 'gzip')
    assert.equal((await app.inject(get('/part', 'gzip'))).headers['content-encoding'], undefined)
    assert.equal((await app.inject(get('/events', 'gzip'))).headers['content-encoding'], 'gzip')
  })

  it('includes problem documents', async () => {
    const app = serve({ threshold: 0 })
    for (const [url, status] of [
      ['/unknown', 404],
      ['/type', 422],
      ['/fails', 500],
    ] as const) {
      const response = await app.inject(get(url, 'gzip, identity;q=0'))
      assert.equal(response.statusCode, status)
      assert.equal(response.headers['content-type'], 'application/problem+json')
      assert.equal(JSON.parse(decode(response)).status, status)
    }
  })
})

describe('the head of compressed responses', () => {
  for (const url of ['/long', '/rows', '/file', '/short', '/small-file', '/part', '/unknown']) {
    for (const accept of ['br', undefined]) {
      it(`is the same for HEAD and GET of ${url} ${accept === undefined ? 'without coding' : 'in br'}`, async () => {
        const [head, full] = [await all.inject(get(url, accept, 'HEAD')), await all.inject(get(url, accept))]
        assert.deepEqual(head.headers, full.headers)
        assert.equal(head.statusCode, full.statusCode)
        assert.equal(head.bytes.length, 0)
      })
    }
  }

  it('has no strong tag, no ranges and no length of a stream', async () => {
    const coded = await all.inject(get('/file', 'gzip'))
    assert.equal(decode(coded), LONG)
    assert.deepEqual(coded.headers, {
      'content-type': 'text/csv',
      'content-encoding': 'gzip',
      etag: 'W/"of-file"',
      vary: 'Accept-Encoding',
    })
    const plain = await all.inject(get('/file'))
    assert.equal(plain.headers['etag'], '"of-file"')
    assert.equal(plain.headers['accept-ranges'], 'bytes')
    assert.equal(plain.headers['content-length'], String(LONG.length))
  })

  it('has a weak tag in a 304 too, so that it names what was sent before', async () => {
    const coded = await all.inject(get('/same', 'gzip'))
    assert.deepEqual(coded.headers, { etag: 'W/"x"', vary: 'Accept-Encoding' })
    const plain = await all.inject(get('/same'))
    assert.deepEqual(plain.headers, { etag: '"x"', vary: 'Accept-Encoding' })
  })

  it('keeps the Vary of a handler', async () => {
    const { headers } = await all.inject(get(headed('vary', 'Accept-Language, accept-encoding'), 'gzip'))
    assert.equal(headers['vary'], 'Accept-Language, accept-encoding')
    const star = await all.inject(get(headed('vary', '*'), 'gzip'))
    assert.equal(star.headers['vary'], '*')
  })
})

describe('streams and compression', () => {
  for (const accept of ['br', 'gzip']) {
    it(`go together in ${accept}`, async () => {
      const response = await all.inject(get('/rows', accept))
      assert.equal(response.headers['content-encoding'], accept)
      assert.equal(response.headers['content-length'], undefined)
      const plain = await all.inject(get('/rows'))
      assert.equal(decode(response), plain.body)
      assert.ok(response.bytes.length < plain.bytes.length / 3, `${response.bytes.length} bytes`)
    })
  }

  it('leave events alone', async () => {
    const { headers } = await all.inject(get('/events', 'gzip'))
    assert.equal(headers['content-encoding'], undefined)
  })

  it('leave short ones alone when their length is known', async () => {
    const response = await all.inject(get('/small-file', 'gzip'))
    assert.equal(response.headers['content-encoding'], undefined)
    assert.equal(response.body, 'small')
  })

  it('tell the source when a middleware further out puts the compressed body aside', async () => {
    const replace: Middleware = async (_context, next) => {
      await next()
      return 'replaced'
    }
    const app = createApp(AppModule, { logger: false, middleware: [replace, compression()] })
    ended.length = 0
    assert.equal((await app.inject(get('/rows', 'gzip'))).json(), 'replaced')
    for (let turn = 0; turn < 20 && ended.length === 0; turn++) await new Promise(setImmediate)
    assert.deepEqual(ended, ['rows'])
  })
})

describe('a compressed stream that is not sent', () => {
  const cases: readonly (readonly [string, readonly Middleware[], string])[] = [
    [
      'because a middleware further out throws',
      [
        async (_context, next) => {
          await next()
          throw new Error('broken')
        },
        compression(),
      ],
      '/rows',
    ],
    ['because a header cannot be sent', [compression()], '/unsendable'],
  ]
  for (const [why, middleware, url] of cases) {
    it(`tells its source, ${why}`, async () => {
      ended.length = 0
      const app = createApp(AppModule, { logger: false, middleware })
      const response = await app.inject(get(url, 'gzip'))
      assert.equal(response.statusCode, 500)
      assert.equal(Object(response.json()).code, 'internal_error')
      for (let turn = 0; turn < 20 && ended.length === 0; turn++) await new Promise(setImmediate)
      assert.deepEqual(ended, ['rows'])
    })
  }
})

describe('compression around etag', () => {
  const app = createApp(AppModule, { logger: false, middleware: [compression(), etag()] })
  it('lets a client that has the content in any coding have a 304', async () => {
    for (const accept of ['br', 'gzip', undefined]) {
      const first = await app.inject(get('/long', accept))
      const tag = String(first.headers['etag'])
      assert.match(tag, accept === undefined ? /^"/ : /^W\/"/)
      const again = await app.inject({
        url: '/long',
        headers: { 'accept-encoding': accept, 'if-none-match': tag },
      })
      assert.equal(again.statusCode, 304)
      assert.equal(again.headers['etag'], tag)
      assert.equal(again.headers['vary'], 'Accept-Encoding')
      assert.equal(again.headers['content-encoding'], undefined)
    }
  })
  it('works in the other order too, with a tag for each coding', async () => {
    const other = createApp(AppModule, { logger: false, middleware: [etag(), compression()] })
    const tags = await Promise.all(
      ['br', 'gzip', undefined].map(
        async (accept) => (await other.inject(get('/long', accept))).headers['etag'],
      ),
    )
    assert.equal(new Set(tags).size, 3)
    const again = await other.inject({
      url: '/long',
      headers: { 'accept-encoding': 'gzip', 'if-none-match': String(tags[1]) },
    })
    assert.equal(again.statusCode, 304)
    assert.deepEqual(again.headers, { etag: tags[1], vary: 'Accept-Encoding' })
  })
})

describe('the options of compression', () => {
  const wrong: readonly (readonly [string, unknown, RegExp])[] = [
    ['no object', null, /the options are null. Write compression\(\{ … \}\) \[invalid_option\]/],
    ['an unknown name', { treshold: 1 }, /Did you mean "threshold"\?.*\[unknown_option\]/s],
    ['a negative threshold', { threshold: -1 }, /threshold is -1\. Give a number of bytes/],
    [
      'no encodings',
      { encodings: [] },
      /encodings is an empty list\. Give a list of encodings, which are 'br', 'zstd', 'gzip'/,
    ],
    ['an unknown encoding', { encodings: ['lzma'] }, /encodings\[0\] is "lzma"/],
    ['a level out of range', { level: { br: 12 } }, /level\.br is 12\. Give an integer from 0 to 11/],
    ['a level of nothing', { level: { lzma: 1 } }, /no option "level\.lzma"/],
    ['a number as level', { level: 4 }, /level is 4\. Give an object/],
    ['a filter that is a list', { filter: ['text/plain'] }, /filter is a list of 1\. Give a function/],
  ]
  for (const [what, options, message] of wrong) {
    it(`are a definition error with ${what}`, () => {
      // what a program without types may pass
      assert.throws(() => Reflect.apply(compression, undefined, [options]), {
        name: 'DefinitionError',
        message,
      })
    })
  }
})

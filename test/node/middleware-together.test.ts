import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

import { createApp, defineController, defineModule, stream, VersioningSchemes } from 'octavo'
import { compression, cors, csrf, etag, rateLimit, requestId, securityHeaders } from 'octavo/middleware'
import { z } from 'zod'

import { LOOPBACK } from './support.ts'

const PAGE = 'https://app.example'
const WORDS = Array.from({ length: 300 }, (_, index) => `word ${index}`)

async function* words() {
  for (const word of WORDS) yield `${word}\n`
}

const api = defineController({
  prefix: '/words',
  version: ['1', '2'],
  routes: [
    { method: 'GET', handler: () => WORDS },
    { method: 'POST', status: 201, handler: () => WORDS },
    { method: 'GET', path: '/few', input: { query: { of: z.number() } }, handler: () => ['one'] },
    { method: 'GET', path: '/stream', handler: () => stream(words(), { type: 'text/plain' }) },
    { method: 'GET', path: '/events', handler: () => stream(words(), { type: 'text/event-stream' }) },
    {
      method: 'GET',
      path: '/failing',
      handler: () => {
        throw new Error('broken')
      },
    },
  ],
})

/** All of them in the order that docs/guide/middleware.md recommends. */
const app = createApp(defineModule({ controllers: [api] }), {
  logger: false,
  versioning: { scheme: VersioningSchemes.HEADER, headerParameter: 'x-version' },
  middleware: [
    cors({ origin: PAGE, credentials: true, exposedHeaders: ['ratelimit'] }),
    requestId({ trust: true }),
    securityHeaders(),
    rateLimit({ limit: 1000, window: 3600, by: ({ request }) => request.header('x-client') }),
    csrf({ origins: PAGE }),
    compression({ threshold: 100, encodings: ['br', 'gzip'] }),
    etag(),
  ],
})

let url = ''
before(async () => {
  url = await app.listen(LOOPBACK)
})
after(() => app.close())

type Headers = Readonly<Record<string, string>>

interface Ask {
  readonly method: string
  readonly path: string
  readonly headers: Headers
}

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

const DECODERS: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
}

async function byInject({ method, path, headers }: Ask): Promise<Answer> {
  const response = await app.inject({ method, url: path, headers })
  const decode = DECODERS[String(response.headers['content-encoding'])]
  const bytes = decode === undefined || method === 'HEAD' ? response.bytes : decode(response.bytes)
  return { status: response.statusCode, headers: response.headers, text: Buffer.from(bytes).toString() }
}

async function byFetch({ method, path, headers }: Ask): Promise<Answer> {
  const response = await fetch(`${url}${path}`, { method, headers })
  const all = Object.fromEntries(response.headers)
  const { date: _1, connection: _2, 'keep-alive': _3, 'transfer-encoding': _4, ...rest } = all
  return { status: response.status, headers: rest, text: await response.text() }
}

/** What every answer has to carry, wherever on the way it was made. */
const EVERYWHERE: Headers = {
  'access-control-allow-origin': PAGE,
  'access-control-allow-credentials': 'true',
  'x-request-id': 'the-id',
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}

const V1 = { 'x-version': '1' }
const cases = [
  ['data', 'GET', '/words', V1, 200, true],
  ['data for HEAD', 'HEAD', '/words', V1, 200, true],
  ['data of an allowed page', 'POST', '/words', { ...V1, 'sec-fetch-site': 'cross-site' }, 201, true],
  ['a stream', 'GET', '/words/stream', V1, 200, true],
  ['a stream for HEAD', 'HEAD', '/words/stream', V1, 200, true],
  ['events', 'GET', '/words/events', V1, 200, false],
  ['little', 'GET', '/words/few?of=1', V1, 200, false],
  ['bad input', 'GET', '/words/few?of=all', V1, 422, true],
  ['a path that does not exist', 'GET', '/unknown', V1, 404, true],
  ['a method that does not exist', 'DELETE', '/words', V1, 405, true],
  ['a version that does not exist', 'GET', '/words', { 'x-version': '3' }, 406, true],
  ['an unknown error', 'GET', '/words/failing', V1, 500, true],
  ['no data that is known', 'GET', '/words', { ...V1, 'if-none-match': '*' }, 304, false],
] as const

describe('all middleware together', () => {
  for (const [what, method, path, own, status, isCoded] of cases) {
    for (const coding of ['br', 'gzip']) {
      it(`answers with ${what} in ${coding}, the same by inject and over a socket`, async () => {
        const headers = { origin: PAGE, 'accept-encoding': coding, 'x-request-id': 'the-id', ...own }
        // a limit of their own, so that the same is left for both
        const client = `${what} ${coding}`
        const injected = await byInject({ method, path, headers: { ...headers, 'x-client': `${client} 1` } })
        const sent = await byFetch({ method, path, headers: { ...headers, 'x-client': `${client} 2` } })
        assert.equal(injected.status, status)
        assert.deepEqual(sent, injected)
        assert.equal(injected.headers['content-encoding'], isCoded ? coding : undefined)
        assert.equal(injected.headers['ratelimit'], '"default";r=999;t=3600')
        for (const [name, value] of Object.entries(EVERYWHERE))
          assert.equal(injected.headers[name], value, name)
        assert.match(String(injected.headers['access-control-expose-headers']), /ratelimit/)
        const vary = String(injected.headers['vary'])
        assert.match(vary, /Origin/)
        assert.equal(vary.includes('Accept-Encoding'), what !== 'events')
        if (status === 200 && method === 'GET' && isCoded) assert.match(injected.text, /word 299/)
      })
    }
  }

  it('refuses what another site sends, and that page can read why only if it is allowed', async () => {
    const headers = {
      ...V1,
      'sec-fetch-site': 'cross-site',
      origin: 'https://evil.example',
      'x-client': 'evil',
    }
    for (const send of [byInject, byFetch]) {
      const { status, text, headers: received } = await send({ method: 'POST', path: '/words', headers })
      assert.equal(status, 403)
      assert.equal(JSON.parse(text).code, 'cross_site_request')
      assert.equal(received['access-control-allow-origin'], undefined)
      assert.equal(received['x-frame-options'], 'SAMEORIGIN')
    }
  })

  it('answers preflights before anything is counted', async () => {
    const headers = { origin: PAGE, 'access-control-request-method': 'POST', 'x-client': 'preflight' }
    for (const send of [byInject, byFetch]) {
      const { status, headers: received } = await send({ method: 'OPTIONS', path: '/words', headers })
      assert.equal(status, 204)
      assert.equal(received['ratelimit'], undefined)
    }
  })

  it('lets clients ask whether what they have is current, for each version and coding', async () => {
    const tags = new Set<string>()
    for (const version of ['1', '2']) {
      for (const coding of ['br', 'gzip', 'identity']) {
        const headers = { 'x-version': version, 'accept-encoding': coding }
        const tag = String((await byFetch({ method: 'GET', path: '/words', headers })).headers['etag'])
        tags.add(tag.replace('W/', ''))
        const again = await byFetch({
          method: 'GET',
          path: '/words',
          headers: { ...headers, 'if-none-match': tag },
        })
        assert.equal(again.status, 304)
        assert.equal(again.headers['etag'], tag)
      }
    }
    assert.equal(tags.size, 2)
  })
})

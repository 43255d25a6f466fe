import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'

import { createApp, defineController, defineModule, redirect, reply, text, VersioningSchemes } from 'octavo'
import type { App, InjectOptions, Method } from 'octavo'
import { createTestClient } from 'octavo/testing'

import { serve } from '../support/serve.ts'

const METHODS: readonly Method[] = ['GET', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

const mirror = defineController({
  name: 'Mirror',
  prefix: '/',
  routes: [
    {
      method: METHODS,
      path: '/mirror/{rest:path}',
      name: 'mirror',
      handler: async (_input, { request }) => ({
        method: request.method,
        url: request.url,
        headers: request.headers,
        cookies: request.cookies,
        host: request.host,
        ip: request.ip,
        protocol: request.protocol,
        body: await request.text(),
      }),
    },
    { method: 'GET', path: '/', name: 'home', handler: () => text('home') },
    {
      method: 'GET',
      path: '/lines',
      name: 'lines',
      handler: (_input, { request }) => request.headerLines('X-A'),
    },
    { method: 'GET', path: '/text', name: 'text', handler: () => text('<é>') },
    { method: 'GET', path: '/half', name: 'half', handler: () => text('a\ud800') },
    {
      method: 'GET',
      path: '/signal',
      name: 'signal',
      handler: (_input, { signal, request }) => ({
        isOne: signal === request.signal,
        isAborted: signal.aborted,
      }),
    },
    {
      method: 'GET',
      path: '/cookies',
      name: 'cookies',
      handler: () =>
        reply(200, null, {
          cookies: { a: '1', b: { value: 'x y', path: '/', httpOnly: true, maxAge: 60, sameSite: 'strict' } },
        }),
    },
    { method: 'GET', path: '/away', name: 'away', handler: () => redirect('/text') },
    {
      method: 'GET',
      path: '/slow',
      name: 'slow',
      handler: () => new Promise<null>((resolve) => void setTimeout(resolve, 1000, null).unref()),
    },
    { method: 'GET', path: '/v', name: 'v', version: ['1', '2'], handler: (_input, { version }) => version },
  ],
})

const module = defineModule({ controllers: [mirror] })
const app = createApp(module, { logger: false })

interface Mirrored {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly cookies: Readonly<Record<string, string>>
  readonly host: string
  readonly ip: string
  readonly protocol: string
  readonly body: string
}

async function seen(request: InjectOptions | string): Promise<Mirrored> {
  return (await app.inject(request)).json() as Mirrored
}

describe('inject without more than a URL', () => {
  it('is a GET from this machine', async () =>
    assert.deepEqual(await seen('/mirror/a?b=c'), {
      method: 'GET',
      url: '/mirror/a?b=c',
      headers: { 'user-agent': 'octavo-inject', host: 'localhost' },
      cookies: {},
      host: 'localhost',
      ip: '127.0.0.1',
      protocol: 'http',
      body: '',
    }))

  it('is the same as an object with the URL', async () =>
    assert.deepEqual(await seen({ url: '/mirror/a?b=c' }), await seen('/mirror/a?b=c')))

  const wrong: readonly (readonly [unknown, RegExp])[] = [
    [42, /^inject: give a URL such as '\/car', or options such as \{ url: '\/car' \}; this is 42$/],
    [true, /this is true$/],
    [null, /this is null$/],
    [undefined, /this is undefined$/],
    [['/car'], /this is \[/],
    [{}, /^inject: the options have no url; give a URL such as/],
    [{ method: 'POST' }, /^inject: the options have no url/],
    [{ url: 42 }, /^inject: the url is not a string or a URL/],
  ]
  for (const [value, message] of wrong) {
    it(`refuses ${inspect(value)}`, async () => {
      await assert.rejects(app.inject(value as never), { name: 'TypeError', message })
      await assert.rejects(createTestClient(app).inject(value as never), { name: 'TypeError', message })
    })
  }
})

describe('the method', () => {
  const cases = [
    ['is in any case', 'post', 'POST'],
    ['can be mixed', 'pAtCh', 'PATCH'],
    ['can be TRACE', 'TRACE', 'TRACE'],
  ] as const
  for (const [title, method, expected] of cases) {
    it(title, async () => assert.equal((await seen({ method, url: '/mirror/' })).method, expected))
  }
})

describe('the URL', () => {
  const cases: readonly (readonly [string, InjectOptions, string])[] = [
    ['gets a slash in front', { url: 'mirror/a' }, '/mirror/a'],
    ['keeps escapes', { url: '/mirror/a%2Fb' }, '/mirror/a%2Fb'],
    ['is encoded where it has to be', { url: '/mirror/é b' }, '/mirror/%C3%A9%20b'],
    ['is without its fragment', { url: '/mirror/a?b#c' }, '/mirror/a?b'],
    ['can be whole', { url: 'https://example.com:8443/mirror/a?b' }, '/mirror/a?b'],
    ['gets a query', { url: '/mirror/a', query: { b: 'c d', e: 1, f: true } }, '/mirror/a?b=c+d&e=1&f=true'],
    ['repeats lists in a query', { url: '/mirror/a', query: { b: [1, 2] } }, '/mirror/a?b=1&b=2'],
    [
      'drops null and undefined from a query',
      { url: '/mirror/a', query: { b: null, c: undefined, d: '' } },
      '/mirror/a?d=',
    ],
    [
      'drops null and undefined from lists',
      { url: '/mirror/a', query: { b: [1, null, undefined, 2] } },
      '/mirror/a?b=1&b=2',
    ],
    ['keeps its own query beside that', { url: '/mirror/a?b=1', query: { c: 2 } }, '/mirror/a?b=1&c=2'],
    ['yields to query key by key', { url: '/mirror/a?b=1&b=2&c=3', query: { b: 4 } }, '/mirror/a?c=3&b=4'],
    ['yields to query in any encoding', { url: '/mirror/a?%62=1', query: { b: 4 } }, '/mirror/a?b=4'],
    ['has no question mark for an empty query', { url: '/mirror/a', query: {} }, '/mirror/a'],
  ]
  for (const [title, request, expected] of cases) {
    it(title, async () => assert.equal((await seen(request)).url, expected))
  }

  it('when it is whole says host and protocol', async () => {
    const { host, protocol, headers } = await seen('https://example.com:8443/mirror/a')
    assert.deepEqual(
      { host, protocol, header: headers['host'] },
      { host: 'example.com:8443', protocol: 'https', header: 'example.com:8443' },
    )
  })
})

describe('the head', () => {
  const cases: readonly (readonly [string, Partial<InjectOptions>, keyof Mirrored, unknown])[] = [
    [
      'has headers in any case',
      { headers: { 'X-A': '1', Accept: 'a/b' } },
      'headers',
      { 'user-agent': 'octavo-inject', host: 'localhost', 'x-a': '1', accept: 'a/b' },
    ],
    [
      'has several lines of a header',
      { headers: { 'x-a': ['1', '2'] } },
      'headers',
      { 'user-agent': 'octavo-inject', host: 'localhost', 'x-a': '1, 2' },
    ],
    [
      'has no header that is undefined',
      { headers: { 'x-a': undefined } },
      'headers',
      { 'user-agent': 'octavo-inject', host: 'localhost' },
    ],
    [
      'has a user agent of its own',
      { headers: { 'User-Agent': 'x' } },
      'headers',
      { 'user-agent': 'x', host: 'localhost' },
    ],
    ['has cookies', { cookies: { a: '1', b: 'x y;' } }, 'cookies', { a: '1', b: 'x y;' }],
    [
      'has cookies beside a Cookie header',
      { cookies: { a: '1' }, headers: { cookie: 'b=2' } },
      'cookies',
      { a: '1', b: '2' },
    ],
    [
      'has the first line of a header that there is one of',
      { headers: { authorization: ['a', 'b'], 'x-a': ['c'] } },
      'headers',
      { 'user-agent': 'octavo-inject', host: 'localhost', authorization: 'a', 'x-a': 'c' },
    ],
    [
      'has a length of its own',
      { body: 'abc', headers: { 'content-length': '3' } },
      'headers',
      { 'user-agent': 'octavo-inject', host: 'localhost', 'content-length': '3' },
    ],
    ['has a host', { host: 'api.example.com' }, 'host', 'api.example.com'],
    ['has the host of a header', { headers: { host: 'api.example.com' } }, 'host', 'api.example.com'],
    ['has a remote address', { remoteAddress: '10.0.0.1' }, 'ip', '10.0.0.1'],
    ['has a protocol', { protocol: 'https' }, 'protocol', 'https'],
  ]
  for (const [title, request, key, expected] of cases) {
    it(title, async () => assert.deepEqual((await seen({ url: '/mirror/', ...request }))[key], expected))
  }

  it('keeps the lines of a header apart', async () =>
    assert.deepEqual((await app.inject({ url: '/lines', headers: { 'X-A': ['1', '2, 3'] } })).json(), [
      '1',
      '2, 3',
    ]))
})

describe('the body', () => {
  const form = 'application/x-www-form-urlencoded;charset=UTF-8'
  const cases: readonly (readonly [string, Partial<InjectOptions>, string, string | undefined])[] = [
    ['is JSON for an object', { body: { a: 1 } }, '{"a":1}', 'application/json'],
    ['is JSON for a list', { body: [1] }, '[1]', 'application/json'],
    ['is JSON for a number', { body: 7 }, '7', 'application/json'],
    ['is JSON for a boolean', { body: false }, 'false', 'application/json'],
    ['is text without content type', { body: 'abc' }, 'abc', undefined],
    ['is bytes without content type', { body: new Uint8Array([65, 66]) }, 'AB', undefined],
    ['is bytes of a buffer', { body: new Uint8Array([65, 66]).buffer }, 'AB', undefined],
    ['is a form for URLSearchParams', { body: new URLSearchParams({ a: 'b c' }) }, 'a=b+c', form],
    ['has the type of a Blob', { body: new Blob(['a'], { type: 'text/x' }) }, 'a', 'text/x'],
    ['is nothing for null', { body: null }, '', undefined],
    ['is JSON for json', { json: { a: 1 } }, '{"a":1}', 'application/json'],
    ['is a JSON string for json', { json: 'abc' }, '"abc"', 'application/json'],
    ['is JSON null for json', { json: null }, 'null', 'application/json'],
    ['is a form for form', { form: { a: 1, b: ['x', 'y'], c: null, d: undefined } }, 'a=1&b=x&b=y', form],
    [
      'has the content type that is given',
      { body: 'abc', headers: { 'Content-Type': 'text/plain' } },
      'abc',
      'text/plain',
    ],
    [
      'has the content type that is given before that of JSON',
      { json: 1, headers: { 'content-type': 'application/x+json' } },
      '1',
      'application/x+json',
    ],
  ]
  for (const [title, request, body, type] of cases) {
    it(title, async () => {
      const received = await seen({ method: 'POST', url: '/mirror/', ...request })
      assert.deepEqual(
        {
          body: received.body,
          type: received.headers['content-type'],
          length: received.headers['content-length'],
        },
        { body, type, length: body === '' ? undefined : String(Buffer.byteLength(body)) },
      )
    })
  }

  const multipart: readonly (readonly [string, () => Partial<InjectOptions>])[] = [
    ['is multipart for multipart', () => ({ multipart: { a: 'x', b: new Blob(['y']) } })],
    [
      'is multipart for FormData',
      () => {
        const data = new FormData()
        data.append('a', 'x')
        data.append('b', new Blob(['y']))
        return { body: data }
      },
    ],
  ]
  for (const [title, make] of multipart) {
    it(title, async () => {
      const { body, headers } = await seen({ method: 'POST', url: '/mirror/', ...make() })
      const data = await new Response(body, {
        headers: { 'content-type': headers['content-type'] ?? '' },
      }).formData()
      const file = data.get('b')
      assert.deepEqual(
        { a: data.get('a'), b: file instanceof Blob ? await file.text() : file },
        { a: 'x', b: 'y' },
      )
    })
  }
})

describe('headers', () => {
  it('take numbers, which are written as text', async () => {
    const { headers } = await seen({ url: '/mirror/', headers: { 'X-Count': 7, 'content-length': 0 } })
    assert.deepEqual([headers['x-count'], headers['content-length']], ['7', '0'])
    const lines = await app.inject({ url: '/lines', headers: { 'X-A': [1, 'b'] } })
    assert.deepEqual(lines.json(), ['1', 'b'])
  })
})

describe('options that are refused', () => {
  const cases: readonly (readonly [string, object, string])[] = [
    [
      'one that does not exist',
      { colour: 'red' },
      'inject: there is no option "colour"; use one of method, url, query, headers, cookies, body, json, form, multipart, host, remoteAddress, protocol, version, signal, stream',
    ],
    ['one that is misspelt', { header: {} }, 'inject: there is no option "header"; did you mean "headers"?'],
    ['body with json', { body: 'a', json: 1 }, 'inject: give one of body and json, not both'],
    ['form with multipart', { form: {}, multipart: {} }, 'inject: give one of form and multipart, not both'],
    ['json null with form', { json: null, form: {} }, 'inject: give one of json and form, not both'],
    ['a method with blanks', { method: 'GET /' }, 'inject: method is not a word'],
    [
      'a header with CR and LF',
      { headers: { 'x-a': '1\r\nb: 2' } },
      'inject: the header x-a has a character that is not allowed',
    ],
    [
      'a header name with a blank',
      { headers: { 'x a': '1' } },
      'inject: a header name has a character that is not allowed',
    ],
    [
      'an object in a multipart body',
      { method: 'POST', multipart: { car: { name: 'Ford' } } },
      'inject: multipart.car is not text or a blob, or a list of these',
    ],
    [
      'version without a scheme',
      { version: '1' },
      'inject: version needs a versioning scheme; call app.enableVersioning first',
    ],
  ]
  for (const [title, options, message] of cases) {
    it(title, async () => {
      await assert.rejects(app.inject({ url: '/', ...options }), { name: 'TypeError', message })
    })
  }
})

describe('the version', () => {
  const schemes: readonly (readonly [string, (app: App) => void])[] = [
    ['the path', (target) => target.enableVersioning(VersioningSchemes.URL)],
    [
      'a header',
      (target) => target.enableVersioning(VersioningSchemes.HEADER, { headerParameter: 'x-version' }),
    ],
    ['the query', (target) => target.enableVersioning(VersioningSchemes.QUERY)],
    ['the host', (target) => target.enableVersioning(VersioningSchemes.HOST)],
  ]
  for (const [place, enable] of schemes) {
    it(`is written into ${place}`, async () => {
      const versioned = createApp(module, { logger: false })
      enable(versioned)
      const response = await versioned.inject({ url: '/v', version: '2' })
      assert.deepEqual({ body: response.json(), version: response.version }, { body: '2', version: '2' })
    })
  }
})

describe('the answer', () => {
  it('has everything', async () => {
    const response = await app.inject('/text')
    // a function has no value to compare
    const rest = { ...response, json: undefined }
    const bytes = Buffer.from('<é>')
    assert.deepEqual(rest, {
      statusCode: 200,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'content-length': '4' },
      cookies: [],
      body: '<é>',
      bytes,
      route: { name: 'mirror.text', method: 'GET', path: '/text', controller: 'mirror', meta: {} },
      version: null,
      json: undefined,
    })
  })

  it('has the text that its bytes are, where a text is half a surrogate pair', async () => {
    const { body, bytes } = await app.inject('/half')
    assert.deepEqual({ body, bytes }, { body: 'a\ufffd', bytes: Buffer.from('a\ufffd') })
  })

  it('has no bytes when there is no body', async () => {
    const { body, bytes } = await app.inject({ method: 'HEAD', url: '/text' })
    assert.deepEqual({ body, bytes }, { body: '', bytes: Buffer.alloc(0) })
  })

  it('has no route when none matched', async () => {
    const { route, version, statusCode } = await app.inject('/nothing')
    assert.deepEqual({ route, version, statusCode }, { route: null, version: null, statusCode: 404 })
  })

  it('has cookies with their attributes', async () =>
    assert.deepEqual((await app.inject('/cookies')).cookies, [
      { name: 'a', value: '1' },
      { name: 'b', value: 'x y', path: '/', httpOnly: true, maxAge: 60, sameSite: 'strict' },
    ]))

  it('does not follow redirects', async () => {
    const { statusCode, headers } = await app.inject('/away')
    assert.deepEqual({ statusCode, location: headers['location'] }, { statusCode: 302, location: '/text' })
  })

  it('says what a body is that is no JSON', async () => {
    const response = await app.inject('/text')
    assert.throws(() => response.json(), {
      name: 'SyntaxError',
      message: 'The body of this 200 is not JSON: "<é>"',
    })
  })
})

describe('the signal', () => {
  it('that is aborted already stops the request', async () => {
    await assert.rejects(app.inject({ url: '/text', signal: AbortSignal.abort(new Error('gone')) }), {
      message: 'gone',
    })
  })

  it('stops waiting for the answer', async () => {
    const controller = new AbortController()
    const answer = app.inject({ url: '/slow', signal: controller.signal })
    setTimeout(() => controller.abort(new Error('gone')), 5)
    await assert.rejects(answer, { message: 'gone' })
  })

  it('is there when none is given', async () =>
    assert.deepEqual((await app.inject('/signal')).json(), { isOne: true, isAborted: false }))

  it('that does nothing leaves the answer as it is', async () => {
    const { signal } = new AbortController()
    assert.equal((await app.inject({ url: '/text', signal })).body, '<é>')
  })

  it('aborts what the handler sees, with its reason, until the answer is complete', async () => {
    const signals: AbortSignal[] = []
    const abort = new AbortController()
    const own = serve([
      {
        method: 'GET',
        handler: (_input, { signal, request }) => {
          signals.push(signal, request.signal)
          if (signals.length > 2) abort.abort('enough')
        },
      },
    ])
    await own.inject({ url: '/', signal: abort.signal })
    assert.equal(getEventListeners(abort.signal, 'abort').length, 0)
    await own.inject({ url: '/', signal: abort.signal }).catch(() => undefined)
    assert.deepEqual(
      signals.map(({ reason }): unknown => reason),
      [undefined, undefined, 'enough', 'enough'],
    )
  })
})

describe('mistakes', () => {
  it('reject and never throw', async () => {
    const rejected = app.inject({ url: '/text', method: 'a b' })
    await assert.rejects(rejected, { name: 'TypeError', message: 'inject: method is not a word' })
    await assert.rejects(app.inject({ url: '/text', json: 1n }), { name: 'TypeError' })
  })
})

describe('an application that is closed', () => {
  it('refuses', async () => {
    const closed = createApp(module, { logger: false })
    await closed.inject('/text')
    await closed.close()
    await closed.close()
    await assert.rejects(closed.inject('/text'), { message: 'The application is closed' })
  })
})

describe('many requests at once', () => {
  it('do not mix', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        seen({ method: 'POST', url: `/mirror/${index}`, body: `body ${index}` }),
      ),
    )
    assert.deepEqual(
      answers.map(({ url, body }) => ({ url, body })),
      answers.map((_, index) => ({ url: `/mirror/${index}`, body: `body ${index}` })),
    )
  })
})

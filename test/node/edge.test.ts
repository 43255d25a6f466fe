import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { defineController, HttpRequest, reply } from 'octavo'
import { z } from 'zod'

import { createTestApp, exchange, LOOPBACK, open, readAll, readUntil, send } from './support.ts'

/** What ran, in order: a request that was smuggled in would be among them. */
const ran: string[] = []
const seen = (text: string): string => {
  ran.push(text)
  return text
}

const app = createTestApp(
  defineController({
    prefix: '/',
    routes: [
      { method: 'GET', path: '/', handler: () => seen('home') },
      { method: 'GET', path: '/last', handler: () => seen('last') },
      { method: 'GET', path: '/smuggled', handler: () => seen('smuggled') },
      {
        method: 'GET',
        path: '/host',
        input: { inject: { request: HttpRequest } },
        handler: ({ inject }) => seen(inject.request.host),
      },
      {
        method: 'GET',
        path: '/header',
        input: { headers: ['x-a'] },
        handler: ({ headers }) => seen(headers['x-a']),
      },
      { method: 'GET', path: '/find/{name}', handler: ({ params }) => seen(params.name) },
      {
        method: 'POST',
        path: '/body',
        input: { body: z.instanceof(Uint8Array) },
        handler: ({ body }) => seen(Buffer.from(body).toString('latin1')),
      },
      {
        method: 'GET',
        path: '/split',
        handler: () => reply(200, seen('split'), { headers: { 'x-out': 'a\r\nX-Evil: 1' } }),
      },
    ],
  }),
  { timeouts: { headers: 400, request: 400, idle: 400 } },
)
let url = ''
before(async () => {
  url = await app.listen(LOOPBACK)
})
after(() => app.close())

const HOST = 'Host: a.test\r\n'
/** What a smuggler wants to be taken for a request. */
const SMUGGLED = `GET /smuggled HTTP/1.1\r\n${HOST}\r\n`
/** Shows whether the connection is still of use, and ends it. */
const LAST = `GET /last HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`
const get = (target: string, ...lines: readonly string[]): string =>
  `GET ${target} HTTP/1.1\r\n${HOST}${lines.map((line) => `${line}\r\n`).join('')}\r\n`
const post = (headers: string, body: string, version = '1.1'): string =>
  `POST /body HTTP/${version}\r\n${HOST}${headers}\r\n\r\n${body}`
const chunked = (body: string): string => post('Transfer-Encoding: chunked', body)

interface Answers {
  /** Of each answer the status, and the code where it is a problem. */
  readonly answers: readonly string[]
  readonly ran: readonly string[]
}

/** Sends bytes, ends this side of the connection, and reads what comes back until the other side ends. */
async function ask(text: string): Promise<Answers> {
  ran.length = 0
  const socket = await open(url)
  socket.on('error', () => undefined)
  socket.end(text, 'latin1')
  const all = await readAll(socket)
  const answers = all.split(/(?=HTTP\/1\.1 \d{3} )/).filter((answer) => answer !== '')
  return { answers: answers.map(summary), ran: [...ran] }
}

function summary(answer: string): string {
  const [, status = answer] = /^HTTP\/1\.1 (\d{3}) /.exec(answer) ?? []
  const [, code] = /"code":"(\w+)"/.exec(answer) ?? []
  const end = /^connection: close\r$/im.test(answer) ? ', closed' : ''
  return code === undefined ? status + end : `${status} ${code}${end}`
}

type Expected = readonly [answer: string, ran: readonly string[]]

/** Refused before anything of the application ran, and the connection ended: what follows is not read as a request. */
const REFUSED: Expected = ['400 malformed_request, closed', []]
/** Answered, by the handler that saw `text` if there is one, and the connection goes on. */
const stays = (answer: string, text?: string): Expected => [
  `${answer} | 200, closed`,
  [...(text === undefined ? [] : [text]), 'last'],
]

type Row = readonly [title: string, text: string, expected: Expected]

/** Node 20 before 20.20 has a parser that lets some of this pass. */
const hasStrictParser =
  Number.parseInt(process.versions['llhttp'] ?? '', 10) >= 9 || process.version.startsWith('v20.20')
const LENIENT = new Set([
  'LF alone after the request line',
  'LF alone at the end of the headers',
  'a header without name',
  'a length in trailers',
  'a space in the name of a header',
  'a target with a tab',
  'a target with bytes above 127',
])

function check(name: string, rows: readonly Row[]): void {
  describe(name, () => {
    for (const [title, text, [answer, expected]] of rows) {
      const skip = LENIENT.has(title) && !hasStrictParser
      it(title, { skip }, async () => {
        const { answers, ran: handled } = await ask(text + LAST)
        assert.deepEqual([answers.join(' | '), handled.toSorted()], [answer, expected.toSorted()])
      })
    }
  })
}

check('where a body ends', [
  [
    'Content-Length beside Transfer-Encoding',
    post('Content-Length: 5\r\nTransfer-Encoding: chunked', `0\r\n\r\n${SMUGGLED}`),
    REFUSED,
  ],
  [
    'Transfer-Encoding beside Content-Length',
    post('Transfer-Encoding: chunked\r\nContent-Length: 5', `0\r\n\r\n${SMUGGLED}`),
    REFUSED,
  ],
  ['two lengths that differ', post('Content-Length: 0\r\nContent-Length: 44', SMUGGLED), REFUSED],
  ['two lengths that are the same', post('Content-Length: 2\r\nContent-Length: 2', 'ab'), REFUSED],
  ['a list of lengths', post('Content-Length: 2, 2', 'ab'), REFUSED],
  ['a negative length', post('Content-Length: -1', SMUGGLED), REFUSED],
  ['a length with a plus', post('Content-Length: +2', 'ab'), REFUSED],
  ['a length in hexadecimal', post('Content-Length: 0x2', 'ab'), REFUSED],
  ['a length with a space', post('Content-Length: 2 2', 'ab'), REFUSED],
  ['an empty length', post('Content-Length: ', SMUGGLED), REFUSED],
  ['a length beyond 64 bits', post('Content-Length: 18446744073709551618', 'ab'), REFUSED],
  ['a length with a fraction', post('Content-Length: 2.0', 'ab'), REFUSED],
  ['a length with leading zeros', post('Content-Length: 002', 'ab'), stays('200', 'ab')],
  ['chunked twice', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', `0\r\n\r\n`), REFUSED],
  ['chunked, then identity', post('Transfer-Encoding: chunked, identity', `0\r\n\r\n${SMUGGLED}`), REFUSED],
  ['identity', post('Transfer-Encoding: identity', SMUGGLED), REFUSED],
  ['identity beside a length', post('Transfer-Encoding: identity\r\nContent-Length: 2', 'ab'), REFUSED],
  ['gzip before chunked', post('Transfer-Encoding: gzip, chunked', `0\r\n\r\n`), REFUSED],
  ['a misspelt chunked', post('Transfer-Encoding: xchunked', `0\r\n\r\n${SMUGGLED}`), REFUSED],
  ['chunked in quotes', post('Transfer-Encoding: "chunked"', `0\r\n\r\n${SMUGGLED}`), REFUSED],
  ['chunked in capitals', post('Transfer-Encoding: CHUNKED', `2\r\nab\r\n0\r\n\r\n`), stays('200', 'ab')],
  ['chunked behind a tab', post('Transfer-Encoding:\tchunked', `2\r\nab\r\n0\r\n\r\n`), stays('200', 'ab')],
  ['chunked behind a vertical tab', post('Transfer-Encoding: \x0bchunked', `0\r\n\r\n${SMUGGLED}`), REFUSED],
  ['chunked followed by a comma', post('Transfer-Encoding: chunked,', `0\r\n\r\n${SMUGGLED}`), REFUSED],
  ['an empty Transfer-Encoding', post('Transfer-Encoding:', SMUGGLED), REFUSED],
  [
    'an empty Transfer-Encoding with a length',
    post('Transfer-Encoding:\r\nContent-Length: 2', 'ab'),
    REFUSED,
  ],
  [
    'Transfer-Encoding in HTTP/1.0',
    post('Transfer-Encoding: chunked', `0\r\n\r\n${SMUGGLED}`, '1.0'),
    REFUSED,
  ],
  [
    'Transfer-Encoding in HTTP/1.0 that stays',
    post('Transfer-Encoding: chunked\r\nConnection: keep-alive', `0\r\n\r\n${SMUGGLED}`, '1.0'),
    REFUSED,
  ],
])

check('lines and headers', [
  ['a space before the colon', post('Transfer-Encoding : chunked', `0\r\n\r\n${SMUGGLED}`), REFUSED],
  ['a space before the colon of a length', post('Content-Length : 44', SMUGGLED), REFUSED],
  ['a header line that begins with a space', get('/', ' X-A: 1'), REFUSED],
  ['a header without colon', get('/', 'X-A'), REFUSED],
  ['a header without name', get('/', ': 1'), REFUSED],
  ['obs-fold', get('/header', 'X-A: 1', ' 2'), REFUSED],
  ['obs-fold of Transfer-Encoding', post('Transfer-Encoding:\r\n chunked', `0\r\n\r\n${SMUGGLED}`), REFUSED],
  ['obs-fold with a tab', get('/header', 'X-A: 1', '\t2'), REFUSED],
  ['LF alone after the request line', `GET / HTTP/1.1\n${HOST}\r\n`, REFUSED],
  ['LF alone after a header', `GET / HTTP/1.1\r\nHost: a.test\nX-A: 1\r\n\r\n`, REFUSED],
  ['LF alone at the end of the headers', `GET / HTTP/1.1\r\n${HOST}\n${SMUGGLED}`, REFUSED],
  ['CR alone in a header', get('/', 'X-A: 1\rX-B: 2'), REFUSED],
  ['CR alone at the end of a header', `GET / HTTP/1.1\r\nHost: a.test\rX-A: 1\r\n\r\n`, REFUSED],
  ['CR CR LF', `GET / HTTP/1.1\r\n${HOST}X-A: 1\r\r\n\r\n`, REFUSED],
  ['empty lines before a request', `\r\n\r\n${get('/')}`, stays('200', 'home')],
  ['LF lines before a request', `\n\n${get('/')}`, stays('200', 'home')],
  ['NUL in a header', get('/', 'X-A: a\0b'), REFUSED],
  ['a control character in a header', get('/', 'X-A: a\x01b'), REFUSED],
  ['DEL in a header', get('/', 'X-A: a\x7fb'), REFUSED],
  ['bytes above 127 in a header', get('/header', 'X-A: caf\xe9'), stays('200', 'caf\u00e9')],
  ['bytes above 127 in the name of a header', get('/', 'X-\xe9: 1'), REFUSED],
  ['NUL in the name of a header', get('/', 'X-\0A: 1'), REFUSED],
  ['a space in the name of a header', get('/', 'X A: 1'), REFUSED],
])

check('chunks', [
  ['a chunk extension', chunked('2;a=b\r\nab\r\n0\r\n\r\n'), stays('200', 'ab')],
  ['a chunk extension with LF', chunked('2;a\nab\r\n0\r\n\r\n'), REFUSED],
  ['a long chunk extension', chunked(`2;${'a'.repeat(20_000)}\r\nab\r\n0\r\n\r\n`), REFUSED],
  ['a chunk size with space', chunked('2 \r\nab\r\n0\r\n\r\n'), REFUSED],
  ['a chunk size behind a space', chunked(' 2\r\nab\r\n0\r\n\r\n'), REFUSED],
  ['a chunk size with 0x', chunked('0x2\r\nab\r\n0\r\n\r\n'), REFUSED],
  ['a negative chunk size', chunked('-2\r\nab\r\n0\r\n\r\n'), REFUSED],
  ['a chunk size with a plus', chunked('+2\r\nab\r\n0\r\n\r\n'), REFUSED],
  ['an empty chunk size', chunked('\r\nab\r\n0\r\n\r\n'), REFUSED],
  ['a chunk size beyond 64 bits', chunked('10000000000000002\r\nab\r\n0\r\n\r\n'), REFUSED],
  ['a chunk size near 64 bits', chunked('fffffffffffffffe\r\nab\r\n0\r\n\r\n'), REFUSED],
  ['a chunk size with leading zeros', chunked('0000002\r\nab\r\n0\r\n\r\n'), stays('200', 'ab')],
  ['a chunk that is longer than its size', chunked(`2\r\nabc\r\n0\r\n\r\n`), REFUSED],
  ['a chunk that ends in LF', chunked('2\r\nab\n0\r\n\r\n'), REFUSED],
  ['a chunk size that ends in LF', chunked('2\nab\r\n0\r\n\r\n'), REFUSED],
  ['a chunk size that ends in CR alone', chunked('2\rab\r\n0\r\n\r\n'), REFUSED],
  ['trailers', chunked('2\r\nab\r\n0\r\nX-A: 1\r\n\r\n'), stays('200', 'ab')],
  ['a length in trailers', chunked(`2\r\nab\r\n0\r\nContent-Length: 50\r\n\r\n`), REFUSED],
  ['a trailer without colon', chunked('2\r\nab\r\n0\r\nX-A\r\n\r\n'), REFUSED],
  [
    'trailers over 16 KiB',
    chunked(`2\r\nab\r\n0\r\nX-A: ${'a'.repeat(60_000)}\r\n\r\n`),
    ['431 headers_too_large, closed', []],
  ],
  ['the end of chunks with LF', chunked(`2\r\nab\r\n0\n\n${SMUGGLED}`), REFUSED],
])

check('headers that there is one of', [
  ['two Host lines', `GET / HTTP/1.1\r\n${HOST}${HOST}\r\n`, REFUSED],
  ['two Host lines in HTTP/1.0', `GET / HTTP/1.0\r\n${HOST}${HOST}\r\n`, REFUSED],
  ['a Host with a space', `GET / HTTP/1.1\r\nHost: a b\r\n\r\n`, REFUSED],
  ['a Host with a path', `GET / HTTP/1.1\r\nHost: a.test/b\r\n\r\n`, REFUSED],
  ['a Host with user information', `GET / HTTP/1.1\r\nHost: a@b.test\r\n\r\n`, REFUSED],
  ['a list of hosts', `GET / HTTP/1.1\r\nHost: a.test, b.test\r\n\r\n`, REFUSED],
  ['an empty Host', `GET /host HTTP/1.1\r\nHost:\r\n\r\n`, stays('200', '')],
  ['an IPv6 Host', `GET /host HTTP/1.1\r\nHost: [::1]:80\r\n\r\n`, stays('200', '[::1]:80')],
  [
    'two Content-Type lines',
    post('Content-Type: text/plain\r\nContent-Type: application/json\r\nContent-Length: 2', 'ab'),
    REFUSED,
  ],
  ['two Authorization lines', get('/', 'Authorization: a', 'Authorization: b'), stays('200', 'home')],
])

check('targets', [
  ['an absolute target with another Host', get('http://b.test/host'), stays('200', 'b.test')],
  ['an absolute target without path', get('http://b.test'), stays('200', 'home')],
  ['an absolute target with another scheme', get('ftp://b.test/'), stays('400 malformed_target')],
  ['an absolute target without authority', get('http:///host'), stays('400 malformed_target')],
  [
    'an absolute target with user information',
    get('http://b.test@c.test/host'),
    stays('400 malformed_target'),
  ],
  ['an authority as target', get('a.test:80'), REFUSED],
  ['an asterisk with GET', get('*'), stays('400 malformed_target')],
  ['an asterisk with OPTIONS', `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, stays('204')],
  ['an empty target', `GET  HTTP/1.1\r\n${HOST}\r\n`, REFUSED],
  ['a target without slash', get('last'), REFUSED],
  ['a fragment', get('/#a'), stays('400 malformed_target')],
  ['a fragment that hides a path', get('/last#/../smuggled'), stays('400 malformed_target')],
  ['a target with a space', get('/ /smuggled'), REFUSED],
  ['a target with a tab', get('/\tlast'), REFUSED],
  ['a target with NUL', get('/\0'), REFUSED],
  ['a target with DEL', get('/\x7f'), REFUSED],
  ['a target with bytes above 127', get('/\xe9'), REFUSED],
  ['an escaped NUL', get('/find/%00'), stays('200', '\0')],
  ['an escaped line end', get('/find/%0d%0aX-A:1'), stays('200', '\r\nX-A:1')],
  ['an escape that is none', get('/find/%zz'), stays('400 malformed_path')],
  ['overlong UTF-8', get('/find/%c0%ae'), stays('400 malformed_path')],
  ['dots', get('/find/../smuggled'), stays('404 route_not_found')],
  ['escaped dots', get('/find/%2e%2e/smuggled'), stays('404 route_not_found')],
  ['backslashes', get('/find\\..\\smuggled'), stays('404 route_not_found')],
])

check('methods and versions', [
  ['a method in small letters', `get / HTTP/1.1\r\n${HOST}\r\n`, REFUSED],
  ['a method that nobody knows', `FROB / HTTP/1.1\r\n${HOST}\r\n`, REFUSED],
  ['a method of 10,000 letters', `${'A'.repeat(10_000)} / HTTP/1.1\r\n${HOST}\r\n`, REFUSED],
  ['a method that the parser knows', `PROPFIND / HTTP/1.1\r\n${HOST}\r\n`, stays('405 method_not_allowed')],
  ['a method of no letters', ` / HTTP/1.1\r\n${HOST}\r\n`, REFUSED],
  ['HTTP/0.9', `GET /\r\n\r\n`, REFUSED],
  ['HTTP/0.9 in words', `GET / HTTP/0.9\r\n\r\n`, REFUSED],
  ['HTTP/1.2', `GET / HTTP/1.2\r\n${HOST}\r\n`, REFUSED],
  ['HTTP/2.0', `GET / HTTP/2.0\r\n${HOST}\r\n`, REFUSED],
  ['HTTP/3', `GET / HTTP/3\r\n${HOST}\r\n`, REFUSED],
  ['a version in small letters', `GET / http/1.1\r\n${HOST}\r\n`, REFUSED],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', REFUSED],
  ['the start of TLS', '\x16\x03\x01\x00\xc8\x01\x00\x00\xc4\x03\x03', REFUSED],
])

check('sizes', [
  ['3,000 header lines', `GET / HTTP/1.1\r\n${HOST}${'a:\r\n'.repeat(3_000)}\r\n`, stays('200', 'home')],
  [
    'a Host after 1,100 lines',
    `GET / HTTP/1.1\r\n${HOST}${'a:\r\n'.repeat(1_100)}Host: b.test\r\n\r\n`,
    REFUSED,
  ],
  ['a header of 16 KiB', get('/', `X-A: ${'a'.repeat(16_384)}`), ['431 headers_too_large, closed', []]],
  ['a request line of 60 KB', get(`/${'a'.repeat(60_000)}`), ['414 url_too_long, closed', []]],
])

describe('bytes behind a refusal', () => {
  const refused = [
    ['no Host', 'GET / HTTP/1.1\r\n\r\n'],
    ['two Host lines', `GET / HTTP/1.1\r\n${HOST}${HOST}\r\n`],
    ['another transfer coding', post('Transfer-Encoding: gzip, chunked', '0\r\n\r\n')],
    ['a long target', get(`/${'a'.repeat(8192)}`)],
    ['an unknown expectation', get('/', 'Expect: a-miracle')],
    ['a body over the limit', post('Content-Length: 1048577', 'a'.repeat(1_048_577))],
  ] as const
  for (const [title, text] of refused) {
    it(`does not run in one packet with it: ${title}`, async () => {
      const { answers, ran: handled } = await ask(text + SMUGGLED + SMUGGLED)
      assert.deepEqual([answers.length, answers[0]?.endsWith(', closed'), handled], [1, true, []])
    })

    it(`does not run later: ${title}`, async () => {
      ran.length = 0
      const socket = await open(url)
      socket.on('error', () => undefined)
      socket.write(text, 'latin1')
      await readUntil(socket, /\}$/)
      socket.write(SMUGGLED)
      await readAll(socket)
      assert.deepEqual(ran, [])
    })
  }

  it('is not kept from those before it', async () => {
    const { answers, ran: handled } = await ask(`${get('/')}${get('/last')}GET / HTTP/1.1\r\n\r\n${SMUGGLED}`)
    assert.deepEqual(
      [answers, handled],
      [
        ['200', '200', '400 missing_host, closed'],
        ['home', 'last'],
      ],
    )
  })
})

describe('headers that go out', () => {
  it('a header of a handler with CR and LF: 500, and nothing of it', async () => {
    ran.length = 0
    const answer = await exchange(url, get('/split') + LAST)
    assert.match(answer, /^HTTP\/1\.1 500 /)
    assert.doesNotMatch(answer, /x-out|x-evil/i)
    assert.deepEqual(ran, ['split', 'last'])
  })

  it('no answer repeats what was sent', async () => {
    const secret = 'sEcReT'
    for (const text of [
      get(`/${secret}`),
      get(`/%zz${secret}`),
      get('/', `X-A: ${secret}\0`),
      `${secret}\r\n\r\n`,
    ]) {
      const answer = await exchange(url, text + LAST)
      assert.match(answer, /^HTTP\/1\.1 4\d\d /)
      assert.doesNotMatch(answer, new RegExp(secret, 'i'))
    }
  })
})

describe('an upgrade that nobody offers', () => {
  for (const lines of [
    ['Connection: upgrade', 'Upgrade: websocket'],
    ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'],
  ]) {
    it(`is a request like any other: ${lines.at(1)}`, async () => {
      const socket = await open(url)
      socket.write(get('/', ...lines))
      assert.match(await readUntil(socket, /"home"$/), /^HTTP\/1\.1 200 /)
      socket.write(LAST)
      assert.match(await readAll(socket), /"last"$/)
    })
  }
})

describe('limits of an application', () => {
  const small = createTestApp(
    defineController({
      prefix: '/',
      routes: [{ method: 'GET', path: '/{name}', handler: ({ params }) => params.name }],
    }),
    { limits: { url: 20, headers: 100 } },
  )
  const large = createTestApp(
    defineController({
      prefix: '/',
      routes: [{ method: 'GET', path: '/{name}', handler: ({ params }) => params.name.length }],
    }),
    { limits: { url: 50_000, headers: 100_000 } },
  )
  after(async () => {
    await small.close()
    await large.close()
  })

  it('below the usual ones count on a socket and in inject', async () => {
    const smallUrl = await small.listen(LOOPBACK)
    const cases = [
      [`/${'a'.repeat(19)}`, {}, 200, undefined],
      [`/${'a'.repeat(20)}`, {}, 414, 'The request target is longer than 20 characters'],
      ['/a', { 'x-a': 'a'.repeat(100) }, 431, 'The headers are longer than 100 bytes'],
    ] as const
    for (const [path, headers, status, detail] of cases) {
      const wire = await send(smallUrl, { path, headers: { ...headers } })
      const injected = await small.inject({ url: path, headers: { ...headers } })
      for (const [code, body] of [
        [wire.status, wire.bytes.toString()],
        [injected.statusCode, injected.body],
      ] as const)
        assert.deepEqual([code, JSON.parse(body).detail], [status, detail])
    }
  })

  it('above the usual ones count too', async () => {
    const largeUrl = await large.listen(LOOPBACK)
    const headers = { 'x-a': 'a'.repeat(90_000) }
    const path = `/${'a'.repeat(40_000)}`
    const { status, bytes } = await send(largeUrl, { path, headers })
    assert.deepEqual([status, bytes.toString()], [200, '40000'])
    assert.equal((await large.inject({ url: path, headers })).body, '40000')
    assert.equal((await send(largeUrl, { path: '/a', headers: { 'x-a': 'a'.repeat(100_000) } })).status, 431)
  })
})

import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'

import { VersioningSchemes } from 'octavo'
import type { App, HttpRequest, InjectOptions, Logger } from 'octavo'

import { exchange, LOOPBACK, parse } from '../node/support.ts'
import { serve } from './support.ts'
import type { Row } from './support.ts'

const { HEADER, HOST, QUERY, URL } = VersioningSchemes

const ROUTES: readonly Row[] = [
  ['GET', '/cars', '1', 'cars'],
  ['GET', '/cars', '2', 'cars'],
  ['GET', '/health', undefined, 'health'],
]

/** Everything that is logged: details and messages. */
const logged: unknown[] = []
const record = (...line: readonly unknown[]): void => void logged.push(line)
const logger: Logger = { debug: record, info: record, warn: record, error: record }

const template = 'application/vnd.shop.v{version}+json'
/** A place for a version: who reads it, and the request that has a text in it. */
const PLACES: Readonly<Record<string, readonly [app: App, request: (value: string) => InjectOptions]>> = {
  'a parameter in Accept': [
    serve(ROUTES, HEADER, {}, { logger }),
    (value) => ({ url: '/cars', headers: { accept: `a/b;version=${value}` } }),
  ],
  'a quoted parameter in Accept': [
    serve(ROUTES, HEADER, { report: 'always', echo: true }, { logger }),
    (value) => ({ url: '/cars', headers: { accept: `a/b;version="${value}"` } }),
  ],
  'the whole of Accept': [
    serve(ROUTES, HEADER, { mediaType: template }, { logger }),
    (value) => ({ url: '/cars', headers: { accept: value } }),
  ],
  'a media type in Accept': [
    serve(ROUTES, HEADER, { mediaType: template, echo: 'contentType' }, { logger }),
    (value) => ({ url: '/cars', headers: { accept: template.replace('{version}', () => value) } }),
  ],
  'Content-Type': [
    serve(ROUTES, HEADER, { contentType: true }, { logger }),
    (value) => ({ url: '/cars', headers: { 'content-type': `a/b;version="${value}"` } }),
  ],
  'Accept and Content-Type': [
    serve(ROUTES, HEADER, { contentType: true }, { logger }),
    (value) => ({
      url: '/cars',
      headers: { accept: 'a/b;version=1', 'content-type': `a/b;version="${value}"` },
    }),
  ],
  'a header of its own': [
    serve(ROUTES, HEADER, { headerParameter: 'x-version', echo: true }, { logger }),
    (value) => ({ url: '/cars', headers: { 'x-version': value } }),
  ],
  'a header of its own, by name': [
    serve(ROUTES, HEADER, { headerParameter: 'x-version', format: 'semver', unknown: 'floor' }, { logger }),
    (value) => ({ url: '/cars', headers: { 'x-version': `version=${value};` } }),
  ],
  'two lines of a header of its own': [
    serve(ROUTES, HEADER, { headerParameter: 'x-version' }, { logger }),
    (value) => ({ url: '/cars', headers: { 'x-version': ['1', value] } }),
  ],
  'the query': [serve(ROUTES, QUERY, {}, { logger }), (value) => ({ url: `/cars?version=${value}` })],
  'the query, escaped': [
    serve(ROUTES, QUERY, { echo: true }, { logger }),
    (value) => ({ url: '/cars', query: { version: value } }),
  ],
  'the host': [
    serve(ROUTES, HOST, {}, { logger }),
    (value) => ({ url: '/cars', host: `${value}.example.com` }),
  ],
  'the path': [
    serve(ROUTES, URL, { successorLinks: true }, { logger }),
    (value) => ({ url: `/v${value}/cars` }),
  ],
  'the path, escaped': [
    serve(ROUTES, URL, { format: 'semver' }, { logger }),
    (value) => ({ url: `/v${encodeURIComponent(value)}/cars` }),
  ],
}

/** Longer than anything that is repeated. */
const long = (text: string): string => text.repeat(Math.ceil(5000 / text.length)).slice(0, 5000)

const VALUES: Readonly<Record<string, string>> = {
  __proto__key: '__proto__',
  constructor: 'constructor',
  toString: 'toString',
  hasOwnProperty: 'hasOwnProperty',
  '5,000 digits': long('9'),
  '5,000 letters': long('x'),
  '5,000 quotes': long('"'),
  '5,000 backslashes': long('\\'),
  '5,000 commas': long(','),
  '5,000 semicolons': long(';'),
  '5,000 members': long('a/b;version=9,'),
  '5,000 parameters': long(';version=9'),
  '5,000 equals signs': long('='),
  '5,000 spaces and a letter': `${long(' ')}x`,
  '5,000 dots': long('1.'),
  '5,000 escapes': long('%2e'),
  '5,000 times half a wildcard': long('*/'),
  markup: '<script>alert(1)</script>',
  'an unterminated quote': '"1',
  'an unterminated escape': '"1\\',
  'a quote in the middle': '1"2',
  'a bad percent-escape': '%zz',
  'half a percent-escape': '%e',
  'a percent-escape of no UTF-8': '%ff%fe',
  'an overlong percent-escape': '%c0%af',
  'a percent-encoded line end': '1%0d%0aset-cookie:%20a=b',
  'a percent-encoded NUL': '1%00',
  'percent-encoded twice': '%252531',
  'terminal escapes, encoded': '%1b%5b31m',
  'letters of Latin-1': '\u00e9\u00ff',
  'a byte order mark, encoded': '%ef%bb%bf1',
  'a right-to-left override, encoded': '%e2%80%ae1',
  'a path': '../../etc/passwd',
  'an address': '@example.com/v1',
  'a template': '${1}{version}{{1}}',
  'what replaces text': "$&$1$`$'",
  'a number in other words': '1e0',
  'a negative number': '-1',
  'a huge number': '1'.repeat(64),
  'a wildcard': '*',
  'a range': '>=1',
  'a problem of JSON': '"}],"code":"x',
}

/** Some of them, for paths where nobody reads them. */
const UNREAD = [
  '__proto__',
  long('9'),
  long('"'),
  long(',a/b;version=9'),
  '%zz',
  '"1\\',
  '*',
  '${1}{version}',
]

/** Every text in a value. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

// what is looked for
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

describe('hostile values where versions stand', () => {
  for (const [place, [app, toRequest]] of Object.entries(PLACES)) {
    it(`${place}: refused or unknown, cut at 64 characters, escaped, and not in the log`, async () => {
      for (const [name, value] of Object.entries(VALUES)) {
        logged.length = 0
        const response = await app.inject(toRequest(value))
        const { statusCode, headers, body } = response
        assert.ok([200, 400, 404, 406, 414, 415].includes(statusCode), `${name}: ${statusCode}`)
        assert.doesNotMatch(body, CONTROL, `${name}: a bare control character`)
        const problem: unknown = JSON.parse(body)
        for (const text of textsIn(problem))
          assert.ok(text.length <= 80, `${name}: ${text.length} characters`)
        if (statusCode !== 200) {
          assert.equal(headers['content-type'], 'application/problem+json', name)
          const { requested = '' } = problem as { readonly requested?: string }
          assert.ok(requested.length <= 64, name)
        }
        for (const [header, text] of Object.entries(headers)) {
          if (value.length > 2) assert.ok(!String(text).includes(value), `${name}: the value is in ${header}`)
          assert.doesNotMatch(String(text), CONTROL, `${name}: ${header}`)
        }
        for (const text of textsIn(logged)) assert.doesNotMatch(text, CONTROL, `${name}: the log`)
        assert.ok(!logged.some((line) => JSON.stringify(line).includes('"level":"error"')), name)
      }
    })
  }

  it('names that every object has are unknown versions, and nothing else', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'valueOf', 'hasOwnProperty']
    const places = ['a parameter in Accept', 'a header of its own', 'the query', 'Content-Type']
    const found = []
    for (const place of places) {
      const [app, toRequest] = PLACES[place] ?? assert.fail(place)
      for (const name of names) {
        const { code, requested } = (await app.inject(toRequest(name))).json() as Record<string, unknown>
        found.push([place, code, requested])
      }
    }
    const expected = places.flatMap((place) => names.map((name) => [place, 'unsupported_version', name]))
    assert.deepEqual(found, expected)
  })

  it('a path that is not versioned answers all the same', async () => {
    for (const [place, [app, toRequest]] of Object.entries(PLACES)) {
      if (place.startsWith('the path')) continue
      for (const value of UNREAD) {
        const request = toRequest(value)
        const url = String(request.url ?? '').replace('/cars', '/health')
        const { statusCode, body } = await app.inject({ ...request, url })
        // what is no host is refused before anybody looks for a version
        if (place === 'the host' && statusCode === 400) {
          assert.match(body, /The Host header is not a host/, value.slice(0, 30))
          continue
        }
        // escaped, some are longer than a target may be
        assert.ok([200, 414].includes(statusCode), `${place}: ${statusCode} ${value.slice(0, 30)}`)
        if (value.length < 100) assert.equal(statusCode, 200, `${place}: ${value}`)
      }
    }
  })
})

describe('members of Accept that look like versions are read by the grammar', () => {
  const app = serve(ROUTES, HEADER)
  const cases: readonly (readonly [title: string, accept: string, expected: string | undefined])[] = [
    ['a weight of zero behind tabs excludes the member', '*/*;version=1\t;\tq=0, */*;version=2', 'cars@2'],
    ['empty parameters do not count', '*/*;;; ;version=1;', 'cars@1'],
    ['empty members do not count', ',,*/*;version=1,,', 'cars@1'],
    [
      'a version inside a quoted string does not count',
      '*/*;a=";version=1,*/*;version=1";version=2',
      'cars@2',
    ],
    ['an escaped quote does not end the string', '*/*;a="\\";version=1";version=2', 'cars@2'],
    ['an escaped backslash ends nothing', '*/*;a="\\\\";version=1', 'cars@1'],
    ['of a repeated parameter the first counts', '*/*;VERSION=1;version=2', 'cars@1'],
    ['an extended parameter is another parameter', "*/*;version*=utf-8''1", undefined],
    ['single quotes are characters', "*/*;version='1'", "'1'"],
    ['percent-escapes are characters', '*/*;version=%31', '%31'],
    ['space in quotes counts', '*/*;version=" 1"', ' 1'],
    ['a member without semicolon is ignored', '*/*version=1', undefined],
    ['a member with two equals signs is ignored', '*/*;version==1', undefined],
    ['members with space around the equals sign are ignored', '*/*;version =1, */*;version= 1', undefined],
    ['a member with text after the quotes is ignored', '*/*;version="1"2', undefined],
    ['a member with text before the quotes is ignored', '*/*;version=2"1"', undefined],
    ['an unterminated quote takes the rest', '*/*;version="1, */*;version=2', undefined],
    ['a comma in place of a semicolon ends the member', '*/*,version=1', undefined],
    ['a member with a type of three parts is ignored', '*/*/*;version=1', undefined],
    ['a member with a weight in other digits is ignored', '*/*;version=1;q=1e0', undefined],
    ['a member with a negative weight is ignored', '*/*;version=1;q=-0', undefined],
    ['a member with an empty weight is ignored', '*/*;version=1;q=', undefined],
    ['a member with a weight of several numbers is ignored', '*/*;version=1;q=0.5.5', undefined],
  ]
  for (const [title, accept, expected] of cases) {
    it(`${title}: ${accept}`, async () => {
      const response = await app.inject({ url: '/cars', headers: { accept } })
      const value: unknown = response.json()
      const found = response.statusCode === 200 ? value : (value as { requested?: string }).requested
      assert.deepEqual([response.statusCode, found], [statusOf(expected), expected])
    })
  }
  function statusOf(expected: string | undefined): number {
    if (expected === undefined) return 400
    return expected.startsWith('cars@') ? 200 : 406
  }
})

/** The options of a companion are those of its scheme, whatever type they have. */
const CONTENT_TYPE = {} as never

describe('long values take time in proportion', () => {
  // no adapter lets as much through: the readers are asked themselves
  const size = 20_000
  const texts = [
    ',',
    ';',
    '"',
    '\\',
    '=',
    ' ',
    '\t',
    '""',
    ' ,',
    '; ',
    '",',
    '";',
    '\\"',
    '"\\',
    '.',
    ':',
    'a.',
    'a/b,',
    'a/b;q=1,',
    ';a=b',
    '*/*;version=',
    'a/b;version="',
    'version=1,',
    'version=',
  ]
  const asWritten = (version: string): string => version
  const readers = {
    Accept: HEADER.reader({}, asWritten),
    'Accept with a template': HEADER.reader({ mediaType: template }, asWritten),
    'a header of its own': HEADER.reader({ headerParameter: 'x-version' }, asWritten),
    'Content-Type': HEADER.companions({ contentType: true })[0]?.scheme.reader(CONTENT_TYPE, asWritten),
    'the host': HOST.reader({}, asWritten),
  }
  for (const [place, read] of Object.entries(readers)) {
    it(place, async () => {
      assert.ok(read !== undefined)
      for (const text of texts) {
        for (const start of ['', 'a/b;version="1" x']) {
          const value = `${start}${text.repeat(size / text.length)}x`
          const before = process.cpuUsage().user
          await read(requestWith(value))
          // in the square of the length it would be more than a second
          assert.ok(process.cpuUsage().user - before < 500_000, start + JSON.stringify(text))
        }
      }
    })
  }
})

/** A request that has one value wherever a scheme looks. */
function requestWith(value: string): HttpRequest {
  const url = `/cars?version=${value}`
  const request: Partial<HttpRequest> = { header: () => value, headerLines: () => [value], host: value, url }
  return request as HttpRequest
}

describe('line ends and NUL', () => {
  const places = [
    'a parameter in Accept',
    'a quoted parameter in Accept',
    'Content-Type',
    'a header of its own',
    'the host',
  ]
  for (const place of places) {
    it(`inject refuses them: ${place}`, async () => {
      const [app, toRequest] = PLACES[place] ?? assert.fail(place)
      for (const char of ['\r', '\n', '\r\n', '\0', '\u007f', '\u0100']) {
        await assert.rejects(app.inject(toRequest(`1${char}2`)), TypeError, JSON.stringify(char))
      }
    })
  }

  const app = serve(ROUTES, HEADER, { headerParameter: 'x-version' })
  const listening = app.listen(LOOPBACK)
  after(() => app.close())
  const lines = [
    ['NUL', 'X-Version: 1\0'],
    ['NUL in a quoted string', 'X-Version: "1\0"'],
    ['CR', 'X-Version: 1\r2'],
    ['LF', 'X-Version: 1\n2'],
    ['CR LF and no name', 'X-Version: 1\r\n2'],
    ['DEL', 'X-Version: 1\u007f'],
    ['an escape of terminals', 'X-Version: \u001b[31m1'],
    ['space before the colon', 'X-Version : 1'],
    ['NUL in the name', 'X-Ver\0sion: 1'],
  ] as const
  for (const [title, line] of lines) {
    it(`a socket answers 400: ${title}`, async () => {
      const url = await listening
      const text = `GET /cars HTTP/1.1\r\nHost: a.test\r\n${line}\r\nConnection: close\r\n\r\n`
      const { statusLine, body } = parse(await exchange(url, text))
      assert.equal(statusLine, 'HTTP/1.1 400 Bad Request')
      assert.doesNotMatch(body, CONTROL)
    })
  }
})

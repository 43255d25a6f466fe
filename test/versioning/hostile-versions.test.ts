import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineVersioningScheme, VersioningSchemes } from 'octavo'
import type { App, InjectOptions, Logger } from 'octavo'

import { ask, ok, serve, serveSeveral } from './support.ts'
import type { Row } from './support.ts'

const { HEADER, HOST, QUERY, URL } = VersioningSchemes

const ROWS: readonly Row[] = [
  ['GET', '/x', '1', 'x'],
  ['GET', '/x', '2', 'x'],
]

/** What no version is called, and what must never be taken for more than text. */
const VALUES: Readonly<Record<string, string>> = {
  proto: '__proto__',
  constructor: 'constructor',
  toString: 'toString',
  hasOwnProperty: 'hasOwnProperty',
  long: 'a'.repeat(5000),
  digits: '9'.repeat(5000),
  emoji: '\u{1f600}'.repeat(40),
  surrogate: '\ud800',
  nul: '1\u0000',
  newline: '1\r\nset-cookie: a=b',
  escape: '%31%',
  wildcard: '*/*',
  parent: '../',
  html: '<script>alert(1)</script>',
  json: '"},{"code":"x',
  space: ' 1',
  arabic: '\u0661',
}

/** An own scheme that carries any text at all. */
const Own = defineVersioningScheme({
  name: 'own',
  read: (request) => {
    const text = request.header('x-own')
    return text === undefined ? undefined : String(JSON.parse(Buffer.from(text, 'base64').toString()))
  },
  vary: ['x-own'],
})

interface Recorded {
  readonly app: App
  readonly lines: readonly object[]
}

/** An application whose log lines are kept. */
function record(create: (options: { readonly logger: Logger }) => App): Recorded {
  const lines: object[] = []
  const keep = (details: object): void => void lines.push(details)
  const logger: Logger = { debug: keep, info: keep, warn: keep, error: keep }
  return { app: create({ logger }), lines }
}

/** What matters of a refusal, once everything that may never happen has been looked at. */
async function refusal({ app, lines }: Recorded, request: InjectOptions): Promise<readonly unknown[]> {
  // warnings about the definitions come before
  await app.ready()
  const before = lines.length
  const { statusCode, headers, body } = await app.inject(request)
  assert.equal(headers['content-type'], 'application/problem+json')
  assert.equal(headers['set-cookie'], undefined)
  for (const [name, value] of Object.entries(headers))
    assert.match(`${name}: ${String(value)}`, /^[\u0020-\u007e]*$/)
  const { code, requested }: { code?: unknown; requested?: unknown } = JSON.parse(body)
  assert.ok(typeof requested !== 'string' || requested.length <= 64)
  assert.doesNotMatch(body, /[\r\n]|\p{Cs}/u)
  assert.equal(lines.length, before + 1)
  const [line = {}] = lines.slice(before)
  const { path, version, ...others }: { path?: unknown; version?: unknown } = { ...line }
  assert.ok(version === null || version === '1', 'only known versions are logged as such')
  for (const segment of String(path).split('/'))
    assert.ok(segment.length <= 64, `${segment.length} in a log line`)
  assert.match(`${String(path)}${JSON.stringify(others)}`, /^[\u0020-\u007e]*$/)
  return [statusCode, code, requested]
}

const cut = (text: string): string => text.slice(0, 64)

describe('values that are no version: QUERY', () => {
  const app = record((options) => serve(ROWS, QUERY, {}, options))
  for (const [name, value] of Object.entries(VALUES)) {
    if (name === 'surrogate') continue
    it(`${name} is an unsupported version, decoded once and cut`, async () => {
      assert.deepEqual(await refusal(app, { url: `/x?version=${encodeURIComponent(value)}` }), [
        404,
        'unsupported_version',
        cut(value),
      ])
    })
  }
  it('half an emoji and escapes that are none', async () => {
    for (const text of ['%ED%A0%80', '%', '%zz', '%ff', '1%00%0d%0a']) {
      const [status, code] = await refusal(app, { url: `/x?version=${text}` })
      assert.deepEqual([status, code], [404, 'unsupported_version'], text)
    }
  })
  it('names that every object has', async () => {
    for (const query of ['__proto__=1', 'constructor=1', 'version[__proto__]=1', 'version.__proto__=1']) {
      const [status, code] = await refusal(app, { url: `/x?${query}` })
      assert.deepEqual([status, code], [400, 'unspecified_version'], query)
    }
  })
})

describe('values that are no version: URL', () => {
  const app = record((options) => serve(ROWS, URL, {}, options))
  const typed = record((options) => serve(ROWS, URL, { format: 'integer' }, options))
  const below = record((options) => serve(ROWS, URL, {}, { ...options, prefix: '/api' }))
  for (const [name, value] of Object.entries(VALUES)) {
    if (name === 'surrogate' || name === 'digits') continue
    it(`${name} is an ordinary segment`, async () => {
      const segment = `/v${encodeURIComponent(value)}`
      assert.deepEqual(
        [
          await refusal(app, { url: `${segment}/x` }),
          await refusal(typed, { url: `${segment}/x` }),
          await refusal(below, { url: `/api${segment}/x` }),
        ],
        Array.from({ length: 3 }, () => [404, 'route_not_found', undefined]),
      )
    })
  }
  it('5,000 digits look like a version, and are cut in body and log', async () => {
    const digits = '9'.repeat(5000)
    assert.deepEqual(
      [
        await refusal(app, { url: `/v${digits}/x` }),
        await refusal(typed, { url: `/v${digits}/x` }),
        await refusal(below, { url: `/api/v${digits}/x` }),
        await refusal(app, { url: `/v${digits}` }),
      ],
      [
        [404, 'unsupported_version', cut(digits)],
        [404, 'invalid_version', cut(digits)],
        [404, 'unsupported_version', cut(digits)],
        [404, 'route_not_found', undefined],
      ],
    )
    assert.deepEqual(
      [app, typed, below].map(({ lines }) => Reflect.get(lines.at(-1) ?? {}, 'path')),
      [`/v${'9'.repeat(63)}`, `/v${'9'.repeat(63)}/x`, `/api/v${'9'.repeat(63)}/x`],
    )
  })
  it('dot segments are not resolved, escaped or not', async () => {
    for (const url of ['/v1/../v2/x', '/v1/%2e%2e/v2/x', '/v1%2F..%2Fv2/x', '/v1/..;/x']) {
      assert.deepEqual((await refusal(app, { url })).slice(0, 2), [404, 'route_not_found'], url)
    }
  })
  it('broken escapes are a malformed path', async () => {
    for (const url of ['/v%/x', '/v%ff/x', '/v%ED%A0%80/x']) {
      assert.deepEqual((await refusal(app, { url })).slice(0, 2), [400, 'malformed_path'], url)
    }
  })
  it('an ordinary path is logged whole', async () => {
    const slug = 's'.repeat(100)
    const { app: served, lines } = record((options) =>
      serve([...ROWS, ['GET', '/{slug}', undefined, 'slug']], URL, {}, options),
    )
    assert.deepEqual(await ask(served, `/${slug}`), ok('slug@null'))
    assert.equal(Reflect.get(lines.at(-1) ?? {}, 'path'), `/${slug}`)
  })
  it('other schemes leave paths whole', async () => {
    const { app: served, lines } = record((options) => serve(ROWS, QUERY, {}, options))
    await served.inject(`/${'s'.repeat(100)}`)
    assert.equal(Reflect.get(lines.at(-1) ?? {}, 'path'), `/${'s'.repeat(100)}`)
  })
})

describe('values that are no version: a custom header', () => {
  const app = record((options) => serve(ROWS, HEADER, { headerParameter: 'x-version' }, options))
  const carried = [
    'proto',
    'constructor',
    'toString',
    'hasOwnProperty',
    'long',
    'escape',
    'wildcard',
    'parent',
    'html',
  ]
  for (const name of carried) {
    it(`${name} is an unsupported version`, async () => {
      const value = VALUES[name] ?? ''
      const expected = [406, 'unsupported_version', cut(value)]
      const request = (text: string): InjectOptions => ({ url: '/x', headers: { 'x-version': text } })
      assert.deepEqual(
        [await refusal(app, request(value)), await refusal(app, request(`version="${value}";`))],
        [expected, expected],
      )
    })
  }
  it('bytes above 127 are text like any other', async () => {
    const bytes = '\u00f0\u009f\u0098\u0080'
    const [status, code] = await refusal(app, { url: '/x', headers: { 'x-version': bytes } })
    assert.deepEqual([status, code], [406, 'unsupported_version'])
  })
  it('line breaks and what no header holds are refused by inject', async () => {
    for (const text of ['1\r\nset-cookie: a=b', '1\n', '1\u0000', '\u{1f600}', '\ud800']) {
      await assert.rejects(app.app.inject({ url: '/x', headers: { 'x-version': text } }), TypeError)
    }
  })
})

describe('values that are no version: Accept', () => {
  const app = record((options) => serve(ROWS, HEADER, {}, options))
  for (const name of ['proto', 'constructor', 'toString', 'long', 'escape', 'wildcard', 'parent', 'html']) {
    it(`${name} is an unsupported version`, async () => {
      const value = VALUES[name] ?? ''
      const request = { url: '/x', headers: { accept: `a/b; version="${value}"` } }
      assert.deepEqual(await refusal(app, request), [406, 'unsupported_version', cut(value)])
    })
  }
  it('a list is cut as a whole', async () => {
    const accept = Array.from({ length: 200 }, (_, index) => `a/b;version=${'a'.repeat(30)}${index}`).join()
    const [status, code, requested] = await refusal(app, { url: '/x', headers: { accept } })
    assert.deepEqual([status, code, String(requested).length], [406, 'unsupported_version', 64])
  })
})

describe('values that are no version: HOST', () => {
  const app = record((options) => serve(ROWS, HOST, {}, options))
  const cases: readonly (readonly [label: string, code: string, requested: string | undefined])[] = [
    ['constructor', 'unsupported_version', 'constructor'],
    ['toString', 'unsupported_version', 'tostring'],
    ['__proto__', 'unspecified_version', undefined],
    ['..%2f', 'unspecified_version', undefined],
    ['a'.repeat(5000), 'unsupported_version', 'a'.repeat(64)],
    [`v${'9'.repeat(5000)}`, 'unsupported_version', '9'.repeat(64)],
  ]
  for (const [label, code, requested] of cases) {
    it(`${label.slice(0, 20)} (${label.length} characters): ${code}`, async () => {
      assert.deepEqual(await refusal(app, { url: '/x', host: `${label}.example.com` }), [
        404,
        code,
        requested,
      ])
    })
  }
})

describe('values that are no version: an own scheme, which may find anything', () => {
  const app = record((options) => serve(ROWS, Own, {}, options))
  const several = record((options) => serveSeveral(ROWS, [[QUERY], [Own]], {}, options))
  for (const [name, value] of Object.entries(VALUES)) {
    const headers = { 'x-own': Buffer.from(JSON.stringify(value)).toString('base64') }
    it(`${name} is an unsupported version`, async () => {
      assert.deepEqual(await refusal(app, { url: '/x', headers }), [404, 'unsupported_version', cut(value)])
    })
    it(`${name} beside another version: cut and escaped in sources`, async () => {
      const { body } = await several.app.inject({ url: '/x?version=1', headers })
      const { code, sources } = JSON.parse(body)
      assert.deepEqual(
        [code, sources],
        [
          'ambiguous_version',
          [
            { in: 'query', name: 'version', value: '1' },
            { in: 'own', name: 'own', value: cut(value) },
          ],
        ],
      )
      assert.doesNotMatch(body, /[\r\n]|\p{Cs}/u)
    })
  }
})

describe('versions are strings, whatever they are called', () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
  const rows = names.map((version): Row => ['GET', '/x', version, 'x'])
  it('names that every object has are versions like any other', async () => {
    const byQuery = serve(rows, QUERY, { versions: names, defaultVersion: '__proto__' })
    const byUrl = serve(rows, URL)
    for (const name of names) {
      assert.deepEqual(
        [await ask(byQuery, `/x?version=${name}`), await ask(byUrl, `/v${name}/x`)],
        [ok(`x@${name}`), ok(`x@${name}`)],
      )
    }
    assert.deepEqual(await ask(byQuery, '/x'), ok('x@__proto__'))
  })
  it('nothing was added to the prototype of objects', () => {
    assert.deepEqual([Object.keys(Object.prototype), Reflect.get({}, 'version')], [[], undefined])
  })
})

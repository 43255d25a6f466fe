import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineVersioningScheme, VERSION_NEUTRAL, VersioningSchemes } from 'octavo'
import type { App, InjectOptions } from 'octavo'

import { allowed, ambiguous, ask, invalid, notAllowed, ok, serve, unsupported, varying } from './support.ts'
import type { Answer, Row } from './support.ts'

const { HEADER, HOST, QUERY, URL } = VersioningSchemes

const ROUTES: readonly Row[] = [
  ['GET', '/cars', '1', 'cars'],
  ['GET', '/health', undefined, 'health'],
  ['GET', '/ping', VERSION_NEUTRAL, 'ping'],
  ['GET', '/pong/{id}', VERSION_NEUTRAL, 'pong'],
  ['PUT', '/mixed', VERSION_NEUTRAL, 'neutral'],
  ['GET', '/mixed', undefined, 'unversioned'],
]

describe('strictNeutral: neutral paths refuse unknown versions', () => {
  const byQuery = serve(ROUTES, QUERY, { strictNeutral: true, format: 'integer' })
  const byUrl = serve(ROUTES, URL, { strictNeutral: true })
  const byHost = serve(ROUTES, HOST, { strictNeutral: true })
  const cases: readonly (readonly [title: string, app: App, request: InjectOptions, expected: Answer])[] = [
    ['a neutral path answers without version', byQuery, { url: '/ping' }, ok('ping@null')],
    ['a neutral path answers a known version', byQuery, { url: '/ping?version=1' }, ok('ping@1')],
    ['an unknown version is refused', byQuery, { url: '/ping?version=9' }, unsupported(404, '9', ['1'])],
    [
      'an unknown version is refused at paths with parameters too',
      byQuery,
      { url: '/pong/7?version=9' },
      unsupported(404, '9', ['1']),
    ],
    ['a malformed version is refused', byQuery, { url: '/ping?version=x' }, invalid(400, 'x', ['1'])],
    [
      'several versions are refused',
      byQuery,
      { url: '/ping?version=1&version=2' },
      ambiguous({ in: 'query', name: 'version' }, ['1', '2'], ['1']),
    ],
    ['a never-versioned path answers', byQuery, { url: '/health?version=9' }, ok('health@null')],
    [
      'an unversioned handler beside a neutral one answers',
      byQuery,
      { url: '/mixed?version=9' },
      ok('unversioned@null'),
    ],
    [
      'the neutral handler beside it does not answer an unknown version',
      byQuery,
      { method: 'PUT', url: '/mixed?version=9' },
      notAllowed('GET, HEAD, OPTIONS'),
    ],
    [
      'OPTIONS of an unknown version is refused',
      byQuery,
      { method: 'OPTIONS', url: '/ping?version=9' },
      unsupported(404, '9', ['1']),
    ],
    [
      'OPTIONS of a known version lists the methods',
      byQuery,
      { method: 'OPTIONS', url: '/ping?version=1' },
      allowed('GET, HEAD, OPTIONS'),
    ],
    ['a neutral path answers behind a known version', byUrl, { url: '/v1/ping' }, ok('ping@1')],
    [
      'a neutral path behind an unknown version is unsupported',
      byUrl,
      { url: '/v9/ping' },
      unsupported(404, '9', ['1']),
    ],
    [
      'a label that is no version',
      byHost,
      { url: '/ping', host: 'v9.example.com' },
      unsupported(404, '9', ['1']),
    ],
  ]
  for (const [title, app, request, expected] of cases) {
    it(title, async () => assert.deepEqual(await ask(app, request), expected))
  }

  it('neutral paths vary, for the header decides whether they answer', async () => {
    const strict = serve(ROUTES, HEADER, { strictNeutral: true })
    const lenient = serve(ROUTES, HEADER)
    const unknown = { accept: 'a/b;version=9' }
    assert.deepEqual(
      [
        await ask(strict, '/ping'),
        await ask(strict, { url: '/ping', headers: unknown }),
        await ask(strict, '/pong/7'),
        await ask(lenient, '/ping'),
        await ask(lenient, { url: '/ping', headers: unknown }),
      ],
      [
        varying('accept', ok('ping@null')),
        varying('accept', unsupported(406, '9', ['1'])),
        varying('accept', ok('pong@null')),
        ok('ping@null'),
        ok('ping@null'),
      ],
    )
  })
  it('never-versioned paths do not vary', async () => {
    const app = serve(ROUTES, HEADER, { strictNeutral: true })
    assert.deepEqual(
      await ask(app, { url: '/health', headers: { accept: 'a/b;version=9' } }),
      ok('health@null'),
    )
  })
})

describe('long versions are never parsed', () => {
  const Own = defineVersioningScheme({ name: 'own', read: (request) => request.header('x-own') })
  const row = (version: string): readonly Row[] => [['GET', '/x', version, 'x']]
  const long = '1'.repeat(65)
  const places: readonly (readonly [
    name: string,
    apps: readonly [string: App, integer: App],
    toRequest: (version: string) => InjectOptions,
    statuses: readonly [unsupported: number, invalid: number],
  ])[] = [
    [
      'QUERY',
      [serve(row('1'), QUERY), serve(row('1'), QUERY, { format: 'integer' })],
      (version) => ({ url: `/x?version=${version}` }),
      [404, 400],
    ],
    [
      'URL',
      [serve(row('1'), URL), serve(row('1'), URL, { format: 'integer' })],
      (version) => ({ url: `/v${version}/x` }),
      [404, 404],
    ],
    [
      'HEADER accept',
      [serve(row('1'), HEADER), serve(row('1'), HEADER, { format: 'integer' })],
      (version) => ({ url: '/x', headers: { accept: `a/b;version=${version}` } }),
      [406, 400],
    ],
    [
      'HOST',
      [serve(row('1'), HOST), serve(row('1'), HOST, { format: 'integer' })],
      (version) => ({ url: '/x', host: `v${version}.example.com` }),
      [404, 404],
    ],
    [
      'own',
      [serve(row('1'), Own), serve(row('1'), Own, { format: 'integer' })],
      (version) => ({ url: '/x', headers: { 'x-own': version } }),
      [404, 400],
    ],
  ]
  for (const [name, [byText, byInteger], toRequest, [whenUnsupported, whenInvalid]] of places) {
    for (const version of [long, '1'.repeat(5000)]) {
      it(`${version.length} characters are unsupported, and malformed where there is a format (${name})`, async () => {
        const cut = '1'.repeat(64)
        const [{ vary, ...text }, { vary: same, ...integer }] = [
          await ask(byText, toRequest(version)),
          await ask(byInteger, toRequest(version)),
        ]
        assert.deepEqual(
          [text, integer, vary],
          [unsupported(whenUnsupported, cut, ['1']), invalid(whenInvalid, cut, ['1']), same],
        )
      })
    }
  }
  it('64 characters are a version like any other', async () => {
    const version = 'a'.repeat(64)
    const app = serve(row(version), QUERY)
    assert.deepEqual(
      [await ask(app, `/x?version=${version}`), await ask(app, `/x?version=${version}a`)],
      [ok(`x@${version}`), unsupported(404, version, [version])],
    )
  })
})

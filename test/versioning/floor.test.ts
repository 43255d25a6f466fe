import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineVersioningScheme, VERSION_NEUTRAL, VersioningSchemes } from 'octavo'
import type { App, InjectOptions, VersionFormat } from 'octavo'

import { ask, invalid, notAllowed, notFound, ok, serve, serveSeveral, unsupported } from './support.ts'
import type { Answer, Row } from './support.ts'

const { HEADER, HOST, QUERY, URL } = VersioningSchemes

/** An answer with the version that the response tells, in `api-version` or the header named. */
async function askEchoed(app: App, request: InjectOptions, header = 'api-version'): Promise<unknown> {
  const { statusCode, headers, body } = await app.inject(request)
  return [statusCode, statusCode === 200 ? JSON.parse(body) : JSON.parse(body).code, headers[header] ?? null]
}

/** The versions in use: one, three and four; `/new` begins with three, `/old` ended with one. */
function rowsOf([one, three, four]: readonly [string, string, string]): readonly Row[] {
  return [
    ['GET', '/x', one, 'x'],
    ['GET', '/x', three, 'x'],
    ['POST', '/x', one, 'post'],
    ['GET', '/x', four, 'x'],
    ['GET', '/new', three, 'new'],
    ['GET', '/old', one, 'old'],
    ['GET', '/health', undefined, 'health'],
    ['GET', '/ping', VERSION_NEUTRAL, 'ping'],
  ]
}

const FORMATS: readonly (readonly [
  format: VersionFormat,
  versions: readonly [string, string, string],
  asked: Readonly<Record<'below' | 'between' | 'above', string>>,
  malformed: string | undefined,
])[] = [
  ['integer', ['1', '3', '10'], { below: '0', between: '9', above: '11' }, 'x'],
  ['semver', ['1.0', '1.2', '2.0'], { below: '0.9', between: '1.10', above: '2.0.1' }, '1.2.3.4'],
  ['semver', ['1', '2-beta', '2'], { below: '1-beta', between: '2-rc', above: '3-alpha' }, '1.x'],
  [
    'date',
    ['2025-01-01', '2025-06-01', '2026-01-01'],
    { below: '2024-12-31', between: '2025-12-31', above: '2026-12-31' },
    '2026-02-30',
  ],
  ['string', ['1', '2.5', '10'], { below: '0', between: '9.99', above: '1000' }, undefined],
]

describe("unknown: 'floor' answers in the nearest earlier version", () => {
  for (const [format, versions, { below, between, above }, malformed] of FORMATS) {
    const [one, three, four] = versions
    const places: readonly (readonly [
      name: string,
      app: App,
      toRequest: (path: string, version: string) => InjectOptions,
      statuses: readonly [unsupported: number, invalid: number],
    ])[] = [
      [
        'QUERY',
        serve(rowsOf(versions), QUERY, { unknown: 'floor', format }),
        (path, version) => ({ url: `${path}?version=${version}` }),
        [404, 400],
      ],
      [
        'URL',
        serve(rowsOf(versions), URL, { unknown: 'floor', format }),
        (path, version) => ({ url: `/v${version}${path}` }),
        [404, 404],
      ],
      [
        'URL below a prefix',
        serve(rowsOf(versions), URL, { unknown: 'floor', format }, { prefix: '/api' }),
        (path, version) => ({ url: `/api/v${version}${path}` }),
        [404, 404],
      ],
      [
        'HEADER',
        serve(rowsOf(versions), HEADER, { unknown: 'floor', format }),
        (path, version) => ({ url: path, headers: { accept: `a/b;version=${version}` } }),
        [406, 400],
      ],
      [
        'HOST',
        serve(rowsOf(versions), HOST, {
          unknown: 'floor',
          format,
          hostPattern: /^v(?<version>.+)\.example\.com$/,
        }),
        (path, version) => ({ url: path, host: `v${version}.example.com` }),
        [404, 404],
      ],
      [
        'HEADER before URL',
        serveSeveral(rowsOf(versions), [[HEADER], [URL]], { unknown: 'floor', format }),
        (path, version) => ({ url: `/v${version}${path}`, headers: { accept: `a/b;version=${version}` } }),
        [406, 400],
      ],
    ]
    for (const [name, app, toRequest, [status, whenMalformed]] of places) {
      const cases: readonly (readonly [title: string, path: string, version: string, expected: unknown])[] = [
        ['a known version answers itself, and is not echoed', '/x', three, [200, `x@${three}`, null]],
        ['a version above all gets the newest', '/x', above, [200, `x@${four}`, four]],
        ['a version between two gets the earlier', '/x', between, [200, `x@${three}`, three]],
        [
          'the nearest earlier version that is served at this path answers',
          '/old',
          above,
          [200, `old@${one}`, one],
        ],
        ['versions that lack the path are passed over', '/old', between, [200, `old@${one}`, one]],
        ['a version below the oldest is unsupported', '/x', below, [status, 'unsupported_version', null]],
        [
          'a known version that lacks the path is not replaced',
          '/old',
          four,
          [status, 'unsupported_version', null],
        ],
        ['a path that no version has is an ordinary 404', '/none', above, [404, 'route_not_found', null]],
      ]
      for (const [title, path, version, expected] of cases) {
        it(`${title} (${name}, ${format}: ${version})`, async () => {
          assert.deepEqual(await askEchoed(app, toRequest(path, version)), expected)
        })
      }
      it(`a version below the oldest of this path is unsupported (${name}, ${format})`, async () => {
        const { statusCode, body } = await app.inject(toRequest('/new', below))
        assert.deepEqual([statusCode, JSON.parse(body).supported], [status, [three]])
      })
      it(`the path is served, the method is not: 405 of the version chosen (${name}, ${format})`, async () => {
        const seen = await ask(app, { ...toRequest('/x', between), method: 'POST' })
        const { vary, ...answer } = seen
        assert.deepEqual([answer, vary], [notAllowed('GET, HEAD, OPTIONS'), seen.vary])
      })
      if (malformed === undefined || name.startsWith('URL') || name.endsWith('URL')) continue
      it(`malformed stays invalid (${name}, ${format}: ${malformed})`, async () => {
        assert.deepEqual(await askEchoed(app, toRequest('/x', malformed)), [
          whenMalformed,
          'invalid_version',
          null,
        ])
      })
    }
  }
})

describe('the nearest earlier version is not for', () => {
  const versions = ['1', '3', '10'] as const
  const byQuery = serve(rowsOf(versions), QUERY, { unknown: 'floor', format: 'integer' })
  const byUrl = serve(rowsOf(versions), URL, { unknown: 'floor', format: 'integer' })
  const cases: readonly (readonly [title: string, app: App, url: string, expected: Answer])[] = [
    ['a never-versioned path answers without a version', byQuery, '/health?version=9', ok('health@null')],
    ['a neutral-only path answers without a version', byQuery, '/ping?version=9', ok('ping@null')],
    ['a neutral path behind a version', byUrl, '/v9/ping', ok('ping@3')],
    ['a never-versioned path gets the nearest earlier version too', byUrl, '/v9/health', ok('health@3')],
    [
      'a malformed version in the path is an ordinary segment',
      byUrl,
      '/v1.5/x',
      invalid(404, '1.5', [...versions]),
    ],
    ['a segment that is no version', byUrl, '/vx/x', notFound],
    [
      'longer than 64 characters is malformed',
      byQuery,
      `/x?version=${'9'.repeat(65)}`,
      invalid(400, '9'.repeat(64), [...versions]),
    ],
  ]
  for (const [title, app, url, expected] of cases) {
    it(title, async () => assert.deepEqual(await ask(app, url), expected))
  }
  it('a floor is told even where only neutral handlers are', async () => {
    assert.deepEqual(await askEchoed(byUrl, { url: '/v9/ping' }), [200, 'ping@3', '3'])
  })
  it('strings longer than 64 characters have no floor', async () => {
    const app = serve(rowsOf(versions), QUERY, { unknown: 'floor' })
    assert.deepEqual(
      await ask(app, `/x?version=${'9'.repeat(5000)}`),
      unsupported(404, '9'.repeat(64), [...versions]),
    )
  })
  it('the default is no floor', async () => {
    const app = serve(rowsOf(versions), QUERY, { unknown: 'floor', defaultVersion: '10' })
    assert.deepEqual(
      [await askEchoed(app, { url: '/x' }), (await ask(app, '/old')).status],
      [[200, 'x@10', null], 404],
    )
  })
})

describe('a list of preferences gets the nearest earlier version of its best member', () => {
  const app = serve(rowsOf(['1', '3', '10']), HEADER, { unknown: 'floor', format: 'integer' })
  const accept = (...versions: readonly string[]): { readonly accept: string } => ({
    accept: versions.map((version) => `a/b;version=${version}`).join(', '),
  })
  const cases: readonly (readonly [
    title: string,
    path: string,
    versions: readonly string[],
    expected: unknown,
  ])[] = [
    ['one that is served before the floor of another', '/x', ['9', '1'], [200, 'x@1', null]],
    ['none is served: the floor of the most preferred', '/x', ['5', '99'], [200, 'x@3', '3']],
    ['the first that has a floor', '/new', ['2', '99'], [200, 'new@3', '3']],
    ['a known one that lacks the path has none', '/old', ['10', '3'], [406, 'unsupported_version', null]],
    ['malformed ones have none', '/x', ['x', '5'], [200, 'x@3', '3']],
    ['none has a floor', '/new', ['1', '2'], [406, 'unsupported_version', null]],
  ]
  for (const [title, path, versions, expected] of cases) {
    it(title, async () => {
      assert.deepEqual(await askEchoed(app, { url: path, headers: accept(...versions) }), expected)
    })
  }
})

describe('the nearest earlier version is always echoed', () => {
  const versions = ['1', '3', '10'] as const
  it("in the scheme's own header, where it has one", async () => {
    const app = serve(rowsOf(versions), HEADER, { unknown: 'floor', headerParameter: 'X-Version' })
    const request = { url: '/x', headers: { 'x-version': '9' } }
    assert.deepEqual(
      [await askEchoed(app, request, 'x-version'), await askEchoed(app, request)],
      [
        [200, 'x@3', '3'],
        [200, 'x@3', null],
      ],
    )
  })
  it('echo: true tells known versions too', async () => {
    const app = serve(rowsOf(versions), QUERY, { unknown: 'floor', echo: true })
    assert.deepEqual(await askEchoed(app, { url: '/x?version=1' }), [200, 'x@1', '1'])
  })
  it('in api-version under a scheme of your own', async () => {
    const Own = defineVersioningScheme({ name: 'own', read: (request) => request.header('x-own') })
    const app = serve(rowsOf(versions), Own, { unknown: 'floor' })
    assert.deepEqual(await askEchoed(app, { url: '/x', headers: { 'x-own': '9' } }), [200, 'x@3', '3'])
  })
})

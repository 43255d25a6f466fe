import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { VersioningSchemes } from 'octavo'
import type { App, VersioningOptions } from 'octavo'

import { mistakes, warnings } from './boot-support.ts'
import { ask, notAllowed, ok, serve, serveSeveral } from './support.ts'
import type { Row } from './support.ts'

const { HEADER, HOST, QUERY, URL } = VersioningSchemes

const ROWS: readonly Row[] = [
  ['GET', '/x', '1', 'one'],
  ['POST', '/x', '1', 'post'],
  ['GET', '/x', '2', 'two'],
  ['GET', '/x', '3', 'three'],
  ['GET', '/late', ['1', '3'], 'late'],
  ['GET', '/ended', '1', 'ended'],
]
const POLICY = { deprecated: '2026-01-01', sunset: '2026-07-01', retired: 'forward' } as const
const VERSIONS = [{ version: '3' }, { version: '2' }, { version: '1', ...POLICY }] as const
const AFTER: VersioningOptions = { versions: VERSIONS, clock: () => Date.UTC(2026, 7) }

const HOST_OPTIONS = { hostPattern: /^v(.*)\.example\.com$/ }

describe('a retired version may be forwarded', () => {
  const ways: readonly (readonly [
    name: string,
    app: App,
    request: (path: string) => { readonly url: string; readonly headers?: Record<string, string> },
    echo: string,
  ])[] = [
    ['URL', serve(ROWS, URL, AFTER), (path) => ({ url: `/v1${path}` }), 'api-version'],
    ['QUERY', serve(ROWS, QUERY, AFTER), (path) => ({ url: `${path}?version=1` }), 'api-version'],
    [
      'HOST',
      serve(ROWS, HOST, { ...AFTER, ...HOST_OPTIONS }),
      (path) => ({ url: path, headers: { host: 'v1.example.com' } }),
      'api-version',
    ],
    [
      'HEADER',
      serve(ROWS, HEADER, { ...AFTER, headerParameter: 'x-version' }),
      (path) => ({ url: path, headers: { 'x-version': '1' } }),
      'x-version',
    ],
    [
      'accept',
      serve(ROWS, HEADER, AFTER),
      (path) => ({ url: path, headers: { accept: '*/*; version=1' } }),
      'api-version',
    ],
    [
      'several schemes',
      serveSeveral(ROWS, [[URL], [QUERY]], AFTER),
      (path) => ({ url: `/v1${path}?version=1` }),
      'api-version',
    ],
    [
      'the default under URL',
      serve(ROWS, URL, { ...AFTER, defaultVersion: '1' }),
      (path) => ({ url: path }),
      'api-version',
    ],
    [
      'the default under QUERY',
      serve(ROWS, QUERY, { ...AFTER, defaultVersion: '1' }),
      (path) => ({ url: path }),
      'api-version',
    ],
  ]
  for (const [name, app, request, echo] of ways) {
    it(`to the next version that has the path, and responses say so (${name})`, async () => {
      const { statusCode, headers, body } = await app.inject(request('/x'))
      assert.deepEqual([statusCode, body], [200, '"two@2"'])
      assert.deepEqual(
        [headers[echo], headers['deprecation'], headers['sunset']],
        ['2', '@1767225600', 'Wed, 01 Jul 2026 00:00:00 GMT'],
      )
      assert.equal((await ask(app, request('/late'))).body, 'late@3')
    })
    it(`a path that no later version has is retired (${name})`, async () => {
      const { status, body } = await ask(app, request('/ended'))
      assert.deepEqual([status, Reflect.get(Object(body), 'code')], [410, 'retired_version'])
    })
    it(`the path decides, not the method (${name})`, async () => {
      const answer = await ask(app, { ...request('/x'), method: 'POST' })
      assert.deepEqual(
        { ...answer, vary: undefined },
        { ...notAllowed('GET, HEAD, OPTIONS'), vary: undefined },
      )
    })
  }

  it('before the sunset it answers itself', async () => {
    const app = serve(ROWS, QUERY, { ...AFTER, clock: () => Date.UTC(2026, 5) })
    assert.deepEqual(await ask(app, '/x?version=1'), ok('one@1'))
    assert.equal((await app.inject('/x?version=1')).headers['api-version'], undefined)
  })
  it('the sunset is looked at with every request', async () => {
    let now = Date.UTC(2026, 5)
    const app = serve(ROWS, QUERY, { ...AFTER, clock: () => now })
    assert.deepEqual(await ask(app, '/x?version=1'), ok('one@1'))
    now = Date.UTC(2026, 7)
    assert.deepEqual(await ask(app, '/x?version=1'), ok('two@2'))
  })
  it('versions with a status, retired ones and those of other deployments are passed over', async () => {
    const versions = [
      { version: '5' },
      { version: '4', elsewhere: true },
      { version: '3', sunset: '2026-02-01', retired: 'gone' },
      { version: '2-beta' },
      { version: '1', ...POLICY },
    ] as const
    const app = serve([['GET', '/x', ['1', '2-beta', '3', '5'], 'x']], QUERY, {
      ...AFTER,
      versions,
      format: 'integer',
    })
    assert.deepEqual(await ask(app, '/x?version=1'), ok('x@5'))
  })
  it('a chain of forwarded versions ends at the first that is served', async () => {
    const versions = [{ version: '3' }, { version: '2', ...POLICY }, { version: '1', ...POLICY }] as const
    const app = serve(ROWS, URL, { ...AFTER, versions })
    assert.deepEqual(await ask(app, '/v1/x'), ok('three@3'))
  })
  it('the routes of a forwarded version may be deleted', async () => {
    const rows = ROWS.slice(2, 4)
    assert.deepEqual(await ask(serve(rows, QUERY, AFTER), '/x?version=1'), ok('two@2'))
    assert.deepEqual(await warnings(rows, QUERY, AFTER), [])
  })
  it('under URL, responses link to the successor and the latest version', async () => {
    const { headers } = await serve([['GET', '/x', ['1', '2', '3'], 'x']], URL, AFTER).inject('/v1/x')
    assert.equal(headers['link'], '</v2/x>; rel="successor-version", </v3/x>; rel="latest-version"')
  })
  it('path parameters are those of the version that answers', async () => {
    const rows: readonly Row[] = [
      ['GET', '/{id:int}', '1', 'id'],
      ['GET', '/{name}', '2', 'name'],
    ]
    const { json } = await serve(rows, URL, AFTER).inject('/v1/7')
    assert.equal(json(), 'name@2')
  })
  it('app.versions() and the list of supported versions tell that it is retired', async () => {
    const app = serve(ROWS, QUERY, { ...AFTER, report: 'always' })
    const [first] = app.versions()
    assert.deepEqual([first?.status, first?.retired], ['retired', 'forward'])
    assert.equal((await app.inject('/x?version=1')).headers['api-supported-versions'], '2, 3')
  })
  it('takes one of three words', async () => {
    const versions = { 1: { retired: 'away' as never } }
    const [problem] = await mistakes(serve(ROWS, QUERY, { versions }))
    assert.deepEqual([problem?.code, problem?.fix], ['invalid_field', "give 'serve', 'gone' or 'forward'"])
  })
})

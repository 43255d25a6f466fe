import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { VERSION_NEUTRAL, VersioningSchemes } from 'octavo'
import type { App, VersioningOptions } from 'octavo'

import { mistakes, warnings } from './boot-support.ts'
import { ask, ok, serve, unsupported } from './support.ts'
import type { Answer, Row } from './support.ts'

const { HEADER, HOST, QUERY, URL } = VersioningSchemes

const ROWS: readonly Row[] = [
  ['GET', '/x', '>=1', 'x'],
  ['GET', '/y', '2', 'y'],
  ['GET', '/ping', VERSION_NEUTRAL, 'ping'],
  ['GET', '/plain', undefined, 'plain'],
]
const VERSIONS = [{ version: '3', elsewhere: true }, '2', '1'] as const

const withPlace = ({ status, body }: Answer): Answer => ({
  status,
  body: { ...Object(body), detail: 'Another deployment serves this version', elsewhere: true },
})

describe('a version that another deployment serves', () => {
  const options: VersioningOptions = { versions: VERSIONS }
  const cases: readonly (readonly [
    name: string,
    app: App,
    url: string,
    headers: Record<string, string>,
    status: number,
  ])[] = [
    ['URL', serve(ROWS, URL, options), '/v3/x', {}, 404],
    ['QUERY', serve(ROWS, QUERY, options), '/x?version=3', {}, 404],
    [
      'HOST',
      serve(ROWS, HOST, { ...options, hostPattern: /^v(.*)\.example\.com$/ }),
      '/x',
      { host: 'v3.example.com' },
      404,
    ],
    [
      'HEADER',
      serve(ROWS, HEADER, { ...options, headerParameter: 'x-version' }),
      '/x',
      { 'x-version': '3' },
      406,
    ],
  ]
  for (const [name, app, url, headers, status] of cases) {
    it(`is unsupported here, and the problem says so (${name})`, async () => {
      const answer = await ask(app, { url, headers })
      assert.deepEqual(
        { status: answer.status, body: answer.body },
        withPlace(unsupported(status, '3', ['1', '2', '3'])),
      )
    })
  }

  const app = serve(ROWS, QUERY, options)
  it('another unknown version is told without it', async () => {
    assert.deepEqual(await ask(app, '/x?version=9'), unsupported(404, '9', ['1', '2', '3']))
  })
  it('is announced in the headers of responses', async () => {
    const always = serve(ROWS, QUERY, { versions: VERSIONS, report: 'always' })
    const { headers } = await always.inject('/x?version=1')
    assert.equal(headers['api-supported-versions'], '1, 2, 3')
    const plain = await always.inject('/plain')
    assert.equal(plain.headers['api-supported-versions'], undefined)
  })
  it('has a policy like any other', async () => {
    const versions = [{ version: '3' }, { version: '2' }, { version: '1', elsewhere: true, deprecated: true }]
    const rows: readonly Row[] = [['GET', '/x', ['2', '3'], 'x']]
    const { headers } = await serve(rows, QUERY, { versions, report: 'always' }).inject('/x?version=2')
    assert.deepEqual([headers['api-supported-versions'], headers['api-deprecated-versions']], ['2, 3', '1'])
  })
  it('never-versioned and neutral paths answer it as any other version', async () => {
    assert.deepEqual(await ask(app, '/ping?version=3'), ok('ping@3'))
    assert.deepEqual(await ask(app, '/plain?version=3'), ok('plain@3'))
  })
  it('has no part in ranges, in defaults by their place and in nearest earlier versions', async () => {
    const latest = serve(ROWS, QUERY, { versions: VERSIONS, defaultVersion: 'latest', unknown: 'floor' })
    assert.deepEqual(await ask(latest, '/x'), ok('x@2'))
    assert.deepEqual(await ask(latest, '/plain'), ok('plain@2'))
    assert.deepEqual(await ask(latest, '/x?version=4'), ok('x@2'))
    assert.equal((await latest.inject('/x?version=3')).statusCode, 404)
  })
  it('is listed by app.versions() without routes', () => {
    const [, , last] = app.versions()
    assert.deepEqual(last, {
      version: '3',
      isDefault: false,
      status: 'active',
      links: {},
      retired: 'serve',
      routes: [],
      elsewhere: true,
    })
  })
  it('is announced by the document of all versions and has none of its own', async () => {
    const documented = serve(ROWS, QUERY, options, { docs: { path: '/docs' } })
    await documented.ready()
    assert.deepEqual(Reflect.get(documented.openapi(), 'x-api-versioning'), [
      { version: '3', status: 'active', elsewhere: true, links: [] },
    ])
    assert.deepEqual(documented.openapi({ version: '3' }).paths, {})
  })
  it('is not missed', async () => {
    const rows: readonly Row[] = [['GET', '/x', ['1', '3'], 'x']]
    assert.deepEqual(
      await warnings(rows, QUERY, { versions: ['3', { version: '2', elsewhere: true }, '1'] }),
      [],
    )
  })

  const wrong: readonly (readonly [title: string, app: App, codes: readonly string[]])[] = [
    [
      'a route must not name it',
      serve([...ROWS, ['GET', '/z', '3', 'z']], QUERY, options),
      ['version_elsewhere'],
    ],
    [
      'it cannot be the default',
      serve(ROWS, QUERY, { ...options, defaultVersion: '3' }),
      ['default_version_unknown'],
    ],
    ['a range needs others', serve([['GET', '/x', '>2', 'x']], QUERY, options), ['range_empty']],
    [
      'it is true or false',
      serve(ROWS, QUERY, { versions: [{ version: '3', elsewhere: 'eu' as never }, '2', '1'] }),
      ['unknown_field'],
    ],
    [
      'it stands in a list, which makes it known',
      serve(ROWS, QUERY, { versions: { 3: { elsewhere: true } as object } }),
      ['unknown_field'],
    ],
  ]
  for (const [title, made, codes] of wrong)
    it(title, async () => assert.deepEqual((await mistakes(made)).map(({ code }) => code).slice(0, 1), codes))
})

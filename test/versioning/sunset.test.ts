import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { VERSION_NEUTRAL, VersioningSchemes } from 'octavo'
import type { App, VersionPolicy, VersioningOptions, VersioningScheme } from 'octavo'

import { ask, notAllowed, ok, serve, unsupported } from './support.ts'
import type { Answer, Row } from './support.ts'

const { HEADER, HOST, QUERY, URL } = VersioningSchemes

/** The end of version 1, and a clock that tests move: each test makes its own. */
const END = Date.parse('2026-12-31T23:59:59Z')
const ENDING: VersionPolicy = { sunset: '2026-12-31T23:59:59Z' }
const GONE: VersionPolicy = { ...ENDING, retired: 'gone' }

const ROWS: readonly Row[] = [
  ['GET', '/cars', '1', 'old'],
  ['GET', '/cars', '2', 'new'],
  ['GET', '/first', '1', 'first'],
  ['GET', '/health', undefined, 'health'],
  ['GET', '/ping', VERSION_NEUTRAL, 'ping'],
]

/** The answer to a version that is served no more. */
function retired(
  requested: string | undefined,
  lists: { readonly supported: readonly string[]; readonly deprecated?: readonly string[] },
  {
    status = 410,
    sunset = '2026-12-31T23:59:59.000Z',
  }: { status?: number; sunset?: string | undefined } = {},
): Answer {
  return {
    status,
    body: {
      type: 'urn:octavo:problem:retired-version',
      title: 'Retired API version',
      status,
      detail: 'This version is not served any more',
      code: 'retired_version',
      ...(requested === undefined ? {} : { requested }),
      ...lists,
      sunset,
    },
  }
}

describe('the header Sunset has the moment of the policy', () => {
  const cases: readonly (readonly [string, VersionPolicy, string | undefined])[] = [
    ['a moment', ENDING, 'Thu, 31 Dec 2026 23:59:59 GMT'],
    ['a date is its first instant in UTC', { sunset: '2026-12-31' }, 'Thu, 31 Dec 2026 00:00:00 GMT'],
    ['a zone', { sunset: '2027-01-01T00:59:59+01:00' }, 'Thu, 31 Dec 2026 23:59:59 GMT'],
    ['a Date', { sunset: new Date(END) }, 'Thu, 31 Dec 2026 23:59:59 GMT'],
    ['two digits for the day', { sunset: '2027-01-02' }, 'Sat, 02 Jan 2027 00:00:00 GMT'],
    ['in the past', { sunset: '2020-02-29' }, 'Sat, 29 Feb 2020 00:00:00 GMT'],
    ['no header without a sunset', { sunset: false }, undefined],
  ]
  for (const [title, policy, expected] of cases) {
    it(title, async () => {
      const { headers } = await serve(ROWS, URL, { versions: { '1': policy } }).inject('/v1/cars')
      assert.equal(headers['sunset'], expected)
    })
  }
})

describe('after its sunset a version goes on, or is gone', () => {
  /** An application with a clock that stands at the last second of version 1. */
  function atEnd(policy: VersionPolicy): { readonly app: App; readonly clock: { now: number } } {
    const clock = { now: END - 1 }
    const app = serve(ROWS, QUERY, { versions: { '1': policy }, clock: () => clock.now })
    return { app, clock }
  }

  it('a version is served on, and tells of its sunset', async () => {
    const { app, clock } = atEnd(ENDING)
    clock.now = END + 1
    const { statusCode, headers } = await app.inject('/cars?version=1')
    assert.deepEqual([statusCode, headers['sunset']], [200, 'Thu, 31 Dec 2026 23:59:59 GMT'])
  })
  it('gone: 410 from the very moment on, while the application runs', async () => {
    const { app, clock } = atEnd(GONE)
    assert.deepEqual(await ask(app, '/cars?version=1'), ok('old@1'))
    clock.now = END
    assert.deepEqual(await ask(app, '/cars?version=1'), retired('1', { supported: ['2'] }))
    clock.now = END - 1
    assert.deepEqual(await ask(app, '/cars?version=1'), ok('old@1'))
  })
  it('gone without a sunset never happens', async () => {
    const app = serve(ROWS, QUERY, { versions: { '1': { deprecated: true, retired: 'gone' } } })
    assert.deepEqual(await ask(app, '/cars?version=1'), ok('old@1'))
  })
  it('other versions and paths go on', async () => {
    const { app, clock } = atEnd(GONE)
    clock.now = END
    assert.deepEqual(await ask(app, '/cars?version=2'), ok('new@2'))
    assert.deepEqual(await ask(app, '/ping?version=1'), ok('ping@1'))
    assert.deepEqual(await ask(app, '/health?version=1'), ok('health@1'))
  })
  it('what is left of it is told in neither list', async () => {
    const { app, clock } = atEnd(GONE)
    assert.deepEqual(await ask(app, '/cars?version=9'), unsupported(404, '9', ['1', '2']))
    clock.now = END
    assert.deepEqual(await ask(app, '/cars?version=9'), unsupported(404, '9', ['2']))
    assert.deepEqual(await ask(app, '/first?version=1'), retired('1', { supported: [] }))
  })
  it('a wrong method is 405, as before', async () => {
    const { app, clock } = atEnd(GONE)
    clock.now = END
    const answer = await ask(app, { method: 'PUT', url: '/cars?version=1' })
    assert.deepEqual(answer, notAllowed('GET, HEAD, OPTIONS'))
  })
  it('the 410 tells what responses of the version told, HEAD too', async () => {
    const { app, clock } = atEnd({ ...GONE, deprecated: '2026-01-01', links: { sunset: '/why' } })
    clock.now = END
    for (const method of ['GET', 'HEAD'] as const) {
      const { statusCode, headers, body } = await app.inject({ method, url: '/cars?version=1' })
      assert.deepEqual(
        [statusCode, headers['deprecation'], headers['sunset'], headers['link'], body === ''],
        [
          410,
          '@1767225600',
          'Thu, 31 Dec 2026 23:59:59 GMT',
          '</why>; rel="sunset"; type="text/html"',
          method === 'HEAD',
        ],
      )
      assert.equal(headers['api-supported-versions'], '2')
    }
  })
  it('the lists are not in the headers of the 410 when report is false', async () => {
    const app = serve(ROWS, QUERY, { versions: { '1': GONE }, report: false, clock: () => END })
    const { headers, statusCode } = await app.inject('/cars?version=1')
    assert.deepEqual([statusCode, headers['api-supported-versions']], [410, undefined])
  })
  it('the default version is retired like any other', async () => {
    const app = serve(ROWS, QUERY, { versions: { '1': GONE }, defaultVersion: '1', clock: () => END })
    assert.deepEqual(await ask(app, '/cars'), retired(undefined, { supported: ['2'] }))
    assert.deepEqual(await ask(app, '/health'), ok('health@1'))
  })
  it('a redirect to the other spelling of the path comes first', async () => {
    const app = serve(
      ROWS,
      QUERY,
      { versions: { '1': GONE }, clock: () => END },
      { trailingSlash: 'redirect' },
    )
    assert.equal((await app.inject('/cars/?version=1')).statusCode, 308)
  })
})

describe('the status of a retired version', () => {
  const clock = (): number => END
  const versions = { '1': GONE }
  function under<O extends object>(scheme: VersioningScheme<O>, options: O & VersioningOptions): App {
    return serve(ROWS, scheme, options)
  }
  const cases: readonly (readonly [string, App, Parameters<App['inject']>[0], number])[] = [
    ['URL', under(URL, { versions, clock }), '/v1/cars', 410],
    ['QUERY', under(QUERY, { versions, clock }), '/cars?version=1', 410],
    ['HOST', under(HOST, { versions, clock }), { url: '/cars', host: 'v1.example.com' }, 410],
    [
      'HEADER',
      under(HEADER, { versions, clock }),
      { url: '/cars', headers: { accept: '*/*;version=1' } },
      410,
    ],
    [
      'a status of its own',
      under(QUERY, { versions, clock, statusCodes: { retired: 404 } }),
      '/cars?version=1',
      404,
    ],
    [
      'the default version, a status of its own',
      under(QUERY, { versions, clock, defaultVersion: '1', statusCodes: { retired: 404 } }),
      '/cars',
      404,
    ],
  ]
  for (const [title, app, request, status] of cases) {
    it(title, async () => {
      const response = await app.inject(request)
      assert.deepEqual([response.statusCode, JSON.parse(response.body).code], [status, 'retired_version'])
    })
  }

  it('of several schemes, that of the one that found the version', async () => {
    const app = serve(ROWS)
    app.enableVersioning([[QUERY, { statusCodes: { retired: 404 } }], [HEADER]], { versions, clock })
    const statuses = [
      (await app.inject('/cars?version=1')).statusCode,
      (await app.inject({ url: '/cars', headers: { accept: '*/*;version=1' } })).statusCode,
    ]
    assert.deepEqual(statuses, [404, 410])
  })
})

describe('caches keep the error of a retired version', () => {
  const options: VersioningOptions = { versions: [{ version: '1', ...GONE }, '2'], clock: () => END }
  const kept = async (rows: readonly Row[], url: string, more: VersioningOptions = {}): Promise<unknown> => {
    const { headers } = await serve(rows, QUERY, { ...options, ...more }).inject(url)
    return headers['cache-control']
  }

  it('for an hour if the request names the version', async () => {
    assert.equal(await kept(ROWS, '/cars?version=1'), 'max-age=3600')
    assert.equal(
      await kept(
        ROWS.filter(([, , version]) => version !== '1'),
        '/cars?version=1',
      ),
      'max-age=3600',
    )
  })
  it('never if a default chose the version', async () => {
    assert.equal(await kept(ROWS, '/cars', { defaultVersion: '1' }), 'no-store')
    assert.equal(await kept(ROWS, '/cars', { defaultVersion: () => '1' }), 'no-store')
  })
  it('not the errors of other versions', async () => {
    assert.equal(await kept(ROWS, '/cars?version=9'), undefined)
  })
})

describe('a retired version whose routes were removed is still', () => {
  const rows = ROWS.filter(([, , version]) => version !== '1')
  const versions = [{ version: '1', ...GONE }, '2']
  const clock = (): number => END
  const gone = retired('1', { supported: ['2'] })

  it('410 where other versions are, under every scheme', async () => {
    assert.deepEqual(await ask(serve(rows, URL, { versions, clock }), '/v1/cars'), gone)
    assert.deepEqual(await ask(serve(rows, QUERY, { versions, clock }), '/cars?version=1'), gone)
    const byHost = await ask(serve(rows, HOST, { versions, clock }), { url: '/cars', host: 'v1.example.com' })
    assert.deepEqual(byHost, gone)
    const byHeader = await ask(serve(rows, HEADER, { versions, clock }), {
      url: '/cars',
      headers: { accept: '*/*;version=1' },
    })
    assert.deepEqual(byHeader, { ...gone, vary: 'accept' })
  })
  it('404 at paths that no version has', async () => {
    const answers = [
      await serve(rows, URL, { versions, clock }).inject('/v1/first'),
      await serve(rows, QUERY, { versions, clock }).inject('/first?version=1'),
    ]
    assert.deepEqual(
      answers.map((answer) => [answer.statusCode, JSON.parse(answer.body).code]),
      answers.map(() => [404, 'route_not_found']),
    )
  })
  it('404 before its sunset, and when it is served on', async () => {
    const before = serve(rows, QUERY, { versions, clock: () => END - 1 })
    assert.deepEqual(await ask(before, '/cars?version=1'), unsupported(404, '1', ['2']))
    const serving = serve(rows, QUERY, { versions: [{ version: '1', ...ENDING }, '2'], clock })
    assert.deepEqual(await ask(serving, '/cars?version=1'), unsupported(404, '1', ['2']))
  })
  it('neutral routes and paths without versions answer', async () => {
    const app = serve(rows, QUERY, { versions, clock })
    assert.deepEqual(await ask(app, '/ping?version=1'), ok('ping@1'))
    assert.deepEqual(await ask(app, '/health?version=1'), ok('health@1'))
  })
})

describe('a retired version in a list of preferences comes last', () => {
  const preferring = (accept: string) => ({ url: '/cars', headers: { accept } })
  const versions = { '1': GONE }

  it('the next version is served', async () => {
    const app = serve(ROWS, HEADER, { versions, clock: () => END })
    const answer = await ask(app, preferring('*/*;version=1, */*;version=2;q=0.5'))
    assert.deepEqual(answer, { ...ok('new@2'), vary: 'accept' })
  })
  it('a 410 if no other version is left', async () => {
    const app = serve(ROWS, HEADER, { versions, clock: () => END })
    const { statusCode } = await app.inject(preferring('*/*;version=1, */*;version=9;q=0.5'))
    assert.equal(statusCode, 410)
  })
  it('the retired one is served before its sunset', async () => {
    const app = serve(ROWS, HEADER, { versions, clock: () => END - 1 })
    const { body } = await ask(app, preferring('*/*;version=1, */*;version=2;q=0.5'))
    assert.equal(body, 'old@1')
  })
  it('OPTIONS and 405 tell the methods of the version that is served', async () => {
    const rows: readonly Row[] = [...ROWS, ['POST', '/cars', '1', 'posted']]
    const app = serve(rows, HEADER, { versions, clock: () => END })
    const request = preferring('*/*;version=1, */*;version=2;q=0.5')
    assert.deepEqual(
      [
        (await ask(app, { ...request, method: 'OPTIONS' })).allow,
        (await ask(app, { ...request, method: 'DELETE' })).allow,
        (await ask(app, { ...preferring('*/*;version=1'), method: 'OPTIONS' })).allow,
      ],
      ['GET, HEAD, OPTIONS', 'GET, HEAD, OPTIONS', 'GET, HEAD, POST, OPTIONS'],
    )
  })
  it('an earlier version that is retired leaves room for that of the next one', async () => {
    const rows: readonly Row[] = [...ROWS, ['GET', '/cars', '5', 'newest']]
    const app = serve(rows, HEADER, {
      versions: { '2': GONE },
      clock: () => END,
      unknown: 'floor',
      format: 'integer',
    })
    assert.deepEqual(
      [
        (await ask(app, preferring('*/*;version=3, */*;version=9;q=0.5'))).body,
        (await ask(app, preferring('*/*;version=3, */*;version=4;q=0.5'))).status,
      ],
      ['newest@5', 410],
    )
  })
})

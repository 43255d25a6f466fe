import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { describe, it } from 'node:test'

import { defineVersioningScheme, VersioningSchemes } from 'octavo'
import type { InjectOptions } from 'octavo'

import {
  allowed,
  ask,
  CARS,
  contradicting,
  invalid,
  notAllowed,
  notFound,
  ok,
  serveSeveral,
  unspecified,
  unsupported,
  varying,
} from './support.ts'
import type { Answer, Row } from './support.ts'

const { HEADER, HOST, QUERY, URL } = VersioningSchemes

const ROUTES: readonly Row[] = [...CARS, ['GET', '/new', '2', 'new']]
const ALL = ['1', '2']

/** Where the places of these tests are, for `sources`. */
const PATH = { in: 'path', name: 'v' }
const PARAMETER = { in: 'query', name: 'version' }
const ACCEPT = { in: 'header', name: 'accept' }
const CUSTOM = { in: 'header', name: 'x-version' }
const LABEL = { in: 'host', name: 'host' }

type Case = readonly [title: string, request: string | InjectOptions, expected: Answer]

function checkAll(app: ReturnType<typeof serveSeveral>, cases: readonly Case[]): void {
  for (const [title, request, expected] of cases) {
    it(title, async () => assert.deepEqual(await ask(app, request), expected))
  }
}

describe('URL and QUERY have to agree', () => {
  const app = serveSeveral(ROUTES, [[URL], [QUERY]])
  const both = (path: string, query: string, supported = ALL): Answer =>
    contradicting(
      [
        { ...PATH, value: path },
        { ...PARAMETER, value: query },
      ],
      supported,
    )
  checkAll(app, [
    ['the path alone names the version', '/v1/cars', ok('cars@1')],
    ['the query alone names the version', '/cars?version=2', ok('cars@2')],
    ['equal versions agree', '/v2/cars?version=2', ok('cars@2')],
    ['an empty parameter does not count', '/v2/cars?version=', ok('cars@2')],
    ['versions that differ are ambiguous, and each source is named', '/v1/cars?version=2', both('1', '2')],
    ['an unknown version in the path only is ambiguous', '/v9/cars?version=2', both('9', '2')],
    ['an unknown version in the query only is ambiguous', '/v1/cars?version=9', both('1', '9')],
    ['the same unknown version in both is unsupported', '/v9/cars?version=9', unsupported(404, '9', ALL)],
    [
      'a repeated parameter counts as one that differs',
      '/v1/cars?version=1&version=2',
      contradicting(
        [
          { ...PATH, value: '1' },
          { ...PARAMETER, value: '1' },
          { ...PARAMETER, value: '2' },
        ],
        ALL,
      ),
    ],
    ['a trailing slash changes nothing', '/v1/cars/?version=1', ok('cars@1')],
    ['a trailing slash does not hide that versions differ', '/v1/cars/?version=2', both('1', '2')],
    ['a request without version and default is a 400', '/cars', unspecified(400, ALL)],
    ['unsupported has the status of its scheme: path', '/v1/new', unsupported(404, '1', ['2'])],
    ['unsupported has the status of its scheme: query', '/new?version=1', unsupported(404, '1', ['2'])],
    [
      'a never-versioned path answers an unknown version in the query',
      '/health?version=9',
      ok('health@null'),
    ],
    ['a never-versioned path answers a known version', '/health?version=2', ok('health@2')],
    ['a never-versioned path answers behind a version', '/v1/health', ok('health@1')],
    ['a neutral path answers an unknown version in the query', '/ping?version=9', ok('ping@null')],
    ['a neutral path answers behind a version', '/v2/ping', ok('ping@2')],
    ['a neutral path answers behind a version that the query repeats', '/v2/ping?version=2', ok('ping@2')],
    [
      'a neutral path answers behind a version, whatever the query names',
      '/v1/ping?version=2',
      ok('ping@null'),
    ],
    [
      'OPTIONS of a neutral path answers, whatever the query names',
      { method: 'OPTIONS', url: '/v1/ping?version=2' },
      allowed('GET, HEAD, OPTIONS'),
    ],
    [
      'a neutral path behind an unknown version is unsupported',
      '/v9/ping',
      unsupported(404, '9', ['1', '2']),
    ],
    ['two versions do not matter at a path that no version has', '/v1/planes?version=2', notFound],
    [
      'OPTIONS lists the methods of the version that both name',
      { method: 'OPTIONS', url: '/v1/cars?version=1' },
      allowed('GET, HEAD, OPTIONS'),
    ],
    [
      'OPTIONS of different versions is ambiguous',
      { method: 'OPTIONS', url: '/v1/cars?version=2' },
      both('1', '2'),
    ],
    [
      '405 has the methods of the agreed version',
      { method: 'PUT', url: '/v2/cars?version=2' },
      notAllowed('GET, HEAD, POST, OPTIONS'),
    ],
    ['two versions come before a wrong method', { method: 'PUT', url: '/v1/cars?version=2' }, both('1', '2')],
  ])
  it('two versions do not matter at a never-versioned path', async () => {
    assert.deepEqual(
      [await ask(app, '/health?version=1&version=2'), await ask(app, '/ping?version=1&version=2')],
      [ok('health@null'), ok('ping@null')],
    )
  })
  it('the only error of a never-versioned path is 405', async () => {
    assert.deepEqual(
      await ask(app, { method: 'POST', url: '/health?version=1&version=2' }),
      notAllowed('GET, HEAD, OPTIONS'),
    )
  })
  it('a source is cut at 64 characters', async () => {
    assert.deepEqual(await ask(app, `/v1/cars?version=${'x'.repeat(5000)}`), both('1', 'x'.repeat(64)))
  })
})

describe('URL and a custom header have to agree', () => {
  const app = serveSeveral(ROUTES, [[URL], [HEADER, { headerParameter: 'X-Version' }]])
  const get = (url: string, version: string): InjectOptions => ({ url, headers: { 'x-version': version } })
  const headed = (answer: Answer): Answer => varying('x-version', answer)
  const both = (path: string, header: string): Answer =>
    headed(
      contradicting(
        [
          { ...PATH, value: path },
          { ...CUSTOM, value: header },
        ],
        ALL,
      ),
    )
  checkAll(app, [
    ['the header is in Vary though the path decided', '/v1/cars', headed(ok('cars@1'))],
    ['the header alone names the version', get('/cars', '2'), headed(ok('cars@2'))],
    ['equal versions agree', get('/v1/cars', 'version=1;'), headed(ok('cars@1'))],
    ['versions that differ are ambiguous', get('/v1/cars', '2'), both('1', '2')],
    ['an unknown version in the path beside a header is ambiguous', get('/v9/cars', '2'), both('9', '2')],
    ['an unknown version in the header only is ambiguous', get('/v1/cars', '9'), both('1', '9')],
    [
      'unsupported has the status of its scheme: header',
      get('/cars', '9'),
      headed(unsupported(406, '9', ALL)),
    ],
    ['unsupported has the status of its scheme: path', '/v9/cars', headed(unsupported(404, '9', ALL))],
    ['the first of those that agree', get('/v9/cars', '9'), headed(unsupported(404, '9', ALL))],
    ['a request without version and default is a 400', '/cars', headed(unspecified(400, ALL))],
    ['a never-versioned path answers the version of a header', get('/health', '2'), ok('health@2')],
    ['an unknown version in the header is answered too', get('/health', '9'), ok('health@null')],
    ['a neutral path answers the version of a header', get('/ping', '1'), ok('ping@1')],
    ['an unknown version in the header is answered too', get('/ping', '9'), ok('ping@null')],
    ['a segment that is no version is ordinary beside a header', get('/vip/cars', '2'), notFound],
  ])
})

describe('a header before the URL has to agree with it', () => {
  const app = serveSeveral(ROUTES, [[HEADER, { headerParameter: 'x-version' }], [URL]])
  const get = (url: string, version: string): InjectOptions => ({ url, headers: { 'x-version': version } })
  checkAll(app, [
    ['equal versions agree', get('/v1/cars', '1'), varying('x-version', ok('cars@1'))],
    ['a neutral path answers behind a version', get('/v2/ping', '2'), ok('ping@2')],
    ['a never-versioned path answers behind a version', get('/v2/health', '2'), ok('health@2')],
    ['the first of those that agree', get('/v9/cars', '9'), varying('x-version', unsupported(406, '9', ALL))],
    [
      'a neutral path behind an unknown version is unsupported',
      get('/v9/ping', '9'),
      unsupported(406, '9', ['1', '2']),
    ],
  ])
})

describe('URL, QUERY and HOST have to agree', () => {
  const rows: readonly Row[] = [
    ['GET', '/cars', '1', 'cars'],
    ['GET', '/cars', 'Beta', 'cars'],
  ]
  const app = serveSeveral(rows, [[URL], [QUERY], [HOST]])
  const known = ['1', 'Beta']
  const get = (url: string, host = 'localhost'): InjectOptions => ({ url, host })
  checkAll(app, [
    ['three equal versions agree', get('/v1/cars?version=1', 'v1.example.com'), ok('cars@1')],
    ['the label agrees in any case', get('/vBeta/cars?version=Beta', 'vbeta.example.com'), ok('cars@Beta')],
    [
      'the label agrees with the query in any case',
      get('/cars?version=Beta', 'VBETA.example.com'),
      ok('cars@Beta'),
    ],
    [
      'the query is case-sensitive all the same',
      get('/cars?version=beta', 'vbeta.example.com'),
      contradicting(
        [
          { ...PARAMETER, value: 'beta' },
          { ...LABEL, value: 'beta' },
        ],
        known,
      ),
    ],
    [
      'if one of three differs, all are named in the order of the schemes',
      get('/v1/cars?version=1', 'v2.example.com'),
      contradicting(
        [
          { ...PATH, value: '1' },
          { ...PARAMETER, value: '1' },
          { ...LABEL, value: '2' },
        ],
        known,
      ),
    ],
    [
      'unsupported has the status of its scheme',
      get('/cars', 'v7.example.com'),
      unsupported(404, '7', known),
    ],
  ])
})

describe('equal versions agree in different spellings', () => {
  const rows: readonly Row[] = [
    ['GET', '/cars', '1', 'cars'],
    ['GET', '/cars', '2.0', 'cars'],
  ]
  const app = serveSeveral(rows, [[URL], [QUERY]], { format: 'semver' })
  const known = ['1', '2.0']
  checkAll(app, [
    ['1 and 1.0', '/v1/cars?version=1.0', ok('cars@1')],
    ['1.0.0 and 1', '/v1.0.0/cars?version=1', ok('cars@1')],
    ['two spellings that no route declares agree', '/v2/cars?version=2.0.0', ok('cars@2.0')],
    [
      'equal spellings of an unknown version are unsupported',
      '/v3/cars?version=3.0',
      unsupported(404, '3', known),
    ],
    [
      'different versions are ambiguous',
      '/v1.0/cars?version=2',
      contradicting(
        [
          { ...PATH, value: '1.0' },
          { ...PARAMETER, value: '2' },
        ],
        known,
      ),
    ],
    [
      'malformed and well-formed: ambiguous, for both were said',
      '/v1/cars?version=one',
      contradicting(
        [
          { ...PATH, value: '1' },
          { ...PARAMETER, value: 'one' },
        ],
        known,
      ),
    ],
    ['invalid has the status of its scheme', '/cars?version=one', invalid(400, 'one', known)],
  ])
})

describe('a list of preferences agrees with one value that it has', () => {
  const app = serveSeveral(ROUTES, [[HEADER], [QUERY]])
  const get = (url: string, accept: string): InjectOptions => ({ url, headers: { accept } })
  const vary = (answer: Answer): Answer => varying('accept', answer)
  checkAll(app, [
    [
      'a value that the list has is the version',
      get('/cars?version=1', 'a/b;version=2, a/b;version=1'),
      vary(ok('cars@1')),
    ],
    [
      'the list alone is an order of preference',
      get('/cars', 'a/b;version=1;q=0.5, a/b;version=2'),
      vary(ok('cars@2')),
    ],
    [
      'a value that the list lacks is ambiguous',
      get('/cars?version=9', 'a/b;version=2, a/b;version=1'),
      vary(
        contradicting(
          [
            { ...ACCEPT, value: '2' },
            { ...ACCEPT, value: '1' },
            { ...PARAMETER, value: '9' },
          ],
          ALL,
        ),
      ),
    ],
    [
      'an unknown version of both has the status of the scheme that names it alone',
      get('/cars?version=9', 'a/b;version=9, a/b;version=1'),
      vary(unsupported(404, '9', ALL)),
    ],
    [
      'an unknown version of the list has the status of its scheme',
      get('/cars', 'a/b;version=8, a/b;version=9'),
      vary(unsupported(406, '8, 9', ALL)),
    ],
    ['a list without versions does not count', get('/cars?version=1', '*/*'), vary(ok('cars@1'))],
  ])
})

describe('lists agree on the versions that both have', () => {
  const List = defineVersioningScheme({
    name: 'list',
    read: (request) => request.header('x-list')?.split(' '),
    vary: ['X-List'],
  })
  const app = serveSeveral(ROUTES, [[HEADER], [List]])
  const get = (accept: string, list: string): InjectOptions => ({
    url: '/cars',
    headers: { accept, 'x-list': list },
  })
  const vary = (answer: Answer): Answer => varying('accept, x-list', answer)
  checkAll(app, [
    [
      'versions that both have count in the order of the first',
      get('a/b;version=2, a/b;version=1', '1 2'),
      vary(ok('cars@2')),
    ],
    ['one version that both have answers', get('a/b;version=2, a/b;version=1', '3 1'), vary(ok('cars@1'))],
    [
      'lists without a common version are ambiguous',
      get('a/b;version=2, a/b;version=3', '1 4'),
      vary(
        contradicting(
          [
            { ...ACCEPT, value: '2' },
            { ...ACCEPT, value: '3' },
            { in: 'list', name: 'list', value: '1' },
            { in: 'list', name: 'list', value: '4' },
          ],
          ALL,
        ),
      ),
    ],
    ['an empty list does not count', get('a/b;version=2', ''), vary(ok('cars@2'))],
  ])
})

describe('Accept and a custom header have to agree', () => {
  const app = serveSeveral(ROUTES, [[HEADER], [HEADER, { headerParameter: 'x-version' }]])
  const vary = (answer: Answer): Answer => varying('accept, x-version', answer)
  checkAll(app, [
    ['both headers are in Vary', '/cars', vary(unspecified(400, ALL))],
    [
      'the second header alone names the version',
      { url: '/cars', headers: { 'x-version': '2' } },
      vary(ok('cars@2')),
    ],
    [
      'versions that differ are ambiguous',
      { url: '/cars', headers: { accept: 'a/b;version=1', 'x-version': '2' } },
      vary(
        contradicting(
          [
            { ...ACCEPT, value: '1' },
            { ...CUSTOM, value: '2' },
          ],
          ALL,
        ),
      ),
    ],
  ])
})

describe('QUERY and an asynchronous scheme of your own have to agree', () => {
  const Account = defineVersioningScheme({
    name: 'account',
    read: async (request) => {
      await setImmediate()
      const account = request.header('x-account')
      if (account === 'broken') throw new Error('secret')
      return account
    },
    vary: ['x-account'],
    statusCodes: { unsupported: 410 },
  })
  const app = serveSeveral(ROUTES, [[QUERY], [Account]])
  const get = (url: string, account: string): InjectOptions => ({ url, headers: { 'x-account': account } })
  const vary = (answer: Answer): Answer => varying('x-account', answer)
  checkAll(app, [
    ['the own scheme alone names the version', get('/cars', '2'), vary(ok('cars@2'))],
    ['without version the request is unspecified', '/cars', vary(unspecified(400, ALL))],
    ['equal versions agree after the wait', get('/cars?version=1', '1'), vary(ok('cars@1'))],
    [
      'versions that differ are ambiguous',
      get('/cars?version=1', '2'),
      vary(
        contradicting(
          [
            { ...PARAMETER, value: '1' },
            { in: 'account', name: 'account', value: '2' },
          ],
          ALL,
        ),
      ),
    ],
    ['unsupported has the status of its scheme', get('/cars', '9'), vary(unsupported(410, '9', ALL))],
  ])
  it('a scheme that fails is a mistake of the application', async () => {
    const { statusCode, body } = await app.inject(get('/cars?version=1', 'broken'))
    assert.deepEqual([statusCode, body.includes('secret')], [500, false])
  })
  it('a scheme that fails at once beside one that fails later', async () => {
    const Broken = defineVersioningScheme({
      name: 'broken',
      read: () => {
        throw new Error('secret')
      },
    })
    const broken = serveSeveral(ROUTES, [[Account], [Broken], [URL]])
    const { statusCode, body } = await broken.inject(get('/cars', 'broken'))
    assert.deepEqual([statusCode, body.includes('secret')], [500, false])
  })
})

import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { describe, it } from 'node:test'

import { defineVersioningScheme, VERSION_NEUTRAL, VersioningSchemes } from 'octavo'
import type { InjectOptions } from 'octavo'

import {
  allowed,
  ask,
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

const ROUTES: readonly Row[] = [
  ['GET', '/cars', '1', 'cars'],
  ['GET', '/cars', '2', 'cars'],
  ['POST', '/cars', '2', 'create'],
  ['GET', '/new', '2', 'new'],
  ['GET', '/health', undefined, 'health'],
  ['GET', '/ping', VERSION_NEUTRAL, 'ping'],
]
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

describe('C1 URL and QUERY', () => {
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
    ['C1 the path alone', '/v1/cars', ok('cars@1')],
    ['C1 the query alone', '/cars?version=2', ok('cars@2')],
    ['C1 both say the same', '/v2/cars?version=2', ok('cars@2')],
    ['C1 an empty parameter is none', '/v2/cars?version=', ok('cars@2')],
    ['C1 they differ: each source is named', '/v1/cars?version=2', both('1', '2')],
    ['C1 unknown in the path only', '/v9/cars?version=2', both('9', '2')],
    ['C1 unknown in the query only', '/v1/cars?version=9', both('1', '9')],
    ['C1 the same unknown version in both', '/v9/cars?version=9', unsupported(404, '9', ALL)],
    [
      'R22 a repeated parameter counts as one that differs',
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
    ['R9 a trailing slash changes nothing', '/v1/cars/?version=1', ok('cars@1')],
    ['R9 a trailing slash and different versions', '/v1/cars/?version=2', both('1', '2')],
    ['R26 without version and default: 400', '/cars', unspecified(400, ALL)],
    ['R26 unsupported has the status of its scheme: path', '/v1/new', unsupported(404, '1', ['2'])],
    ['R26 unsupported has the status of its scheme: query', '/new?version=1', unsupported(404, '1', ['2'])],
    ['P6 a never-versioned path, whatever the query says', '/health?version=9', ok('health@null')],
    ['P6 a never-versioned path, a known version', '/health?version=2', ok('health@2')],
    ['P6 a never-versioned path does not exist behind a version', '/v1/health', unsupported(404, '1', [])],
    ['P8 a neutral path, whatever the query says', '/ping?version=9', ok('ping@null')],
    ['P9 a neutral path behind a version', '/v2/ping', ok('ping@2')],
    ['P9 a neutral path behind a version that the query repeats', '/v2/ping?version=2', ok('ping@2')],
    ['C1 a neutral path behind a version that the query denies', '/v1/ping?version=2', both('1', '2', [])],
    ['R5 a neutral path behind an unknown version', '/v9/ping', unsupported(404, '9', [])],
    ['2.3 ambiguous where nothing is served', '/v1/planes?version=2', notFound],
    ['R10 OPTIONS', { method: 'OPTIONS', url: '/v1/cars?version=1' }, allowed('GET, HEAD, OPTIONS')],
    ['R10 OPTIONS of different versions', { method: 'OPTIONS', url: '/v1/cars?version=2' }, both('1', '2')],
    [
      'M2 405 has the methods of the agreed version',
      { method: 'PUT', url: '/v2/cars?version=2' },
      notAllowed('GET, HEAD, POST, OPTIONS'),
    ],
    ['2.3 ambiguous before a wrong method', { method: 'PUT', url: '/v1/cars?version=2' }, both('1', '2')],
  ])
  it('2.3 ambiguous on a never-versioned path is answered: step 6 before 7', async () => {
    assert.deepEqual(
      [await ask(app, '/health?version=1&version=2'), await ask(app, '/ping?version=1&version=2')],
      [ok('health@null'), ok('ping@null')],
    )
  })
  it('R6 on a never-versioned path the only version-free miss is 405', async () => {
    assert.deepEqual(
      await ask(app, { method: 'POST', url: '/health?version=1&version=2' }),
      notAllowed('GET, HEAD, OPTIONS'),
    )
  })
  it('V8 a source is cut at 64 characters', async () => {
    assert.deepEqual(await ask(app, `/v1/cars?version=${'x'.repeat(5000)}`), both('1', 'x'.repeat(64)))
  })
})

describe('C1 URL and a custom header', () => {
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
    ['C3 the header may always have decided', '/v1/cars', headed(ok('cars@1'))],
    ['C1 the header alone', get('/cars', '2'), headed(ok('cars@2'))],
    ['C1 both say the same', get('/v1/cars', 'version=1;'), headed(ok('cars@1'))],
    ['C1 they differ', get('/v1/cars', '2'), both('1', '2')],
    ['U2 an unknown version in the path beside a header', get('/v9/cars', '2'), both('9', '2')],
    ['C1 unknown in the header only', get('/v1/cars', '9'), both('1', '9')],
    [
      'R26 unsupported has the status of its scheme: header',
      get('/cars', '9'),
      headed(unsupported(406, '9', ALL)),
    ],
    ['R26 unsupported has the status of its scheme: path', '/v9/cars', headed(unsupported(404, '9', ALL))],
    ['R26 the first of those that agree', get('/v9/cars', '9'), headed(unsupported(404, '9', ALL))],
    ['R26 without version and default: 400', '/cars', headed(unspecified(400, ALL))],
    ['P6 a header reaches never-versioned paths', get('/health', '2'), ok('health@2')],
    ['P6 an unknown header too', get('/health', '9'), ok('health@null')],
    ['P8 a header reaches neutral paths', get('/ping', '1'), ok('ping@1')],
    ['P8 an unknown header too', get('/ping', '9'), ok('ping@null')],
    ['U2 a segment that is no version beside a header', get('/vip/cars', '2'), notFound],
  ])
})

describe('C1 a header before the URL', () => {
  const app = serveSeveral(ROUTES, [[HEADER, { headerParameter: 'x-version' }], [URL]])
  const get = (url: string, version: string): InjectOptions => ({ url, headers: { 'x-version': version } })
  checkAll(app, [
    ['C1 both say the same', get('/v1/cars', '1'), varying('x-version', ok('cars@1'))],
    ['P9 a neutral path behind a version', get('/v2/ping', '2'), ok('ping@2')],
    ['P6 a never-versioned path behind a version', get('/v2/health', '2'), unsupported(406, '2', [])],
    [
      'R26 the first of those that agree',
      get('/v9/cars', '9'),
      varying('x-version', unsupported(406, '9', ALL)),
    ],
    ['R5 a neutral path behind an unknown version', get('/v9/ping', '9'), unsupported(406, '9', [])],
  ])
})

describe('C1 URL, QUERY and HOST', () => {
  const rows: readonly Row[] = [
    ['GET', '/cars', '1', 'cars'],
    ['GET', '/cars', 'Beta', 'cars'],
  ]
  const app = serveSeveral(rows, [[URL], [QUERY], [HOST]])
  const known = ['1', 'Beta']
  const get = (url: string, host = 'localhost'): InjectOptions => ({ url, host })
  checkAll(app, [
    ['C1 all three say the same', get('/v1/cars?version=1', 'v1.example.com'), ok('cars@1')],
    [
      'R16 the label agrees in any case',
      get('/vBeta/cars?version=Beta', 'vbeta.example.com'),
      ok('cars@Beta'),
    ],
    ['R16 the label and the query', get('/cars?version=Beta', 'VBETA.example.com'), ok('cars@Beta')],
    [
      'V1 the query has its case',
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
      'C1 one of three differs: all are named, in the order of the schemes',
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
      'R26 unsupported has the status of its scheme',
      get('/cars', 'v7.example.com'),
      unsupported(404, '7', known),
    ],
  ])
})

describe('C1 equal versions in different spellings', () => {
  const rows: readonly Row[] = [
    ['GET', '/cars', '1', 'cars'],
    ['GET', '/cars', '2.0', 'cars'],
  ]
  const app = serveSeveral(rows, [[URL], [QUERY]], { format: 'semver' })
  const known = ['1', '2.0']
  checkAll(app, [
    ['C1 1 and 1.0', '/v1/cars?version=1.0', ok('cars@1')],
    ['C1 1.0.0 and 1', '/v1.0.0/cars?version=1', ok('cars@1')],
    ['C1 neither as declared', '/v2/cars?version=2.0.0', ok('cars@2.0')],
    ['C1 equal and unknown', '/v3/cars?version=3.0', unsupported(404, '3', known)],
    [
      'C1 different',
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
      'C1 malformed and well-formed: ambiguous, for both were said',
      '/v1/cars?version=one',
      contradicting(
        [
          { ...PATH, value: '1' },
          { ...PARAMETER, value: 'one' },
        ],
        known,
      ),
    ],
    ['R26 invalid has the status of its scheme', '/cars?version=one', invalid(400, 'one', known)],
  ])
})

describe('C1 Accept and one value', () => {
  const app = serveSeveral(ROUTES, [[HEADER], [QUERY]])
  const get = (url: string, accept: string): InjectOptions => ({ url, headers: { accept } })
  const vary = (answer: Answer): Answer => varying('accept', answer)
  checkAll(app, [
    [
      'R8 a list agrees with a version in it',
      get('/cars?version=1', 'a/b;version=2, a/b;version=1'),
      vary(ok('cars@1')),
    ],
    [
      'R8 the list alone: the most preferred',
      get('/cars', 'a/b;version=1;q=0.5, a/b;version=2'),
      vary(ok('cars@2')),
    ],
    [
      'R8 the list has no such version',
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
      'R26 what both name is unknown: the status of the one that names it alone',
      get('/cars?version=9', 'a/b;version=9, a/b;version=1'),
      vary(unsupported(404, '9', ALL)),
    ],
    [
      'R26 the list supplied it',
      get('/cars', 'a/b;version=8, a/b;version=9'),
      vary(unsupported(406, '8, 9', ALL)),
    ],
    ['A1 no version in Accept', get('/cars?version=1', '*/*'), vary(ok('cars@1'))],
  ])
})

describe('C1 two lists', () => {
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
      'R8 what they share, in the order of the first',
      get('a/b;version=2, a/b;version=1', '1 2'),
      vary(ok('cars@2')),
    ],
    ['R8 one that they share', get('a/b;version=2, a/b;version=1', '3 1'), vary(ok('cars@1'))],
    [
      'C1 nothing that they share',
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
    ['R8 an empty list is no version', get('a/b;version=2', ''), vary(ok('cars@2'))],
  ])
})

describe('C1 Accept and a custom header', () => {
  const app = serveSeveral(ROUTES, [[HEADER], [HEADER, { headerParameter: 'x-version' }]])
  const vary = (answer: Answer): Answer => varying('accept, x-version', answer)
  checkAll(app, [
    ['C3 both headers vary', '/cars', vary(unspecified(400, ALL))],
    ['C1 the second alone', { url: '/cars', headers: { 'x-version': '2' } }, vary(ok('cars@2'))],
    [
      'C1 they differ',
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

describe('C1 QUERY and an own scheme that takes its time', () => {
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
    ['R23 the account alone', get('/cars', '2'), vary(ok('cars@2'))],
    ['R23 neither', '/cars', vary(unspecified(400, ALL))],
    ['C1 they agree', get('/cars?version=1', '1'), vary(ok('cars@1'))],
    [
      'C1 they differ',
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
    ['R26 unsupported has the status of its scheme', get('/cars', '9'), vary(unsupported(410, '9', ALL))],
  ])
  it('R23 a scheme that fails is a mistake of the application', async () => {
    const { statusCode, body } = await app.inject(get('/cars?version=1', 'broken'))
    assert.deepEqual([statusCode, body.includes('secret')], [500, false])
  })
  it('R23 a scheme that fails at once beside one that fails later', async () => {
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

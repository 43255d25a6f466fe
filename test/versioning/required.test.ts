import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { VERSION_NEUTRAL, VersioningSchemes } from 'octavo'
import type { App } from 'octavo'

import {
  allowed,
  ask,
  notAllowed,
  notFound,
  ok,
  serve,
  serveSeveral,
  unspecified,
  unsupported,
  varying,
} from './support.ts'
import type { Answer, Row } from './support.ts'

const { HEADER, HOST, QUERY, URL } = VersioningSchemes

const ROUTES: readonly Row[] = [
  ['GET', '/cars', '1', 'cars'],
  ['POST', '/cars', '2', 'create'],
  ['PUT', '/cars', undefined, 'put'],
  ['DELETE', '/cars', VERSION_NEUTRAL, 'delete'],
  ['GET', '/cars/{id}', '1', 'car'],
  ['GET', '/cars/wanted', undefined, 'wanted'],
  ['GET', '/health', undefined, 'health'],
  ['GET', '/ping', VERSION_NEUTRAL, 'ping'],
]
const ALL = ['1', '2']
const EVERY = 'GET, HEAD, POST, PUT, DELETE, OPTIONS'

const same = (answer: Answer): Answer => answer
const PLACES: readonly (readonly [
  name: string,
  app: App,
  status: number,
  onVersioned: (answer: Answer) => Answer,
])[] = [
  ['QUERY', serve(ROUTES, QUERY, { required: true }), 400, same],
  ['URL', serve(ROUTES, URL, { required: true }), 404, same],
  ['HOST', serve(ROUTES, HOST, { required: true }), 404, same],
  ['HEADER', serve(ROUTES, HEADER, { required: true }), 400, (answer) => varying('accept', answer)],
  [
    'HEADER of its own',
    serve(ROUTES, HEADER, {
      required: true,
      headerParameter: 'x-version',
      statusCodes: { unspecified: 428 },
    }),
    428,
    (answer) => varying('x-version', answer),
  ],
  ['URL and QUERY', serveSeveral(ROUTES, [[URL], [QUERY]], { required: true }), 400, same],
]

describe('required: requests without version are refused at paths with versions', () => {
  for (const [name, app, status, onVersioned] of PLACES) {
    const refused = (supported: readonly string[]): Answer => onVersioned(unspecified(status, supported))
    const cases: readonly (readonly [title: string, method: string, url: string, expected: Answer])[] = [
      ['a versioned handler is refused', 'GET', '/cars', refused(ALL)],
      ['an unversioned handler of the same path is refused', 'PUT', '/cars', refused(ALL)],
      ['a neutral handler of the same path is refused', 'DELETE', '/cars', refused(ALL)],
      ['a path with a parameter is refused', 'GET', '/cars/7', refused(['1'])],
      ['an unversioned pattern of its own answers', 'GET', '/cars/wanted', onVersioned(ok('wanted@null'))],
      [
        'a method that no version has is a 405 with the methods of all versions',
        'PATCH',
        '/cars',
        onVersioned(notAllowed(EVERY)),
      ],
      [
        'the automatic OPTIONS lists the methods of all versions',
        'OPTIONS',
        '/cars',
        onVersioned(allowed(EVERY)),
      ],
      ['a never-versioned path answers', 'GET', '/health', ok('health@null')],
      ['a neutral-only path answers', 'GET', '/ping', ok('ping@null')],
      [
        'a never-versioned path answers 405 with its methods',
        'POST',
        '/health',
        notAllowed('GET, HEAD, OPTIONS'),
      ],
      ['a path that no version has is an ordinary 404', 'GET', '/planes', notFound],
    ]
    for (const [title, method, url, expected] of cases) {
      it(`${title} (${name})`, async () => assert.deepEqual(await ask(app, { method, url }), expected))
    }
    it(`HEAD is refused as GET is, without a body (${name})`, async () => {
      const seen = await ask(app, { method: 'HEAD', url: '/cars' })
      assert.deepEqual(seen, { ...refused(ALL), body: undefined })
    })
    it(`a preflight is answered without a version (${name})`, async () => {
      const headers = { origin: 'https://a.example', 'access-control-request-method': 'POST' }
      const { statusCode } = await app.inject({ method: 'OPTIONS', url: '/cars', headers })
      assert.equal(statusCode, 204)
    })
  }
})

describe('required: requests with a version are answered as ever', () => {
  const app = serve(ROUTES, QUERY, { required: true })
  const cases: readonly (readonly [title: string, method: string, url: string, expected: Answer])[] = [
    ['the version answers', 'GET', '/cars?version=1', ok('cars@1')],
    ['a neutral handler beside versioned ones answers', 'DELETE', '/cars?version=2', ok('delete@2')],
    [
      'an unversioned handler beside versioned ones answers no version',
      'PUT',
      '/cars?version=1',
      notAllowed('GET, HEAD, DELETE, OPTIONS'),
    ],
    ['an unknown version is unsupported', 'GET', '/cars?version=9', unsupported(404, '9', ALL)],
    ['an empty version is none', 'GET', '/cars?version=', unspecified(400, ALL)],
    [
      'OPTIONS lists the methods of the version',
      'OPTIONS',
      '/cars?version=2',
      allowed('POST, DELETE, OPTIONS'),
    ],
    ['a never-versioned path answers an unknown version', 'GET', '/health?version=9', ok('health@null')],
  ]
  for (const [title, method, url, expected] of cases) {
    it(title, async () => assert.deepEqual(await ask(app, { method, url }), expected))
  }
})

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

describe('R25 required: without a version', () => {
  for (const [name, app, status, onVersioned] of PLACES) {
    const refused = (supported: readonly string[]): Answer => onVersioned(unspecified(status, supported))
    const cases: readonly (readonly [title: string, method: string, url: string, expected: Answer])[] = [
      ['R25 a versioned handler', 'GET', '/cars', refused(ALL)],
      ['R25 an unversioned handler on the same path', 'PUT', '/cars', refused(ALL)],
      ['R25 a neutral handler on the same path', 'DELETE', '/cars', refused(ALL)],
      ['R25 a path with a parameter', 'GET', '/cars/7', refused(['1'])],
      ['R7 an unversioned pattern of its own answers', 'GET', '/cars/wanted', onVersioned(ok('wanted@null'))],
      ['M2 a method of no version: 405 with all', 'PATCH', '/cars', onVersioned(notAllowed(EVERY))],
      ['M4 automatic OPTIONS: all methods', 'OPTIONS', '/cars', onVersioned(allowed(EVERY))],
      ['P6 a never-versioned path answers', 'GET', '/health', ok('health@null')],
      ['P8 a neutral-only path answers', 'GET', '/ping', ok('ping@null')],
      ['M2 a never-versioned path: its methods', 'POST', '/health', notAllowed('GET, HEAD, OPTIONS')],
      ['2.3 nothing is served there', 'GET', '/planes', notFound],
    ]
    for (const [title, method, url, expected] of cases) {
      it(`${title} (${name})`, async () => assert.deepEqual(await ask(app, { method, url }), expected))
    }
    it(`M1 HEAD is refused as GET is, without a body (${name})`, async () => {
      const seen = await ask(app, { method: 'HEAD', url: '/cars' })
      assert.deepEqual(seen, { ...refused(ALL), body: undefined })
    })
    it(`M6 a preflight is answered without a version (${name})`, async () => {
      const headers = { origin: 'https://a.example', 'access-control-request-method': 'POST' }
      const { statusCode } = await app.inject({ method: 'OPTIONS', url: '/cars', headers })
      assert.equal(statusCode, 204)
    })
  }
})

describe('R25 required: with a version', () => {
  const app = serve(ROUTES, QUERY, { required: true })
  const cases: readonly (readonly [title: string, method: string, url: string, expected: Answer])[] = [
    ['R25 the version answers', 'GET', '/cars?version=1', ok('cars@1')],
    ['P8 neutral beside versioned', 'DELETE', '/cars?version=2', ok('delete@2')],
    [
      'P5 unversioned answers no version there',
      'PUT',
      '/cars?version=1',
      notAllowed('GET, HEAD, DELETE, OPTIONS'),
    ],
    ['2.3 an unknown version', 'GET', '/cars?version=9', unsupported(404, '9', ALL)],
    ['R25 an empty version is none', 'GET', '/cars?version=', unspecified(400, ALL)],
    ['M4 OPTIONS of the version', 'OPTIONS', '/cars?version=2', allowed('POST, DELETE, OPTIONS')],
    ['P6 a never-versioned path, an unknown version', 'GET', '/health?version=9', ok('health@null')],
  ]
  for (const [title, method, url, expected] of cases) {
    it(title, async () => assert.deepEqual(await ask(app, { method, url }), expected))
  }
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { VERSION_NEUTRAL, VersioningSchemes } from 'octavo'
import type { InjectOptions } from 'octavo'

import { allowed, ask, notAllowed, ok, serve, unspecified, unsupported, varying } from './support.ts'
import type { Answer, Row } from './support.ts'

const { HEADER, HOST, QUERY, URL } = VersioningSchemes

const ROUTES: readonly Row[] = [
  ['GET', '/cars', '1', 'list'],
  ['POST', '/cars', '2', 'create'],
  ['DELETE', '/cars', '2', 'clear'],
  ['HEAD', '/cars/{id}', '1', 'head'],
  ['GET', '/cars/{id}', ['1', '2'], 'car'],
  ['OPTIONS', '/cars/{id}', '2', 'options'],
  ['PATCH', '/new', '2', 'patch'],
  ['GET', '/health', undefined, 'health'],
  ['GET', '/ping', VERSION_NEUTRAL, 'ping'],
]

/** How each scheme asks for a version, with the status of an unsupported one and of none. */
const schemes = [
  {
    name: 'URL',
    app: serve(ROUTES, URL),
    to: (path: string, version: string | null): InjectOptions => ({
      url: version === null ? path : `/v${version}${path}`,
    }),
    statuses: [404, 404],
    wrap: (answer: Answer) => answer,
    unknownOnPlain: unsupported(404, '9', ['1', '2']),
  },
  {
    name: 'HEADER',
    app: serve(ROUTES, HEADER),
    to: (path: string, version: string | null): InjectOptions => ({
      url: path,
      headers: { accept: version === null ? '*/*' : `*/*; version=${version}` },
    }),
    statuses: [406, 400],
    wrap: (answer: Answer) => varying('accept', answer),
    unknownOnPlain: allowed('GET, HEAD, OPTIONS'),
  },
  {
    name: 'QUERY',
    app: serve(ROUTES, QUERY),
    to: (path: string, version: string | null): InjectOptions => ({
      url: version === null ? path : `${path}?version=${version}`,
    }),
    statuses: [404, 400],
    wrap: (answer: Answer) => answer,
    unknownOnPlain: allowed('GET, HEAD, OPTIONS'),
  },
  {
    name: 'HOST',
    app: serve(ROUTES, HOST),
    to: (path: string, version: string | null): InjectOptions => ({
      url: path,
      host: version === null ? 'localhost' : `v${version}.example.com`,
    }),
    statuses: [404, 404],
    wrap: (answer: Answer) => answer,
    unknownOnPlain: allowed('GET, HEAD, OPTIONS'),
  },
] as const

for (const { name, app, to, statuses, wrap, unknownOnPlain } of schemes) {
  const [noVersion, none] = statuses
  const headed = (answer: Answer): Answer => ({ ...answer, body: undefined })

  describe(`methods by version, ${name}`, () => {
    const cases: readonly (readonly [
      title: string,
      method: string,
      path: string,
      version: string | null,
      expected: Answer,
    ])[] = [
      ['HEAD answers from GET of the version', 'HEAD', '/cars', '1', wrap(headed(ok('')))],
      [
        'HEAD is a 405 in a version without GET',
        'HEAD',
        '/cars',
        '2',
        wrap(headed(notAllowed('POST, DELETE, OPTIONS'))),
      ],
      [
        'HEAD of an unknown version is unsupported',
        'HEAD',
        '/cars',
        '9',
        wrap(headed(unsupported(noVersion, '9', []))),
      ],
      ['HEAD without version is unspecified', 'HEAD', '/cars', null, wrap(headed(unspecified(none, [])))],
      ['405 has the methods of version 1', 'POST', '/cars', '1', wrap(notAllowed('GET, HEAD, OPTIONS'))],
      ['405 has the methods of version 2', 'GET', '/cars', '2', wrap(notAllowed('POST, DELETE, OPTIONS'))],
      [
        'a method that no version has is a 405',
        'PUT',
        '/cars',
        '2',
        wrap(notAllowed('POST, DELETE, OPTIONS')),
      ],
      [
        'a method that does not exist is a 405',
        'BREW',
        '/cars',
        '2',
        wrap(notAllowed('POST, DELETE, OPTIONS')),
      ],
      [
        'a path that the version lacks is unsupported',
        'PATCH',
        '/new',
        '1',
        wrap(unsupported(noVersion, '1', ['2'])),
      ],
      [
        'a path that the version lacks is unsupported whatever the method',
        'GET',
        '/new',
        '1',
        wrap(unsupported(noVersion, '1', ['2'])),
      ],
      [
        'a path that the version has is a 405 for another method',
        'GET',
        '/new',
        '2',
        wrap(notAllowed('PATCH, OPTIONS')),
      ],
      [
        'an unknown version is unsupported whatever the method',
        'PUT',
        '/new',
        '9',
        wrap(unsupported(noVersion, '9', ['2'])),
      ],
      [
        'OPTIONS lists the methods of version 1',
        'OPTIONS',
        '/cars',
        '1',
        wrap(allowed('GET, HEAD, OPTIONS')),
      ],
      [
        'OPTIONS lists the methods of version 2',
        'OPTIONS',
        '/cars',
        '2',
        wrap(allowed('POST, DELETE, OPTIONS')),
      ],
      [
        'OPTIONS without version lists the methods of all versions',
        'OPTIONS',
        '/cars',
        null,
        wrap(allowed('GET, HEAD, POST, DELETE, OPTIONS')),
      ],
      [
        'OPTIONS of an unknown version is unsupported',
        'OPTIONS',
        '/cars',
        '9',
        wrap(unsupported(noVersion, '9', ['1', '2'])),
      ],
      [
        'OPTIONS of a version without the path is unsupported',
        'OPTIONS',
        '/new',
        '1',
        wrap(unsupported(noVersion, '1', ['2'])),
      ],
      [
        'OPTIONS of a never-versioned path answers an unknown version',
        'OPTIONS',
        '/health',
        '9',
        unknownOnPlain,
      ],
      ['OPTIONS of a neutral path answers an unknown version', 'OPTIONS', '/ping', '9', unknownOnPlain],
      [
        'OPTIONS of a never-versioned path lists its methods',
        'OPTIONS',
        '/health',
        null,
        allowed('GET, HEAD, OPTIONS'),
      ],
      ['OPTIONS of a neutral path lists its methods', 'OPTIONS', '/ping', '2', allowed('GET, HEAD, OPTIONS')],
      ['a declared OPTIONS answers in its version', 'OPTIONS', '/cars/7', '2', wrap(ok('options@2'))],
      [
        'an OPTIONS of another version leaves the automatic one',
        'OPTIONS',
        '/cars/7',
        '1',
        wrap(allowed('GET, HEAD, OPTIONS')),
      ],
      [
        'without version, a method of some version is unspecified',
        'DELETE',
        '/cars',
        null,
        wrap(unspecified(none, ['1', '2'])),
      ],
      [
        'without version, a method that no version has is a 405',
        'PUT',
        '/cars',
        null,
        wrap(notAllowed('GET, HEAD, POST, DELETE, OPTIONS')),
      ],
    ]
    for (const [title, method, path, version, expected] of cases) {
      it(`${title}: ${method} ${path}`, async () => {
        assert.deepEqual(await ask(app, { method, ...to(path, version) }), expected)
      })
    }
    it('HEAD has the headers of GET', async () => {
      const get = await app.inject(to('/cars/7', '2'))
      const head = await app.inject({ method: 'HEAD', ...to('/cars/7', '2') })
      assert.deepEqual([head.headers, head.statusCode, head.body, head.version], [get.headers, 200, '', '2'])
    })
    it('HEAD has the headers of a version error', async () => {
      const get = await app.inject(to('/cars/7', '9'))
      const head = await app.inject({ method: 'HEAD', ...to('/cars/7', '9') })
      assert.deepEqual([head.headers, head.statusCode, head.body], [get.headers, get.statusCode, ''])
    })
    it('a declared HEAD of one version does not answer for the other', async () => {
      const routes = await Promise.all(
        ['1', '2'].map(
          async (version) => (await app.inject({ method: 'HEAD', ...to('/cars/7', version) })).route?.name,
        ),
      )
      assert.deepEqual(routes, ['api.r3', 'api.r4'])
    })
    it('OPTIONS * needs no version', async () => {
      assert.deepEqual(await ask(app, { method: 'OPTIONS', url: '*' }), { status: 204, body: undefined })
    })
    it('the answer tells the version', async () => {
      const asked = [to('/cars/7', '1'), to('/cars/7', '2'), to('/cars/7', '9'), to('/health', null)]
      const versions = await Promise.all(asked.map(async (request) => (await app.inject(request)).version))
      assert.deepEqual(versions, ['1', '2', null, null])
    })
  })
}

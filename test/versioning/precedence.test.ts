import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  createApp,
  defineController,
  defineModule,
  defineRouter,
  VERSION_NEUTRAL,
  VersioningSchemes,
} from 'octavo'

import { ask, notAllowed, ok, serve, unspecified, unsupported } from './support.ts'
import type { Answer, Row } from './support.ts'

const { QUERY, URL } = VersioningSchemes

/** What the versions answer at `/x`; the empty text asks without a version. */
async function answers(
  app: ReturnType<typeof serve>,
  versions: readonly string[],
  method = 'GET',
): Promise<unknown> {
  const asked = versions.map(async (version) => {
    const { status, body } = await ask(app, { method, url: version === '' ? '/x' : `/x?version=${version}` })
    return [version, status === 200 ? body : status]
  })
  return Object.fromEntries(await Promise.all(asked))
}

describe('precedence: who answers a version', () => {
  const versions = ['3', '2', '1']
  const cases: readonly (readonly [
    title: string,
    rows: readonly Row[],
    defaultVersion: string | null,
    expected: Readonly<Record<string, string | number>>,
  ])[] = [
    [
      'the version itself before ranges, ranges before unversioned, unversioned before neutral',
      [
        ['GET', '/x', VERSION_NEUTRAL, 'neutral'],
        ['GET', '/x', undefined, 'unversioned'],
        ['GET', '/x', '>=2', 'range'],
        ['GET', '/x', '3', 'exact'],
      ],
      null,
      { '': 'unversioned@null', 1: 'neutral@1', 2: 'range@2', 3: 'exact@3', 9: 404 },
    ],
    [
      'of several ranges, the one that begins latest first',
      [
        ['GET', '/x', '>=1', 'one'],
        ['GET', '/x', '>=2', 'two'],
      ],
      null,
      { '': 400, 1: 'one@1', 2: 'two@2', 3: 'two@3' },
    ],
    [
      'of ranges that begin together, the one that ends earliest',
      [
        ['GET', '/x', '>=1', 'open'],
        ['GET', '/x', '>=1 <3', 'narrow'],
      ],
      null,
      { '': 400, 1: 'narrow@1', 2: 'narrow@2', 3: 'open@3' },
    ],
    [
      'a range in two parts goes on above a version of another route',
      [
        ['GET', '/x', ['<2', '>2'], 'range'],
        ['GET', '/x', '2', 'exact'],
      ],
      null,
      { '': 400, 1: 'range@1', 2: 'exact@2', 3: 'range@3' },
    ],
    [
      'an unversioned route beside versioned ones answers requests without version only',
      [
        ['GET', '/x', undefined, 'unversioned'],
        ['GET', '/x', '1', 'one'],
      ],
      null,
      { '': 'unversioned@null', 1: 'one@1', 2: 404, 9: 404 },
    ],
    [
      'an unversioned route beside versioned ones answers for the default too',
      [
        ['GET', '/x', undefined, 'unversioned'],
        ['GET', '/x', '1', 'one'],
      ],
      '2',
      { '': 'unversioned@2', 1: 'one@1', 2: 'unversioned@2', 3: 404, 9: 404 },
    ],
    [
      'a never-versioned path answers any version or none',
      [['GET', '/x', undefined, 'unversioned']],
      null,
      { '': 'unversioned@null', 1: 'unversioned@1', 9: 'unversioned@null' },
    ],
    [
      'the default version itself before unversioned',
      [
        ['GET', '/x', undefined, 'unversioned'],
        ['GET', '/x', '2', 'two'],
      ],
      '2',
      { '': 'two@2', 1: 404, 2: 'two@2', 9: 404 },
    ],
    [
      'a neutral path answers any version or none',
      [['GET', '/x', VERSION_NEUTRAL, 'neutral']],
      null,
      { '': 'neutral@null', 1: 'neutral@1', 9: 'neutral@null' },
    ],
    [
      'a neutral route beside versioned ones answers known versions and none',
      [
        ['GET', '/x', VERSION_NEUTRAL, 'neutral'],
        ['GET', '/x', '1', 'one'],
      ],
      null,
      { '': 'neutral@null', 1: 'one@1', 2: 'neutral@2', 3: 'neutral@3', 9: 404 },
    ],
    [
      'a list with neutral and a version is exact for the version',
      [
        ['GET', '/x', [VERSION_NEUTRAL, '2'], 'both'],
        ['GET', '/x', '1', 'one'],
      ],
      null,
      { '': 'both@null', 1: 'one@1', 2: 'both@2', 3: 'both@3', 9: 404 },
    ],
    [
      'a list with neutral counts as versioned',
      [['GET', '/x', [VERSION_NEUTRAL, '2'], 'both']],
      null,
      { '': 'both@null', 1: 'both@1', 2: 'both@2', 9: 404 },
    ],
    [
      'a route that names the version comes before a neutral one',
      [
        ['GET', '/x', ['2'], 'two'],
        ['GET', '/x', VERSION_NEUTRAL, 'neutral'],
      ],
      '2',
      { '': 'two@2', 1: 'neutral@1', 2: 'two@2', 9: 404 },
    ],
    [
      'unversioned comes before neutral at a path without versions',
      [
        ['GET', '/x', VERSION_NEUTRAL, 'neutral'],
        ['GET', '/x', undefined, 'unversioned'],
      ],
      null,
      { '': 'unversioned@null', 1: 'unversioned@1', 9: 'unversioned@null' },
    ],
    [
      'a route answers each of its versions',
      [['GET', '/x', ['1', '3'], 'list']],
      '3',
      { '': 'list@3', 1: 'list@1', 2: 404, 3: 'list@3', 9: 404 },
    ],
  ]
  for (const [title, rows, defaultVersion, expected] of cases) {
    it(title, async () => {
      const app = serve(rows, QUERY, { versions, defaultVersion })
      assert.deepEqual(await answers(app, Object.keys(expected)), expected)
    })
    it(`${title} (declared the other way round)`, async () => {
      const app = serve(rows.toReversed(), QUERY, { versions, defaultVersion })
      assert.deepEqual(await answers(app, Object.keys(expected)), expected)
    })
  }
})

describe('precedence: who answers a version, by method', () => {
  const rows: readonly Row[] = [
    ['GET', '/x', '1', 'one'],
    ['POST', '/x', undefined, 'post'],
    ['PUT', '/x', VERSION_NEUTRAL, 'put'],
  ]
  const app = serve(rows, QUERY, { versions: ['2', '1'] })
  it('a versioned handler of any method makes the path versioned', async () => {
    assert.deepEqual(await answers(app, ['', '1', '2', '9'], 'POST'), {
      '': 'post@null',
      1: 405,
      2: 405,
      9: 404,
    })
  })
  it('a versioned handler of any method makes neutral ones refuse unknown versions', async () => {
    assert.deepEqual(await answers(app, ['', '1', '2', '9'], 'PUT'), {
      '': 'put@null',
      1: 'put@1',
      2: 'put@2',
      9: 404,
    })
  })
  it('a method of another version is unspecified without a version', async () => {
    assert.deepEqual(await ask(app, '/x'), unspecified(400, ['1']))
  })
  it('a method of another version is a 405', async () => {
    assert.deepEqual(
      [await ask(app, '/x?version=2'), await ask(app, { method: 'POST', url: '/x?version=1' })],
      [notAllowed('PUT, OPTIONS'), notAllowed('GET, HEAD, PUT, OPTIONS')],
    )
  })
})

describe('versions and path patterns', () => {
  it('a pattern is versioned by its own routes, not by those of a pattern that overlaps', async () => {
    const app = serve(
      [
        ['GET', '/cars/{id}', '1', 'car'],
        ['GET', '/cars/new', undefined, 'new'],
        ['DELETE', '/cars/new', undefined, 'remove'],
      ],
      QUERY,
    )
    assert.deepEqual(
      [
        await ask(app, '/cars/new?version=9'),
        await ask(app, '/cars/new'),
        await ask(app, '/cars/7?version=9'),
        await ask(app, { method: 'PUT', url: '/cars/new?version=1&version=2' }).then(({ status }) => status),
        await ask(app, { method: 'PUT', url: '/cars/new?version=9' }),
      ],
      [
        ok('new@null'),
        ok('new@null'),
        unsupported(404, '9', ['1']),
        400,
        notAllowed('GET, HEAD, DELETE, OPTIONS'),
      ],
    )
  })
  it('a literal of one version does not shadow a parameter of another', async () => {
    const app = serve(
      [
        ['GET', '/users/me', '1', 'me'],
        ['GET', '/users/{id}', '2', 'user'],
        ['GET', '/users/{id:int}', '3', 'number'],
      ],
      URL,
    )
    assert.deepEqual(
      [
        await ask(app, '/v1/users/me'),
        await ask(app, '/v2/users/me'),
        await ask(app, '/v3/users/me'),
        await ask(app, '/v3/users/7'),
        await ask(app, '/v1/users/7'),
      ],
      [
        ok('me@1'),
        ok('user@2'),
        unsupported(404, '3', ['1', '2']),
        ok('number@3'),
        unsupported(404, '1', ['2', '3']),
      ],
    )
  })
  it('a literal of the asked version before its parameter, whatever other versions have', async () => {
    const app = serve(
      [
        ['GET', '/a/{b}', ['1', '2'], 'parameter'],
        ['GET', '/a/b', '2', 'literal'],
      ],
      QUERY,
    )
    assert.deepEqual(
      [await ask(app, '/a/b?version=1'), await ask(app, '/a/b?version=2')],
      [ok('parameter@1'), ok('literal@2')],
    )
  })
})

describe('the version of a route is that of the nearest level', () => {
  const handler = (_input: object, { version }: { readonly version: string | null }): string => `@${version}`
  const controller = defineController({
    prefix: '/c',
    version: '1',
    routes: [
      { method: 'GET', path: '/own', name: 'own', version: ['2', '3'], handler },
      { method: 'GET', path: '/inherited', name: 'inherited', handler },
      { method: 'GET', path: '/neutral', name: 'neutral', version: VERSION_NEUTRAL, handler },
    ],
  })
  const bare = defineController({
    prefix: '/b',
    routes: [{ method: 'GET', path: '/module', name: 'module', handler }],
  })
  const nested = defineRouter({
    prefix: '/r',
    version: '5',
    routers: [
      defineRouter({ prefix: '/inner', routes: [{ method: 'GET', path: '/x', name: 'x', handler }] }),
      defineRouter({
        prefix: '/other',
        version: '6',
        routes: [{ method: 'GET', path: '/y', name: 'y', handler }],
      }),
    ],
  })
  const app = createApp(defineModule({ version: '4', controllers: [controller, bare], routers: [nested] }), {
    logger: false,
  })
  app.enableVersioning(QUERY)
  const cases: readonly (readonly [title: string, path: string, served: readonly string[]])[] = [
    ['a controller gives its version', '/c/inherited', ['1']],
    ['a route replaces the version of its controller', '/c/own', ['2', '3']],
    ['a route replaces it with a list that has neutral', '/c/neutral', ['1', '2', '3', '4', '5', '6']],
    ['a module gives its version', '/b/module', ['4']],
    ['a nested router inherits', '/r/inner/x', ['5']],
    ['a nested router replaces', '/r/other/y', ['6']],
  ]
  for (const [title, path, served] of cases) {
    it(title, async () => {
      const all = ['1', '2', '3', '4', '5', '6', '7']
      const found: Answer['body'][] = []
      for (const version of all) {
        const { status, body } = await ask(app, `${path}?version=${version}`)
        if (status === 200 && body === `@${version}`) found.push(version)
      }
      assert.deepEqual(found, served)
    })
  }
})

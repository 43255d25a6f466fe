import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineController, DefinitionError, VersioningSchemes } from 'octavo'
import type { InjectOptions, VersioningOptions, VersioningScheme, VersionSpec } from 'octavo'

import { serve } from '../support/serve.ts'

const { HEADER, HOST, QUERY, URL } = VersioningSchemes

/** The controller that the facts are about: versions on it, on its routes, and on neither. */
const car = defineController({
  prefix: '/car',
  version: '1',
  routes: [
    { method: 'GET', handler: (_input, { version }) => `first in ${version}` },
    { method: 'GET', path: '/inherits', handler: (_input, { version }) => `inherits in ${version}` },
    { method: 'GET', version: '2', name: 'second', handler: (_input, { version }) => `second in ${version}` },
    {
      method: 'GET',
      path: '/both',
      version: ['1', '3'],
      handler: (_input, { version }) => [version, typeof version],
    },
  ],
})
const wheel = defineController({
  prefix: '/wheel',
  version: ['1', '2'],
  routes: [{ method: 'GET', handler: (_input, { version }) => `wheel in ${version}` }],
})

function serveCars<O extends object>(scheme: VersioningScheme<O>, options?: O & VersioningOptions) {
  const app = serve([car, wheel])
  app.enableVersioning(scheme, options)
  return async (request: string | InjectOptions): Promise<unknown> => {
    const response = await app.inject(request)
    return response.statusCode === 200 ? response.json() : response.statusCode
  }
}

describe('rules that the source document fixes', () => {
  it('every scheme is enabled by a call, with its arguments', async () => {
    const defaultVersion = '1'
    const url = serveCars(URL, { versionParameter: 'ver', defaultVersion })
    const header = serveCars(HEADER, { versionParameter: 'ver', headerParameter: 'X-Ver', defaultVersion })
    const accept = serveCars(HEADER, { versionParameter: 'ver', headerParameter: 'accept', defaultVersion })
    const query = serveCars(QUERY, { versionParameter: 'ver', defaultVersion })
    const host = serveCars(HOST, { versionParameter: 'ver', defaultVersion })
    assert.deepEqual(
      await Promise.all([
        url('/ver2/car/'),
        header({ url: '/car/', headers: { 'x-ver': 'ver=2;' } }),
        accept({ url: '/car/', headers: { accept: 'a/b; ver=2' } }),
        query('/car/?ver=2'),
        host({ url: '/car/', host: 'ver2.example.com' }),
        ...[url, header, accept, query, host].map((ask) => ask('/car/')),
      ]),
      [...Array.from({ length: 5 }, () => 'second in 2'), ...Array.from({ length: 5 }, () => 'first in 1')],
    )
  })

  it('URL: the version is the first segment', async () => {
    const ask = serveCars(URL, { versionParameter: 'v' })
    assert.deepEqual(
      [await ask('/v1/car/'), await ask('/v2/car/'), await ask('/v3/car/both'), await ask('/v4/car/')],
      ['first in 1', 'second in 2', ['3', 'string'], 404],
    )
  })

  it('HEADER with accept: a parameter of any media type', async () => {
    const ask = serveCars(HEADER, { headerParameter: 'accept', versionParameter: 'version' })
    const types = ['application/json', 'text/html', '*/*', 'application/vnd.any+xml']
    const answers = types.map((type) => ask({ url: '/car/', headers: { accept: `${type}; version=2` } }))
    assert.deepEqual(await Promise.all(answers), ['second in 2', 'second in 2', 'second in 2', 'second in 2'])
  })

  it('HEADER with a header of its own: with or without the semicolon', async () => {
    const ask = serveCars(HEADER, { headerParameter: 'x-custom-header', versionParameter: 'version_header' })
    const values = ['version_header=2', 'version_header=2;']
    const answers = values.map((value) => ask({ url: '/car/', headers: { 'X-Custom-Header': value } }))
    assert.deepEqual(await Promise.all(answers), ['second in 2', 'second in 2'])
  })

  it('QUERY: the parameter', async () => {
    assert.equal(await serveCars(QUERY, { versionParameter: 'version' })('/car/?version=2'), 'second in 2')
  })

  it('HOST: the first of three labels, and no other host names', async () => {
    const ask = serveCars(HOST, { versionParameter: 'v', defaultVersion: '1' })
    const hosts = [
      'v2.example.com',
      'example.com',
      'v2.my.example.com',
      'v2.my-example.com',
      'localhost:3000',
    ]
    assert.deepEqual(await Promise.all(hosts.map((host) => ask({ url: '/car/', host }))), [
      'second in 2',
      ...Array.from({ length: 4 }, () => 'first in 1'),
    ])
  })

  it('no version in the request is the default version', async () => {
    const schemes = [URL, HEADER, QUERY, HOST].map((scheme) =>
      serveCars<object>(scheme, { defaultVersion: '2' }),
    )
    const without = [URL, HEADER, QUERY, HOST].map((scheme) =>
      serveCars<object>(scheme, { defaultVersion: null }),
    )
    assert.deepEqual(await Promise.all([...schemes, ...without].map((ask) => ask('/car/'))), [
      ...Array.from({ length: 4 }, () => 'second in 2'),
      404,
      400,
      400,
      404,
    ])
  })

  it('a version on a controller is the version of all its routes', async () => {
    const ask = serveCars(URL)
    assert.deepEqual(
      [await ask('/v1/car/'), await ask('/v1/car/inherits'), await ask('/v2/car/inherits')],
      ['first in 1', 'inherits in 1', 404],
    )
  })

  it('a version on a route replaces that of the controller', async () => {
    const ask = serveCars(URL)
    // the second route is none of version 1, where the first one answers
    assert.deepEqual(
      [await ask('/v1/car/'), await ask('/v2/car/'), await ask('/v2/car/both'), await ask('/v3/car/both')],
      ['first in 1', 'second in 2', 404, ['3', 'string']],
    )
  })

  it('several versions: answers for each of them', async () => {
    const ask = serveCars(QUERY)
    const versions = [1, 2, 3]
    assert.deepEqual(
      await Promise.all([
        ...versions.map((version) => ask(`/wheel/?version=${version}`)),
        ...versions.map((version) => ask(`/car/both?version=${version}`)),
      ]),
      ['wheel in 1', 'wheel in 2', 404, ['1', 'string'], 404, ['3', 'string']],
    )
  })

  it('one method and path in several versions: that of the request answers', async () => {
    const ask = serveCars(QUERY)
    assert.deepEqual(
      [await ask('/car/?version=1'), await ask('/car/?version=2')],
      ['first in 1', 'second in 2'],
    )
  })

  it('versions are strings', async () => {
    const ask = serveCars(QUERY)
    const asked = ['1', '1.0', '01', '1 '].map((version) => ask({ url: '/car/both', query: { version } }))
    assert.deepEqual(await Promise.all(asked), [['1', 'string'], 404, 404, 404])
    const number = (): unknown =>
      serve(
        defineController({
          prefix: '/x',
          // as programs without types may do
          version: 1 as unknown as VersionSpec,
          routes: [{ method: 'GET', handler: () => 1 }],
        }),
      )
    assert.throws(number, (error: unknown) => {
      assert.ok(error instanceof DefinitionError)
      assert.deepEqual(
        error.errors.map(({ code }) => code),
        ['invalid_field'],
      )
      return true
    })
  })

  it('a path is the prefix and the path of the route, or the prefix alone when there is none', async () => {
    const ask = serveCars(QUERY, { defaultVersion: '1' })
    const app = serve([car, wheel])
    app.enableVersioning(QUERY)
    assert.deepEqual(
      [await ask('/car/'), await ask('/car/inherits'), await ask('/inherits')],
      ['first in 1', 'inherits in 1', 404],
    )
    assert.deepEqual(
      app.routes().map(({ path }) => path),
      ['/car', '/car/inherits', '/car', '/car/both', '/wheel'],
    )
  })
})

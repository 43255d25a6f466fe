import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { VersioningSchemes } from 'octavo'

import { allowed, ask, CARS, invalid, malformed, notAllowed, notFound, ok, serve } from './support.ts'
import { unspecified, unsupported } from './support.ts'
import type { Answer, Row } from './support.ts'

const { HOST } = VersioningSchemes

const ROUTES: readonly Row[] = [...CARS, ['GET', '/cars', '10', 'cars'], ['GET', '/cars', 'Beta', 'cars']]
const ALL = ['1', '2', '10', 'Beta']
const missing = unspecified(404, ALL)
const severalHosts = malformed('The request has several Host headers')
const noHost = malformed('The Host header is not a host')
const unknown = (requested: string): Answer => unsupported(404, requested, ALL)

describe('HOST: the version is the first of three labels', () => {
  const app = serve(ROUTES, HOST)
  const cases: readonly (readonly [title: string, host: string, expected: Answer])[] = [
    ['the first of three labels', 'v1.example.com', ok('cars@1')],
    ['the prefix is taken off', 'v10.example.com', ok('cars@10')],
    ['a label without the prefix is the version', '2.example.com', ok('cars@2')],
    ['a label with another prefix is an unknown version', 'b1.example.com', unknown('b1')],
    ['the prefix is taken off once', 'vv1.example.com', unknown('v1')],
    ['the prefix alone is an unknown version', 'v.example.com', unknown('v')],
    ['a common label is an unknown version', 'api.example.com', unknown('api')],
    ['a port does not count', 'v1.example.com:8080', ok('cars@1')],
    ['an empty port does not count', 'v1.example.com:', ok('cars@1')],
    ['a trailing dot does not count', 'v1.example.com.', ok('cars@1')],
    ['a trailing dot and a port do not count', 'v1.example.com.:8080', ok('cars@1')],
    ['host names match in any case', 'V1.Example.COM:8080', ok('cars@1')],
    ['the label matches in any case', 'vbETA.example.com', ok('cars@Beta')],
    ['the label matches in capitals', 'VBETA.example.com', ok('cars@Beta')],
    ['an IPv6 address is no version', '[::1]:3000', missing],
    ['an IPv6 address without port is no version', '[::1]', missing],
    ['an IPv4 address is no version', '127.0.0.1:3000', missing],
    ['one label is no version', 'localhost', missing],
    ['two labels are no version', 'example.com', missing],
    ['four labels are no version', 'v1.api.example.com', missing],
    ['a label with a dash is no version', 'v-1.example.com', missing],
    ['a dash in another label is no version', 'v1.my-site.com', missing],
    ['a label with an underscore is no version', 'v_1.example.com', missing],
    ['two trailing dots are no version', 'v1.example.com..', missing],
    ['a leading dot is no version', '.v1.example.com', missing],
    ['an empty host is no version', '', missing],
    ['letters of other scripts', 'v\u00b9.example.com', noHost],
    ['user information', 'v1@v2.example.com', noHost],
    ['__proto__', '__proto__.example.com', missing],
    ['constructor', 'constructor.example.com', unknown('constructor')],
    ['toString', 'toString.example.com', unknown('tostring')],
    [
      '5,000 characters are cut to 64 in the answer',
      `v${'9'.repeat(5000)}.example.com`,
      unknown('9'.repeat(64)),
    ],
    ['many dots', '.'.repeat(5000), missing],
    ['many colons', ':'.repeat(5000), noHost],
  ]
  for (const [title, host, expected] of cases) {
    it(`${title}: ${host.slice(0, 40)}`, async () =>
      assert.deepEqual(await ask(app, { url: '/cars', host }), expected))
  }
})

describe('HOST: the authority of the request counts', () => {
  const app = serve(ROUTES, HOST)
  it('an absolute-form target beats Host', async () => {
    const request = { url: 'http://v2.example.com/cars', host: 'v1.example.com' }
    assert.deepEqual(await ask(app, request), ok('cars@2'))
  })
  it('an absolute-form target with a port', async () => {
    assert.deepEqual(await ask(app, 'https://V2.example.com:8443/cars?a=1'), ok('cars@2'))
  })
  it('an absolute-form target without version beats Host', async () => {
    assert.deepEqual(await ask(app, { url: 'http://example.com/cars', host: 'v1.example.com' }), missing)
  })
  it('two Host lines that differ', async () => {
    const headers = { host: ['v1.example.com', 'v2.example.com'] }
    assert.deepEqual(await ask(app, { url: '/cars', headers }), severalHosts)
  })
  it('two Host lines that are the same', async () => {
    const headers = { host: ['v1.example.com', 'v1.example.com'] }
    assert.deepEqual(await ask(app, { url: '/cars', headers }), severalHosts)
  })
  it('two Host lines on a never-versioned path', async () => {
    const headers = { host: ['v1.example.com', 'v2.example.com'] }
    assert.deepEqual(
      [await ask(app, { url: '/health', headers }), await ask(app, { url: '/planes', headers })],
      [severalHosts, severalHosts],
    )
  })
  it('X-Forwarded-Host counts under trustProxy only', async () => {
    const trusting = serve(ROUTES, HOST, {}, { trustProxy: 1 })
    const request = {
      url: '/cars',
      host: 'v1.example.com',
      headers: { 'x-forwarded-host': 'v9.example.com, v2.example.com' },
    }
    assert.deepEqual([await ask(app, request), await ask(trusting, request)], [ok('cars@1'), ok('cars@2')])
  })
})

describe('HOST: other paths and methods', () => {
  const app = serve(ROUTES, HOST)
  const cases: readonly (readonly [title: string, method: string, url: string, host: string, Answer])[] = [
    ['a path that no version has is an ordinary 404', 'GET', '/planes', 'v9.example.com', notFound],
    [
      'without version, a method that no version has is a 405',
      'PUT',
      '/cars',
      'localhost',
      notAllowed('GET, HEAD, POST, OPTIONS'),
    ],
    [
      'a method that the version lacks is a 405',
      'POST',
      '/cars',
      'v1.example.com',
      notAllowed('GET, HEAD, OPTIONS'),
    ],
    [
      'a never-versioned path answers an unknown version',
      'GET',
      '/health',
      'www.example.com',
      ok('health@null'),
    ],
    ['a never-versioned path answers a known version', 'GET', '/health', 'v1.example.com', ok('health@1')],
    ['a neutral path answers an unknown version', 'GET', '/ping', 'www.example.com', ok('ping@null')],
    [
      'a never-versioned path has only 405 for an unknown version',
      'PUT',
      '/health',
      'www.example.com',
      notAllowed('GET, HEAD, OPTIONS'),
    ],
    [
      'OPTIONS of a never-versioned path answers an unknown version',
      'OPTIONS',
      '/health',
      'www.example.com',
      allowed('GET, HEAD, OPTIONS'),
    ],
    ['OPTIONS with an unknown version is unsupported', 'OPTIONS', '/cars', 'v9.example.com', unknown('9')],
    [
      'OPTIONS lists the methods of the version',
      'OPTIONS',
      '/cars',
      'v1.example.com',
      allowed('GET, HEAD, OPTIONS'),
    ],
  ]
  for (const [title, method, url, host, expected] of cases) {
    it(`${title}: ${method} ${host}${url}`, async () => {
      assert.deepEqual(await ask(app, { method, url, host }), expected)
    })
  }
})

describe('HOST: options', () => {
  it('versionParameter is the prefix of the label', async () => {
    const app = serve(ROUTES, HOST, { versionParameter: 'B' })
    assert.deepEqual(
      [
        await ask(app, { url: '/cars', host: 'b1.example.com' }),
        await ask(app, { url: '/cars', host: 'v1.example.com' }),
      ],
      [ok('cars@1'), unknown('v1')],
    )
  })
  it('ignoreLabels are no versions', async () => {
    const app = serve(ROUTES, HOST, { ignoreLabels: ['WWW', 'api'], defaultVersion: '2' })
    assert.deepEqual(
      [
        await ask(app, { url: '/cars', host: 'www.example.com' }),
        await ask(app, { url: '/cars', host: 'API.example.com' }),
        await ask(app, { url: '/cars', host: 'v1.example.com' }),
        await ask(app, { url: '/cars', host: 'cdn.example.com' }),
      ],
      [ok('cars@2'), ok('cars@2'), ok('cars@1'), unknown('cdn')],
    )
  })
  const patterns = [
    ['the first group', /^(v[a-z0-9]+)\.api\.example\.co\.uk$/],
    ['the group "version"', /^([a-z]+-)?(?<version>v\d+)\.api\.example\.co\.uk$/],
    ['flags that keep a place', /^(v[a-z0-9]+)\.api\.example\.co\.uk$/gy],
  ] as const
  for (const [title, hostPattern] of patterns) {
    it(`hostPattern: ${title}`, async () => {
      const app = serve(ROUTES, HOST, { hostPattern })
      const hosts = ['v1.api.example.co.uk', 'v2.api.example.co.uk:80', 'v1.example.com']
      const answers = await Promise.all(hosts.map((host) => ask(app, { url: '/cars', host })))
      assert.deepEqual(answers, [ok('cars@1'), ok('cars@2'), missing])
    })
  }
  it('inject({ version }) refuses a host in which the pattern does not find that version', async () => {
    const app = serve(ROUTES, HOST, { hostPattern: /^api\.(v[a-z0-9]+)\.example\.com$/ })
    await assert.rejects(async () => app.inject({ url: '/cars', version: '1', host: 'api.v2.example.com' }), {
      name: 'TypeError',
      message:
        'The hostPattern of the scheme HOST does not find version 1 in v1.v2.example.com; give the host alone',
    })
    assert.deepEqual(await ask(app, { url: '/cars', host: 'api.v2.example.com' }), ok('cars@2'))
  })
  it('a version that the format refuses is 404 here', async () => {
    const app = serve(ROUTES.slice(0, -1), HOST, { format: 'integer' })
    assert.deepEqual(
      [
        await ask(app, { url: '/cars', host: 'vx.example.com' }),
        await ask(app, { url: '/cars', host: 'v01.example.com' }),
        await ask(app, { url: '/cars', host: 'v9.example.com' }),
      ],
      [invalid(404, 'x', ['1', '2', '10']), ok('cars@1'), unsupported(404, '9', ['1', '2', '10'])],
    )
  })
  it('inject({ version }) writes the label', async () => {
    const app = serve(ROUTES, HOST)
    assert.deepEqual(
      [
        await ask(app, { url: '/cars', version: '1' }),
        await ask(app, { url: '/cars', version: 'Beta', host: 'example.com:80' }),
        await ask(app, { url: '/cars', version: '10', host: 'www.example.com' }),
      ],
      [ok('cars@1'), ok('cars@Beta'), ok('cars@10')],
    )
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { VERSION_NEUTRAL, VersioningSchemes } from 'octavo'

import { allowed, ask, invalid, malformed, notAllowed, notFound, ok, serve } from './support.ts'
import { unspecified, unsupported } from './support.ts'
import type { Answer, Row } from './support.ts'

const { HOST } = VersioningSchemes

const ROUTES: readonly Row[] = [
  ['GET', '/cars', '1', 'cars'],
  ['GET', '/cars', '2', 'cars'],
  ['GET', '/cars', '10', 'cars'],
  ['GET', '/cars', 'Beta', 'cars'],
  ['POST', '/cars', '2', 'create'],
  ['GET', '/health', undefined, 'health'],
  ['GET', '/ping', VERSION_NEUTRAL, 'ping'],
]
const ALL = ['1', '2', '10', 'Beta']
const missing = unspecified(404, ALL)
const severalHosts = malformed('The request has several Host headers')
const noHost = malformed('The Host header is not a host')
const unknown = (requested: string): Answer => unsupported(404, requested, ALL)

describe('HOST: where the version is found', () => {
  const app = serve(ROUTES, HOST)
  const cases: readonly (readonly [title: string, host: string, expected: Answer])[] = [
    ['S6 the first of three labels', 'v1.example.com', ok('cars@1')],
    ['O4 the parameter once', 'v10.example.com', ok('cars@10')],
    ['O4 a label without the parameter', '2.example.com', ok('cars@2')],
    ['O4 a label that is no version', 'b1.example.com', unknown('b1')],
    ['O4 the parameter twice', 'vv1.example.com', unknown('v1')],
    ['O4 the parameter alone', 'v.example.com', unknown('v')],
    ['O5 a common label', 'api.example.com', unknown('api')],
    ['O2 a port', 'v1.example.com:8080', ok('cars@1')],
    ['O2 an empty port', 'v1.example.com:', ok('cars@1')],
    ['O2 a trailing dot', 'v1.example.com.', ok('cars@1')],
    ['O2 a trailing dot and a port', 'v1.example.com.:8080', ok('cars@1')],
    ['O2 capitals', 'V1.Example.COM:8080', ok('cars@1')],
    ['R16 the label in any case', 'vbETA.example.com', ok('cars@Beta')],
    ['R16 the label in capitals', 'VBETA.example.com', ok('cars@Beta')],
    ['O3 IPv6', '[::1]:3000', missing],
    ['O3 IPv6 without port', '[::1]', missing],
    ['O3 IPv4', '127.0.0.1:3000', missing],
    ['O3 one label', 'localhost', missing],
    ['O3 two labels', 'example.com', missing],
    ['O3 four labels', 'v1.api.example.com', missing],
    ['O3 a dash', 'v-1.example.com', missing],
    ['O3 a dash in another label', 'v1.my-site.com', missing],
    ['O3 an underscore', 'v_1.example.com', missing],
    ['O3 two trailing dots', 'v1.example.com..', missing],
    ['O3 a leading dot', '.v1.example.com', missing],
    ['O3 an empty host', '', missing],
    ['O3 letters of other scripts', 'v\u00b9.example.com', noHost],
    ['O3 user information', 'v1@v2.example.com', noHost],
    ['2.2.4 __proto__', '__proto__.example.com', missing],
    ['2.2.4 constructor', 'constructor.example.com', unknown('constructor')],
    ['2.2.4 toString', 'toString.example.com', unknown('tostring')],
    ['R36 5,000 characters', `v${'9'.repeat(5000)}.example.com`, unknown('9'.repeat(64))],
    ['R36 many dots', '.'.repeat(5000), missing],
    ['R36 many colons', ':'.repeat(5000), noHost],
  ]
  for (const [title, host, expected] of cases) {
    it(`${title}: ${host.slice(0, 40)}`, async () =>
      assert.deepEqual(await ask(app, { url: '/cars', host }), expected))
  }
})

describe('HOST: the authority', () => {
  const app = serve(ROUTES, HOST)
  it('O1 an absolute-form target beats Host', async () => {
    const request = { url: 'http://v2.example.com/cars', host: 'v1.example.com' }
    assert.deepEqual(await ask(app, request), ok('cars@2'))
  })
  it('O1 an absolute-form target with a port', async () => {
    assert.deepEqual(await ask(app, 'https://V2.example.com:8443/cars?a=1'), ok('cars@2'))
  })
  it('O1 an absolute-form target without version beats Host', async () => {
    assert.deepEqual(await ask(app, { url: 'http://example.com/cars', host: 'v1.example.com' }), missing)
  })
  it('O6 two Host lines that differ', async () => {
    const headers = { host: ['v1.example.com', 'v2.example.com'] }
    assert.deepEqual(await ask(app, { url: '/cars', headers }), severalHosts)
  })
  it('O6 two Host lines that are the same', async () => {
    const headers = { host: ['v1.example.com', 'v1.example.com'] }
    assert.deepEqual(await ask(app, { url: '/cars', headers }), severalHosts)
  })
  it('P6 two Host lines on a never-versioned path', async () => {
    const headers = { host: ['v1.example.com', 'v2.example.com'] }
    assert.deepEqual(
      [await ask(app, { url: '/health', headers }), await ask(app, { url: '/planes', headers })],
      [severalHosts, severalHosts],
    )
  })
  it('O7 X-Forwarded-Host counts under trustProxy only', async () => {
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
    ['2.3 a: nowhere', 'GET', '/planes', 'v9.example.com', notFound],
    [
      '2.3 d: none, a method of no version',
      'PUT',
      '/cars',
      'localhost',
      notAllowed('GET, HEAD, POST, OPTIONS'),
    ],
    ['2.3 e: another method', 'POST', '/cars', 'v1.example.com', notAllowed('GET, HEAD, OPTIONS')],
    ['P6 never versioned, unknown', 'GET', '/health', 'www.example.com', ok('health@null')],
    ['P6 never versioned, known', 'GET', '/health', 'v1.example.com', ok('health@1')],
    ['P8 neutral only, unknown', 'GET', '/ping', 'www.example.com', ok('ping@null')],
    [
      'R6 never versioned, another method',
      'PUT',
      '/health',
      'www.example.com',
      notAllowed('GET, HEAD, OPTIONS'),
    ],
    [
      'R31 OPTIONS never versioned, unknown',
      'OPTIONS',
      '/health',
      'www.example.com',
      allowed('GET, HEAD, OPTIONS'),
    ],
    ['R10 OPTIONS, unknown', 'OPTIONS', '/cars', 'v9.example.com', unknown('9')],
    ['R10 OPTIONS, known', 'OPTIONS', '/cars', 'v1.example.com', allowed('GET, HEAD, OPTIONS')],
  ]
  for (const [title, method, url, host, expected] of cases) {
    it(`${title}: ${method} ${host}${url}`, async () => {
      assert.deepEqual(await ask(app, { method, url, host }), expected)
    })
  }
})

describe('HOST: options', () => {
  it('O4 versionParameter', async () => {
    const app = serve(ROUTES, HOST, { versionParameter: 'B' })
    assert.deepEqual(
      [
        await ask(app, { url: '/cars', host: 'b1.example.com' }),
        await ask(app, { url: '/cars', host: 'v1.example.com' }),
      ],
      [ok('cars@1'), unknown('v1')],
    )
  })
  it('O5 ignoreLabels are no versions', async () => {
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
    it(`O8 hostPattern: ${title}`, async () => {
      const app = serve(ROUTES, HOST, { hostPattern })
      const hosts = ['v1.api.example.co.uk', 'v2.api.example.co.uk:80', 'v1.example.com']
      const answers = await Promise.all(hosts.map((host) => ask(app, { url: '/cars', host })))
      assert.deepEqual(answers, [ok('cars@1'), ok('cars@2'), missing])
    })
  }
  it('O8 inject({ version }) refuses a host in which the pattern does not find that version', async () => {
    const app = serve(ROUTES, HOST, { hostPattern: /^api\.(v[a-z0-9]+)\.example\.com$/ })
    await assert.rejects(async () => app.inject({ url: '/cars', version: '1', host: 'api.v2.example.com' }), {
      name: 'TypeError',
      message:
        'The hostPattern of the scheme HOST does not find version 1 in v1.v2.example.com; give the host and no version',
    })
    assert.deepEqual(await ask(app, { url: '/cars', host: 'api.v2.example.com' }), ok('cars@2'))
  })
  it('2.3 c: a version that the format refuses is 404 here', async () => {
    const app = serve(ROUTES.slice(0, 3), HOST, { format: 'integer' })
    assert.deepEqual(
      [
        await ask(app, { url: '/cars', host: 'vx.example.com' }),
        await ask(app, { url: '/cars', host: 'v01.example.com' }),
        await ask(app, { url: '/cars', host: 'v9.example.com' }),
      ],
      [invalid(404, 'x', ['1', '2', '10']), ok('cars@1'), unsupported(404, '9', ['1', '2', '10'])],
    )
  })
  it('api 10: inject({ version }) writes the label', async () => {
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

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { html, text } from 'octavo'
import { securityHeaders } from 'octavo/middleware'
import type { InjectOptions } from 'octavo'
import type { SecurityHeadersOptions } from 'octavo/middleware'

import { serve } from '../support/serve.ts'

/** The headers that the middleware adds. */
async function ask(
  options?: SecurityHeadersOptions,
  request: InjectOptions = { url: '/' },
): Promise<Readonly<Record<string, unknown>>> {
  const middleware = [securityHeaders(options)]
  const app = serve(
    [
      { method: 'GET', handler: () => ['Ford'] },
      { method: 'GET', path: '/page', handler: () => html('<h1>Cars</h1>') },
      {
        method: 'GET',
        path: '/xhtml',
        handler: () => text('<p/>', { headers: { 'content-type': 'application/xhtml+xml' } }),
      },
      {
        method: 'GET',
        path: '/svg',
        handler: () => text('<svg/>', { headers: { 'content-type': 'image/svg+xml' } }),
      },
      {
        method: 'GET',
        path: '/own',
        handler: (_input, { response }) => {
          response.headers.set('X-Frame-Options', 'DENY')
          return text('own', { headers: { 'Content-Security-Policy': "default-src 'nonce-a'" } })
        },
      },
      {
        method: 'GET',
        path: '/fails',
        handler: () => {
          throw new Error('broken')
        },
      },
    ],
    { trustProxy: 1, middleware },
  )
  const { headers } = await app.inject(request)
  const { 'content-type': _type, 'content-length': _length, ...rest } = headers
  return rest
}

/** What helmet 8 sends, but for the policy. */
const HELMET = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
}
const HSTS = 'max-age=31536000; includeSubDomains'
const OF_HTML =
  "default-src 'self';base-uri 'self';font-src 'self' https: data:;form-action 'self';frame-ancestors 'self';" +
  "img-src 'self' data:;object-src 'none';script-src 'self';script-src-attr 'none';style-src 'self' https: 'unsafe-inline';" +
  'upgrade-insecure-requests'
const OF_DATA = "default-src 'none';frame-ancestors 'none'"
const CSP = 'content-security-policy'
const STS = 'strict-transport-security'

describe('securityHeaders', () => {
  it('sends what helmet sends, with a policy for data', async () => {
    assert.deepEqual(await ask(), { ...HELMET, [CSP]: OF_DATA })
  })
  it('sends the policy of helmet with HTML, and Strict-Transport-Security over HTTPS', async () => {
    assert.deepEqual(await ask({}, { url: '/page', protocol: 'https' }), {
      ...HELMET,
      [CSP]: OF_HTML,
      [STS]: HSTS,
    })
    assert.equal((await ask({}, { url: '/xhtml' }))[CSP], OF_HTML)
    assert.equal((await ask({}, { url: '/svg' }))[CSP], OF_DATA)
  })
  it('goes by the protocol that a trusted proxy forwards', async () => {
    const secure = await ask({}, { url: '/', headers: { 'x-forwarded-proto': 'https' } })
    assert.equal(secure[STS], HSTS)
  })
  it('sends them with errors too', async () => {
    for (const url of ['/unknown', '/fails', '/%zz'])
      assert.deepEqual(await ask({}, { url }), { ...HELMET, [CSP]: OF_DATA }, url)
  })
  it('leaves what a handler has set', async () => {
    assert.deepEqual(await ask({}, { url: '/own' }), {
      ...HELMET,
      [CSP]: "default-src 'nonce-a'",
      'x-frame-options': 'DENY',
    })
  })

  const options: readonly (readonly [string, SecurityHeadersOptions, string, string | undefined])[] = [
    ['a value', { xFrameOptions: 'DENY' }, 'x-frame-options', 'DENY'],
    ['a header that has no default', { permissionsPolicy: 'camera=()' }, 'permissions-policy', 'camera=()'],
    [
      'another',
      { crossOriginEmbedderPolicy: 'require-corp' },
      'cross-origin-embedder-policy',
      'require-corp',
    ],
    ['no policy', { contentSecurityPolicy: false }, CSP, undefined],
    [
      'a policy by names of both kinds',
      { contentSecurityPolicy: { defaultSrc: ["'self'", 'https://cdn.example'], sandbox: true } },
      CSP,
      "default-src 'self' https://cdn.example;sandbox",
    ],
    [
      'a policy that only reports',
      { contentSecurityPolicyReportOnly: { defaultSrc: ["'none'"], reportTo: ['csp'] } },
      'content-security-policy-report-only',
      "default-src 'none';report-to csp",
    ],
    ['no HSTS', { strictTransportSecurity: false }, STS, undefined],
    [
      'HSTS for ever',
      { strictTransportSecurity: { maxAge: 63_072_000, preload: true } },
      STS,
      'max-age=63072000; includeSubDomains; preload',
    ],
    [
      'HSTS of this host',
      { strictTransportSecurity: { maxAge: 0, includeSubDomains: false } },
      STS,
      'max-age=0',
    ],
  ]
  for (const [what, given, name, expected] of options) {
    it(`takes ${what}`, async () => {
      assert.equal((await ask(given, { url: '/page', protocol: 'https' }))[name], expected)
    })
  }
  it('can leave out every header', async () => {
    const names = [...Object.keys(HELMET), CSP, STS]
    const none = Object.fromEntries(
      names.map((name) => [name.replaceAll(/-(.)/g, (_all, letter: string) => letter.toUpperCase()), false]),
    )
    assert.deepEqual(await ask(none, { url: '/page', protocol: 'https' }), {})
  })
})

describe('the options of securityHeaders', () => {
  const policy = (contentSecurityPolicy: unknown): unknown => ({ contentSecurityPolicy })
  const wrong: readonly (readonly [string, unknown, RegExp])[] = [
    ['no object', true, /the options are true\. Write securityHeaders/],
    ['an unknown header', { xFrameOption: 'DENY' }, /Did you mean "xFrameOptions"\?/],
    [
      'a line feed',
      { referrerPolicy: 'a\r\nset-cookie: b' },
      /referrerPolicy is a string of 16 characters\. Give false or a text in ASCII/,
    ],
    ['an empty value', { referrerPolicy: '' }, /referrerPolicy is an empty string/],
    ['true', { xFrameOptions: true }, /xFrameOptions is true/],
    [
      'a policy that is a text',
      policy("default-src 'self'"),
      /contentSecurityPolicy is "default-src 'self'"/,
    ],
    ['an empty policy', policy({}), /contentSecurityPolicy is an empty object/],
    [
      'a directive twice',
      policy({ defaultSrc: [], 'default-src': [] }),
      /has the directive "default-src" twice/,
    ],
    ['a name that is none', policy({ 'default src': [] }), /has the directive "default src"/],
    [
      'a source that is no list',
      policy({ defaultSrc: "'self'" }),
      /defaultSrc is a string of 6 characters\. Write a list/,
    ],
    [
      'directives as helmet has them',
      policy({ directives: { defaultSrc: ["'self'"] } }),
      /contentSecurityPolicy.directives is an object/,
    ],
    ['a source with a semicolon', policy({ defaultSrc: ["'self'; script-src *"] }), /cannot be sent/],
    ['a source with a comma', policy({ defaultSrc: ['a,b'] }), /cannot be sent/],
    ['a source with a line feed', policy({ defaultSrc: ['a\nb'] }), /cannot be sent/],
    ['a keyword without quotes', policy({ defaultSrc: ['self'] }), /Write "'self'"/],
    ['a nonce without quotes', policy({ scriptSrc: ['nonce-abc'] }), /Write "'nonce-abc'"/],
    [
      'an age that is none',
      { strictTransportSecurity: { maxAge: 1.5 } },
      /strictTransportSecurity\.maxAge is 1\.5/,
    ],
    [
      'an unknown part',
      { strictTransportSecurity: { maxage: 1 } },
      /no option "strictTransportSecurity\.maxage"/,
    ],
    [
      'HSTS that is true',
      { strictTransportSecurity: true },
      /strictTransportSecurity is true\. Give false or an object/,
    ],
  ]
  for (const [what, options, message] of wrong) {
    it(`are a definition error with ${what}`, () => {
      assert.throws(() => Reflect.apply(securityHeaders, undefined, [options]), {
        name: 'DefinitionError',
        message,
      })
    })
  }
})

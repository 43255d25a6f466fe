import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { csrf } from 'octavo/middleware'
import type { AppOptions } from 'octavo'
import type { CsrfOptions } from 'octavo/middleware'

import { serve } from '../support/serve.ts'

const METHODS = ['GET', 'HEAD', 'QUERY', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
let runs = 0

/** Whether the handler runs. */
async function passes(
  headers: Readonly<Record<string, string>>,
  options: CsrfOptions = {},
  { method = 'POST', host = 'api.example', ...more }: AppOptions & { method?: string; host?: string } = {},
): Promise<boolean> {
  const middleware = [csrf(options)]
  const app = serve([{ method: [...METHODS], handler: () => ++runs }], { ...more, middleware })
  runs = 0
  const { statusCode, body } = await app.inject({ method, url: '/', host, headers })
  if (statusCode === 403) {
    assert.equal(JSON.parse(body).code, 'cross_site_request')
    assert.equal(runs, 0)
    return false
  }
  assert.equal(statusCode, 200)
  assert.equal(runs, 1)
  return true
}

const site = (value: string, origin?: string): Readonly<Record<string, string>> => ({
  'sec-fetch-site': value,
  ...(origin === undefined ? {} : { origin }),
})
const APP = 'https://app.example'

describe('csrf', () => {
  const cases = [
    ['a page of the same origin', site('same-origin', 'https://api.example'), true],
    ['what the user has typed', site('none'), true],
    ['a page of another site', site('cross-site', 'https://evil.example'), false],
    ['a page of another site without Origin', site('cross-site'), false],
    ['a page of another site with the Origin of this one', site('cross-site', 'https://api.example'), false],
    ['a page of the same site', site('same-site', 'https://www.example'), false],
    ['a value that does not exist', site('same-origin, cross-site'), false],
    ['an empty value', site(''), false],
    ['an old browser, same origin', { origin: 'https://api.example' }, true],
    ['an old browser, same origin in plain HTTP', { origin: 'http://api.example' }, true],
    ['an old browser, other origin', { origin: 'https://evil.example' }, false],
    ['an old browser, other port', { origin: 'https://api.example:8443' }, false],
    ['an old browser, a host that ends alike', { origin: 'https://evil-api.example' }, false],
    ['an old browser, opaque origin', { origin: 'null' }, false],
    ['an origin that is none', { origin: 'api.example' }, false],
    ['a scheme without host', { origin: 'file://' }, false],
    ['no browser', {}, true],
  ] as const
  for (const [who, headers, expected] of cases) {
    it(`lets ${who} ${expected ? 'pass' : 'not pass'}`, async () => {
      assert.equal(await passes(headers), expected)
    })
  }

  for (const method of METHODS) {
    const isSafe = ['GET', 'HEAD', 'QUERY', 'OPTIONS'].includes(method)
    it(`${isSafe ? 'does not check' : 'checks'} ${method}`, async () => {
      assert.equal(await passes(site('cross-site'), {}, { method }), isSafe)
    })
  }

  it('compares hosts with their ports, and knows the default ones', async () => {
    const origin = { origin: 'https://api.example:8443' }
    assert.equal(await passes(origin, {}, { host: 'api.example:8443' }), true)
    assert.equal(await passes({ origin: 'https://api.example' }, {}, { host: 'API.example:443' }), true)
    assert.equal(await passes({ origin: 'http://api.example' }, {}, { host: 'api.example:443' }), false)
    assert.equal(await passes({ origin: 'http://[::1]:80' }, {}, { host: '[::1]' }), true)
  })
  it('goes by the host that a trusted proxy forwards', async () => {
    const headers = { origin: 'https://api.example', 'x-forwarded-host': 'api.example' }
    const host = 'internal:8080'
    assert.equal(await passes(headers, {}, { host, trustProxy: 1 }), true)
    assert.equal(await passes(headers, {}, { host }), false)
  })
  it('lets the origins pass that it is told', async () => {
    for (const origins of [APP, [APP], /^https:\/\/app\.example$/, (origin: string) => origin === APP]) {
      assert.equal(await passes(site('cross-site', APP), { origins }), true)
      assert.equal(await passes({ origin: APP }, { origins }), true)
      assert.equal(await passes(site('cross-site', 'https://evil.example'), { origins }), false)
      assert.equal(await passes(site('cross-site'), { origins }), false)
    }
  })
  it('waits for a function that takes time', async () => {
    const origins = async (origin: string): Promise<boolean> => origin === APP
    assert.equal(await passes({ origin: APP }, { origins }), true)
    assert.equal(await passes({ origin: 'https://evil.example' }, { origins }), false)
  })
  it('lets pages of the same site pass when it is told to', async () => {
    const options = { sameSite: true }
    assert.equal(await passes(site('same-site', 'https://www.example'), options), true)
    assert.equal(await passes(site('cross-site', 'https://www.example'), options), false)
  })
  it('does not check what it is told to skip', async () => {
    const skip: CsrfOptions['skip'] = ({ request }) => request.header('x-signature') !== undefined
    assert.equal(await passes({ ...site('cross-site'), 'x-signature': 'x' }, { skip }), true)
    assert.equal(await passes(site('cross-site'), { skip }), false)
  })
  it('refuses options that cannot be used', () => {
    const wrong = [
      { origins: '*' },
      { origins: true },
      { origins: 'app.example' },
      { sameSite: 1 },
      { skip: [] },
      { x: 1 },
    ]
    for (const options of [...wrong, null]) {
      assert.throws(() => Reflect.apply(csrf, undefined, [options]), { name: 'DefinitionError' })
    }
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, DefinitionError, defineController, defineModule } from 'octavo'
import type { App, AppOptions, InjectOptions } from 'octavo'
import { rateLimit } from 'octavo/middleware'

const controller = defineController({
  prefix: '/',
  routes: [
    {
      method: 'GET',
      handler: (_input, { request }) => ({ ip: request.ip, host: request.host, protocol: request.protocol }),
    },
  ],
})

function serve(options: AppOptions): App {
  return createApp(defineModule({ controllers: [controller] }), { logger: false, ...options })
}

/** A response as JSON. */
const jsonOf = (response: { readonly json: () => unknown }): Readonly<Record<string, unknown>> => ({
  ...Object(response.json()),
})

const forwarded = (addresses: string, more: Readonly<Record<string, string>> = {}): InjectOptions => ({
  url: '/',
  headers: { 'x-forwarded-for': addresses, ...more },
})

describe('the protocol of a trusted proxy', () => {
  it('counts in any case, and nothing but http and https does', async () => {
    const app = serve({ trustProxy: true })
    const seen: unknown[] = []
    for (const proto of ['HTTPS', 'https', 'Http', 'wss', '']) {
      const { protocol } = jsonOf(await app.inject(forwarded('192.0.2.1', { 'x-forwarded-proto': proto })))
      seen.push(protocol)
    }
    assert.deepEqual(seen, ['https', 'https', 'http', 'http', 'http'])
  })
})

describe('trustProxy with addresses', () => {
  const CASES: readonly (readonly [string, NonNullable<AppOptions['trustProxy']>, string, string, string])[] =
    [
      ['the proxy is trusted', '10.0.0.1', '10.0.0.1', '192.0.2.1', '192.0.2.1'],
      ['another address is not', '10.0.0.1', '10.0.0.2', '192.0.2.1', '10.0.0.2'],
      ['a range', ['10.0.0.0/8'], '10.9.9.9', '192.0.2.1', '192.0.2.1'],
      ['an address outside of it', ['10.0.0.0/8'], '11.0.0.1', '192.0.2.1', '11.0.0.1'],
      ['a range of IPv6', '2001:db8::/32', '2001:db8:1::1', '192.0.2.1', '192.0.2.1'],
      ['an IPv4 address written as IPv6', '10.0.0.0/8', '::ffff:10.0.0.1', '192.0.2.1', '192.0.2.1'],
      ['several proxies', ['10.0.0.0/8'], '10.0.0.1', '6.6.6.6, 192.0.2.1, 10.0.0.3, 10.0.0.2', '192.0.2.1'],
      [
        'a forged entry behind an untrusted one',
        ['10.0.0.0/8'],
        '10.0.0.1',
        '10.0.0.7, 192.0.2.1',
        '192.0.2.1',
      ],
      ['nothing but proxies', ['10.0.0.0/8'], '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
      ['the loopback', 'loopback', '127.0.0.5', '192.0.2.1', '192.0.2.1'],
      ['the loopback of IPv6', ['loopback'], '::1', '192.0.2.1', '192.0.2.1'],
      ['private networks', ['private'], '172.31.0.1', '192.0.2.1', '192.0.2.1'],
      ['private networks of IPv6', ['private'], 'fd00::1', '192.0.2.1', '192.0.2.1'],
      ['link-local addresses', ['link-local'], '169.254.1.1', '192.0.2.1', '192.0.2.1'],
      [
        'proxies that write ports',
        ['private'],
        '10.0.0.1',
        '6.6.6.6, 192.0.2.1:4711, 10.0.0.2:80',
        '192.0.2.1',
      ],
      ['something that is no address', ['private'], '10.0.0.1', 'unknown', 'unknown'],
      ['a client without address', ['private'], '', '192.0.2.1', ''],
    ]
  for (const [title, trustProxy, remoteAddress, addresses, expected] of CASES) {
    it(`gives the client that the last trusted proxy saw: ${title}`, async () => {
      const app = serve({ trustProxy })
      const response = await app.inject({ ...forwarded(addresses), remoteAddress })
      assert.equal(jsonOf(response)['ip'], expected)
    })
  }

  it('is the same for host and protocol', async () => {
    const app = serve({ trustProxy: ['10.0.0.0/8'] })
    const headers = { 'x-forwarded-host': 'forged.test, a.test', 'x-forwarded-proto': 'https' }
    const ask = async (remoteAddress: string): Promise<unknown> => {
      const { host: named, protocol } = jsonOf(
        await app.inject({ ...forwarded('192.0.2.1', headers), remoteAddress }),
      )
      return [named, protocol]
    }
    assert.deepEqual(await ask('10.0.0.1'), ['a.test', 'https'])
    assert.deepEqual(await ask('192.0.2.9'), ['localhost', 'http'])
  })

  for (const trustProxy of [
    '',
    'proxy',
    '10.0.0.0/33',
    '10.0.0',
    '10.0.0.1/8/8',
    '::/129',
    [],
    [1],
    ['10.0.0.1', 'x'],
  ]) {
    it(`is refused when the application is built: ${JSON.stringify(trustProxy)}`, () => {
      assert.throws(() => serve({ trustProxy: trustProxy as string }), DefinitionError)
    })
  }
})

describe('X-Forwarded-For with ports', () => {
  for (const [one, other] of [
    ['192.0.2.1:1111', '192.0.2.1:2222'],
    ['192.0.2.1', '192.0.2.1:80'],
    ['[2001:db8::1]:1111', '[2001:db8::1]:2222'],
    ['[2001:db8::1]', '2001:db8::1'],
  ] as const) {
    it(`${one} and ${other} are one client`, async () => {
      const app = serve({ trustProxy: 1, middleware: [rateLimit({ limit: 1, window: 60 })] })
      assert.equal((await app.inject(forwarded(one))).statusCode, 200)
      assert.equal((await app.inject(forwarded(other))).statusCode, 429)
    })
  }
})

describe('X-Forwarded-Host', () => {
  for (const host of ['a b', 'a/b', 'user@a.test', 'a.test:8x', '"', '<script>', 'a\\b']) {
    it(`${JSON.stringify(host)} is refused as Host is`, async () => {
      const { statusCode, json } = await serve({ trustProxy: 1 }).inject(
        forwarded('192.0.2.1', { 'x-forwarded-host': host }),
      )
      assert.deepEqual([statusCode, Reflect.get(Object(json()), 'code')], [400, 'malformed_request'])
    })
  }
})

describe('allowedHosts', () => {
  const allowedHosts = ['a.test', '.b.test', 'c.test:8080', '[::1]', '127.0.0.1']
  for (const [host, isAllowed] of [
    ['a.test', true],
    ['A.TEST', true],
    ['a.test:80', true],
    ['a.test.', true],
    ['x.b.test', true],
    ['x.y.b.test:1', true],
    ['c.test:8080', true],
    ['[::1]:3000', true],
    ['127.0.0.1:3000', true],
    ['b.test', false],
    ['.b.test', false],
    ['xb.test', false],
    ['a.test.evil.test', false],
    ['evil-a.test', false],
    ['c.test', false],
    ['c.test:80', false],
    ['[::2]', false],
    ['localhost', false],
    ['', false],
  ] as const) {
    it(`${isAllowed ? 'answers' : 'refuses'} ${JSON.stringify(host)}`, async () => {
      const app = serve({ allowedHosts })
      const response = await app.inject({ url: '/', headers: { host } })
      assert.equal(response.statusCode, isAllowed ? 200 : 421)
      if (!isAllowed) assert.equal(jsonOf(response)['code'], 'host_not_allowed')
    })
  }

  it('is about every path, and the host that a trusted proxy writes', async () => {
    const app = serve({ allowedHosts, trustProxy: 1 })
    assert.equal((await app.inject('/nowhere')).statusCode, 421)
    const ask = (host: string) => app.inject(forwarded('192.0.2.1', { 'x-forwarded-host': host }))
    assert.equal((await ask('a.test')).statusCode, 200)
    assert.equal((await ask('evil.test')).statusCode, 421)
  })

  for (const wrong of ['a.test', [], [''], ['https://a.test'], ['*'], ['a.test/'], [1]]) {
    it(`is refused when the application is built: ${JSON.stringify(wrong)}`, () => {
      assert.throws(() => serve({ allowedHosts: wrong as string[] }), DefinitionError)
    })
  }
})

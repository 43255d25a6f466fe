import assert from 'node:assert/strict'
import { once } from 'node:events'
import { afterEach, describe, it } from 'node:test'

import { createApp, defineController, defineModule, DefinitionError, HttpRequest } from 'octavo'
import type { AppOptions } from 'octavo'
import { rateLimit } from 'octavo/middleware'

import { LOOPBACK, open } from '../node/support.ts'
import { serve } from '../support/serve.ts'

const controller = defineController({
  prefix: '/',
  routes: [
    {
      method: 'GET',
      input: { inject: { request: HttpRequest } },
      handler: ({ inject }) => inject.request.ip,
    },
  ],
})
const AppModule = defineModule({ controllers: [controller] })

const create = (options: AppOptions = {}) => createApp(AppModule, { logger: false, ...options })

/** The address that a handler sees behind `app.fetch`. */
async function seen(info: object | undefined, headers = {}, options: AppOptions = {}): Promise<unknown> {
  const request = new Request('http://localhost/', { headers })
  return (await create(options).fetch(request, info)).json()
}

describe('the address of a client under app.fetch', () => {
  /** What Bun passes: a server that looks the address up, as long as the request is under way. */
  const bunServer = {
    address: '203.0.113.9',
    requestIP(request: Request) {
      return request instanceof Request ? { address: this.address, port: 1234, family: 'IPv4' } : null
    },
  }
  const infos = [
    ['remoteAddress', { remoteAddress: '203.0.113.7' }, '203.0.113.7'],
    [
      'remoteAddr of Deno',
      { remoteAddr: { hostname: '203.0.113.8', port: 1, transport: 'tcp' } },
      '203.0.113.8',
    ],
    ['requestIP of Bun', bunServer, '203.0.113.9'],
    ['requestIP of Bun over a Unix socket', { requestIP: () => null }, ''],
    ['bindings of a worker', { KV: {} }, ''],
    ['no second argument', undefined, ''],
  ] as const
  for (const [title, info, expected] of infos) {
    it(`is '${expected}' for ${title}`, async () => assert.equal(await seen(info), expected))
  }

  it('is looked up once, and only when it is asked for', async () => {
    let count = 0
    const info = { requestIP: () => ({ address: `203.0.113.${++count}` }) }
    const app = serve([
      { method: 'GET', path: '/none', handler: () => 'none' },
      {
        method: 'GET',
        path: '/twice',
        input: { inject: { request: HttpRequest } },
        handler: ({ inject: { request } }) => [request.ip, request.ip],
      },
    ])
    await app.fetch(new Request('http://localhost/none'), info)
    assert.equal(count, 0)
    const response = await app.fetch(new Request('http://localhost/twice'), info)
    assert.deepEqual(await response.json(), ['203.0.113.1', '203.0.113.1'])
  })
})

describe('addressHeader', () => {
  const headers = { 'CF-Connecting-IP': '203.0.113.7' }

  it('names the header of the platform, which nothing else reads', async () => {
    assert.equal(await seen(undefined, headers), '')
    assert.equal(await seen(undefined, headers, { addressHeader: 'CF-Connecting-IP' }), '203.0.113.7')
  })

  it('wins over the connection and X-Forwarded-For; without it these count', async () => {
    const options = { addressHeader: 'cf-connecting-ip', trustProxy: 1 } as const
    const info = { remoteAddress: '10.0.0.1' }
    const forwarded = { 'x-forwarded-for': '203.0.113.8' }
    assert.equal(await seen(info, { ...headers, ...forwarded }, options), '203.0.113.7')
    assert.equal(await seen(info, forwarded, options), '203.0.113.8')
    assert.equal(await seen(info, {}, options), '10.0.0.1')
  })

  it('takes the last of several, which the platform added', async () => {
    const several = { 'cf-connecting-ip': '198.51.100.1, 203.0.113.7' }
    assert.equal(await seen(undefined, several, { addressHeader: 'cf-connecting-ip' }), '203.0.113.7')
  })

  it('has to be the name of a header', () => {
    assert.throws(() => create({ addressHeader: 'cf connecting' }), DefinitionError)
  })
})

describe('rateLimit without an address', () => {
  const { NODE_ENV } = process.env
  afterEach(() => {
    if (NODE_ENV === undefined) delete process.env['NODE_ENV']
    else process.env['NODE_ENV'] = NODE_ENV
  })

  function serveNoting(more = {}) {
    const logged: string[] = []
    const nothing = (): void => undefined
    const note = (details: object, message?: string): void => {
      const { err } = details as { readonly err?: Error }
      logged.push(err?.message ?? message ?? '')
    }
    const logger = { debug: nothing, info: nothing, warn: note, error: note }
    const app = create({ logger, middleware: [rateLimit({ limit: 2, window: 60, ...more })] })
    const get = async () => (await app.fetch(new Request('http://localhost/'))).status
    return { get, logged }
  }

  const MESSAGE =
    'rateLimit: request.ip is empty, so all clients share one limit. Set addressHeader or trustProxy, pass remoteAddress to app.fetch, or give by'

  it('fails outside production, and says why', async () => {
    delete process.env['NODE_ENV']
    const { get, logged } = serveNoting()
    assert.deepEqual([await get(), logged], [500, [MESSAGE]])
  })

  it('warns at the first request in production, and shares one limit', async () => {
    process.env['NODE_ENV'] = 'production'
    const { get, logged } = serveNoting()
    assert.deepEqual([await get(), await get(), await get()], [200, 200, 429])
    assert.deepEqual(logged, [MESSAGE])
  })

  it('needs none where a key says who the client is', async () => {
    const { get, logged } = serveNoting({ by: () => 'someone' })
    assert.deepEqual([await get(), logged], [200, []])
  })
})

it('stays known over HTTP/1.1 when the client has gone before anything asked for it', async () => {
  let tell: (ip: string) => void = () => undefined
  const told = new Promise<string>((resolve) => {
    tell = resolve
  })
  const app = createApp(AppModule, {
    logger: false,
    middleware: [
      async ({ request, signal }, next) => {
        if (!signal.aborted) await once(signal, 'abort')
        tell(request.ip)
        return next()
      },
    ],
  })
  try {
    const socket = await open(await app.listen(LOOPBACK))
    socket.write('GET / HTTP/1.1\r\nhost: a.test\r\n\r\n')
    setTimeout(() => socket.resetAndDestroy(), 50)
    assert.equal(await told, '127.0.0.1')
  } finally {
    await app.close()
  }
})

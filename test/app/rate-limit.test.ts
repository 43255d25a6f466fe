import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, mock } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import { createClient } from '@redis/client'
import { createClient as createTypedClient } from 'octavo/client'
import { createApp, defineController, defineModule } from 'octavo'
import { rateLimit } from 'octavo/middleware'
import type { App, AppOptions, InjectOptions, Store } from 'octavo'
import type { RateLimitOptions } from 'octavo/middleware'
import { createMemoryStore, createRedisStore } from 'octavo/stores'

let runs = 0
const api = defineController({
  prefix: '/',
  routes: [
    { method: 'GET', handler: () => ++runs },
    { method: 'GET', path: '/dear', meta: { cost: 3 }, handler: () => ++runs },
  ],
})
const AppModule = defineModule({ controllers: [api] })

function serve(options: Partial<RateLimitOptions> = {}, more: AppOptions = {}): App {
  const middleware = [rateLimit({ limit: 2, window: 60, ...options })]
  return createApp(AppModule, { logger: false, ...more, middleware })
}

const from = (remoteAddress: string, url = '/'): InjectOptions => ({ url, remoteAddress })

/** The statuses of requests, one after the other. */
async function statuses(app: App, requests: readonly (InjectOptions | string)[]): Promise<readonly number[]> {
  const found: number[] = []
  for (const request of requests) found.push((await app.inject(request)).statusCode)
  return found
}

describe('a client in the process of the application', () => {
  it('has an address of its own', async () => {
    const client = createTypedClient<App>({
      fetch: serve().fetch,
      routes: { version: null, routes: { one: { method: 'GET', path: '/' } } },
    })
    const call = Reflect.get(client, 'one') as () => Promise<{ readonly status: number }>
    assert.deepEqual([(await call()).status, (await call()).status], [200, 200])
    await assert.rejects(call(), { status: 429 })
  })
})

describe('rateLimit', () => {
  it('answers 429 when a client has spent its limit, and the handler does not run', async () => {
    const app = serve()
    runs = 0
    assert.deepEqual(await statuses(app, ['/', '/']), [200, 200])
    const refused = await app.inject('/')
    assert.equal(refused.statusCode, 429)
    assert.deepEqual(refused.json(), {
      type: 'urn:octavo:problem:rate-limited',
      title: 'Too Many Requests',
      status: 429,
      detail: 'The limit of requests is reached',
      code: 'rate_limited',
      'violated-policies': ['default'],
    })
    assert.equal(refused.headers['retry-after'], '60')
    assert.equal(runs, 2)
  })
  it('tells all clients what they have left', async () => {
    const app = serve({ name: 'api' })
    const told: (readonly unknown[])[] = []
    for (let request = 0; request < 3; request++) {
      const { headers } = await app.inject(request === 1 ? '/unknown' : '/')
      told.push([headers['ratelimit'], headers['ratelimit-policy']])
    }
    assert.deepEqual(told, [
      ['"api";r=1;t=60', '"api";q=2;w=60'],
      ['"api";r=0;t=60', '"api";q=2;w=60'],
      ['"api";r=0;t=60', '"api";q=2;w=60'],
    ])
  })
  it('counts anew in the next window', async () => {
    const app = serve({ limit: 1, window: 1 })
    assert.deepEqual(await statuses(app, ['/', '/']), [200, 429])
    await sleep(1050)
    assert.deepEqual(await statuses(app, ['/', '/']), [200, 429])
  })
  it('counts right when requests come at once', async () => {
    const app = serve({ limit: 10 })
    const responses = await Promise.all(Array.from({ length: 50 }, () => app.inject('/')))
    assert.equal(responses.filter(({ statusCode }) => statusCode === 200).length, 10)
    assert.equal(responses.filter(({ statusCode }) => statusCode === 429).length, 40)
  })
  it('has a limit of its own for each call, and one for all places of one middleware', async () => {
    const shared = rateLimit({ limit: 1, window: 60 })
    const routes = [
      { method: 'GET', path: '/a', middleware: [shared], handler: () => 'a' },
      { method: 'GET', path: '/b', middleware: [shared], handler: () => 'b' },
      { method: 'GET', path: '/c', middleware: [rateLimit({ limit: 1, window: 60 })], handler: () => 'c' },
    ] as const
    const app = createApp(
      defineModule({ controllers: [defineController({ prefix: '/', routes: [...routes] })] }),
      {
        logger: false,
      },
    )
    assert.deepEqual(await statuses(app, ['/a', '/b', '/c', '/c']), [200, 429, 200, 429])
  })
  it('tells of several limits, the outer one first', async () => {
    const inner = rateLimit({ limit: 1, window: 10, name: 'inner' })
    const one = defineController({
      prefix: '/',
      routes: [{ method: 'GET', middleware: [inner], handler: () => 1 }],
    })
    const app = createApp(defineModule({ controllers: [one] }), {
      logger: false,
      middleware: [rateLimit({ limit: 5, window: 60, name: 'outer' })],
    })
    const first = await app.inject('/')
    assert.equal(first.headers['ratelimit-policy'], '"outer";q=5;w=60, "inner";q=1;w=10')
    assert.equal(first.headers['ratelimit'], '"outer";r=4;t=60, "inner";r=0;t=10')
    const second = await app.inject('/')
    assert.equal(second.statusCode, 429)
    assert.equal(second.headers['ratelimit'], '"outer";r=3;t=60, "inner";r=0;t=10')
    assert.equal(second.headers['retry-after'], '10')
  })
})

describe('rateLimit: the key of a client', () => {
  const same = [
    ['the same address', '192.0.2.1', '192.0.2.1', true],
    ['another address', '192.0.2.1', '192.0.2.2', false],
    ['an address written as IPv6', '192.0.2.1', '::ffff:192.0.2.1', true],
    ['the same in hexadecimal', '192.0.2.1', '::FFFF:c000:201', true],
    ['an address of the same IPv6 network', '2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', true],
    ['the same network in full', '2001:db8:0:0::1', '2001:0DB8:0000:0000:1:2:3:4', true],
    ['another IPv6 network', '2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['a network that begins alike', '2001:db8::1', '2001:db8:0:0:1::', true],
    ['an address with a zone', 'fe80::1%eth0', 'fe80::2%eth1', true],
    ['something that is no address', 'unknown', 'unknown', true],
  ] as const
  for (const [what, one, other, isSame] of same) {
    it(`is ${isSame ? 'the same' : 'another'} for ${what}`, async () => {
      const app = serve({ limit: 1 })
      assert.deepEqual(await statuses(app, [from(one), from(other)]), [200, isSame ? 429 : 200])
    })
  }
  it('goes by X-Forwarded-For behind a trusted proxy, and only there', async () => {
    const of = (client: string): InjectOptions => ({ url: '/', headers: { 'x-forwarded-for': client } })
    const requests = [of('192.0.2.1'), of('192.0.2.2'), of('192.0.2.1')]
    assert.deepEqual(await statuses(serve({ limit: 1 }, { trustProxy: 1 }), requests), [200, 200, 429])
    assert.deepEqual(await statuses(serve({ limit: 1 }), requests), [200, 429, 429])
  })
  it('is what the function says, however long, and the address where that says nothing', async () => {
    const by: RateLimitOptions['by'] = async ({ request }) => request.header('x-api-key')
    const of = (name: string | undefined, remoteAddress = '192.0.2.1'): InjectOptions => ({
      url: '/',
      remoteAddress,
      headers: { 'x-api-key': name },
    })
    const long = 'x'.repeat(1000)
    const app = serve({ limit: 1, by })
    assert.deepEqual(await statuses(app, [of('a'), of('b'), of('a', '192.0.2.9')]), [200, 200, 429])
    assert.deepEqual(await statuses(app, [of(undefined), of(undefined), of('192.0.2.1')]), [200, 429, 200])
    assert.deepEqual(await statuses(app, [of(long), of(`${long}y`), of(long)]), [200, 200, 429])
  })
  it('is forgotten when there are too many, the oldest first', async () => {
    const app = serve({ limit: 1, maxKeys: 2 })
    const [a, b, c] = [from('192.0.2.1'), from('192.0.2.2'), from('192.0.2.3')]
    assert.deepEqual(await statuses(app, [a, b, a, b, c, b, c, a]), [200, 200, 429, 429, 200, 429, 429, 200])
  })
  it('is nobody for what is skipped', async () => {
    const app = serve({ limit: 1, skip: async ({ request }) => request.path === '/dear' })
    assert.deepEqual(await statuses(app, ['/dear', '/dear', '/', '/dear', '/']), [200, 200, 200, 200, 429])
    assert.equal((await app.inject('/dear')).headers['ratelimit'], undefined)
  })
})

describe('the cost of requests', () => {
  it('is what the option says', async () => {
    assert.deepEqual(await statuses(serve({ limit: 5, cost: 2 }), ['/', '/', '/']), [200, 200, 429])
    const free = serve({ limit: 1, cost: ({ request }) => (request.method === 'HEAD' ? 0 : 1) })
    const head = { method: 'HEAD', url: '/' }
    assert.deepEqual(await statuses(free, ['/', head, head, '/']), [200, 200, 200, 429])
  })
  it('can be a matter of the route where the middleware is that of a module', async () => {
    const cost: RateLimitOptions['cost'] = ({ route }) => Number(Object(route?.meta).cost ?? 1)
    const limited = defineModule({
      controllers: [api],
      middleware: [rateLimit({ limit: 4, window: 60, cost })],
    })
    const app = createApp(limited, { logger: false })
    assert.deepEqual(await statuses(app, ['/dear', '/', '/dear', '/']), [200, 200, 429, 429])
  })
  it('is a 500 where the function gives none', async () => {
    for (const cost of [-1, 0.5, Number.NaN])
      assert.equal((await serve({ cost: () => cost }).inject('/')).statusCode, 500)
  })
})

describe('a store of rateLimit', () => {
  const lines: string[] = []
  const write = (_details: object, message = ''): void => void lines.push(message)
  const logger = { debug: () => undefined, info: write, warn: write, error: write }
  const own = (): readonly string[] => lines.filter((line) => line.startsWith('The store'))

  /** A store whose counts are the function's. */
  const counting = (increment: (...args: Parameters<typeof memory.increment>) => unknown): Store => ({
    ...memory,
    // what JavaScript could return
    increment: increment as typeof memory.increment,
  })
  const memory = createMemoryStore()

  it('is that of the application, in which limits of one name count together', async () => {
    const store = createMemoryStore()
    const apps = [serve({}, { store }), serve({}, { store }), serve({ name: 'other' }, { store })]
    const found = []
    for (const app of apps) found.push(await statuses(app, ['/', '/']))
    assert.deepEqual(found, [
      [200, 200],
      [429, 429],
      [200, 200],
    ])
  })
  it('is a memory of each application, also if several have the same limit', async () => {
    const options = { logger: false, middleware: [rateLimit({ limit: 1, window: 60 })] } as const
    for (const app of [createApp(AppModule, options), createApp(AppModule, options)])
      assert.deepEqual(await statuses(app, ['/', '/']), [200, 429])
  })
  it('of the application has to count, or it does not start', async () => {
    const { increment: _increment, ...store } = createMemoryStore()
    await assert.rejects(serve({}, { store }).ready(), {
      name: 'DefinitionError',
      message: /rateLimit .*: the store of the application has no function increment/,
    })
  })
  it('that fails lets requests pass, and the log tells when that begins and when it ends', async () => {
    lines.length = 0
    const failing = { isOn: true }
    const store = counting((...args) => {
      if (failing.isOn) throw new Error('The connection is lost')
      return memory.increment(...args)
    })
    const app = serve({ store }, { logger })
    assert.deepEqual(await statuses(app, ['/', '/', '/']), [200, 200, 200])
    assert.deepEqual(own(), ['The store of rate limits fails'])
    assert.equal((await app.inject('/')).headers['ratelimit'], undefined)
    failing.isOn = false
    assert.deepEqual(await statuses(app, ['/', '/', '/']), [200, 200, 429])
    assert.deepEqual(own(), ['The store of rate limits fails', 'The store of rate limits works again'])
  })
  it('that fails refuses requests when it is told to', async () => {
    const store = counting(async () => Promise.reject(new Error('password=secret')))
    runs = 0
    const response = await serve({ store, onStoreError: 'refuse' }).inject('/')
    assert.equal(response.statusCode, 503)
    assert.equal(Object(response.json()).code, 'rate_limit_unavailable')
    assert.doesNotMatch(response.body, /secret/)
    assert.equal(runs, 0)
  })
  it('that hangs, throws, or gives no result has failed', async () => {
    const stores = [
      () => new Promise(() => undefined),
      () => {
        throw new Error('broken')
      },
      async () => 'yes',
      () => ({ total: 1 }),
      async () => Promise.reject('no'),
    ].map(counting)
    for (const store of stores) {
      const options = { store, storeTimeout: 20 } as const
      assert.equal((await serve(options).inject('/')).statusCode, 200)
      assert.equal((await serve({ ...options, onStoreError: 'refuse' }).inject('/')).statusCode, 503)
    }
  })
  it('leaves no timer behind', async () => {
    const timeouts = mock.method(globalThis, 'setTimeout')
    const clears = mock.method(globalThis, 'clearTimeout')
    try {
      const store = counting(async (...args) => memory.increment(...args))
      await serve({ store, storeTimeout: 54_321 }).inject('/')
      const made = timeouts.mock.calls.filter(({ arguments: [, delay] }) => delay === 54_321)
      assert.equal(made.length, 1)
      await new Promise(setImmediate)
      assert.ok(
        clears.mock.calls.some(({ arguments: [timer] }) => timer === made[0]?.result),
        'the timer goes on',
      )
    } finally {
      mock.restoreAll()
    }
  })
})

const hasRedis = spawnSync('redis-server', ['--version']).status === 0

describe('rateLimit in Redis', { skip: hasRedis ? false : 'redis-server is not installed' }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-redis-'))
  const path = join(folder, 'redis.sock')
  const closing: (() => void)[] = []
  let redis: ChildProcess

  /** A connection of its own, as another machine would have. */
  async function connect() {
    const client = createClient({ socket: { path, tls: false } })
    client.on('error', () => undefined)
    closing.push(() => client.destroy())
    await client.connect()
    return createRedisStore(client)
  }

  before(async () => {
    const options = ['--port', '0', '--unixsocket', path, '--save', '', '--appendonly', 'no', '--dir', folder]
    redis = spawn('redis-server', options, { stdio: 'ignore' })
    for (let tries = 0; tries < 1_200; tries++) {
      if (spawnSync('redis-cli', ['-s', path, 'ping']).stdout.toString().startsWith('PONG')) return
      await sleep(50)
    }
    throw new Error('redis-server does not answer')
  })
  after(() => {
    redis.kill('SIGCONT')
    for (const close of closing) close()
    redis.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  })

  it('counts for several instances together', async () => {
    const apps = [serve({ limit: 5, store: await connect() }), serve({ limit: 5, store: await connect() })]
    const responses = await Promise.all(
      apps.flatMap((app) => Array.from({ length: 10 }, () => app.inject('/'))),
    )
    assert.equal(responses.filter(({ statusCode }) => statusCode === 200).length, 5)
    assert.equal(responses.filter(({ statusCode }) => statusCode === 429).length, 15)
  })
  it('keeps limits of other names apart', async () => {
    const store = await connect()
    const [one, two] = [serve({ limit: 1, name: 'one', store }), serve({ limit: 1, name: 'two', store })]
    assert.deepEqual(await statuses(one, ['/', '/']), [200, 429])
    assert.deepEqual(await statuses(two, ['/', '/']), [200, 429])
  })
  it('lets requests pass or refuses them while Redis hangs', async () => {
    const store = await connect()
    const options = { name: 'hangs', store, storeTimeout: 50 }
    const [allows, refuses] = [serve(options), serve({ ...options, onStoreError: 'refuse' })]
    assert.deepEqual(await statuses(allows, ['/']), [200])
    redis.kill('SIGSTOP')
    try {
      assert.deepEqual(await statuses(allows, ['/', '/', '/']), [200, 200, 200])
      assert.deepEqual(await statuses(refuses, ['/']), [503])
    } finally {
      redis.kill('SIGCONT')
    }
  })
})

describe('the options of rateLimit', () => {
  const wrong: readonly (readonly [string, unknown, RegExp])[] = [
    ['nothing', undefined, /the options are undefined\. Write rateLimit/],
    ['no limit', { window: 60 }, /limit is missing/],
    ['no window', { limit: 60 }, /window is missing/],
    ['a limit of 0', { limit: 0, window: 60 }, /limit is 0\. Give a number of requests/],
    [
      'a limit of 16 digits, which the header cannot have',
      { limit: 1_000_000_000_000_000, window: 60 },
      /limit is 1000000000000000\. Give a number of requests, at least 1 and at most 999999999999999, or a function/,
    ],
    ['half a second', { limit: 1, window: 0.5 }, /window is 0\.5\. Give a whole number of seconds/],
    ['a window that no timer can wait for', { limit: 1, window: 3_000_000 }, /window is 3000000/],
    ['an unknown option', { limit: 1, window: 1, windowMs: 1 }, /no option "windowMs"/],
    ['a name with quotes', { limit: 1, window: 1, name: 'a"b' }, /name is a string of 3 characters/],
    [
      'a by that is a text',
      { limit: 1, window: 1, by: 'ip' },
      /by is a string of 2 characters\. Give a function/,
    ],
    ['a negative cost', { limit: 1, window: 1, cost: -1 }, /cost is -1/],
    [
      'a store that is none',
      { limit: 1, window: 1, store: new Map() },
      /store is an instance of Map\. Give a store, as createRedisStore of octavo\/stores returns it, with a function increment/,
    ],
    [
      'a word',
      { limit: 1, window: 1, onStoreError: 'ignore' },
      /onStoreError is "ignore"\. Give 'allow' or 'refuse'/,
    ],
  ]
  for (const [what, options, message] of wrong) {
    it(`are a definition error with ${what}`, () => {
      assert.throws(() => Reflect.apply(rateLimit, undefined, [options]), {
        name: 'DefinitionError',
        message,
      })
    })
  }
})

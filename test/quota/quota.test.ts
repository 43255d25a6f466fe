import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, notFound } from 'octavo'
import { bearerAuth } from 'octavo/auth'
import { rateLimit } from 'octavo/middleware'
import type { AnyGuard, App, AppOptions } from 'octavo'
import type { RateLimitOptions } from 'octavo/middleware'
import { createMemoryStore } from 'octavo/stores'
import { z } from 'zod'

interface User {
  readonly id: number
  readonly plan: 'free' | 'team' | 'unlimited' | 'none'
}

const USERS: Readonly<Record<string, User>> = {
  ann: { id: 1, plan: 'free' },
  bob: { id: 2, plan: 'free' },
  tea: { id: 3, plan: 'team' },
  max: { id: 4, plan: 'unlimited' },
  nil: { id: 5, plan: 'none' },
}
const PLANS = { free: 2, team: 4, unlimited: Infinity, none: 0 } as const

const SignedIn = bearerAuth({ verify: (token) => USERS[token] })

const quota = (options: Partial<RateLimitOptions<User>> = {}) =>
  rateLimit<User>({
    by: ({ identity }) => identity.id,
    limit: ({ identity }) => PLANS[identity.plan],
    window: 60,
    ...options,
  })

function serve(guards: readonly AnyGuard[], options: AppOptions = {}): App {
  const cars = defineController({
    prefix: '/car',
    name: 'car',
    guards,
    routes: [
      { method: 'GET', handler: () => 'cars' },
      { method: 'POST', input: { body: z.object({ name: z.string() }) }, handler: () => 'made' },
      {
        method: 'GET',
        path: '/{id:int}',
        handler: () => {
          throw notFound()
        },
      },
    ],
  })
  return createApp(defineModule({ controllers: [cars] }), { logger: false, ...options })
}

async function ask(app: App, user: string, url = '/car'): Promise<readonly unknown[]> {
  const headers = { authorization: `Bearer ${user}` }
  const response = await app.inject({ url, headers, remoteAddress: '192.0.2.1' })
  return [response.statusCode, response.headers['ratelimit'], response.headers['ratelimit-policy']]
}

async function statuses(app: App, ...users: readonly string[]): Promise<readonly unknown[]> {
  const found: unknown[] = []
  for (const user of users) found.push((await ask(app, user))[0])
  return found
}

describe('rateLimit among guards', () => {
  it('counts by the identity that guards before it found, with the limit of its plan', async () => {
    const app = serve([SignedIn, quota()])
    assert.deepEqual(
      await statuses(app, 'ann', 'ann', 'ann', 'bob', 'bob', 'bob'),
      [200, 200, 429, 200, 200, 429],
    )
    assert.deepEqual(await statuses(app, 'tea', 'tea', 'tea', 'tea', 'tea'), [200, 200, 200, 200, 429])
    assert.deepEqual(await ask(app, 'ann'), [429, '"default";r=0;t=60', '"default";q=2;w=60'])
    assert.deepEqual(await ask(app, 'tea'), [429, '"default";r=0;t=60', '"default";q=4;w=60'])
  })
  it('does not count requests that a guard before it refuses', async () => {
    const app = serve([SignedIn, rateLimit({ limit: 1, window: 60 })])
    assert.deepEqual(await statuses(app, 'nobody', 'nobody', 'ann', 'ann'), [401, 401, 200, 429])
    assert.deepEqual(await ask(app, 'nobody'), [401, undefined, undefined])
  })
  it('limits nobody with Infinity, and everybody with 0', async () => {
    const app = serve([SignedIn, quota()])
    assert.deepEqual(await ask(app, 'max'), [200, undefined, undefined])
    assert.deepEqual(await ask(app, 'nil'), [429, '"default";r=0;t=60', '"default";q=0;w=60'])
  })
  it('takes a limit that changes in a window', async () => {
    let limit = 1
    const app = serve([SignedIn, quota({ limit: async () => limit })])
    assert.deepEqual(await statuses(app, 'ann', 'ann'), [200, 429])
    limit = 4
    assert.deepEqual(await ask(app, 'ann'), [200, '"default";r=1;t=60', '"default";q=4;w=60'])
    limit = 2
    assert.deepEqual((await ask(app, 'ann'))[0], 429)
  })
  it('takes a limit of 15 digits, and no longer one, which the headers cannot have', async () => {
    let limit = 999_999_999_999_999
    const app = serve([SignedIn, quota({ limit: () => limit })])
    assert.deepEqual(await ask(app, 'ann'), [
      200,
      '"default";r=999999999999998;t=60',
      '"default";q=999999999999999;w=60',
    ])
    limit++
    assert.deepEqual(await ask(app, 'ann'), [500, undefined, undefined])
  })
  it('tells of all limits in every response after it, errors too', async () => {
    const limits = [
      quota({ name: 'burst', limit: 10, window: 1 }),
      quota({ name: 'day', limit: 3, window: 86_400 }),
    ]
    const app = serve([SignedIn, ...limits])
    const policy = '"burst";q=10;w=1, "day";q=3;w=86400'
    assert.deepEqual(await ask(app, 'ann'), [200, '"burst";r=9;t=1, "day";r=2;t=86400', policy])
    const [missing, , told] = await ask(app, 'ann', '/car/7')
    assert.deepEqual([missing, told], [404, policy])
    const invalid = await app.inject({
      method: 'POST',
      url: '/car',
      headers: { authorization: 'Bearer ann' },
      json: {},
    })
    assert.deepEqual([invalid.statusCode, invalid.headers['ratelimit-policy']], [422, policy])
    const refused = await app.inject({ url: '/car', headers: { authorization: 'Bearer ann' } })
    assert.deepEqual([refused.statusCode, refused.headers['ratelimit-policy']], [429, policy])
    assert.equal(refused.headers['retry-after'], '86400')
    assert.deepEqual(Object(refused.json())['violated-policies'], ['day'])
  })
  it('tells of those of middleware first', async () => {
    const app = serve([SignedIn, quota({ name: 'user' })], {
      middleware: [rateLimit({ limit: 9, window: 10, name: 'address' })],
    })
    assert.deepEqual(await ask(app, 'ann'), [
      200,
      '"address";r=8;t=10, "user";r=1;t=60',
      '"address";q=9;w=10, "user";q=2;w=60',
    ])
  })
  it('has one count for guards and middleware, and can be left out of a route', async () => {
    const limit = rateLimit({ limit: 2, window: 60 })
    const cars = defineController({
      prefix: '/',
      guards: [limit],
      routes: [
        { method: 'GET', handler: () => 'guarded' },
        { method: 'GET', path: '/free', withoutGuards: [limit], handler: () => 'free' },
        {
          method: 'GET',
          path: '/wrapped',
          withoutGuards: [limit],
          middleware: [limit],
          handler: () => 'wrapped',
        },
      ],
    })
    const app = createApp(defineModule({ controllers: [cars] }), { logger: false })
    const urls = ['/', '/free', '/wrapped', '/', '/wrapped', '/free']
    const found = []
    for (const url of urls) found.push((await app.inject(url)).statusCode)
    assert.deepEqual(found, [200, 200, 200, 429, 429, 200])
  })
  it('fails the request if it cannot know the client or the limit', async () => {
    const early = serve([quota(), SignedIn])
    assert.deepEqual(await statuses(early, 'ann'), [500])
    for (const limit of [-1, 0.5, Number.NaN, -Infinity, 2 ** 60])
      assert.deepEqual(await statuses(serve([SignedIn, quota({ limit: () => limit })]), 'ann'), [500])
    const failing = serve([
      SignedIn,
      quota({ limit: () => Promise.reject(new Error('the database is away')) }),
    ])
    assert.deepEqual(await statuses(failing, 'ann'), [500])
  })
  it('fails the request if by returns what does not tell clients apart', async () => {
    const objects = (by: () => unknown): AnyGuard =>
      Reflect.apply(rateLimit, undefined, [{ limit: 1, window: 60, by }])
    for (const by of [() => ({ id: 1 }), () => ['ann'], () => null, () => true, () => Number.NaN])
      assert.deepEqual(await statuses(serve([objects(by)]), 'ann'), [500])
    for (const by of [() => 'ann', () => 7, () => 7n, () => undefined, async () => 0, () => ''])
      assert.deepEqual(await statuses(serve([objects(by)]), 'ann', 'ann'), [200, 429])
    // what is long is kept as a digest, which tells clients apart
    const long = rateLimit<User>({
      limit: 1,
      window: 60,
      by: ({ identity }) => 'x'.repeat(1_000_000) + identity.id,
    })
    assert.deepEqual(await statuses(serve([SignedIn, long]), 'ann', 'bob', 'ann'), [200, 200, 429])
  })
  it('refuses or lets pass while its store fails, as it is told', async () => {
    const increment = async () => Promise.reject(new Error('The connection is lost'))
    const store = { ...createMemoryStore(), increment }
    const own = { store, limit: 2 }
    assert.deepEqual(await statuses(serve([SignedIn, quota(own)]), 'ann'), [200])
    assert.deepEqual(
      await statuses(serve([SignedIn, quota({ ...own, onStoreError: 'refuse' })]), 'ann'),
      [503],
    )
  })
})

describe('a quota in documents', () => {
  async function responsesOf(guards: readonly AnyGuard[]) {
    const app = serve(guards)
    await app.ready()
    const { paths, components } = app.openapi()
    return { responses: paths['/car']?.['get']?.responses ?? {}, components }
  }
  it('is a 429, and headers of responses', async () => {
    const { responses, components } = await responsesOf([quota({ limit: 1, onStoreError: 'refuse' })])
    assert.deepEqual(Object.keys(responses), ['429', '500', '503', '2XX', 'default'])
    const headers = (response: unknown): readonly string[] => Object.keys(Object(response).headers ?? {})
    assert.deepEqual(headers(responses['2XX']), ['RateLimit', 'RateLimit-Policy'])
    assert.deepEqual(headers(components.responses?.['TooManyRequests']), [
      'RateLimit',
      'RateLimit-Policy',
      'Retry-After',
    ])
  })
  it('leaves the 403 to other guards', async () => {
    const { responses } = await responsesOf([SignedIn, quota()])
    assert.deepEqual(Object.keys(responses), ['401', '403', '429', '500', '2XX', 'default'])
  })
})

import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'

import { createApp, defineController, defineModule, Session, VersioningSchemes } from 'octavo'
import { createTestClient } from 'octavo/testing'
import { z } from 'zod'

const METHODS = ['GET', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

const mirror = defineController({
  prefix: '/',
  routes: [
    {
      method: METHODS,
      path: '/mirror/{rest:path}',
      handler: async (_input, { request }) => ({
        method: request.method,
        headers: request.headers,
        host: request.host,
        ip: request.ip,
        protocol: request.protocol,
        body: await request.text(),
      }),
    },
    {
      method: 'POST',
      path: '/set/{rest:path}',
      input: { body: z.array(z.string()) },
      handler: ({ body }) =>
        new Response(null, { headers: body.map((line): [string, string] => ['set-cookie', line]) }),
    },
    {
      method: 'POST',
      path: '/count',
      input: { inject: { session: Session } },
      handler: ({ inject: { session } }) => {
        const data = session.data as { count?: number }
        data.count = (data.count ?? 0) + 1
        return data.count
      },
    },
    { method: 'GET', path: '/v', version: ['1', '2'], handler: (_input, { version }) => version },
  ],
})

const app = createApp(defineModule({ controllers: [mirror] }), {
  logger: false,
  session: { secret: 'a secret of at least thirty-two characters' },
  versioning: { scheme: VersioningSchemes.HEADER, headerParameter: 'x-version', defaultVersion: '1' },
})

interface Mirrored {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly host: string
  readonly ip: string
  readonly protocol: string
  readonly body: string
}

type Client = ReturnType<typeof createTestClient>

/** Has the application set cookies at one URL; the Cookie header that it then gets at another. */
async function sent(client: Client, lines: readonly string[], from: string, to: string) {
  await client.post(from, { json: lines })
  return cookieAt(client, to)
}

async function cookieAt(client: Client, url: string): Promise<string | undefined> {
  return ((await client.get(url)).json() as Mirrored).headers['cookie']
}

describe('a client', () => {
  it('keeps cookies from one request to the next', async () => {
    const client = createTestClient(app)
    assert.equal(await cookieAt(client, '/mirror/'), undefined)
    assert.equal(await sent(client, ['a=1; Path=/', 'b=2; Path=/'], '/set/', '/mirror/'), 'a=1; b=2')
  })

  it('keeps a session, whose cookie is secure', async () => {
    const client = createTestClient(app)
    const [first, second] = [await client.post('/count'), await client.post('/count')]
    assert.deepEqual([first.json(), second.json()], [1, 2])
    const fresh = await createTestClient(app).post('/count')
    assert.equal(fresh.json(), 1)
  })

  it('sends cookies as they were set', async () => {
    const client = createTestClient(app)
    assert.equal(
      await sent(client, ['a=x%20y; Path=/', 'b="q"; Path=/'], '/set/', '/mirror/'),
      'a=x%20y; b="q"',
    )
    assert.equal(client.cookies.get('a'), 'x y')
  })

  it('sends what one request brings beside them, which wins', async () => {
    const client = createTestClient(app)
    client.cookies.set('a', '1')
    client.cookies.set('b', '2')
    const response = await client.get('/mirror/', { cookies: { a: '3' }, headers: { Cookie: 'c=4' } })
    assert.equal((response.json() as Mirrored).headers['cookie'], 'a=3; c=4; b=2')
  })

  it('has what all its requests have in common', async () => {
    const client = createTestClient(app, {
      headers: { 'X-A': '1', 'x-b': '2', 'x-c': '3' },
      host: 'cars.example',
      protocol: 'https',
      remoteAddress: '203.0.113.7',
      version: '2',
    })
    const response = await client.get('/mirror/', { headers: { 'x-a': '9', 'X-B': undefined } })
    const { headers, host, ip, protocol } = response.json() as Mirrored
    assert.deepEqual([headers['x-a'], headers['x-b'], headers['x-c']], ['9', undefined, '3'])
    assert.deepEqual([host, ip, protocol], ['cars.example', '203.0.113.7', 'https'])
    assert.equal((await client.get('/v')).json(), '2')
    assert.equal((await client.get('/v', { version: '1' })).json(), '1')
  })

  for (const method of ['get', 'post', 'put', 'patch', 'delete', 'options'] as const) {
    it(`sends ${method}`, async () => {
      const response = await createTestClient(app)[method](new URL('http://localhost/mirror/'), {
        body: 'abc',
      })
      const seen = response.json() as Mirrored
      assert.deepEqual([seen.method, seen.body], [method.toUpperCase(), 'abc'])
    })
  }

  it('sends head', async () => {
    const response = await createTestClient(app).head('/mirror/')
    assert.deepEqual([response.statusCode, response.body], [200, ''])
  })

  it('takes what inject takes', async () => {
    const client = createTestClient(app)
    client.cookies.set('a', '1')
    assert.equal((await client.inject('/mirror/')).statusCode, 200)
    const { stream } = await client.inject({ url: '/mirror/', stream: true })
    const [text] = await stream.map(String).toArray()
    assert.equal((JSON.parse(String(text)) as Mirrored).headers['cookie'], 'a=1')
  })

  it('refuses options that do not exist', () => {
    assert.throws(() => createTestClient(app, { hots: 'a' } as never), {
      name: 'TypeError',
      message: 'createTestClient: there is no option "hots"; did you mean "host"?',
    })
  })

  it('shares nothing with another', async () => {
    const [one, other] = [createTestClient(app), createTestClient(app)]
    one.cookies.set('a', '1')
    assert.equal(await cookieAt(other, '/mirror/'), undefined)
  })
})

describe('a cookie', () => {
  const away = 'http://other.example/mirror/'
  const cases: readonly (readonly [string, string, string, string, string | undefined])[] = [
    ['goes back to its host', 'a=1; Path=/', 'http://x.example/set/', 'http://x.example/mirror/', 'a=1'],
    ['goes to any port', 'a=1; Path=/', 'http://x.example:1/set/', 'http://X.example:2/mirror/', 'a=1'],
    ['goes to no other host', 'a=1; Path=/', 'http://x.example/set/', away, undefined],
    [
      'goes to no host below its own',
      'a=1; Path=/',
      'http://x.example/set/',
      'http://y.x.example/mirror/',
      undefined,
    ],
    [
      'of a domain goes below it',
      'a=1; Path=/; Domain=.X.example',
      'http://x.example/set/',
      'http://y.x.example/mirror/',
      'a=1',
    ],
    [
      'of a domain above goes to its others',
      'a=1; Path=/; Domain=x.example',
      'http://z.x.example/set/',
      'http://y.x.example/mirror/',
      'a=1',
    ],
    [
      'of a foreign domain is refused',
      'a=1; Path=/; Domain=other.example',
      'http://x.example/set/',
      away,
      undefined,
    ],
    [
      'of a name that only ends alike is refused',
      'a=1; Path=/; Domain=r.example',
      'http://other.example/set/',
      'http://r.example/mirror/',
      undefined,
    ],
    ['without path goes to its folder', 'a=1', '/set/b/c', '/mirror/', undefined],
    ['of a path goes to it', 'a=1; Path=/mirror/b', '/set/', '/mirror/b', 'a=1'],
    ['of a path goes below it', 'a=1; Path=/mirror/b', '/set/', '/mirror/b/c', 'a=1'],
    ['of a path goes there with a query', 'a=1; Path=/mirror/b', '/set/', '/mirror/b?c', 'a=1'],
    [
      'of a path goes to none that only begins alike',
      'a=1; Path=/mirror/b',
      '/set/',
      '/mirror/bc',
      undefined,
    ],
    ['of a path that is none goes to its folder', 'a=1; Path=mirror', '/set/b', '/mirror/', undefined],
    ['without name is refused', '=1; Path=/', '/set/', '/mirror/', undefined],
    [
      'that has ended is refused',
      'a=1; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
      '/set/',
      '/mirror/',
      undefined,
    ],
    ['that ends at once is refused', 'a=1; Path=/; Max-Age=0', '/set/', '/mirror/', undefined],
    [
      'has Max-Age before Expires',
      'a=1; Path=/; Max-Age=9; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
      '/set/',
      '/mirror/',
      'a=1',
    ],
    ['may last for ages', 'a=1; Path=/; Max-Age=99999999999999999999', '/set/', '/mirror/', 'a=1'],
  ]
  for (const [title, line, from, to, expected] of cases) {
    it(title, async () => assert.equal(await sent(createTestClient(app), [line], from, to), expected))
  }

  it('is replaced by one of the same name, domain and path, in its place', async () => {
    const lines = ['a=1; Path=/', 'b=2; Path=/', 'a=3; Path=/', 'a=4; Path=/mirror']
    assert.equal(await sent(createTestClient(app), lines, '/set/', '/mirror/'), 'a=4; a=3; b=2')
  })

  it('is deleted by one that has ended', async () => {
    const client = createTestClient(app)
    await sent(client, ['a=1; Path=/', 'b=2; Path=/'], '/set/', '/mirror/')
    assert.equal(await sent(client, ['a=; Path=/; Max-Age=0'], '/set/', '/mirror/'), 'b=2')
  })

  it('is gone when its time is over', async () => {
    mock.timers.enable({ apis: ['Date'], now: 1_000_000 })
    try {
      const client = createTestClient(app)
      assert.equal(await sent(client, ['a=1; Path=/; Max-Age=10'], '/set/', '/mirror/'), 'a=1')
      mock.timers.tick(9999)
      // sending it does not make it last longer
      assert.equal(await cookieAt(client, '/mirror/'), 'a=1')
      assert.equal(client.cookies.get('a'), '1')
      mock.timers.tick(1)
      assert.equal(client.cookies.get('a'), undefined)
    } finally {
      mock.timers.reset()
    }
  })
})

describe('client.cookies', () => {
  it('sets, deletes and clears', async () => {
    const client = createTestClient(app)
    client.cookies.set('a', 'x y;é')
    client.cookies.set('b', '2')
    assert.equal(client.cookies.get('a'), 'x y;é')
    assert.equal(await cookieAt(client, '/mirror/'), 'a=x%20y%3B%C3%A9; b=2')
    client.cookies.delete('a')
    assert.equal(await cookieAt(client, '/mirror/'), 'b=2')
    client.cookies.clear()
    assert.equal(await cookieAt(client, '/mirror/'), undefined)
  })

  it('refuses what the application could not set either', () => {
    const { cookies } = createTestClient(app)
    assert.throws(() => cookies.set('a b', '1'), TypeError)
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  createApp,
  defineController,
  defineGuard,
  defineModule,
  defineRouter,
  DefinitionError,
  VersioningSchemes,
  VERSION_NEUTRAL,
} from 'octavo'
import type { ExecutionContext, WebHandler } from 'octavo'
import { Response as UndiciResponse } from 'undici'

import { placeless } from '../support/places.ts'
import { serve } from '../support/serve.ts'

/** What a foreign framework does: says what it got. */
const echo: WebHandler = async (request) => {
  const body = request.body === null ? null : await request.text()
  return Response.json(
    { method: request.method, url: request.url, body, type: request.headers.get('content-type') },
    { status: 203, headers: { 'x-foreign': 'yes' } },
  )
}

const own = defineController({
  prefix: '/legacy/own',
  routes: [{ method: 'GET', handler: () => 'of the application' }],
})
const app = createApp(
  defineModule({ controllers: [own], routers: [defineRouter({ prefix: '/legacy', mount: echo })] }),
  { logger: false },
)

describe('a mounted handler', () => {
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    it(`answers ${method}`, async () => {
      const { statusCode, headers, ...response } = await app.inject({ method, url: '/legacy/a/b?c=d' })
      assert.equal(statusCode, 203)
      assert.equal(headers['x-foreign'], 'yes')
      assert.deepEqual(response.json(), {
        method,
        url: 'http://localhost/legacy/a/b?c=d',
        body: null,
        type: null,
      })
    })
  }

  it('gets the body', async () => {
    const response = await app.inject({ method: 'POST', url: '/legacy', json: { name: 'Ford' } })
    assert.deepEqual(response.json(), {
      method: 'POST',
      url: 'http://localhost/legacy',
      body: '{"name":"Ford"}',
      type: 'application/json',
    })
  })

  it('gets a QUERY with its body, whose type is for the handler to check', async () => {
    const response = await app.inject({ method: 'QUERY', url: '/legacy', body: 'make=Ford' })
    const { method, body } = response.json() as { method: string; body: string }
    assert.deepEqual([method, body], ['QUERY', 'make=Ford'])
  })

  it('answers HEAD without a body', async () => {
    const { statusCode, body } = await app.inject({ method: 'HEAD', url: '/legacy/x' })
    assert.deepEqual([statusCode, body], [203, ''])
  })

  it('does not answer TRACE', async () => {
    const { statusCode, headers } = await app.inject({ method: 'TRACE', url: '/legacy/x' })
    assert.equal(statusCode, 405)
    assert.equal(headers['allow'], 'GET, HEAD, QUERY, POST, PUT, PATCH, DELETE, OPTIONS')
  })

  it('leaves what a route fits better to that', async () => {
    assert.equal((await app.inject('/legacy/own')).json(), 'of the application')
    assert.equal((await app.inject('/legacy/owner')).statusCode, 203)
    assert.equal((await app.inject('/elsewhere')).statusCode, 404)
  })

  it('has the limits of the application', async () => {
    const limited = createApp(defineModule({ routers: [defineRouter({ prefix: '/legacy', mount: echo })] }), {
      logger: false,
      bodyLimit: 3,
    })
    const response = await limited.inject({ method: 'POST', url: '/legacy', body: 'long' })
    assert.deepEqual(
      [response.statusCode, response.json()],
      [413, { ...Object(response.json()), code: 'body_too_large' }],
    )
  })
})

/** What a context has. */
const MEMBERS: Readonly<Record<keyof ExecutionContext, true>> = {
  request: true,
  response: true,
  route: true,
  version: true,
  path: true,
  originalPath: true,
  requestId: true,
  identity: true,
  client: true,
  signal: true,
  state: true,
  log: true,
  resolve: true,
  since: true,
  kept: true,
  migrate: true,
  call: true,
  waitUntil: true,
  urlFor: true,
  allowedMethods: true,
  switchToHttpConnection: true,
}

/** What graphql-yoga does with the context that its `fetch` gets: copies its own members to an object that inherits from it. */
function derive(context: object): Record<string, unknown> {
  const derived = Object.defineProperties(
    Object.create(context),
    Object.getOwnPropertyDescriptors(context),
  ) as Record<string, unknown>
  return Object.create(derived) as Record<string, unknown>
}

describe('the context of a mounted handler', () => {
  it('works in objects that other frameworks derive from it, which they may write to', async () => {
    const seen: unknown[] = []
    const derives: WebHandler = (request, context) => {
      for (const derived of [derive(context), { ...context }, context]) {
        const typed = derived as typeof context
        const path = typed.urlFor('legacy.one', { id: 7 })
        Object.assign(derived, { request, params: { query: '{ me }' } })
        seen.push(derived['request'] === request, Reflect.get(derived, 'params'), path)
        for (const name of ['requestId', 'signal', 'log', 'state'] as const)
          assert.equal(typed[name], context[name], name)
        assert.deepEqual(
          Object.keys(MEMBERS).filter((name) => !(name in context)),
          [],
        )
      }
      return new Response(String(context.route?.name))
    }
    const named = createApp(
      defineModule({
        routers: [
          defineRouter({
            prefix: '/legacy',
            routes: [{ method: 'GET', path: '/one/{id:int}', name: 'one', handler: () => 1 }],
            mount: derives,
          }),
        ],
      }),
      { logger: false },
    )
    assert.equal((await named.inject('/legacy/x')).body, 'legacy.mount')
    const expected = [true, { query: '{ me }' }, '/legacy/one/7']
    assert.deepEqual(seen, [...expected, ...expected, ...expected])
  })

  it('passes on the id and the identity that the handler sets', async () => {
    const seen: unknown[] = []
    const named = createApp(
      defineModule({
        routers: [
          defineRouter({
            prefix: '/legacy',
            mount: (_request, context) => {
              Object.assign(context, { requestId: 'of the handler', identity: 'Ada' })
              return new Response()
            },
          }),
        ],
      }),
      {
        logger: false,
        middleware: [
          async (context, next) => {
            await next()
            seen.push(context.requestId, context.identity)
          },
        ],
      },
    )
    await named.inject('/legacy/x')
    assert.deepEqual(seen, ['of the handler', 'Ada'])
  })
})

/** What a ponyfill makes: nothing of it is of this realm, and headers are joined. */
class ForeignHeaders {
  forEach(call: (value: string, name: string) => void): void {
    call('text/plain', 'Content-Type')
    call('a=1', 'Set-Cookie')
  }
}
class ForeignStream {
  getReader(): unknown {
    const chunks = ['one ', 'two']
    return {
      read: async () => {
        const text = chunks.shift()
        return { done: text === undefined, value: text && new TextEncoder().encode(text) }
      },
      cancel: async () => {},
    }
  }
}
class ForeignResponse {
  readonly status = 202
  readonly headers = new ForeignHeaders()
  readonly body: unknown
  constructor(body: unknown) {
    this.body = body
  }
  async arrayBuffer(): Promise<ArrayBuffer> {
    return new Uint8Array([111, 110, 101, 32, 116, 119, 111]).buffer
  }
}

describe('a Response of another realm', () => {
  const responses: readonly [title: string, create: () => unknown, body: string][] = [
    ['with a stream', () => new ForeignResponse(new ForeignStream()), 'one two'],
    ['whose body is only read whole', () => new ForeignResponse(undefined), 'one two'],
    ['without a body', () => new ForeignResponse(null), ''],
    [
      'of the package undici',
      () =>
        new UndiciResponse('one two', {
          status: 202,
          headers: { 'content-type': 'text/plain', 'set-cookie': 'a=1' },
        }),
      'one two',
    ],
  ]
  for (const [title, create, expected] of responses) {
    it(`is sent from a mounted handler and from a route: ${title}`, async () => {
      const foreign = createApp(
        defineModule({
          controllers: [defineController({ prefix: '/route', routes: [{ method: 'GET', handler: create }] })],
          routers: [defineRouter({ prefix: '/mount', mount: () => create() as Response })],
        }),
        { logger: false },
      )
      for (const url of ['/route', '/mount/x']) {
        const { statusCode, headers, body } = await foreign.inject(url)
        assert.deepEqual([statusCode, headers['content-type'], body], [202, 'text/plain', expected], url)
        assert.deepEqual([headers['set-cookie']].flat(), ['a=1'])
      }
    })
  }

  it('is no class of your own that has a status', async () => {
    class Order {
      readonly status = 202
      readonly headers = ['a']
    }
    const foreign = serve(
      defineController({ prefix: '/route', routes: [{ method: 'GET', handler: () => new Order() }] }),
    )
    const response = await foreign.inject('/route')
    assert.deepEqual([response.statusCode, response.json()], [200, { status: 202, headers: ['a'] }])
  })
})

describe('a mounted router', () => {
  it('has guards and a version like any other', async () => {
    const closed = defineGuard({ name: 'closed', canActivate: ({ path }) => !path.includes('secret') })
    const versioned = createApp(
      defineModule({
        routers: [
          defineRouter({ prefix: '/one', version: '1', guards: [closed], mount: echo }),
          defineRouter({ prefix: '/all', version: VERSION_NEUTRAL, mount: echo }),
        ],
      }),
      { logger: false },
    )
    versioned.enableVersioning(VersioningSchemes.URL, { versionParameter: 'v' })
    const statuses = await Promise.all(
      ['/v1/one/x', '/v1/one/secret', '/one/x', '/all/x', '/v1/all/x'].map(
        async (url) => (await versioned.inject(url)).statusCode,
      ),
    )
    assert.deepEqual(statuses, [203, 403, 404, 203, 203])
  })

  it('can have routes of its own', async () => {
    const mixed = createApp(
      defineModule({
        routers: [
          defineRouter({
            prefix: '/x',
            routes: [{ method: 'GET', path: '/own', handler: () => 1 }],
            mount: echo,
          }),
        ],
      }),
      { logger: false },
    )
    assert.equal((await mixed.inject('/x/own')).statusCode, 200)
    assert.equal((await mixed.inject('/x/other')).statusCode, 203)
  })

  it('is refused when what it mounts is no function', () => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a caller without types may write
    const wrong = { fetch: echo } as unknown as WebHandler
    assert.throws(
      () => createApp(defineModule({ routers: [defineRouter({ prefix: '/x', mount: wrong })] })),
      (error) => {
        assert.ok(error instanceof DefinitionError)
        assert.deepEqual(placeless(error.errors), [
          {
            code: 'invalid_field',
            where: 'router /x',
            message: 'mount is an object with fetch',
            fix: 'give a function, or what defineUpstream returns',
          },
        ])
        return true
      },
    )
  })
})

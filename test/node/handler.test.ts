import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { after, describe, it } from 'node:test'

import { createApp, defineController, defineGuard, defineModule, reply, stream, text } from 'octavo'
import type { App, AppOptions, Middleware } from 'octavo'
import { bearerAuth } from 'octavo/auth'
import { z } from 'zod'

const cars = defineController({
  prefix: '/car',
  routes: [
    { method: 'GET', path: '/{id:int}', name: 'one', handler: ({ params }) => params },
    {
      method: 'POST',
      input: { body: z.object({ name: z.string() }) },
      handler: ({ body }, context) => ({ ...body, at: context.urlFor('car.one', { id: 7 }) }),
    },
    { method: 'PUT', handler: async (_input, { request }) => request.text() },
  ],
})

const create = (options: AppOptions = {}) =>
  createApp(defineModule({ controllers: [cars] }), { logger: false, ...options })

/** Serves with a listener that hands requests on, as Express does. */
async function serve(
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(listener)
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return `http://127.0.0.1:${address.port}`
}

/** Serves an application with something behind it. */
const serveBefore = (app: App): Promise<string> =>
  serve((request, response) => app.handler(request, response, () => response.end('behind')))

describe('app.handler behind software that edits headers', () => {
  const SignedIn = defineGuard({
    name: 'SignedIn',
    canActivate: ({ request }) => request.header('authorization') === 'Bearer inside',
  })
  const signedIn = bearerAuth({ verify: (token) => (token === 'inside' ? { id: 7 } : undefined) })
  const seen = defineController({
    prefix: '/seen',
    guards: [SignedIn, signedIn],
    routes: [
      {
        method: 'GET',
        input: { headers: { tags: z.array(z.string()), count: z.int() } },
        handler: ({ headers }, { request }) => ({ ...headers, all: request.headers['tags'] }),
      },
    ],
  })
  const app = createApp(defineModule({ controllers: [seen] }), { logger: false })
  const edits: readonly (readonly [title: string, edit: (request: IncomingMessage) => void])[] = [
    ['that it adds', () => undefined],
    ['beside a list that is empty', ({ rawHeaders }) => void rawHeaders.splice(0)],
    [
      'in the place of what was sent',
      ({ rawHeaders }) => void rawHeaders.push('authorization', 'Bearer outside'),
    ],
  ]
  for (const [title, edit] of edits)
    it(`sees headers ${title} everywhere`, async () => {
      const url = await serve((request, response) => {
        // as an adapter for serverless platforms sets the length
        Object.assign(request.headers, { authorization: 'Bearer inside', tags: 'a', count: 3 })
        edit(request)
        app.handler(request, response)
      })
      const response = await fetch(`${url}/seen`, { headers: { tags: 'outside', 'x-other': '1' } })
      assert.deepEqual(await response.json(), { tags: ['a'], count: 3, all: 'a' })
    })

  it('does not see headers that it removes', async () => {
    const url = await serve((request, response) => {
      delete request.headers.authorization
      app.handler(request, response)
    })
    const response = await fetch(`${url}/seen`, { headers: { authorization: 'Bearer inside' } })
    assert.equal(response.status, 403)
  })
})

describe('app.handler with a third argument', () => {
  it('calls it if nothing is served at the path, and answers everything else', async () => {
    const app = create()
    const url = await serveBefore(app)
    const cases: readonly (readonly [method: string, path: string, status: number, body: RegExp])[] = [
      ['GET', '/car/7', 200, /\{"id":7\}/],
      ['GET', '/elsewhere', 200, /^behind$/],
      ['POST', '/elsewhere', 200, /^behind$/],
      ['OPTIONS', '/elsewhere', 200, /^behind$/],
      ['DELETE', '/car/7', 405, /method_not_allowed/],
      ['GET', '/car/%zz', 400, /malformed_path/],
    ]
    for (const [method, path, status, body] of cases) {
      const response = await fetch(url + path, { method })
      assert.equal(response.status, status, `${method} ${path}`)
      assert.match(await response.text(), body)
    }
  })

  it('leaves the body to what is behind', async () => {
    const app = create()
    const url = await serve((request, response) =>
      app.handler(request, response, () => request.pipe(response)),
    )
    const response = await fetch(`${url}/elsewhere`, { method: 'POST', body: 'a body' })
    assert.equal(await response.text(), 'a body')
  })

  it('does not call it if middleware has answered, and logs nothing that it has not answered', async () => {
    const lines: string[] = []
    const keep = (_details: object, message = ''): void => void lines.push(message)
    const logger = { debug: keep, info: keep, warn: keep, error: keep }
    const middleware: Middleware = async (context, next) =>
      context.path === '/page' ? text('a page') : next()
    const url = await serveBefore(create({ middleware: [middleware], logger }))
    lines.length = 0
    assert.equal(await (await fetch(`${url}/page`)).text(), 'a page')
    assert.equal(lines.length, 1)
    assert.equal(await (await fetch(`${url}/elsewhere`)).text(), 'behind')
    assert.equal(lines.length, 1)
  })

  it('is called, too, for a request before the application was ready', async () => {
    const url = await serveBefore(create())
    assert.equal(await (await fetch(`${url}/elsewhere`)).text(), 'behind')
  })
})

describe('app.handler behind something that has read the body', () => {
  for (const method of ['POST', 'PUT']) {
    it(`answers ${method} with a 500 at once, and says why in the log`, async () => {
      const errors: unknown[] = []
      const ignore = (): void => undefined
      const error = (details: object): void => void errors.push(Reflect.get(details, 'err'))
      const app = create({ logger: { debug: ignore, info: ignore, warn: ignore, error } })
      const url = await serve(async (request, response) => {
        for await (const _ of request);
        app.handler(request, response)
      })
      const response = await fetch(`${url}/car`, {
        method,
        headers: { 'content-type': 'application/json' },
        body: '{"name":"Ford"}',
      })
      assert.equal(response.status, 500)
      assert.match(String(errors[0]), /put app\.handler before express\.json\(\)/)
    })
  }
})

describe('app.handler below a path', () => {
  it('links and redirects to paths below it', async () => {
    const app = create({ trailingSlash: 'redirect' })
    const url = await serve((request, response) => {
      // what Express does
      const { url: target = '' } = request
      Object.assign(request, { originalUrl: target, baseUrl: '/api', url: target.slice('/api'.length) })
      app.handler(request, response)
    })
    const response = await fetch(`${url}/api/car`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"name":"Ford"}',
    })
    assert.deepEqual(await response.json(), { name: 'Ford', at: '/api/car/7' })
    const redirected = await fetch(`${url}/api/car/7/?a=b`, { redirect: 'manual' })
    assert.deepEqual([redirected.status, redirected.headers.get('location')], [308, '/api/car/7?a=b'])
  })
})

describe('headers that something has set before app.handler', () => {
  const routes = [
    { method: 'GET', handler: () => ({ fine: true }) },
    { method: 'GET', path: '/stream', handler: () => stream(Readable.from(['a'])) },
    {
      method: 'GET',
      path: '/own',
      handler: () =>
        reply(200, 'a', {
          headers: { 'x-frame-options': 'SAMEORIGIN', vary: 'Accept' },
          cookies: { ours: '2' },
        }),
    },
  ] as const
  const app = createApp(defineModule({ controllers: [defineController({ prefix: '/', routes })] }), {
    logger: false,
  })
  /** As helmet does. */
  const listening = serve((request, response) => {
    response.setHeader('X-Frame-Options', 'DENY')
    response.setHeader('Content-Security-Policy', "default-src 'none'")
    response.setHeader('Set-Cookie', 'theirs=1')
    response.setHeader('Vary', 'Origin')
    app.handler(request, response)
  })

  it('are sent with every answer', async () => {
    const url = await listening
    const cases: readonly (readonly [path: string, status: number])[] = [
      ['/', 200],
      ['/stream', 200],
      ['/elsewhere', 404],
      ['/%zz', 400],
    ]
    for (const [path, status] of cases) {
      const response = await fetch(url + path)
      await response.text()
      assert.equal(response.status, status)
      assert.equal(response.headers.get('x-frame-options'), 'DENY', path)
      assert.equal(response.headers.get('content-security-policy'), "default-src 'none'", path)
    }
  })

  it('give way to those of a handler', async () => {
    const response = await fetch(`${await listening}/own`)
    assert.equal(response.headers.get('x-frame-options'), 'SAMEORIGIN')
    assert.equal(response.headers.get('content-security-policy'), "default-src 'none'")
  })

  it('keep their cookies and what the answer varies by', async () => {
    const response = await fetch(`${await listening}/own`)
    assert.equal(response.headers.get('vary'), 'Origin, Accept')
    const names = response.headers.getSetCookie().map((line) => line.split(';', 1)[0])
    assert.deepEqual(names, ['theirs=1', 'ours=2'])
  })
})

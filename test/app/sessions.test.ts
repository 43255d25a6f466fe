import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'

import {
  createApp,
  defineController,
  defineErrorHandler,
  defineGuard,
  defineInterceptor,
  defineModule,
  DefinitionError,
  ExecutionContext,
  notFound,
  Session,
} from 'octavo'
import type { SessionOptions } from 'octavo'
import { z } from 'zod'

import { createTestLogger, createTestStore, SECRET } from '../session/support.ts'

const Visit = z.object({ user: z.string().optional(), count: z.number().default(0) })
const injectSession = { session: Session.of(Visit) }

const signedIn = defineGuard({
  name: 'signed-in',
  inject: injectSession,
  canActivate: (_context, { session }) => session.data.user !== undefined,
})

const counting = defineInterceptor({
  name: 'counting',
  inject: injectSession,
  intercept: (_context, next, { session }) => {
    session.data.count++
    return next()
  },
})

const visits = defineController({
  prefix: '/visit',
  inject: injectSession,
  routes: [
    { method: 'GET', path: '/plain', handler: () => 'plain' },
    { method: 'GET', path: '/read', handler: ({ inject: { session } }) => ({ ...session.data }) },
    { method: 'POST', path: '/count', handler: ({ inject: { session } }) => ++session.data.count },
    {
      method: 'POST',
      path: '/login',
      input: { body: z.object({ user: z.string() }) },
      handler: async ({ inject: { session }, body }) => {
        await session.regenerate()
        session.data.user = body.user
      },
    },
    { method: 'POST', path: '/logout', handler: ({ inject: { session } }) => session.destroy() },
    {
      method: 'GET',
      path: '/mine',
      guards: [signedIn],
      handler: ({ inject: { session } }) => session.data.user,
    },
    {
      method: 'GET',
      path: '/counted',
      interceptors: [counting],
      handler: ({ inject: { session } }) => session.data.count,
    },
    {
      method: 'POST',
      path: '/count-and-fail',
      handler: ({ inject: { session } }) => {
        session.data.count++
        throw notFound('There is nothing here')
      },
    },
    {
      method: 'POST',
      path: '/wrong',
      handler: ({ inject: { session } }) => void Object.assign(session.data, { count: 'top secret' }),
    },
  ],
})

const without = defineController({
  prefix: '/without',
  routes: [
    { method: 'GET', handler: () => 'no session' },
    {
      method: 'GET',
      path: '/resolved',
      input: { inject: { context: ExecutionContext } },
      handler: async ({ inject: { context } }) => {
        const session = await context.resolve(injectSession.session)
        const again = await context.resolve(Session)
        return { same: session.id === again.id, count: ++session.data.count }
      },
    },
  ],
})

/** An application over a store that can be looked into, and a browser. */
function serve(options: Partial<SessionOptions> = {}) {
  const store = createTestStore()
  const log = createTestLogger()
  const app = createApp(defineModule({ controllers: [visits, without] }), {
    session: { secret: SECRET, schema: Visit, store, ...options },
    logger: log,
  })
  const cookies: Record<string, string> = {}
  const request = async (method: string, path: string, json?: object) => {
    const response = await app.inject({ method, url: path, cookies, ...(json === undefined ? {} : { json }) })
    for (const { name, value, maxAge } of response.cookies) {
      if (maxAge === 0) delete cookies[name]
      else cookies[name] = value ?? ''
    }
    return response
  }
  return { app, store, log, cookies, request }
}

describe('an application with sessions', () => {
  it('keeps data from one request to the next', async () => {
    const { request, cookies } = serve()
    const first = await request('POST', '/visit/count')
    assert.equal(first.json(), 1)
    assert.match(
      String(first.headers['set-cookie']),
      /^__Host-sid=[^;]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    const second = await request('POST', '/visit/count')
    assert.equal(second.json(), 2)
    assert.equal(second.headers['set-cookie'], undefined)
    assert.deepEqual(Object.keys(cookies), ['__Host-sid'])
  })

  it('neither reads nor sets anything where no session is injected, or it is only read', async () => {
    const { request, store } = serve()
    for (const path of ['/without', '/visit/read', '/nowhere']) {
      assert.equal((await request('GET', path)).headers['set-cookie'], undefined)
    }
    assert.deepEqual(store.calls, [])
    await request('POST', '/visit/count')
    store.calls.length = 0
    assert.equal((await request('GET', '/without')).headers['set-cookie'], undefined)
    assert.deepEqual(store.calls, [])
    assert.deepEqual((await request('GET', '/visit/read')).json(), { count: 1 })
    assert.deepEqual(store.calls, ['get'])
  })

  it('signs in under a new id, and out again', async () => {
    const { request, cookies, store } = serve()
    await request('POST', '/visit/count')
    assert.equal((await request('GET', '/visit/mine')).statusCode, 403)
    const before = cookies['__Host-sid']
    assert.equal((await request('POST', '/visit/login', { user: 'Ada' })).statusCode, 204)
    assert.notEqual(cookies['__Host-sid'], before)
    assert.equal((await request('GET', '/visit/mine')).json(), 'Ada')
    assert.deepEqual((await request('GET', '/visit/read')).json(), { user: 'Ada', count: 1 })
    await request('POST', '/visit/logout')
    assert.deepEqual(cookies, {})
    assert.equal(store.entries.size, 0)
    assert.equal((await request('GET', '/visit/mine')).statusCode, 403)
  })

  it('gives one session to guard, interceptor, handler and context.resolve', async () => {
    const { request, store } = serve()
    assert.equal((await request('GET', '/visit/counted')).json(), 1)
    store.calls.length = 0
    assert.deepEqual((await request('GET', '/without/resolved')).json(), { same: true, count: 2 })
    assert.deepEqual(store.calls, ['get', 'get', 'set'])
  })

  it('stores what changed before an error too', async () => {
    const { request } = serve()
    const response = await request('POST', '/visit/count-and-fail')
    assert.equal(response.statusCode, 404)
    assert.equal(response.cookies.length, 1)
    assert.deepEqual((await request('GET', '/visit/read')).json(), { count: 1 })
  })

  it('answers data that does not fit the schema with a 500 that says nothing', async () => {
    const { request, log, store } = serve()
    const response = await request('POST', '/visit/wrong')
    assert.equal(response.statusCode, 500)
    assert.equal(response.headers['set-cookie'], undefined)
    assert.equal(Object(response.json()).code, 'internal_error')
    assert.equal(store.entries.size, 0)
    const [line] = log.lines.filter(({ level }) => level === 'error')
    const text = inspect(line)
    assert.match(text, /count: invalid_type/)
    assert.ok(!response.body.includes('secret') && !text.includes('top secret'))
  })

  it('answers 409 when two requests sign in at once, and stores nothing of the second', async () => {
    const { request, store, cookies, app } = serve()
    await request('POST', '/visit/count')
    const { get } = store
    let waiting: (() => void)[] = []
    // both have read before either writes
    store.get = (key) =>
      new Promise((resolve) => {
        waiting.push(() => resolve(get(key)))
        if (waiting.length === 2) {
          store.get = get
          for (const go of waiting) go()
          waiting = []
        }
      })
    const login = (user: string) =>
      app.inject({ method: 'POST', url: '/visit/login', cookies, json: { user } })
    const [one, two] = await Promise.all([login('Ada'), login('Grace')])
    const [refused, accepted] = one.statusCode === 409 ? [one, two] : [two, one]
    assert.deepEqual([refused.statusCode, accepted.statusCode], [409, 204])
    assert.equal(Object(refused.json()).code, 'session_conflict')
    assert.equal(refused.headers['set-cookie'], undefined)
    assert.equal(store.entries.size, 1)
  })

  it('answers 503 while the store fails, and works again afterwards', async () => {
    const { request, store, log } = serve({ storeTimeout: 20 })
    await request('POST', '/visit/count')
    const { get, set } = store
    store.get = () => Promise.reject(new Error('refused at 10.0.0.1'))
    const reading = await request('GET', '/visit/read')
    store.get = get
    store.set = () => new Promise(() => undefined)
    const writing = await request('POST', '/visit/count')
    store.set = set
    for (const response of [reading, writing]) {
      assert.equal(response.statusCode, 503)
      assert.deepEqual(response.json(), {
        type: 'urn:octavo:problem:session-unavailable',
        title: 'Session unavailable',
        status: 503,
        detail: 'Sessions are not available at the moment; try again later',
        code: 'session_unavailable',
      })
    }
    assert.equal(log.lines.filter(({ level }) => level === 'error').length, 2)
    assert.equal((await request('GET', '/without')).statusCode, 200)
    assert.equal((await request('POST', '/visit/count')).json(), 2)
  })

  it('lets error handlers answer a session that cannot be stored', async () => {
    const store = createTestStore()
    store.set = () => Promise.reject(new Error('full'))
    const sorry = defineErrorHandler({ match: 503, handle: () => 'sorry' })
    const app = createApp(defineModule({ controllers: [visits] }), {
      session: { secret: SECRET, schema: Visit, store },
      errorHandlers: [sorry],
      logger: false,
    })
    const response = await app.inject({ method: 'POST', url: '/visit/count' })
    assert.deepEqual([response.json(), response.headers['set-cookie']], ['sorry', undefined])
  })

  it('keeps sessions in memory when no store is given', async () => {
    const app = createApp(defineModule({ controllers: [visits] }), {
      session: { secret: SECRET, schema: Visit },
      logger: false,
    })
    const [cookie] = (await app.inject({ method: 'POST', url: '/visit/count' })).cookies
    const cookies = { [cookie?.name ?? '']: cookie?.value ?? '' }
    const again = await app.inject({ method: 'POST', url: '/visit/count', cookies })
    assert.equal(again.json(), 2)
    await app.close()
  })
})

describe('createApp', () => {
  it('refuses bad session options without showing the secret', () => {
    assert.throws(
      () => createApp(defineModule({}), { session: { secret: 'tell-nobody' } }),
      (error) => {
        assert.ok(error instanceof DefinitionError)
        assert.match(
          error.message,
          /session\.secret is a string of \d+ characters\. Give text of 32 characters or more/,
        )
        assert.doesNotMatch(error.message, /tell-nobody/)
        return true
      },
    )
  })
})

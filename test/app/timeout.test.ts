import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { setImmediate as setImmediatePromise, setTimeout as delay } from 'node:timers/promises'
import { after, describe, it } from 'node:test'

import {
  createApp,
  defineErrorHandler,
  defineGuard,
  defineInterceptor,
  defineModule,
  defineProvider,
  HttpError,
  notFound,
  Session,
  sse,
  stream,
} from 'octavo'
import type { AppOptions, ExecutionContext, Logger, Middleware } from 'octavo'
import { z } from 'zod'

import { controller } from '../support/untyped.ts'

const TIME = 30

/** An application whose only route has the time limit. */
function create(route: object, options: AppOptions = {}, providers: readonly [] | readonly object[] = []) {
  const routes = [{ method: 'GET', ...route }]
  const module = { controllers: [controller({ prefix: '/', routes })], providers }
  return createApp(defineModule(module as object), {
    logger: false,
    timeouts: { handler: TIME },
    ...options,
  })
}

/** A promise with what settles it. */
function createPending<T = void>() {
  let settle: (value: T) => void = () => undefined
  let fail: (error: unknown) => void = () => undefined
  const promise = new Promise<T>((resolve, reject) => {
    settle = resolve
    fail = reject
  })
  return { promise, settle, fail }
}

const never = () => new Promise<never>(() => undefined)

/** A log that keeps its messages. */
function createLog() {
  const lines: (readonly [message: string, details: object])[] = []
  const keep = (details: object, message: string): void => void lines.push([message, details])
  const ignore = (): void => undefined
  const logger: Logger = { debug: ignore, info: ignore, warn: keep, error: keep }
  return { lines, logger }
}

const unhandled: unknown[] = []
const note = (error: unknown): void => void unhandled.push(error)
process.on('unhandledRejection', note)
after(() => {
  process.off('unhandledRejection', note)
  assert.deepEqual(unhandled, [])
})

const PROBLEM = {
  type: 'urn:octavo:problem:handler-timeout',
  title: 'Service Unavailable',
  status: 503,
  detail: `There was no answer within ${TIME} milliseconds`,
  code: 'handler_timeout',
}

describe('a route that takes too long', () => {
  const slowGuard = defineGuard({ name: 'Slow', canActivate: never })
  const slowInterceptor = defineInterceptor({ name: 'Slow', intercept: never })
  const Slow = defineProvider({ name: 'Slow', scope: 'request', create: never })
  const cases: readonly (readonly [title: string, route: object, providers?: readonly object[]])[] = [
    ['in its handler', { handler: never }],
    ['in a guard', { guards: [slowGuard], handler: () => 1 }],
    ['in an interceptor', { interceptors: [slowInterceptor], handler: () => 1 }],
    ['in middleware', { middleware: [never], handler: () => 1 }],
    ['in a provider', { inject: { slow: Slow }, handler: () => 1 }, [Slow]],
  ]
  for (const [title, { inject, ...route }, providers] of cases.map(
    ([name, given, list]) => [name, given as { inject?: object }, list] as const,
  )) {
    it(`${title} is answered with 503`, async () => {
      const app = create(inject === undefined ? route : { ...route, input: { inject } }, {}, providers)
      const response = await app.inject('/')
      assert.deepEqual(response.json(), PROBLEM)
      assert.equal(response.headers['retry-after'], undefined)
    })
  }

  it('may say so itself, against the application', async () => {
    const shorter = create({ timeout: 10, handler: never }, { timeouts: { handler: 60_000 } })
    assert.equal((await shorter.inject('/')).statusCode, 503)
    const longer = create({ timeout: 0, handler: () => delay(20, 'done') }, { timeouts: { handler: 5 } })
    assert.equal((await longer.inject('/')).json(), 'done')
    const huge = create({ timeout: Number.MAX_SAFE_INTEGER, handler: () => delay(20, 'done') })
    assert.equal((await huge.inject('/')).json(), 'done')
  })

  it('has 30 seconds by default', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] })
    const app = create({ handler: never }, { timeouts: {} })
    await app.ready()
    const response = app.inject('/')
    await setImmediatePromise()
    test.mock.timers.tick(29_999)
    assert.equal(await Promise.race([response, setImmediatePromise('waiting')]), 'waiting')
    test.mock.timers.tick(1)
    assert.equal((await response).statusCode, 503)
  })

  it('has no limit if the time is 0', async (test) => {
    const timers = test.mock.method(globalThis, 'setTimeout')
    const app = create({ handler: () => setImmediatePromise('done') }, { timeouts: { handler: 0 } })
    await app.ready()
    timers.mock.resetCalls()
    assert.equal((await app.inject('/')).json(), 'done')
    assert.equal(timers.mock.callCount(), 0)
  })

  it('has its signals aborted, with a reason', async () => {
    const reasons: unknown[] = []
    const handler = async (_input: object, { signal, request }: ExecutionContext) => {
      try {
        await delay(60_000, undefined, { signal })
      } finally {
        reasons.push(signal.reason, request.signal.reason)
      }
    }
    const { lines, logger } = createLog()
    const response = await create({ handler }, { logger }).inject('/')
    assert.equal(response.statusCode, 503)
    await delay(1)
    assert.deepEqual(
      reasons.map((reason) => reason instanceof DOMException && reason.name),
      ['TimeoutError', 'TimeoutError'],
    )
    // that it stopped is what it was asked to do
    assert.deepEqual(lines, [])
  })

  it('is not aborted when it is in time, and its timer is gone', async () => {
    let signal: AbortSignal | undefined
    const handler = async (_input: object, context: ExecutionContext) => {
      ;({ signal } = context)
      await delay(1)
      return 'done'
    }
    const app = create({ handler }, { timeouts: { handler: 60_000 } })
    await app.inject('/')
    assert.equal(signal?.aborted, false)
    assert.deepEqual(
      process.getActiveResourcesInfo().filter((name) => name === 'Timeout'),
      [],
    )
  })

  it('has no timer when it answers at once', async (test) => {
    const timers = test.mock.method(globalThis, 'setTimeout')
    const app = create({ handler: () => 'done' })
    await app.ready()
    timers.mock.resetCalls()
    assert.equal((await app.inject('/')).json(), 'done')
    assert.equal(timers.mock.callCount(), 0)
  })
})

describe('the time of a route', () => {
  /**
   * A body that takes longer than the time.
   *
   * @yields three chunks of JSON
   */
  async function* slowly(): AsyncGenerator<string> {
    for (const chunk of ['{"name"', ':', '"Ford"}']) {
      await delay(TIME)
      yield chunk
    }
  }
  const headers = { 'content-type': 'application/json' }
  const upload = { method: 'POST', url: '/', headers } as const

  it('begins when the input has been read', async () => {
    const seen: unknown[] = []
    const handler = async ({ body }: { body: unknown }) => {
      await delay(TIME / 2)
      seen.push(body)
      return 'done'
    }
    const app = create({ method: 'POST', input: { body: z.unknown() }, handler })
    const response = await app.inject({ ...upload, body: slowly() })
    assert.deepEqual([response.json(), seen], ['done', [{ name: 'Ford' }]])
  })

  it('goes on while the handler itself reads a body that is arriving', async () => {
    const handler = async (_input: object, { request }: ExecutionContext) => request.json()
    const app = create({ method: 'POST', handler })
    const response = await app.inject({ ...upload, body: slowly() })
    assert.deepEqual(response.json(), { name: 'Ford' })
  })

  it('is over for a handler that hangs once the body has arrived', async () => {
    const handler = async (_input: object, { request }: ExecutionContext) => {
      await request.json()
      return never()
    }
    const app = create({ method: 'POST', handler })
    const response = await app.inject({ ...upload, body: slowly() })
    assert.deepEqual(response.json(), PROBLEM)
  })

  it('ends with the result of the handler: streams and events go on', async () => {
    async function* late(): AsyncGenerator<string> {
      await delay(2 * TIME)
      yield 'one '
      await delay(2 * TIME)
      yield 'two'
    }
    async function* events(): AsyncGenerator<{ data: string }> {
      for await (const data of late()) yield { data }
    }
    const results = [
      async () => stream(late()),
      async () => late(),
      async () => new Response(new Blob(['one two']).stream()),
      async () => sse(events()),
    ]
    for (const handler of results) {
      const { statusCode, body } = await create({ handler }).inject('/')
      assert.equal(statusCode, 200)
      assert.match(body, /one [^]*two/)
    }
  })

  it('of its middleware has nothing of the time further inside', async () => {
    const order: string[] = []
    // each wait is far shorter, and all together are longer
    const timeout = 1_000
    const around: Middleware = async (_context, next) => {
      await delay(timeout / 4)
      await next()
      order.push('after')
      await delay(timeout / 4)
    }
    const handler = () => delay((timeout * 2) / 3, 'done')
    const input = { body: z.unknown() }
    const app = create({ method: 'POST', timeout, middleware: [around], input, handler })
    const response = await app.inject({ ...upload, body: slowly() })
    assert.deepEqual([response.json(), order], ['done', ['after']])
  })

  it('does not begin for what is behind middleware that was late', async () => {
    const pending = createPending()
    let isCalled = false
    const late: Middleware = async (_context, next) => {
      await pending.promise
      return next()
    }
    const app = create({ middleware: [late], handler: () => void (isCalled = true) })
    assert.equal((await app.inject('/')).statusCode, 503)
    pending.settle()
    await delay(5)
    assert.equal(isCalled, false)
  })
})

describe('a result after the 503', () => {
  it('is dropped, and a stream is told so', async () => {
    const source = new Readable({ read: () => undefined })
    const pending = createPending()
    const handler = async () => {
      await pending.promise
      return stream(source)
    }
    const response = await create({ handler }).inject('/')
    assert.equal(response.statusCode, 503)
    pending.settle()
    await once(source, 'close')
  })

  it('as an error is logged, unless it is an answer', async () => {
    for (const [error, expected] of [
      [new Error('late'), ['A request failed']],
      [notFound('late'), []],
    ] as const) {
      const { lines, logger } = createLog()
      const pending = createPending()
      const response = await create({ handler: () => pending.promise }, { logger }).inject('/')
      assert.equal(response.statusCode, 503)
      pending.fail(error)
      await delay(5)
      assert.deepEqual(
        lines.map(([message]) => message),
        expected,
      )
    }
  })

  it('is not shown to error handlers, which see the 503 once', async () => {
    const seen: unknown[] = []
    const handle = (error: HttpError) => {
      seen.push(error.code)
      return undefined
    }
    const errorHandlers = [
      defineErrorHandler({ match: HttpError, handle }),
      defineErrorHandler({ match: 500, handle: () => void seen.push('late') }),
    ]
    const pending = createPending()
    const response = await create({ errorHandlers, handler: () => pending.promise }).inject('/')
    assert.deepEqual(response.json(), PROBLEM)
    pending.fail(new Error('late'))
    await delay(5)
    assert.deepEqual(seen, ['handler_timeout'])
  })
})

describe('a 503 for lateness', () => {
  it('can be answered by error handlers, by code and status', async () => {
    for (const match of [HttpError, 503]) {
      const errorHandlers = [defineErrorHandler({ match, handle: () => ({ later: true }) })]
      const response = await create({ handler: never }, { errorHandlers }).inject('/')
      assert.deepEqual([response.statusCode, response.json()], [503, { later: true }])
    }
  })

  it('passes the middleware of the application', async () => {
    const middleware: Middleware = async (context, next) => {
      const response = await next()
      context.response.headers.set('x-seen', String(response.status))
      return response
    }
    const response = await create({ handler: never }, { middleware: [middleware] }).inject('/')
    assert.equal(response.headers['x-seen'], '503')
  })

  it('has nothing of what its route has set', async () => {
    const handler = (_input: object, context: ExecutionContext) => {
      context.response.headers.set('x-secret', 'yes')
      return never()
    }
    const response = await create({ handler }).inject('/')
    assert.equal(response.headers['x-secret'], undefined)
  })

  it('has the session of then', async () => {
    const Counted = { session: { secret: 'a secret for tests, long enough to be one' } }
    const handler = async ({ inject }: { inject: { session: { data: Record<string, unknown> } } }) => {
      inject.session.data['before'] = true
      await delay(2 * TIME)
      inject.session.data['after'] = true
    }
    const app = create({ input: { inject: { session: Session } }, handler }, Counted)
    const response = await app.inject('/')
    assert.equal(response.statusCode, 503)
    assert.equal(response.cookies.length, 1)
    await app.close()
  })
})

describe('providers of a request that is late', () => {
  const createScoped = (pending: Promise<unknown>) => {
    const log: string[] = []
    const Connection = defineProvider({
      name: 'Connection',
      scope: 'request',
      create: () => ({ query: () => log.push('query') }),
      dispose: () => void log.push('dispose'),
    })
    const handler = async ({ inject }: { inject: { connection: { query: () => void } } }) => {
      await pending
      inject.connection.query()
    }
    const app = create({ input: { inject: { connection: Connection } }, handler }, {}, [Connection])
    return { app, log }
  }

  it('is disposed when its handler has come to an end, not before', async () => {
    const pending = createPending()
    const { app, log } = createScoped(pending.promise)
    assert.equal((await app.inject('/')).statusCode, 503)
    await delay(5)
    assert.deepEqual(log, [])
    pending.settle()
    await delay(5)
    assert.deepEqual(log, ['query', 'dispose'])
  })

  it('is waited for when the application closes', async () => {
    const pending = createPending()
    const { app, log } = createScoped(pending.promise)
    await app.inject('/')
    const closed = app.close()
    await delay(5)
    assert.deepEqual(log, [])
    pending.settle()
    await closed
    assert.deepEqual(log, ['query', 'dispose'])
  })

  it('does not keep an application from closing that has lost patience', async () => {
    const app = create({ handler: never }, { timeouts: { handler: TIME, grace: 20 } })
    await app.inject('/')
    await app.close()
    await assert.rejects(async () => app.inject('/'))
  })
})

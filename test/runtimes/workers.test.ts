import assert from 'node:assert/strict'
import { syncBuiltinESMExports } from 'node:module'
import perfHooks from 'node:perf_hooks'
import { afterEach, beforeEach, describe, it, mock } from 'node:test'

import { createApp, defineController, defineModule, DefinitionError, reply } from 'octavo'
import { compression, loadShedding, staticFiles } from 'octavo/middleware'
import { createMemoryOutbox, createWebhooks, createWebhookSecret, defineWebhook } from 'octavo/webhooks'
import type { Delivery } from 'octavo/webhooks'
import { z } from 'zod'
import { placeless } from '../support/places.ts'

/** What Node has where workerd says its name. */
const own = Object.getOwnPropertyDescriptor(globalThis, 'navigator')

beforeEach(() => {
  Object.defineProperty(globalThis, 'navigator', {
    value: { userAgent: 'Cloudflare-Workers' },
    configurable: true,
  })
})

afterEach(() => {
  mock.restoreAll()
  syncBuiltinESMExports()
  Reflect.deleteProperty(globalThis, 'navigator')
  if (own !== undefined) Object.defineProperty(globalThis, 'navigator', own)
})

const long = 'Octavo '.repeat(1000)
const controller = defineController({
  prefix: '/',
  routes: [
    { method: 'GET', path: '/long', handler: () => long },
    { method: 'GET', path: '/fails', handler: () => Promise.reject(new Error('broken')) },
    {
      method: 'GET',
      path: '/encoded',
      handler: () => reply(200, Buffer.from('bytes'), { headers: { 'content-encoding': 'br' } }),
    },
  ],
})
const AppModule = defineModule({ controllers: [controller] })

/** The only mistake that a function throws. */
function problemOf(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    if (error instanceof DefinitionError && error.errors.length === 1) return placeless(error.errors)[0]
    throw error
  }
  return undefined
}

describe('in Workers', () => {
  it('the default logger writes to the console', async () => {
    const lines: unknown[] = []
    for (const level of ['log', 'warn', 'error'] as const)
      mock.method(console, level, (line: string) => lines.push([level, JSON.parse(line)]))
    const app = createApp(AppModule)
    await app.fetch(new Request('http://localhost/long'))
    await app.fetch(new Request('http://localhost/fails'))
    const seen = lines.map((entry) => {
      const [level, { msg, path }] = entry as readonly [
        string,
        { readonly msg: string; readonly path: string },
      ]
      return [level, msg, path]
    })
    assert.deepEqual(seen, [
      ['log', 'Request', '/long'],
      ['error', 'A request failed', undefined],
      ['log', 'Request', '/fails'],
    ])
  })

  it('compression leaves answers to the platform, which would compress them again', async () => {
    const app = createApp(AppModule, { logger: false, middleware: [compression()] })
    const headers = { 'accept-encoding': 'gzip, br' }
    const response = await app.fetch(new Request('http://localhost/long', { headers }))
    assert.equal(response.headers.get('content-encoding'), null)
    assert.equal(await response.json(), long)
  })

  it('a body that is encoded is not encoded again', async () => {
    const inits: unknown[] = []
    mock.method(globalThis, 'Response', function (body: unknown, init: ResponseInit) {
      inits.push('encodeBody' in init && init.encodeBody)
      return { body }
    })
    const app = createApp(AppModule, { logger: false })
    await app.fetch(new Request('http://localhost/encoded'))
    await app.fetch(new Request('http://localhost/long'))
    assert.deepEqual(inits, ['manual', false])
  })

  it('static files and Swagger UI say at start that there is no disk', async () => {
    assert.deepEqual(
      problemOf(() => staticFiles({ root: 'public' })),
      {
        code: 'invalid_option',
        where: 'staticFiles',
        message: 'there are no files in Workers',
        fix: "serve them as static assets of the platform, such as those of Wrangler's option assets",
      },
    )
    const app = createApp(AppModule, { logger: false, docs: { ui: 'swagger' } })
    await assert.rejects(app.ready(), (error) => {
      assert.deepEqual(error instanceof DefinitionError && placeless(error.errors), [
        {
          code: 'invalid_option',
          where: 'createApp',
          message: "docs.ui is 'swagger', and there are no files here to read it from",
          fix: 'leave docs.ui out for a plain list of the documents, or give a function that returns a page',
        },
      ])
      return true
    })
  })

  it('webhooks say that no memory lasts and nothing is sent, and are prepared for a queue', async () => {
    const problem = problemOf(() => createMemoryOutbox())
    assert.deepEqual(problem, {
      code: 'invalid_option',
      where: 'createMemoryOutbox',
      message: 'a Worker ends with its response',
      fix: 'give createWebhooks an outbox that stores deliveries, such as a queue of the platform',
    })
    const subscription = { id: 's1', url: 'https://hooks.example.com/', secrets: createWebhookSecret() }
    const subscriptions = { of: () => [subscription], find: () => subscription, disable: () => undefined }
    assert.deepEqual(
      problemOf(() => createWebhooks({ subscriptions })),
      problem,
    )
    const stored: Delivery[] = []
    const webhooks = createWebhooks({
      subscriptions,
      outbox: { add: (delivery) => stored.push(delivery) },
    })
    await webhooks.send(defineWebhook({ name: 'ping', schema: z.object({}) }), {})
    const [delivery] = stored
    assert.ok(delivery)
    for (const run of [() => webhooks.deliver(delivery), () => webhooks.checkUrl(subscription.url)])
      await assert.rejects(
        run,
        (error) => error instanceof DefinitionError && /a Worker cannot send webhooks/.test(error.message),
      )
    assert.equal(stored.length, 1)
    await webhooks.close()
  })

  it('loadShedding says at start that nothing measures the event loop', () => {
    mock.method(perfHooks, 'monitorEventLoopDelay', () => {
      throw new Error('The monitorEventLoopDelay method is not implemented')
    })
    syncBuiltinESMExports()
    assert.deepEqual(problemOf(loadShedding), {
      code: 'invalid_option',
      where: 'loadShedding',
      message: 'this platform does not measure how late its event loop is',
      fix: 'leave out loadShedding and let the platform distribute the load, or give measure',
    })
    assert.equal(typeof loadShedding({ measure: () => 0 }), 'function')
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  bind,
  createApp,
  defineController,
  defineModule,
  HttpError,
  reply,
  VersioningSchemes,
  type ExecutionContext,
} from 'octavo'
import { defineVersionChange, defineVersions, model, reshape } from 'octavo/changes'
import { idempotency } from 'octavo/idempotency'
import { defineUpstream } from 'octavo/upstream'
import { z } from 'zod'

const Order = model('Order', { label: z.string(), size: z.int().default(1) })
const renamed = defineVersionChange({
  version: '2',
  title: 'Labels',
  change: [reshape({ of: Order, fields: { label: { was: 'name' } } })],
})
const history = defineVersions({ versions: ['2', '1'], models: { Order }, changes: [renamed] })

/** Serves an API behind that makes orders. */
function serve(answer: () => Response | Promise<Response>, options = {}, url = 'http://127.0.0.1:1') {
  const shop = defineUpstream({ name: 'Shop', url, timeouts: { headers: 50 } })
  const orders = defineController({
    prefix: '/orders',
    name: 'orders',
    routes: [
      {
        method: 'POST',
        name: 'create',
        input: { body: Order },
        response: { 201: Order },
        forward: shop,
        interceptors: [idempotency(options)],
      },
    ],
  })
  let asked = 0
  const fake = (): Response | Promise<Response> => {
    asked++
    return answer()
  }
  const app = createApp(defineModule({ controllers: [orders] }), {
    logger: false,
    versioning: { scheme: VersioningSchemes.URL, history },
    ...(url === 'http://127.0.0.1:1' && { overrides: [bind(shop, fake)] }),
  })
  const post = async (version: string, json: object) => {
    const headers = { 'idempotency-key': '"8e03978e-40d5-43dd-bc93-6894a57f9324"' }
    const response = await app.inject({ method: 'POST', url: `/v${version}/orders`, json, headers })
    const { code }: { readonly code?: string } = JSON.parse(response.body || '{}')
    return [response.statusCode, code]
  }
  return { app, post, asked: () => asked }
}

const order = { label: 'a', size: 2 }
const made = (): Response => Response.json(order, { status: 201 })

describe('an order that is forwarded with an idempotency key', () => {
  const UNKNOWN: Readonly<
    Record<string, readonly [answer: () => Response | Promise<Response>, status: number]>
  > = {
    'is not answered in time': [() => new Promise<Response>(() => undefined), 504],
    'ends with a connection that breaks': [() => Promise.reject(new Error('reset')), 502],
    'is answered with 504 by a gateway behind': [() => Response.json({}, { status: 504 }), 504],
    'is answered by a result that cannot be used': [
      () => new Response('{', { status: 201, headers: { 'content-type': 'application/json' } }),
      502,
    ],
  }
  for (const [title, [answer, status]] of Object.entries(UNKNOWN))
    it(`keeps its key if it ${title}`, async () => {
      const { post, asked } = serve(answer)
      assert.equal((await post('1', { name: 'a', size: 2 }))[0], status)
      assert.deepEqual(await post('1', { name: 'a', size: 2 }), [409, 'idempotent_outcome_unknown'])
      assert.equal(asked(), 1)
    })

  it('runs again after such an outcome if that does no harm', async () => {
    let count = 0
    const { post } = serve(() => (count++ === 0 ? Response.json({}, { status: 504 }) : made()), {
      afterLease: 'run',
    })
    assert.equal((await post('2', order))[0], 504)
    assert.equal((await post('2', order))[0], 201)
  })

  it('frees its key if the API answers that it has failed, or was not reached', async () => {
    let count = 0
    const { post } = serve(() => (count++ === 0 ? Response.json({}, { status: 503 }) : made()))
    assert.equal((await post('2', order))[0], 503)
    assert.equal((await post('2', order))[0], 201)
    const gone = serve(made, {}, 'http://127.0.0.1:9')
    assert.deepEqual(await gone.post('2', order), [502, 'upstream_unreachable'])
    assert.deepEqual(await gone.post('2', order), [502, 'upstream_unreachable'])
    await gone.app.close()
  })

  it('keeps its key if a handler answers with such a status, in any form', async () => {
    const RESULTS: Readonly<Record<string, (context: ExecutionContext) => unknown>> = {
      'a reply': () => reply(504, {}),
      'a status of the response': (context) => {
        context.response.status = 504
        return {}
      },
      'an error': () => Promise.reject(new HttpError(502)),
    }
    for (const [title, answer] of Object.entries(RESULTS)) {
      let count = 0
      const route = {
        method: 'POST',
        path: '/',
        name: 'create',
        interceptors: [idempotency()],
        handler: (_input: unknown, context: ExecutionContext) => {
          count++
          return answer(context)
        },
      } as const
      const app = createApp(
        defineModule({ controllers: [defineController({ prefix: '/o', routes: [route] })] }),
        { logger: false },
      )
      const post = (): Promise<number> =>
        app
          .inject({
            method: 'POST',
            url: '/o',
            json: {},
            headers: { 'idempotency-key': '"0123456789abcdef"' },
          })
          .then(({ statusCode }) => statusCode)
      assert.ok((await post()) >= 502, title)
      assert.equal(await post(), 409, title)
      assert.equal(count, 1, title)
    }
  })

  it('is the same in each version', async () => {
    const { post, asked } = serve(made)
    assert.deepEqual(await post('1', { name: 'a', size: 2 }), [201, undefined])
    assert.deepEqual(await post('2', { size: 2, label: 'a' }), [201, undefined])
    assert.deepEqual(await post('2', { size: 3, label: 'a' }), [422, 'idempotency_key_reused'])
    assert.equal(asked(), 1)
  })
})

import assert from 'node:assert/strict'
import { setImmediate, setTimeout as delay } from 'node:timers/promises'
import { describe, it } from 'node:test'

import { defineController, defineErrorHandler, DefinitionError } from 'octavo'
import { loadShedding } from 'octavo/middleware'
import type { AppOptions, Middleware } from 'octavo'
import type { LoadSheddingOptions } from 'octavo/middleware'
import { block } from '../node/support.ts'
import { placeless } from '../support/places.ts'
import { serve } from '../support/serve.ts'

const controller = defineController({
  prefix: '/',
  routes: [{ method: 'GET', handler: () => 'done' }],
})

const create = (middleware: readonly Middleware[], options: AppOptions = {}) =>
  serve(controller, { middleware, ...options })

describe('loadShedding', () => {
  it('refuses requests while the process is too far behind, and takes them again afterwards', async () => {
    let late = 0
    const app = create([loadShedding({ maxDelay: 100, retryAfter: 7, measure: () => late })])
    const statuses: number[] = []
    for (late of [0, 100, 101, 5000, 100, 0]) statuses.push((await app.inject('/')).statusCode)
    assert.deepEqual(statuses, [200, 200, 503, 503, 200, 200])
  })

  it('says when to try again', async () => {
    const response = await create([loadShedding({ measure: () => 501 })]).inject('/')
    assert.deepEqual(response.json(), {
      type: 'urn:octavo:problem:overloaded',
      title: 'Service Unavailable',
      status: 503,
      detail: 'The server is overloaded; try again later',
      code: 'overloaded',
    })
    assert.equal(response.headers['retry-after'], '5')
  })

  it('refuses for what is not served, too, and lets middleware before it see the answer', async () => {
    const seen: number[] = []
    const watch: Middleware = async (_context, next) => {
      const response = await next()
      seen.push(response.status)
      return response
    }
    const app = create([watch, loadShedding({ measure: () => Infinity })])
    assert.equal((await app.inject('/nowhere')).statusCode, 503)
    assert.deepEqual(seen, [503])
  })

  it('leaves the answer to error handlers', async () => {
    const errorHandlers = [defineErrorHandler({ match: 503, handle: () => ({ busy: true }) })]
    const app = create([loadShedding({ measure: () => Infinity })], { errorHandlers })
    assert.deepEqual((await app.inject('/')).json(), { busy: true })
  })

  it('lets everything pass that cannot be measured', async () => {
    const app = create([loadShedding({ measure: () => Number.NaN })])
    assert.equal((await app.inject('/')).statusCode, 200)
  })

  it('measures the event loop, where a single long task is no load', async () => {
    // more than others on a busy machine delay this process
    const app = create([loadShedding({ maxDelay: 250 })])
    const ask = async (): Promise<number> => (await app.inject('/')).statusCode
    assert.equal(await ask(), 200)
    // one in each half of a second, which is what is summed up
    const single = async (): Promise<void> => {
      for (let round = 0; round < 3; round++) {
        block(300)
        await delay(150)
      }
    }
    await single()
    await until(200, ask, single)
    const work = async (): Promise<void> => {
      for (let round = 0; round < 4; round++) {
        block(400)
        await setImmediate()
      }
    }
    await until(503, ask, work)
    await until(200, ask, () => delay(100))
  })

  it('watches once, however many ask', async (test) => {
    const timers = test.mock.method(globalThis, 'setInterval')
    for (let count = 0; count < 5; count++) create([loadShedding()])
    assert.equal(timers.mock.callCount(), 0)
  })

  const wrong: readonly (readonly [title: string, options: unknown, message: string])[] = [
    ['no time', { maxDelay: 0 }, 'maxDelay'],
    ['a time that is none', { maxDelay: '1s' }, 'maxDelay'],
    ['a moment to try again that is none', { retryAfter: 1.5 }, 'retryAfter'],
    ['a measure that is none', { measure: 7 }, 'measure'],
    ['an unknown option', { delay: 7 }, 'there is no option "delay"'],
    ['no options', null, 'the options are null'],
  ]
  for (const [title, options, message] of wrong) {
    it(`does not take ${title}`, () => {
      assert.throws(
        () => loadShedding(options as LoadSheddingOptions),
        (error) => {
          assert.ok(error instanceof DefinitionError, String(error))
          assert.deepEqual(
            placeless(error.errors).map(({ where, message: said }) => [where, said.includes(message)]),
            [['loadShedding', true]],
          )
          return true
        },
      )
    })
  }
})

/** Does something between requests until a status comes. */
async function until(
  status: number,
  ask: () => Promise<number>,
  between: () => Promise<unknown>,
): Promise<void> {
  const end = performance.now() + 60_000
  while ((await ask()) !== status) {
    assert.ok(performance.now() < end, `no ${status}`)
    await between()
  }
}

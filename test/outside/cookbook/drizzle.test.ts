import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'

import { app, url } from './.recipes/drizzle.ts'

describe('the recipe for Drizzle', () => {
  after(() => app.close())

  const call = async (path: string, body?: object): Promise<readonly [status: number, body: unknown]> => {
    const response = await fetch(
      url + path,
      body && {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      },
    )
    return [response.status, await response.json()]
  }
  const centsOf = async (id: number): Promise<unknown> => {
    const [, account] = await call(`/accounts/${id}`)
    return Object(account).cents
  }

  it('commits what a handler has done', async () => {
    assert.deepEqual(await call('/accounts', { owner: 'Ann', cents: 100 }), [
      201,
      { id: 1, owner: 'Ann', cents: 100 },
    ])
    await call('/accounts', { owner: 'Bob', cents: 0 })
    const [status] = await call('/transfers', { from: 1, to: 2, cents: 30 })
    assert.deepEqual([status, await centsOf(1), await centsOf(2)], [200, 70, 30])
  })

  it('rolls back what a handler has done before it threw', async () => {
    const [status] = await call('/transfers', { from: 1, to: 9, cents: 30 })
    assert.deepEqual([status, await centsOf(1)], [404, 70])
  })

  it('answers 409 if the database refuses the amount', async () => {
    const [status, problem] = await call('/transfers', { from: 2, to: 1, cents: 31 })
    assert.deepEqual([status, Object(problem).detail], [409, 'The account has not enough money'])
    assert.deepEqual([await centsOf(1), await centsOf(2)], [70, 30])
  })

  it('keeps the transactions of requests apart', async () => {
    const transfers = Array.from({ length: 8 }, (_, at) =>
      call('/transfers', at % 2 === 0 ? { from: 1, to: 2, cents: 5 } : { from: 1, to: 9, cents: 5 }),
    )
    const statuses = (await Promise.all(transfers)).map(([status]) => status)
    assert.deepEqual(statuses, [200, 404, 200, 404, 200, 404, 200, 404])
    assert.deepEqual([await centsOf(1), await centsOf(2)], [50, 50])
  })

  it('takes every number of a path', async () => {
    const [status] = await call(`/accounts/${Number.MAX_SAFE_INTEGER}`)
    assert.equal(status, 404)
  })
})

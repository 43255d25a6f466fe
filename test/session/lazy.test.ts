import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { z } from 'zod'

import { createFixture } from './support.ts'

describe('a session', () => {
  it('of a client without cookie asks the store for nothing and sets nothing when it is only read', async () => {
    const { client, store } = createFixture()
    assert.deepEqual(await client.visit(({ data }) => assert.deepEqual(data, {})), [])
    assert.deepEqual(store.calls, [])
  })

  it('is stored and gets a cookie when its data changes', async () => {
    const { client, store } = createFixture()
    const lines = await client.visit(({ data }) => Object.assign(data, { name: 'Ada' }))
    assert.equal(lines.length, 1)
    assert.match(lines[0] ?? '', /^__Host-sid=[\w-]{32}\.[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    assert.deepEqual(store.calls, ['set'])
    assert.deepEqual(await client.read(), { name: 'Ada' })
  })

  it('costs one read, and writes and sets nothing, when it is only read', async () => {
    const { client, store } = createFixture()
    await client.visit(({ data }) => Object.assign(data, { name: 'Ada' }))
    store.calls.length = 0
    assert.deepEqual(await client.visit(({ data }) => data['name']), [])
    assert.deepEqual(store.calls, ['get'])
  })

  it('is stored again, without a new cookie, when something deep in its data changes', async () => {
    const { client, store } = createFixture({
      schema: z.object({ cart: z.array(z.object({ id: z.number(), count: z.number() })).default([]) }),
    })
    await client.visit(({ data }) => Object.assign(data, { cart: [{ id: 7, count: 1 }] }))
    store.calls.length = 0
    const lines = await client.visit(({ data }) => {
      Object.assign(Object(data['cart'])[0], { count: 2 })
    })
    assert.deepEqual(lines, [])
    assert.deepEqual(store.calls, ['get', 'get', 'set'])
    assert.deepEqual(await client.read(), { cart: [{ id: 7, count: 2 }] })
  })

  it('writes nothing when data is changed there and back', async () => {
    const { client, store } = createFixture()
    await client.visit(({ data }) => {
      data['name'] = 'Ada'
      delete data['name']
    })
    assert.deepEqual(store.calls, [])
  })

  it('is committed once', async () => {
    const { client, store } = createFixture()
    const { session, commit } = await client.open()
    Object.assign(session.data, { name: 'Ada' })
    assert.equal((await commit()).length, 1)
    assert.deepEqual(await commit(), [])
    assert.deepEqual(store.calls, ['set'])
    await assert.rejects(session.regenerate(), /stored already/)
    await assert.rejects(session.destroy(), /stored already/)
  })
})

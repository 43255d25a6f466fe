import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createClient, createFixture } from './support.ts'

const COOKIE = '__Host-sid'

async function createStored() {
  const fixture = createFixture()
  await fixture.client.visit(({ data }) => Object.assign(data, { cart: [7] }))
  fixture.store.calls.length = 0
  return fixture
}

describe('regenerate()', () => {
  it('gives a new id, keeps the data and deletes the old record', async () => {
    const { client, sessions, store } = await createStored()
    const before = { ...client.cookies }
    const lines = await client.visit(async (session) => {
      const old = session.id
      await session.regenerate()
      assert.notEqual(session.id, old)
      session.data['user'] = 'Ada'
    })
    assert.equal(lines.length, 1)
    assert.deepEqual(store.calls, ['get', 'get', 'set', 'set'])
    assert.equal(store.entries.size, 1)
    assert.deepEqual(await client.read(), { cart: [7], user: 'Ada' })
    assert.deepEqual(await createClient(sessions, before).read(), {})
  })

  it('stores a session that is new and empty', async () => {
    const { client, store } = createFixture()
    const lines = await client.visit(async (session) => {
      const old = session.id
      await session.regenerate()
      assert.notEqual(session.id, old)
    })
    assert.equal(lines.length, 1)
    assert.deepEqual(store.calls, ['set'])
  })

  it('keeps what another request stored meanwhile', async () => {
    const { client } = await createStored()
    const login = await client.open()
    await client.visit(({ data }) => Object.assign(data, { seen: true }))
    await login.session.regenerate()
    Object.assign(login.session.data, { user: 'Ada' })
    client.keep(await login.commit())
    assert.deepEqual(await client.read(), { cart: [7], seen: true, user: 'Ada' })
  })

  it('is refused after destroy()', async () => {
    const { client } = await createStored()
    const { session } = await client.open()
    await session.destroy()
    await assert.rejects(session.regenerate(), /destroyed/)
  })
})

describe('destroy()', () => {
  it('deletes the record and clears the cookie, with the attributes it was set with', async () => {
    const { client, store } = await createStored()
    const lines = await client.visit((session) => session.destroy())
    assert.deepEqual(lines, [
      `${COOKIE}=; Max-Age=0; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; Secure; SameSite=Lax`,
    ])
    assert.deepEqual(store.calls, ['get', 'delete'])
    assert.equal(store.entries.size, 0)
    assert.deepEqual(client.cookies, {})
  })

  it('of a client without cookie sets nothing and asks the store for nothing', async () => {
    const { client, store } = createFixture()
    assert.deepEqual(await client.visit((session) => session.destroy()), [])
    assert.deepEqual(store.calls, [])
  })

  it('clears a cookie that means nothing', async () => {
    const { sessions } = createFixture()
    const client = createClient(sessions, { [COOKIE]: 'nothing' })
    assert.equal((await client.visit((session) => session.destroy())).length, 1)
    assert.deepEqual(client.cookies, {})
  })

  it('drops what was changed before, and warns of what is changed after', async () => {
    const { client, store, log } = await createStored()
    await client.visit(async (session) => {
      session.data['a'] = 1
      await session.destroy()
      await session.destroy()
    })
    assert.deepEqual(log.lines, [])
    await client.visit(async (session) => {
      await session.destroy()
      session.data['secret'] = 'value'
    })
    assert.equal(store.entries.size, 0)
    assert.deepEqual(log.lines, [
      {
        level: 'warn',
        details: {},
        message: 'Data was changed after the session was destroyed, and is not stored',
      },
    ])
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createFixture } from './support.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

describe('a session without requests', () => {
  it('ends after half an hour, whatever the store still has', async ({ mock }) => {
    mock.timers.enable({ apis: ['Date'], now: HOUR })
    const { client, store } = createFixture()
    await client.visit(({ data }) => Object.assign(data, { name: 'Ada' }))
    mock.timers.tick(30 * MINUTE - 1)
    assert.deepEqual(await client.read(), { name: 'Ada' })
    mock.timers.tick(1)
    assert.equal(store.entries.size, 1)
    assert.deepEqual(await client.read(), {})
  })
})

describe('a session that is read', () => {
  it('is written at most once in a tenth of the idle time', async ({ mock }) => {
    mock.timers.enable({ apis: ['Date'], now: HOUR })
    const { client, store } = createFixture()
    await client.visit(({ data }) => Object.assign(data, { name: 'Ada' }))
    store.calls.length = 0
    for (let second = 0; second < 1800; second += 10) {
      mock.timers.tick(10_000)
      assert.deepEqual(await client.visit(), [])
    }
    assert.equal(store.calls.filter((call) => call === 'set').length, 10)
    assert.deepEqual(await client.read(), { name: 'Ada' })
  })

  it('ends all the same when its absolute time is over', async ({ mock }) => {
    mock.timers.enable({ apis: ['Date'], now: HOUR })
    const { client } = createFixture()
    await client.visit(({ data }) => Object.assign(data, { name: 'Ada' }))
    for (let minutes = 10; minutes < 12 * 60; minutes += 10) {
      mock.timers.tick(10 * MINUTE)
      await client.visit(({ data }) => void (data['minutes'] = minutes))
      assert.equal((await client.read())['name'], 'Ada', `${minutes} minutes`)
    }
    mock.timers.tick(10 * MINUTE)
    assert.deepEqual(await client.read(), {})
  })

  it('counts the absolute time anew when it is regenerated', async ({ mock }) => {
    mock.timers.enable({ apis: ['Date'], now: HOUR })
    const { client } = createFixture({ idleTimeout: HOUR, absoluteTimeout: HOUR })
    await client.visit(({ data }) => Object.assign(data, { name: 'Ada' }))
    mock.timers.tick(HOUR - 1)
    await client.visit((session) => session.regenerate())
    mock.timers.tick(HOUR - 1)
    assert.deepEqual(await client.read(), { name: 'Ada' })
    mock.timers.tick(1)
    assert.deepEqual(await client.read(), {})
  })

  it('gets its cookie again when it is stored and the cookie has an age', async ({ mock }) => {
    mock.timers.enable({ apis: ['Date'], now: HOUR })
    const { client } = createFixture({ cookie: { maxAge: 1800 } })
    await client.visit(({ data }) => Object.assign(data, { name: 'Ada' }))
    assert.deepEqual(await client.visit(), [])
    mock.timers.tick(3 * MINUTE)
    const lines = await client.visit()
    assert.equal(lines.length, 1)
    assert.match(lines[0] ?? '', /Max-Age=1800/)
    assert.deepEqual(await client.visit(), [])
  })

  it('is not brought back to life by its renewal', async ({ mock }) => {
    mock.timers.enable({ apis: ['Date'], now: HOUR })
    const { client, store } = createFixture()
    await client.visit(({ data }) => Object.assign(data, { name: 'Ada' }))
    mock.timers.tick(10 * MINUTE)
    const reading = await client.open()
    const ending = await client.open()
    await ending.session.destroy()
    await ending.commit()
    assert.deepEqual(await reading.commit(), [])
    assert.equal(store.entries.size, 0)
  })

  it('is answered when its renewal fails, and the log has the reason', async ({ mock }) => {
    mock.timers.enable({ apis: ['Date'], now: HOUR })
    const { client, store, log } = createFixture()
    await client.visit(({ data }) => Object.assign(data, { name: 'Ada' }))
    mock.timers.tick(10 * MINUTE)
    const reading = await client.open()
    store.set = () => Promise.reject(new Error('read only'))
    assert.deepEqual(await reading.commit(), [])
    assert.deepEqual(
      log.lines.map(({ level, message }) => [level, message]),
      [['error', 'The store of sessions fails']],
    )
  })
})

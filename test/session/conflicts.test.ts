import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import type { Session, SessionOptions } from 'octavo'
import { z } from 'zod'

import { createFixture } from './support.ts'
import { HttpError } from 'octavo'

type Use = (session: Session) => unknown

/** Opens two requests at once, changes both, commits one after the other; what the second commit came to. */
async function race(options: Partial<SessionOptions>, first: Use, second: Use) {
  const fixture = createFixture(options)
  const { client } = fixture
  await client.visit(({ data }) => Object.assign(data, { a: 1, b: 1 }))
  const [one, two] = [await client.open(), await client.open()]
  await first(one.session)
  await second(two.session)
  const firstLines = await one.commit()
  const outcome = await two.commit().catch((error: unknown) => error)
  client.keep(firstLines)
  return { ...fixture, outcome }
}

function assertConflict(outcome: unknown) {
  assert.ok(outcome instanceof HttpError, String(outcome))
  assert.deepEqual([outcome.status, outcome.code, outcome.members], [409, 'session_conflict', {}])
}

describe('session: two requests that change it at the same time', () => {
  it('both count when they change different keys', async () => {
    const { outcome, client } = await race(
      {},
      ({ data }) => void (data['a'] = 2),
      ({ data }) => void (data['c'] = 3),
    )
    assert.deepEqual(outcome, [])
    assert.deepEqual(await client.read(), { a: 2, b: 1, c: 3 })
  })

  it('both count when one removes a key', async () => {
    const { client } = await race(
      {},
      ({ data }) => void delete data['a'],
      ({ data }) => void (data['b'] = 2),
    )
    assert.deepEqual(await client.read(), { b: 2 })
  })

  it('are no conflict when they make the same change', async () => {
    const { outcome, client } = await race(
      {},
      ({ data }) => void (data['a'] = { x: [1] }),
      ({ data }) => void (data['a'] = { x: [1] }),
    )
    assert.deepEqual(outcome, [])
    assert.deepEqual(await client.read(), { a: { x: [1] }, b: 1 })
  })

  for (const [title, first, second] of [
    ['change', (data) => void (data['a'] = 2), (data) => void (data['a'] = 3)],
    ['add', (data) => void (data['c'] = 2), (data) => void (data['c'] = 3)],
    ['change and remove', (data) => void (data['a'] = 2), (data) => void delete data['a']],
    ['remove and change', (data) => void delete data['a'], (data) => void (data['a'] = 2)],
  ] satisfies [string, (data: Record<string, unknown>) => void, (data: Record<string, unknown>) => void][]) {
    it(`are a 409 when they ${title} one key, and nothing of the second is stored`, async () => {
      const { outcome, client } = await race(
        {},
        ({ data }) => first(data),
        ({ data }) => {
          second(data)
          data['other'] = true
        },
      )
      assertConflict(outcome)
      const expected: Record<string, unknown> = { a: 1, b: 1 }
      first(expected)
      assert.deepEqual(await client.read(), expected)
    })
  }

  it("are a warning with the keys, and the later wins, under conflicts: 'overwrite'", async () => {
    const { outcome, client, log } = await race(
      { conflicts: 'overwrite' },
      ({ data }) => Object.assign(data, { a: 'first', b: 2 }),
      ({ data }) => Object.assign(data, { a: 'second', c: 3 }),
    )
    assert.deepEqual(outcome, [])
    assert.deepEqual(await client.read(), { a: 'second', b: 2, c: 3 })
    assert.deepEqual(
      log.lines.map(({ level, details }) => [level, details]),
      [['warn', { keys: ['a'] }]],
    )
  })

  it('do not conflict over defaults that neither has stored', async () => {
    const schema = z.looseObject({ list: z.array(z.number()).default([]) })
    const fixture = createFixture()
    const { client, store } = fixture
    await client.visit(({ data }) => Object.assign(data, { a: 1 }))
    const typed = createFixture({ schema, store })
    Object.assign(typed.client.cookies, client.cookies)
    const [one, two] = [await typed.client.open(), await typed.client.open()]
    Object.assign(one.session.data, { a: 2 })
    Object.assign(two.session.data, { list: [7] })
    await one.commit()
    await two.commit()
    assert.deepEqual(await typed.client.read(), { a: 2, list: [7] })
  })

  it('are a 409 when each change fits the schema and both together do not', async () => {
    const schema = z
      .object({ a: z.number().default(0), b: z.number().default(0) })
      .refine(({ a, b }) => a + b <= 3)
    const { outcome } = await race(
      { schema },
      ({ data }) => void (data['a'] = 2),
      ({ data }) => void (data['b'] = 2),
    )
    assertConflict(outcome)
  })
})

describe('a session that another request ended', () => {
  for (const conflicts of ['refuse', 'overwrite'] as const) {
    it(`by destroying it is a 409 and not brought back to life (${conflicts})`, async () => {
      const { outcome, store } = await race(
        { conflicts },
        (session) => session.destroy(),
        ({ data }) => void (data['a'] = 2),
      )
      assertConflict(outcome)
      assert.equal(store.entries.size, 0)
    })
  }

  it('by regenerating it is a 409', async () => {
    const { outcome, client, store } = await race(
      {},
      (session) => session.regenerate(),
      (session) => session.regenerate(),
    )
    assertConflict(outcome)
    assert.equal(store.entries.size, 1)
    assert.deepEqual(await client.read(), { a: 1, b: 1 })
  })

  it('can be destroyed once more', async () => {
    const { outcome } = await race(
      {},
      (session) => session.destroy(),
      (session) => session.destroy(),
    )
    assert.equal(Array.isArray(outcome), true)
  })
})

describe('a session that another process changes between reading and writing', () => {
  /** Changes the session with each of so many writes. */
  async function raceProcess(times: number) {
    const { client, store } = createFixture()
    await client.visit(({ data }) => Object.assign(data, { a: 1, count: 0 }))
    const { set } = store
    let left = times
    store.set = async (key, value, options) => {
      const known = store.entries.get(key) ?? ''
      if (left-- > 0) store.entries.set(key, known.replace(/"count":\d+/, `"count":${left + 1}`))
      return set(key, value, options)
    }
    const outcome = await client.visit(({ data }) => void (data['a'] = 2)).catch((error: unknown) => error)
    return { outcome, data: await client.read() }
  }

  it('keeps both changes', async () => {
    assert.deepEqual(await raceProcess(3), { outcome: [], data: { a: 2, count: 1 } })
  })

  it('is a 409 if that happens again and again', async () => {
    const { outcome, data } = await raceProcess(1000)
    assertConflict(outcome)
    assert.equal(data['a'], 1)
  })
})

describe('a session that another process changes or ends while this one regenerates it', () => {
  /** Regenerates the session, and has another process act on the stored entries at the first write. */
  async function raceRegeneration(act: (entries: Map<string, string>, key: string) => void) {
    const { client, store } = createFixture()
    await client.visit(({ data }) => Object.assign(data, { a: 1, count: 0 }))
    const [key = ''] = store.entries.keys()
    const { set } = store
    let hasActed = false
    store.set = async (...given) => {
      if (!hasActed) act(store.entries, key)
      hasActed = true
      return set(...given)
    }
    const outcome = await client.visit((session) => session.regenerate()).catch((error: unknown) => error)
    return { outcome, store, client }
  }

  it('stays destroyed, and is a 409', async () => {
    const { outcome, store } = await raceRegeneration((entries, key) => entries.delete(key))
    assertConflict(outcome)
    assert.equal(store.entries.size, 0)
  })

  it('has one new id, and is a 409', async () => {
    const { outcome, store } = await raceRegeneration((entries, key) => {
      entries.set('session:other', entries.get(key) ?? '')
      entries.delete(key)
    })
    assertConflict(outcome)
    assert.deepEqual([...store.entries.keys()], ['session:other'])
  })

  it('keeps the change of the other process', async () => {
    const { store, client } = await raceRegeneration((entries, key) => {
      entries.set(key, (entries.get(key) ?? '').replace('"count":0', '"count":5'))
    })
    assert.equal(store.entries.size, 1)
    assert.deepEqual(await client.read(), { a: 1, count: 5 })
  })
})

describe('many requests that change one session at once', () => {
  it('lose no change when each has its own key', async () => {
    const { client, store } = createFixture()
    await client.visit(({ data }) => Object.assign(data, { start: true }))
    const { get, set } = store
    const slow = () => new Promise((resolve) => setTimeout(resolve, 1))
    store.get = async (key) => {
      await slow()
      return get(key)
    }
    store.set = async (key, value, options) => {
      await slow()
      return set(key, value, options)
    }
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => client.visit(({ data }) => void (data[`k${index}`] = index))),
    )
    assert.equal(Object.keys(await client.read()).length, 51)
  })
})

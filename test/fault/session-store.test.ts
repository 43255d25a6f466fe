import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'

import { Session } from 'octavo'
import type { InjectResponse, StoreSetOptions } from 'octavo'

import { serve } from '../support/serve.ts'

/** How a store behaves at the moment. */
type Mode =
  | 'well'
  | 'rejects'
  | 'throws'
  | 'hangs'
  | 'hangs, then rejects'
  | 'says nothing'
  | 'gives nonsense'

// above what a busy machine needs for the stores that work
const STORE_TIMEOUT = 250
const LOAD = 60

function createFaultyStore() {
  const entries = new Map<string, string>()
  let mode: Mode = 'well'
  const call = <T>(work: () => T): T | Promise<T> => {
    if (mode === 'throws') throw new Error('The store is broken')
    if (mode === 'rejects') return Promise.reject(new Error('The store is away'))
    if (mode === 'hangs') return new Promise<T>(() => undefined)
    if (mode === 'hangs, then rejects')
      return delay(STORE_TIMEOUT * 2).then(() => Promise.reject(new Error('The store gave up')))
    return work()
  }
  return {
    set: async (key: string, value: string, { ifEqual = entries.get(key) }: StoreSetOptions = {}) =>
      call(() => {
        // as stores do that are written in JavaScript
        if (mode === 'says nothing') return undefined as unknown as boolean
        return ifEqual === entries.get(key) && entries.set(key, value) === entries
      }),
    get: (key: string) => call(() => (mode === 'gives nonsense' ? '{"not":' : entries.get(key))),
    delete: (key: string) => call(() => entries.delete(key)),
    become: (next: Mode) => {
      mode = next
    },
  }
}

function createSessionApp() {
  const store = createFaultyStore()
  const app = serve(
    [
      {
        method: 'GET',
        path: '/visit',
        input: { inject: { session: Session } },
        handler: ({ inject: { session } }) => {
          const count = Number(Reflect.get(session.data, 'count') ?? 0) + 1
          Object.assign(session.data, { count })
          return { count }
        },
      },
      { method: 'GET', path: '/plain', handler: () => 'plain' },
    ],
    {
      session: {
        secret: 'a secret of more than 32 characters',
        store,
        storeTimeout: STORE_TIMEOUT,
        cookie: { name: 'sid', secure: false },
        conflicts: 'overwrite',
      },
      timeouts: { grace: 300_000 },
    },
  )
  return { app, store }
}

const count = (answers: readonly InjectResponse[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { statusCode } of answers) counts[statusCode] = (counts[statusCode] ?? 0) + 1
  return counts
}

describe('a session store', () => {
  for (const mode of ['rejects', 'throws', 'hangs', 'hangs, then rejects', 'says nothing'] as const) {
    it(`that ${mode} under load costs those a 503 who need it, and serves again when it is well`, async () => {
      const { app, store } = createSessionApp()
      const first = await app.inject('/visit')
      const [cookie] = first.cookies
      assert.ok(cookie?.value !== undefined, 'a session began')
      const cookies = { sid: cookie.value }
      store.become(mode)
      const start = performance.now()
      const [needing, others] = await Promise.all([
        Promise.all(Array.from({ length: LOAD }, () => app.inject({ url: '/visit', cookies }))),
        Promise.all(Array.from({ length: LOAD }, () => app.inject({ url: '/plain', cookies }))),
      ])
      const took = performance.now() - start
      assert.deepEqual([count(needing), count(others)], [{ 503: LOAD }, { 200: LOAD }])
      // if they waited for each other, they would take this long
      assert.ok(took < LOAD * STORE_TIMEOUT, `the answers took ${took} ms`)
      for (const answer of needing) {
        assert.equal(Reflect.get(Object(answer.json()), 'code'), 'session_unavailable')
        assert.doesNotMatch(answer.body, /broken|away|gave up/)
      }
      store.become('well')
      // one request at a time tries a store again that gave no answer
      let again = await app.inject({ url: '/visit', cookies })
      for (let tries = 0; again.statusCode !== 200 && tries < 1000; tries++) {
        await delay(20)
        again = await app.inject({ url: '/visit', cookies })
      }
      assert.deepEqual(again.json(), { count: 2 })
      await app.close()
    })
  }

  it('that comes and goes under load never mixes sessions up', async () => {
    const { app, store } = createSessionApp()
    const clients = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const { cookies } = await app.inject('/visit')
        return { cookies: { sid: cookies[0]?.value ?? '' }, stored: 1 }
      }),
    )
    const modes = ['well', 'rejects', 'well', 'throws', 'well', 'says nothing', 'well'] as const
    for (const mode of modes) {
      store.become(mode)
      await Promise.all(
        clients.map(async (client) => {
          const answer = await app.inject({ url: '/visit', cookies: client.cookies })
          if (answer.statusCode !== 200) return assert.equal(answer.statusCode, 503)
          assert.deepEqual(answer.json(), { count: client.stored + 1 })
          client.stored++
        }),
      )
    }
    assert.deepEqual(new Set(clients.map(({ stored }) => stored)), new Set([5]))
    await app.close()
  })

  it('that gives nonsense costs a session, not an answer in confusion', async () => {
    const { app, store } = createSessionApp()
    const { cookies } = await app.inject('/visit')
    store.become('gives nonsense')
    const answer = await app.inject({ url: '/visit', cookies: { sid: cookies[0]?.value ?? '' } })
    assert.ok([200, 503].includes(answer.statusCode), `${answer.statusCode} ${answer.body}`)
    await app.close()
  })

  it('that hangs does not hold close back longer than its time limit', async () => {
    const { app, store } = createSessionApp()
    store.become('hangs')
    const visit = app.inject('/visit')
    const start = performance.now()
    await app.close()
    const took = performance.now() - start
    assert.ok(took < 60_000, `close took ${took} ms`)
    assert.equal((await visit).statusCode, 503)
  })
})

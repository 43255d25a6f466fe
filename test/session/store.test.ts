import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'node:test'

import { Keyv } from 'keyv'

import { createClient, createFixture, createTestLogger, createTestStore, SECRET } from './support.ts'
import { HttpError } from 'octavo'
import { createSessionStore as createMemoryStore, createSessions } from '../inside/server.ts'

function isUnavailable(error: unknown) {
  assert.ok(error instanceof HttpError, String(error))
  assert.deepEqual([error.status, error.code, error.members], [503, 'session_unavailable', {}])
  return true
}

const never = () => new Promise<never>(() => undefined)
const refuse = () => Promise.reject(new Error('connection refused at 10.0.0.1'))

describe('a store that fails', () => {
  for (const method of ['get', 'set', 'delete'] as const) {
    for (const [how, fail] of [
      ['rejects', refuse],
      [
        'throws',
        (): never => {
          throw new Error('connection refused at 10.0.0.1')
        },
      ],
      ['never answers', never],
    ] as const) {
      it(`is a 503 with the cause in the log when ${method} ${how}`, async () => {
        const { client, store, log } = createFixture({ storeTimeout: 300 })
        await client.visit(({ data }) => Object.assign(data, { name: 'Ada' }))
        store[method] = fail
        const use = client.visit(async (session) => {
          if (method === 'delete') await session.destroy()
          else session.data['name'] = 'Grace'
        })
        await assert.rejects(use, isUnavailable)
        const [line] = log.lines
        assert.equal(log.lines.length, 1)
        assert.deepEqual([line?.level, line?.message], ['error', 'The store of sessions fails'])
        assert.match(
          String(Object(line?.details).err),
          how === 'never answers' ? /no answer within/ : /refused/,
        )
      })
    }
  }

  it('is read once more, because a connection that breaks takes the reads under way with it', async () => {
    const { client, store, log } = createFixture()
    await client.visit(({ data }) => Object.assign(data, { name: 'Ada' }))
    const { get } = store
    let reads = 0
    store.get = (key) => (++reads === 1 ? Promise.reject(new Error('Socket closed')) : get(key))
    assert.deepEqual(await client.read(), { name: 'Ada' })
    assert.deepEqual([reads, log.lines], [2, []])
  })

  it('is a 503 when set says that nothing was stored', async () => {
    const { client, store } = createFixture()
    store.set = async () => false
    await assert.rejects(
      client.visit(({ data }) => Object.assign(data, { a: 1 })),
      isUnavailable,
    )
  })

  it('keeps no one waiting longer than one time limit, however many change one session', async () => {
    const { client, store } = createFixture({ storeTimeout: 600 })
    await client.visit(({ data }) => Object.assign(data, { a: 1 }))
    const open = await Promise.all(Array.from({ length: 10 }, () => client.open()))
    store.get = never
    const start = performance.now()
    const outcomes = await Promise.allSettled(
      open.map(({ session, commit }, index) => {
        session.data['b'] = index
        return commit()
      }),
    )
    assert.ok(outcomes.every(({ status }) => status === 'rejected'))
    // one after the other, they would wait for 6 seconds
    assert.ok(performance.now() - start < 5_000)
  })

  it('does not stop the program when it rejects after the time is over', async () => {
    const { client, store } = createFixture({ storeTimeout: 10 })
    store.set = async () => {
      await sleep(30)
      throw new Error('late')
    }
    await assert.rejects(
      client.visit(({ data }) => Object.assign(data, { a: 1 })),
      isUnavailable,
    )
    await sleep(40)
  })
})

describe('a Keyv as the store', () => {
  /** An adapter that rejects. */
  function createBroken() {
    const { get, set, delete: remove } = createTestStore()
    const adapter = { opts: {}, get, set, delete: remove, clear: async () => undefined, on: () => adapter }
    return { adapter, fail: () => Object.assign(adapter, { get: refuse, set: refuse, delete: refuse }) }
  }

  it('is asked with keys of its own namespace, and holds text', async () => {
    const map = new Map<string, unknown>()
    const store = new Keyv({ store: map, namespace: 'shop' })
    const client = createClient(createSessions({ secret: SECRET, store }, createTestLogger()))
    await client.visit(({ data }) => Object.assign(data, { note: ':base64:AAAA', toJSON: 1 }))
    assert.deepEqual(await client.read(), { note: ':base64:AAAA', toJSON: 1 })
    assert.match([...map.keys()].join(' '), /^shop:session:[\w-]{32}$/)
  })

  it('is a 503 when its adapter rejects, which keyv itself would not tell of', async () => {
    const { adapter, fail } = createBroken()
    const store = new Keyv({ store: adapter })
    const log = createTestLogger()
    const client = createClient(createSessions({ secret: SECRET, store }, log))
    await client.visit(({ data }) => Object.assign(data, { a: 1 }))
    const { session, commit } = await client.open()
    fail()
    await assert.rejects(client.read(), isUnavailable)
    await session.destroy()
    await assert.rejects(commit(), isUnavailable)
    await assert.rejects(
      createClient(createSessions({ secret: SECRET, store }, log)).visit(({ data }) =>
        Object.assign(data, { a: 1 }),
      ),
      isUnavailable,
    )
    assert.equal(log.lines.length, 3)
  })

  it('is a 503 when errors come as events only, as those of keyv 6 do', async () => {
    const store = createTestStore()
    let tell: (error: unknown) => void = () => undefined
    const on = (_event: 'error', listener: (error: unknown) => void) => void (tell = listener)
    const sessions = createSessions(
      { secret: SECRET, store: Object.assign(store, { on }) },
      createTestLogger(),
    )
    const client = createClient(sessions)
    await client.visit(({ data }) => Object.assign(data, { a: 1 }))
    store.get = async () => {
      tell(new Error('no connection'))
      return undefined
    }
    await assert.rejects(client.read(), isUnavailable)
    store.get = async (key) => store.entries.get(key)
    assert.deepEqual(await client.read(), { a: 1 })
  })
})

describe('the store in memory', () => {
  it('lets go of what has expired', ({ mock }) => {
    mock.timers.enable({ apis: ['Date'], now: 1000 })
    const map = createMemoryStore()
    for (let index = 0; index < 1000; index++) map.set(`old${index}`, 'x', 500)
    map.set('kept', 'x', 5000)
    map.set('old1', 'again', 5000)
    mock.timers.tick(500)
    assert.equal(map.get('old2'), undefined)
    map.set('new', 'x', 5000)
    assert.equal(map.size, 3)
    assert.equal(map.get('old1'), 'again')
    assert.equal(map.delete('new'), true)
    assert.equal(map.size, 2)
  })

  it('is used when no store is given, one for each application', async () => {
    const log = createTestLogger()
    const client = createClient(createSessions({ secret: SECRET }, log))
    await client.visit(({ data }) => Object.assign(data, { a: 1 }))
    assert.deepEqual(await client.read(), { a: 1 })
    const other = createClient(createSessions({ secret: SECRET }, log), client.cookies)
    assert.deepEqual(await other.read(), {})
  })
})

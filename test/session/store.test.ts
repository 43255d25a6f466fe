import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'node:test'

import { createClient, createFixture, createTestLogger, SECRET } from './support.ts'
import { HttpError } from 'octavo'
import { createSessions } from '../inside/server.ts'

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

  it('is a 503 when set returns that nothing was stored', async () => {
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

describe('the store in memory', () => {
  it('is used when no store is given, one for each application', async () => {
    const log = createTestLogger()
    const client = createClient(createSessions({ secret: SECRET }, log))
    await client.visit(({ data }) => Object.assign(data, { a: 1 }))
    assert.deepEqual(await client.read(), { a: 1 })
    const other = createClient(createSessions({ secret: SECRET }, log), client.cookies)
    assert.deepEqual(await other.read(), {})
  })
})

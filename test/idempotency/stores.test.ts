import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import { createApp, defineController, defineModule, serviceUnavailable } from 'octavo'
import type { App, Store } from 'octavo'
import { idempotency } from 'octavo/idempotency'
import type { IdempotencyOptions } from 'octavo/idempotency'
import { createMemoryStore, createRedisStore } from 'octavo/stores'

const KEY = '"8e03978e-40d5-43dd-bc93-6894a57f9324"'

const post = async (app: App, key = KEY, body?: string) => {
  const sent = await app.inject({ method: 'POST', url: '/', headers: { 'idempotency-key': key }, body })
  const code: unknown = Object(sent.json()).code
  return sent.headers['idempotency-replayed'] === 'true' ? 'replayed' : (code ?? sent.statusCode)
}

interface Handled {
  runs: number
  /** Runs instead of the handler. */
  handle: () => unknown
}

/** Creates a function that creates applications whose handlers count together, as processes that write to one database. */
function createProcesses(options: IdempotencyOptions = {}) {
  const handled: Handled = { runs: 0, handle: () => undefined }
  const create = (store?: Store): App => {
    const controller = defineController({
      prefix: '/',
      interceptors: [idempotency(options)],
      routes: [
        {
          method: 'POST',
          handler: async () => {
            const run = ++handled.runs
            await handled.handle()
            return run
          },
        },
      ],
    })
    const own = store === undefined ? {} : { store }
    return createApp(defineModule({ controllers: [controller] }), { logger: false, ...own })
  }
  return { handled, create }
}

/** Runs the scripts of the Redis store on a memory, as a client of each package would. */
function createClient(name: string, memory: ReturnType<typeof createMemoryStore>): object {
  const run = async (script: string, key: string, args: readonly string[]): Promise<unknown> => {
    await new Promise(setImmediate)
    const [first = '', ttl, ifAbsent, hasExpected, expected] = args
    if (script.includes("'SET'")) {
      const time = ttl === '' ? {} : { ttl: Number(ttl) }
      const condition = hasExpected === '1' && expected !== undefined ? { ifEqual: expected } : {}
      return memory.set(key, first, { ...time, ifAbsent: ifAbsent === '1', ...condition }) ? 1 : 0
    }
    if (script.includes("'DEL'"))
      return memory.delete(key, first === '1' && ttl !== undefined ? { ifEqual: ttl } : {}) === true ? 1 : 0
    return memory.get(key) ?? null
  }
  return name === 'ioredis'
    ? {
        defineCommand: () => undefined,
        eval: async (script: string, _keys: number, key: string, ...args: string[]) => run(script, key, args),
      }
    : {
        eval: async (script: string, { keys, arguments: args }: { keys: [string]; arguments: string[] }) =>
          run(script, keys[0], args),
      }
}

const STORES: readonly (readonly [name: string, open: () => Store])[] = [
  ['memory', () => createMemoryStore()],
  ['Redis by ioredis', () => createRedisStore(createClient('ioredis', createMemoryStore()))],
  ['Redis by redis', () => createRedisStore(createClient('redis', createMemoryStore()))],
]

for (const [name, open] of STORES)
  describe(`idempotency keys in ${name}`, () => {
    it('of two applications with one store run the handler once', async () => {
      const { handled, create } = createProcesses()
      const store = open()
      const apps = [create(store), create(store)]
      handled.handle = async () => sleep(20)
      const send = async (app: App) => post(app)
      const first = await Promise.all([...apps, ...apps, ...apps].map(send))
      assert.deepEqual(first.map(String).toSorted(), [
        '200',
        ...Array.from({ length: 5 }, () => 'idempotency_key_in_use'),
      ])
      assert.deepEqual(await Promise.all(apps.map(send)), ['replayed', 'replayed'])
      assert.equal(handled.runs, 1)
    })

    it('are free after a failure, in both applications', async () => {
      const { handled, create } = createProcesses()
      const store = open()
      handled.handle = () => {
        if (handled.runs === 1) throw serviceUnavailable()
      }
      assert.equal(await post(create(store)), 'service_unavailable')
      assert.equal(await post(create(store)), 200)
      assert.equal(await post(create(store)), 'replayed')
    })

    it('are digests, so the store gets neither keys nor input', async () => {
      const { create } = createProcesses({ client: () => 'ann' })
      const store = open()
      const texts: string[] = []
      const set: Store['set'] = (...args) => {
        texts.push(JSON.stringify(args.slice(0, 2)))
        return store.set(...args)
      }
      await post(create({ ...store, set }), KEY, 'my secret')
      assert.equal(texts.length, 2)
      assert.doesNotMatch(texts.join(), /8e03978e|ann|secret/)
      assert.match(texts[0] ?? '', /^\["idempotency:[\w-]{43}","[\w-]{43} [\da-f-]{36} \d+"\]$/)
    })

    it('are renewed while a handler runs, and taken over after a run was lost', async (test) => {
      test.mock.timers.enable({ apis: ['Date', 'setInterval'] })
      const { handled, create } = createProcesses({ lease: 1, lifetime: 2, afterLease: 'run' })
      const store = open()
      let end: (value: unknown) => void = () => undefined
      handled.handle = async () => new Promise((resolve) => (end = resolve))
      const one = post(create(store), '"renewed-0000000001"')
      while (handled.runs === 0) await sleep(1)
      for (let times = 0; times < 4; times++) {
        test.mock.timers.tick(700)
        assert.equal(await post(create(store), '"renewed-0000000001"'), 'idempotency_key_in_use')
      }
      end(0)
      assert.equal(await one, 200)
      assert.equal(await post(create(store), '"renewed-0000000001"'), 'replayed')
      handled.handle = () => undefined
      const set: Store['set'] = (key, value, options) =>
        options?.ifAbsent === true && store.set(key, value, options)
      assert.equal(await post(create({ ...store, set }), '"lost-0000000000001"'), 200)
      test.mock.timers.tick(1050)
      const app = create(store)
      const again = await Promise.all([1, 2, 3].map(async () => post(app, '"lost-0000000000001"')))
      assert.equal(again.filter((state) => state === 200).length, 1)
      assert.equal(handled.runs, 3)
    })
  })

describe('the store of idempotency keys', () => {
  it('is that of the application, with a memory for each application without one', async () => {
    const { handled, create } = createProcesses()
    assert.deepEqual([await post(create()), await post(create())], [200, 200])
    const shared = createMemoryStore()
    assert.deepEqual([await post(create(shared)), await post(create(shared))], [200, 'replayed'])
    assert.equal(handled.runs, 3)
  })

  it('in memory forgets no key, however many others clients make', async () => {
    const { handled, create } = createProcesses()
    const store = createMemoryStore({ maxKeys: 50 })
    const app = create(store)
    assert.equal(await post(app), 200)
    for (let at = 0; at < 100; at++) await store.increment(`rate:${at}`, 1, 1e9)
    for (let at = 0; at < 100; at++) await post(app, `"other-000000000000${at}"`)
    assert.equal(await post(app), 'replayed')
    assert.equal(handled.runs, 101)
  })

  it('may end a key between two calls of it', async () => {
    const memory = createMemoryStore()
    let isFirst = true
    const set: Store['set'] = (...args) => {
      if (!isFirst) return memory.set(...args)
      isFirst = false
      return false
    }
    assert.equal(await post(createProcesses().create({ ...memory, set })), 200)
  })

  it('may store a key and report that it did not, after the connection was lost', async () => {
    const memory = createMemoryStore()
    const { handled, create } = createProcesses()
    // the client has sent each write twice
    const set: Store['set'] = async (...args) => {
      await memory.set(...args)
      return memory.set(...args)
    }
    const app = create({ ...memory, set })
    assert.deepEqual([await post(app), await post(app)], [200, 'replayed'])
    assert.equal(handled.runs, 1)
  })

  it('may store a renewal after its time, and the key of a failed run is free', async (test) => {
    test.mock.timers.enable({ apis: ['setInterval'] })
    const memory = createMemoryStore()
    const { handled, create } = createProcesses({ lease: 1, storeTimeout: 20 })
    const set: Store['set'] = async (key, value, options) => {
      const isRenewal = options?.ifEqual !== undefined && !value.includes('\n')
      const isStored = memory.set(key, value, options)
      if (isRenewal) await sleep(60)
      return isStored
    }
    handled.handle = () => {
      if (handled.runs > 1) return
      test.mock.timers.tick(334)
      throw serviceUnavailable()
    }
    const app = create({ ...memory, set })
    assert.equal(await post(app), 'service_unavailable')
    assert.equal(await post(app), 200)
  })

  it('is asked for one renewal at a time, and its answer comes before the result is kept', async (test) => {
    test.mock.timers.enable({ apis: ['setInterval'] })
    const memory = createMemoryStore()
    const { handled, create } = createProcesses({ lease: 1 })
    let calls = 0
    const most: number[] = []
    const set: Store['set'] = async (...args) => {
      most.push(++calls)
      await sleep(20)
      calls--
      return memory.set(...args)
    }
    handled.handle = async () => {
      await sleep(1)
      test.mock.timers.tick(1000)
    }
    const app = create({ ...memory, set })
    assert.deepEqual([await post(app), await post(app)], [200, 'replayed'])
    assert.deepEqual(most, [1, 1, 1, 1])
  })

  it('keeps the time to live of a key that is renewed', async (test) => {
    test.mock.timers.enable({ apis: ['Date', 'setInterval'] })
    const memory = createMemoryStore()
    const { handled, create } = createProcesses({ lease: 1, lifetime: 2 })
    const times: unknown[] = []
    const set: Store['set'] = (key, value, options) => {
      times.push(options?.ttl)
      return memory.set(key, value, options)
    }
    handled.handle = async () => {
      for (let tick = 0; tick < 4; tick++) {
        await sleep(1)
        test.mock.timers.tick(334)
      }
    }
    await post(create({ ...memory, set }))
    assert.deepEqual(times, [2000, 1666, 1332, 1000, 1000, 2000])
  })

  it('may lose the key of a run, whose result is kept all the same unless another run has the key', async () => {
    const memory = createMemoryStore()
    const { handled, create } = createProcesses()
    const names: string[] = []
    const set: Store['set'] = (key, ...args) => {
      names.push(key)
      return memory.set(key, ...args)
    }
    const [one, other] = [create({ ...memory, set }), create(memory)]
    handled.handle = async () => void (await memory.delete(names.at(-1) ?? ''))
    assert.deepEqual([await post(one), await post(other)], [200, 'replayed'])
    handled.handle = async () => {
      handled.handle = () => undefined
      await memory.delete(names.at(-1) ?? '')
      assert.equal(await post(other, '"taken-00000000000001"'), 200)
    }
    assert.equal(await post(one, '"taken-00000000000001"'), 200)
    assert.equal(
      (
        await one.inject({
          method: 'POST',
          url: '/',
          headers: { 'idempotency-key': '"taken-00000000000001"' },
        })
      ).json(),
      3,
    )
  })

  it('may fail for a while: a key that a failed run holds is given back later', async () => {
    const memory = createMemoryStore()
    const { handled, create } = createProcesses()
    let isDown = false
    const down = (): void => {
      if (isDown) throw new Error('down')
    }
    const failing: Store = {
      get: (key) => (down(), memory.get(key)),
      set: (...args) => (down(), memory.set(...args)),
      delete: (...args) => (down(), memory.delete(...args)),
    }
    handled.handle = () => {
      if (handled.runs > 1) return
      isDown = true
      throw serviceUnavailable()
    }
    const app = create(failing)
    assert.equal(await post(app), 'service_unavailable')
    isDown = false
    assert.equal(await post(app), 'idempotency_key_in_use')
    await sleep(400)
    assert.equal(await post(app), 200)
  })
})

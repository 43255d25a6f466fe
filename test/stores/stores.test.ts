import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import { createClient } from '@redis/client'
import { Redis } from 'ioredis'
import { createApp, defineController, defineModule, Session } from 'octavo'
import type { Store } from 'octavo'
import { createMemoryStore, createRedisStore } from 'octavo/stores'
import { openMemory } from '../inside/server.ts'
import { createCounts } from '../support/usage.ts'

const hasRedis = spawnSync('redis-server', ['--version']).status === 0
const skip = hasRedis ? false : 'redis-server is not installed'

const folder = mkdtempSync(join(tmpdir(), 'octavo-stores-'))
const path = join(folder, 'redis.sock')
const closing: (() => void)[] = []
let redis: ChildProcess | undefined

before(async () => {
  if (!hasRedis) return
  const options = ['--port', '0', '--unixsocket', path, '--save', '', '--appendonly', 'no', '--dir', folder]
  redis = spawn('redis-server', options, { stdio: 'ignore' })
  for (let tries = 0; tries < 1_200; tries++) {
    if (spawnSync('redis-cli', ['-s', path, 'ping']).stdout.toString().startsWith('PONG')) return
    await sleep(50)
  }
  throw new Error('redis-server does not answer')
})
after(() => {
  for (const close of closing) close()
  redis?.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

const openIoredis = (): Redis => {
  const client = new Redis({ path, lazyConnect: true })
  closing.push(() => client.disconnect())
  return client
}

const STORES: readonly (readonly [name: string, skip: string | false, open: () => Promise<Store>])[] = [
  ['the memory store', false, async () => createMemoryStore()],
  ['the Redis store with ioredis', skip, async () => createRedisStore(openIoredis())],
  [
    'the Redis store with redis',
    skip,
    async () => {
      const client = createClient({ socket: { path, tls: false } })
      client.on('error', () => undefined)
      closing.push(() => client.destroy())
      await client.connect()
      return createRedisStore(client, { prefix: 'redis:' })
    },
  ],
]

for (const [name, isSkipped, open] of STORES)
  describe(name, { skip: isSkipped }, () => {
    let store: Store
    before(async () => {
      store = await open()
    })

    it('keeps a value until it is removed', async () => {
      assert.equal((await store.get('a')) ?? undefined, undefined)
      assert.equal(await store.set('a', 'é\n"1"'), true)
      assert.equal(await store.get('a'), 'é\n"1"')
      await store.delete('a')
      assert.equal((await store.get('a')) ?? undefined, undefined)
    })

    it('forgets a value after its time to live', async () => {
      await store.set('short', '1', { ttl: 30 })
      await store.set('long', '1', { ttl: 30_000 })
      await sleep(60)
      assert.deepEqual([(await store.get('short')) ?? undefined, await store.get('long')], [undefined, '1'])
      assert.equal(await store.delete('short', { ifEqual: '1' }), false)
      assert.equal(await store.set('short', '2', { ttl: 30_000, ifAbsent: true }), true)
    })

    it('keeps the first of many values that are set if there is none', async () => {
      const set = async (index: number) => store.set('first', String(index), { ttl: 9_000, ifAbsent: true })
      const stored = await Promise.all(Array.from({ length: 50 }, (_, index) => set(index)))
      assert.equal(stored.filter(Boolean).length, 1)
      assert.equal(await store.get('first'), String(stored.indexOf(true)))
    })

    it('replaces a value only if it is the expected one', async () => {
      await store.set('b', '1')
      assert.equal(await store.set('b', '2', { ifEqual: '0' }), false)
      assert.equal(await store.set('absent', '2', { ifEqual: '' }), false)
      const set = async (index: number) => store.set('b', `new ${index}`, { ifEqual: '1' })
      const stored = await Promise.all(Array.from({ length: 50 }, (_, index) => set(index)))
      assert.equal(stored.filter(Boolean).length, 1)
      assert.equal(await store.get('b'), `new ${stored.indexOf(true)}`)
    })

    it('removes a value only if it is the expected one', async () => {
      await store.set('c', '1')
      await store.delete('c', { ifEqual: '2' })
      assert.equal(await store.get('c'), '1')
      await store.delete('c', { ifEqual: '1' })
      assert.equal((await store.get('c')) ?? undefined, undefined)
    })

    it('adds up counts, which end after the time of the first increment', async () => {
      const increment = async (amount: number) => store.increment?.('count', amount, 100) ?? assert.fail()
      const counts = await Promise.all([1, 0, 5, 4].map(increment))
      assert.deepEqual(
        counts.map(({ total }) => total),
        [1, 1, 6, 10],
      )
      assert.ok(counts.every(({ left }) => left > 0 && left <= 100))
      await sleep(130)
      assert.equal((await increment(2)).total, 2)
    })

    it('has the counts of applications that store them at the same moment', async () => {
      const { usage, read } = createCounts({ store })
      const routes = [{ method: 'GET', name: 'get', handler: () => 1 }] as const
      const cars = defineController({ name: 'car', routes })
      const create = () => createApp(defineModule({ controllers: [cars] }), { logger: false, usage })
      const apps = Array.from({ length: 12 }, create)
      for (const app of apps) await app.inject('/car')
      await Promise.all(apps.map((app) => app.close()))
      const again = create()
      await again.inject('/car')
      await again.close()
      assert.deepEqual(
        (await read()).map(({ route, count }) => [route, count]),
        [['car.get', 13]],
      )
    })
  })

describe('the Redis store', { skip }, () => {
  it('puts its prefix before all keys', async () => {
    const client = openIoredis()
    await createRedisStore(client).set('own', '1')
    await createRedisStore(client, { prefix: 'shop:' }).set('own', '2')
    assert.deepEqual([await client.get('octavo:own'), await client.get('shop:own')], ['1', '2'])
  })
})

describe('createRedisStore', () => {
  it('refuses anything but a client of Redis', () => {
    for (const client of [undefined, {}, new Map()])
      assert.throws(() => Reflect.apply(createRedisStore, undefined, [client]), {
        name: 'DefinitionError',
        message: /client is no client of Redis\. Give a client of the package ioredis or redis/,
      })
  })
})

describe('the memory store', () => {
  it('has room for so many keys, and forgets those that would end first', () => {
    const store = openMemory({ maxKeys: 3 })
    store.set('forever', '1')
    for (const key of ['a', 'b']) store.set(key, key, { ttl: 1000 })
    store.set('a', 'again', { ttl: 1000 })
    store.set('c', 'c', { ttl: 1_000_000 })
    assert.equal(store.size, 3)
    const keys = ['forever', 'a', 'b', 'c']
    assert.deepEqual(
      keys.map((key) => store.get(key)),
      ['1', 'again', undefined, 'c'],
    )
    const usual = openMemory({})
    for (let at = 0; at < 110_000; at++) usual.increment(String(at), 1, 1_000_000)
    assert.equal(usual.size, 100_000)
  })

  it('drops what has ended, also behind keys that never end', (test) => {
    test.mock.timers.enable({ apis: ['Date'], now: 1000 })
    const store = openMemory({})
    store.set('forever', 'x')
    for (let index = 0; index < 1000; index++) store.set(`old${index}`, 'x', { ttl: 500 })
    store.set('kept', 'x', { ttl: 5000 })
    store.set('old1', 'again', { ttl: 5000 })
    test.mock.timers.tick(500)
    assert.equal(store.get('old3'), undefined)
    store.set('new', 'x', { ttl: 5000 })
    assert.equal(store.size, 4)
    assert.equal(store.get('old1'), 'again')
  })

  it('forgets no value that has an owner', () => {
    const store = openMemory({ maxKeys: 3 })
    for (let at = 0; at < 10; at++) store.set(`own${at}`, 'x', { owner: String(at), ttl: 1000 })
    for (let at = 0; at < 10; at++) store.set(String(at), 'x', { ttl: 1_000_000 })
    for (let at = 0; at < 10; at++) assert.equal(store.get(`own${at}`), 'x')
    assert.equal(store.size, 13)
  })

  it('limits the bytes of values that have owners, and leaves room for each', () => {
    const store = openMemory({ maxBytes: 10_000 })
    const fill = (owner: string): number => {
      let stored = 0
      while (stored < 1000 && store.set(`${owner}${stored}`, 'x', { owner, ifAbsent: true })) stored++
      return stored
    }
    const [first, second] = [fill('one'), fill('two')]
    assert.ok(first > 10 && first < 20, String(first))
    assert.ok(second > 4 && second < first, String(second))
    assert.equal(store.get('one0'), 'x')
    assert.equal(store.set('one0', 'y', { ifEqual: 'x' }), true)
    assert.equal(store.set('one0', 'z'.repeat(5000), { ifEqual: 'y' }), false)
    store.delete('one1')
    store.delete('one2')
    assert.equal(store.set('two1000', 'x', { owner: 'two' }), true)
  })
})

describe('the store of an application', () => {
  const visits = defineController({
    prefix: '/',
    inject: { session: Session },
    routes: [
      {
        method: 'GET',
        handler: ({ inject: { session } }) =>
          (session.data['visits'] = Number(session.data['visits'] ?? 0) + 1),
      },
    ],
  })
  const AppModule = defineModule({ controllers: [visits] })
  const session = { secret: 'a secret of more than 32 characters' }

  it('has the sessions, unless they have one of their own', async () => {
    const [shared, own] = [openMemory({}), openMemory({})]
    const visit = async (options: object) => {
      const app = createApp(AppModule, { store: shared, logger: false, session: { ...session, ...options } })
      return (await app.inject('/')).json()
    }
    assert.equal(await visit({}), 1)
    assert.deepEqual([shared.size, own.size], [1, 0])
    assert.equal(await visit({ store: own }), 1)
    assert.deepEqual([shared.size, own.size], [1, 1])
  })

  it('has the counts of usage, unless they have one of their own, and one of the two is required', async () => {
    const [shared, own] = [openMemory({}), openMemory({})]
    for (const options of [{}, { store: own }]) {
      const app = createApp(AppModule, { store: shared, logger: false, session, usage: options })
      await app.inject('/')
      await app.close()
    }
    // a session and the two keys of usage, and then a session more
    assert.deepEqual([shared.size, own.size], [4, 2])
    assert.throws(() => createApp(AppModule, { logger: false, usage: {} }), {
      message: /usage has no store\. Give createApp a store, such as createMemoryStore\(\) of octavo\/stores/,
    })
  })

  it('has to be a store', () => {
    assert.throws(() => createApp(AppModule, { logger: false, store: { get: () => undefined } as never }), {
      message: /store is an object with get\. Give a store, as createRedisStore of octavo\/stores returns it/,
    })
  })
})

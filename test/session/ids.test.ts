import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'

import { createClient, createFixture, createTestLogger, SECRET } from './support.ts'
import { createSessions } from '../inside/server.ts'
import { createMemoryStore } from 'octavo/stores'

const COOKIE = '__Host-sid'

async function createStored() {
  const fixture = createFixture()
  await fixture.client.visit(({ data }) => Object.assign(data, { name: 'Ada' }))
  fixture.store.calls.length = 0
  const value = fixture.client.cookies[COOKIE] ?? ''
  const [id = '', signature = ''] = value.split('.')
  return { ...fixture, id, signature, value }
}

describe('an id that was not signed here', () => {
  const forgeries: readonly (readonly [string, (id: string, signature: string) => string])[] = [
    ['without signature', (id) => id],
    ['with an empty signature', (id) => `${id}.`],
    [
      'signed with another secret',
      (id) => `${id}.${createHmac('sha256', 'other').update(id).digest('base64url')}`,
    ],
    [
      'signed without the prefix',
      (id) => `${id}.${createHmac('sha256', SECRET).update(id).digest('base64url')}`,
    ],
    ['with the signature of another id', (_id, signature) => `${'A'.repeat(32)}.${signature}`],
    ['with a changed signature', (id, signature) => `${id}.${signature.slice(0, -1)}_`],
    ['with something behind', (id, signature) => `${id}.${signature}A`],
    ['with a line break behind', (id, signature) => `${id}.${signature}\n`],
    ['of another length', (id, signature) => `${id}A.${signature}`],
    ['that is empty', () => ''],
    ['that is very long', () => 'x'.repeat(100_000)],
    ['with characters of its own', () => `${'é'.repeat(32)}.${'é'.repeat(43)}`],
  ]
  for (const [title, forge] of forgeries) {
    it(`${title} opens a new session and is never adopted, nor looked for`, async () => {
      const { sessions, store, id, signature } = await createStored()
      const forged = forge(id, signature)
      const client = createClient(sessions, { [COOKIE]: forged })
      assert.deepEqual(await client.visit(({ data }) => assert.deepEqual(data, {})), [])
      assert.deepEqual(store.calls, [])
      await client.visit((session) => {
        assert.notEqual(session.id, forged.split('.')[0])
        session.data['mine'] = true
      })
      assert.notEqual(client.cookies[COOKIE], forged)
      assert.deepEqual(await client.read(), { mine: true })
    })
  }
})

describe('an id that is signed and not known', () => {
  it('opens a new session under a new id', async () => {
    const { client, store, id } = await createStored()
    store.entries.clear()
    assert.deepEqual(await client.visit(({ data }) => assert.deepEqual(data, {})), [])
    await client.visit((session) => {
      assert.notEqual(session.id, id)
      session.data['name'] = 'Grace'
    })
    assert.deepEqual([...store.entries.keys()].includes(`session:${id}`), false)
    assert.deepEqual(await client.read(), { name: 'Grace' })
  })

  const broken = ['', 'null', '[]', '{}', '{"created":1,"used":1}', '{"created":"x","used":1,"data":{}}', '{']
  for (const text of broken) {
    it(`opens a new session when the store holds ${JSON.stringify(text)}`, async () => {
      const { client, store, id } = await createStored()
      store.entries.set(`session:${id}`, text)
      assert.deepEqual(await client.read(), {})
    })
  }
})

describe('secrets', () => {
  const NEW = 'a new secret of more than 32 characters'

  it('that are older are still accepted, and the cookie is signed again with the first', async () => {
    const { store, id, value } = await createStored()
    const log = createTestLogger()
    const client = createClient(createSessions({ secret: [NEW, SECRET], store }, log), { [COOKIE]: value })
    store.calls.length = 0
    const lines = await client.visit((session) => {
      assert.equal(session.id, id)
      assert.deepEqual(session.data, { name: 'Ada' })
    })
    assert.equal(lines.length, 1)
    assert.deepEqual(store.calls, ['get'])
    assert.notEqual(client.cookies[COOKIE], value)
    assert.deepEqual(await client.visit(), [])
    const later = createClient(createSessions({ secret: NEW, store }, log), client.cookies)
    assert.deepEqual(await later.read(), { name: 'Ada' })
  })

  it('that were given up are not accepted', async () => {
    const { store, value } = await createStored()
    const client = createClient(createSessions({ secret: NEW, store }, createTestLogger()), {
      [COOKIE]: value,
    })
    assert.deepEqual(await client.read(), {})
  })

  it('appear in no cookie, record or line of the log', async () => {
    const { store, log, value } = await createStored()
    const text = JSON.stringify([[...store.entries], log.lines, value])
    assert.ok(!text.includes(SECRET))
  })
})

describe('a stored record', () => {
  it('pollutes nothing, whatever its keys are named', async () => {
    const { client, store, id } = await createStored()
    const data = '{"__proto__":{"isAdmin":true},"list":[{"__proto__":{"isAdmin":true}}],"constructor":1}'
    const escaped = String.raw`{"\u005f_proto__":{"isAdmin":true}}`
    for (const text of [data, escaped]) {
      const now = Date.now()
      store.entries.set(`session:${id}`, `{"created":${now},"used":${now},"data":${text}}`)
      const read = await client.read()
      assert.equal(Object.getPrototypeOf(read), Object.prototype)
      assert.ok(!Object.hasOwn(read, '__proto__'))
      assert.equal(read['isAdmin'], undefined)
      assert.equal(Object(read['list'])[0]?.isAdmin, undefined)
    }
    assert.equal(Object({}).isAdmin, undefined)
  })

  it('takes keys that objects inherit, through changes at the same time too', async () => {
    const { client } = await createStored()
    const first = await client.open()
    const second = await client.open()
    Object.assign(first.session.data, { constructor: 'Ford', toString: 1 })
    Object.defineProperty(second.session.data, '__proto__', { value: { a: 1 }, enumerable: true })
    Object.assign(second.session.data, { hasOwnProperty: 2 })
    await first.commit()
    await second.commit()
    assert.deepEqual(JSON.parse(JSON.stringify(await client.read())), {
      name: 'Ada',
      constructor: 'Ford',
      toString: 1,
      hasOwnProperty: 2,
    })
  })
})

it('takes a store that answers at once', async () => {
  const client = createClient(
    createSessions({ secret: SECRET, store: createMemoryStore() }, createTestLogger()),
  )
  await client.visit(({ data }) => Object.assign(data, { name: 'Ada' }))
  assert.deepEqual(await client.read(), { name: 'Ada' })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { z } from 'zod'

import { createFixture } from './support.ts'
import { HttpError } from 'octavo'

describe('the schema of sessions', () => {
  it('gives new sessions their defaults, each its own', async () => {
    const schema = z.object({ cart: z.object({ items: z.array(z.number()) }).default({ items: [] }) })
    const { client } = createFixture({ schema })
    const first = (await client.open()).session.data
    Object(first['cart']).items.push(7)
    assert.deepEqual(await client.read(), { cart: { items: [] } })
  })

  it('gives stored sessions the defaults of fields that are new, without writing them', async () => {
    const { client, store } = createFixture()
    await client.visit(({ data }) => Object.assign(data, { name: 'Ada' }))
    store.calls.length = 0
    const later = createFixture({
      schema: z.object({ name: z.string().optional(), tags: z.array(z.string()).default(['new']) }),
      store,
    })
    Object.assign(later.client.cookies, client.cookies)
    assert.deepEqual(
      await later.client.visit(({ data }) => {
        assert.deepEqual(data, { name: 'Ada', tags: ['new'] })
      }),
      [],
    )
    assert.deepEqual(store.calls, ['get'])
  })

  it('that stored data no longer fits opens an empty session, with one warning that shows no values', async () => {
    const { client, store } = createFixture()
    await client.visit(({ data }) => Object.assign(data, { name: 'top secret' }))
    const later = createFixture({ schema: z.object({ name: z.number().optional() }), store })
    Object.assign(later.client.cookies, client.cookies)
    const [old] = store.entries.keys()
    assert.deepEqual(await later.client.read(), {})
    assert.deepEqual(await later.client.read(), {})
    assert.deepEqual(later.log.lines, [
      {
        level: 'warn',
        details: { places: 'name: invalid_type' },
        message: 'A stored session no longer fits its schema and is left aside; this is said once',
      },
    ])
    await later.client.visit(({ data }) => Object.assign(data, { name: 7 }))
    assert.notEqual([...store.entries.keys()].at(-1), old)
    assert.deepEqual(await later.client.read(), { name: 7 })
  })

  it('refuses to store what does not fit, with an error that is no HttpError and shows no values', async () => {
    const { client, store } = createFixture({ schema: z.object({ count: z.number().optional() }) })
    const { session, commit } = await client.open()
    Object.assign(session.data, { count: 'top secret' })
    await assert.rejects(commit(), (error) => {
      assert.ok(error instanceof Error && !(error instanceof HttpError))
      assert.match(error.message, /count: invalid_type/)
      assert.doesNotMatch(error.message, /top secret/)
      return true
    })
    assert.deepEqual(store.calls, [])
  })

  it('may have asynchronous checks', async () => {
    const schema = z.object({ name: z.string().default('') }).refine(async ({ name }) => name !== 'bad')
    const { client } = createFixture({ schema })
    await client.visit(({ data }) => Object.assign(data, { name: 'good' }))
    assert.deepEqual(await client.read(), { name: 'good' })
    await assert.rejects(
      client.visit(({ data }) => Object.assign(data, { name: 'bad' })),
      /does not fit/,
    )
  })

  it('reads dates from the text that is stored', async () => {
    const coerced = z.object({ at: z.coerce.date().optional() })
    const codec = z.object({
      at: z
        .codec(z.iso.datetime(), z.date(), {
          decode: (text) => new Date(text),
          encode: (date) => date.toISOString(),
        })
        .optional(),
    })
    for (const schema of [coerced, codec]) {
      const { client, store } = createFixture({ schema })
      const at = new Date('2026-01-02T03:04:05.678Z')
      await client.visit(({ data }) => Object.assign(data, { at }))
      store.calls.length = 0
      assert.deepEqual(await client.read(), { at })
      assert.deepEqual(await client.visit(), [])
      await client.visit(({ data }) => Object(data['at']).setUTCFullYear(2027))
      assert.deepEqual(await client.read(), { at: new Date('2027-01-02T03:04:05.678Z') })
    }
  })

  it('drops what it does not name', async () => {
    const { client } = createFixture({ schema: z.object({ name: z.string().optional() }) })
    await client.visit(({ data }) => Object.assign(data, { name: 'Ada', extra: 1 }))
    assert.deepEqual(await client.read(), { name: 'Ada' })
  })
})

describe('data that JSON cannot hold', () => {
  for (const [title, value] of [
    ['Map', new Map([[1, 2]])],
    ['Set', new Set()],
    ['function', () => 1],
    ['BigInt', 1n],
  ] as const) {
    it(`is an error: ${title}`, async () => {
      const { client, store } = createFixture()
      await assert.rejects(
        client.visit(({ data }) => Object.assign(data, { deep: { cart: value } })),
        (error) => error instanceof TypeError && error.message.includes(title),
      )
      assert.deepEqual(store.calls, [])
    })
  }
})

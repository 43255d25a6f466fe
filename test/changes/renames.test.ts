import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import type { App } from 'octavo'
import { absent, before, defineVersionChange, defineVersions, derive, model, reshape } from 'octavo/changes'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

const Book = model('RenamedBook', { name: z.string(), title: z.string(), from: z.string(), to: z.number() })
const BookPatch = derive(Book, (book) => book.partial())

const freedName = defineVersionChange({
  version: '3',
  title: 'Titles are called so',
  change: [
    reshape({
      of: Book,
      fields: { name: { was: absent }, title: { was: 'name' } },
      up: (old) => ({ name: `the ${old.name}` }),
    }),
  ],
})
const swapped = defineVersionChange({
  version: '2',
  title: 'From and to changed places',
  change: [reshape({ of: before(freedName, Book), fields: { from: { was: 'to' }, to: { was: 'from' } } })],
})
const history = defineVersions({
  versions: ['3', '2', '1'],
  models: { Book },
  changes: [freedName, swapped],
})

function open(): { readonly app: App; readonly seen: unknown[] } {
  const seen: unknown[] = []
  const BookController = defineController({
    prefix: '/book',
    routes: [
      {
        method: 'POST',
        status: 200,
        input: { body: Book },
        response: Book,
        handler: ({ body }) => {
          seen.push(body)
          return body
        },
      },
      {
        method: 'PATCH',
        input: { body: BookPatch },
        response: BookPatch,
        handler: ({ body }) => {
          seen.push(body)
          return body
        },
      },
    ],
  })
  const app = serve(BookController, { versioning: { scheme: VersioningSchemes.URL, history }, docs: {} })
  return { app, seen }
}

describe('a name that the same change frees', () => {
  it('can be the earlier name of another field', async () => {
    const { app, seen } = open()
    const json = { name: 'Emma', from: 'a', to: 1 }
    const answer = await app.inject({ method: 'POST', url: '/v2/book', json })
    assert.deepEqual(answer.json(), json)
    assert.deepEqual(seen, [{ name: 'the Emma', title: 'Emma', from: 'a', to: 1 }])
  })

  it('can be changed with that of another field', async () => {
    const { app, seen } = open()
    const json = { name: 'Emma', to: 'a', from: 1 }
    const answer = await app.inject({ method: 'POST', url: '/v1/book', json })
    assert.deepEqual(answer.json(), json)
    assert.deepEqual(seen, [{ name: 'the Emma', title: 'Emma', from: 'a', to: 1 }])
    const wrong = await app.inject({ method: 'POST', url: '/v1/book', json: { ...json, from: 'a' } })
    assert.equal(wrong.statusCode, 422)
  })

  it('is read in partial bodies', async () => {
    const { app, seen } = open()
    const answer = await app.inject({ method: 'PATCH', url: '/v1/book', json: { to: 'a' } })
    assert.deepEqual(answer.json(), { to: 'a' })
    assert.deepEqual(seen, [{ from: 'a' }])
  })

  it('is documented', async () => {
    const { app } = open()
    await app.ready()
    const typesOf = (version: string): unknown => {
      const { properties } = Object(app.openapi({ version }).components?.schemas?.['RenamedBook'])
      return Object.fromEntries(
        Object.entries(properties).map(([name, schema]) => [name, Object(schema).type]),
      )
    }
    assert.deepEqual(typesOf('3'), { name: 'string', title: 'string', from: 'string', to: 'number' })
    assert.deepEqual(typesOf('2'), { name: 'string', from: 'string', to: 'number' })
    assert.deepEqual(typesOf('1'), { name: 'string', from: 'number', to: 'string' })
  })

  it('is no name of two fields', async () => {
    const change = defineVersionChange({
      version: '2',
      title: 'Both were called so',
      change: [reshape({ of: Book, fields: { name: { was: 'label' }, title: { was: 'label' } } })],
    })
    const twice = defineVersions({ versions: ['2', '1'], models: { Book }, changes: [change] })
    const app = createApp(defineModule({}), {
      versioning: { scheme: VersioningSchemes.URL, history: twice },
      logger: false,
    })
    await assert.rejects(
      async () => app.ready(),
      /RenamedBook.title was called label, which is the name of another field/,
    )
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { DefinitionError, defineController, VersioningSchemes } from 'octavo'
import type { App } from 'octavo'
import { defineVersionChange, defineVersions, model, operation, reshape } from 'octavo/changes'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

const User = model('User', { id: z.string() })
const Page = z.object({ text: z.string() })

const change = defineVersionChange({
  version: '2',
  title: 'Users have ids',
  change: [
    reshape({ of: User, fields: { id: { was: 'key' } } }),
    operation({ route: 'page.old', path: { was: '/sheet' } }),
  ],
})

function open(versions: { readonly version?: string } = {}): App {
  const user = defineController({
    prefix: '/user',
    includeInSchema: false,
    routes: [
      { method: 'GET', response: User, handler: () => ({ id: '7' }) },
      {
        method: 'POST',
        name: 'create',
        input: { body: User },
        status: 200,
        response: User,
        handler: ({ body }) => body,
        ...versions,
      },
    ],
  })
  const page = defineController({
    prefix: '/page',
    name: 'page',
    routes: [
      {
        method: 'GET',
        name: 'old',
        response: Page,
        includeInSchema: false,
        handler: () => ({ text: 'old' }),
      },
      { method: 'GET', path: '/any', includeInSchema: false, handler: () => 'any' },
    ],
  })
  return serve([user, page], {
    docs: {},
    versioning: {
      scheme: VersioningSchemes.URL,
      history: defineVersions({ versions: ['2', '1'], models: { User }, changes: [change] }),
    },
  })
}

describe('routes that documents leave out', () => {
  it('are converted for older versions', async () => {
    const app = open()
    const answers = await Promise.all(['/v2/user', '/v1/user'].map((url) => app.inject(url)))
    assert.deepEqual(
      answers.map((answer) => answer.json()),
      [{ id: '7' }, { key: '7' }],
    )
    const sent = await app.inject({ method: 'POST', url: '/v1/user', json: { key: '8' } })
    assert.deepEqual(sent.json(), { key: '8' })
    const wrong = await app.inject({ method: 'POST', url: '/v1/user', json: { id: '8' } })
    assert.equal(wrong.statusCode, 422)
  })

  it('have the addresses that operations give them', async () => {
    const app = open()
    const statuses = await Promise.all(
      ['/v1/sheet', '/v2/sheet', '/v1/page', '/v2/page'].map(
        async (url) => (await app.inject(url)).statusCode,
      ),
    )
    assert.deepEqual(statuses, [200, 404, 404, 200])
  })

  it('answer without a version if no change reaches them', async () => {
    const app = open()
    const statuses = await Promise.all(
      ['/page/any', '/docs'].map(async (url) => (await app.inject(url)).statusCode),
    )
    assert.deepEqual(statuses, [200, 200])
  })
})

describe('a range in a history', () => {
  const codesOf = async (version: string): Promise<readonly string[]> => {
    try {
      await open({ version }).ready()
      return []
    } catch (error) {
      assert.ok(error instanceof DefinitionError)
      return error.errors.map(({ code }) => code)
    }
  }

  it('is refused if it matches no version', async () => {
    assert.deepEqual(await codesOf('<1'), ['range_empty'])
    assert.deepEqual(await codesOf('>2'), ['range_empty'])
    assert.deepEqual(await codesOf('>=7 <9'), ['range_empty'])
    assert.deepEqual(await codesOf('<2'), [])
  })

  it('is refused if it cannot be read', async () => {
    assert.deepEqual(await codesOf('<<1'), ['invalid_version'])
  })
})

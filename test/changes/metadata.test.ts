import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineController, DefinitionError, VersioningSchemes } from 'octavo'
import { defineVersionChange, defineVersions, operation } from 'octavo/changes'
import type { VersionChange } from 'octavo/changes'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

const controller = defineController({
  name: 'UserController',
  prefix: '/user',
  routes: [
    {
      method: 'GET',
      name: 'list',
      summary: 'Lists users',
      description: 'All of them.',
      tags: ['users'],
      response: z.array(z.string()),
      handler: () => [],
    },
  ],
})

const start = (change: VersionChange<'2'>) =>
  serve(controller, {
    versioning: {
      scheme: VersioningSchemes.URL,
      history: defineVersions({ versions: ['2', '1'], models: {}, changes: [change] }),
    },
  })

describe('documents of older versions: metadata of a route', () => {
  it('is what an operation says, and else the same', async () => {
    const app = start(
      defineVersionChange({
        version: '2',
        title: 'People are users',
        change: [
          operation({
            route: 'user.list',
            summary: { was: 'Lists people' },
            tags: { was: ['people'] },
            deprecated: { was: true },
          }),
        ],
      }),
    )
    await app.ready()
    const shown = (version: string): readonly unknown[] => {
      const { paths } = app.openapi({ version })
      return Object.values(paths ?? {}).map((path) => {
        const { summary, description, tags, deprecated } = Object(Reflect.get(Object(path), 'get'))
        return { summary, description, tags, deprecated }
      })
    }
    assert.deepEqual(shown('2'), [
      { summary: 'Lists users', description: 'All of them.', tags: ['users'], deprecated: undefined },
    ])
    assert.deepEqual(shown('1'), [
      { summary: 'Lists people', description: 'All of them.', tags: ['people'], deprecated: true },
    ])
    await app.close()
  })

  for (const was of [{ summary: { was: 'Lists users' } }, { tags: { was: ['users'] } }])
    it(`is refused if it is what it is: ${Object.keys(was).join()}`, async () => {
      const change = [operation({ route: 'user.list', ...was })]
      const app = start(defineVersionChange({ version: '2', title: 'Same', change }))
      await assert.rejects(app.ready(), /of user\.list was what it is/)
    })

  it('is refused if it is of the wrong kind', () => {
    const summary: object = { was: 7 }
    const change = (): unknown =>
      start(
        defineVersionChange({
          version: '2',
          title: 'Wrong',
          change: [operation({ route: 'user.list', summary: summary as never })],
        }),
      )
    assert.throws(
      change,
      (error) => error instanceof DefinitionError && error.message.includes('operation.summary.was is 7'),
    )
  })
})

import assert from 'node:assert/strict'
import { it } from 'node:test'

import { app } from '../cli/fixtures/history/app.ts'

it('documents and app.versions() tell what changed with each version', async () => {
  await app.ready()
  const description = (version: string) => app.openapi({ version }).info.description
  assert.equal(description('3'), 'What is new in 3:\n\n- Colours have a name')
  assert.equal(description('2'), 'What is new in 2:\n\n- **Years are numbers.** `Car.year` was a text.')
  assert.equal(description('1'), undefined)
  assert.deepEqual(
    app.versions().map(({ changes }) => changes?.map(({ id }) => id)),
    [[], ['years-are-numbers'], ['colours-have-a-name']],
  )
})

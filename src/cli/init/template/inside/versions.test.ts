import assert from 'node:assert/strict'
import { it } from 'node:test'

import { checkHistory } from 'octavo/testing'

import { history } from './history.ts'
import { Car } from './models.ts'

it('has a title in version 1', () => {
  const car = { id: '7', name: 'Beetle' }
  assert.deepEqual(history.migrate(Car, car, { to: '1' }), { id: '7', title: 'Beetle' })
})

it('has changes that lead to each version and back', () => assert.deepEqual(checkHistory(history), []))

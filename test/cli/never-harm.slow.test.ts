import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { findHarm } from './never-harm.ts'

const RUNS = 400

describe('written changes', () => {
  it(`harm nothing that worked without them, in ${RUNS} pairs of releases`, async () => {
    let count = 0
    for (let seed = 1; seed <= RUNS; seed++) {
      const found = await findHarm(seed)
      assert.deepEqual(found.harm, [])
      count += found.count
    }
    assert.ok(count > RUNS / 3, `${count} changes were written`)
  })
})

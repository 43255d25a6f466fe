import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { safeEqual } from 'octavo/auth'

describe('safeEqual', () => {
  const cases = [
    ['', '', true],
    ['secret', 'secret', true],
    ['пароль 🚗', 'пароль 🚗', true],
    ['secret', 'Secret', false],
    ['secret', 'secret ', false],
    ['', 'a', false],
    ['é', 'e\u0301', false],
    ['\uD800', '\uD801', false],
    ['\uD800', '\uFFFD', false],
    ['a'.repeat(100_000), `${'a'.repeat(99_999)}b`, false],
  ] as const
  for (const [a, b, equal] of cases) {
    it(`${JSON.stringify(a.slice(0, 10))} and ${JSON.stringify(b.slice(0, 10))}: ${equal}`, () => {
      assert.equal(safeEqual(a, b), equal)
      assert.equal(safeEqual(b, a), equal)
    })
  }
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { styleFor } from '../inside/parts.ts'
import { printComparison } from '../inside/tools.ts'
import type { Finding } from '../inside/tools.ts'

const finding: Finding = {
  rule: 'request-property-removed',
  level: 'warning',
  operation: 'GET /a|b',
  at: 'requestBody/application/json/a`b',
  base: { pointer: '' },
  revision: { pointer: '' },
  places: [],
  message: 'the property *a`b*\n was <b>removed</b>',
}

describe('findings as Markdown', () => {
  it('show names with backticks, bars and line ends as they are', () => {
    const text = printComparison(
      { level: 'warning', findings: [finding] },
      'markdown',
      { base: '1', revision: '2', file: undefined },
      styleFor({}, {}),
    )
    assert.equal(
      text.split('\n').at(-1),
      '| 🟡 warning | `GET /a\\|b` | ``requestBody/application/json/a`b`` | the property \\*a\\`b\\*  was \\<b\\>removed\\</b\\> (`request-property-removed`) |',
    )
  })
})

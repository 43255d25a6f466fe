import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

import { toRulesPage } from '../../scripts/rules/page.ts'
import { RULES } from '../inside/tools.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/rules.md'), 'utf8')

describe('docs/rules.md', () => {
  it('is what npm run check -- rules writes', () => {
    assert.equal(page, toRulesPage())
  })

  it('has every rule', () => {
    const missing = RULES.filter(
      ({ rule }) => !page.includes(`### ${rule}\n`) && !page.includes(`\`${rule}\``),
    )
    assert.deepEqual(missing, [])
  })

  it('has an example of each', () => {
    const sections = page.split(/^### /m).slice(1)
    assert.ok(sections.length > 100)
    const without = sections.filter((section) => !/```diff\n[-+]/.test(section))
    assert.deepEqual(without, [])
  })
})

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')

/** The last cell of each row of a table, but for its head. */
const rows = readFileSync(join(ROOT, 'docs/security.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| threat') && !line.startsWith('| ---'))
  .map((line) => line.slice(2, -2).split(' | '))

/** Whether a suite, test or table of tests has the title, whole or behind what names its case. */
function hasTitle(text: string, title: string): boolean {
  const calls = text.matchAll(/\b[a-z]\w*\(\s*(['"`])((?:(?!\1)[^\\]|\\.)*)\1/gi)
  return [...calls].some(([, , said = '']) => said === title || said.endsWith(`} ${title}`))
}

describe('docs/security.md', () => {
  it('has threats, each with an answer and a test', () => {
    assert.ok(rows.length > 30, `${rows.length} rows`)
    for (const row of rows) assert.equal(row.length, 3, row.join(' | '))
  })

  for (const [threat = '', , tests = ''] of rows) {
    it(`has a test for ${threat.trim()}`, () => {
      for (const entry of tests.trim().split('<br>')) {
        const [, file = '', title = ''] = /^`(test\/[\w./-]+\.test\.ts)`: (.+)$/.exec(entry) ?? []
        assert.ok(existsSync(join(ROOT, file)) && file !== '', entry)
        assert.ok(hasTitle(readFileSync(join(ROOT, file), 'utf8'), title), entry)
      }
    })
  }

  it('would miss a title that is gone', () => {
    assert.equal(hasTitle("it('is there', work)", 'is there'), true)
    assert.equal(hasTitle('it(`${title} is there`, work)', 'is there'), true)
    assert.equal(hasTitle("it('is not there', work)", 'is there'), false)
    assert.equal(hasTitle("const is = 'is there'", 'is there'), false)
  })
})

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

import { ERRORS } from 'octavo'
import { DEFINITION_ERRORS, DEFINITION_WARNINGS } from '../inside/parts.ts'

const text = readFileSync(join(import.meta.dirname, '../../docs/errors.md'), 'utf8')

/** What stands below a heading. */
function below(heading: string, within: string): string {
  return within.split(/^#{2,3} /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
}

/** What stands between a second-level heading and the next. */
function section(heading: string): string {
  return text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
}

function codesIn(part: string): readonly string[] {
  return [...part.matchAll(/^### `(\w+)`$/gm)].map(([, code = '']) => code)
}

const requests = section('Errors of requests')
const definitions = section('Errors of definitions')
const warnings = section('Warnings')

describe('docs/errors.md', () => {
  it('has a heading for every error of a request, and no other', () => {
    const codes = Object.entries(ERRORS).toSorted(([, a], [, b]) => a.status - b.status)
    assert.deepEqual(
      codesIn(requests),
      codes.map(([code]) => code),
    )
  })

  it('has a heading for every error of a definition, and no other', () => {
    assert.deepEqual(codesIn(definitions), Object.keys(DEFINITION_ERRORS))
  })

  it('has a heading for every warning, and no other', () => {
    assert.deepEqual(codesIn(warnings), Object.keys(DEFINITION_WARNINGS))
  })

  for (const [code, { status }] of Object.entries(ERRORS)) {
    it(`gives ${code} the status ${status}`, () => {
      assert.equal(/^Status (\d{3})/m.exec(below(`\`${code}\``, requests))?.[1], String(status))
    })
  }

  for (const code of Object.keys(DEFINITION_ERRORS)) {
    it(`shows what causes ${code}, and how to fix it`, () => {
      const part = below(`\`${code}\``, definitions)
      assert.match(part, /^```ts throws$/m)
      assert.match(part, /^Fix: /m)
    })
  }

  for (const code of Object.keys(DEFINITION_WARNINGS)) {
    it(`shows what logs ${code}`, () => {
      // what a snippet prints is compared with the text below it, all of it
      assert.match(
        below(`\`${code}\``, warnings),
        new RegExp(`^\`\`\`ts\n[^\`]+\`\`\`\n\n\`\`\`text\n.+ \\[${code}\\]\n\`\`\`$`, 'm'),
      )
    })
  }
})

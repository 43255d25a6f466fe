import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

const TESTS = join(import.meta.dirname, '..')

/** The rules of versioning: a letter for each section, with how many rules it has. */
const SECTIONS = {
  S: 13,
  P: 10,
  V: 8,
  U: 14,
  A: 2,
  H: 6,
  Q: 6,
  O: 8,
  C: 6,
  M: 9,
  D: 8,
  E: 9,
  W: 8,
  R: 36,
} as const

/** Rules whose tests are elsewhere, or that are no behaviour. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  C6: 'belongs to the middleware that makes ETags, which comes with its own tests',
  R30: 'belongs to the page that shows OpenAPI documents, which comes with its own tests',
}

const RULES = Object.entries(SECTIONS).flatMap(([letter, count]) =>
  Array.from({ length: count }, (_, index) => `${letter}${index + 1}`),
)

/** What could be a title: every text in the test files that begins with a rule, one on each line. */
function titles(): string {
  const files = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
  return files
    .filter((file) => file.endsWith('.test.ts') && !file.endsWith('rules.test.ts'))
    .flatMap((file) => [
      ...readFileSync(join(TESTS, file), 'utf8').matchAll(/['"`](?<title>[A-Z]\d{1,2}[ :,][^\n]*)/g),
    ])
    .map(({ groups }) => groups?.['title'] ?? '')
    .join('\n')
}

describe('the rules of versioning', () => {
  const text = titles()
  // a title may begin with several rules
  const isTested = (rule: string): boolean =>
    new RegExp(`^(?:[A-Z]\\d+,? (?:and )?)*${rule}[ :,]`, 'm').test(text)
  it('every rule is in the title of a test, or it is said where it is tested', () => {
    const missing = RULES.filter((rule) => !isTested(rule) && !Object.hasOwn(ELSEWHERE, rule))
    assert.deepEqual(missing, [])
  })
  it('no rule is said to be elsewhere that has a test here', () => {
    assert.deepEqual(Object.keys(ELSEWHERE).filter(isTested), [])
  })
  it('only rules are said to be elsewhere', () => {
    assert.deepEqual(
      Object.keys(ELSEWHERE).filter((rule) => !RULES.includes(rule)),
      [],
    )
  })
})

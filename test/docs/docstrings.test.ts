import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

const SOURCE = join(import.meta.dirname, '../../src')

const RULES: readonly (readonly [rule: string, pattern: RegExp])[] = [
  [
    'use the verb of the field, such as "returns" or "creates"',
    /(?:^|[.] )(?:Gives|Says|Tells|Makes|Hears|Lends)\b/,
  ],
  ['name the subject instead of "nobody"', /\bnobody\b/i],
  ['begin with a noun or a verb', /^What\b/],
]

/** The docstrings of a file, each in one line, without code, examples and what follows an example. */
function docstringsOf(text: string): readonly string[] {
  return [...text.matchAll(/\/\*\*\s([\s\S]*?)\*\//g)].map(([, comment = '']) =>
    comment
      .replaceAll(/^\s*\* ?/gm, '')
      .replace(/(?:^|\s)@example\s[\s\S]*/, '')
      .replaceAll(/`[^`]*`/g, 'code')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  )
}

function offendersIn(text: string): readonly string[] {
  return docstringsOf(text).flatMap((docstring) =>
    RULES.filter(([, pattern]) => pattern.test(docstring)).map(([rule]) => `${rule}: ${docstring}`),
  )
}

describe('the docstrings of the source', () => {
  it('speak of nouns, in the terms of the field', () => {
    const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    )
    assert.ok(files.length > 100)
    const offenders = files.flatMap((file) =>
      offendersIn(readFileSync(join(SOURCE, file), 'utf8')).map((offender) => `src/${file}: ${offender}`),
    )
    assert.deepEqual(offenders, [])
  })

  it('would be found', () => {
    const bad =
      '/** Gives a car. */\n/**\n * Reads a car. Says whether\n * it runs.\n */\n/** A car that nobody drives. */\n/** What a car is. */'
    assert.equal(offendersIn(bad).length, 4)
    const good =
      '/** Returns what `nobody` gives. */\n/**\n * A car.\n *\n * @example\n * // nobody. Gives\n */\n// Gives\n'
    assert.deepEqual(offendersIn(good), [])
  })
})

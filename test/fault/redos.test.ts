import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

import { sample, stringMatching } from 'fast-check'

const ROOT = join(import.meta.dirname, '../..')

/** A regular expression of the source. */
interface Found {
  readonly where: string
  readonly pattern: RegExp
}

const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|[\s;,{}()])\/\/.*$/gm
/** A literal, where a value can stand. What is none and looks like one is tested in vain. */
const LITERAL =
  /(?<=[(,=:?[!&|{};]\s*|return |=> )\/(?![*/])((?:[^\\/[\n]|\\.|\[(?:[^\\\]\n]|\\.)*\])+)\/([dgimsuvy]*)(?=[\s),.;:\]])/g

const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({
    path,
    code: readFileSync(join(ROOT, 'src', path), 'utf8').replaceAll(COMMENT, (text) =>
      text.replaceAll(/[^\n]/g, ' '),
    ),
  }))

const literals = files.flatMap(({ path, code }): Found[] =>
  [...code.matchAll(LITERAL)].map(({ 0: text, 1: source = '', 2: flags = '', index }) => ({
    where: `${path}:${code.slice(0, index).split('\n').length} ${text}`,
    pattern: new RegExp(source, flags),
  })),
)

/** Where expressions are made of texts, and why that is safe. */
const MADE: Readonly<Record<string, string>> = {
  'cli/types/to-types.ts': 'of the names of four ranges, which have letters and digits alone',
  'cli/write/change-text.ts': 'of names of our own and of exports, which have letters and digits alone',
  'gate/document/source.ts': 'of the version of a document, with every special character escaped',
  'gate/schema/check-value.ts': 'of documents that somebody compares by hand or in CI; no request is near',
  'extensions/middleware/origin.ts':
    'copies of those of the application, for origins of at most 512 characters',
  'router/path/param-types.ts': 'of the application, for segments of a path; the built-in ones are below',
  'versioning/schemes/host.ts': 'of the application, for host names',
  'versioning/version.ts': 'for texts of at most 64 characters; below',
}
const BUILT: readonly Found[] = [
  ['int', '^(?:[0-9]+)$'],
  ['float', String.raw`^(?:[0-9]+(\.[0-9]+)?)$`],
  ['uuid', '^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$'],
  ['status', '^(?:-([0-9a-z][0-9a-z.-]*))?$'],
].map(([where = '', source = '']) => ({ where, pattern: new RegExp(source, 'i') }))

/** Characters of the expression itself, of its classes, and some that break a match. */
function alphabetOf({ source }: RegExp): readonly string[] {
  return [...new Set((source.replaceAll(/\\[a-z]/gi, '') + 'aA0 \t"\\%=,;.-_/:!\u0000é').split(''))]
}

/** Texts that match the expression, as far as such can be made. */
function samplesOf(pattern: RegExp): readonly string[] {
  try {
    const texts = sample(stringMatching(pattern, { size: 'xsmall' }), { numRuns: 8, seed: 7 })
    return [...new Set(texts.map((text) => text.slice(0, 7)))]
  } catch {
    // what looks around cannot be made up
    return []
  }
}

interface Attack {
  readonly before: string
  readonly pumped: string
  readonly after: string
}

/** One character again and again, two in turn, and every part of what matches again and again; then something that does not fit. */
function attacksOn(pattern: RegExp): readonly Attack[] {
  const alphabet = alphabetOf(pattern)
  const ones = alphabet.map((pumped) => ({ before: '', pumped, after: '\n\u0000' }))
  const twos = alphabet.flatMap((first) =>
    alphabet.slice(0, 8).map((second) => ({ before: first, pumped: second, after: '\u0000' })),
  )
  const parts = samplesOf(pattern).flatMap((text) =>
    text.split('').flatMap((_, from) =>
      text
        .slice(from)
        .split('')
        .map((_char, length) => ({
          before: text.slice(0, from),
          pumped: text.slice(from, from + length + 1),
          after: `${text.slice(from + length + 1)}\u0000`,
        })),
    ),
  )
  const all = [...ones, ...twos, ...parts].map((attack) => [JSON.stringify(attack), attack] as const)
  return [...new Map(all).values()]
}

/** Small ones first, for an expression can take for ever. A square of the last is more than 12 milliseconds. */
const SIZES = [24, 5000] as const
const ALLOWED = 8

/**
 * Whether an expression takes linear time by its form: it repeats nothing without end, or one thing, either from the start of the text
 * alone or with nothing behind that could fail.
 */
function isLinear({ source, flags }: RegExp): boolean {
  const form = source.replaceAll(/\\[pP]\{[^}]*\}|\\.|\[(?:[^\\\]]|\\.)*\]/g, '.')
  const ends = form.match(/[*+]|,\}/g)?.length ?? 0
  const isAtStart = form.startsWith('^') && !form.includes('|') && !flags.includes('m')
  return ends === 0 || (ends === 1 && (isAtStart || /^[^|]*[*+]$/.test(form)))
}

/** Milliseconds of CPU time, the least of several tries where the first is long. */
function timeOf(pattern: RegExp, text: string): number {
  let least = Infinity
  for (let round = 0; round < 3 && least > ALLOWED; round++) {
    const before = process.cpuUsage()
    if (pattern.global) text.replaceAll(pattern, '')
    else pattern.exec(text)
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

/** The attack that takes longer than a linear search can. */
function findSlow(pattern: RegExp): string | undefined {
  for (const { before, pumped, after } of attacksOn(pattern)) {
    for (const size of SIZES) {
      const time = timeOf(pattern, before + pumped.repeat(Math.ceil(size / pumped.length)) + after)
      if (time > ALLOWED) return JSON.stringify({ before, pumped, after, size, time })
    }
  }
  return undefined
}

describe('the regular expressions of the source', () => {
  it('are found', () => {
    assert.ok(literals.length > 50, `only ${literals.length}`)
    const made = files.filter(({ code }) => /\bRegExp\(/.test(code)).map(({ path }) => path)
    assert.deepEqual(made.toSorted(), Object.keys(MADE).toSorted())
  })

  it('that take too long are noticed', () => {
    for (const bad of [/[ \t]+$/, /^(?:a+)+$/, /^\d*\d*x/]) {
      assert.notEqual(findSlow(bad), undefined, String(bad))
    }
  })

  const repeating = [...literals, ...BUILT].filter(({ pattern }) => !isLinear(pattern))
  const distinct = new Map(repeating.map((found) => [String(found.pattern), found]))
  for (const { where, pattern } of distinct.values()) {
    it(`take time in proportion to the text: ${where}`, () => assert.equal(findSlow(pattern), undefined))
  }
})

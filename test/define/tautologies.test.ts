import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')

/** A message and its fix, as the source code or the expectation of a test writes them. */
interface Pair {
  readonly file: string
  readonly message: string
  readonly fix: string
}

const TEXT = String.raw`('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|${'`'}(?:[^${'`'}\\]|\\.)*${'`'})`
/** `message: '…', fix: '…'`, `const message = '…'` with `const fix = '…'` below it, and both as arguments of one call. */
const WAYS = [
  String.raw`message(?::| =)\s*${TEXT},?\s*(?:const\s)?fix(?::| =)\s*${TEXT}`,
  String.raw`fix = ${TEXT}\n[^}]*message: ${TEXT}`,
  String.raw`[pP]roblem\(\s*${TEXT},\s*${TEXT}`,
  String.raw`invalidOption\([\w.]+, ${TEXT},\s*${TEXT}`,
]

function pairsIn(folder: string): readonly Pair[] {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
  return files
    .filter((file) => file.endsWith('.ts') && !/tautologies|node_modules|\.tmp/.test(file))
    .flatMap((file) => {
      const code = readFileSync(join(ROOT, folder, file), 'utf8')
      return WAYS.flatMap((way, index) =>
        [...code.matchAll(new RegExp(way, 'g'))].map(([, first = '', second = '']): Pair => {
          const [message, fix] = index === 1 ? [second, first] : [first, second]
          return { file: `${folder}/${file}`, message: message.slice(1, -1), fix: fix.slice(1, -1) }
        }),
      )
    })
}

const words = (text: string): readonly string[] => text.match(/\$\{[^}]*\}|[\p{L}\p{N}_.'-]+/gu) ?? []

/** The share of the fix that is one run of words from the message. */
function repetition({ message, fix }: Pick<Pair, 'message' | 'fix'>): number {
  const said = ` ${words(message).join(' ')} `
  const done = words(fix)
  let longest = 0
  for (let start = 0; start < done.length; start++) {
    for (let end = start + 2; end <= done.length; end++) {
      if (said.includes(` ${done.slice(start, end).join(' ')} `)) longest = Math.max(longest, end - start)
    }
  }
  return longest / Math.max(done.length, 1)
}

describe('the fix of a mistake', () => {
  const pairs = [...pairsIn('src'), ...pairsIn('test')]

  it('is measured, whoever writes it', () => {
    assert.ok(pairs.filter(({ file }) => file.startsWith('src')).length >= 100, String(pairs.length))
    assert.ok(pairs.filter(({ file }) => file.startsWith('test')).length >= 100, String(pairs.length))
    const tautology = { message: 'guards is not a list of guards', fix: 'give a list of guards' }
    assert.equal(repetition(tautology), 4 / 5)
  })

  it('says more than its message', () => {
    const repeated = pairs
      .filter((pair) => repetition(pair) >= 0.5)
      .map(({ file, message, fix }) => `${file}: ${message}; ${fix}`)
    assert.deepEqual([...new Set(repeated)], [])
  })
})

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

const FOLDER = join(import.meta.dirname, '../../docs/coming-from')

/** A cell of the column `Octavo` in a table. */
interface Cell {
  readonly line: number
  readonly text: string
  /** Tables of two columns name an equivalent. Those of three compare behaviour, which words can do too. */
  readonly isEquivalent: boolean
}

/** The text of code, without anything that a formatter may change. Words stay apart. */
const bare = (code: string): string =>
  code
    .replaceAll(/(?<![\w$])\s+|\s+(?![\w$])/g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/,(?=[)\]}]|$)/g, '')
    .replaceAll('"', "'")

/** The snippets that test/docs/snippets.test.ts runs. Comments run only if they are asserted. */
function snippetsOf(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^```ts(?: (?:serves|setup|throws))?(?: \[.+\])?\n([\s\S]*?)^```$/gm)].map(
    ([, code = '']) => bare(code.replaceAll(/(?:^|\s)\/\/ (?!→).*$/gm, '')),
  )
}

/** The cells of a row. A bar in code is written `\|`. */
const cellsOf = (row: string): readonly string[] =>
  row
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))

function rightHandSides(markdown: string): readonly Cell[] {
  const text = markdown.replaceAll(/^```[\s\S]*?^```$/gm, (fence) => fence.replaceAll(/.+/g, ''))
  return [...text.matchAll(/^(\|.+\|)\n\|[-\s|:]+\|\n((?:\|.+\|\n)+)/gm)].flatMap(
    ({ 0: table, 1: head = '', 2: rows = '', index }) => {
      const headings = cellsOf(head)
      // it is the last, but the second in a table so wide that the last would be out of sight
      const column = headings.indexOf('Octavo')
      if (column === -1) return []
      const first = text.slice(0, index + table.indexOf(rows)).split('\n').length
      return rows
        .trimEnd()
        .split('\n')
        .map((row, at) => ({
          line: first + at,
          text: cellsOf(row)[column] ?? '',
          isEquivalent: headings.length === 2,
        }))
    },
  )
}

const codesIn = (cell: string): readonly string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)

/** Whether one snippet has the code. An ellipsis in it stands for anything. */
function isIn(snippets: readonly string[], code: string): boolean {
  const parts = bare(code)
    .split('…')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  // a word is no part of a longer one
  const pattern = new RegExp(String.raw`(?<!\w(?=\w))${parts.join('.*?')}(?!(?<=\w)\w)`)
  return snippets.some((snippet) => pattern.test(snippet))
}

/** The mistakes in the tables of a page. */
function mistakesIn(markdown: string): readonly string[] {
  const snippets = snippetsOf(markdown)
  return rightHandSides(markdown).flatMap(({ line, text, isEquivalent }) => {
    const codes = codesIn(text)
    if (isEquivalent && codes.length === 0 && !/\]\([^)]+\)/.test(text))
      return [`${line}: "${text}" has neither code nor a link`]
    return codes.filter((code) => !isIn(snippets, code)).map((code) => `${line}: no snippet runs ${code}`)
  })
}

describe('the tables of equivalents', () => {
  for (const name of readdirSync(FOLDER)) {
    const markdown = readFileSync(join(FOLDER, name), 'utf8')

    it(`of ${name} have right-hand sides that run`, () => assert.deepEqual(mistakesIn(markdown), []))

    it(`of ${name} are there`, () => assert.ok(rightHandSides(markdown).length > 5))
  }
})

describe('the check of right-hand sides', () => {
  const page = (cell: string, snippet: string): string =>
    `# Page\n\n| there | Octavo |\n| ----- | ------ |\n| x     | ${cell} |\n\n${snippet}\n`
  const snippet =
    "```ts\nconst app = createApp(\n  AppModule,\n  { a: 'b' },\n)\napp.x // → 7\nf() // g()\n```"

  it('finds code in the snippets that run, however they are broken into lines', () => {
    assert.deepEqual(mistakesIn(page("`createApp(AppModule, { a: 'b' })`", snippet)), [])
    assert.deepEqual(mistakesIn(page('`createApp(AppModule, …)`, `app.x // → 7`', snippet)), [])
    assert.deepEqual(mistakesIn(page('see [routes](routes.md)', snippet)), [])
  })
  it('refuses code that no snippet runs', () => {
    assert.deepEqual(mistakesIn(page('`createApp(OtherModule)`', snippet)), [
      '5: no snippet runs createApp(OtherModule)',
    ])
    assert.deepEqual(mistakesIn(page('`g()`', snippet)), ['5: no snippet runs g()'])
    assert.deepEqual(mistakesIn(page('`App`', snippet)), ['5: no snippet runs App'])
    assert.deepEqual(mistakesIn(page('`app.x`', snippet.replace('ts', 'ts no-run'))), [
      '5: no snippet runs app.x',
    ])
  })
  it('refuses an equivalent that is neither code nor explained elsewhere', () => {
    assert.deepEqual(mistakesIn(page('the same', snippet)), ['5: "the same" has neither code nor a link'])
    const compared = page('the same', snippet)
      .replace('| there', '| question | there')
      .replace('| x', '| x | y')
    assert.deepEqual(mistakesIn(compared.replace('| -----', '| --- | -----')), [])
  })
  it('reads bars in code', () => assert.deepEqual(cellsOf(String.raw`| a | b \| c |`), ['a', 'b | c']))
})

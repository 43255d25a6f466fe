import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')

const pages = [
  '.github/SECURITY.md',
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
]

/** The anchors of a page, as renderers make them of its headings. */
function anchorsOf(page: string): readonly string[] {
  const headings = readFileSync(join(ROOT, page), 'utf8').matchAll(/^#+ (.+)$/gm)
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  )
}

describe('the links of the documentation', () => {
  for (const page of pages) {
    it(`of ${page} lead somewhere`, () => {
      for (const [, link = ''] of readFileSync(join(ROOT, page), 'utf8').matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^https?:/.test(link)) continue
        const [file = '', anchor] = link.split('#')
        const target = file === '' ? page : join(dirname(page), file)
        assert.ok(existsSync(join(ROOT, target)), link)
        if (anchor !== undefined) assert.ok(anchorsOf(target).includes(anchor), link)
      }
    })
  }
})

/** The TypeScript files of a folder, by their paths in the repository, without those that other tests write for a while. */
function sourcesIn(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/(?:^|[/\\])(?:\.tmp|node_modules)[/\\]/.test(name))
    .map((name) => join(folder, name))
}

/** The comments of a file. Text in quotes, such as `'*\/*'`, starts none: a space or a line end stands before comments. */
function commentsOf(text: string): readonly string[] {
  return [...text.matchAll(/(?:^|\s)(\/\*\*?\s[\s\S]*?\*\/|\/\/ .*$)/gm)].map(([, comment = '']) => comment)
}

/** The titles of a test file: what `it`, `describe` and `test` get, and every text in quotes that may be one in a table. */
function titlesOf(text: string): readonly string[] {
  return [
    ...text.matchAll(/\b(?:it|describe|test)\((['"`])(.+?)\1/g),
    ...text.matchAll(/(?<=[[(\s])(['"`])([A-Z\d][\w.]* .+?)\1/g),
  ].map(([, , title = '']) => title)
}

/** A letter and a number, as in R18: codes of rules that no page explains. */
const CODE = /(?<![\w.#%/+'"`-])(?:ACC ?|[A-Z])\d{1,2}(?![\w-])/g
/** Names that look like codes. */
const NAMES = new Set(['V8'])
/** Sections of our own rules. Those of standards stand beside the name of the standard. */
const SECTION = /\b(?:rules?|steps?) [A-Z]?\d|(?:§|\bsections? )[12]\.\d+|^2\.\d{1,2} /
const STANDARD = /\bRFC \d|\bstandard\b|\bOpenAPI\b/

function codesIn(text: string): readonly string[] {
  const codes = [...text.matchAll(CODE)].map(([code]) => code).filter((code) => !NAMES.has(code))
  return STANDARD.test(text) ? codes : [...codes, ...(SECTION.exec(text) ?? [])]
}

function offendersIn(
  files: readonly string[],
  partsOf: (text: string) => readonly string[],
): readonly string[] {
  return files.flatMap((file) =>
    partsOf(readFileSync(join(ROOT, file), 'utf8')).flatMap((part) =>
      codesIn(part).map((code) => `${file}: ${code} in ${part}`),
    ),
  )
}

describe('the rules that comments and titles mean', () => {
  const source = sourcesIn('src')
  // this file has codes to look for
  const tests = sourcesIn('test').filter((file) => !file.endsWith('links.test.ts'))

  it('have links that lead somewhere', () => {
    const offenders = [...source, ...tests].flatMap((file) =>
      commentsOf(readFileSync(join(ROOT, file), 'utf8'))
        .flatMap((comment) => [...comment.matchAll(/\b(docs\/[\w/-]+\.md)(?:#([\w-]+))?/g)])
        .filter(([, page = '', anchor]) => {
          const isThere = existsSync(join(ROOT, page))
          return !isThere || (anchor !== undefined && !anchorsOf(page).includes(anchor))
        })
        .map(([link]) => `${file}: ${link}`),
    )
    assert.deepEqual(offenders, [])
  })
  it('have no codes in comments', () => assert.deepEqual(offendersIn([...source, ...tests], commentsOf), []))
  it('have no codes in titles of tests', () => assert.deepEqual(offendersIn(tests, titlesOf), []))
  it('would be found by their codes', () => {
    const codes = ['R18', 'ACC2', 'E1', 'rule 5', 'section 2.13']
    const texts = ['(rule R18)', 'read as one (ACC2)', 'E1 P3 one version', 'see rule 5', '(section 2.13)']
    assert.deepEqual(
      texts.map((text) => codesIn(text)[0]),
      codes,
    )
    assert.deepEqual(codesIn('V8 and UTF-8, HTTP/2, RFC 9110 section 2.1, 2026-01-01T00:00:00Z'), [])
  })
})

describe('docs/architecture.md', () => {
  it('names files that exist', () => {
    const text = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8')
    const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    for (const [, name = ''] of text.matchAll(/`([\w/-]+\.ts)`/g)) {
      const known = existsSync(join(ROOT, name)) || files.some((file) => `/${file}`.endsWith(`/${name}`))
      assert.ok(known, name)
    }
  })
})

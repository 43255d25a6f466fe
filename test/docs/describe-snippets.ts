import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it, mock } from 'node:test'
import { pathToFileURL } from 'node:url'

import { build } from 'esbuild'
import * as octavo from 'octavo'
import * as auth from 'octavo/auth'
import * as changes from 'octavo/changes'
import * as middleware from 'octavo/middleware'
import * as testing from 'octavo/testing'
import * as undici from 'octavo/undici'

import type { Speed } from '../../scripts/test/files.ts'
import { COMPILER } from '../support/octavo.ts'
import { findPackage } from '../support/package.ts'
import { FOLDER } from '../support/program.ts'
import { withoutPackage } from '../support/without-package.ts'

const ROOT = join(import.meta.dirname, '../..')

/** A `ts` fence; CONTRIBUTING.md says what the marks mean. */
interface Snippet {
  readonly page: string
  readonly line: number
  /** The heading above, without backticks. */
  readonly heading: string
  readonly mark: '' | 'no-run' | 'outside' | 'serves' | 'setup' | 'throws'
  readonly code: string
  /** What a `text` fence right below says is printed. */
  readonly printed: string | undefined
  /** The calls of an app that `serves`. */
  readonly calls: readonly Call[]
}

/** A `curl` command below a snippet that `serves`, and the `json` fence with its answer. */
interface Call {
  readonly path: string
  readonly answer: unknown
}

const FENCE = /^```ts(?: ([^\s[]+))?(?: \[.+\])?\n([\s\S]*?)^```\n(?:\n```text\n([\s\S]*?)^```$)?/gm
const MARKS = ['', 'no-run', 'outside', 'serves', 'setup', 'throws'] as const
const LISTEN = 'await app.listen({ port: 3000 })'
const CALL = /^```sh\ncurl ('?)http:\/\/localhost:3000([^\s']+)\1\n```$[^`]*^```json\n([\s\S]*?)^```$/gm

/** The calls between a snippet and the next heading. Shells such as zsh need quotes around `?`. */
function readCalls(below: string): readonly Call[] {
  const [section = ''] = below.split(/^## /m)
  return [...section.matchAll(CALL)].map(([, , path = '', answer = '']) => ({
    path,
    answer: JSON.parse(answer),
  }))
}

function readSnippets(page: string): readonly Snippet[] {
  const text = readFileSync(join(ROOT, page), 'utf8')
  return [...text.matchAll(FENCE)].map((match) => {
    const above = text.slice(0, match.index)
    const mark = MARKS.find((known) => known === (match[1] ?? ''))
    const line = above.split('\n').length
    assert.ok(mark !== undefined, `${page}:${line} has the unknown mark "${match[1]}"`)
    const heading = [...above.matchAll(/^#+ (.+)$/gm)].at(-1)?.[1]?.replaceAll('`', '') ?? ''
    const calls = mark === 'serves' ? readCalls(text.slice(match.index)) : []
    return { page, line, heading, mark, code: match[2] ?? '', printed: match[3], calls }
  })
}

/** An expression of one line or several, with its value at the end or in comments below. */
const VALUE = String.raw`\/\/ → (.+(?:\n\/\/ {3}.+)*)$`
const CHECKED = [
  new RegExp(String.raw`^(?!\/\/)(\S.*(?:\n .*)*\n[)\]}].*?)( +|\n)${VALUE}`, 'gm'),
  new RegExp(String.raw`^;?(.+?)( +)${VALUE}`, 'gm'),
  new RegExp(String.raw`^(?!\/\/)(\S.*)(\n)${VALUE}`, 'gm'),
]

/** Turns `expression // → value` into an assertion, on the lines where it stands. */
function toModule(code: string, head: string): string {
  const toCheck = (_: string, expression: string, between: string, value: string): string =>
    `; check__((${expression}),${between}(${value.replaceAll(/^\/\/ {3}/gm, '')}))`
  const body = CHECKED.reduce((text, pattern) => text.replaceAll(pattern, toCheck), code)
  const check = "import { deepStrictEqual } from 'node:assert'; "
  return `${check}const check__: (actual: unknown, expected: unknown) => void = deepStrictEqual; ${head}\n${body}\nexport {}\n`
}

const ENTRIES = {
  octavo,
  'octavo/auth': auth,
  'octavo/changes': changes,
  'octavo/middleware': middleware,
  'octavo/testing': testing,
  'octavo/undici': undici,
}

/** The page of errors shows wrong definitions, which have every name of the entry points and `z` in scope, and types that do not fit. */
const isOfErrors = (page: string): boolean => page === join('docs', 'errors.md')

const IMPORT = /^import [\s\S]*?from '[^']+'$/gm
const NAMES = /^(import(?: type)?) \{([^}]*)\} from ('[^']+')$/

const namesOf = (list: string): readonly string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

/** The names that a snippet imports, for which its setup needs no import. */
const importedBy = (code: string): ReadonlySet<string> =>
  new Set([...code.matchAll(IMPORT)].flatMap(([line]) => namesOf(NAMES.exec(line)?.[2] ?? '')))

/** Imports everything that a setup does not import itself. */
function everyName(setup: string): string {
  const own = importedBy(setup)
  const imports = [...Object.entries(ENTRIES), ['zod', { z: true }] as const].map(([entry, names]) => {
    const others = Object.keys(names).filter((name) => !own.has(name))
    return `import { ${others.join(', ')} } from '${entry}'; `
  })
  return imports.join('')
}

/** The setup of a page without the names that the snippet imports. */
function withoutNames(setup: string, imported: ReadonlySet<string>): string {
  return setup.replaceAll(IMPORT, (line) => {
    const [, keyword = '', names = '', entry = ''] = NAMES.exec(line) ?? []
    if (keyword === '') return line
    const others = namesOf(names).filter((name) => !imported.has(name))
    return others.length === 0 ? '' : `${keyword} { ${others.join(', ')} } from ${entry}`
  })
}

/** Puts a snippet below the setup of its page, in a block, so that it may declare a name again. Its lines stay where they are. */
function belowSetup(setup: string, page: string, code: string): readonly [head: string, code: string] {
  if (isOfErrors(page)) return [`${everyName(setup)}\n${setup}`, code]
  const imports = [...code.matchAll(IMPORT)].map(([line]) => line.replaceAll('\n', ' '))
  const head = `${imports.join('; ')}\n${withoutNames(setup, importedBy(code))}`
  const rest = code.replaceAll(IMPORT, (lines) => lines.replaceAll(/.*/g, '')).replaceAll(/^export /gm, '')
  return /^declare /m.test(rest) ? [head, rest] : [`${head}\n{`, `${rest}}\n`]
}

/** A comment can say that a package is missing. */
function where<T>(code: string, work: () => Promise<T>): Promise<T> {
  const [, name] = /^\/\/ where (\S+) is not installed$/m.exec(code) ?? []
  return name === undefined ? work() : withoutPackage(name, work)
}

/** The module of a snippet, once it is compiled. */
const toUrl = (file: string): string => pathToFileURL(file.replace(/\.ts$/, '.mjs')).href

async function run(file: string): Promise<string> {
  const log = mock.method(console, 'log', () => undefined)
  try {
    await import(toUrl(file))
    return log.mock.calls.map(({ arguments: values }) => `${values.map(String).join(' ')}\n`).join('')
  } finally {
    log.mock.restore()
  }
}

/** Lets the app of a snippet listen on any free port. */
function onFreePort(code: string): string {
  return `${code.replace(LISTEN, `export const url__ = ${LISTEN.replace('3000', '0')}`)}export { app as app__ }\n`
}

async function answersOf(file: string, calls: readonly Call[]): Promise<readonly unknown[]> {
  const { app__, url__ }: { app__: octavo.App; url__: string } = await import(toUrl(file))
  try {
    return await Promise.all(calls.map(async ({ path }) => (await fetch(url__ + path)).json()))
  } finally {
    await app__.close()
  }
}

const pages = [
  'README.md',
  'llms.txt',
  ...readdirSync(join(ROOT, 'skills')).map((name) => join('skills', name, 'SKILL.md')),
  'website/index.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    // tutorial.slow.test.ts follows the pages of the tutorial, whose fences are files of one project
    .filter((name) => name.endsWith('.md') && !/^tutorial[/\\]/.test(name))
    .map((name) => join('docs', name)),
]

/** Those that start PostgreSQL in the process, or hash passwords, take seconds. */
const speedOf = ({ code }: Snippet): Speed =>
  /from '@electric-sql\/pglite'|\bscrypt\(/.test(code) ? 'slow' : 'fast'

/** Runs the snippets of one speed. The fast ones bring the type check of all. */
export function describeSnippets(speed: Speed): void {
  describe('the snippets of the documentation', () => {
    // beside the package as it is shipped, with which snippets run
    mkdirSync(FOLDER, { recursive: true })
    const folder = mkdtempSync(join(FOLDER, 'snippets-'))
    const files: string[] = []
    let DefinitionError = octavo.DefinitionError
    before(async () => {
      // a package of their own, else the name means the sources
      writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
      const installed = pathToFileURL(join(await findPackage(), 'dist/index.js')).href
      ;({ DefinitionError } = (await import(installed)) as typeof octavo)
      // messages name the lines of snippets
      process.setSourceMapsEnabled(true)
      await build({
        entryPoints: files,
        outdir: folder,
        outExtension: { '.js': '.mjs' },
        format: 'esm',
        target: 'node20',
        // as tsx does: a name that a snippet declares takes the place of one that is in scope
        tsconfigRaw: {},
        sourcemap: true,
        sourcesContent: false,
        logLevel: 'error',
      })
    })
    after(() => rmSync(folder, { recursive: true }))

    for (const page of pages) {
      const snippets = readSnippets(page)
      const setup = snippets.find(({ mark }) => mark === 'setup')
      for (const snippet of snippets) {
        const { line, heading, mark, printed, calls } = snippet
        const code = mark === 'serves' ? onFreePort(snippet.code) : snippet.code
        if (mark === 'no-run' || mark === 'outside' || mark === 'setup') continue
        const name = `${page.replaceAll(/[/.]/g, '-')}-${line}.ts`
        const file = join(folder, isOfErrors(page) ? `untyped-${name}` : name)
        const [head, body] = setup === undefined ? ['', code] : belowSetup(setup.code, page, code)
        writeFileSync(file, toModule(body, head))
        files.push(file)
        if (speedOf(snippet) !== speed) continue
        if (mark === 'serves') {
          it(`${page}:${line} serves what the calls below it show`, async () => {
            assert.ok(snippet.code.includes(LISTEN), LISTEN)
            assert.ok(calls.length > 0, 'no calls')
            const expected = calls.map(({ answer }) => answer)
            assert.deepEqual(await answersOf(file, calls), expected)
          })
        } else if (mark === 'throws') {
          it(`${page}:${line} throws ${heading}`, () =>
            assert.rejects(
              where(code, () => run(file)),
              (error) => {
                assert.ok(error instanceof DefinitionError, String(error))
                assert.deepEqual([...new Set(error.errors.map((problem) => problem.code))], [heading])
                return true
              },
            ))
        } else {
          it(`${page}:${line} does what it says`, async () => {
            const output = await run(file)
            // a module of a snippet is a file of its own in a temporary folder
            const shown = output.replaceAll(/\(\.test\/\S+\.ts(?=:\d+\))/g, '(src/app.ts')
            if (printed !== undefined) assert.equal(shown, printed)
          })
        }
      }
    }

    if (speed === 'slow') return

    it('quote addresses with a query in commands', () => {
      for (const page of pages) {
        const text = readFileSync(join(ROOT, page), 'utf8')
        assert.deepEqual([...text.matchAll(/curl (?:\S+ )*?http\S*\?\S*/g)].map(String), [], page)
      }
    })

    it('are valid TypeScript', () => {
      const config = {
        extends: join(ROOT, 'tsconfig.json'),
        compilerOptions: { declaration: false, noUnusedLocals: false, noUnusedParameters: false },
        include: ['./*.ts'],
        exclude: ['./untyped-*'],
      }
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
      try {
        const [tsc, ...options] = COMPILER
        execFileSync(tsc, [...options, '-p', folder], { encoding: 'utf8' })
      } catch (error) {
        // the rest of the project has a type check of its own
        const lines = String(Object(error).stdout).split('\n')
        assert.deepEqual(
          lines.filter((text) => text.includes('snippets-')),
          [],
        )
      }
    })
  })
}

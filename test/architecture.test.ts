import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { describe, it } from 'node:test'

/**
 * The parts of src in reading order, and the parts above that each may import. A part is a folder or a file directly under src.
 */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  'http.ts': [],
  'edit-distance.ts': [],
  'definition-error.ts': ['edit-distance.ts'],
  'media-type.ts': [],
  'file-name.ts': [],
  'stream.ts': ['http.ts'],
  'errors.ts': ['http.ts'],
  'param-types.ts': ['definition-error.ts'],
  'pattern.ts': ['definition-error.ts', 'param-types.ts'],
  versioning: ['http.ts', 'definition-error.ts', 'media-type.ts'],
  router: ['param-types.ts', 'pattern.ts'],
  define: ['http.ts', 'definition-error.ts', 'errors.ts', 'param-types.ts', 'pattern.ts', 'versioning'],
  send: ['http.ts', 'file-name.ts', 'errors.ts', 'define'],
  middleware: ['http.ts', 'definition-error.ts', 'media-type.ts', 'stream.ts', 'errors.ts', 'define', 'send'],
  container: ['http.ts', 'definition-error.ts', 'define'],
  auth: ['http.ts', 'definition-error.ts', 'errors.ts', 'define'],
  session: ['http.ts', 'definition-error.ts', 'errors.ts', 'define'],
  request: ['http.ts', 'media-type.ts', 'file-name.ts', 'errors.ts', 'define'],
  openapi: [
    'http.ts',
    'definition-error.ts',
    'errors.ts',
    'param-types.ts',
    'pattern.ts',
    'versioning',
    'define',
  ],
  client: ['http.ts', 'edit-distance.ts', 'define'],
  server: [
    'http.ts',
    'definition-error.ts',
    'stream.ts',
    'errors.ts',
    'param-types.ts',
    'pattern.ts',
    'versioning',
    'router',
    'define',
    'send',
    'container',
    'session',
    'request',
    'openapi',
    'client',
  ],
  cli: ['http.ts', 'edit-distance.ts', 'definition-error.ts', 'openapi', 'server'],
  'index.ts': [
    'http.ts',
    'definition-error.ts',
    'errors.ts',
    'param-types.ts',
    'versioning',
    'define',
    'send',
    'middleware',
    'auth',
    'session',
    'openapi',
    'server',
  ],
}

/** Packages and built-in modules that only some files may import as values, and those files. */
const ONLY: Readonly<Record<string, RegExp>> = {
  '@fastify/busboy': /^request\/multipart\.ts$/,
  '@fastify/send': /^send\/disk\.ts$/,
  keyv: /^session\/memory-store\.ts$/,
  'node:cluster': /^server\/cluster\//,
  'node:http': /^(errors|server\/(node\/[a-z\d-]+|app|fetch|dispatcher\/exchange))\.ts$/,
  'node:http2': /^server\/node\/http2\//,
  'node:https': /^server\/node\//,
  'node:tls': /^server\/node\//,
  radix3: /^router\//,
  yaml: /^openapi\/yaml\.ts$/,
  // the second is the text of a file that `octavo init` writes
  zod: /^(define\/schema|cli\/init\/sources)\.ts$/,
  'zod-openapi': /^openapi\/convert\.ts$/,
  'zod-openapi/api': /^openapi\/convert\.ts$/,
}

const MAX_LINES = 250
const ROOT = join(import.meta.dirname, '..')

interface Import {
  readonly from: string
  readonly isType: boolean
}

interface SourceFile {
  /** Relative to src. */
  readonly path: string
  readonly part: string
  readonly text: string
  /** The text without comments. */
  readonly code: string
  readonly imports: readonly Import[]
}

const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts'))
  .map(toSourceFile)

function toSourceFile(path: string): SourceFile {
  const text = readFileSync(join(ROOT, 'src', path), 'utf8')
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|(?<![:'"`\\])\/\/.*$/gm, '')
  const imports = [
    ...code.matchAll(/^(?:import|export)\s+(type\s)?[^'"]*?from '([^']+)'|^import '([^']+)'/gm),
  ]
  return {
    path,
    part: path.split('/')[0] ?? '',
    text,
    code,
    imports: imports.map(([, isType, from, bare]) => ({
      from: from ?? bare ?? '',
      isType: isType !== undefined,
    })),
  }
}

/** The part that a relative import leads to; `undefined` for packages. */
function partOf(path: string, from: string): string | undefined {
  return from.startsWith('.') ? join(dirname(path), from).split('/')[0] : undefined
}

describe('the parts of src', () => {
  it('are seen', () => assert.ok(files.length > 50))

  it('are all listed, and all there', () => {
    assert.deepEqual([...new Set(files.map(({ part }) => part))].toSorted(), Object.keys(PARTS).toSorted())
  })

  it('name only parts above them, so there is no cycle', () => {
    const names = Object.keys(PARTS)
    for (const [index, [part, allowed]] of Object.entries(PARTS).entries()) {
      for (const name of allowed)
        assert.ok(names.indexOf(name) < index, `${part} names ${name}, not above it`)
    }
  })
})

for (const { path, part, text, code, imports } of files) {
  describe(`src/${path}`, () => {
    it('imports only from the parts above', () => {
      for (const { from } of imports) {
        const other = partOf(path, from)
        if (other === undefined || other === part) continue
        assert.ok(PARTS[part]?.includes(other), `${part} may not import ${other}`)
      }
    })

    it('ends relative imports in .ts', () => {
      for (const { from } of imports) assert.ok(!from.startsWith('.') || from.endsWith('.ts'), from)
    })

    it('leaves packages to the files they belong to', () => {
      for (const { from, isType } of imports) {
        const owners = ONLY[from]
        assert.ok(owners === undefined || owners.test(path) || (from === 'zod' && isType), from)
      }
    })

    it(`has at most ${MAX_LINES} lines`, () => {
      const lines = text.trimEnd().split('\n').length
      assert.ok(lines <= MAX_LINES, `${lines} lines`)
    })

    it('has no any and no default export', () => {
      assert.doesNotMatch(code, /(?:[:<|&,=]|\bas|\bextends)\s*any\b/)
      assert.doesNotMatch(code, /^export default\b|\bas default\b/m)
    })
  })
}

describe('the repository', () => {
  // a copy without history has no list of its files
  const listed = existsSync(join(ROOT, '.git'))
    ? execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n')
    : []

  it('locks packages without the address of a registry', () => {
    assert.doesNotMatch(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'), /"resolved":\s*"https?:/)
  })

  it('names no path of one machine', () => {
    const machinePath = /(?<![\w.~-])(?:\/(?:home|Users|work|root)\/[a-z]|[A-Z]:\\\w)/
    for (const file of listed.filter((name) => existsSync(join(ROOT, name)))) {
      const [found] = machinePath.exec(readFileSync(join(ROOT, file), 'utf8')) ?? []
      assert.equal(found, undefined, file)
    }
  })
})

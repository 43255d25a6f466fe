import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'

import { build } from 'esbuild'
import type { Plugin } from 'esbuild'

/**
 * Builds the JavaScript of `dist`, or of another folder that is named, for Node. Declarations and the client of browsers have commands
 * of their own.
 */

const ROOT = join(import.meta.dirname, '..')
const OUT = resolve(ROOT, process.argv[2] ?? 'dist')

interface Manifest {
  readonly exports: Readonly<
    Record<string, string | { readonly 'octavo-source': string; readonly types: string }>
  >
}

/** The sources of the entry points, and of the command. The client is built for browsers, on its own. */
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest
const entryPoints = Object.entries(manifest.exports).flatMap(([name, entry]) =>
  typeof entry === 'string' || name.startsWith('./client') ? [] : [entry['octavo-source']],
)

const COMMAND = 'src/cli/main.ts'

/**
 * Files that share a chunk, because they are loaded together. Without it, esbuild makes a chunk for each set of entry points that share
 * files, and every `import()` is an entry point. A file for each module would take 70 ms more to import. `base` is all that the command line
 * needs of the rest before it runs a command, and `core` is what every application has.
 */
const SHARED = {
  base: [
    'base/platform',
    'base/style',
    'base/edit-distance',
    'base/definition-error',
    'http/errors',
    'schema/body-types',
    'router/path/pattern',
    'routes/resolved-route',
    'versioning/version',
    'client/route-map',
    'server/adapters/internals',
    'schema/coercion',
    'server/options/usage',
    'server/process/signals',
  ],
  core: ['server/app/edge-app', 'exports', 'server/adapters/node/upgrade-reply'],
} as const

function toImports(group: keyof typeof SHARED): string {
  const imports = SHARED[group].map((file) => `export * from './${file}.ts'\n`)
  return [...imports, ...(group === 'core' ? ["import 'octavo:base'\n"] : [])].join('')
}

const shared: Plugin = {
  name: 'shared',
  setup: (context) => {
    context.onResolve({ filter: /^octavo:/ }, ({ path }) => ({
      path: path.slice('octavo:'.length),
      namespace: 'octavo',
      sideEffects: true,
    }))
    context.onLoad({ filter: /^/, namespace: 'octavo' }, ({ path }) => ({
      contents: toImports(path as keyof typeof SHARED),
      resolveDir: join(ROOT, 'src'),
    }))
    context.onLoad({ filter: /[/\\]src[/\\].*\.ts$/ }, ({ path }) => {
      const group = groups.get(path)
      if (group === undefined) return undefined
      return { contents: `${readFileSync(path, 'utf8')}\nimport 'octavo:${group}'\n`, loader: 'ts' }
    })
  },
}

/** What the entry points, and the files that something imports with `import()`, come after. The command line stays small. */
const groups = new Map<string, keyof typeof SHARED>(
  [
    ...[...entryPoints, COMMAND].map((path) => join(ROOT, path)),
    ...readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .flatMap((path) => {
        const file = join(ROOT, 'src', path)
        const found = readFileSync(file, 'utf8').matchAll(/\bimport\('(\.[^']+)'\)/g)
        return [...found].map(([, target = '']) => join(dirname(file), target))
      }),
  ].map((path) => [path, relative(ROOT, path).startsWith(join('src', 'cli')) ? 'base' : 'core']),
)

const { outputFiles, metafile } = await build({
  absWorkingDir: ROOT,
  entryPoints: [...entryPoints, COMMAND],
  outbase: 'src',
  outdir: OUT,
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  packages: 'external',
  plugins: [shared],
  logLevel: 'warning',
  write: false,
  metafile: true,
  sourcemap: 'linked',
  // the sources are not part of the package, and traces need their names alone
  sourcesContent: false,
})

/**
 * The path that a file is written to, by the path that esbuild gave it: that of its entry point, its group or the largest of its sources. If
 * that is an entry point as well, `-shared` is added.
 */
const paths = new Map<string, string>()
const outputs = Object.entries(metafile.outputs).filter(([path]) => path.endsWith('.js'))
const entries = new Set(outputs.flatMap(([, { entryPoint }]) => entryPoint ?? []))
for (const [path, { entryPoint, inputs }] of outputs) {
  const bytesOf = (input: string): number => inputs[input]?.bytesInOutput ?? 0
  const [largest = ''] = Object.keys(inputs).toSorted((a, b) => bytesOf(b) - bytesOf(a))
  const group = Object.entries(SHARED).find(([, [first]]) => `src/${first}.ts` in inputs)?.[0]
  const source = entryPoint ?? (group === undefined ? largest : `src/${group}.ts`)
  const isTaken = entryPoint === undefined && entries.has(source)
  paths.set(
    resolve(ROOT, path),
    join(OUT, relative('src', source).replace(/\.ts$/, isTaken ? '-shared.js' : '.js')),
  )
}
if (new Set(paths.values()).size < paths.size) throw new Error('Two files of dist have one name')

// no file does anything when it is imported, so imports without names only make bundlers keep what nothing uses
const BARE = /^import "\.[^"]+";$/gm
const IMPORT = /(?<=\b(?:from |import\())"(\.[^"]+)"/g

function toText(text: string, from: string, to: string): string {
  return text
    .replaceAll(BARE, '')
    .replaceAll(IMPORT, (quoted, target: string) => {
      const found = paths.get(join(dirname(from), target))
      return found === undefined ? quoted : JSON.stringify(toSpecifier(dirname(to), found))
    })
    .replace(/^\/\/# sourceMappingURL=.*$/m, `//# sourceMappingURL=${basename(to)}.map`)
}

function toSpecifier(folder: string, file: string): string {
  const path = relative(folder, file).replaceAll('\\', '/')
  return path.startsWith('.') ? path : `./${path}`
}

/** A source map. Its sources are named from the folder that it is in, as if `src` were beside the folder that is written. */
interface SourceMap {
  readonly sources: readonly string[]
}

function toMap(text: string, from: string, to: string): string {
  const map = JSON.parse(text) as SourceMap
  const sources = map.sources.map((source) => {
    const path = relative(ROOT, join(dirname(from), source))
    return relative(dirname(to), join(dirname(OUT), path)).replaceAll('\\', '/')
  })
  return JSON.stringify({ ...map, sources })
}

for (const { path, text } of outputFiles) {
  const isMap = path.endsWith('.map')
  const from = isMap ? path.slice(0, -'.map'.length) : path
  const to = paths.get(from) ?? from
  mkdirSync(dirname(to), { recursive: true })
  if (isMap) writeFileSync(`${to}.map`, toMap(text, from, to))
  else writeFileSync(to, toText(text, from, to), { mode: text.startsWith('#!') ? 0o755 : 0o644 })
}

// declarations that no entry point leads to say nothing to users
const reached = new Set<string>()
const visit = (path: string): void => {
  if (reached.has(path) || !existsSync(path)) return
  reached.add(path)
  for (const [, target = ''] of readFileSync(path, 'utf8').matchAll(
    /(?:from |import\()['"](\.[^'"]+)\.[jt]s['"]/g,
  ))
    visit(join(dirname(path), `${target}.d.ts`))
}
for (const entry of Object.values(manifest.exports))
  if (typeof entry !== 'string') visit(join(OUT, relative('dist', entry.types)))
for (const path of readdirSync(OUT, { recursive: true, encoding: 'utf8' }).map((name) => join(OUT, name)))
  if (path.endsWith('.d.ts') && !reached.has(path)) rmSync(path)

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { build } from 'esbuild'
import type { Plugin } from 'esbuild'

/**
 * Builds the JavaScript of `dist`, or of another folder that is named, for Node. Declarations and the client of browsers have commands
 * of their own.
 */

const ROOT = join(import.meta.dirname, '..')
const PAGE = join(ROOT, 'src/server/docs/page')

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly 'octavo-source': string }>>
}

/** The sources of the entry points, and of the command. The client is built for browsers, on its own. */
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest
const entryPoints = Object.entries(manifest.exports).flatMap(([name, entry]) =>
  typeof entry === 'string' || name.startsWith('./client') ? [] : [entry['octavo-source']],
)

/** A file as the text that is written in the place of a name. */
const textOf = (name: string): string => JSON.stringify(readFileSync(join(PAGE, name), 'utf8'))

/**
 * Keeps everything that `octavo/edge` imports statically in one chunk, what it loads if definitions need it in another, and what `octavo`
 * has besides in a third. esbuild makes a chunk for each set of entry points that share files, and every `import()` is an entry point, so
 * that `octavo` would be three dozen files, which load 13 ms slower. All of them come after one of the three anyway: if each imports it,
 * they share one set.
 */
const core: Plugin = {
  name: 'core',
  setup: (context) => {
    // whoever resolves a file first says whether its import does something, which the package denies
    context.onResolve({ filter: /(?:\/edge|\/index|\/present-code)\.ts$/ }, ({ path, resolveDir }) => {
      const file = join(resolveDir, path)
      return COMMON.has(file) ? { path: file, sideEffects: true } : undefined
    })
    context.onResolve({ filter: /^octavo:core$/ }, () => ({
      path: 'core',
      namespace: 'octavo',
      sideEffects: true,
    }))
    context.onLoad({ filter: /^core$/, namespace: 'octavo' }, () => ({
      contents: CORE,
      resolveDir: join(ROOT, 'src'),
    }))
    context.onResolve({ filter: /^octavo:.+\.ts$/ }, ({ path }) => ({
      path: join(ROOT, 'src', path.slice('octavo:'.length)),
      sideEffects: true,
    }))
    context.onLoad({ filter: /[/\\]src[/\\].*\.ts$/ }, ({ path }) => {
      if (!later.has(path)) return undefined
      const imports = toBefore(path).map((file) => `import 'octavo:${file}'\n`)
      return { contents: [readFileSync(path, 'utf8'), ...imports].join('\n'), loader: 'ts' }
    })
  },
}

/**
 * What an `import()` asks for in applications without schemes, and schemes import statically: it has to run before them. What few routes
 * need is one of these too, so that it does not bring them.
 */
const OF_SCHEMES = /[/\\]server[/\\](?:versioned[/\\]versioned|boot[/\\]route-code)\.ts$/

/** What `octavo` imports statically, and `octavo/edge` loads if definitions need it. */
const OPTIONAL = ['server/boot/present-code.ts']

/** What a file that is loaded later comes after. */
function toBefore(path: string): readonly string[] {
  if (OF_SCHEMES.test(path)) return ['core']
  if (OF_NODE.test(path)) return ['index.ts']
  return OF_SCHEMAS.test(path) ? ['edge.ts', ...OPTIONAL] : ['edge.ts']
}

/** What others are made to import. */
const COMMON = new Set(['edge.ts', 'index.ts', ...OPTIONAL].map((file) => join(ROOT, 'src', file)))

/** What comes after that: it works on schemas, or is a part of it. */
const OF_SCHEMAS = /[/\\](?:changes|docs|openapi|schema|session|validation)[/\\]|-code\.ts$/

/**
 * What applications without schemes consist of. As an entry point it keeps the code of versions out of its chunk, so that bundles can do
 * without it. The file that this makes is not written.
 */
const CORE = `export * from './common.ts'\nexport * from './server/edge/edge-app.ts'\n`

/** What only `octavo` imports. */
const OF_NODE = /[/\\]server[/\\](?:adapters[/\\]node|process)[/\\]/

/** The entry points but these two, and the files that something imports with `import()`, but for the command line, which stays small. */
const later = new Set([
  ...entryPoints
    .filter((path) => path !== './src/index.ts' && path !== './src/edge.ts')
    .map((path) => join(ROOT, path)),
  ...readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.startsWith('cli'))
    .flatMap((path) => {
      const file = join(ROOT, 'src', path)
      const found = readFileSync(file, 'utf8').matchAll(/\bimport\('(\.[^']+)'\)/g)
      return [...found].map(([, target = '']) => join(dirname(file), target))
    }),
])

const { outputFiles } = await build({
  absWorkingDir: ROOT,
  entryPoints: [...entryPoints, 'octavo:core', 'src/cli/main.ts'],
  outbase: 'src',
  outdir: process.argv[2] ?? 'dist',
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  packages: 'external',
  plugins: [core],
  define: {
    PAGE_CSS: textOf('page.css'),
    SCALAR_CSS: textOf('scalar.css'),
    SWAGGER_CSS: textOf('swagger.css'),
  },
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
  write: false,
})

// no file does anything when it is imported, so imports without names only make bundlers keep what nothing uses
const UNWRITTEN = /[/\\]core\.js(?:\.map)?$/
const BARE = /^import "\.[^"]+";$/gm
for (const { path, text } of outputFiles) {
  if (UNWRITTEN.test(path)) continue
  mkdirSync(dirname(path), { recursive: true })
  // the lines stay where source maps have them
  const written = path.endsWith('.js') ? text.replaceAll(BARE, '') : text
  writeFileSync(path, written, { mode: text.startsWith('#!') ? 0o755 : 0o644 })
}

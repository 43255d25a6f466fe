import { readdirSync, readFileSync } from 'node:fs'
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
 * Keeps everything that `octavo/edge` imports statically in one chunk, and what `octavo` has besides in another. esbuild makes a chunk for
 * each set of entry points that share files, and every `import()` is an entry point, so that `octavo` would be three dozen files,
 * which load 13 ms slower. All of them come after one of the two anyway: if each imports it, they share one set.
 */
const core: Plugin = {
  name: 'core',
  setup: (context) => {
    context.onResolve({ filter: /^octavo:(?:edge|index)$/ }, ({ path }) => ({
      path: join(ROOT, 'src', `${path.slice('octavo:'.length)}.ts`),
      sideEffects: true,
    }))
    context.onLoad({ filter: /[/\\]src[/\\].*\.ts$/ }, ({ path }) => {
      if (!later.has(path) || OF_SCHEMES.test(path)) return undefined
      const before = OF_NODE.test(path) ? 'octavo:index' : 'octavo:edge'
      return { contents: `${readFileSync(path, 'utf8')}\nimport '${before}'\n`, loader: 'ts' }
    })
  },
}

/** What an `import()` asks for in applications without schemes, and schemes import statically: it has to run before them. */
const OF_SCHEMES = /[/\\]server[/\\]versioned[/\\]versioned\.ts$/

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

await build({
  absWorkingDir: ROOT,
  entryPoints: [...entryPoints, 'src/cli/main.ts'],
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
})

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

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

/**
 * Files that share a chunk, because they are loaded together: what every application has, and what validates. esbuild makes a chunk for each
 * set of entry points that share files, and every `import()` is an entry point, so that `octavo` would be three dozen files, which load
 * 13 ms slower. What is loaded later comes after these anyway: if each of those imports them, they share one set.
 */
const SHARED = {
  core: `export * from './exports.ts'\nexport * from './server/app/edge-app.ts'\n`,
} as const

const shared: Plugin = {
  name: 'shared',
  setup: (context) => {
    context.onResolve({ filter: /^octavo:/ }, ({ path }) => ({
      path: path.slice('octavo:'.length),
      namespace: 'octavo',
      sideEffects: true,
    }))
    context.onLoad({ filter: /^/, namespace: 'octavo' }, ({ path }) => ({
      contents: SHARED[path as keyof typeof SHARED],
      resolveDir: join(ROOT, 'src'),
    }))
    context.onLoad({ filter: /[/\\]src[/\\].*\.ts$/ }, ({ path }) => {
      if (!later.has(path)) return undefined
      return { contents: `${readFileSync(path, 'utf8')}\nimport 'octavo:core'\n`, loader: 'ts' }
    })
  },
}

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
  entryPoints: [...entryPoints, 'src/cli/main.ts'],
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
})

// no file does anything when it is imported, so imports without names only make bundlers keep what nothing uses
const BARE = /^import "\.[^"]+";$/gm
for (const { path, text } of outputFiles) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text.replaceAll(BARE, ''), { mode: text.startsWith('#!') ? 0o755 : 0o644 })
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

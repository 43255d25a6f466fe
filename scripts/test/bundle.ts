import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { build, transform } from 'esbuild'
import type { Plugin } from 'esbuild'

import type { Entry } from './plan.ts'
import { findPrograms, PROGRAMS_PART } from './programs.ts'

/** The exports of package.json, as far as they matter here. */
type Exports = Readonly<Record<string, string | Readonly<Record<string, string>>>>

/** The limit of each test file, and so of each test, as no test has a longer one than the suite it is in. */
const TIMEOUT = 1_200_000

/** Time for a process to end by itself after its last test. */
const GRACE = 60_000

/**
 * Transpiles the test files of all entries and what they import. The entries share their chunks, so a module is one instance in a
 * process, however it is imported, and nothing is compiled twice.
 */
export async function bundle(
  root: string,
  folder: string,
  entries: readonly Entry[],
  fromSource: boolean,
): Promise<void> {
  // what runs from source, as for coverage, starts programs from source
  const programs = fromSource ? [] : findPrograms(root)
  await build({
    entryPoints: [
      ...entries.map(({ name }) => ({ in: `entry:${name}`, out: name })),
      { in: 'entry:reporter', out: 'reporter' },
      ...programs.map((path) => ({
        in: join(root, path),
        out: join(PROGRAMS_PART, path.replace(/\.ts$/, '')),
      })),
    ],
    plugins: [entryPlugin(root, entries, fromSource), octavoPlugin(root), metaPlugin()],
    absWorkingDir: root,
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    sourcemap: true,
    sourcesContent: false,
    // messages and tests contain names of functions and classes
    keepNames: true,
    logLevel: 'warning',
  })
}

/** The modules that processes start with. A suite for each file puts its path into the output and keeps its hooks to itself. */
function entryPlugin(root: string, entries: readonly Entry[], fromSource: boolean): Plugin {
  const sources = new Map(entries.map((entry) => [entry.name, entryCode(root, entry.files, fromSource)]))
  // Node wants a default export; the lint rules want none
  const reporter = join(import.meta.dirname, 'reporter.ts')
  sources.set('reporter', `export { report as default } from ${JSON.stringify(reporter)}`)
  return {
    name: 'entries',
    setup: (builder) => {
      builder.onResolve({ filter: /^entry:/ }, ({ path }) => ({
        path: path.slice('entry:'.length),
        namespace: 'entry',
      }))
      builder.onLoad({ filter: /.*/, namespace: 'entry' }, ({ path }) => ({
        contents: sources.get(path) ?? '',
        resolveDir: root,
        loader: 'js',
      }))
    },
  }
}

function entryCode(root: string, files: readonly string[], fromSource: boolean): string {
  const suites = files.map((file) => {
    // esbuild leaves URLs alone, so that tsx loads the file itself
    const from = fromSource ? pathToFileURL(join(root, file)).href : `./${file}`
    return `[${JSON.stringify(file)}, () => import(${JSON.stringify(from)})]`
  })
  return `${fromSource ? "import 'tsx'" : ''}
import { AsyncResource } from 'node:async_hooks'
import { describe } from 'node:test'

// node:test finds the suite by the asynchronous context
const root = new AsyncResource('root')
async function run() {
  // a file is loaded when the one before it has ended, so neither sees what the other changes
  for (const [file, load] of [${suites.join(', ')}]) {
    await root.runInAsyncScope(describe, undefined, file, { timeout: ${TIMEOUT} }, load)
  }
  setTimeout(endProcess, ${GRACE}).unref()
}
// a test that fails may leave a server open
function endProcess() {
  console.error(${JSON.stringify(`Something keeps the process open after the tests of ${files.join(', ')}`)})
  process.exit(1)
}
void run()
`
}

/** Resolves the entry points of this package to their sources, as the condition `octavo-source` does. */
function octavoPlugin(root: string): Plugin {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly exports: Exports
  }
  return {
    name: 'octavo',
    setup: (builder) => {
      builder.onResolve({ filter: /^octavo(\/|$)/ }, ({ path }) => {
        const target = exports[`.${path.slice('octavo'.length)}`]
        const source = typeof target === 'object' ? target['octavo-source'] : undefined
        if (source !== undefined) return { path: join(root, source) }
        return typeof target === 'string'
          ? { path, external: true }
          : { errors: [{ text: `package.json exports no "${path}" with the condition octavo-source` }] }
      })
    },
  }
}

/** Keeps `import.meta` what it is in the source: fixtures, documents and package.json are found by it. */
function metaPlugin(): Plugin {
  return {
    name: 'meta',
    setup: (builder) => {
      builder.onLoad({ filter: /\.ts$/, namespace: 'file' }, async ({ path }) => {
        const text = await readFile(path, 'utf8')
        if (!/\bimport\.meta\.(?:url|dirname|filename)\b/.test(text)) return undefined
        const { code } = await transform(text, {
          loader: 'ts',
          target: 'node20',
          sourcefile: basename(path),
          sourcemap: 'inline',
          sourcesContent: false,
          define: {
            'import.meta.url': JSON.stringify(pathToFileURL(path).href),
            'import.meta.dirname': JSON.stringify(dirname(path)),
            'import.meta.filename': JSON.stringify(path),
          },
        })
        return { contents: code, loader: 'js', resolveDir: dirname(path) }
      })
    },
  }
}

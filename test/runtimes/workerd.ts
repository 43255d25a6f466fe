/** Bundles for Workers, and workerd that runs them. */
import { readdirSync } from 'node:fs'
import { builtinModules, createRequire } from 'node:module'
import { join } from 'node:path'

import { build } from 'esbuild'
import type { BuildOptions, Plugin } from 'esbuild'

const ROOT = join(import.meta.dirname, '..', '..')
/** The package that pins the runtimes. */
export const PLATFORMS = join(import.meta.dirname, 'packages')

/** As much of Miniflare as is needed here. */
interface Miniflare {
  readonly ready: Promise<URL>
  dispose(): Promise<void>
}

/** Leaves Node's modules to the platform, also where a package of CommonJS requires them. */
const nodeModules: Plugin = {
  name: 'node-modules',
  setup: (context) => {
    // newer platforms have more of them than the Node that builds
    const filter = new RegExp(`^(?:node:.+|${builtinModules.join('|')})$`)
    context.onResolve({ filter }, ({ path, kind }) => {
      const name = `node:${path.replace(/^node:/, '')}`
      return kind === 'require-call' ? { path: name, namespace: 'required' } : { path: name, external: true }
    })
    context.onLoad({ filter: /^node:/, namespace: 'required' }, ({ path }) => ({
      contents: `import all from '${path}'; module.exports = all`,
    }))
  },
}

/** Bundles a worker with the built Octavo as Wrangler does. */
export async function bundleWorker(
  entry: Pick<BuildOptions, 'entryPoints' | 'stdin' | 'define'>,
  outdir: string,
): Promise<void> {
  await build({
    ...entry,
    absWorkingDir: ROOT,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    outExtension: { '.js': '.mjs' },
    logLevel: 'error',
    platform: 'browser',
    conditions: ['workerd', 'worker', 'browser'],
    plugins: [nodeModules],
    outdir,
  })
}

/** Runs the bundle in a folder whose worker is the named file. */
export function startMiniflare(
  folder: string,
  main: string,
  options: {
    readonly compatibilityDate: string
    readonly compatibilityFlags: readonly string[]
    readonly kvNamespaces?: readonly string[]
  },
): Miniflare {
  const { Miniflare: Create } = createRequire(join(PLATFORMS, 'package.json'))('miniflare') as {
    readonly Miniflare: new (options: object) => Miniflare
  }
  return new Create({
    rootPath: folder,
    modulesRoot: folder,
    // the worker first
    modules: [main, ...readdirSync(folder).filter((name) => name !== main)].map((name) => ({
      type: 'ESModule',
      path: join(folder, name),
    })),
    // the log of every request
    handleRuntimeStdio: process.env['OCTAVO_LOG'] === undefined ? () => undefined : undefined,
    ...options,
  })
}

import { join } from 'node:path'

import { build } from 'esbuild'
import type { BuildOptions, Metafile, Plugin } from 'esbuild'

export const ROOT = join(import.meta.dirname, '..', '..')

/** How everything is bundled that is measured: as a bundler does it for production. */
export const OPTIONS = {
  absWorkingDir: ROOT,
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'es2022',
  logLevel: 'error',
} as const satisfies BuildOptions

/** Bundles a source with all that it imports statically. Modules behind `import()` and packages are left out. */
export async function bundle(entry: string): Promise<Metafile['outputs'][string]> {
  const { metafile } = await build({
    ...OPTIONS,
    conditions: ['octavo-source'],
    packages: 'external',
    entryPoints: [entry],
    plugins: [LATER],
    outdir: 'dist',
    write: false,
    metafile: true,
  })
  const [output] = Object.values(metafile.outputs)
  if (output === undefined) throw new Error(`esbuild wrote nothing for ${entry}`)
  return output
}

/** Leaves out what is loaded later. */
const LATER: Plugin = {
  name: 'later',
  setup: (builder) => {
    builder.onResolve({ filter: /^\./ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    )
  },
}

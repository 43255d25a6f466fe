import { dirname, join, relative } from 'node:path'

import { build } from 'esbuild'
import type { BuildOptions, Metafile, Plugin } from 'esbuild'

const ROOT = join(import.meta.dirname, '..', '..')

/** How everything is bundled that is measured: with the sources, as a bundler does it for production. */
export const OPTIONS = {
  absWorkingDir: ROOT,
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'es2022',
  conditions: ['octavo-source'],
  logLevel: 'error',
} as const satisfies BuildOptions

/** Bundles a file with all that it imports statically. Modules behind `import()` are left out, but for those in `wanted`. */
export async function bundle(
  entry: string,
  options: BuildOptions,
  wanted: ReadonlySet<string> = new Set(),
): Promise<Metafile['outputs'][string]> {
  const plugins = [leaveOut((file) => !wanted.has(file))]
  const { metafile } = await build({
    ...OPTIONS,
    ...options,
    entryPoints: [entry],
    plugins,
    outdir: 'dist',
    write: false,
    metafile: true,
  })
  const [output] = Object.values(metafile.outputs)
  if (output === undefined) throw new Error(`esbuild wrote nothing for ${entry}`)
  return output
}

function leaveOut(isOut: (file: string) => boolean): Plugin {
  return {
    name: 'leave-out',
    setup: (builder) => {
      builder.onResolve({ filter: /^\./ }, ({ kind, path, importer }) => {
        const file = relative(ROOT, join(dirname(importer), path)).replaceAll('\\', '/')
        return kind === 'dynamic-import' && isOut(file) ? { path, external: true } : undefined
      })
    },
  }
}

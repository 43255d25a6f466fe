/**
 * Measures the entry point `octavo`: how much code a static import of it loads, minified, and how many values it exports. Fails if one of
 * them is above its limit. Code behind `import()` and other packages do not count.
 */
import { join } from 'node:path'

import { build } from 'esbuild'
import type { Metafile } from 'esbuild'

const ROOT = join(import.meta.dirname, '..')
const ENTRY = 'src/index.ts'
const MAX_KIB = 235
const MAX_VALUES = 47

const { metafile } = await build({
  absWorkingDir: ROOT,
  entryPoints: [ENTRY],
  bundle: true,
  minify: true,
  splitting: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  packages: 'external',
  outdir: 'dist',
  write: false,
  metafile: true,
})

const entry = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === ENTRY)
if (entry === undefined) throw new Error(`esbuild wrote nothing for ${ENTRY}`)
const [path, { exports: values }] = entry
const kib = sizeOf(path, metafile.outputs) / 1024
console.log(`static import of octavo: ${kib.toFixed(1)} KiB minified, at most ${MAX_KIB}`)
console.log(`values that octavo exports: ${values.length}, at most ${MAX_VALUES}`)
if (kib > MAX_KIB || values.length > MAX_VALUES) process.exitCode = 1

/** The bytes of an output and of the outputs that it imports statically. */
function sizeOf(output: string, outputs: Metafile['outputs'], seen = new Set<string>()): number {
  const known = outputs[output]
  if (known === undefined || seen.has(output)) return 0
  seen.add(output)
  return known.imports
    .filter(({ kind, external }) => kind === 'import-statement' && external !== true)
    .reduce((sum, { path: other }) => sum + sizeOf(other, outputs, seen), known.bytes)
}

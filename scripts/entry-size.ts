/**
 * Measures how much code a static import of an entry point loads, minified, and how many values `octavo` exports. Fails if one of them is
 * above its limit. Code behind `import()` and other packages do not count. Then it bundles a worker with one route, packages included, and
 * measures what its first request loads.
 */
import { join } from 'node:path'

import { build } from 'esbuild'
import type { Metafile } from 'esbuild'

import { measureWorker } from './size/worker.ts'

const ROOT = join(import.meta.dirname, '..')
const MAX_VALUES = 48

/** The entry points, each with the most that it may load, in KiB. */
const ENTRIES = [
  { name: 'octavo', path: 'src/index.ts', maxKib: 235 },
  { name: 'octavo/edge', path: 'src/edge.ts', maxKib: 218 },
] as const

for (const { name, path, maxKib } of ENTRIES) {
  const { outputs } = await bundle(path)
  const entry = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === path)
  if (entry === undefined) throw new Error(`esbuild wrote nothing for ${path}`)
  const [output, { exports: values }] = entry
  const kib = sizeOf(output, outputs) / 1024
  console.log(`static import of ${name}: ${kib.toFixed(1)} KiB minified, at most ${maxKib}`)
  console.log(`values that ${name} exports: ${values.length}, at most ${MAX_VALUES}`)
  if (kib > maxKib || values.length > MAX_VALUES) process.exitCode = 1
}

/** The most that the first request of a worker with one route may load, in kB. */
const MAX_WORKER_KB = 165

const { loaded, whole } = await measureWorker()
const kb = loaded / 1000
console.log(
  `a worker with one route, without zod: ${kb.toFixed(1)} kB minified for its first answer, at most ${MAX_WORKER_KB}`,
)
console.log(`the same in one file with everything that it may load later: ${(whole / 1000).toFixed(1)} kB`)
if (kb > MAX_WORKER_KB) process.exitCode = 1

async function bundle(path: string): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [path],
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
  return metafile
}

/** The bytes of an output and of the outputs that it imports statically. */
function sizeOf(output: string, outputs: Metafile['outputs'], seen = new Set<string>()): number {
  const known = outputs[output]
  if (known === undefined || seen.has(output)) return 0
  seen.add(output)
  return known.imports
    .filter(({ kind, external }) => kind === 'import-statement' && external !== true)
    .reduce((sum, { path: other }) => sum + sizeOf(other, outputs, seen), known.bytes)
}

/**
 * Measures how much code a static import of an entry point loads, minified, and how many values `octavo` exports. Code behind `import()`
 * and other packages do not count. Then it builds the package, bundles a worker with one route from it, and measures the files that its first
 * request loads, packages included. Fails if a figure is above its limit.
 */
import { bundle } from './size/bundle.ts'
import { measureWorker } from './size/worker.ts'

const MAX_VALUES = 51

/** The entry points, each with the most that it may load, in KiB. */
const ENTRIES = [
  { name: 'octavo', path: 'src/index.ts', maxKib: 295 },
  { name: 'octavo/edge', path: 'src/edge.ts', maxKib: 276 },
] as const

/** The most that the first request of a worker with one route may load, and the most of one file with all that it may load later, in kB. */
const MAX_WORKER_KB = 272
const MAX_WHOLE_KB = 445

for (const { name, path, maxKib } of ENTRIES) {
  const { bytes, exports: values } = await bundle(path)
  const kib = bytes / 1024
  // rounded up: a figure above its limit never looks like it
  const shown = (Math.ceil(kib * 10) / 10).toFixed(1)
  console.log(`static import of ${name}: ${shown} KiB minified, at most ${maxKib}`)
  console.log(`values that ${name} exports: ${values.length}, at most ${MAX_VALUES}`)
  if (kib > maxKib || values.length > MAX_VALUES) process.exitCode = 1
}

const { loaded, whole } = await measureWorker()
const kb = loaded / 1000
console.log(
  `a worker with one route, without zod: ${kb.toFixed(1)} kB minified for its first answer, at most ${MAX_WORKER_KB}`,
)
console.log(
  `the same in one file with everything that it may load later: ${(whole / 1000).toFixed(1)} kB, at most ${MAX_WHOLE_KB}`,
)
if (kb > MAX_WORKER_KB || whole / 1000 > MAX_WHOLE_KB) process.exitCode = 1

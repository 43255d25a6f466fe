/** Bundles a worker with one route from the built package, and measures the files that its first request loads. */
import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

import { build } from 'esbuild'
import type { BuildOptions } from 'esbuild'

import { OPTIONS, ROOT } from './bundle.ts'

/** Sizes in bytes, minified, without zod. */
export interface WorkerSize {
  /** The files that are loaded before the first answer. */
  readonly loaded: number
  /** One file with all of it, which bundlers write that don't split code. */
  readonly whole: number
}

/** Builds the package and measures a worker that is bundled with it. @throws `Error` if the worker doesn't answer. */
export async function measureWorker(): Promise<WorkerSize> {
  // the built files import packages, which are found from here
  const folder = await mkdtemp(join(ROOT, 'node_modules', '.octavo-size-'))
  try {
    await copyFile(join(ROOT, 'package.json'), join(folder, 'package.json'))
    const dist = join(folder, 'dist')
    await promisify(execFile)(process.execPath, ['--import', 'tsx', 'scripts/build.ts', dist], { cwd: ROOT })
    const options = {
      ...OPTIONS,
      conditions: [],
      entryPoints: ['scripts/size/one-route.ts'],
      alias: { 'octavo/edge': join(dist, 'edge.js') },
      // packages are part of a worker, but for the one that its application chooses
      external: ['zod'],
    } as const satisfies BuildOptions
    const loaded = await measureLoaded(options, join(folder, 'worker'))
    const { outputFiles } = await build({ ...options, outdir: 'dist', write: false })
    return { loaded, whole: outputFiles.reduce((sum, { contents }) => sum + contents.byteLength, 0) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const BANNER = 'globalThis.octavoLoaded.push(import.meta.url);'

/** Bundles the worker in chunks, answers a request with it, and adds up the chunks that this loads. */
async function measureLoaded(options: BuildOptions, folder: string): Promise<number> {
  const loaded: string[] = []
  Object.assign(globalThis, { octavoLoaded: loaded })
  const { metafile } = await build({
    ...options,
    splitting: true,
    metafile: true,
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    banner: { js: BANNER },
  })
  // bundled a moment ago from the file beside this one
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const worker = (await import(pathToFileURL(join(folder, 'one-route.mjs')).href)) as {
    readonly fetch: (request: Request) => Promise<Response>
  }
  const text = await (await worker.fetch(new Request('http://localhost/cars/7'))).text()
  if (text !== '{"id":7}') throw new Error(`The worker answered ${text}`)
  const names = new Set(loaded.map((url) => basename(new URL(url).pathname)))
  return Object.entries(metafile.outputs)
    .filter(([path]) => names.has(basename(path)))
    .reduce((sum, [, { bytes }]) => sum + bytes - BANNER.length - '\n'.length, 0)
}

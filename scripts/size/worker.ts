/** Bundles a worker with one route, and measures what its first request loads. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { build } from 'esbuild'

import { bundle, OPTIONS } from './bundle.ts'

const WORKER = 'scripts/size/one-route.ts'
/** Packages are part of a worker, but for the one that its application chooses. */
const WITHOUT_ZOD = { external: ['zod'] }

/** Sizes in bytes, minified, without zod. */
export interface WorkerSize {
  /** One file with everything that answers the first request, and nothing that is loaded when it is asked for. */
  readonly loaded: number
  /** One file with all of it, which bundlers write that don't split code. */
  readonly whole: number
}

/** @throws `Error` if the worker doesn't answer. */
export async function measureWorker(): Promise<WorkerSize> {
  const { bytes: loaded } = await bundle(WORKER, WITHOUT_ZOD, await findLoaded())
  const { outputFiles } = await build({
    ...OPTIONS,
    ...WITHOUT_ZOD,
    entryPoints: [WORKER],
    outdir: 'dist',
    write: false,
  })
  return { loaded, whole: outputFiles.reduce((sum, { contents }) => sum + contents.byteLength, 0) }
}

/** Answers a request with the worker in chunks, and returns the modules behind `import()` that this loads. */
async function findLoaded(): Promise<ReadonlySet<string>> {
  const folder = await mkdtemp(join(tmpdir(), 'octavo-size-'))
  const loaded: string[] = []
  Object.assign(globalThis, { octavoLoaded: loaded })
  try {
    const { metafile } = await build({
      ...OPTIONS,
      ...WITHOUT_ZOD,
      entryPoints: [WORKER],
      splitting: true,
      metafile: true,
      outdir: folder,
      outExtension: { '.js': '.mjs' },
      banner: { js: 'globalThis.octavoLoaded.push(import.meta.url);' },
    })
    // bundled a moment ago from the file beside this one
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const worker = (await import(pathToFileURL(join(folder, 'one-route.mjs')).href)) as {
      readonly fetch: (request: Request) => Promise<Response>
    }
    const text = await (await worker.fetch(new Request('http://localhost/cars/7'))).text()
    if (text !== '{"id":7}') throw new Error(`The worker answered ${text}`)
    const names = new Set(loaded.map((url) => basename(new URL(url).pathname)))
    return new Set(
      Object.entries(metafile.outputs)
        .filter(([path]) => names.has(basename(path)))
        .flatMap(([, { entryPoint }]) => entryPoint ?? []),
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Bundles a worker with one route, and measures what its first request loads. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'

import { build } from 'esbuild'
import type { BuildOptions, Plugin } from 'esbuild'

const ROOT = join(import.meta.dirname, '..', '..')

/** Sizes in bytes, minified, without zod. */
export interface WorkerSize {
  /** One file with everything that answers the first request, and nothing that is loaded when it is asked for. */
  readonly loaded: number
  /** One file with all of it, which bundlers write that don't split code. */
  readonly whole: number
}

const OPTIONS = {
  absWorkingDir: ROOT,
  entryPoints: ['scripts/size/one-route.ts'],
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'es2022',
  conditions: ['octavo-source'],
  external: ['zod'],
  logLevel: 'error',
} as const satisfies BuildOptions

/** @throws `Error` if the worker doesn't answer. */
export async function measureWorker(): Promise<WorkerSize> {
  const wanted = await findLoaded()
  return { loaded: await sizeOf([onlyWith(wanted)]), whole: await sizeOf([]) }
}

/** Answers a request with the worker in chunks, and returns the modules behind `import()` that this loads. */
async function findLoaded(): Promise<ReadonlySet<string>> {
  const folder = await mkdtemp(join(tmpdir(), 'octavo-size-'))
  const loaded: string[] = []
  Object.assign(globalThis, { octavoLoaded: loaded })
  try {
    const { metafile } = await build({
      ...OPTIONS,
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

/** Leaves modules behind `import()` out, but for some. */
function onlyWith(wanted: ReadonlySet<string>): Plugin {
  return {
    name: 'only-with',
    setup: (builder) => {
      builder.onResolve({ filter: /^\./ }, ({ kind, path, importer }) => {
        const file = relative(ROOT, join(dirname(importer), path)).replaceAll('\\', '/')
        return kind === 'dynamic-import' && !wanted.has(file) ? { path, external: true } : undefined
      })
    },
  }
}

async function sizeOf(plugins: Plugin[]): Promise<number> {
  const { outputFiles } = await build({ ...OPTIONS, plugins, outdir: 'dist', write: false })
  return outputFiles.reduce((sum, { contents }) => sum + contents.byteLength, 0)
}

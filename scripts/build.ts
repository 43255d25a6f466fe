import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { build } from 'esbuild'

/**
 * Builds the JavaScript of `dist`, or of another folder that is named, for Node. Declarations and the client of browsers have commands
 * of their own.
 */

const ROOT = join(import.meta.dirname, '..')
const PAGE = join(ROOT, 'src/server/docs/page')

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly 'octavo-source': string }>>
}

/** The sources of the entry points, and of the command. The client is built for browsers, on its own. */
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest
const entryPoints = Object.entries(manifest.exports).flatMap(([name, entry]) =>
  typeof entry === 'string' || name === './client' ? [] : [entry['octavo-source']],
)

/** A file as the text that is written in the place of a name. */
const textOf = (name: string): string => JSON.stringify(readFileSync(join(PAGE, name), 'utf8'))

await build({
  absWorkingDir: ROOT,
  entryPoints: [...entryPoints, 'src/cli/main.ts'],
  outbase: 'src',
  outdir: process.argv[2] ?? 'dist',
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  packages: 'external',
  define: { PAGE_CSS: textOf('page.css'), SWAGGER_CSS: textOf('swagger.css') },
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
})

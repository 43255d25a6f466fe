import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

/** The client as it is published. */
export interface BuiltClient {
  readonly code: string
  /** The files that it is made of, as paths in the repository. */
  readonly inputs: readonly string[]
}

/** Builds the client as `npm run build:client` does, to another place. */
export function buildClient(): BuiltClient {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>
  }
  const [program = '', ...options] = (scripts['build:client'] ?? '').split(' ')
  const folder = mkdtempSync(join(tmpdir(), 'octavo-client-'))
  try {
    const file = join(folder, 'index.js')
    const meta = join(folder, 'meta.json')
    execFileSync(
      join(ROOT, 'node_modules', '.bin', program),
      [
        ...options.filter((option) => !/^--(?:outfile|sourcemap)/.test(option)),
        `--outfile=${file}`,
        `--metafile=${meta}`,
      ],
      { cwd: ROOT, stdio: 'pipe' },
    )
    const { inputs } = JSON.parse(readFileSync(meta, 'utf8')) as { readonly inputs: object }
    return { code: readFileSync(file, 'utf8'), inputs: Object.keys(inputs) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

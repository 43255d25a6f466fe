import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

/** The client as it is published. */
export interface BuiltClient {
  readonly code: string
  /** The files that it is made of, as paths in the repository. */
  readonly inputs: readonly string[]
}

/** Builds a file of the client as `npm run build:client` does, to another place. */
export function buildClient(name = 'index.js'): BuiltClient {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>
  }
  const [program = '', ...options] = (scripts['build:client'] ?? '').split(' ')
  const folder = mkdtempSync(join(tmpdir(), 'octavo-client-'))
  try {
    const meta = join(folder, 'meta.json')
    execFileSync(
      join(ROOT, 'node_modules', '.bin', program),
      [
        ...options.filter((option) => !/^--(?:outdir|sourcemap)/.test(option)),
        `--outdir=${folder}`,
        `--metafile=${meta}`,
      ],
      { cwd: ROOT, stdio: 'pipe' },
    )
    const { outputs } = JSON.parse(readFileSync(meta, 'utf8')) as {
      readonly outputs: Readonly<Record<string, { readonly inputs: object }>>
    }
    const file = join(folder, name)
    const [, output] = Object.entries(outputs).find(([path]) => resolve(ROOT, path) === file) ?? []
    return { code: readFileSync(file, 'utf8'), inputs: Object.keys(output?.inputs ?? {}) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

/** An entry point of the package, and the path of its declarations below the folder of them. */
export interface EntryPoint {
  readonly name: string
  readonly file: string
}

/** The entry points that package.json exports. Those that others have names from come first. */
export function readEntryPoints(): readonly EntryPoint[] {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | { readonly types: string }>>
  }
  return Object.entries(exports).flatMap(([path, target]) =>
    typeof target === 'string'
      ? []
      : [{ name: `octavo${path.slice(1)}`, file: target.types.slice('./dist/'.length) }],
  )
}

/**
 * Calls `use` with a folder of the declarations that the package ships. The compiler leaves out the check of types, which
 * `npm run types` does, so it takes about a second.
 */
export function withDeclarations<T>(use: (folder: string) => T): T {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'octavo-api-')))
  try {
    const options = [
      '-p',
      'scripts/tsconfig.build.json',
      '--outDir',
      folder,
      '--declarationMap',
      'false',
      '--noCheck',
      '--checkers',
      '1',
    ]
    const { status, stdout } = spawnSync(
      process.execPath,
      [join(ROOT, 'node_modules/typescript/bin/tsc'), ...options],
      { cwd: ROOT, encoding: 'utf8' },
    )
    if (status !== 0) throw new Error(`tsc wrote no declarations:\n${stdout}`)
    return use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

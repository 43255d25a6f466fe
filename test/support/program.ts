import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { PROGRAMS, PROGRAMS_PART, RUN_FOLDER } from '../../scripts/test/programs.ts'

export const ROOT = join(import.meta.dirname, '../..')
export const FROM_SOURCE = ['--import', 'tsx', '--conditions', 'octavo-source']

/** The folder of this run of tests. Without the runner, the process has its own, which the next run removes. */
export const FOLDER = process.env[RUN_FOLDER] ?? join(ROOT, '.test', String(process.pid))

/** The file of a program of the tests, as the runner has compiled it, else its source. */
export function programFile(path: string): string {
  if (!PROGRAMS.includes(path)) throw new Error(`${path} is not listed in scripts/test/programs.ts`)
  const compiled = join(FOLDER, PROGRAMS_PART, path.replace(/\.ts$/, '.mjs'))
  return existsSync(compiled) ? compiled : join(ROOT, path)
}

/** What Node is given to run a program of the tests, perhaps with another one before it. */
export function programArguments(path: string, preload?: string): readonly string[] {
  const file = programFile(path)
  const before = preload === undefined ? [] : ['--import', programFile(preload)]
  return [...(file.endsWith('.ts') ? FROM_SOURCE : []), ...before, file]
}

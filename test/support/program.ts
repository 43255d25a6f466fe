import { join } from 'node:path'

import { PROGRAMS, PROGRAMS_FOLDER } from '../../scripts/test/programs.ts'

export const ROOT = join(import.meta.dirname, '../..')
export const FROM_SOURCE = ['--import', 'tsx', '--conditions', 'octavo-source']

const folder = process.env[PROGRAMS_FOLDER]

/** The file of a program of the tests, as the runner has compiled it; its source without the runner. */
export function programFile(path: string): string {
  if (!PROGRAMS.includes(path)) throw new Error(`${path} is not listed in scripts/test/programs.ts`)
  return folder === undefined ? join(ROOT, path) : join(folder, path.replace(/\.ts$/, '.mjs'))
}

/** What Node is given to run a program of the tests, perhaps with another one before it. */
export function programArguments(path: string, preload?: string): readonly string[] {
  const before = preload === undefined ? [] : ['--import', programFile(preload)]
  return [...(folder === undefined ? FROM_SOURCE : []), ...before, programFile(path)]
}

import type { Way } from './files.ts'
import { wayOf } from './processes.ts'
import { weightOf } from './weights.ts'

/** One process: the test files that it loads. */
export interface Entry {
  readonly name: string
  readonly files: readonly string[]
  readonly fromSource: boolean
}

/** Small enough that every core has work until the end, and that a crash leaves few files to look at. */
const SHARED_SECONDS = 8

/** Plans the processes of a run. Each file is in exactly one. The processes that take longest start first. */
export function planEntries(files: readonly string[]): readonly Entry[] {
  const filesOf = (way: Way): readonly string[] => files.filter((file) => wayOf(file) === way)
  const alone = (file: string): Entry => ({
    name: file.replace(/\.ts$/, ''),
    files: [file],
    fromSource: wayOf(file) === 'source',
  })
  const shared = balance(filesOf('shared')).map((group, index) => ({
    name: `shared-${index + 1}`,
    files: group,
    fromSource: false,
  }))
  return [...filesOf('own').map(alone), ...filesOf('source').map(alone), ...shared]
    .filter((entry) => entry.files.length > 0)
    .toSorted((a, b) => totalOf(b.files) - totalOf(a.files))
}

/** Puts each file, the heaviest first, into the group that is lightest so far. */
function balance(files: readonly string[]): readonly (readonly string[])[] {
  const count = Math.ceil(totalOf(files) / SHARED_SECONDS)
  const groups = Array.from({ length: count }, () => ({ files: new Array<string>(), seconds: 0 }))
  for (const file of files.toSorted((a, b) => weightOf(b) - weightOf(a))) {
    const lightest = groups.reduce((least, group) => (group.seconds < least.seconds ? group : least))
    lightest.files.push(file)
    lightest.seconds += weightOf(file)
  }
  return groups.map((group) => group.files)
}

function totalOf(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + weightOf(file), 0)
}

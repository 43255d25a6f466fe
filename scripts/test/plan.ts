import { processOf } from './processes.ts'
import { weightOf } from './weights.ts'

/** One process: the test files that it loads. */
export interface Entry {
  readonly name: string
  readonly files: readonly string[]
}

/** Small enough that every core has work until the end, and that a crash leaves few files to look at. */
const SHARED_SECONDS = 18

/** Plans the processes of a run. Each file is in exactly one. The processes that take longest start first. */
export function planEntries(files: readonly string[]): readonly Entry[] {
  const named = new Map<string, string[]>()
  const others: string[] = []
  for (const file of files) {
    const name = processOf(file)
    if (name === undefined) others.push(file)
    else named.set(name, [...(named.get(name) ?? []), file])
  }
  split(others).forEach((group, index) => named.set(`shared-${index + 1}`, group))
  return [...named]
    .map(([name, together]) => ({ name, files: together }))
    .toSorted((a, b) => totalOf(b.files) - totalOf(a.files))
}

/** Cuts the list into parts of about the same weight. Neighbours stay together, because they import the same modules. */
function split(files: readonly string[]): readonly string[][] {
  const share = totalOf(files) / Math.ceil(totalOf(files) / SHARED_SECONDS)
  const groups = new Map<number, string[]>()
  let sum = 0
  for (const file of files) {
    // its middle decides where a file belongs
    const index = Math.floor((sum + weightOf(file) / 2) / share)
    groups.set(index, [...(groups.get(index) ?? []), file])
    sum += weightOf(file)
  }
  return [...groups.values()]
}

function totalOf(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + weightOf(file), 0)
}

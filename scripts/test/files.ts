import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The two runs: `npm test` and `npm run check -- slow`. */
export type Speed = 'fast' | 'slow'

/** Names of tests in other projects, which this one would not find. */
const MISNAMED = /\.spec\.\w+$|\.test\.(?!ts$)\w+$/

/** Tests of a package of their own. */
const OTHERS = 'test/outside'

/**
 * Every `*.test.ts` below `test`, relative to the root, sorted. Skips folders whose names begin with a dot, because tests write into them, and packages.
 *
 * @throws {Error} for a file that looks like a test and is none
 */
export function findTestFiles(root: string, folder = 'test'): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`
      if (path === OTHERS) return []
      if (entry.isDirectory()) return findTestFiles(root, path)
      if (MISNAMED.test(path)) throw new Error(`${path} would never run: name it *.test.ts.`)
      return path.endsWith('.test.ts') ? [path] : []
    })
    .toSorted()
}

/** A file is slow if its name says so. */
export function speedOf(file: string): Speed {
  return file.endsWith('.slow.test.ts') ? 'slow' : 'fast'
}

/**
 * The files of a run. Without filters, all of its speed. A filter is the path of a file, which is selected whatever its speed, or of a
 * folder.
 *
 * @throws {Error} if a filter selects no file
 */
export function selectFiles(
  files: readonly string[],
  speed: Speed,
  filters: readonly string[],
): readonly string[] {
  const ofSpeed = files.filter((file) => speedOf(file) === speed)
  if (filters.length === 0) return ofSpeed
  const selected = filters.flatMap((filter) => {
    const path = filter.replaceAll('\\', '/').replace(/^\.\//, '').replace(/\/$/, '')
    const found = files.includes(path) ? [path] : ofSpeed.filter((file) => file.startsWith(`${path}/`))
    if (found.length === 0) throw new Error(`No ${speed} test file matches "${filter}".`)
    return found
  })
  return [...new Set(selected)]
}

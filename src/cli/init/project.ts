import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

import type { Manifest } from '../command.ts'

/** The template, seen from the program. `src/cli/main.ts` and `dist/cli/main.js` are equally deep in the package. */
const TEMPLATE = '../../template'

/** Files that npm, git or an editor would act on if they had their real names inside this package. */
const RENAMED: Readonly<Record<string, string>> = {
  _gitignore: '.gitignore',
  '_package.json': 'package.json',
  '_tsconfig.json': 'tsconfig.json',
}

/** Where a new project gets its packages from. */
export interface ProjectOptions {
  readonly name: string
  /** The manifest of this package: a project starts with the versions that Octavo is built and tested with. */
  readonly manifest: Manifest
  /** The packed file that Octavo was installed from, if it does not come from the registry. */
  readonly origin: string | undefined
}

/** Reads the files of a new project, by their paths. `main` is the file of this program. */
export function projectFiles(main: string, options: ProjectOptions): Readonly<Record<string, string>> {
  const folder = join(dirname(main), TEMPLATE)
  const values = toValues(options)
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  return Object.fromEntries(
    files
      .map(({ name, parentPath }): [path: string, text: string] => {
        const path = relative(folder, join(parentPath, RENAMED[name] ?? name))
        return [path, fillIn(readFileSync(join(parentPath, name), 'utf8'), values)]
      })
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
}

function toValues({ name, manifest, origin }: ProjectOptions): Readonly<Record<string, string>> {
  const { version, peerDependencies, devDependencies } = manifest
  const today = new Date().toISOString().slice(0, 10)
  return { ...devDependencies, ...peerDependencies, octavo: origin ?? `^${version}`, name, today }
}

/** Replaces each `{{name}}` by its value, as it is written within a JSON string. */
function fillIn(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{\{([\w@/-]+)\}\}/g, (whole, key: string) => {
    const value = values[key]
    return value === undefined ? whole : JSON.stringify(value).slice(1, -1)
  })
}

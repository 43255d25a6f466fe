import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'

import type { Manifest } from '../command.ts'

/** The template, seen from the program: the package ships it as it is here, and `dist/cli/main.js` is as deep as `src/cli/main.ts`. */
const TEMPLATE = '../../src/cli/init/template'

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

/** The folder of the template whose files `octavo init --inside` writes, and no new project. */
const INSIDE = 'inside'

/** Reads the files that versions inside of an app begin with, by their names. */
export function insideFiles(main: string): Readonly<Record<string, string>> {
  const folder = join(dirname(main), TEMPLATE, INSIDE)
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  )
}

/** Reads the files of a new project, by their paths. `main` is the file of this program. */
export function projectFiles(main: string, options: ProjectOptions): Readonly<Record<string, string>> {
  const folder = join(dirname(main), TEMPLATE)
  const { version, peerDependencies, devDependencies } = options.manifest
  const values = {
    ...devDependencies,
    ...peerDependencies,
    octavo: options.origin ?? `^${version}`,
    name: options.name,
    today: new Date().toISOString().slice(0, 10),
  }
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.parentPath !== join(folder, INSIDE),
  )
  return Object.fromEntries(
    files
      .map(({ name, parentPath }): [path: string, text: string] => {
        const path = relative(folder, join(parentPath, RENAMED[name] ?? name))
        return [path, fillTemplate(readFileSync(join(parentPath, name), 'utf8'), values)]
      })
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** Replaces each `{{name}}` by its value, as it is written within a JSON string. */
function fillTemplate(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{\{([\w@/-]+)\}\}/g, (whole, key: string) => {
    const value = values[key]
    return value === undefined ? whole : JSON.stringify(value).slice(1, -1)
  })
}

/**
 * The packed file that this package was installed from by npm, as a project in `folder` names it. `undefined` for what came from a
 * registry, is linked, or was installed from a file that is no longer there.
 */
export function packedOrigin(main: string, folder: string): string | undefined {
  // node_modules/octavo/dist/cli/main.js
  const modules = resolve(dirname(main), '../../..')
  try {
    const lock: unknown = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'))
    const entry: unknown = Reflect.get(Object(Reflect.get(Object(lock), 'packages')), 'node_modules/octavo')
    const resolved: unknown = Reflect.get(Object(entry), 'resolved')
    if (typeof resolved !== 'string' || !resolved.startsWith('file:')) return undefined
    const file = resolve(dirname(modules), resolved.slice('file:'.length))
    return existsSync(file) ? `file:${relative(folder, file).split(sep).join('/')}` : undefined
  } catch {
    return undefined
  }
}

/** The names of packages that npm takes: `cars`, `@acme/cars`. */
const NAME = /^(?:@[a-z\d~-][a-z\d._~-]*\/)?[a-z\d~-][a-z\d._~-]*$/
const MAX_NAME = 214
/** Names that something else has, in every project. */
const TAKEN = ['node_modules', 'favicon.ico', 'octavo', 'zod', 'tsx', 'typescript']

/** Whether npm takes a text as the name of a package. */
export function isPackageName(name: string): boolean {
  return NAME.test(name) && name.length <= MAX_NAME && !TAKEN.includes(name)
}

/** The name that is nearest to that of a folder. */
export function toPackageName(folder: string): string {
  const name = folder
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z\d._~-]+/g, '-')
    .replaceAll(/^[._-]+|(?<![._-])[._-]+$/g, '')
    .slice(0, MAX_NAME - '-app'.length)
  if (name === '') return 'app'
  return TAKEN.includes(name) ? `${name}-app` : name
}

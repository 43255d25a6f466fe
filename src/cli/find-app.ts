import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

import { failure, type CommandError } from './failure.ts'

/** The module of an application: a file, or the specifier of a package as the working directory sees it. */
export interface AppModule {
  /** Its name in messages. */
  readonly label: string
  readonly file?: string
  readonly specifier?: string
}

/** The files that are tried in this order if no application is named. */
const PLACES = ['src/app.ts', 'src/app.js', 'app.ts', 'app.js', 'dist/app.js']
const EXTENSIONS = ['.ts', '.js', '.mts', '.mjs', '.cts', '.cjs']

/**
 * Finds the module that `<app>` names: a file, with or without its extension, a folder in which it is looked for, or a package.
 * Without `<app>` it is what package.json names as `octavo.app`, else the usual place.
 *
 * @throws `CommandError` when there is none.
 */
export function findApp(given: string | undefined, cwd: string): AppModule {
  if (given === undefined) return findIn(cwd, cwd)
  const path = resolve(cwd, given)
  if (isFolder(path)) return findIn(path, cwd)
  const file = ['', ...EXTENSIONS].map((extension) => path + extension).find(isFile)
  if (file !== undefined) return toModule(file, cwd)
  if (/^\.{0,2}[/\\]|\.[cm]?[jt]sx?$|^[A-Za-z]:/.test(given))
    throw failure(`file ${given} not found`, `looked for ${path}`)
  return { label: given, specifier: given }
}

function findIn(folder: string, cwd: string): AppModule {
  const named = namedIn(folder)
  if (named !== undefined) {
    const file = resolve(folder, named)
    if (isFile(file)) return toModule(file, cwd)
    throw failure(`octavo.app of package.json is ${named}, but this file doesn't exist`)
  }
  const place = PLACES.find((each) => isFile(join(folder, each)))
  if (place !== undefined) return toModule(join(folder, place), cwd)
  throw notFound(folder, cwd)
}

function notFound(folder: string, cwd: string): CommandError {
  const where = folder === cwd ? 'here' : `in ${relative(cwd, folder)}`
  return failure(
    `no application found ${where}`,
    `looked for octavo.app in package.json, ${PLACES.join(', ')}`,
    'pass the module that exports your application, for example octavo routes src/app.ts',
  )
}

/** Returns `octavo.app` of the `package.json` in a folder. */
function namedIn(folder: string): string | undefined {
  const file = join(folder, 'package.json')
  if (!existsSync(file)) return undefined
  try {
    const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'))
    const app: unknown = Reflect.get(Object(Reflect.get(Object(manifest), 'octavo')), 'app')
    if (app === undefined || typeof app === 'string') return app
  } catch {
    throw failure(`${file} is not valid JSON`)
  }
  throw failure(`octavo.app of ${file} has to be the path of a module`)
}

function toModule(file: string, cwd: string): AppModule {
  const path = relative(cwd, file)
  return { label: path.startsWith('..') ? file : path, file }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

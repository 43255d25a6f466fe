import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

import { DefinitionError } from '../../base/definition-error.ts'
import { isWorkerd } from '../../base/platform.ts'

/** The packages that can show documents in a browser, the first choice first. */
export const VIEWERS = {
  scalar: {
    title: 'Scalar',
    package: '@scalar/api-reference',
    // its manifest cannot be resolved
    entry: '@scalar/api-reference',
    files: { 'scalar.js': 'browser/standalone.js' },
  },
  swagger: {
    title: 'Swagger UI',
    package: 'swagger-ui-dist',
    entry: 'swagger-ui-dist/package.json',
    files: { 'swagger-ui-bundle.js': 'swagger-ui-bundle.js', 'swagger-ui.css': 'swagger-ui.css' },
  },
} as const satisfies Readonly<Record<string, Viewer>>

/** The name of a viewer, as in `docs.ui`. */
export type ViewerName = keyof typeof VIEWERS

interface Viewer {
  readonly title: string
  readonly package: string
  /** The module that is resolved to find the package. Its code is not run. */
  readonly entry: string
  /** The files that the page needs, by their names on the page, from the folder of the entry. No others are served. */
  readonly files: Readonly<Record<string, string>>
}

/** A viewer that is installed. */
export interface FoundViewer {
  readonly name: ViewerName
  /** The paths of its files, by their names on the page. */
  readonly files: ReadonlyMap<string, string>
}

/** Finds the viewer that is asked for, or else the first that is installed, or `undefined` if there is none. */
export function findViewer(asked: ViewerName | undefined): FoundViewer | undefined {
  if (isWorkerd()) return undefined
  for (const name of asked === undefined ? NAMES : [asked]) {
    const { entry, files } = VIEWERS[name]
    const folder = findFolder(entry)
    if (folder !== undefined)
      return { name, files: new Map(Object.entries(files).map(([key, path]) => [key, join(folder, path)])) }
  }
  return undefined
}

const NAMES = ['scalar', 'swagger'] as const satisfies readonly ViewerName[]

function findFolder(entry: string): string | undefined {
  // a framework that is linked into a project has no packages of the project around it
  const places = [import.meta.url, join(process.cwd(), 'package.json')]
  for (const place of places) {
    try {
      return dirname(createRequire(place).resolve(entry))
    } catch {
      // not seen from here
    }
  }
  return undefined
}

/** Checks that a viewer can be shown. @throws `DefinitionError` if its package is not installed, and in Workers. */
export function checkViewer(name: ViewerName): void {
  const { title, package: wanted } = VIEWERS[name]
  const where = 'createApp'
  if (isWorkerd())
    throw new DefinitionError([
      {
        code: 'invalid_option',
        where,
        message: `docs.ui is '${name}', and there are no files in Workers to read ${title} from`,
        fix: 'leave docs.ui out for a plain list of the documents, or give a function that returns a page',
      },
    ])
  if (findViewer(name) === undefined)
    throw new DefinitionError([
      {
        code: 'missing_package',
        where,
        message: `docs.ui is '${name}', and the package ${wanted} is not installed`,
        fix: `run "npm install ${wanted}", or leave docs.ui out for a plain list of the documents`,
      },
    ])
}

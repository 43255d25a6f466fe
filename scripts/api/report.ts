import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { format } from 'oxfmt'

import { readEntryPoints, withDeclarations } from './declarations.ts'
import { readSurface } from './surface.ts'
import type { Declared, Surface } from './surface.ts'

const ROOT = join(import.meta.dirname, '../..')
const FOLDER = join(ROOT, 'test/api')

/** Reads what the entry points of the package declare now. */
export function readPublicSurface(): Surface {
  const entryPoints = readEntryPoints()
  return withDeclarations((folder) => readSurface(folder, entryPoints))
}

/** The name of the report of an entry point. */
export function toReportName(entry: string): string {
  return `${entry.replaceAll('/', '-')}.d.ts`
}

/** The text of a report, formatted as `npm run check -- format` does. */
export async function toReport(entry: string, declared: readonly Declared[]): Promise<string> {
  const options = JSON.parse(readFileSync(join(ROOT, '.oxfmtrc.json'), 'utf8')) as Parameters<
    typeof format
  >[2]
  const head = `// The public types of ${entry}. npm run api writes this file, and nothing imports it.`
  const text = [head, ...declared.map((each) => each.text)].join('\n\n')
  const { code, errors } = await format(toReportName(entry), text, options)
  const [error] = errors
  if (error !== undefined) throw new Error(`The report of ${entry} is no TypeScript: ${error.message}`)
  return code
}

/** The reports that are kept, by their names. */
export function readReports(): ReadonlyMap<string, string> {
  if (!existsSync(FOLDER)) return new Map()
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.d.ts'))
  return new Map(names.map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')]))
}

/** Writes the reports of all entry points, and removes those of others. */
export async function writeReports(surface: Surface): Promise<void> {
  mkdirSync(FOLDER, { recursive: true })
  for (const name of readReports().keys()) rmSync(join(FOLDER, name))
  for (const [entry, declared] of surface)
    writeFileSync(join(FOLDER, toReportName(entry)), await toReport(entry, declared))
}

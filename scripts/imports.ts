/**
 * Prints the size of `src` and how its folders depend on each other: files, lines, folders, arrows between them, relative imports in a file.
 * A folder of `src/server` counts as one of its own. Pass another folder to measure that one: `node --import tsx scripts/imports.ts ../other/src`.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path/posix'

const folder = process.argv[2] ?? join(import.meta.dirname, '../src')
const IMPORT =
  /^(?:import|export)\s+(?:type\s)?[^'"]*?from '(\.[^']+)'|^import '(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm

/** The folder that a file belongs to: `server/pipeline` for `server/pipeline/input.ts`, else the first one. */
function folderOf(path: string): string {
  const [first = '', second = '', third] = path.split('/')
  return first === 'server' && third !== undefined ? `${first}/${second}` : first
}

const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts') && !path.startsWith('cli/init/template/'))
  .map((path) => {
    const text = readFileSync(join(folder, path), 'utf8')
    const found = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').matchAll(IMPORT)
    const imports = [...found].map((match) =>
      normalize(join(dirname(path), match.slice(1).find(Boolean) ?? '')),
    )
    return { path, lines: text.split('\n').length - 1, imports }
  })

/** The arrows from folders of some files to others, each once. */
function arrowsOf(isCounted: (name: string) => boolean): ReadonlySet<string> {
  return new Set(
    files.flatMap(({ path, imports }) =>
      imports
        .map((target) => [folderOf(path), folderOf(target)] as const)
        .filter(([from, to]) => from !== to && isCounted(from) && isCounted(to))
        .map(([from, to]) => `${from} → ${to}`),
    ),
  )
}

const imports = files.reduce((sum, file) => sum + file.imports.length, 0)
console.table({
  files: files.length,
  lines: files.reduce((sum, { lines }) => sum + lines, 0),
  'entries of src': readdirSync(folder).length,
  folders: new Set(files.map(({ path }) => folderOf(path))).size,
  'arrows between folders': arrowsOf(() => true).size,
  'arrows inside server': arrowsOf((name) => name.startsWith('server/')).size,
  'relative imports in a file': (imports / files.length).toFixed(1),
})

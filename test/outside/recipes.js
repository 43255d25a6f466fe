/**
 * Writes the recipes of the documentation, its fences with the mark `outside`, as modules for the tests beside them. They listen on any free
 * port, and export what the tests need to close them.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A recipe of the guide is named after the heading above it, one of the cookbook after its page. */
const SOURCES = [
  { pages: '../../docs/guide', folder: 'frameworks', nameOf: (_page, above) => headingOf(above) },
  { pages: '../../docs/cookbook', folder: 'cookbook', nameOf: (page) => page.replace(/\.md$/, '') },
]
const FENCE = /^```(tsx?) outside(?: \[.+\])?\n([\s\S]*?)^```$/gm
const HEADING = /^#+ (.+)$/gm

const headingOf = (above) =>
  ([...above.matchAll(HEADING)].at(-1)?.[1] ?? '').toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')

/** The second recipe of a name ends in -2. */
function numbered(name, counts) {
  const count = (counts.get(name) ?? 0) + 1
  counts.set(name, count)
  return count === 1 ? name : `${name}-${count}`
}

/** Frees the port, and exports the application and its server. A recipe imports the first one of its page as `app.ts` or `telemetry.ts`. */
const toModule = (code, first) =>
  code
    .replace(/from '\.\/(?:app|telemetry)\.ts'/, `from './${first}.ts'`)
    .replace(
      'await app.listen({ port: 3000 })',
      "export const url = await app.listen({ port: 0, host: '127.0.0.1' })",
    )
    .replace(/^(await )?(\w+)\.listen\(3000\)$/m, "export const listening = $1$2.listen(0, '127.0.0.1')")
    .replace(/^(const \w+ = \w+\.listen\()3000\)$/m, "export $10, '127.0.0.1')")
    .replaceAll(/^const (?=(?:app|nest) = )/gm, 'export const ')

for (const { pages, folder, nameOf } of SOURCES) {
  const source = join(import.meta.dirname, pages)
  const target = join(import.meta.dirname, folder, '.recipes')
  if (!existsSync(source)) continue
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  const names = []
  const counts = new Map()
  for (const page of readdirSync(source)) {
    const text = readFileSync(join(source, page), 'utf8')
    for (const { 1: extension, 2: code = '', index } of text.matchAll(FENCE)) {
      const first = nameOf(page, text.slice(0, index))
      const name = numbered(first, counts)
      names.push(name)
      writeFileSync(join(target, `${name}.${extension}`), toModule(code, first))
    }
  }
  if (names.length === 0) throw new Error(`${pages} has no recipes`)
  console.log(names.join('\n'))
}

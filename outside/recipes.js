/**
 * Writes the recipes of the guide, its fences with the mark `outside`, as modules for the tests in `frameworks`. They listen on any free
 * port, and export what the tests need to close them.
 */
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const GUIDE = join(import.meta.dirname, '../docs/guide')
const FOLDER = join(import.meta.dirname, 'frameworks/.recipes')
const FENCE = /^```ts outside\n([\s\S]*?)^```$/gm
const HEADING = /^#+ (.+)$/gm

/** A name for a recipe: the heading above and how many it has. */
function nameOf(above, names) {
  const heading = [...above.matchAll(HEADING)].at(-1)?.[1] ?? ''
  const name = `${heading.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`
  const count = names.filter((each) => each.startsWith(name)).length
  return count === 0 ? name : `${name}-${count + 1}`
}

rmSync(FOLDER, { recursive: true, force: true })
mkdirSync(FOLDER, { recursive: true })
const names = []
for (const page of readdirSync(GUIDE)) {
  const text = readFileSync(join(GUIDE, page), 'utf8')
  for (const { 1: code = '', index } of text.matchAll(FENCE)) {
    const name = nameOf(text.slice(0, index), names)
    names.push(name)
    const free = code
      .replace(
        'await app.listen({ port: 3000 })',
        "export const url = await app.listen({ port: 0, host: '127.0.0.1' })",
      )
      .replace(/^(\w+)\.listen\(3000\)$/m, "export const listening = $1.listen(0, '127.0.0.1')")
      .replace(/^const app = /m, 'export const app = ')
    writeFileSync(join(FOLDER, `${name}.ts`), free)
  }
}
if (names.length === 0) throw new Error('The guide has no recipes')
console.log(names.join('\n'))

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { Application, Comment, ReflectionKind } from 'typedoc'
import type { TypeDocOptions } from 'typedoc'
import type { PluginOptions } from 'typedoc-plugin-markdown'

/** Writes a page for each entry point of the package, from the docstrings of its exports, and the sidebar of these pages. */

const ROOT = join(import.meta.dirname, '../..')
const OUT = join(import.meta.dirname, '../api')

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly 'octavo-source': string }>>
}

const manifest: Manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

/** The source of each entry point, by its name, as in `octavo/auth`. */
const entries = Object.entries(manifest.exports).flatMap(([path, target]) =>
  typeof target === 'string' ? [] : [[path.replace('.', 'octavo'), target['octavo-source']] as const],
)

/** The name that TypeDoc gives to a module, by its source. */
const toModuleName = (source: string): string =>
  source.replace(/^\.\/src\//, '').replace(/(?:(?<=.)\/index)?\.ts$/, '')

const options: TypeDocOptions & PluginOptions = {
  plugin: ['typedoc-plugin-markdown'],
  name: 'API reference',
  out: OUT,
  router: 'module',
  entryPoints: entries.map(([, source]) => join(ROOT, source)),
  // the installed TypeScript of the repository has no compiler that TypeDoc could use, and `npm run types` checks the sources
  tsconfig: join(ROOT, 'tsconfig.json'),
  skipErrorChecking: true,
  readme: 'none',
  disableSources: true,
  excludeInternal: true,
  excludePrivate: true,
  excludeExternals: true,
  // exported types may show helpers that cannot be imported
  validation: { notExported: false, invalidLink: false },
  logLevel: 'Error',
  entryFileName: 'index.md',
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  // what is linked to has an anchor of its own, because headings such as Parameters are on a page many times
  useHTMLAnchors: true,
  sanitizeComments: true,
  indexFormat: 'table',
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  // all properties are readonly
  tableColumnSettings: {
    hideModifiers: true,
    hideInherited: true,
    hideOverrides: true,
    hideSources: true,
    leftAlignHeaders: true,
  },
  pageTitleTemplates: { index: 'API reference', module: '{name}', member: '{name}' },
}

const app = await Application.bootstrapWithPlugins(options)
const project = await app.convert()
if (project === undefined) throw new Error('TypeDoc could not read the entry points')
const modules = (project.children ?? []).filter(({ kind }) => kind === ReflectionKind.Module)
if (modules.length !== entries.length)
  throw new Error(`TypeDoc read ${modules.length} of ${entries.length} entry points`)
const names = new Map(entries.map(([name, source]) => [toModuleName(source), name]))
for (const module of modules) module.name = names.get(module.name) ?? module.name
modules.sort((one, other) => one.name.localeCompare(other.name, 'en'))

/** The descriptions of entry points in the README, without their links. */
const described = new Map(
  [...readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(/^\| `(octavo[/\w]*)` +\| (.*?) +\|$/gm)].map(
    ([, name = '', text = '']) => [name, text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')],
  ),
)
for (const module of modules) {
  const text = described.get(module.name)
  if (text === undefined) throw new Error(`README.md does not describe ${module.name}`)
  module.comment = new Comment([{ kind: 'text', text }])
}
await app.generateOutputs(project)

/** Puts type parameters behind everything else of a function, class or type, because options are looked for more often. */
function optionsFirst(markdown: string, level = 2): string {
  if (level > 6) return markdown
  const heading = '#'.repeat(level)
  const [head = '', ...parts] = markdown.split(new RegExp(`^(?=${heading} )`, 'm'))
  const isOfTypes = (part: string): boolean => part.startsWith(`${heading} Type Parameters`)
  const inner = [head, ...parts].map((part) => optionsFirst(part, level + 1))
  const ordered = [...inner.filter((part) => !isOfTypes(part)), ...inner.filter(isOfTypes)]
  return ordered.map((part) => `${part.trimEnd()}\n\n`).join('')
}
/** Gives headings the anchors above them, and takes away the lines between exports. */
const anchorsInHeadings = (markdown: string): string =>
  markdown.replaceAll(/^<a id="([^"]+)"><\/a>\n\n(#.*)$/gm, '$2 {#$1}').replaceAll(/^\*\*\*\n\n/gm, '')

for (const name of readdirSync(OUT, { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.md')) continue
  const file = join(OUT, name)
  writeFileSync(file, `${optionsFirst(anchorsInHeadings(readFileSync(file, 'utf8'))).trimEnd()}\n`)
}

/** The entry points. What one exports is in the outline of its page. */
const sidebar = [
  { text: 'Guide', link: '/introduction' },
  ...modules.map(({ name }) => ({ text: name, link: `/api/${name}` })),
]
writeFileSync(join(OUT, 'sidebar.json'), `${JSON.stringify({ '/api/': sidebar }, undefined, 2)}\n`)

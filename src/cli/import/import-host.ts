import { join } from 'node:path'

import { askApp } from '../app-process.ts'
import { say, sayStyle, type Setting, type Step } from '../command.ts'
import { prepareSource, type ComparedSource } from '../../gate/document/source.ts'
import { componentNames, findReferences } from '../../openapi/document/refs.ts'
import { reachOf } from '../../base/json-schema.ts'
import { readFileText, type FileText } from '../write-file.ts'
import { readApi, type ImportedApi, type SchemaConstant } from './read-api.ts'
import { toSpecifier } from '../write/history-edits.ts'
import type { HostDescription } from './host-document.ts'
import { toModels } from './to-models.ts'

/** The API of an app of a framework. */
export interface HostApi {
  readonly api: ImportedApi
  /** The document that the app makes, if it makes one. */
  readonly source: ComparedSource | undefined
  /** The files of the app in which objects become models. */
  readonly edited: readonly (FileText & { readonly text: string; readonly before: string })[]
  readonly description: HostDescription
  /** The module of the app, and its text. */
  readonly from: string
  readonly text: string
}

/** Reads an app of a framework with its schemas. */
export async function readHostApi(from: string, setting: Setting): Promise<HostApi> {
  const description = await askApp(from, { kind: 'host' }, setting)
  const { document, own } = description
  const api = readApi(prepareSource(document))
  const constants: Record<string, SchemaConstant> = { ...api.host?.constants }
  const converted = reachOf(componentNames(findReferences(api.operations), 'schemas'), api.schemas)
  const edited: HostApi['edited'][number][] = []
  const taken = new Set<string>()
  let ending = '.ts'
  for (const file of new Set(Object.values(constants).map((each) => each.file))) {
    const path = join(setting.cwd, file)
    const source = (await readFileText(path)) ?? ''
    const exported = Object.entries(constants).filter(([, each]) => each.file === file)
    const named = exported.filter(([key]) => converted.has(key)).map(([, { constant }]) => constant)
    const { text, models } = toModels(source, named, taken)
    if (text !== source) edited.push({ path, text, before: source })
    for (const [key, each] of exported) constants[key] = { ...each, isModel: models.has(each.constant) }
  }
  const main = (await readFileText(join(setting.cwd, from))) ?? ''
  const [imported, last = ''] = /from\s+['"]\.{1,2}\/[^'"]*?(\.[cm]?[jt]sx?)?['"]/.exec(main) ?? []
  if (imported !== undefined) ending = last
  return {
    api: { ...api, host: { constants, ending } },
    source: own && prepareSource(own),
    edited,
    description,
    from,
    text: main,
  }
}

const LINES = {
  hono: ["import { inside } from 'octavo/inside/hono'", 'app.use(inside(versions, { app }))'],
  fastify: ["import { inside } from 'octavo/inside/fastify'", 'await app.register(inside, { versions })'],
} as const

/** Prints what became of the schemas of an app, and the lines that it needs. Returns the step that adds these. */
export function sayHost({ api, description, from, text }: HostApi, out: string): Step {
  const { yellow, bold } = sayStyle()
  const constants = Object.values(api.host?.constants ?? {})
  const models = constants
    .filter(({ isModel }) => isModel)
    .map(({ constant, file }) => `  ${constant} in ${file}`)
  if (models.length > 0) say(`These objects are models, which changes can reshape:\n${models.join('\n')}`)
  if (description.unexported.length > 0)
    say(
      `${yellow('No module but that of the app exports these schemas, so they are written out:')}\n  ${description.unexported.join('\n  ')}`,
    )
  const [imported, line] = LINES[description.framework]
  const versions = toSpecifier(from, `${out}/versions.ts`, text)
  const lines = [imported, `import { versions } from '${versions}'`, line]
  say(`${bold('Add this to your app, before its routes:')}\n  ${lines.join('\n  ')}`)
  return { text: `add this before the routes:\n${lines.join('\n')}`, where: from }
}

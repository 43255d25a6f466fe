import { basename, dirname, extname, join, resolve } from 'node:path'

import { whereOf } from '../../gate/finding.ts'
import type { ChangeDraft, Unwritten } from '../../gate/write/draft.ts'
import { isRecord, toRecord } from '../../base/values.ts'
import { formatSource, formatStatement, quotedText } from '../format.ts'
import { applyEdits } from '../source-edits.ts'
import { readFileText } from '../write-file.ts'
import { toChangeText, type ChangeText, type ChangeWriting } from './change-text.ts'
import type { DefinedSchema, DefinedParts } from './defined-parts.ts'
import { withEnd } from './title.ts'
import { toAdditions, toSpecifier, type Additions } from './history-edits.ts'
import { isImporting } from './read-bodies.ts'
import type { SchemaNames } from './zod-text.ts'

/** A file as it is to be. */
interface WrittenFile {
  readonly path: string
  /** `undefined` for a new file. */
  readonly before: string | undefined
  readonly text: string
}

/** A draft that is not written, because of how the application is. */
export interface UnwrittenDraft {
  readonly draft: ChangeDraft
  readonly why: string
}

/** A change, with the file that it is in. */
export interface LaidOutChange {
  readonly draft: ChangeDraft
  readonly text: ChangeText
  readonly path: string
  /** The id that it gets from its title. */
  readonly id: string
}

/** The files and edits for drafts. */
export interface Layout {
  readonly files: readonly WrittenFile[]
  /** The changes, with the files that they are in. */
  readonly changes: readonly LaidOutChange[]
  readonly kept: readonly UnwrittenDraft[]
}

/** Two documents, and what the application defines. */
export interface Sources {
  readonly base: unknown
  readonly revision: unknown
  readonly definitions: DefinedParts
  readonly cwd: string
  /** Whether older clients are assumed to pass over values and alternatives that they do not know. */
  readonly isOpen: boolean
}

/** A change with its names. */
interface NamedChange {
  readonly draft: ChangeDraft
  readonly id: string
  readonly text: ChangeText
  /** The name of the constant. */
  readonly name: string
  /** The file that it gets, or `undefined` for one that stands beside the history. */
  readonly path: string | undefined
  readonly models: readonly DefinedSchema[]
}

/** A place as `placeOf` writes it. */
function parsePlace(
  at: string | undefined,
  cwd: string,
): { readonly path: string; readonly line: number } | undefined {
  const [, file, line] = /^(.*):(\d+)$/.exec(at ?? '') ?? []
  return file === undefined ? undefined : { path: resolve(cwd, file), line: Number(line) }
}

/** Decides where changes go, and writes their files, in memory. A `string` says why nothing can be written. */
export async function layOut(drafts: readonly ChangeDraft[], sources: Sources): Promise<Layout | string> {
  const { definitions, cwd } = sources
  const { history } = definitions
  const at = parsePlace(history?.at, cwd)
  const found = at === undefined ? undefined : await readFileText(at.path)
  if (history === undefined || at === undefined || found === undefined)
    return 'the source of defineVersions was not found'
  const before = found.replaceAll('\r\n', '\n')
  const asFound = (text: string): string => (found === before ? text : text.replaceAll('\n', '\r\n'))
  if (!/^\s*import\b/m.test(before)) return `${history.at ?? ''} has no import statement to add to`
  const kept: UnwrittenDraft[] = []
  const named: NamedChange[] = []
  const folder = changesFolder(history.changes, at.path, cwd)
  const names: Names = {
    ids: new Set(history.changes.map(({ id }) => id)),
    code: new Set(before.split(/[^\p{ID_Continue}$]+/u)),
    importing: new Map(),
  }
  for (const draft of drafts) {
    const why = obstacleOf(draft, sources, at.path)
    const change = why ?? (await nameChange(draft, { sources, names, folder, historyPath: at.path }))
    if (typeof change === 'string') kept.push({ draft, why: change })
    else named.push(change)
  }
  if (named.length === 0) return { files: [], changes: [], kept }
  const edits = toAdditions(before, toWanted(named, at, before, cwd))
  if (typeof edits === 'string') return `${edits}: add the changes to ${history.at ?? ''} by hand`
  const own = named.flatMap(({ path, text, name, models }): readonly WrittenFile[] =>
    path === undefined
      ? []
      : [
          {
            path,
            before: undefined,
            text: asFound(changeFileText({ path, text, name, models }, before, cwd)),
          },
        ],
  )
  return {
    files: [...own, { path: at.path, before: found, text: asFound(applyEdits(before, edits)) }],
    changes: named.map(({ draft, id, text, path }) => ({ draft, id, text, path: path ?? at.path })),
    kept,
  }
}

const NO_DIFFERENCE =
  'no value differs that a change converts, so only the documents show it: allow the finding in allow.json'

/** The folder of new changes: where those are that have a folder of their own, else one beside the history. */
function changesFolder(
  changes: NonNullable<DefinedParts['history']>['changes'],
  historyPath: string,
  cwd: string,
): string {
  const folders = changes.flatMap(({ at }) => {
    const path = parsePlace(at, cwd)?.path
    return path === undefined ? [] : [dirname(path)]
  })
  return folders.find((folder) => basename(folder) === 'changes') ?? join(dirname(historyPath), 'changes')
}

/** Why a draft cannot be written, or `undefined` if it can. */
function obstacleOf(
  draft: ChangeDraft,
  { definitions, cwd }: Sources,
  historyPath: string,
): string | undefined {
  if (draft.kind === 'route') return undefined
  const model = definitions.models.find(({ name }) => name === draft.model)
  const place = parsePlace(model?.at, cwd)
  if (model === undefined || place === undefined) return 'its definition was not found'
  if ((model.exported ?? 'default') === 'default' && place.path !== historyPath)
    return `export it by name from ${model.at ?? ''}, so that a change can import it`
  const names = new Set(draft.fields.map(({ name }) => name))
  const [field, change] = model.touched.find(([each]) => names.has(each)) ?? []
  if (change === undefined) return undefined
  return draft.fields.some(({ name, kind }) => name === field && kind === 'removed')
    ? `the change "${change}" already restores ${field ?? ''}, but not everywhere: export the schemas that lack it, and list them in applies of the change`
    : `the change "${change}" already describes ${field ?? ''}: write the new change by hand, and base the older one on it with before(…)`
}

/** The names that there are. */
interface Names {
  /** The ids of changes. */
  readonly ids: Set<string>
  /** The words in the file of the history. */
  readonly code: Set<string>
  /** Whether files of models import the history, by their paths. */
  readonly importing: Map<string, boolean>
}

interface NamingInput {
  readonly sources: Sources
  readonly names: Names
  readonly folder: string
  readonly historyPath: string
}

/** Names a change and its file. A `string` says why it is not written. */
async function nameChange(
  draft: ChangeDraft,
  { sources, names, folder, historyPath }: NamingInput,
): Promise<NamedChange | string> {
  const { definitions, cwd } = sources
  const writing = toWriting(sources, historyPath)
  const text = toChangeText(draft, writing)
  if (text === undefined) return NO_DIFFERENCE
  const extension = extname(historyPath)
  const models = [...definitions.models, ...definitions.parts].filter((model) =>
    text.models.includes(codeName(model, historyPath, cwd) ?? ''),
  )
  const isInline = models.some(({ at }) => parsePlace(at, cwd)?.path === historyPath)
  const cycle = isInline
    ? undefined
    : await findCycle(models, { historyPath, cwd, importing: names.importing })
  if (cycle !== undefined) return cycle
  let title = text.title
  for (let count = 2; names.ids.has(toSlug(title)); count++) title = withEnd(text.title, ` (${count})`)
  const id = toSlug(title)
  names.ids.add(id)
  // a file or a constant may have the name of another title
  for (let count = 1; ; count++) {
    const slug = count === 1 ? id : `${id}-${count}`
    const constant = slug.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())
    const name = /^\p{ID_Start}/u.test(constant) ? constant : `change${constant}`
    const path = isInline ? undefined : join(folder, `${slug}${extension}`)
    if (names.code.has(name) || (path !== undefined && (await readFileText(path)) !== undefined)) continue
    names.code.add(name)
    const code = text.code.replace(quotedText(text.title), () => quotedText(title))
    return { draft, id, text: { ...text, title, code }, name, path, models }
  }
}

/** The title as a name of files, and the id of its change. */
function toSlug(title: string): string {
  const words = title.toLowerCase().split(/[^\p{L}\p{N}]+/u)
  return words.filter(Boolean).join('-')
}

/** Why a change cannot import models: their file imports the history, which would import the change. */
async function findCycle(
  models: readonly DefinedSchema[],
  {
    historyPath,
    cwd,
    importing,
  }: Pick<NamingInput, 'historyPath'> & Pick<Names, 'importing'> & { readonly cwd: string },
): Promise<string | undefined> {
  for (const { at, name } of models) {
    const path = parsePlace(at, cwd)?.path
    if (path === undefined || path === historyPath) continue
    const isCycle = importing.get(path) ?? (await isImporting(path, historyPath))
    importing.set(path, isCycle)
    if (isCycle)
      return `${at ?? ''} imports the history, which would import the change: move ${name} to a file of its own`
  }
  return undefined
}

/** The materials of the texts of changes in a file. */
export function toWriting(
  { base, revision, definitions, cwd, isOpen }: Sources,
  historyPath: string,
): ChangeWriting {
  const models = new Map(
    definitions.models.flatMap((model) => {
      const name = codeName(model, historyPath, cwd)
      return name === undefined ? [] : [[model.name, name] as const]
    }),
  )
  const namesOf = (document: unknown): SchemaNames => {
    const schemas = isRecord(document) ? toRecord(document['components'])['schemas'] : undefined
    return {
      components: toRecord(schemas),
      isNoted: definitions.isNoted,
      modelOf: (component) => models.get(component) ?? models.get(component.replace(/(?:In|Out)put$/, '')),
    }
  }
  return {
    base: namesOf(base),
    revision: namesOf(revision),
    modelName: (model) => models.get(model) ?? model,
    isOpen,
    isForwarding: definitions.isForwarding,
  }
}

/** How code calls a model, or `undefined` if it can't. */
function codeName(
  { exported, at, name }: DefinedSchema,
  historyPath: string,
  cwd: string,
): string | undefined {
  if (exported !== undefined && exported !== 'default') return exported
  return parsePlace(at, cwd)?.path === historyPath ? name : undefined
}

/** Returns the additions to the file of the history. */
function toWanted(
  named: readonly NamedChange[],
  { path: historyPath, line }: { readonly path: string; readonly line: number },
  source: string,
  cwd: string,
): Additions {
  const inline = named.filter(({ path }) => path === undefined)
  const unlisted = new Map(
    named.flatMap(({ models }) =>
      models
        .filter(({ isListed }) => !isListed)
        .map((model) => [codeName(model, historyPath, cwd) ?? '', model]),
    ),
  )
  return {
    line,
    changes: named.map(({ name }) => name),
    models: [...unlisted.keys()],
    imports: [
      ...(inline.length === 0
        ? []
        : [['octavo/changes', [...new Set(inline.flatMap(({ text }) => text.imports))]] as const]),
      ...(inline.some(({ text }) => text.usesZod) ? [['zod', ['z']] as const] : []),
      ...named.flatMap(({ path, name }) =>
        path === undefined ? [] : [[toSpecifier(historyPath, path, source), [name]] as const],
      ),
      ...modelImports([...inline.flatMap(({ models }) => models), ...unlisted.values()], {
        from: historyPath,
        historyPath,
        source,
        cwd,
      }),
    ],
    code: inline.flatMap(({ name, text }) =>
      [...text.shared, `const ${name} = ${text.code}`].map((each) => formatStatement(each)),
    ),
  }
}

interface Importing {
  readonly from: string
  readonly historyPath: string
  /** A source whose imports show how extensions are written. */
  readonly source: string
  readonly cwd: string
}

/** The imports of models, those of one file together. */
function modelImports(
  models: readonly DefinedSchema[],
  { from, historyPath, source, cwd }: Importing,
): Additions['imports'] {
  const files = new Map<string, Set<string>>()
  for (const model of models) {
    const path = parsePlace(model.at, cwd)?.path
    const name = codeName(model, historyPath, cwd)
    if (path === undefined || path === from || name === undefined) continue
    const specifier = toSpecifier(from, path, source)
    files.set(specifier, (files.get(specifier) ?? new Set()).add(name))
  }
  return [...files].map(([specifier, names]) => [specifier, [...names].toSorted()])
}

/** The text of a file with one change, in the style of the file that has the history. */
function changeFileText(
  { path, text, name, models }: Pick<NamedChange, 'text' | 'name' | 'models'> & { readonly path: string },
  source: string,
  cwd: string,
): string {
  const packages = [
    [text.imports.toSorted(), 'octavo/changes'] as const,
    ...(text.usesZod ? [[['z'], 'zod'] as const] : []),
  ]
  const own = modelImports(models, { from: path, historyPath: path, source, cwd })
  return formatSource(
    packages,
    own.map(([specifier, names]) => [names, specifier]),
    [...text.shared, `export const ${name} = ${text.code}`].map((each) => formatStatement(each)),
  )
}

/** Merges findings of one place. */
export function distinctUnwritten(unwritten: readonly Unwritten[]): readonly Unwritten[] {
  return [
    ...new Map(
      unwritten.map((each) => [
        `${each.finding.rule} ${whereOf(each.finding)} ${each.finding.operation} ${each.why}`,
        each,
      ]),
    ).values(),
  ]
}

import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { failure, say, sayStyle, type Setting } from '../command.ts'
import { prepareSource, type ComparedSource } from '../../gate/document/source.ts'
import { readIndexOf } from '../../gate/snapshot/folder.ts'
import { readArguments } from '../arguments.ts'
import { check } from '../gate/check-command.ts'
import { formatCode } from '../run-formatter.ts'
import { readFileText, writeFiles } from '../write-file.ts'
import { readApi, type ImportedApi } from './read-api.ts'
import { writeProject } from './write-project.ts'
import { finishImport } from './finish-import.ts'

/** An API that was imported before, and its new document. */
export interface Update {
  /** The document that was imported last. */
  readonly before: string
  /** The new one, as it is kept. */
  readonly text: string
  /** The file in which it is kept. */
  readonly kept: string
  readonly api: ImportedApi
  readonly source: ComparedSource
  readonly out: string
}

/** A file with the changes of the document. */
interface MergedFile {
  readonly path: string
  readonly text: string | undefined
  /** The parts that were edited where the document changed, as the document has them. */
  readonly conflicts: readonly string[]
}

/** Adds what is new in a document to the files of an API, and writes the change that older versions need. Returns the exit code. */
export async function updateProject(update: Update, setting: Setting): Promise<number> {
  const { before, text, kept, api, source, out } = update
  const { versions } = await readIndexOf(join(setting.cwd, 'api'))
  const document: unknown = JSON.parse(before)
  const { files: base, version } = writeProject(readApi(prepareSource(document)), { out })
  // what the version of the document is called now is for the release to say
  const project = writeProject(api, { out, version })
  const pathOf = (name: string): string => join(setting.cwd, name)
  const all = [base, project.files].flatMap((files) =>
    Object.entries(files).map(([name, own]) => ({ files, name, path: pathOf(name), text: own })),
  )
  const changed = all.filter(({ name }) => base[name] !== project.files[name])
  const formatted = await formatCode(changed, setting.cwd)
  const textIn = (files: typeof base, name: string): string | undefined =>
    formatted.find((each) => each.files === files && each.name === name)?.text
  const merged: MergedFile[] = []
  for (const name of new Set(changed.map((each) => each.name))) {
    const own = await readFileText(pathOf(name))
    merged.push(
      await mergeFile(name, own, { before: textIn(base, name), after: textIn(project.files, name) }),
    )
  }
  const { green, yellow } = sayStyle()
  const made = merged.flatMap(({ path, text: own }) =>
    own === undefined ? [] : { path: pathOf(path), text: own },
  )
  const written = await writeFiles([...made, { path: pathOf(kept), text }])
  for (const { path } of merged) if (written.has(pathOf(path))) say(`${green('Wrote')} ${path}`)
  const conflicts = merged.filter((file) => file.conflicts.length > 0)
  if (conflicts.length > 0) say(yellow('You edited these places, so change them by hand. The document says:'))
  for (const file of conflicts)
    for (const part of file.conflicts) say(`  ${file.path}\n    ${part.replaceAll('\n', '\n    ')}`)
  if (versions.length === 0) return finishImport(project, api, source, setting)
  return check.run(readArguments(['--write', '--strict'], check), setting)
}

/** Merges what changed in the document into a file. Lines that were edited stay. */
async function mergeFile(
  path: string,
  own: string | undefined,
  { before, after }: { readonly before: string | undefined; readonly after: string | undefined },
): Promise<MergedFile> {
  // a file that was removed was moved, or isn't needed
  if (after === undefined || (own === undefined && before !== undefined))
    return { path, text: undefined, conflicts: after === undefined ? [] : [after] }
  if (own === undefined || plainText(own) === plainText(before ?? ''))
    return { path, text: after, conflicts: [] }
  return { path, ...(await mergeTexts(own, before ?? '', after)) }
}

/** A text without what formatters change. */
function plainText(text: string): string {
  return text.replaceAll(/[\s;,]+/g, '').replaceAll('"', "'")
}

async function mergeTexts(own: string, before: string, after: string): Promise<Omit<MergedFile, 'path'>> {
  const folder = await mkdtemp(join(tmpdir(), 'octavo-'))
  try {
    const paths = await Promise.all(
      Object.entries({ own, before, after }).map(async ([name, text]) => {
        await writeFile(join(folder, name), text)
        return join(folder, name)
      }),
    )
    const text = await mergeGenerated(['--ours', ...paths])
    const marked = await mergeGenerated(['--diff3', ...paths])
    const conflicts = [...marked.matchAll(/^=======\n([\s\S]*?)^>>>>>>> /gm)].map(([, part = '']) =>
      part.trimEnd(),
    )
    return { text, conflicts }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The result of `git merge-file`, whose exit code is the number of conflicts. @throws `CommandError` without git */
function mergeGenerated(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile('git', ['merge-file', '-p', ...args], { maxBuffer: 2 ** 28 }, (error, stdout) => {
      const code: unknown = Reflect.get(Object(error), 'code')
      if (error === null || (typeof code === 'number' && code > 0 && code < 128)) resolve(stdout)
      else reject(failure('git is needed to update edited files', 'install git'))
    })
  })
}

import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

import { failure, say, sayStyle, type Outcome, type Setting, type Step } from '../command.ts'
import { prepareSource, type ComparedSource } from '../../gate/document/source.ts'
import { readIndexOf } from '../../gate/snapshot/folder.ts'
import { readArguments } from '../arguments.ts'
import { check } from '../gate/check-command.ts'
import { formatCode } from '../run-formatter.ts'
import { readFileText, writeFiles } from '../write-file.ts'
import { readApi, type ImportedApi } from './read-api.ts'
import { writeProject } from './write-project.ts'
import { finishImport } from './finish-import.ts'
import { EXIT } from '../write/write-changes.ts'

/** An API that was imported before, and its new document. */
export interface Update {
  /** The document that was imported last. */
  readonly before: string
  /** The new one, as it is kept. */
  readonly text: string
  /** The file in which it is kept. */
  readonly kept: string
  readonly api: ImportedApi
  /** The document that the app is compared with. */
  readonly source: ComparedSource | undefined
  readonly out: string
  readonly isJson: boolean
}

/** A file with the changes of the document. */
interface MergedFile {
  readonly path: string
  readonly text: string | undefined
  /** Whether it has conflict marks, because it was edited where the document changed. */
  readonly isConflicting: boolean
}

/** Adds what is new in a document to the files of an API, and writes the change that older versions need. */
export async function updateProject(update: Update, setting: Setting): Promise<Outcome> {
  const { before, text, kept, api, source, out } = update
  const { versions } = await readIndexOf(join(setting.cwd, 'api'))
  const released = prepareSource(JSON.parse(before))
  const releasedApi = readApi(released)
  const first = writeProject(releasedApi, { out })
  const { files: base, version } = first
  const isFirst = versions.length === 0
  // the first import did not finish: its document is the oldest version, and not the new one
  if (isFirst && before !== text) {
    const compared = releasedApi.host === undefined ? released : undefined
    const outcome = await finishImport(first, releasedApi, compared, setting)
    if (outcome.exitCode !== 0) return outcome
  }
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
  for (const { path, text: own } of merged) {
    if (written.has(pathOf(path))) say(`${green('Wrote')} ${path}`)
    else if (own === undefined && project.files[path] !== undefined)
      say(`${yellow('Left out')} ${path}, because you removed it`)
  }
  const files = [...written].map((path) => relative(setting.cwd, path))
  const conflicts = merged.filter(({ isConflicting }) => isConflicting)
  if (conflicts.length > 0) return { exitCode: EXIT.left, result: { files }, next: sayConflicts(conflicts) }
  if (isFirst && before === text) {
    const outcome = await finishImport(project, api, source, setting)
    return { ...outcome, result: { files, ...outcome.result } }
  }
  const own = project.app === undefined ? [] : [project.app]
  const format = update.isJson ? 'json' : 'text'
  const given = readArguments([...own, '--write', '--strict', '--format', format], check)
  const outcome = await check.run(given, setting)
  return { ...outcome, result: { files, check: outcome.result } }
}

/** Prints the files with conflicts. Returns the steps that resolve them. */
function sayConflicts(conflicts: readonly MergedFile[]): readonly Step[] {
  say(sayStyle().yellow('You edited these files where the document changed:'))
  for (const { path } of conflicts) say(`  ${path}`)
  say('Resolve the conflicts that are marked in them. Then run octavo check --write --strict')
  const edits = conflicts.map(({ path }) => ({ text: 'resolve the conflicts', where: path }))
  return [...edits, { text: 'check the app', run: 'octavo check --write --strict' }]
}

/** Merges what changed in the document into a file. Edits of the file stay, to the last space. */
async function mergeFile(
  path: string,
  own: string | undefined,
  { before, after }: { readonly before: string | undefined; readonly after: string | undefined },
): Promise<MergedFile> {
  // a file that is no longer written stays, and one that was removed stays away
  if (after === undefined || (own === undefined && before !== undefined))
    return { path, text: undefined, isConflicting: false }
  if (own === undefined || own === before) return { path, text: after, isConflicting: false }
  const isWindows = own.includes('\r\n')
  const lines = own.replaceAll('\r\n', '\n')
  const { text, isConflicting } = await mergeTexts(lines, before ?? '', after)
  return { path, text: isWindows ? text.replaceAll('\n', '\r\n') : text, isConflicting }
}

async function mergeTexts(
  own: string,
  before: string,
  after: string,
): Promise<Omit<MergedFile, 'path'> & { readonly text: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'octavo-'))
  try {
    const paths = await Promise.all(
      Object.entries({ own, before, after }).map(async ([name, text]) => {
        await writeFile(join(folder, name), text)
        return join(folder, name)
      }),
    )
    return await runMerge(paths)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Runs `git merge-file`, whose exit code is the number of conflicts. @throws `CommandError` without git */
function runMerge(
  paths: readonly string[],
): Promise<{ readonly text: string; readonly isConflicting: boolean }> {
  const labels = ['yours', 'the last document', 'the document'].flatMap((label) => ['-L', label])
  return new Promise((resolve, reject) => {
    execFile('git', ['merge-file', '-p', ...labels, ...paths], { maxBuffer: 2 ** 28 }, (error, stdout) => {
      const code: unknown = Reflect.get(Object(error), 'code')
      if (error === null || (typeof code === 'number' && code > 0 && code < 128))
        resolve({ text: stdout, isConflicting: error !== null })
      else reject(failure('git is needed to update edited files', 'install git'))
    })
  })
}

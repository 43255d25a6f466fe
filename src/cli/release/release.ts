import { relative, resolve } from 'node:path'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

import {
  commandLine,
  failure,
  FORMAT,
  say,
  usageError,
  sayStyle,
  printStyle,
  print,
  type Command,
} from '../command.ts'
import { toVersionMarkdown } from '../../gate/changelog/changelog-markdown.ts'
import { readArguments } from '../arguments.ts'
import { askApp, type HistoryReport } from '../app-process.ts'
import { readChangelog } from '../gate/changelog-command.ts'
import { snapshot } from '../gate/snapshot-command.ts'
import { sayError } from '../print-error.ts'
import { readFileText, writeChecked } from '../write-file.ts'
import { applyEdits } from '../source-edits.ts'
import { toReleaseSteps, type ReleasedPlace, type ReleaseStep } from './release-steps.ts'

export const release: Command = {
  summary: "release the changes of 'next' as a version",
  usage: '<version> [<app>] [options]',
  about: [
    "Replaces version: 'next' in the source files of your changes and routes, and adds the version to the list of",
    'defineVersions. The rest of the files stays the same. Then it loads the app, and restores the files if the app',
    'lacks the version. At the end, you see the changelog of the version. Commit the files first.',
  ],
  examples: ['octavo release 2026-06-01', 'octavo release 3 src/app.ts --dry-run'],
  positionals: 2,
  options: {
    'dry-run': { about: 'show the edits without writing them' },
    snapshot: { about: 'keep the document of the version, like octavo snapshot' },
    force: { about: 'edit files with uncommitted changes and files that git ignores, too' },
    format: FORMAT,
  },
  run: async (given, setting) => {
    const [version, app] = given.positionals
    if (version === undefined) throw usageError('pass a version: octavo release 2026-06-01')
    const history = await askApp(app, { kind: 'release', version }, setting)
    if (history.malformed !== undefined)
      throw usageError(history.malformed, `released versions: ${history.versions.join(', ')}`)
    const sources = await editSources(history, version, setting.cwd)
    if (!given.has('force')) await failIfUnsafe(sources, setting.cwd)
    const titles = history.places.filter(({ kind }) => kind !== 'history').map(({ title }) => title)
    // a title may have several lines
    const lines = titles.map((title) => `  ${title.replaceAll(/\s+/g, ' ')}`)
    const head = [printStyle().bold(`Version ${version}`), ...lines, '']
    if (!given.isJson) print([...head, ...editLines(sources)].join('\n'))
    const edits = sources.flatMap(({ name, steps }) =>
      steps.map(({ line, code }) => ({ where: `${name}:${line}`, text: code })),
    )
    const result = { version, titles, edits, isDryRun: given.has('dry-run') }
    if (given.has('dry-run')) {
      say('No file was written because of --dry-run')
      const run = commandLine(['release', ...given.all.filter((argument) => argument !== '--dry-run')])
      return { result, next: [{ text: 'make the edits', run }] }
    }
    const args = [...(app === undefined ? [] : [app]), '--version', version]
    const keeps = given.has('snapshot')
    const isReleased = await writeChecked(
      sources,
      async () => {
        const edited = await askApp(app, { kind: 'release' }, setting)
        // the history is the only place if nothing else has the version 'next'
        if (!edited.versions.includes(version) || edited.places.length > 1) return false
        if (keeps) await snapshot.run(readArguments(args, snapshot), setting)
        return true
      },
      () => say('The files were restored'),
    )
    if (!isReleased) throw failure(`the app lacks the version ${version} after these edits`)
    say(sayStyle().green(`Released ${version}`))
    try {
      const changelog = await readChangelog(app, undefined, setting)
      const entry = changelog.versions.find((each) => each.version === version)
      if (entry !== undefined) say(`\n${toVersionMarkdown(entry)}\n`)
    } catch (error) {
      // the version is released without its changelog
      sayError(error)
    }
    const commit = { text: 'commit the edits', run: 'git commit -a' }
    if (keeps) return { result, next: [commit] }
    const keep = { text: 'Keep its document for octavo check', run: commandLine(['snapshot', ...args]) }
    say(`${keep.text}: ${keep.run}`)
    return { result, next: [keep, commit] }
  },
}

/** A file with the steps that edit it. */
interface EditedFile {
  readonly path: string
  /** Its path from the working directory. */
  readonly name: string
  readonly before: string
  readonly text: string
  readonly steps: readonly ReleaseStep[]
}

/** The source files with their edits. @throws `CommandError` for those that cannot be found, or not be edited surely. */
async function editSources(
  { places, trial }: HistoryReport,
  version: string,
  cwd: string,
): Promise<readonly EditedFile[]> {
  const files = new Map<string, ReleasedPlace[]>()
  for (const { kind, title, at } of places) {
    const [, file, line] = /^(.*):(\d+)$/.exec(at ?? '') ?? []
    if (file === undefined)
      throw failure(`the source of ${title} was not found`, 'edit it by hand, or run Node without a bundler')
    files.set(file, [...(files.get(file) ?? []), { kind, line: Number(line) }])
  }
  const sources = await Promise.all(
    [...files].map(async ([file, own]): Promise<EditedFile> => {
      const path = resolve(cwd, file)
      const before = await readFileText(path)
      if (before === undefined) throw failure(`file ${file}, which defines changes or routes, not found`)
      const steps = toReleaseSteps(before, own, { version, trial })
      const edits = steps.flatMap(({ edit }) => edit ?? [])
      return { path, name: relative(cwd, path), before, text: applyEdits(before, edits), steps }
    }),
  )
  if (sources.every(({ steps }) => steps.every(({ edit }) => edit !== undefined))) return sources
  throw failure(
    'the code of some versions cannot be edited surely. Write these lines by hand',
    ...editLines(sources),
    `then run octavo snapshot --version ${version}`,
  )
}

/** The lines of the edits, such as `src/history.ts:8  versions: ['2', …]`. */
function editLines(sources: readonly EditedFile[]): readonly string[] {
  return sources.flatMap(({ name, steps }) => steps.map(({ line, code }) => `${name}:${line}  ${code}`))
}

/** @throws `CommandError` for files whose edits would be lost or could not be undone. */
async function failIfUnsafe(sources: readonly EditedFile[], cwd: string): Promise<void> {
  const states = await Promise.all(
    sources.map(async (source) => [source, await stateOf(source, cwd)] as const),
  )
  for (const [{ path, name, before }, state] of states)
    if (
      state.startsWith('!!') ||
      /^\/\/[#@] sourceMappingURL=/m.test(before) ||
      /[\\/]node_modules[\\/]/.test(path)
    )
      throw failure(
        `${name} is generated or belongs to a package`,
        'pass the source of the app, for example octavo release 3 src/app.ts',
        'or use --force',
      )
  const dirty = states.flatMap(([{ name }, state]) => (state === '' ? [] : [name]))
  if (dirty.length > 0)
    throw failure(
      `${dirty.join(', ')} ${dirty.length === 1 ? 'has' : 'have'} uncommitted changes`,
      'commit them first, or use --force',
    )
}

/** The state of a file as git prints it: empty if it is committed or there is no repository, `!!` first if git ignores it. */
async function stateOf({ path }: EditedFile, cwd: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('git', ['status', '--short', '--ignored', '--', path], {
      cwd,
      env: { ...process.env, GIT_OPTIONAL_LOCKS: '0' },
    })
    return stdout
  } catch {
    return ''
  }
}

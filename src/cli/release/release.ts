import { relative, resolve } from 'node:path'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

import {
  failure,
  say,
  usageError,
  sayStyle,
  printStyle,
  print,
  type Command,
  type Setting,
} from '../command.ts'
import { toVersionMarkdown } from '../../gate/changelog/write.ts'
import { readArguments } from '../arguments.ts'
import { ask, type HistoryReport } from '../job.ts'
import { readChangelog } from '../gate/changelog.ts'
import { snapshot } from '../gate/snapshot.ts'
import { sayError } from '../print-error.ts'
import { readText, writeFiles } from '../write-file.ts'
import { toUnfinishedText } from '../write/unfinished.ts'
import { applyEdits, toDiff, toEdits, type Edit, type Wanted } from './edits.ts'

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
  },
  run: async (given, setting) => {
    const [version, app] = given.positionals
    if (version === undefined) throw usageError('pass a version: octavo release 2026-06-01')
    const history = await readHistory(app, version, setting)
    if (history === undefined) return 1
    const sources = await editSources(history, version, setting.cwd)
    if (!given.has('force')) await failIfUnsafe(sources, setting.cwd)
    print(summaryOf(history, sources, version))
    if (given.has('dry-run')) {
      say('No file was written because of --dry-run')
      return 0
    }
    const args = [...(app === undefined ? [] : [app]), '--version', version]
    const keeps = given.has('snapshot')
    const keep = async (): Promise<boolean> =>
      !keeps || (await snapshot.run(readArguments(args, snapshot), setting)) === 0
    if (!(await writeSources(sources, { app, version, setting }, keep))) return 1
    await sayChangelog({ app, version, setting })
    if (!keeps) say(`Keep its document for octavo check: octavo snapshot ${args.join(' ')}`)
    return 0
  },
}

/** A file with its edits. */
interface EditedFile {
  readonly path: string
  readonly label: string
  readonly text: string
  readonly edits: readonly Edit[]
}

/** Returns `undefined` after printing an error if the app cannot be loaded. @throws `CommandError` if the version cannot be released */
async function readHistory(
  app: string | undefined,
  version: string,
  setting: Setting,
): Promise<HistoryReport | undefined> {
  const history = await ask(app, { task: 'release', version }, setting)
  if (history === undefined) return undefined
  const { versions, next, routes, unfinished, problem } = history
  if (problem !== undefined) {
    const toError = problem.isMalformed ? usageError : failure
    throw toError(
      problem.message,
      ...(versions.length === 0 ? [] : [`released versions: ${versions.join(', ')}`]),
    )
  }
  if (unfinished.length > 0)
    throw failure(
      'some changes are incomplete: replace each fillIn(…) with a value',
      ...unfinished.map(toUnfinishedText),
    )
  if (next.length + routes.length > 0) return history
  throw failure(
    "no change or route has the version 'next'",
    "set version: 'next' in the changes that you want to release",
  )
}

/** The source files with their edits. @throws `CommandError` for those that cannot be found or edited. */
async function editSources(
  { next, routes, at }: HistoryReport,
  version: string,
  cwd: string,
): Promise<readonly EditedFile[]> {
  const wanted = new Map<string, { changes: number[]; histories: number[]; routes: number[] }>()
  const add = (list: keyof Wanted, place: string | undefined, what: string): void => {
    const [, file, line] = /^(.*):(\d+)$/.exec(place ?? '') ?? []
    if (file === undefined)
      throw failure(`the source of ${what} was not found`, 'edit it by hand, or run Node without a bundler')
    const path = resolve(cwd, file)
    const lines = wanted.get(path) ?? { changes: [], histories: [], routes: [] }
    wanted.set(path, lines)
    lines[list].push(Number(line))
  }
  for (const change of next) add('changes', change.at, `the change "${change.id}"`)
  for (const route of routes) add('routes', route.at, `the route "${route.label}"`)
  add('histories', at, 'the history')
  return Promise.all(
    [...wanted].map(async ([path, lines]): Promise<EditedFile> => {
      const label = relative(cwd, path)
      const text = await readText(path)
      if (text === undefined) throw failure(`file ${label}, which defines changes or routes, not found`)
      return { path, label, text, edits: toEdits(label, text, lines, version) }
    }),
  )
}

/** @throws `CommandError` for files whose edits would be lost or could not be undone. */
async function failIfUnsafe(sources: readonly EditedFile[], cwd: string): Promise<void> {
  for (const { path, label, text } of sources) {
    const isMade = /^\/\/[#@] sourceMappingURL=/m.test(text) || (await isIgnored(path, cwd))
    if (isMade || /[\\/]node_modules[\\/]/.test(path))
      throw failure(
        `${label} is generated or belongs to a package`,
        'pass the source of the app, for example octavo release 3 src/app.ts',
        'or use --force',
      )
  }
  const paths = sources.map(({ path }) => path)
  const dirty = (await uncommitted(paths, cwd)).map((path) => relative(cwd, path))
  if (dirty.length > 0)
    throw failure(
      `${dirty.join(', ')} ${dirty.length === 1 ? 'has' : 'have'} uncommitted changes`,
      'commit them first, or use --force',
    )
}

function summaryOf({ next, routes }: HistoryReport, sources: readonly EditedFile[], version: string): string {
  const { bold, red, green } = printStyle()
  const paint = (line: string): string => (/^ {2}\d+ -/.test(line) ? red(line) : green(line))
  const titles = [...next.map(({ title }) => title), ...routes.map(({ label }) => label)].map(
    // a title may have several lines
    (title) => `  ${title.replaceAll(/\s+/g, ' ')}`,
  )
  const diffs = sources.flatMap(({ label, text, edits }) => [
    '',
    bold(label),
    ...toDiff(text, edits).map(paint),
  ])
  return [bold(`Version ${version}`), ...titles, ...diffs].join('\n')
}

/** Prints the changelog of the version. A failure here doesn't fail the release. */
async function sayChangelog({ app, version, setting }: Check): Promise<void> {
  try {
    const made = await readChangelog(app, undefined, setting)
    const entry = made?.versions.find((each) => each.version === version)
    if (entry !== undefined) say(`\n${toVersionMarkdown(entry)}\n`)
  } catch (error) {
    sayError(error)
  }
}

interface Check {
  readonly app: string | undefined
  readonly version: string
  readonly setting: Setting
}

/**
 * Writes the files, loads the app and keeps the document of the version. Restores the files if the app lacks the version, or its document
 * cannot be kept: the version would be unguarded.
 */
async function writeSources(
  sources: readonly EditedFile[],
  check: Check,
  keep: () => Promise<boolean>,
): Promise<boolean> {
  const restore = async (reason: string): Promise<void> => {
    await writeFiles(sources.map(({ path, text }) => ({ path, text })))
    say(`The files were restored, because ${reason}`)
  }
  await writeFiles(sources.map(({ path, text, edits }) => ({ path, text: applyEdits(text, edits) })))
  let reason = `the app lacks the version ${check.version} after these edits`
  try {
    if (await isReleased(check)) {
      reason = `the document of the version ${check.version} was not kept`
      if (await keep()) {
        say(sayStyle().green(`Released ${check.version}`))
        return true
      }
    }
  } catch (error) {
    await restore(reason)
    throw error
  }
  await restore(reason)
  return false
}

async function isReleased({ app, version, setting }: Check): Promise<boolean> {
  const served = await ask(app, { task: 'routes' }, setting)
  return served?.versions.some((each) => each.version === version) === true
}

const run = promisify(execFile)

/** The files with changes that are not committed, none without git. */
export async function uncommitted(files: readonly string[], cwd: string): Promise<readonly string[]> {
  const all = await Promise.all(
    files.map(async (file) => ((await git(['status', '--porcelain', '--', file], cwd)) === '' ? [] : [file])),
  )
  return all.flat()
}

/** Whether git ignores a file, because something makes it. */
export async function isIgnored(file: string, cwd: string): Promise<boolean> {
  return (await git(['check-ignore', '--', file], cwd)) !== ''
}

/** Returns the output of git; an empty text if it fails, as where there is no repository. */
async function git(args: readonly string[], cwd: string): Promise<string> {
  try {
    const { stdout } = await run('git', [...args], { cwd, env: { ...process.env, GIT_OPTIONAL_LOCKS: '0' } })
    return stdout.trim()
  } catch {
    return ''
  }
}

import { relative } from 'node:path'

import { say, sayStyle, type Setting, type Arguments } from '../command.ts'
import { isAtLeast, type Severity, type VersionFinding } from '../../gate/finding.ts'
import type { SnapshotCheck } from '../../gate/snapshot/check-snapshots.ts'
import type { CurrentVersion, VersionSnapshot } from '../../gate/snapshot/snapshot-index.ts'
import { toDrafts } from '../../gate/write/drafts.ts'
import type { Unwritten } from '../../gate/write/draft.ts'
import { askApp } from '../app-process.ts'
import { formatCode } from '../run-formatter.ts'
import { writeChecked } from '../write-file.ts'
import { layOut, distinctUnwritten, type Layout } from './lay-out.ts'
import type { DefinedParts } from './defined-parts.ts'
import { toUnfinishedText } from './unfinished.ts'

/** The result of a check, for the changes that it asks for. */
export interface Failed {
  readonly result: SnapshotCheck
  readonly snapshots: readonly VersionSnapshot[]
  readonly current: readonly CurrentVersion[]
  /** The level that fails. */
  readonly failOn: Severity
  readonly app: string | undefined
  readonly definitions: DefinedParts
}

/** Writes the changes that a failed check asks for, and reports the rest. Returns whether nothing is left to do. */
async function writeChanges(failed: Failed, setting: Setting): Promise<boolean> {
  const { history } = failed.definitions
  if (history === undefined) {
    for (const line of adviceWithoutHistory(failed.current)) say(line)
    return false
  }
  const { result, snapshots, current, definitions } = failed
  const isFailing = ({ level }: Pick<VersionFinding, 'level'>): boolean => isAtLeast(level, failed.failOn)
  const newest = history.versions.find((version) => snapshots.some((each) => each.version === version))
  const [base, revision] = [snapshots, current].map(
    (list) => list.find(({ version }) => version === newest)?.document,
  )
  const own = result.findings.filter(({ version }) => version === newest)
  if (newest === undefined || base === undefined || revision === undefined) {
    say('No change was written, because no released version of the history differs')
    return false
  }
  const { drafts, unwritten } = toDrafts(own, isFailing, { base, revision, known: definitions })
  const layout = await layOut(drafts, { base, revision, definitions, cwd: setting.cwd })
  if (typeof layout === 'string') {
    say(`No change was written: ${layout}`)
    return false
  }
  const files = await formatCode(layout.files, setting.cwd)
  const load = async (): Promise<boolean> =>
    (await askApp(failed.app, { kind: 'definitions' }, setting)) !== undefined
  const onRestored = (): void => {
    say('The files were restored, because the app cannot be loaded with these changes:')
    for (const { path, before, text } of files)
      if (before === undefined) say(`\n// ${relative(setting.cwd, path)}\n${text}`)
  }
  const isWritten = files.length > 0 && (await writeChecked(files, load, onRestored))
  if (isWritten) for (const line of writtenLines({ ...layout, files }, setting.cwd)) say(line)
  const rest = unwrittenRows(failed, own, layout, unwritten)
  if (rest.length > 0) say('You have to write changes by hand for')
  for (const [what, why] of rest) say(`  ${what}\n    ${why}`)
  if (!isWritten) return false
  const isOpen = rest.length > 0 || layout.files.some(({ text }) => text.includes('fillIn('))
  say(isOpen ? 'Then run octavo check again' : 'Run octavo check to see that it passes')
  return !isOpen
}

/** Lists what no change was written for, and why. */
function unwrittenRows(
  { result, definitions, failOn }: Failed,
  own: readonly VersionFinding[],
  layout: Layout,
  unwritten: readonly Unwritten[],
): readonly (readonly [what: string, why: string])[] {
  const isFailing = ({ level }: VersionFinding): boolean => isAtLeast(level, failOn)
  return [
    ...layout.kept.map(({ draft, why }) => {
      const name = draft.kind === 'model' ? draft.model : draft.routes.map(({ route }) => route).join(', ')
      return [name, why] as const
    }),
    ...distinctUnwritten(unwritten).map(
      ({ finding, why }) => [`${finding.schema ?? finding.operation}  ${finding.at}`.trim(), why] as const,
    ),
    ...(own.some(isFailing) ? [] : olderRows(result.findings.filter(isFailing), definitions)),
  ]
}

/** Why findings of older versions alone have no change. Changes that are still to be filled in explain them. */
function olderRows(
  failing: readonly VersionFinding[],
  { unfinished }: DefinedParts,
): readonly (readonly [what: string, why: string])[] {
  if (unfinished.length > 0 || failing.every(({ version }) => version === '')) return []
  return [
    [
      'older versions',
      'they differ because a released change was edited: undo the edit, and write a new change',
    ],
  ]
}

/** Lists the files that were written, and the gaps to fill in. */
function writtenLines({ files, changes }: Layout, cwd: string): readonly string[] {
  const { green, yellow, dim } = sayStyle()
  const name = (path: string): string => relative(cwd, path)
  const asked = files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, index) =>
        line.includes('fillIn(') ? [`  ${name(path)}:${index + 1}  ${line.trim()}`] : [],
      ),
  )
  const guesses = changes.flatMap(({ text, path }) =>
    text.guesses.map((guess) => `  ${name(path)}  ${guess}`),
  )
  return [
    ...changes.map(({ text, path }) => `${green('Wrote')} ${name(path)} ${dim(text.title)}`),
    ...files
      .filter(({ before }) => before !== undefined)
      .map(({ path }) => `${green('Added')} ${changes.length === 1 ? 'it' : 'them'} to ${name(path)}`),
    ...(guesses.length === 0 ? [] : [yellow('Check these guesses'), ...guesses]),
    ...(asked.length === 0 ? [] : [yellow('Replace each fillIn(…) with a value'), ...asked]),
  ]
}

/** How an application gets a history. */
function adviceWithoutHistory(current: readonly CurrentVersion[]): readonly string[] {
  const versions = current.map(({ version }) => `'${version}'`).toReversed()
  return [
    'No change was written, because the app has no history. Add one:',
    "  import { defineVersions, model } from 'octavo/changes'",
    '',
    "  export const User = model('User', { … }) // one for each object schema that changes",
    `  export const history = defineVersions({ versions: [${versions.join(', ')}], models: { User }, changes: [] })`,
    '',
    '  createApp(AppModule, { versioning: { …, history } })',
    'Remove the versions of routes that answer every version. Then run octavo check --write again.',
  ]
}

/** Writes the missing changes if `--write` is set, and lists incomplete functions. Returns whether something is left to do. */
export async function finishChanges(
  failed: Omit<Failed, 'app'>,
  isBad: boolean,
  given: Arguments,
  setting: Setting,
): Promise<boolean> {
  const { unfinished } = failed.definitions
  for (const each of unfinished) say(toUnfinishedText(each))
  if (given.has('write') && !isBad && failed.result.findings.some(({ level }) => level === 'warning'))
    say(
      'No change was written, because all findings are warnings. Run octavo check --write --strict to write changes for them',
    )
  const isWritten =
    isBad && given.has('write') && (await writeChanges({ ...failed, app: given.positionals[0] }, setting))
  return unfinished.length > 0 || (isBad && !isWritten)
}

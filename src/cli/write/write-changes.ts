import { relative } from 'node:path'

import { say, sayStyle, type Setting, type Arguments, type Step } from '../command.ts'
import { isAtLeast, type Severity, type VersionFinding } from '../../gate/finding.ts'
import type { SnapshotCheck } from '../../gate/snapshot/check-snapshots.ts'
import type { CurrentVersion, VersionSnapshot } from '../../gate/snapshot/snapshot-index.ts'
import { toDrafts } from '../../gate/write/drafts.ts'
import type { Unwritten } from '../../gate/write/draft.ts'
import type { CurrentReport } from '../app-process.ts'
import { withReformatTexts } from './error-format.ts'
import { writeLoading } from './keep-loading.ts'
import { distinctUnwritten, type Layout } from './lay-out.ts'
import type { DefinedParts } from './defined-parts.ts'
import { toUnfinishedText, type Unfinished } from './unfinished.ts'

/** The result of a check, for the changes that it asks for. */
export interface Failed {
  readonly result: SnapshotCheck
  readonly snapshots: readonly VersionSnapshot[]
  readonly current: readonly CurrentVersion[]
  /** The level that fails. */
  readonly failOn: Severity
  readonly app: string | undefined
  readonly definitions: DefinedParts
  /** Whether older clients are assumed to pass over values and alternatives that they do not know. */
  readonly isOpen: boolean
  /** Checks the application as it is now. */
  readonly recheck: (current: CurrentReport) => SnapshotCheck
}

/** The work that writing left, for `--format json` and the exit code. */
export interface WriteReport {
  readonly written: readonly { readonly title: string; readonly file: string }[]
  /** The places of values that are to be filled in. */
  readonly open: readonly { readonly file: string; readonly line: number; readonly code: string }[]
  /** Differences without a change, with the reason. */
  readonly left: readonly { readonly what: string; readonly why: string }[]
}

const NOTHING: WriteReport = { written: [], open: [], left: [] }

/** The exit codes of commands that write changes. */
export const EXIT = { whole: 0, left: 1, open: 3 } as const

function none(why: string): WriteReport {
  say(`No change was written: ${why}`)
  return { ...NOTHING, left: [{ what: '', why }] }
}

/** Writes the changes that a failed check asks for, and reports the rest. */
async function writeChanges(failed: Failed, setting: Setting): Promise<WriteReport> {
  const { history } = failed.definitions
  if (history === undefined) {
    for (const line of adviceWithoutHistory(failed.current)) say(line)
    return { ...NOTHING, left: [{ what: '', why: 'the app has no history' }] }
  }
  const { result, snapshots, current, definitions, recheck, isOpen } = failed
  const isFailing = ({ level }: Pick<VersionFinding, 'level'>): boolean => isAtLeast(level, failed.failOn)
  const newest = history.versions.find((version) => snapshots.some((each) => each.version === version))
  const [base, revision] = [snapshots, current].map(
    (list) => list.find(({ version }) => version === newest)?.document,
  )
  const own = result.findings.filter(({ version }) => version === newest)
  if (newest === undefined || base === undefined || revision === undefined)
    return none('no released version of the history differs')
  const { drafts, unwritten } = toDrafts(own, isFailing, { base, revision, known: definitions })
  const sources = { base, revision, definitions, cwd: setting.cwd, isOpen }
  const layout = await writeLoading(drafts, sources, failed.app, setting)
  if (typeof layout === 'string') return none(layout)
  const isWritten = layout.changes.length > 0
  const open = isWritten ? openPlaces(layout, setting.cwd) : []
  if (isWritten) for (const line of writtenLines(layout, open, setting.cwd)) say(line)
  const after = layout.current === undefined ? undefined : recheck(layout.current)
  const named = unwrittenRows(failed, own, layout, withReformatTexts(unwritten, sources))
  const rest = [...named, ...remainingRows(after, named, isFailing)]
  if (rest.length > 0) say('You have to write changes by hand for')
  for (const line of restLines(rest)) say(line)
  if (isWritten) say(nextStep(rest.length + open.length > 0))
  return {
    written: layout.changes.map(({ text, path }) => ({
      title: text.title,
      file: relative(setting.cwd, path),
    })),
    open,
    left: rest.map(([what, why]) => ({ what, why })),
  }
}

/** The differences that are left, those with one reason together. */
function restLines(rows: readonly (readonly [what: string, why: string])[]): readonly string[] {
  const reasons = new Map<string, string[]>()
  for (const [what, why] of rows) reasons.set(why, [...(reasons.get(why) ?? []), what])
  return [...reasons].flatMap(([why, own]) => {
    const names = [...new Set(own)]
    const shown = names.length > MOST_SHOWN + 1 ? names.slice(0, MOST_SHOWN) : names
    const others = names.length - shown.length
    return [
      ...shown.map((what) => `  ${what}`),
      ...(others === 0 ? [] : [`  and ${others} others`]),
      `    ${why}`,
    ]
  })
}

/** More than these a person looks up in `--format json`. */
const MOST_SHOWN = 8

function nextStep(isLeft: boolean): string {
  return isLeft ? 'Then run octavo check again' : 'Run octavo check to see that it passes'
}

/** Lists what still differs with the changes that were written, and was not named before. */
function remainingRows(
  after: SnapshotCheck | undefined,
  named: readonly (readonly [what: string, why: string])[],
  isFailing: (finding: VersionFinding) => boolean,
): readonly (readonly [what: string, why: string])[] {
  const rows = (after?.findings ?? []).filter(isFailing).map((finding) => ({
    what: `${finding.schema ?? finding.operation}  ${finding.at}`.trim(),
    why: `it still differs for older clients: ${finding.message}`,
  }))
  return [...new Map(rows.map((row) => [row.what, row])).values()]
    .filter(({ what }) => !named.some(([name]) => name !== '' && what.startsWith(name)))
    .map(({ what, why }) => [what, why])
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

/** The lines that are to be filled in. */
function openPlaces({ files }: Layout, cwd: string): WriteReport['open'] {
  return files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, index) =>
        line.includes('fillIn(') ? [{ file: relative(cwd, path), line: index + 1, code: line.trim() }] : [],
      ),
  )
}

/** Lists the files that were written, and the gaps to fill in. */
function writtenLines({ files, changes }: Layout, open: WriteReport['open'], cwd: string): readonly string[] {
  const { green, yellow, dim } = sayStyle()
  const name = (path: string): string => relative(cwd, path)
  const guesses = changes.flatMap(({ text, path }) =>
    text.guesses.map((guess) => `  ${name(path)}  ${guess}`),
  )
  return [
    ...changes.map(({ text, path }) => `${green('Wrote')} ${name(path)} ${dim(text.title)}`),
    ...files
      .filter(({ before }) => before !== undefined)
      .map(({ path }) => `${green('Added')} ${changes.length === 1 ? 'it' : 'them'} to ${name(path)}`),
    ...(guesses.length === 0 ? [] : [yellow('Check these guesses'), ...guesses]),
    ...(open.length === 0 ? [] : [yellow('Replace each fillIn(…) with a value')]),
    ...open.map(({ file, line, code }) => `  ${file}:${line}  ${code}`),
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

/** Writes the missing changes if `--write` is set, and lists incomplete functions. */
export async function finishChanges(
  failed: Omit<Failed, 'app'>,
  isBad: boolean,
  given: Arguments,
  setting: Setting,
): Promise<{ readonly report: WriteReport; readonly exitCode: number; readonly next: readonly Step[] }> {
  const { unfinished } = failed.definitions
  for (const each of unfinished) say(toUnfinishedText(each))
  if (given.has('write') && !isBad && failed.result.findings.some(({ level }) => level === 'warning'))
    say(
      'No change was written, because all findings are warnings. Run octavo check --write --strict to write changes for them',
    )
  const isWriting = isBad && given.has('write')
  const report = isWriting ? await writeChanges({ ...failed, app: given.positionals[0] }, setting) : NOTHING
  const isLeft = isWriting ? report.left.length > 0 : isBad
  const isOpen = unfinished.length + report.open.length > 0
  const next = [...unfinished.map(toStep), ...reportSteps(report)]
  if (isLeft) return { report, exitCode: EXIT.left, next }
  return { report, exitCode: isOpen ? EXIT.open : EXIT.whole, next }
}

function toStep(unfinished: Unfinished): Step {
  const { at } = unfinished
  return { text: toUnfinishedText(unfinished), ...(at === undefined ? {} : { where: at }) }
}

/** The edits that writing left, and the check that follows. */
function reportSteps({ written, open, left }: WriteReport): readonly Step[] {
  const edits = [
    ...open.map(({ file, line, code }) => ({ text: `replace fillIn(…): ${code}`, where: `${file}:${line}` })),
    ...left.map(({ what, why }) => ({ text: `write a change${what === '' ? '' : ` for ${what}`}: ${why}` })),
  ]
  const isDone = written.length + edits.length === 0
  return isDone ? [] : [...edits, { text: nextStep(edits.length > 0), run: 'octavo check' }]
}

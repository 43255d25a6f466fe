import { resolve } from 'node:path'

import {
  InputError,
  usageError,
  printStyle,
  print,
  type Command,
  type Arguments,
  type Setting,
} from '../command.ts'
import { isAtLeast, SEVERITIES, type Comparison, type Severity } from '../../gate/finding.ts'
import { checkSnapshots, type SnapshotCheck } from '../../gate/snapshot/check-snapshots.ts'
import { readFolder } from '../../gate/snapshot/folder.ts'
import { askApp, findApp, type AppRequest, type CurrentReport } from '../app-process.ts'
import { readCounts } from './finding-usage.ts'
import { FORMATS, printComparison, type ReportFormat } from './print-findings.ts'
import { documentFailure, readGivenDocument, type ComparedDocument } from './read-document.ts'
import { EXIT, finishChanges, type Failed, type WriteReport } from '../write/write-changes.ts'
import { compareSources } from '../../gate/compare-documents.ts'
import { toNeighbours } from '../../gate/document/neighbours.ts'
import { prepareSource, type ComparedSource } from '../../gate/document/source.ts'

export const check: Command = {
  summary: 'find changes that break clients of released versions',
  usage: '[<app>] [options]',
  about: [
    'Compares the app with the documents of `octavo snapshot`. The exit code is 1 if a difference breaks clients of a',
    'released version. allow.json lists findings that you allow, each with a reason and an end date. With --write it is 3 if',
    'only values are left to fill in, and 1 if a difference has no change.',
  ],
  examples: ['octavo check', 'octavo check --strict --format github', 'octavo check src/app.ts --dir api'],
  positionals: 1,
  options: {
    dir: { value: '<folder>', about: 'the folder of the documents (api)' },
    format: { value: `<${FORMATS.join('|')}>`, about: 'the format of findings (text)' },
    'fail-on': { value: '<breaking|warning|info>', about: 'the level that fails the check (breaking)' },
    write: { about: 'write the missing changes, with places for you to complete' },
    usage: {
      value: '<file>',
      about: 'the counts, as createUsageReport serves them: findings say who is hit',
    },
    since: { value: '<day>', about: 'leave out calls before this day, such as 2026-01-01' },
    unused: { value: '<info>', about: 'lower findings that no client was seen to be hit by since --since' },
    strict: { about: 'fail on warnings, undescribed routes and versions without a kept document' },
    inside: {
      value: '<module>',
      about: 'list routes of your Hono, Express, Fastify or NestJS app that it lacks',
    },
    'closed-enums': { about: 'assume that clients reject new enum values' },
    'closed-clients': { about: 'assume that clients reject new members' },
  },
  run: async (given, setting) => {
    const name = given.value('dir') ?? 'api'
    const format = reportFormat(given)
    const isStrict = given.has('strict')
    const failOn = failOnOf(given) ?? (isStrict ? 'warning' : 'breaking')
    const assumptions = assumptionsOf(given)
    let undescribed: readonly string[] = []
    const counted = readCounts(given, setting)
    let compared: Omit<Failed, 'app' | 'failOn' | 'isOpen'>
    try {
      const { index, snapshots, allowed, levels } = await readFolder(resolve(setting.cwd, name))
      if (snapshots.length === 0) throw new InputError(`${name} has no documents: run octavo snapshot first`)
      const current = await askApp(given.positionals[0], currentRequest(given, setting), setting)
      if (current?.definitions === undefined) return EXIT.left
      const addUsage = await counted(given.positionals[0])
      const recheck = ({ versions, serving, history }: CurrentReport): SnapshotCheck => {
        const checked = checkSnapshots(snapshots, versions, {
          allowed,
          levels,
          serving: { old: index.serving, now: { ...serving, routes: new Map(serving.routes) } },
          history,
          ...assumptions,
        })
        return addUsage(checked)
      }
      const { versions, definitions } = current
      undescribed = undescribedNotes(current)
      compared = { snapshots, current: versions, definitions, recheck, result: recheck(current) }
    } catch (error) {
      throw error instanceof InputError ? error : documentFailure(name, error)
    }
    const { result } = compared
    const labels = { base: name, revision: 'the app', file: undefined }
    const isBad = isAtLeast(result.level, failOn)
    const advice = [...checkNotes(result), ...undescribed, ...writeNotes(isBad, compared.definitions, given)]
    const show = (changes?: WriteReport): void => {
      const shown = changes !== undefined && given.has('write') ? { changes } : {}
      print(printComparison({ ...result, advice, ...shown }, format, labels, printStyle()))
    }
    // JSON is one value, which tells of the changes as well
    if (format !== 'json') show()
    const isOpen = !Object.values(assumptions).includes(true)
    const { report, exitCode } = await finishChanges({ ...compared, failOn, isOpen }, isBad, given, setting)
    if (format === 'json') show(report)
    const left = isStrict ? [...result.missing, ...undescribed] : []
    return exitCode || (left.length > 0 ? EXIT.left : EXIT.whole)
  },
}

function currentRequest(given: Arguments, { cwd }: Setting): AppRequest & { readonly kind: 'current' } {
  const inside = given.value('inside')
  return { kind: 'current', isChecked: true, ...(inside !== undefined && { inside: findApp(inside, cwd) }) }
}

function undescribedNotes({ undescribed = [], uncontracted }: CurrentReport): readonly string[] {
  return [
    ...undescribed.map((route) => `${route} has no route in Octavo, so it is the same in every version`),
    ...uncontracted.map(
      (path) =>
        `The API that is mounted at ${path} has no contract, because no route describes its requests. Write a route with \`forward\` for those that matter`,
    ),
  ]
}

/** The assumptions about clients. */
function assumptionsOf(given: Arguments): { readonly closedEnums: boolean; readonly closedClients: boolean } {
  return { closedEnums: given.has('closed-enums'), closedClients: given.has('closed-clients') }
}

/** How the missing changes are written, if the check failed and did not write them. */
function writeNotes(
  isBad: boolean,
  { history, unfinished }: Failed['definitions'],
  given: Arguments,
): readonly string[] {
  if (!isBad || given.has('write') || history === undefined || unfinished.length > 0) return []
  return ['Run octavo check --write to write changes that older versions need']
}

function checkNotes({
  findings,
  allowed,
  stale,
  reworded,
  missing,
  level,
}: SnapshotCheck): readonly string[] {
  const isWarned = (version: string): boolean =>
    findings.some((finding) => finding.version === version && finding.level === 'warning')
  const differing = stale.filter((version) => !reworded.includes(version))
  const warned = differing.filter(isWarned)
  const extended = differing.filter((version) => !isWarned(version))
  return [
    ...(allowed > 0 ? [`${allowed} allowed`] : []),
    ...(reworded.length > 0
      ? [`${reworded.join(', ')}: only texts of the documents differ. Run octavo snapshot to update them`]
      : []),
    ...(extended.length > 0 && level !== 'breaking'
      ? [`${extended.join(', ')}: the documents have additions. Run octavo snapshot to update them`]
      : []),
    ...(warned.length > 0 && level !== 'breaking'
      ? [
          `${warned.join(', ')}: the documents differ in ways that some clients may notice. octavo check --strict fails. Run octavo snapshot to update them`,
        ]
      : []),
    ...(missing.length > 0
      ? [`${missing.join(', ')}: no document. Run octavo snapshot to keep released versions`]
      : []),
  ]
}

export const diff: Command = {
  summary: 'find breaking changes between two OpenAPI documents',
  usage: '<base> <revision> [options]',
  about: [
    'Compares two OpenAPI documents, 3.0 to 3.2. Each is a version of your app, a JSON or YAML file, or',
    'git:<revision>:<path>. Requests of clients of <base> have to stay valid, and responses have to stay readable.',
  ],
  examples: [
    'octavo diff 1 2',
    'octavo diff git:main:api/1.json api/1.json --fail-on breaking',
    'octavo diff old.yaml new.yaml --format markdown',
  ],
  positionals: 2,
  options: {
    app: { value: '<app>', about: 'the module of the app, if you compare its versions' },
    format: { value: `<${FORMATS.join('|')}>`, about: 'the format of findings (text)' },
    'fail-on': {
      value: '<breaking|warning|info>',
      about: 'exit with 1 for findings of this level or worse',
    },
    'closed-enums': { about: 'assume that clients reject new enum values' },
    'closed-clients': { about: 'assume that clients reject new members' },
  },
  run: async (given, setting) => {
    const [base, revision] = given.positionals
    if (base === undefined || revision === undefined)
      throw usageError('pass two documents: octavo diff <base> <revision>')
    const format = reportFormat(given)
    const failOn = failOnOf(given)
    const from = { app: given.value('app'), setting }
    const older = await readGivenDocument(base, from)
    const newer = await readGivenDocument(revision, from)
    let comparison: Comparison
    try {
      comparison = compareSources(...comparedSources(older, newer), {
        closedEnums: given.has('closed-enums'),
        closedClients: given.has('closed-clients'),
      })
    } catch (error) {
      throw documentFailure(`${base} and ${revision}`, error)
    }
    const labels = { base: older.label, revision: newer.label, file: newer.file }
    print(printComparison(comparison, format, labels, printStyle()))
    return failOn !== undefined && isAtLeast(comparison.level, failOn) ? 1 : 0
  },
}

/** The documents as they are compared: two versions of the app differ in their version and in its life, which is no difference. */
function comparedSources(
  older: ComparedDocument,
  newer: ComparedDocument,
): readonly [ComparedSource, ComparedSource] {
  if (older.version === undefined || newer.version === undefined) return [older.source, newer.source]
  const [base, revision] = toNeighbours(
    { version: older.version, document: older.source.root },
    { version: newer.version, document: newer.source.root },
  )
  return [prepareSource(base), prepareSource(revision)]
}

/** @throws `CommandError` for a format that there is not. */
export function reportFormat(given: Arguments): ReportFormat {
  const name = given.value('format') ?? 'text'
  const format = FORMATS.find((each) => each === name)
  if (format === undefined) throw usageError(`unknown format ${name}`, `use one of ${FORMATS.join(', ')}`)
  return format
}

/** @throws `CommandError` for a level that there is not. */
export function failOnOf(given: Arguments): Severity | undefined {
  const name = given.value('fail-on')
  if (name === undefined) return undefined
  const level = SEVERITIES.find((each) => each === name)
  if (level === undefined || level === 'none')
    throw usageError(`unknown level ${name}`, 'use breaking, warning or info')
  return level
}

import { resolve } from 'node:path'

import {
  CommandError,
  commandLine,
  failure,
  InputError,
  formatOption,
  usageError,
  printStyle,
  print,
  toWord,
  type Command,
  type Arguments,
  type OptionSpec,
  type Setting,
  type Step,
} from '../command.ts'
import { isAtLeast, type Comparison, type Severity } from '../../gate/finding.ts'
import { checkSnapshots, type SnapshotCheck } from '../../gate/snapshot/check-snapshots.ts'
import { readFolder } from '../../gate/snapshot/folder.ts'
import { askApp, findApp, type AppRequest, type CurrentReport } from '../app-process.ts'
import { readCounts } from './finding-usage.ts'
import { FORMATS, printComparison, toFindingsJson, type ReportFormat } from './print-findings.ts'
import { documentFailure, readGivenDocument, type ComparedDocument } from './read-document.ts'
import { KEPT_IN } from './snapshot-command.ts'
import { EXIT, finishChanges, type Failed } from '../write/write-changes.ts'
import { compareSources } from '../../gate/compare-documents.ts'
import { toNeighbours } from '../../gate/document/neighbours.ts'
import { prepareSource, type ComparedSource } from '../../gate/document/source.ts'

/** The options that both comparisons have. */
const ASSUMPTIONS: Readonly<Record<string, OptionSpec>> = {
  'closed-enums': { about: 'assume that clients reject new enum values' },
  'closed-clients': { about: 'assume that clients reject new members' },
}
const FAILING_LEVELS = ['breaking', 'warning', 'info'] as const

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
    format: formatOption(...FORMATS),
    'fail-on': { choices: FAILING_LEVELS, about: 'the level that fails the check (breaking)' },
    write: { about: 'write the missing changes, with places for you to complete' },
    usage: {
      value: '<file>',
      about: 'the counts, as createUsageReport serves them: findings say who is hit',
    },
    since: { value: '<day>', about: 'leave out calls before this day, such as 2026-01-01' },
    unused: { choices: ['info'], about: 'lower findings that no client was seen to be hit by since --since' },
    strict: { about: 'fail on warnings, undescribed routes and versions without a kept document' },
    inside: {
      value: '<module>',
      about: 'list routes of your Hono, Express, Fastify or NestJS app that it lacks',
    },
    ...ASSUMPTIONS,
  },
  run: async (given, setting) => {
    const name = given.value('dir') ?? KEPT_IN
    const format = reportFormat(given)
    const isStrict = given.has('strict')
    const failOn = failOnOf(given) ?? (isStrict ? 'warning' : 'breaking')
    const assumptions = assumptionsOf(given)
    let undescribed: readonly Step[] = []
    const counted = readCounts(given, setting)
    let compared: Omit<Failed, 'app' | 'failOn' | 'isOpen'>
    try {
      const { index, snapshots, allowed, levels } = await readFolder(resolve(setting.cwd, name))
      if (snapshots.length === 0)
        throw new InputError(name, `${name} has no documents`, ['run octavo snapshot first'])
      const current = await askApp(given.positionals[0], currentRequest(given, setting), setting)
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
      if (definitions === undefined) throw failure('the app does not tell its definitions')
      undescribed = undescribedSteps(current)
      compared = { snapshots, current: versions, definitions, recheck, result: recheck(current) }
    } catch (error) {
      throw error instanceof CommandError ? error : documentFailure(name, error)
    }
    const { result } = compared
    const labels = { base: name, revision: 'the app', file: undefined }
    const isBad = isAtLeast(result.level, failOn)
    const steps = [
      ...checkSteps(result, name),
      ...undescribed,
      ...writeSteps(isBad, compared.definitions, given),
    ]
    // JSON is one value, which tells of the changes as well
    if (!given.isJson) print(printComparison(withAdvice(result, steps), format, labels, printStyle()))
    const failed = { ...compared, failOn, isOpen: !Object.values(assumptions).includes(true) }
    const { report, exitCode, next } = await finishChanges(failed, isBad, given, setting)
    const left = isStrict ? [...result.missing, ...undescribed] : []
    const { findings, ...rest } = result
    return {
      exitCode: exitCode || (left.length > 0 ? EXIT.left : EXIT.whole),
      findings: toFindingsJson(findings),
      result: { ...rest, ...(given.has('write') ? { changes: report } : {}) },
      next: [...steps, ...next],
    }
  },
}

function withAdvice(
  result: SnapshotCheck,
  steps: readonly Step[],
): SnapshotCheck & { readonly advice: readonly string[] } {
  const allowed = result.allowed > 0 ? [`${result.allowed} allowed`] : []
  return { ...result, advice: [...allowed, ...steps.map(({ text }) => text)] }
}

function currentRequest(given: Arguments, { cwd }: Setting): AppRequest & { readonly kind: 'current' } {
  const inside = given.value('inside')
  return { kind: 'current', isChecked: true, ...(inside !== undefined && { inside: findApp(inside, cwd) }) }
}

function undescribedSteps({ undescribed = [], uncontracted }: CurrentReport): readonly Step[] {
  const texts = [
    ...undescribed.map((route) => `${route} has no route in Octavo, so it is the same in every version`),
    ...uncontracted.map(
      (path) =>
        `The API that is mounted at ${path} has no contract, because no route describes its requests. Write a route with \`forward\` for those that matter`,
    ),
  ]
  return texts.map((text) => ({ text }))
}

/** The assumptions about clients. */
function assumptionsOf(given: Arguments): { readonly closedEnums: boolean; readonly closedClients: boolean } {
  return { closedEnums: given.has('closed-enums'), closedClients: given.has('closed-clients') }
}

/** How the missing changes are written, if the check failed and did not write them. */
function writeSteps(
  isBad: boolean,
  { history, unfinished }: Failed['definitions'],
  given: Arguments,
): readonly Step[] {
  if (!isBad || given.has('write') || history === undefined || unfinished.length > 0) return []
  const run = commandLine(['check', '--write', ...given.all])
  return [{ text: 'Run octavo check --write to write changes that older versions need', run }]
}

/** How the kept documents are brought up to date. */
function checkSteps(
  { findings, stale, reworded, missing, level }: SnapshotCheck,
  folder: string,
): readonly Step[] {
  const isWarned = (version: string): boolean =>
    findings.some((finding) => finding.version === version && finding.level === 'warning')
  const differing = stale.filter((version) => !reworded.includes(version))
  const warned = differing.filter(isWarned)
  const extended = differing.filter((version) => !isWarned(version))
  const texts = [
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
  const run = `octavo snapshot${folder === KEPT_IN ? '' : ` --out ${toWord(folder)}`}`
  return texts.map((text) => ({ text, run }))
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
    format: formatOption(...FORMATS),
    'fail-on': { choices: FAILING_LEVELS, about: 'exit with 1 for findings of this level or worse' },
    ...ASSUMPTIONS,
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
    const { findings, level } = comparison
    return {
      exitCode: failOn !== undefined && isAtLeast(level, failOn) ? 1 : 0,
      text: printComparison(comparison, format, labels, printStyle()),
      findings: toFindingsJson(findings),
      result: { level },
    }
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

function reportFormat(given: Arguments): ReportFormat {
  return FORMATS.find((each) => each === given.value('format')) ?? 'text'
}

function failOnOf(given: Arguments): Severity | undefined {
  return FAILING_LEVELS.find((each) => each === given.value('fail-on'))
}

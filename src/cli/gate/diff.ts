import { type Arguments, type Command, usageError } from '../command.ts'
import { compareSources } from '../../gate/compare.ts'
import { toNeighbours } from '../../gate/document/neighbours.ts'
import { toSource, type Source } from '../../gate/document/source.ts'
import { isAtLeast, LEVELS, type Comparison, type Level } from '../../gate/finding.ts'
import { styleFor } from '../../base/style.ts'
import { FORMATS, printComparison, type Format } from './print.ts'
import { readDocument, toFailure, type ComparedDocument } from './read-document.ts'

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
    const format = formatOf(given)
    const failOn = failOnOf(given)
    const from = { app: given.value('app'), setting }
    const older = await readDocument(base, from)
    const newer = await readDocument(revision, from)
    let comparison: Comparison
    try {
      comparison = compareSources(...toSources(older, newer), {
        closedEnums: given.has('closed-enums'),
        closedClients: given.has('closed-clients'),
      })
    } catch (error) {
      throw toFailure(`${base} and ${revision}`, error)
    }
    const labels = { base: older.label, revision: newer.label, file: newer.file }
    process.stdout.write(`${printComparison(comparison, format, labels, styleFor(process.stdout))}\n`)
    return failOn !== undefined && isAtLeast(comparison.level, failOn) ? 1 : 0
  },
}

/** The documents as they are compared: two versions of the app differ in their version and in its life, which is no difference. */
function toSources(older: ComparedDocument, newer: ComparedDocument): readonly [Source, Source] {
  if (older.version === undefined || newer.version === undefined) return [older.source, newer.source]
  const [base, revision] = toNeighbours(
    { version: older.version, document: older.source.root },
    { version: newer.version, document: newer.source.root },
  )
  return [toSource(base), toSource(revision)]
}

/** @throws `CommandError` for a format that there is not. */
export function formatOf(given: Arguments): Format {
  const name = given.value('format') ?? 'text'
  const format = FORMATS.find((each) => each === name)
  if (format === undefined) throw usageError(`unknown format ${name}`, `use one of ${FORMATS.join(', ')}`)
  return format
}

/** @throws `CommandError` for a level that there is not. */
export function failOnOf(given: Arguments): Level | undefined {
  const name = given.value('fail-on')
  if (name === undefined) return undefined
  const level = LEVELS.find((each) => each === name)
  if (level === undefined || level === 'none')
    throw usageError(`unknown level ${name}`, 'use breaking, warning or info')
  return level
}

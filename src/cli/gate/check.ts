import { resolve } from 'node:path'

import { isAtLeast } from '../../gate/finding.ts'
import { checkSnapshots } from '../../gate/snapshot/check.ts'
import type { CheckResult } from '../../gate/snapshot/check.ts'
import { readFolder } from '../../gate/snapshot/folder.ts'
import type { Command } from '../command.ts'
import { InputError } from '../failure.ts'
import { styleFor } from '../style.ts'
import { readCurrent } from './current.ts'
import { FORMATS, printComparison } from './print.ts'
import { failOnOf, formatOf } from './diff.ts'
import { toFailure } from './read-document.ts'
import { finishChanges } from '../write/finish.ts'
import type { Failed } from '../write/write.ts'

export const check: Command = {
  summary: 'tell whether released versions are still what they were',
  usage: '[<app>] [options]',
  about: [
    'Compares the app with the documents that `octavo snapshot` kept. Ends with 1 if something breaks clients of a',
    'released version. Findings in allow.json are left out, each for a reason and until a day.',
  ],
  examples: ['octavo check', 'octavo check --strict --format github', 'octavo check src/app.ts --dir api'],
  positionals: 1,
  options: {
    dir: { value: '<folder>', about: 'where the documents are kept (api)' },
    format: { value: `<${FORMATS.join('|')}>`, about: 'how findings are written (text)' },
    'fail-on': { value: '<breaking|warning|info>', about: 'the level that fails (breaking)' },
    write: { about: 'write the changes that older versions need, with places to fill in' },
    strict: { about: 'warnings fail, too, and so do versions that were never kept' },
    'closed-enums': { about: 'clients refuse new values of enumerations' },
    'closed-clients': { about: 'clients refuse new members' },
  },
  run: async (given, setting) => {
    const name = given.value('dir') ?? 'api'
    const format = formatOf(given)
    const isStrict = given.has('strict')
    const failOn = failOnOf(given) ?? (isStrict ? 'warning' : 'breaking')
    let result: CheckResult
    let compared: Pick<Failed, 'snapshots' | 'current'>
    try {
      const { index, snapshots, allowed, levels } = await readFolder(resolve(setting.cwd, name))
      if (snapshots.length === 0)
        throw new InputError(`${name}: no version is kept there: octavo snapshot keeps them`)
      const current = await readCurrent(given.positionals[0], setting, true)
      if (current === undefined) return 1
      const { versions, serving, history } = current
      compared = { snapshots, current: versions }
      result = checkSnapshots(snapshots, versions, {
        allowed,
        levels,
        serving: { old: index.serving, now: { ...serving, routes: new Map(serving.routes) } },
        history,
        closedEnums: given.has('closed-enums'),
        closedClients: given.has('closed-clients'),
      })
    } catch (error) {
      throw error instanceof InputError ? error : toFailure(name, error)
    }
    const labels = { base: name, revision: 'the app', file: undefined }
    const text =
      format === 'json'
        ? JSON.stringify(result, undefined, 2)
        : printComparison(withVersions(result), format, labels, styleFor(process.stdout))
    process.stdout.write(`${text}\n`)
    if (format === 'text') for (const note of toNotes(result)) process.stdout.write(`${note}\n`)
    const isBad = isAtLeast(result.level, failOn)
    const isOpen = await finishChanges({ ...compared, result, failOn }, isBad, given, setting)
    return isBad || isOpen || (isStrict && result.missing.length > 0) ? 1 : 0
  },
}

/** Findings of several versions in one list: each says which. */
function withVersions(result: CheckResult): CheckResult {
  return {
    ...result,
    findings: result.findings.map((finding) => ({
      ...finding,
      operation: [finding.version === '' ? '' : `[${finding.version}]`, finding.operation]
        .filter(Boolean)
        .join(' '),
    })),
  }
}

function toNotes({ findings, allowed, stale, reworded, missing, level }: CheckResult): readonly string[] {
  const isWarned = (version: string): boolean =>
    findings.some((finding) => finding.version === version && finding.level === 'warning')
  const differing = stale.filter((version) => !reworded.includes(version))
  const warned = differing.filter(isWarned)
  const extended = differing.filter((version) => !isWarned(version))
  return [
    ...(allowed > 0 ? [`${allowed} allowed`] : []),
    ...(reworded.length > 0
      ? [`${reworded.join(', ')}: the documents differ in words only. octavo snapshot keeps them anew`]
      : []),
    ...(extended.length > 0 && level !== 'breaking'
      ? [`${extended.join(', ')}: the documents have additions. octavo snapshot keeps them anew`]
      : []),
    ...(warned.length > 0 && level !== 'breaking'
      ? [
          `${warned.join(', ')}: the documents differ, and some clients may notice. octavo check --strict fails, octavo snapshot keeps them anew`,
        ]
      : []),
    ...(missing.length > 0
      ? [`${missing.join(', ')}: not kept. octavo snapshot keeps what is released`]
      : []),
  ]
}

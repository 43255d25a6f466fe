import { resolve } from 'node:path'

import { type Command, InputError } from '../command.ts'
import { isAtLeast } from '../../gate/finding.ts'
import { checkSnapshots, type CheckResult } from '../../gate/snapshot/check.ts'
import { readFolder } from '../../gate/snapshot/folder.ts'
import { styleFor } from '../../base/style.ts'
import { ask } from '../job.ts'
import { FORMATS, printComparison } from './print.ts'
import { failOnOf, formatOf } from './diff.ts'
import { toFailure } from './read-document.ts'
import { finishChanges } from '../write/finish.ts'
import type { Failed } from '../write/write.ts'

export const check: Command = {
  summary: 'find changes that break clients of released versions',
  usage: '[<app>] [options]',
  about: [
    'Compares the app with the documents of `octavo snapshot`. The exit code is 1 if a difference breaks clients of a',
    'released version. allow.json lists findings that you allow, each with a reason and an end date.',
  ],
  examples: ['octavo check', 'octavo check --strict --format github', 'octavo check src/app.ts --dir api'],
  positionals: 1,
  options: {
    dir: { value: '<folder>', about: 'the folder of the documents (api)' },
    format: { value: `<${FORMATS.join('|')}>`, about: 'the format of findings (text)' },
    'fail-on': { value: '<breaking|warning|info>', about: 'the level that fails the check (breaking)' },
    write: { about: 'write the missing changes, with places for you to complete' },
    strict: { about: 'fail on warnings and on versions without a kept document' },
    'closed-enums': { about: 'assume that clients reject new enum values' },
    'closed-clients': { about: 'assume that clients reject new members' },
  },
  run: async (given, setting) => {
    const name = given.value('dir') ?? 'api'
    const format = formatOf(given)
    const isStrict = given.has('strict')
    const failOn = failOnOf(given) ?? (isStrict ? 'warning' : 'breaking')
    let result: CheckResult
    let compared: Pick<Failed, 'snapshots' | 'current' | 'definitions'>
    try {
      const { index, snapshots, allowed, levels } = await readFolder(resolve(setting.cwd, name))
      if (snapshots.length === 0) throw new InputError(`${name} has no documents: run octavo snapshot first`)
      const current = await ask(given.positionals[0], { task: 'current', isChecked: true }, setting)
      if (current?.definitions === undefined) return 1
      const { versions, serving, history, definitions } = current
      compared = { snapshots, current: versions, definitions }
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
    const text = printComparison(result, format, labels, styleFor(process.stdout))
    process.stdout.write(`${text}\n`)
    if (format === 'text') for (const note of toNotes(result)) process.stdout.write(`${note}\n`)
    const isBad = isAtLeast(result.level, failOn)
    const isOpen = await finishChanges({ ...compared, result, failOn }, isBad, given, setting)
    return isOpen || (isStrict && result.missing.length > 0) ? 1 : 0
  },
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

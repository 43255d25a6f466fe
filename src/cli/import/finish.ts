import { failure, say, type Setting } from '../command.ts'
import { ask } from '../job.ts'
import { styleFor } from '../../base/style.ts'
import { formatFirst, messageOf } from '../../base/values.ts'
import type { Source } from '../../gate/document/source.ts'
import type { Finding } from '../../gate/finding.ts'
import { keepVersions } from '../gate/snapshot.ts'
import { compareImported, type ImportReport } from './compare.ts'
import type { ImportedApi } from './read-api.ts'
import type { ImportedProject } from './write-project.ts'

/** Compares what the app serves with the imported document, and keeps the first snapshot. Returns the exit code. */
export async function finishImport(
  project: ImportedProject,
  api: ImportedApi,
  source: Source,
  setting: Setting,
): Promise<number> {
  const current = await ask(undefined, { task: 'current', isChecked: false }, setting)
  if (current === undefined) return 1
  const served = current.versions.find(({ version }) => version === project.version)
  if (served === undefined) throw failure(`the app has no version ${project.version}`)
  let report: ImportReport
  try {
    report = compareImported(source, served.document, api, project.expected)
  } catch (error) {
    throw failure(`the document cannot be compared with the app: ${messageOf(error)}`)
  }
  printReport(report)
  await keepVersions(current, setting)
  return report.unexpected.length > 0 ? 1 : 0
}

function printReport({ expected, unexpected }: ImportReport): void {
  const { yellow, red, green } = styleFor(process.stderr)
  if (expected.size + unexpected.length === 0) {
    say(`${green('The app')} serves what the document says, in both directions`)
    return
  }
  if (expected.size > 0)
    say(yellow('The app differs from the document where zod or Octavo cannot say the same:'))
  for (const [why, places] of expected) say(`  ${why}\n    ${formatFirst([...places], 3)}`)
  if (unexpected.length > 0) say(red('These differences are not expected:'))
  for (const finding of unexpected) say(`  ${toLine(finding)}`)
}

function toLine({ schema, operation, at, rule, message }: Finding): string {
  return `${[schema ?? operation, at].filter(Boolean).join(' ')}: ${message} (${rule})`
}

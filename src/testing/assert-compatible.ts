import { checkOptionNames } from '../base/definition-error.ts'
import { COMPARE_OPTIONS, type CompareOptions } from '../gate/compare-documents.ts'
import { operationsIn } from '../gate/finding.ts'
import { toPlainJson } from '../gate/json.ts'
import { checkSnapshots } from '../gate/snapshot/check-snapshots.ts'
import { readFolder } from '../gate/snapshot/folder.ts'
import { UNVERSIONED } from '../gate/snapshot/snapshot-index.ts'
import { internalsOf } from '../server/adapters/internals.ts'
import { readServing } from '../server/adapters/serving.ts'
import type { EdgeApp } from '../server/app/edge-app.ts'

/**
 * Compares an application with the documents of `octavo snapshot`, like `octavo check`, and throws if a difference breaks clients of a
 * released version. Findings in `allow.json` are left out.
 *
 * @param folder where the documents are kept, such as `'api'`
 * @throws {Error} that lists every breaking finding, and one that says that nothing is kept
 * @throws {ReadError} if a kept document is missing, cannot be read, or was changed by hand
 * @example
 * it('breaks no client', () => assertCompatible(app, 'api'))
 */
export async function assertCompatible(
  app: EdgeApp,
  folder: string,
  options: CompareOptions = {},
): Promise<void> {
  checkOptionNames('assertCompatible', options, COMPARE_OPTIONS)
  const { index, snapshots, allowed, levels } = await readFolder(folder)
  if (snapshots.length === 0) throw new Error(`${folder} keeps no version: octavo snapshot writes them`)
  await app.ready()
  const versions = app.versions()
  const current =
    versions.length === 0
      ? [{ version: UNVERSIONED, document: toPlainJson(app.openapi()), isDefault: false }]
      : versions.map(({ version, isDefault, sunset }) => ({
          version,
          isDefault,
          sunset,
          document: toPlainJson(app.openapi({ version })),
        }))
  const { findings } = checkSnapshots(snapshots, current, {
    ...options,
    allowed,
    levels,
    serving: { old: index.serving, now: readServing(internalsOf(app, 'assertCompatible')) },
  })
  const lines = findings
    .filter(({ level }) => level === 'breaking')
    .map((finding) => {
      const { version, schema, operation, at, rule, message } = finding
      const where =
        schema === undefined ? [operation, at] : [schema, at, `in ${operationsIn(finding).join(', ')}`]
      return `  ${[version, ...where].filter(Boolean).join(' ')}: ${message} (${rule})`
    })
  if (lines.length > 0) throw new Error(`Clients of released versions break:\n${lines.join('\n')}`)
}

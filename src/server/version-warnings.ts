import type { DefinitionWarning } from '../definition-error.ts'
import type { Enabled } from '../versioning/enable.ts'
import type { KnownVersions } from '../versioning/spec.ts'
import type { TableRoute } from './leaves.ts'

/** What may surprise in the versions of the routes (rules W1 to W8). */
export function versionWarnings(
  _rows: readonly TableRoute[],
  _enabled: Enabled,
  _known: KnownVersions,
  _mode: { readonly strict: boolean; readonly prefix: string },
): readonly DefinitionWarning[] {
  return []
}

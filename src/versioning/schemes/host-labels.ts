import type { DefinitionWarning } from '../../definition-error.ts'

/** Labels that many hosts begin with and that are no versions. */
const COMMON_LABELS = ['www', 'api']

/** Warns of common host labels that the HOST scheme would read as versions. */
export function labelWarnings(
  ignoreLabels: readonly string[],
  isKnown: (version: string) => boolean,
): readonly Omit<DefinitionWarning, 'where'>[] {
  const ignored = new Set(ignoreLabels.map((label) => label.toLowerCase()))
  const taken = COMMON_LABELS.filter((label) => !ignored.has(label) && !isKnown(label))
  if (taken.length === 0) return []
  return [
    {
      code: 'host_label_version',
      message: taken.map((label) => `${label}.example.com asks for a version "${label}"`).join(', '),
      fix: `ignoreLabels: [${[...ignoreLabels, ...taken].map((label) => `'${label}'`).join(', ')}]`,
    },
  ]
}

import { OPTION_RULES, PLAIN_SCHEME } from './scheme.ts'
import type { VersioningScheme, VersionSource, VersionStatusCodes, VersionValue } from './scheme.ts'
import { canonicalVersion } from './version.ts'
import type { VersionFormat } from './version.ts'

/** Options of `VersioningSchemes.QUERY`. */
export interface QueryOptions {
  /** The name of the query parameter; case-sensitive. @default 'version' */
  readonly versionParameter?: string
  readonly statusCodes?: Partial<VersionStatusCodes>
}

/** The version is a query parameter: `?version=2` asks for version 2. */
export const queryScheme: VersioningScheme<QueryOptions> = {
  ...PLAIN_SCHEME,
  name: 'QUERY',
  reader:
    ({ versionParameter = 'version' }, format) =>
    (request) => {
      const value = request.query[versionParameter]
      return typeof value === 'object'
        ? oneOf({ in: 'query', name: versionParameter }, value, format)
        : value || undefined
    },
  write: (_draft, version, { versionParameter = 'version' }) => ({ query: { [versionParameter]: version } }),
  vary: () => [],
  source: ({ versionParameter = 'version' }) => ({ in: 'query', name: versionParameter }),
  queryParameter: ({ versionParameter = 'version' }) => versionParameter,
  options: { versionParameter: OPTION_RULES.text, statusCodes: OPTION_RULES.statusCodes },
}

/** The one version that a repeated field names; ambiguous when the values are different versions. */
export function oneOf(
  place: Omit<VersionSource, 'value'>,
  values: readonly string[],
  format: VersionFormat,
): VersionValue {
  const distinct = new Map<string, string>()
  for (const value of values) {
    const canonical = canonicalVersion(value, format) ?? value
    if (value !== '' && !distinct.has(canonical)) distinct.set(canonical, value)
  }
  const [first, ...others] = distinct.values()
  if (first === undefined || others.length === 0) return first
  return { ambiguous: [first, ...others].map((value) => ({ ...place, value })) }
}

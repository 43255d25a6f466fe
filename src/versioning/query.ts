import { PLAIN_SCHEME } from './scheme.ts'
import type { VersioningScheme, VersionStatusCodes, VersionValue } from './scheme.ts'

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
    ({ versionParameter = 'version' }) =>
    (request) => {
      const value = request.query[versionParameter]
      return typeof value === 'object' ? oneOf('query', versionParameter, value) : value || undefined
    },
  write: (_draft, version, { versionParameter = 'version' }) => ({ query: { [versionParameter]: version } }),
  vary: () => [],
  queryParameter: ({ versionParameter = 'version' }) => versionParameter,
  options: ['versionParameter', 'statusCodes'],
}

/** The one version that a repeated field names; ambiguous when the values differ. */
export function oneOf(place: string, name: string, values: readonly string[]): VersionValue {
  const distinct = [...new Set(values.filter((value) => value !== ''))]
  return distinct.length > 1
    ? { ambiguous: distinct.map((value) => ({ in: place, name, value })) }
    : distinct[0]
}

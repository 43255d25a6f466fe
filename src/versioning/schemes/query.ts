import {
  OPTION_RULES,
  PLAIN_SCHEME,
  textProblem,
  type VersioningScheme,
  type VersionSource,
  type VersionStatusCodes,
  type VersionValue,
} from './scheme.ts'

/** Options of `VersioningSchemes.QUERY`. */
export interface QueryOptions {
  /** The name of the query parameter; case-sensitive. @default 'version' */
  readonly versionParameter?: string
  /** The statuses of version errors. @default unsupported 404, retired 410, the others 400 */
  readonly statusCodes?: Partial<VersionStatusCodes>
}

/** The version is a query parameter: `?version=2` asks for version 2. */
export const queryScheme: VersioningScheme<QueryOptions> = {
  ...PLAIN_SCHEME,
  name: 'QUERY',
  reader: ({ versionParameter = 'version' }, canonical) => {
    const place = { in: 'query', name: versionParameter }
    const isPlain = /^[\w.~-]+$/.test(versionParameter)
    return (request) => {
      const plain = isPlain ? findPlain(request.url, versionParameter) : null
      if (plain !== null) return plain
      const value = request.query[versionParameter]
      return typeof value === 'object' ? singleVersion(place, value, canonical) : value || undefined
    }
  },
  write: (_draft, version, { versionParameter = 'version' }) => ({ query: { [versionParameter]: version } }),
  vary: () => [],
  source: ({ versionParameter = 'version' }) => ({ in: 'query', name: versionParameter }),
  problem: textProblem,
  queryParameter: ({ versionParameter = 'version' }) => versionParameter,
  options: { versionParameter: OPTION_RULES.text, statusCodes: OPTION_RULES.statusCodes },
}

/**
 * The value of a query parameter, looked for in the text: handlers may need no query, so it is not parsed for this. `null` where only
 * parsing tells: something is escaped, or the name is there twice or without a value.
 */
function findPlain(url: string, name: string): string | undefined | null {
  const mark = url.indexOf('?')
  if (mark === -1) return undefined
  if (url.includes('%', mark)) return null
  const start = findName(url, name, mark)
  if (start === -1) return undefined
  const next = url.indexOf('&', start)
  const end = next === -1 ? url.length : next
  const isAlone = next === -1 || findName(url, name, next) === -1
  if (!isAlone || url.charCodeAt(start) !== EQUALS || end === start + 1) return null
  const value = url.slice(start + 1, end)
  return value.includes('+') ? null : value
}

/** Where a name ends that stands whole behind the character at `from`, or behind an `&` after it; -1 when it does not. */
function findName(url: string, name: string, from: number): number {
  let at = url.indexOf(name, from + 1)
  while (at !== -1) {
    const end = at + name.length
    const before = url.charCodeAt(at - 1)
    const after = url.charCodeAt(end)
    const isWhole = end === url.length || after === EQUALS || after === AMPERSAND
    if (isWhole && (at - 1 === from || before === AMPERSAND)) return end
    at = url.indexOf(name, at + 1)
  }
  return -1
}

const AMPERSAND = 38
const EQUALS = 61

/** The one version that a repeated field names; ambiguous when the values are different versions. */
export function singleVersion(
  place: Omit<VersionSource, 'value'>,
  values: readonly string[],
  canonical: (version: string) => string,
): VersionValue {
  const distinct = new Map<string, string>()
  for (const value of values) {
    const version = canonical(value)
    if (value !== '' && !distinct.has(version)) distinct.set(version, value)
  }
  const [first, ...others] = distinct.values()
  if (first === undefined || others.length === 0) return first
  return { ambiguous: [first, ...others].map((value) => ({ ...place, value })) }
}

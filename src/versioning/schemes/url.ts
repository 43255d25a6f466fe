import {
  DEFAULT_STATUS_CODES,
  OPTION_RULES,
  PLAIN_SCHEME,
  textProblem,
  type VersioningScheme,
  type VersionStatusCodes,
} from './scheme.ts'

/** Options of `VersioningSchemes.URL`. */
export interface UrlOptions {
  /** The text before the version in the first segment; case-sensitive. @default 'v' */
  readonly versionParameter?: string
  /** Whether `/1/…` means the same as `/v1/…`. @default false */
  readonly allowBare?: boolean
  /** The statuses of version errors. @default unsupported, unspecified and invalid 404, retired 410, ambiguous 400 */
  readonly statusCodes?: Partial<VersionStatusCodes>
}

/** The version is the first path segment: `/v1/cars` asks for version 1. */
export const urlScheme: VersioningScheme<UrlOptions> = {
  ...PLAIN_SCHEME,
  name: 'URL',
  reader: () => () => undefined,
  write: ({ path, prefix }, version, options) => {
    // by segments: those of the prefix may be percent-encoded in the path
    const depth = prefix.split('/').length
    return {
      path: path
        .split('/')
        .toSpliced(depth, 0, encodeURIComponent(versionSegment(version, options)))
        .join('/'),
    }
  },
  vary: () => [],
  source: ({ versionParameter = 'v' }) => ({ in: 'path', name: versionParameter }),
  statusCodes: { ...DEFAULT_STATUS_CODES, unspecified: 404, invalid: 404 },
  segments: (version, options) => [
    versionSegment(version, options),
    ...(options.allowBare === true ? [version] : []),
  ],
  candidate: (segment, { versionParameter = 'v' }) => {
    const version = segment.startsWith(versionParameter) ? segment.slice(versionParameter.length) : undefined
    return version === '' ? undefined : version
  },
  before: ({ versionParameter = 'v' }) => versionParameter,
  problem: (version, options) => {
    const segment = versionSegment(version, options)
    if (segment === '.' || segment === '..') return 'clients resolve the path segments . and .. themselves'
    if (/[/?#\\]/.test(segment)) return 'a path segment cannot hold / ? # or \\'
    return textProblem(segment)
  },
  options: {
    versionParameter: OPTION_RULES.text,
    allowBare: OPTION_RULES.flag,
    statusCodes: OPTION_RULES.statusCodes,
  },
}

function versionSegment(version: string, { versionParameter = 'v' }: UrlOptions): string {
  return versionParameter + version
}

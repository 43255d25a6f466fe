import type { DefinitionWarning } from '../../base/definition-error.ts'
import { cacheReadings } from '../cache-readings.ts'
import {
  DEFAULT_STATUS_CODES,
  OPTION_RULES,
  PLAIN_SCHEME,
  type VersioningScheme,
  type VersionStatusCodes,
} from './scheme.ts'

/** Options of `VersioningSchemes.HOST`. */
export interface HostOptions {
  /** The text before the version in the first label; a label without it is the version itself. @default 'v' */
  readonly versionParameter?: string
  /** First labels that are no version, such as `www`. Without it `api.example.com` asks for a version `api`. @default [] */
  readonly ignoreLabels?: readonly string[]
  /** Finds the version in the host name, which is in lower case: its first group, or the group named `version`. */
  readonly hostPattern?: RegExp
  /** The statuses of version errors. @default unsupported, unspecified and invalid 404, retired 410, ambiguous 400 */
  readonly statusCodes?: Partial<VersionStatusCodes>
}

/** Three labels of letters and digits; any other host name carries no version. */
const THREE_LABELS = /^([a-zA-Z0-9]+)\.[a-zA-Z0-9]+\.[a-zA-Z0-9]+$/

/** The version is the first label of the host name: `v2.example.com` asks for version 2. */
export const hostScheme: VersioningScheme<HostOptions> = {
  ...PLAIN_SCHEME,
  name: 'HOST',
  reader: (options) => {
    const read = cacheReadings(createHostReader(options))
    return (request) => read(request.host)
  },
  write: ({ host }, version, options) => {
    const { versionParameter = 'v', hostPattern } = options
    const written = hostWithVersion(host, versionParameter + version)
    // where the pattern reads something else, a request would ask for another version without a word; addresses have no host
    const isChecked = hostPattern !== undefined && host !== ''
    if (isChecked && createHostReader(options)(written) !== version.toLowerCase())
      throw new TypeError(
        `The hostPattern of the scheme HOST does not find version ${version} in ${written}; give the host alone`,
      )
    return { host: written }
  },
  vary: () => [],
  source: () => ({ in: 'host', name: 'host' }),
  statusCodes: { ...DEFAULT_STATUS_CODES, unspecified: 404, invalid: 404 },
  fold: (version) => version.toLowerCase(),
  problem: (version, { hostPattern, versionParameter = 'v' }) =>
    hostPattern === undefined && !/^[a-z0-9]+$/i.test(versionParameter + version)
      ? 'a host label of this scheme holds letters and digits only'
      : undefined,
  warnings: ({ hostPattern, ignoreLabels = [] }, isKnown) =>
    hostPattern === undefined ? labelWarnings(ignoreLabels, isKnown) : [],
  options: {
    versionParameter: OPTION_RULES.text,
    ignoreLabels: [
      (value) => Array.isArray(value) && value.every((label) => typeof label === 'string'),
      'a list of strings',
    ],
    hostPattern: [(value) => value instanceof RegExp, 'a regular expression'],
    statusCodes: OPTION_RULES.statusCodes,
  },
}

function createHostReader({
  versionParameter = 'v',
  ignoreLabels = [],
  hostPattern = THREE_LABELS,
}: HostOptions): (host: string) => string | undefined {
  const parameter = versionParameter.toLowerCase()
  const ignored = new Set(ignoreLabels.map((label) => label.toLowerCase()))
  const pattern = new RegExp(hostPattern.source, hostPattern.flags.replaceAll(/[gy]/g, ''))
  return (host) => {
    const match = pattern.exec(hostNameOf(host))
    const label = match?.groups?.['version'] ?? match?.[1]
    if (label === undefined || ignored.has(label)) return undefined
    const version = label.startsWith(parameter) ? label.slice(parameter.length) : label
    return version === '' ? label : version
  }
}

/** The host name in lower case, without port and trailing dot. */
function hostNameOf(host: string): string {
  return host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase()
}

/** A host whose first label is the version: it replaces the first of three labels, and stands before fewer. */
function hostWithVersion(host: string, label: string): string {
  const [, port = ''] = /(:\d*)$/.exec(host) ?? []
  const labels = host.slice(0, host.length - port.length).split('.')
  if (labels.length >= 3) return [label, ...labels.slice(1)].join('.') + port
  return [label, ...(labels.length === 2 ? labels : [labels[0] || 'localhost', 'test'])].join('.') + port
}

/** Labels that many hosts begin with and that are no versions. */
const COMMON_LABELS = ['www', 'api']

/** Warns of common host labels that the HOST scheme would read as versions. */
function labelWarnings(
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

import { valueProblems } from '../definition-error.ts'
import type { DefinitionProblem, OptionRule } from '../definition-error.ts'
import type { Awaitable, HttpRequest } from '../http.ts'
import { isStatusCodes } from './scheme.ts'
import type { VersioningScheme, VersionStatusCodes, VersionValue } from './scheme.ts'
import { canonicalVersion, isVersionFormat, MAX_VERSION_LENGTH } from './version.ts'
import type { KnownVersions } from './spec.ts'
import type { VersionFormat } from './version.ts'

/** Chooses the version of a request that names none; `null` for no version. */
export type DefaultVersion = (request: HttpRequest) => Awaitable<string | null>

/** The options of `enableVersioning` that every scheme shares. */
export interface VersioningOptions {
  /** The version of requests that name none; a function chooses for each request. @default null */
  readonly defaultVersion?: string | null | DefaultVersion
  /** Versions that are known besides those that routes name. Ranges need this list. @default [] */
  readonly versions?: readonly string[]
  /** How versions are written: it decides what is malformed and what is equal. @default 'string' */
  readonly format?: VersionFormat
}

/** Versioning as it was enabled: a scheme with its options applied. */
export interface Enabled {
  readonly name: string
  readonly read: (request: HttpRequest) => Awaitable<VersionValue>
  readonly scheme: VersioningScheme<object>
  readonly options: object
  readonly vary: readonly string[]
  readonly statusCodes: VersionStatusCodes
  readonly defaultVersion: string | null | DefaultVersion
  readonly versions: readonly string[]
  readonly format: VersionFormat
  /** Whether the options can be used; when not, nothing that depends on them is worth a report. */
  readonly usable: boolean
  /** Mistakes in the options, reported when the application is built. */
  readonly problems: readonly DefinitionProblem[]
}

type Rules = Readonly<Record<string, OptionRule>>

const COMMON: Rules = {
  defaultVersion: [
    (value) => value === null || ['string', 'function'].includes(typeof value),
    'a version, a function of the request, or null',
  ],
  versions: [
    (value) => Array.isArray(value) && value.every((version) => typeof version === 'string'),
    'a list of strings',
  ],
  format: [isVersionFormat, "'string', 'integer', 'semver' or 'date'"],
}

/** The known version that requests without one get; `undefined` when there is none or a function chooses it. */
export function staticDefault(enabled: Enabled | undefined, known: KnownVersions): string | undefined {
  return typeof enabled?.defaultVersion === 'string' ? known.find(enabled.defaultVersion) : undefined
}

/** Applies the options to the scheme. */
export function toEnabled<O extends object>(
  scheme: VersioningScheme<O>,
  options: O & VersioningOptions,
): Enabled {
  const { defaultVersion = null, versions = [], format = 'string' } = options
  const statusCodes: unknown = 'statusCodes' in options ? options.statusCodes : undefined
  const problems = optionProblems(scheme.name, scheme.options, options)
  const usable = problems.length === 0
  return {
    name: scheme.name,
    // mistakes are reported when the application is built; until then nothing may fail on them
    read: usable ? scheme.reader(options, format) : () => undefined,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only ever called with `options`, which is an O
    scheme: scheme as unknown as VersioningScheme<object>,
    options,
    vary: usable ? scheme.vary(options) : [],
    statusCodes: { ...scheme.statusCodes, ...given(statusCodes) },
    defaultVersion,
    versions: usable ? versions : [],
    format: usable ? format : 'string',
    usable,
    problems: usable ? [...problems, ...listProblems(versions, format)] : problems,
  }
}

/** The statuses that are stated. */
function given(statusCodes: unknown): Partial<VersionStatusCodes> {
  if (!isStatusCodes(statusCodes)) return {}
  return Object.fromEntries(Object.entries(statusCodes).filter(([, status]) => status !== undefined))
}

const WHERE = 'enableVersioning'

function optionProblems(
  scheme: string,
  rules: Rules | undefined,
  options: object,
): readonly DefinitionProblem[] {
  const known: Rules = { ...rules, ...COMMON }
  return Object.entries(options).flatMap(([name, value]): readonly DefinitionProblem[] => {
    const rule = Object.hasOwn(known, name) ? known[name] : undefined
    if (rule !== undefined) return valueProblems(WHERE, name, value, rule)
    if (rules === undefined) return []
    return [
      {
        code: 'unknown_option',
        where: WHERE,
        message: `the scheme ${scheme} has no option "${name}"`,
        fix: `use one of ${Object.keys(known).join(', ')}`,
      },
    ]
  })
}

function listProblems(versions: readonly string[], format: VersionFormat): readonly DefinitionProblem[] {
  const seen = new Map<string, string>()
  return versions.flatMap((version): DefinitionProblem[] => {
    const canonical = canonicalVersion(version, format)
    if (canonical === undefined || version === '') {
      return [
        {
          code: 'invalid_version',
          where: WHERE,
          message: `"${version.slice(0, MAX_VERSION_LENGTH)}" in versions is not written as the format ${format} says`,
          fix: 'mend it, or choose another format',
        },
      ]
    }
    const other = seen.get(canonical)
    seen.set(canonical, version)
    return other === undefined
      ? []
      : [
          {
            code: 'duplicate_version',
            where: WHERE,
            message: `versions lists "${version}" after "${other}"`,
            fix: 'list each version once',
          },
        ]
  })
}

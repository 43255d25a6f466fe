import type { DefinitionProblem } from '../definition-error.ts'
import type { Awaitable, HttpRequest } from '../http.ts'
import type { VersioningScheme, VersionStatusCodes, VersionValue } from './scheme.ts'
import { canonicalVersion, isVersionFormat, MAX_VERSION_LENGTH } from './version.ts'
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
  /** Mistakes in the options, reported when the application is built. */
  readonly problems: readonly DefinitionProblem[]
}

const COMMON: Readonly<Record<string, readonly [test: (value: unknown) => boolean, expected: string]>> = {
  defaultVersion: [
    (value) => value === null || ['string', 'function'].includes(typeof value),
    'a version, a function of the request, or null',
  ],
  versions: [
    (value) => Array.isArray(value) && value.every((version) => typeof version === 'string'),
    'a list of strings',
  ],
  format: [isVersionFormat, "'string', 'integer', 'semver' or 'date'"],
  statusCodes: [
    isStatusCodes,
    'statuses from 400 to 499 for unsupported, unspecified, invalid and ambiguous',
  ],
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
    read: scheme.reader(options, usable ? format : 'string'),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only ever called with `options`, which is an O
    scheme: scheme as unknown as VersioningScheme<object>,
    options,
    vary: scheme.vary(options),
    statusCodes: { ...scheme.statusCodes, ...(usable && isStatusCodes(statusCodes) ? statusCodes : {}) },
    defaultVersion,
    versions: usable ? versions : [],
    format: usable ? format : 'string',
    problems: usable ? [...problems, ...listProblems(versions, format)] : problems,
  }
}

const WHERE = 'enableVersioning'

function optionProblems(
  scheme: string,
  known: readonly string[],
  options: object,
): readonly DefinitionProblem[] {
  return Object.entries(options).flatMap(([name, value]): DefinitionProblem[] => {
    const common = Object.hasOwn(COMMON, name) ? COMMON[name] : undefined
    if (common !== undefined && (name !== 'statusCodes' || known.includes('statusCodes'))) {
      const [test, expected] = common
      return value === undefined || test(value)
        ? []
        : [
            {
              code: 'invalid_option',
              where: WHERE,
              message: `${name} is not ${expected}`,
              fix: `give ${expected}`,
            },
          ]
    }
    if (known.includes('*') || known.includes(name)) return []
    const names = [...new Set([...known, ...Object.keys(COMMON)])]
    return [
      {
        code: 'unknown_option',
        where: WHERE,
        message: `the scheme ${scheme} has no option "${name}"`,
        fix: `use one of ${names.join(', ')}`,
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

function isStatusCodes(value: unknown): value is Partial<VersionStatusCodes> {
  const names = ['unsupported', 'unspecified', 'invalid', 'ambiguous']
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).every(
      ([name, status]) =>
        names.includes(name) && Number.isInteger(status) && Number(status) >= 400 && Number(status) <= 499,
    )
  )
}

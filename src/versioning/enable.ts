import { valueProblems } from '../definition-error.ts'
import type { DefinitionProblem, OptionRule } from '../definition-error.ts'
import type { Awaitable, HttpRequest } from '../http.ts'
import { COMMON_RULES } from './options.ts'
import type { DefaultVersion, VersioningOptions, VersionListing } from './options.ts'
import { policyProblems } from './policy.ts'
import type { VersionPolicy } from './policy.ts'
import { DEFAULT_STATUS_CODES, isStatusCodes } from './scheme.ts'
import type {
  SchemeUse,
  VersioningScheme,
  VersionSource,
  VersionStatusCodes,
  VersionValue,
} from './scheme.ts'
import type { KnownVersions } from './spec.ts'
import { canonicalVersion, hasStatus, MAX_VERSION_LENGTH } from './version.ts'
import type { VersionFormat } from './version.ts'

/** A scheme as it was enabled, with its options applied. */
export interface EnabledScheme {
  readonly name: string
  readonly read: (request: HttpRequest) => Awaitable<VersionValue>
  readonly scheme: VersioningScheme<object>
  readonly options: object
  readonly source: Omit<VersionSource, 'value'>
  readonly vary: readonly string[]
  readonly statusCodes: VersionStatusCodes
}

/** Versioning as it was enabled: schemes with their options applied, in order of declaration. */
export interface Enabled {
  /** At least one. */
  readonly schemes: readonly EnabledScheme[]
  /** The one that puts versions into the path. */
  readonly path: EnabledScheme | undefined
  /** The headers that choose versions. */
  readonly vary: readonly string[]
  /** The query parameters that carry versions. */
  readonly hidden: readonly string[]
  readonly defaultVersion: string | null | DefaultVersion
  /** The listed versions, as they were listed. */
  readonly versions: readonly string[]
  readonly policies: ReadonlyMap<string, VersionPolicy>
  readonly format: VersionFormat
  readonly common: Required<
    Pick<
      VersioningOptions,
      'required' | 'closed' | 'unknown' | 'strictNeutral' | 'conflict' | 'report' | 'echo' | 'clock'
    >
  > &
    Pick<VersioningOptions, 'successorLinks' | 'onVersionResolved' | 'vary'>
  /** Whether the options can be used; when not, nothing that depends on them is worth a report. */
  readonly usable: boolean
  /** Mistakes in the options, reported when the application is built. */
  readonly problems: readonly DefinitionProblem[]
}

/** Schemes with the options of each, as `enableVersioning` takes several. */
export type SchemeList<S extends readonly object[]> = {
  readonly [K in keyof S]: readonly [scheme: VersioningScheme<S[K]>, options?: NoInfer<S[K]>]
}

/** The names that `defaultVersion` takes instead of a version, unless a version is called so. */
const SELECTORS = ['latest', 'latestStable', 'oldest']

/** The known version that requests without one get; `undefined` when there is none or a function chooses it. */
export function staticDefault(enabled: Enabled | undefined, known: KnownVersions): string | undefined {
  const chosen = enabled?.defaultVersion
  if (typeof chosen !== 'string') return undefined
  const version = known.find(chosen)
  if (version !== undefined || !known.isOrdered) return version
  if (chosen === 'latest') return known.list.at(-1)
  if (chosen === 'latestStable') return known.list.findLast((each) => !hasStatus(each))
  return chosen === 'oldest' ? known.list[0] : undefined
}

/** Whether the default version is chosen by its place among the known versions. */
export function isSelector(defaultVersion: unknown): boolean {
  return SELECTORS.includes(String(defaultVersion))
}

/** Applies the options to the schemes. */
export function toEnabled(uses: readonly SchemeUse[], options: VersioningOptions): Enabled {
  const problems = [...schemeProblems(uses, options), ...commonProblems(options, uses)]
  const usable = problems.length === 0
  const { defaultVersion = null, format = 'string', versions = [] } = usable ? options : {}
  const entries: readonly VersionListing[] = isList(versions)
    ? versions.map((entry) => (typeof entry === 'string' ? { version: entry } : entry))
    : Object.entries(versions).map(([version, policy]) => ({ ...policy, version }))
  const schemes = withCompanions(usable ? uses : uses.slice(0, 1)).map((use) => toScheme(use, format, usable))
  const { required = false, closed = false, unknown = 'error', strictNeutral = false } = usable ? options : {}
  const { conflict = 'error', report = 'errors', echo = false, clock = Date.now } = usable ? options : {}
  const { successorLinks = false, onVersionResolved, vary = [] } = usable ? options : {}
  return {
    schemes,
    path: schemes.find(({ scheme }) => scheme.segments !== undefined),
    vary: [...new Set(schemes.flatMap((each) => each.vary))],
    hidden: schemes.flatMap((each) => (usable ? (each.scheme.queryParameter(each.options) ?? []) : [])),
    defaultVersion,
    versions: isList(versions) ? entries.map(({ version }) => version) : [],
    policies: new Map(entries.map(({ version, ...policy }) => [version, policy])),
    format,
    common: {
      required,
      closed,
      unknown,
      strictNeutral,
      conflict,
      report,
      echo,
      clock,
      successorLinks,
      ...(onVersionResolved === undefined ? {} : { onVersionResolved }),
      vary: vary.map((name) => name.toLowerCase()),
    },
    usable,
    problems: usable ? listProblems(entries, format) : problems,
  }
}

function isList(
  versions: NonNullable<VersioningOptions['versions']>,
): versions is readonly (string | VersionListing)[] {
  return Array.isArray(versions)
}

function withCompanions(uses: readonly SchemeUse[]): readonly SchemeUse[] {
  // a scheme is only ever called with its own options
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return uses.flatMap((use) => [use, ...use.scheme.companions(use.options as never)])
}

function toScheme(use: SchemeUse, format: VersionFormat, usable: boolean): EnabledScheme {
  // as above
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const scheme = use.scheme as unknown as VersioningScheme<object>
  const { options } = use
  const statusCodes: unknown = 'statusCodes' in options ? options.statusCodes : undefined
  return {
    name: scheme.name,
    // mistakes are reported when the application is built; until then nothing may fail on them
    read: usable ? scheme.reader(options, format) : () => undefined,
    scheme,
    options,
    source: usable ? scheme.source(options) : { in: scheme.name, name: scheme.name },
    vary: usable ? scheme.vary(options) : [],
    statusCodes: { ...DEFAULT_STATUS_CODES, ...scheme.statusCodes, ...given(statusCodes) },
  }
}

/** The statuses that are stated. */
function given(statusCodes: unknown): Partial<VersionStatusCodes> {
  if (!isStatusCodes(statusCodes)) return {}
  return Object.fromEntries(Object.entries(statusCodes).filter(([, status]) => status !== undefined))
}

const WHERE = 'enableVersioning'

function schemeProblems(uses: readonly SchemeUse[], common: object): readonly DefinitionProblem[] {
  const inPath = uses.filter(({ scheme }) => scheme.segments !== undefined)
  if (uses.length === 0 || inPath.length > 1) {
    const message = uses.length === 0 ? 'there is no scheme' : 'two schemes put versions into the path'
    return [
      { code: 'invalid_option', where: WHERE, message, fix: 'give one scheme, or several different ones' },
    ]
  }
  return uses.flatMap(({ scheme, options }) =>
    // a scheme alone shares its options object with the common ones
    optionProblems(scheme.name, scheme.options, options, options === common ? COMMON_RULES : {}),
  )
}

function commonProblems(
  options: VersioningOptions,
  uses: readonly SchemeUse[],
): readonly DefinitionProblem[] {
  const alone = uses.some((use) => use.options === options)
  const problems = alone ? [] : optionProblems('', {}, options, COMMON_RULES)
  const { versions = [] } = options
  if (problems.length > 0 || typeof versions !== 'object') return problems
  const entries: readonly (readonly [string, unknown])[] = Array.isArray(versions)
    ? versions.flatMap((entry: unknown) => {
        if (typeof entry !== 'object' || entry === null || !('version' in entry)) return []
        const { version, ...policy } = entry
        return [[String(version), policy]]
      })
    : Object.entries(versions)
  return entries.flatMap(([version, policy]) =>
    policyProblems(WHERE, `versions["${version.slice(0, MAX_VERSION_LENGTH)}"]`, policy),
  )
}

type Rules = Readonly<Record<string, OptionRule>>

function optionProblems(
  scheme: string,
  rules: Rules | undefined,
  options: object,
  common: Rules,
): readonly DefinitionProblem[] {
  const known: Rules = { ...rules, ...common }
  return Object.entries(options).flatMap(([name, value]): readonly DefinitionProblem[] => {
    const rule = Object.hasOwn(known, name) ? known[name] : undefined
    if (rule !== undefined) return valueProblems(WHERE, name, value, rule)
    if (rules === undefined) return []
    return [
      {
        code: 'unknown_option',
        where: WHERE,
        message:
          scheme === '' ? `there is no option "${name}"` : `the scheme ${scheme} has no option "${name}"`,
        fix: `use one of ${Object.keys(known).join(', ')}`,
      },
    ]
  })
}

function listProblems(
  entries: readonly VersionListing[],
  format: VersionFormat,
): readonly DefinitionProblem[] {
  const seen = new Map<string, string>()
  return entries.flatMap(({ version }): DefinitionProblem[] => {
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

import {
  invalidOption,
  optionProblems,
  type Rules,
  type DefinitionProblem,
} from '../base/definition-error.ts'
import { isBoolean, isFunction, isObject, isString, type Awaitable } from '../base/values.ts'
import type { HttpRequest } from '../http/http.ts'
import { isMediaToken } from '../http/media-type.ts'
import { versionPolicyProblems } from './policy-problems.ts'
import type { VersionPolicy, VersionStatus } from './policy.ts'
import type { SchemeUse } from './schemes/scheme.ts'
import { canonicalVersion, isVersionFormat, cutVersion, type VersionFormat } from './version.ts'

/** The versions that a `defaultVersion` function chooses from. */
export interface VersionChoice {
  /** Returns the known version that a version in any spelling, `'latest'`, `'latestStable'` or `'oldest'` names. */
  find(name: string): string | undefined
  /** Lists the versions that are not retired, oldest first. */
  supported(): readonly string[]
}

/** The context of a request whose version is not known yet. */
export interface DefaultVersionContext {
  /** The name of the client, as the option `client` of the application names it. */
  readonly client: string | undefined
  /** The log of the request. */
  readonly log: {
    /** Logs an event of normal operation. */
    info(details: object, message?: string): void
    /** Logs a failure. */
    error(details: object, message?: string): void
  }
  /** Whether the version is one that `pinned` keeps for the client. Absent if not. @internal */
  isPinned?: true
}

/** Chooses the version of a request that names none, or `null` for no version. */
export interface DefaultVersion {
  /** Returns the version of a request, or `null`. */
  (request: HttpRequest, choice: VersionChoice, context: DefaultVersionContext): Awaitable<string | null>
  /** The versions and selectors that the function falls back on. They are checked when the application is built. */
  readonly names?: readonly string[]
}

/** A version in the list of versions, with its policy. */
export interface VersionListing<L extends string = string> extends VersionPolicy {
  /** The version that the policy is for. */
  readonly version: L
  /** Whether another deployment serves it: it is announced, and no route of this application answers it by name. @default false */
  readonly elsewhere?: boolean
}

/** The message of `Channels.version`: the version that answers a request. */
export interface VersionResolved {
  /** The version that answers, or `null`. */
  readonly version: string | null
  /** The version that the request named, cut at 64 characters, or `undefined`. */
  readonly requested: string | undefined
  /** The name of the route. */
  readonly route: string
  /** The method of the request. */
  readonly method: string
  /** The pattern of the route. */
  readonly path: string
  /** The stage of the version's life. */
  readonly status: VersionStatus
  /** The request. */
  readonly request: HttpRequest
}

/** The description of a change. */
export interface ChangeInfo {
  /** The word that logs and code name the change by. */
  readonly id: string
  /** A few words. */
  readonly title: string
  /** A description of the change, for people who use the API. */
  readonly description: string
  /** Whether changelogs and documents leave it out. Absent when not. */
  readonly internal?: boolean
}

/** The members of a history that versioning needs. */
export interface VersionHistory<L extends string = string> {
  /** All versions, newest first. */
  readonly versions: readonly L[]
  /** Other texts that stand for versions. */
  readonly spellings: ReadonlyMap<string, string>
  /** All changes, each with the first version that has it. */
  readonly changes: readonly (ChangeInfo & { readonly version: string })[]
  /** Whether a version has a change. @throws `RangeError` for a change or version that the history does not have. */
  isSince(change: object, version: string): boolean
}

/** The options of `enableVersioning` that belong to no single scheme. `D`, `L` and `H` are the default, the listed versions and the history, as types. */
export interface VersioningOptions<
  D extends string | null = string | null,
  L extends string = string,
  H = unknown,
> {
  /**
   * The version of requests that name none: a version; `'latest'`, `'latestStable'` (without a status such as `-beta`) or
   * `'oldest'`; a function chooses for each request. @default null
   */
  readonly defaultVersion?: D | DefaultVersion
  /** Whether requests without version are refused at each path that has versions. @default false */
  readonly required?: boolean
  /**
   * Versions that are known besides those that routes name, with their policies. A list also defines their order, which ranges need. A
   * record only adds policies. @default []
   */
  readonly versions?:
    | readonly (L | VersionListing<L>)[]
    | (L | VersionListing<L>)[] // a literal is one: without it, mistakes in a list are explained as those of a record
    | Readonly<Partial<Record<L, VersionPolicy>>>
  /** The changes between versions, of `defineVersions` in `octavo/changes`: it lists the versions too. */
  readonly history?: VersionHistory<L> & H
  /** Whether routes may only name versions of the list. @default false */
  readonly closed?: boolean
  /** How versions are written. It decides which versions are malformed and which are equal. @default 'string' */
  readonly format?: VersionFormat
  /** Whether an unknown version gets an error, or the nearest earlier version that is served at the path. @default 'error' */
  readonly unknown?: 'error' | 'floor'
  /** When responses list the versions of a path in `api-supported-versions` and `api-deprecated-versions`. @default 'errors' */
  readonly report?: 'errors' | 'always' | false
  /**
   * Whether responses name the version that answered: in the scheme's own header (else `api-version`), or in a parameter of
   * `Content-Type`. @default only where `unknown: 'floor'` chose it
   */
  readonly echo?: boolean | 'contentType'
  /** Whether responses link to the same route in newer versions; for versions in the path. @default false */
  readonly successorLinks?: boolean
  /** Request headers that a `defaultVersion` function reads. They are added to `Vary` if it was called. @default [] */
  readonly vary?: readonly string[]
  /** Milliseconds since 1970, for deprecations and sunsets. @default Date.now */
  readonly clock?: () => number
}

const isOneOf =
  (...values: readonly unknown[]) =>
  (value: unknown): boolean =>
    values.includes(value)

const COMMON_RULES: Rules = {
  defaultVersion: [
    (value) => value === null || ['string', 'function'].includes(typeof value),
    "a version, 'latest', 'latestStable', 'oldest', a function of the request, or null",
  ],
  required: [isBoolean, 'true or false'],
  versions: [
    isVersions,
    'a list of versions and { version, … } objects, or a record from versions to policies',
  ],
  history: [
    (value) => isObject(value) && 'versions' in value && Array.isArray(value.versions) && 'migrate' in value,
    'what defineVersions of octavo/changes returns',
  ],
  closed: [isBoolean, 'true or false'],
  format: [isVersionFormat, "'string', 'integer', 'semver' or 'date'"],
  unknown: [isOneOf('error', 'floor'), "'error' or 'floor'"],
  report: [isOneOf('errors', 'always', false), "'errors', 'always' or false"],
  echo: [isOneOf(true, false, 'contentType'), "true, false or 'contentType'"],
  successorLinks: [isBoolean, 'true or false'],
  vary: [
    (value) => Array.isArray(value) && value.every((name) => typeof name === 'string' && isMediaToken(name)),
    'a list of header names',
  ],
  clock: [isFunction, 'a function that returns milliseconds since 1970'],
}

function isVersions(value: unknown): boolean {
  if (!Array.isArray(value)) return isObject(value)
  return value.every(
    (entry: unknown) => isString(entry) || (isObject(entry) && 'version' in entry && isString(entry.version)),
  )
}

/** Names what has enabled versioning, the call or the option, in messages: alone, or with the schemes that a mistake is about. */
export type VersioningPlace = (schemes?: string) => string

/** Every mistake in the options of the schemes and in the common ones. */
export function optionsProblems(
  uses: readonly SchemeUse[],
  options: VersioningOptions,
  where: string,
): readonly DefinitionProblem[] {
  return [...schemeProblems(uses, options, where), ...commonProblems(options, uses, where)]
}

function schemeProblems(
  uses: readonly SchemeUse[],
  common: object,
  where: string,
): readonly DefinitionProblem[] {
  const inPath = uses.filter(({ scheme }) => scheme.segments !== undefined)
  if (inPath.length > 1) {
    const message = 'two schemes put versions into the path'
    return [invalidOption(where, message, 'give one scheme, or several different ones')]
  }
  return uses.flatMap(({ scheme, options }) => {
    // a scheme alone shares its options object with the common ones
    const rules = { ...scheme.options, ...(options === common ? COMMON_RULES : {}) }
    const checked = scheme.options === undefined ? withSchemeRules(options, rules) : options
    const unknown = (name: string): string => `the scheme ${scheme.name} has no option "${name}"`
    const single = optionProblems(where, checked, rules, '', { unknown })
    if (single.length > 0) return single
    // a scheme is only ever called with its own options
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const message = scheme.contradiction(options as never)
    if (message === undefined) return []
    return [invalidOption(where, message, 'leave one of the options out')]
  })
}

function commonProblems(
  options: VersioningOptions,
  uses: readonly SchemeUse[],
  where: string,
): readonly DefinitionProblem[] {
  const alone = uses.some((use) => use.options === options)
  const problems = alone ? [] : optionProblems(where, options, COMMON_RULES)
  const versions: unknown = options.versions ?? []
  if (problems.length > 0 || !isObject(versions)) return problems
  const spelled = spellingProblems(options, where)
  if (spelled.length > 0) return spelled
  const entries: readonly (readonly [string, unknown])[] = Array.isArray(versions)
    ? versions.flatMap((entry: unknown) => {
        if (!isObject(entry) || !('version' in entry)) return []
        const { version, elsewhere = false, ...policy }: { version: unknown; elsewhere?: unknown } = entry
        // shown as a field of the policy, where it would be unknown
        return [[String(version), isBoolean(elsewhere) ? policy : { ...policy, elsewhere }]]
      })
    : Object.entries(versions)
  return entries.flatMap(([version, policy]) =>
    versionPolicyProblems(where, `versions["${cutVersion(version)}"]`, policy),
  )
}

/** Other texts of versions that equal another version under the format. */
function spellingProblems(
  { history, format = 'string' }: VersioningOptions,
  where: string,
): readonly DefinitionProblem[] {
  const { versions = [], spellings = new Map() } = history ?? {}
  const texts = [...versions.map((version) => [version, version] as const), ...spellings]
  const seen = new Map<string, string>()
  return texts.flatMap(([text, version]): DefinitionProblem[] => {
    const canonical = canonicalVersion(text, format) ?? text
    const other = seen.get(canonical) ?? version
    seen.set(canonical, other)
    if (other === version) return []
    const message = `"${text}" stands for the version "${version}" and equals "${other}"`
    return [{ code: 'duplicate_version', where, message, fix: 'let each text stand for one version' }]
  })
}

/** The options of a scheme of one's own are known to that scheme alone: those that have no rule may hold anything. */
function withSchemeRules(options: object, rules: Rules): object {
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(rules, name)))
}

/** Every mistake in the list of versions. */
export function listProblems(
  entries: readonly VersionListing[],
  format: VersionFormat,
  where: string,
): readonly DefinitionProblem[] {
  const seen = new Map<string, string>()
  return entries.flatMap(({ version }): DefinitionProblem[] => {
    const canonical = canonicalVersion(version, format)
    if (canonical === undefined || version === '') {
      return [
        {
          code: 'invalid_version',
          where,
          message: `"${cutVersion(version)}" in versions does not have the format ${format}`,
          fix: 'correct it, or choose another format',
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
            where,
            message: `versions lists "${version}" after "${other}"`,
            fix: 'list each version once',
          },
        ]
  })
}

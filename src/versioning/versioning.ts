import { requireSync, isPromise, type Awaitable } from '../base/values.ts'
import type { DefinitionProblem } from '../base/definition-error.ts'
import type { HttpRequest } from '../http/http.ts'
import {
  listProblems,
  optionsProblems,
  type DefaultVersion,
  type VersionHistory,
  type VersioningOptions,
  type VersioningPlace,
  type VersionListing,
} from './options.ts'
import type { VersionPolicy } from './policy.ts'
import {
  DEFAULT_STATUS_CODES,
  isStatusCodes,
  type SchemeUse,
  type VersioningScheme,
  type VersionSource,
  type VersionStatusCodes,
  type VersionValue,
  type RequestDraft,
} from './schemes/scheme.ts'
import { createCanonicalText, hasStatus, type KnownVersions, type VersionFormat } from './version.ts'

/** A scheme as it was enabled, with its options applied. */
export interface ActiveScheme {
  readonly name: string
  readonly read: (request: HttpRequest) => Awaitable<VersionValue>
  readonly scheme: VersioningScheme<object>
  readonly options: object
  readonly source: Omit<VersionSource, 'value'>
  readonly vary: readonly string[]
  readonly statusCodes: VersionStatusCodes
  /** Whether another scheme brought it along: a further place of that one, which was not enabled itself. */
  readonly isCompanion: boolean
}

/** The common options that have a field of their own, or no default. */
type Apart = 'defaultVersion' | 'versions' | 'format' | 'history'

/** Versioning as it was enabled: schemes with their options applied, in order of declaration. */
export interface Versioning {
  /** At least one. */
  readonly schemes: readonly ActiveScheme[]
  /** The one that puts versions into the path. */
  readonly path: ActiveScheme | undefined
  /** The headers that choose versions. */
  readonly vary: readonly string[]
  /** Those, and the headers that a default function reads: `Vary` of a request whose version that function chose. */
  readonly defaultVary: readonly string[]
  /** The query parameters that carry versions. */
  readonly hidden: readonly string[]
  readonly defaultVersion: string | null | DefaultVersion
  /** The listed versions, as they were listed. */
  readonly versions: readonly string[]
  /** Other texts that stand for listed versions. */
  readonly spellings: ReadonlyMap<string, string>
  readonly policies: ReadonlyMap<string, VersionPolicy>
  /** Those of the listed versions that another deployment serves. */
  readonly elsewhere: readonly string[]
  /** The changes between versions. */
  readonly history: VersionHistory | undefined
  readonly format: VersionFormat
  readonly common: Required<Omit<VersioningOptions, Apart>>
  /** Whether the options can be used; when not, nothing that depends on them is worth a report. */
  readonly usable: boolean
  /** Mistakes in the options, reported when the application is built. */
  readonly problems: readonly DefinitionProblem[]
  readonly placeOf: VersioningPlace
}

/** Schemes with the options of each, as `enableVersioning` takes several. */
export type SchemeList<S extends readonly object[]> = {
  readonly [K in keyof S]: readonly [scheme: VersioningScheme<S[K]>, options?: NoInfer<S[K]>]
}

/** The names that `defaultVersion` takes instead of a version, unless a version is called so. */
const SELECTORS = ['latest', 'latestStable', 'oldest']

/** The known version that requests without one get, or `undefined` if there is none or a function chooses it. */
export function staticDefault(versioning: Versioning | undefined, known: KnownVersions): string | undefined {
  const chosen = versioning?.defaultVersion
  return typeof chosen === 'string' ? findDefault(chosen, known) : undefined
}

/** The version of this application that a version or a selector names. */
export function findDefault(chosen: string, known: KnownVersions): string | undefined {
  const version = known.find(chosen)
  if (version !== undefined) return known.isElsewhere(version) ? undefined : version
  const own = known.list.filter((each) => !known.isElsewhere(each))
  return known.isOrdered ? chooseVersion(chosen, own) : undefined
}

/** The version of a list, oldest first, that a selector chooses. */
export function chooseVersion(selector: string, list: readonly string[]): string | undefined {
  if (selector === 'latest') return list.at(-1)
  if (selector === 'latestStable') return list.findLast((each) => !hasStatus(each))
  return selector === 'oldest' ? list[0] : undefined
}

/** The selector that chooses the default version at each path, or `undefined` if the default is the same everywhere or a function. */
export function selectorOf(versioning: Versioning | undefined, known: KnownVersions): string | undefined {
  const chosen = versioning?.defaultVersion
  if (typeof chosen !== 'string' || !isSelector(chosen) || !known.isOrdered) return undefined
  return known.find(chosen) === undefined ? chosen : undefined
}

/** Whether the default version is chosen by its place among the known versions. */
export function isSelector(defaultVersion: unknown): boolean {
  return SELECTORS.includes(String(defaultVersion))
}

/** Applies the options to the schemes. */
export function toVersioning(
  uses: readonly SchemeUse[],
  options: VersioningOptions,
  placeOf: VersioningPlace,
): Versioning {
  const problems = optionsProblems(uses, options, placeOf())
  const usable = problems.length === 0
  const usableOptions = usable ? options : {}
  const { defaultVersion = null, format = 'string', versions = [], history } = usableOptions
  const { versions: past = [], spellings = new Map<string, string>() } = history ?? {}
  const canonical = createCanonicalText(format, spellings)
  const entries: readonly VersionListing[] = isList(versions)
    ? versions.map((entry) => (typeof entry === 'string' ? { version: entry } : entry))
    : Object.entries(versions).map(([version, policy]) => ({ ...policy, version }))
  const schemes = (usable ? uses.flatMap(withCompanions) : uses.slice(0, 1)).map((use) =>
    toEnabledScheme(use, canonical, usable, !uses.includes(use)),
  )
  const listed = entries.map(({ version }) => version)
  const common = toCommon(usableOptions)
  const vary = schemes.flatMap((each) => each.vary)
  return {
    schemes,
    path: schemes.find(({ scheme }) => scheme.segments !== undefined),
    vary: [...new Set(vary)],
    defaultVary: [...new Set([...vary, ...common.vary])],
    hidden: schemes.flatMap((each) => (usable ? (each.scheme.queryParameter(each.options) ?? []) : [])),
    defaultVersion,
    // the order of a history counts
    versions: [
      ...past,
      ...(isList(versions)
        ? listed.filter((version) => !past.includes(version) && !spellings.has(version))
        : []),
    ],
    spellings,
    history,
    policies: new Map(entries.map(({ version, elsewhere: _elsewhere, ...policy }) => [version, policy])),
    elsewhere: entries.flatMap(({ version, elsewhere = false }) => (elsewhere ? [version] : [])),
    format,
    common,
    usable,
    problems: usable ? listProblems(entries, format, placeOf()) : problems,
    placeOf,
  }
}

function toCommon(options: VersioningOptions): Versioning['common'] {
  const { required = false, closed = false, unknown = 'error', report = 'errors' } = options
  const { echo = false, successorLinks = false, clock = Date.now, vary = [] } = options
  return {
    required,
    closed,
    unknown,
    report,
    echo,
    successorLinks,
    clock: clock === Date.now ? clock : () => requireSync('clock', clock()),
    vary: vary.map((name) => name.toLowerCase()),
  }
}

function isList(
  versions: NonNullable<VersioningOptions['versions']>,
): versions is readonly (string | VersionListing)[] {
  return Array.isArray(versions)
}

function withCompanions(use: SchemeUse): readonly SchemeUse[] {
  // a scheme is only ever called with its own options
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return [use, ...use.scheme.companions(use.options as never)]
}

/** Thrown if a scheme of the application fails to read a request. The cause is the error of the scheme. */
export class SchemeFailure extends Error {
  override readonly name = 'SchemeFailure'
}

/** Creates the function that reads versions. Its failures are told from others. */
function createVersionReader(
  scheme: VersioningScheme<object>,
  options: object,
  canonical: (version: string) => string,
): ActiveScheme['read'] {
  const read = scheme.reader(options, canonical)
  // the built-in schemes have rules for their options, and never fail
  if (scheme.options !== undefined) return read
  const fail = (cause: unknown): never => {
    throw new SchemeFailure(`The versioning scheme ${scheme.name} fails`, { cause })
  }
  return (request) => {
    try {
      const value = read(request)
      return isPromise(value) ? value.then(undefined, fail) : value
    } catch (error) {
      return fail(error)
    }
  }
}

function toEnabledScheme(
  use: SchemeUse,
  canonical: (version: string) => string,
  usable: boolean,
  isCompanion: boolean,
): ActiveScheme {
  // as above
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const scheme = use.scheme as unknown as VersioningScheme<object>
  const { options } = use
  const statusCodes: unknown = 'statusCodes' in options ? options.statusCodes : undefined
  return {
    name: scheme.name,
    // mistakes are reported when the application is built; until then nothing may fail on them
    read: usable ? createVersionReader(scheme, options, canonical) : () => undefined,
    scheme,
    options,
    source: usable ? scheme.source(options) : { in: scheme.name, name: scheme.name },
    vary: usable ? scheme.vary(options) : [],
    statusCodes: { ...DEFAULT_STATUS_CODES, ...scheme.statusCodes, ...given(statusCodes) },
    isCompanion,
  }
}

/** The statuses that are stated. */
function given(statusCodes: unknown): Partial<VersionStatusCodes> {
  if (!isStatusCodes(statusCodes)) return {}
  return Object.fromEntries(Object.entries(statusCodes).filter(([, status]) => status !== undefined))
}

/** How a request asks for a version: what a scheme changes in it. */
export interface WrittenVersion {
  readonly scheme: ActiveScheme
  readonly change: Partial<RequestDraft>
}

/**
 * Writes a version into a request, as the first scheme that can does, or `undefined` if none can.
 *
 * @throws `TypeError` when the scheme would not read the version in the host that it writes.
 */
export function writeVersion(
  versioning: Versioning | undefined,
  version: string,
  draft: Partial<RequestDraft> & Pick<RequestDraft, 'path' | 'prefix'>,
): WrittenVersion | undefined {
  for (const scheme of versioning?.schemes ?? []) {
    const change = scheme.scheme.write?.(
      { query: {}, headers: {}, host: '', ...draft },
      version,
      scheme.options,
    )
    if (change !== undefined) return { scheme, change }
  }
  return undefined
}

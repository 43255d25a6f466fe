import { canonicalVersion, compareVersions, hasOrder } from './version.ts'
import type { VersionFormat } from './version.ts'

/**
 * Marks a route, controller or module that answers for every known version, and for requests without one. A handler for the
 * version itself always wins over it.
 */
export const VERSION_NEUTRAL: unique symbol = Symbol.for('octavo.version-neutral')

/** One entry of a version specification: a version, a range such as `'>=1.2 <2'`, or `VERSION_NEUTRAL`. */
export type VersionEntry = string | typeof VERSION_NEUTRAL

/** What `version` takes: one entry or several. */
export type VersionSpec = VersionEntry | readonly VersionEntry[]

/** The versions an application knows, oldest first, and how raw values lead to them. */
export interface KnownVersions {
  readonly list: readonly string[]
  readonly format: VersionFormat
  /** Whether the order of the list means something: every version has one by value, or all are listed. */
  readonly isOrdered: boolean
  /** The known version that equals this text; `undefined` for none. */
  readonly find: (text: string) => string | undefined
}

/** How a specification covers a version: smaller is stronger; equal is a conflict. */
export interface Claim {
  /** 0 for the version itself, 1 for a range. */
  readonly strength: number
  /** For ranges: the place of the oldest and newest covered version in the list. */
  readonly low: number
  readonly high: number
}

/** A version specification over the known versions. */
export interface ExpandedSpec {
  /** Nothing was specified anywhere. */
  readonly unversioned: boolean
  readonly neutral: boolean
  /** What it claims, by version. */
  readonly claims: ReadonlyMap<string, Claim>
}

/** The entries of a specification; none when there is no specification. */
export function toEntries(spec: VersionSpec | undefined): readonly VersionEntry[] {
  if (spec === undefined) return []
  return typeof spec === 'string' || typeof spec === 'symbol' ? [spec] : spec
}

/** Whether the entry is a range rather than a version. */
export function isRange(entry: string): boolean {
  return /^\s*[<>=]/.test(entry)
}

/** The versions a specification names itself. */
export function declaredVersions(spec: VersionSpec | undefined): readonly string[] {
  return toEntries(spec).flatMap((entry) => (typeof entry === 'string' && !isRange(entry) ? [entry] : []))
}

/**
 * The known versions, oldest first: those listed, in the order of their values or, where they have none, newest first; then those
 * only routes declare.
 */
export function createKnown(
  listed: readonly string[],
  declared: readonly string[],
  format: VersionFormat,
): KnownVersions {
  const byCanonical = new Map<string, string>()
  for (const version of [...listed, ...declared]) {
    const canonical = canonicalVersion(version, format)
    if (canonical !== undefined && !byCanonical.has(canonical)) byCanonical.set(canonical, version)
  }
  const all = [...byCanonical.values()]
  const byValue = all.every(hasOrder)
  const list = byValue
    ? all.toSorted(compareVersions)
    : listed.toReversed().concat(all.filter((version) => !listed.includes(version)))
  return {
    list,
    format,
    isOrdered: byValue || all.every((version) => listed.includes(version)),
    find: (text) => {
      const canonical = canonicalVersion(text, format)
      return canonical === undefined ? undefined : byCanonical.get(canonical)
    },
  }
}

/** Writes a specification out over the known versions. Ranges that cannot be read claim nothing; `rangeProblem` reports them. */
export function expandSpec(spec: VersionSpec | undefined, known: KnownVersions): ExpandedSpec {
  const entries = toEntries(spec)
  const claims = new Map<string, Claim>()
  for (const entry of entries) {
    if (typeof entry === 'symbol') continue
    if (!isRange(entry)) {
      const version = known.find(entry)
      if (version !== undefined) claims.set(version, { strength: 0, low: 0, high: 0 })
      continue
    }
    const covered = coveredBy(entry, known) ?? []
    const low = known.list.indexOf(covered[0] ?? '')
    const high = known.list.indexOf(covered.at(-1) ?? '')
    for (const version of covered) {
      const claim = { strength: 1, low, high }
      const current = claims.get(version)
      if (current === undefined || compareClaims(claim, current) < 0) claims.set(version, claim)
    }
  }
  return { unversioned: spec === undefined, neutral: entries.includes(VERSION_NEUTRAL), claims }
}

/** Orders claims on one version: the version itself, then the range that begins latest, then the one that ends earliest. */
export function compareClaims(a: Claim, b: Claim): number {
  return a.strength - b.strength || b.low - a.low || a.high - b.high
}

const COMPARATORS: Readonly<Record<string, (order: number) => boolean>> = {
  '>=': (order) => order >= 0,
  '>': (order) => order > 0,
  '<=': (order) => order <= 0,
  '<': (order) => order < 0,
  '=': (order) => order === 0,
}

/** The known versions in a range such as `'>=1.2 <2'`, oldest first; `undefined` when it cannot be read. */
export function coveredBy(range: string, known: KnownVersions): readonly string[] | undefined {
  const tests = range
    .trim()
    .split(/(?<!\s)\s+(?=[<>=])/)
    .map((comparator) => {
      const [, operator = '', bound = ''] = /^([<>]=?|=)\s*([^\s<>=]+)$/.exec(comparator) ?? []
      const holds = COMPARATORS[operator]
      const place = placeOf(bound, known)
      return holds === undefined || place === undefined ? undefined : (index: number) => holds(index - place)
    })
  if (tests.includes(undefined)) return undefined
  return known.list.filter((_, index) => tests.every((test) => test?.(index) === true))
}

/** Where a bound stands among the known versions; between two of them when it is not known itself. */
function placeOf(bound: string, known: KnownVersions): number | undefined {
  const version = known.find(bound)
  if (version !== undefined) return known.list.indexOf(version)
  if (canonicalVersion(bound, known.format) === undefined || !hasOrder(bound) || !known.list.every(hasOrder))
    return undefined
  return known.list.filter((other) => compareVersions(other, bound) < 0).length - 0.5
}

import {
  isRange,
  toEntries,
  VERSION_NEUTRAL,
  canonicalVersion,
  compareVersions,
  hasOrder,
  type Claim,
  type ExpandedSpec,
  type KnownVersions,
  type VersionSpec,
  type VersionFormat,
} from './version.ts'

/** The versions that specifications name themselves, each once: hundreds of routes may share theirs. */
export function declaredVersions(specs: Iterable<VersionSpec | undefined>): readonly string[] {
  const entries = new Set([...new Set(specs)].flatMap(toEntries))
  return [...entries].filter((entry) => typeof entry === 'string').filter((entry) => !isRange(entry))
}

/**
 * The known versions, oldest first: those listed, in the order of their values or, where they have none, newest first; then those
 * only routes declare.
 */
export function createKnown(
  listed: readonly string[],
  declared: readonly string[],
  format: VersionFormat,
  elsewhere: readonly string[] = [],
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
  const find: KnownVersions['find'] = (text) => {
    const canonical = canonicalVersion(text, format)
    return canonical === undefined ? undefined : byCanonical.get(canonical)
  }
  const apart = new Set(elsewhere.map(find))
  return {
    list,
    format,
    isOrdered: byValue || all.every((version) => listed.includes(version)),
    find,
    isElsewhere: (version) => apart.has(version),
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
      if (version !== undefined && !known.isElsewhere(version)) claims.set(version, EXACT)
      continue
    }
    const covered = coveredBy(entry, known) ?? []
    const low = known.list.indexOf(covered[0] ?? '')
    const high = known.list.indexOf(covered.at(-1) ?? '')
    const claim = { strength: 1, low, high }
    for (const version of covered) {
      const current = claims.get(version)
      if (current === undefined || compareClaims(claim, current) < 0) claims.set(version, claim)
    }
  }
  return { unversioned: spec === undefined, neutral: entries.includes(VERSION_NEUTRAL), claims }
}

const EXACT: Claim = { strength: 0, low: 0, high: 0 }

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

/** The known versions in a range such as `'>=1.2 <2'`, oldest first, or `undefined` if it cannot be read. */
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
  return known.list.filter(
    (version, index) => !known.isElsewhere(version) && tests.every((test) => test?.(index) === true),
  )
}

/** Where a bound stands among the known versions; between two of them when it is not known itself. */
function placeOf(bound: string, known: KnownVersions): number | undefined {
  const version = known.find(bound)
  if (version !== undefined) return known.list.indexOf(version)
  if (canonicalVersion(bound, known.format) === undefined || !hasOrder(bound) || !known.list.every(hasOrder))
    return undefined
  return known.list.filter((other) => compareVersions(other, bound) < 0).length - 0.5
}

/**
 * Marks a route, controller or module that answers for every known version, and for requests without one. A handler for the
 * version itself always wins over it.
 */
export const VERSION_NEUTRAL: unique symbol = Symbol.for('octavo.version-neutral')

/** One entry of a version specification: a version, a range such as `'>=1.2 <2'`, or `VERSION_NEUTRAL`. */
export type VersionEntry = string | typeof VERSION_NEUTRAL

/** The option `version`: one entry or several. */
export type VersionSpec = VersionEntry | readonly VersionEntry[]

/** The versions an application knows, oldest first, and how raw values lead to them. */
export interface KnownVersions {
  readonly list: readonly string[]
  readonly format: VersionFormat
  /** Whether the order of the list means something: every version has one by value, or all are listed. */
  readonly isOrdered: boolean
  /** The known version that equals this text, or `undefined` for none. */
  readonly find: (text: string) => string | undefined
  /** Whether another deployment serves the known version. */
  readonly isElsewhere: (version: string) => boolean
  /** Other texts that stand for known versions. */
  readonly spellings: ReadonlyMap<string, string>
}

/** The versions of an application, as its options say. */
interface ListedVersions {
  /** Newest first. */
  readonly versions: readonly string[]
  readonly format: VersionFormat
  /** Those that another deployment serves. @default [] */
  readonly elsewhere?: readonly string[]
  /** Other texts that stand for versions. @default none */
  readonly spellings?: ReadonlyMap<string, string>
}

/** How a specification covers a version: smaller is stronger; equal is a conflict. */
export interface VersionClaim {
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
  /** The versions that it claims. */
  readonly claims: ReadonlyMap<string, VersionClaim>
}

/** The entries of a specification; none when there is no specification. */
export function specEntries(spec: VersionSpec | undefined): readonly VersionEntry[] {
  if (spec === undefined) return []
  return typeof spec === 'string' || typeof spec === 'symbol' ? [spec] : spec
}

/** Whether the entry is a range rather than a version. */
export function isRange(entry: string): boolean {
  return /^\s*[<>=]/.test(entry)
}

/** How versions are written: what counts as well formed, as equal, and as newer. */
export type VersionFormat = 'string' | 'integer' | 'semver' | 'date'

interface FormatRules {
  /** One spelling for all equal versions, or `undefined` if the text is not well formed. */
  readonly canonical: (text: string) => string | undefined
}

const STATUS = '(?:-([0-9a-z][0-9a-z.-]*))?'
const INTEGER = new RegExp(`^(\\d{1,15})${STATUS}$`, 'i')
const SEMVER = new RegExp(`^(\\d{1,15})(?:\\.(\\d{1,15}))?(?:\\.(\\d{1,15}))?${STATUS}$`, 'i')
// the status of a month begins with a letter, for two digits are a day
const DATE = new RegExp(`^(\\d{4})-(\\d{2})(?:-(\\d{2})${STATUS}|-[a-z][0-9a-z.-]*)?$`, 'i')

const FORMATS: Readonly<Record<VersionFormat, FormatRules>> = {
  string: { canonical: (text) => text },
  integer: { canonical: (text) => numeric(INTEGER.exec(text), 1) },
  semver: { canonical: (text) => numeric(SEMVER.exec(text), 3) },
  date: { canonical: (text) => (isRealDate(DATE.exec(text)) ? text : undefined) },
}

/** The one spelling of all versions equal to this one (`1`, `1.0` and `1.0.0` under `semver`), or `undefined` if malformed. */
export function canonicalVersion(text: string, format: VersionFormat): string | undefined {
  return text.length > MAX_VERSION_LENGTH ? undefined : FORMATS[format].canonical(text)
}

/** Whether the text is written as the format says; under `string`, everything is. */
export function isWellFormed(text: string, format: VersionFormat): boolean {
  return format === 'string' || canonicalVersion(text, format) !== undefined
}

export function isVersionFormat(text: unknown): text is VersionFormat {
  return typeof text === 'string' && Object.hasOwn(FORMATS, text)
}

function numeric(match: RegExpExecArray | null, parts: number): string | undefined {
  if (match === null) return undefined
  const numbers = Array.from({ length: parts }, (_, index) => Number(match[index + 1] ?? 0))
  const status = match[parts + 1]
  return numbers.join('.') + (status === undefined ? '' : `-${status}`)
}

/** 2026-02-30 is no date, and 2026-13 no month. */
function isRealDate(match: RegExpExecArray | null): boolean {
  if (match === null) return false
  const [year = 0, month = 0, day = 1] = match
    .slice(1, 4)
    .flatMap((part) => (part === undefined ? [] : [Number(part)]))
  const date = new Date(Date.UTC(year, month - 1, day))
  return date.getUTCMonth() + 1 === month && date.getUTCDate() === day
}

const ORDERED =
  /^(\d{4}-\d{2}-\d{2}|\d{4}-\d{2}(?=$|-[a-z])|\d{1,15}(?:\.\d{1,15})*)(?:-([0-9a-z][0-9a-z.-]*))?$/i

/** The numbers of a version and its status, or `undefined` if it is neither a dotted number nor a date. */
function versionNumbers(
  text: string,
): { readonly numbers: readonly number[]; readonly status: string | undefined } | undefined {
  const match = ORDERED.exec(text)
  if (match === null) return undefined
  return { numbers: (match[1] ?? '').split(/[.-]/).map(Number), status: match[2] }
}

/** Whether versions written like this one have an order by value. */
export function hasOrder(text: string): boolean {
  return versionNumbers(text) !== undefined
}

/** Whether a version has a status, such as the `-beta` of `2.0-beta`. */
export function hasStatus(text: string): boolean {
  return versionNumbers(text)?.status !== undefined
}

/** Orders versions by value, oldest first; a status such as `-beta` comes before none. Zero when the order is unknown. */
export function compareVersions(a: string, b: string): number {
  const left = versionNumbers(a)
  const right = versionNumbers(b)
  if (left === undefined || right === undefined) return 0
  const length = Math.max(left.numbers.length, right.numbers.length)
  for (let index = 0; index < length; index++) {
    const difference = (left.numbers[index] ?? 0) - (right.numbers[index] ?? 0)
    if (difference !== 0) return difference
  }
  if (left.status === right.status) return 0
  if (left.status === undefined) return 1
  if (right.status === undefined) return -1
  return left.status.localeCompare(right.status, 'en', { numeric: true })
}

/** Versions longer than this are never parsed, logged or echoed whole. */
export const MAX_VERSION_LENGTH = 64

/** As much of a version, or of what was taken for one, as is worth repeating. */
export function cutVersion(text: string): string {
  return text.slice(0, MAX_VERSION_LENGTH)
}

/** The versions that specifications name themselves, each once: hundreds of routes may share theirs. */
export function declaredVersions(specs: Iterable<VersionSpec | undefined>): readonly string[] {
  return [...declaredEntries(specs)].filter((entry) => !isRange(entry))
}

/** The versions and ranges that specifications name, each once. */
export function declaredEntries(specs: Iterable<VersionSpec | undefined>): ReadonlySet<string> {
  const entries = new Set<string>()
  // loops, because thousands of older routes name tens of thousands
  for (const spec of new Set(specs))
    for (const entry of specEntries(spec)) if (typeof entry === 'string') entries.add(entry)
  return entries
}

/** Creates the function that returns one text for all texts that stand for one version. */
export function createCanonicalText(
  format: VersionFormat,
  spellings: ReadonlyMap<string, string>,
): (text: string) => string {
  const plain = (text: string): string => canonicalVersion(text, format) ?? text
  if (spellings.size === 0) return plain
  const byCanonical = new Map([...spellings].map(([spelling, version]) => [plain(spelling), plain(version)]))
  return (text) => {
    const canonical = plain(text)
    return byCanonical.get(canonical) ?? canonical
  }
}

/**
 * The known versions, oldest first: listed versions in the order of their values (newest first without values), then versions that only
 * routes declare.
 */
export function createKnown(
  { versions: listed, format, elsewhere = [], spellings = new Map() }: ListedVersions,
  declared: readonly string[] = [],
): KnownVersions {
  const toCanonical = createCanonicalText(format, spellings)
  const byCanonical = new Map<string, string>()
  const asWritten = new Map<string, string>()
  for (const version of new Set([...listed, ...declared])) {
    const canonical = toCanonical(version)
    const isUsable = canonicalVersion(version, format) !== undefined
    if (isUsable && !byCanonical.has(canonical)) byCanonical.set(canonical, version)
    const found = byCanonical.get(canonical)
    if (found !== undefined) asWritten.set(version, found)
  }
  const all = [...byCanonical.values()]
  const byValue = all.every(hasOrder)
  const list = byValue
    ? all.toSorted(compareVersions)
    : [
        ...all.filter((version) => listed.includes(version)).toReversed(),
        ...all.filter((version) => !listed.includes(version)),
      ]
  const find: KnownVersions['find'] = (text) => asWritten.get(text) ?? byCanonical.get(toCanonical(text))
  const apart = new Set(elsewhere.map(find))
  return {
    list,
    format,
    isOrdered: byValue || all.every((version) => listed.includes(version)),
    find,
    isElsewhere: (version) => apart.has(version),
    spellings,
  }
}

/** Writes a specification out over the known versions. Ranges that cannot be read claim nothing; `rangeProblem` reports them. */
export function expandSpec(spec: VersionSpec | undefined, known: KnownVersions): ExpandedSpec {
  const entries = specEntries(spec)
  const claims = new Map<string, VersionClaim>()
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

const EXACT: VersionClaim = { strength: 0, low: 0, high: 0 }

/** Orders claims on one version: the version itself, then the range that begins latest, then the one that ends earliest. */
function compareClaims(a: VersionClaim, b: VersionClaim): number {
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
      const place = boundPosition(bound, known)
      return holds === undefined || place === undefined ? undefined : (index: number) => holds(index - place)
    })
  if (tests.includes(undefined)) return undefined
  return known.list.filter(
    (version, index) => !known.isElsewhere(version) && tests.every((test) => test?.(index) === true),
  )
}

/** Where a bound stands among the known versions; between two of them when it is not known itself. */
function boundPosition(bound: string, known: KnownVersions): number | undefined {
  const version = known.find(bound)
  if (version !== undefined) return known.list.indexOf(version)
  if (canonicalVersion(bound, known.format) === undefined || !hasOrder(bound) || !known.list.every(hasOrder))
    return undefined
  return known.list.filter((other) => compareVersions(other, bound) < 0).length - 0.5
}

/** Something that answers for versions. */
export interface Versioned {
  readonly spec: ExpandedSpec
}

/** The kinds of routes that may answer if no route names the version. */
export interface FallbackKinds {
  readonly unversioned: boolean
  readonly neutral: boolean
}

/** Whether a handler of a path shape names a version. Other paths never opted in: docs/guide/versioning-rules.md#unversioned-and-neutral */
export function isVersioned(candidates: readonly Versioned[]): boolean {
  return candidates.some(({ spec }) => spec.claims.size > 0)
}

/**
 * Creates the function that selects the candidates for one method and path shape that answer a version. Several candidates conflict.
 * The order is that of docs/guide/versioning-rules.md#who-answers
 */
export function createSelect<V extends Versioned>(
  candidates: readonly V[],
): (version: string | null, answers: FallbackKinds) => readonly V[] {
  const unversioned = candidates.filter(({ spec }) => spec.unversioned)
  const neutral = candidates.filter(({ spec }) => spec.neutral)
  let strongest: ReadonlyMap<string, readonly V[]> | undefined
  return (version, answers) => {
    strongest ??= strongestOf(candidates)
    const claimed = version === null ? undefined : strongest.get(version)
    if (claimed !== undefined) return claimed
    if (answers.unversioned && unversioned.length > 0) return unversioned
    return answers.neutral ? neutral : []
  }
}

/** The candidates with the strongest claim on each version. */
function strongestOf<V extends Versioned>(candidates: readonly V[]): ReadonlyMap<string, readonly V[]> {
  const holders = new Map<string, readonly [V, ...V[]]>()
  for (const candidate of candidates) {
    const alone = [candidate] as const
    for (const [version, claim] of candidate.spec.claims) {
      const others = holders.get(version)
      const best = others?.[0].spec.claims.get(version)
      const order = best === undefined ? -1 : compareClaims(claim, best)
      if (order < 0) holders.set(version, alone)
      else if (order === 0 && others !== undefined) holders.set(version, [...others, candidate])
    }
  }
  return holders
}

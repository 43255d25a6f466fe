import { isPromise, type Awaitable } from '../../../base/values.ts'
import { find, findLeaves, type Match, type PathAt } from '../../../router/find.ts'
import { EMPTY_NODE } from '../../../router/compile-trie.ts'
import { combineReadings, type CanonicalVersion, type SchemeReading } from '../../../versioning/combine.ts'
import type { ActiveScheme } from '../../../versioning/versioning.ts'
import type { AmbiguousVersion, VersionValue } from '../../../versioning/schemes/scheme.ts'
import { canonicalVersion, isWellFormed } from '../../../versioning/version.ts'
import type { RequestContext } from '../../pipeline/context.ts'
import type { Endpoint } from '../../pipeline/endpoint.ts'
import {
  withoutVersion,
  createVersionRoots,
  createResolve,
  createFloor,
  type Locate,
  type RouteMatch,
  type VersionMatch,
  type LookupParts,
  type ResolveVersion,
  type VersionRoots,
} from './resolution.ts'
import { targetPath } from './target.ts'
import type { Endpoints } from '../../../router/node.ts'
import type { Zone } from '../table/table.ts'

/** Looks up versions with several schemes at once: docs/guide/versioning-rules.md#several-schemes */
export function createSeveralLocate(parts: LookupParts): Locate {
  const { table, versioning, whole } = parts
  const segments = versioning.path === undefined ? undefined : createSegments(parts)
  const settle = createSettle(parts)
  const readers = versioning.schemes.map((scheme): ReadValue =>
    scheme === versioning.path
      ? (_context, inPath) => inPath?.resolution.requested
      : (context) => scheme.read(context.request),
  )
  return (context, target, method) => {
    const at = whole(targetPath(target))
    const match = find(table.pathRoot, at, method)
    const inPath = segments?.namedMatch(at, match)
    const values = readValues(readers, context, inPath)
    const asked: SeveralRequest = { context, at, match, method, inPath }
    return isPromise(values) ? values.then((settled) => settle(asked, settled)) : settle(asked, values)
  }
}

/** A request while its versions are compared. */
interface SeveralRequest {
  readonly context: RequestContext
  readonly at: PathAt
  readonly method: number
  /** The match of its path, whatever the other schemes say. */
  readonly match: Match<Endpoint>
  readonly inPath: RouteMatch | undefined
}

/** Creates the lookup that follows when all schemes are read. */
function createSettle(
  parts: LookupParts,
): (asked: SeveralRequest, values: VersionValues) => Awaitable<RouteMatch> {
  const { table, versioning, resolveDefault } = parts
  const lookups = versioning.schemes.map((scheme): SchemeLookup => {
    const resolve = createResolve(parts, scheme, createVersionRoots(parts))
    return { scheme, resolve }
  })
  const canonical = createCanonical(parts)
  const contradicted = createContradicted(parts)
  const agreedBy = createAgreed(lookups, canonical)

  return (asked, values) => {
    const index = agreedBy(values)
    if (index === NONE) return withoutValue(asked)
    const place = lookups[index]
    const agreed = values[index]
    return place !== undefined && isGiven(agreed)
      ? withValue(asked, place, agreed)
      : combineValues(asked, values)
  }

  function combineValues(asked: SeveralRequest, values: VersionValues): RouteMatch {
    const readings = lookups.flatMap((by, index): SchemeReading<SchemeLookup>[] => {
      const value = values[index]
      return isGiven(value) ? [{ by, source: by.scheme.source, value }] : []
    })
    const agreed = combineReadings(readings, canonical)
    return 'ambiguous' in agreed ? contradicted(asked, agreed) : withValue(asked, agreed.by, agreed.value)
  }

  function withoutValue({ context, at, match, method }: SeveralRequest): Awaitable<RouteMatch> {
    const settleBare = (resolution: VersionMatch): RouteMatch => ({
      match: resolution.root === table.withoutVersion ? match : find(resolution.root, at, method),
      resolution,
    })
    const resolution = resolveDefault(context)
    return isPromise(resolution) ? resolution.then(settleBare) : settleBare(resolution)
  }
}

/** Looks up the version on which the schemes agree. */
function withValue(
  { at, method, inPath }: SeveralRequest,
  by: SchemeLookup,
  value: PresentValue,
): RouteMatch {
  // they agree, so that the path names the same version
  if (inPath !== undefined) return { ...inPath, resolution: { ...inPath.resolution, scheme: by.scheme } }
  const resolution = by.resolve(value, at, method)
  return { match: find(resolution.root, at, method), resolution }
}

const NONE = -1
const DIFFERENT = -2

/**
 * Creates the function that returns the first scheme that found a version if all of them agree. It returns `NONE` if no scheme found
 * one, and `DIFFERENT` if they have to be combined. Most requests agree and need no lists of readings.
 */
function createAgreed(
  places: readonly SchemeLookup[],
  canonical: CanonicalVersion<SchemeLookup>,
): (values: VersionValues) => number {
  return (values) => {
    let agreed = NONE
    for (let index = 0; index < places.length; index++) {
      if (!isGiven(values[index])) continue
      if (agreed === NONE) agreed = index
      else if (!isSameVersion(values, agreed, index)) return DIFFERENT
    }
    return agreed
  }

  function isSameVersion(values: VersionValues, a: number, b: number): boolean {
    const [first, second, by, beside] = [values[a], values[b], places[a], places[b]]
    return (
      typeof first === 'string' &&
      typeof second === 'string' &&
      by !== undefined &&
      beside !== undefined &&
      canonical(first, by) === canonical(second, beside)
    )
  }
}

/** A scheme among others. */
interface SchemeLookup {
  readonly scheme: ActiveScheme
  readonly resolve: ResolveVersion
}

/** Creates the lookup for contradicting versions. */
function createContradicted({
  table,
  versioning,
  whole,
}: LookupParts): (asked: SeveralRequest, contradiction: AmbiguousVersion) => RouteMatch {
  const ambiguous: VersionMatch = { ...withoutVersion(table, versioning.vary), kind: 'ambiguous' }
  const free = { ...ambiguous, root: table.unknownVersion }
  const behind = { ...ambiguous, root: EMPTY_NODE, inPath: true }
  const withoutSegment = ({ text }: PathAt): PathAt => {
    const { prefix } = table.zoneAt(text)
    return whole(prefix + text.slice(segmentEnd(text, prefix)))
  }
  /** Whether the path leads to one and the same leaf in every version. */
  const isFree = (bare: PathAt, match: Match<Endpoint>): boolean => {
    if (match.leaf?.methods[match.method] !== undefined) return true
    const leaves = findLeaves(table.all, bare.text, 1, bare.end)
    return leaves.length > 0 && leaves.every(({ shape }) => shape.versions.length === 0)
  }
  return ({ at, method, inPath }, { ambiguous: sources }) => {
    const bare = inPath?.resolution.kind === 'known' ? withoutSegment(at) : at
    const match = find(table.unknownVersion, bare, method)
    return inPath === undefined || (bare !== at && isFree(bare, match))
      ? { match, resolution: { ...free, sources } }
      : { match: { ...inPath.match, leaf: null }, resolution: { ...behind, sources } }
  }
}

/** Creates the function that unifies spellings: by the scheme for known versions, else by the format. */
function createCanonical({ table, versioning }: LookupParts): CanonicalVersion<SchemeLookup> {
  const { known } = table
  const spellings = new Map(
    versioning.schemes.map((each) => [
      each,
      new Map(
        [...known.spellings, ...known.list.map((version) => [version, version] as const)].map(
          ([text, version]) => [each.scheme.fold(text, each.options), version],
        ),
      ),
    ]),
  )
  return (raw, { scheme }) =>
    spellings.get(scheme)?.get(raw) ?? known.find(raw) ?? canonicalVersion(raw, known.format) ?? raw
}

type VersionValues = readonly VersionValue[]

/** How a scheme reads a request; `inPath` is what its path names. */
type ReadValue = (context: RequestContext, inPath: RouteMatch | undefined) => Awaitable<VersionValue>

/** Reads the value of every scheme. */
function readValues(
  readers: readonly ReadValue[],
  context: RequestContext,
  inPath: RouteMatch | undefined,
): Awaitable<VersionValues> {
  const values: VersionValue[] = []
  let pending: PromiseLike<void>[] | undefined
  for (const read of readers) {
    const index = values.push(undefined) - 1
    try {
      const value = read(context, inPath)
      if (isPromise(value)) (pending ??= []).push(fill(values, index, value))
      else values[index] = value
    } catch (error) {
      // one that fails must not leave the promises of others unheard
      ;(pending ??= []).push(Promise.reject(error))
    }
  }
  return pending === undefined ? values : Promise.all(pending).then(() => values)
}

async function fill(values: VersionValue[], index: number, value: PromiseLike<VersionValue>): Promise<void> {
  values[index] = await value
}

type PresentValue = Exclude<VersionValue, undefined>

/** Whether a scheme found something. */
function isGiven(value: VersionValue): value is PresentValue {
  return value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)
}

/** Finds the version which a path names, or `undefined` for ordinary paths. */
interface Segments {
  readonly namedMatch: (at: PathAt, match: Match<Endpoint>) => RouteMatch | undefined
  /** Looks up the path in another version. `requested` is the text of the request. */
  readonly inVersion: (at: PathAt, version: string, requested: string, method: number) => RouteMatch
}

/** Versions in the path: the trie itself leads from their segments into their roots. */
export function createSegmentLocate(parts: LookupParts): Locate {
  const { table, versioning, whole, resolveDefault } = parts
  const dynamic = typeof versioning.defaultVersion === 'function'
  const { namedMatch } = createSegments(parts)
  return (context, target, method) => {
    const at = whole(targetPath(target))
    const match = find(table.pathRoot, at, method)
    return namedMatch(at, match) ?? unnamedMatch(context, at, match)
  }

  function unnamedMatch(context: RequestContext, at: PathAt, match: Match<Endpoint>): Awaitable<RouteMatch> {
    const settle = (resolution: VersionMatch): RouteMatch => ({
      match: dynamic ? find(resolution.root, at, match.method) : match,
      resolution,
    })
    const resolution = resolveDefault(context)
    return isPromise(resolution) ? resolution.then(settle) : settle(resolution)
  }
}

/** Creates the reader of version segments. */
export function createSegments(parts: LookupParts): Segments {
  const { prefixZones: zones, zoneAt } = parts.table
  const [first, ...others] = zones
  const segments = createZoneSegments(parts, first)
  if (others.length === 0) return segments
  const byZone = new Map(others.map((zone) => [zone, createZoneSegments(parts, zone)]))
  const at = (path: string): Segments => byZone.get(zoneAt(path)) ?? segments
  return {
    namedMatch: (path, match) => at(path.text).namedMatch(path, match),
    inVersion: (path, version, requested, method) =>
      at(path.text).inVersion(path, version, requested, method),
  }
}

function createZoneSegments(parts: LookupParts, zone: Zone): Segments {
  const { prefix, inPath, unionBehind } = zone
  const { table, versioning, strict, whole } = parts
  const { format } = table.known
  const scheme = versioning.path
  const candidateIn = createCandidate(parts, prefix)
  const floorOf = createFloor(table.known, versioning.common.unknown)
  // without parameters in the first segment, or excluded routes that have some, an ordinary match names no version
  const isPart = table.prefixZones.length > 1
  const wild = isPart || unionBehind.edge !== null || unionBehind.rest !== null
  const bare = withoutVersion(table, versioning.vary)
  const common: VersionMatch = { ...bare, root: EMPTY_NODE, scheme, inPath: true }
  const byVersion = new Map<string | null, VersionMatch>(
    [...inPath].map(([version, root]) => [
      version,
      { ...common, kind: 'known', root, version, requested: version },
    ]),
  )
  const versionRoots: VersionRoots = {
    common,
    find: (version, at, method) => inVersion(at, version, version, method).match.leaf?.methods[method],
  }

  return { namedMatch, inVersion }

  function namedMatch(at: PathAt, match: Match<Endpoint>): RouteMatch | undefined {
    const resolution = byVersion.get(match.version)
    if (resolution !== undefined) return { match: isPart ? withinPrefix(match, prefix) : match, resolution }
    if (match.leaf !== null && !(wild && beginsWithParameter(match.leaf, prefix))) return undefined
    const version = candidateIn(at.text)
    if (version === undefined) return undefined
    const equal = format === 'string' ? undefined : table.known.find(version)
    // an equal version in its compiled spelling, as /v1/cars for /v1.0/cars
    if (equal !== undefined) return inVersion(at, equal, version, match.method)
    return isBehind(zone, at, match.leaf, strict) ? unknown(at, match, version) : undefined
  }

  function inVersion(at: PathAt, version: string, requested: string, method: number): RouteMatch {
    const [segment = ''] = scheme?.scheme.segments?.(version, scheme.options) ?? []
    const path = whole(`${prefix}/${segment}${at.text.slice(segmentEnd(at.text, prefix))}`)
    const resolution = byVersion.get(version) ?? common
    const match = find(table.pathRoot, path, method)
    return { match: isPart ? withinPrefix(match, prefix) : match, resolution: { ...resolution, requested } }
  }

  function unknown(at: PathAt, match: Match<Endpoint>, requested: string): RouteMatch {
    const floor = floorOf(versionRoots, requested, at)
    if (floor !== undefined) {
      const found = inVersion(at, floor, requested, match.method)
      return { ...found, resolution: { ...found.resolution, isReplaced: true } }
    }
    const kind = isWellFormed(requested, format) ? 'unknown' : 'invalid'
    return { match: { ...match, leaf: null }, resolution: { ...common, kind, requested } }
  }
}

/** Returns a match without what a version lacks: excluded routes that take the prefix as a parameter don't answer there. */
function withinPrefix(match: Match<Endpoint>, prefix: string): Match<Endpoint> {
  const isOutside = match.leaf !== null && !match.leaf.shape.pattern.startsWith(prefix)
  return isOutside ? { ...match, leaf: null } : match
}

/** Whether a route serves the rest of the path. If an ordinary route takes the segment as a parameter, only versioned ones count. */
function isBehind(
  { prefix, unionBehind }: Zone,
  at: PathAt,
  leaf: Endpoints<Endpoint> | null,
  strict: boolean,
): boolean {
  const stop = segmentEnd(at.text, prefix)
  // if slashes count, a path that ends with its version segment has no rest
  if (strict && stop === at.text.length) return false
  const rest = findLeaves(unionBehind, at.text, Math.min(stop + 1, at.end), at.end)
  return leaf === null ? rest.length > 0 : rest.some(({ shape }) => shape.versions.length > 0)
}

/** Creates the function that reads the first segment: docs/guide/versioning-rules.md#segments-that-look-like-a-version */
function createCandidate(
  { table, versioning }: LookupParts,
  prefix: string,
): (path: string) => string | undefined {
  const { format } = table.known
  const scheme = versioning.path
  return (path) => {
    if (!path.startsWith(`${prefix}/`)) return undefined
    const segment = path.slice(prefix.length + 1, segmentEnd(path, prefix))
    const version = scheme?.scheme.candidate?.(segment, scheme.options)
    if (version === undefined) return undefined
    return /^\d+(?:\.\d+)*$/.test(version) || (format !== 'string' && isWellFormed(version, format))
      ? version
      : undefined
  }
}

/** Where the first segment after the prefix ends. */
export function segmentEnd(path: string, prefix: string): number {
  const slash = path.indexOf('/', prefix.length + 1)
  return slash === -1 ? path.length : slash
}

/** Whether a pattern takes the first segment after the prefix, or the prefix itself, as a parameter. */
export function beginsWithParameter({ shape }: Endpoints<Endpoint>, prefix: string): boolean {
  const { pattern } = shape
  return (
    !pattern.startsWith(prefix) || pattern.slice(prefix.length, segmentEnd(pattern, prefix)).includes('{')
  )
}

import { isPromise } from '../http.ts'
import type { Awaitable } from '../http.ts'
import type { Match } from '../router/find.ts'
import { EMPTY_NODE } from '../router/seal.ts'
import { combine } from '../versioning/combine.ts'
import type { Canonical, Reading } from '../versioning/combine.ts'
import type { EnabledScheme } from '../versioning/enable.ts'
import type { AmbiguousVersion, VersionValue } from '../versioning/scheme.ts'
import { canonicalVersion } from '../versioning/version.ts'
import { createSegments } from './locate-segment.ts'
import type { Segments } from './locate-segment.ts'
import type { RequestContext } from './context.ts'
import type { Endpoint } from './endpoint.ts'
import { withoutVersion } from './resolution.ts'
import type { Locate, Located, PathEnds, Resolution, Site } from './resolution.ts'
import { createGround, createResolve } from './resolve.ts'
import type { Ground, Resolve } from './resolve.ts'

/** Several schemes at once: all are read, and what they found is made one (rule C1). */
export function createSeveralLocate(site: Site): Locate {
  const { table, enabled, ends, look } = site
  const segments = enabled.path === undefined ? undefined : createSegments(site, varyOf(site, enabled.path))
  const settle = createSettle(site, segments)
  const read = enabled.common.conflict === 'first' ? readFirst : readAll
  return (context, path, method) => {
    const at = ends(path)
    const match = look(table.entry, at, method)
    const inPath = segments?.named(at, match)
    const values = read(enabled.schemes, (scheme) =>
      scheme === enabled.path ? inPath?.resolution.requested : scheme.read(context.request),
    )
    const asked: Asked = { context, at, match, method, inPath }
    return isPromise(values) ? values.then((settled) => settle(asked, settled)) : settle(asked, values)
  }
}

type Values = readonly VersionValue[]
type Read = (scheme: EnabledScheme) => Awaitable<VersionValue>

/** What every scheme finds. */
function readAll(schemes: readonly EnabledScheme[], read: Read): Awaitable<Values> {
  const values: VersionValue[] = []
  const pending: PromiseLike<void>[] = []
  for (const [index, scheme] of schemes.entries()) {
    try {
      const value = read(scheme)
      if (isPromise(value)) pending.push(value.then((found) => void (values[index] = found)))
      else values[index] = value
    } catch (error) {
      // one that fails must not leave the promises of others unheard
      pending.push(Promise.reject(error))
    }
  }
  return pending.length === 0 ? values : Promise.all(pending).then(() => values)
}

/** What the first scheme finds that finds something; later ones are not looked at. */
function readFirst(schemes: readonly EnabledScheme[], read: Read): Awaitable<Values> {
  for (const [index, scheme] of schemes.entries()) {
    const value = read(scheme)
    const before: Values = schemes.slice(0, index).map(() => undefined)
    if (isPromise(value)) {
      const later = async (): Promise<Values> => {
        const found = await value
        const rest = isGiven(found) ? [] : await readFirst(schemes.slice(index + 1), read)
        return [...before, found, ...rest]
      }
      return later()
    }
    if (isGiven(value)) return [...before, value]
  }
  return []
}

function isGiven(value: VersionValue): value is Exclude<VersionValue, undefined> {
  return value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)
}

/** A request while its versions are compared. */
interface Asked {
  readonly context: RequestContext
  readonly at: PathEnds
  readonly method: number
  /** What its path is, whatever the other schemes say. */
  readonly match: Match<Endpoint>
  readonly inPath: Located | undefined
}

/** Makes the function that goes on from what the schemes found. */
function createSettle(
  site: Site,
  segments: Segments | undefined,
): (asked: Asked, values: Values) => Awaitable<Located> {
  const { table, enabled, look, bare } = site
  const places = enabled.schemes.map((scheme) => createPlace(site, scheme, segments?.ground))
  const canonical = createCanonical(site)
  const contradicted = createContradicted(site)

  return (asked, values) => {
    const readings = places.flatMap((by, index): Reading<Place>[] => {
      const value = values[index]
      return isGiven(value) ? [{ by, source: by.scheme.source, value }] : []
    })
    const [first] = readings
    if (first === undefined) return withoutValue(asked)
    const agreed = readings.length === 1 ? first : combine(readings, canonical)
    return 'ambiguous' in agreed ? contradicted(asked, agreed) : withValue(asked, agreed)
  }

  function withoutValue({ context, at, match, method }: Asked): Awaitable<Located> {
    const settleBare = (resolution: Resolution): Located => ({
      match: resolution.root === table.bare ? match : look(resolution.root, at, method),
      resolution,
    })
    const resolution = bare(context)
    return isPromise(resolution) ? resolution.then(settleBare) : settleBare(resolution)
  }

  function withValue({ at, method, inPath }: Asked, { by, value }: Reading<Place>): Located {
    if (inPath === undefined || segments === undefined) {
      const resolution = by.free(value, at, method)
      return { match: look(resolution.root, at, method), resolution }
    }
    if (by.scheme === enabled.path) return inPath
    // the path has a version segment too: what stands behind it is looked up
    const resolution = by.behind(value, at, method)
    const { version, requested = '' } = resolution
    if (version === null) return { match: { ...inPath.match, leaf: null }, resolution }
    const { match, resolution: found } = segments.inVersion(at, version, requested, method)
    return { match, resolution: { ...resolution, root: found.root } }
  }
}

/** A scheme among others. */
interface Place {
  readonly scheme: EnabledScheme
  /** What its values ask for at paths without version segment, and at paths with one. */
  readonly free: Resolve
  readonly behind: Resolve
}

function createPlace(site: Site, scheme: EnabledScheme, ground: Ground | undefined): Place {
  const vary = varyOf(site, scheme)
  const free = createResolve(site, scheme, createGround(site, vary))
  const common = ground && { ...ground.common, vary }
  return {
    scheme,
    free,
    behind: ground && common ? createResolve(site, scheme, { ...ground, common }) : free,
  }
}

/** Makes the function that goes on where versions contradict each other. */
function createContradicted({
  table,
  enabled,
  look,
}: Site): (asked: Asked, contradiction: AmbiguousVersion) => Located {
  const ambiguous: Resolution = { ...withoutVersion(table, enabled.vary), kind: 'ambiguous' }
  const free = { ...ambiguous, root: table.other }
  const behind = { ...ambiguous, root: EMPTY_NODE, inPath: true }
  return ({ at, method, inPath }, { ambiguous: sources }) =>
    inPath === undefined
      ? { match: look(table.other, at, method), resolution: { ...free, sources } }
      : { match: { ...inPath.match, leaf: null }, resolution: { ...behind, sources } }
}

/** The headers that may have decided when this scheme found the version: under `conflict: 'first'` later ones are not looked at. */
function varyOf({ enabled }: Site, scheme: (typeof enabled.schemes)[number]): readonly string[] {
  if (enabled.common.conflict !== 'first') return enabled.vary
  const upTo = enabled.schemes.slice(0, enabled.schemes.indexOf(scheme) + 1)
  return [...new Set(upTo.flatMap(({ vary }) => vary))]
}

/** Makes the function that tells which values are equal: as each scheme spells known versions, else as the format says. */
function createCanonical({ table, enabled }: Site): Canonical<Place> {
  const { known } = table
  const spellings = new Map(
    enabled.schemes.map((each) => [
      each,
      new Map(known.list.map((version) => [each.scheme.fold(version, each.options), version])),
    ]),
  )
  return (raw, { scheme }) =>
    spellings.get(scheme)?.get(raw) ?? known.find(raw) ?? canonicalVersion(raw, known.format) ?? raw
}

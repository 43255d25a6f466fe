import { isPromise } from '../http.ts'
import type { Awaitable } from '../http.ts'
import type { Match } from '../router/find.ts'
import { combine } from '../versioning/combine.ts'
import type { Canonical, Reading } from '../versioning/combine.ts'
import type { AmbiguousVersion, VersionValue } from '../versioning/scheme.ts'
import { canonicalVersion } from '../versioning/version.ts'
import { createSegments } from './locate-segment.ts'
import type { Segments } from './locate-segment.ts'
import type { RequestContext } from './context.ts'
import type { Endpoint } from './endpoint.ts'
import { withoutVersion } from './resolution.ts'
import type { Locate, Located, PathEnds, Resolution, Site } from './resolution.ts'
import { createResolve } from './resolve.ts'

/** Several schemes at once: all are read, and what they found is made one (rule C1). */
export function createSeveralLocate(site: Site): Locate {
  const { table, enabled, ends, look } = site
  const segments = enabled.path === undefined ? undefined : createSegments(site, varyOf(site, enabled.path))
  const settle = createSettle(site, segments)
  return (context, path, method) => {
    const at = ends(path)
    const match = look(table.entry, at, method)
    const inPath = segments?.named(at, match)
    const values = enabled.schemes.map((scheme) =>
      scheme === enabled.path ? inPath?.resolution.requested : scheme.read(context.request),
    )
    const request: Asked = { context, at, match, method, inPath }
    return values.some(isPromise)
      ? Promise.all(values).then((settled) => settle(request, settled))
      : // none of them is a promise, as was just seen
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        settle(request, values as VersionValue[])
  }
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
): (asked: Asked, values: readonly VersionValue[]) => Awaitable<Located> {
  const { table, enabled, look, bare } = site
  const resolves = enabled.schemes.map((scheme) => createResolve(site, scheme, varyOf(site, scheme)))
  const canonical = createCanonical(site)
  const ambiguous: Resolution = {
    ...withoutVersion(table, enabled.vary),
    kind: 'ambiguous',
    root: table.other,
  }
  const isFirst = enabled.common.conflict === 'first'

  return (asked, values) => {
    const readings = values.flatMap((value, index): Reading[] => {
      const source = enabled.schemes[index]?.source
      const isGiven = value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)
      return isGiven && source !== undefined ? [{ index, source, value }] : []
    })
    const [first] = readings
    if (first === undefined) return withoutValue(asked)
    const agreed = isFirst || readings.length === 1 ? first : combine(readings, canonical)
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

  function withValue({ at, method, inPath }: Asked, { index, value }: Reading): Located {
    if (inPath !== undefined && enabled.schemes[index] === enabled.path) return inPath
    const found = resolves[index]?.(value, at) ?? ambiguous
    if (inPath === undefined || segments === undefined)
      return { match: look(found.root, at, method), resolution: found }
    // the path has a version segment too: what stands behind it is looked up
    const { version, requested = '' } = found
    if (version === null)
      return { match: { ...inPath.match, leaf: null }, resolution: { ...found, inPath: true } }
    const located = segments.inVersion(at, version, requested, method)
    const { root, inPath: isBehind } = located.resolution
    return { ...located, resolution: { ...found, root, inPath: isBehind } }
  }

  function contradicted({ at, method, inPath }: Asked, { ambiguous: sources }: AmbiguousVersion): Located {
    if (inPath === undefined)
      return { match: look(table.other, at, method), resolution: { ...ambiguous, sources } }
    return {
      match: { ...inPath.match, leaf: null },
      resolution: { ...ambiguous, root: inPath.resolution.root, sources, inPath: true },
    }
  }
}

/** The headers that may have decided when this scheme found the version: under `conflict: 'first'` later ones are not looked at. */
function varyOf({ enabled }: Site, scheme: (typeof enabled.schemes)[number]): readonly string[] {
  if (enabled.common.conflict !== 'first') return enabled.vary
  const upTo = enabled.schemes.slice(0, enabled.schemes.indexOf(scheme) + 1)
  return [...new Set(upTo.flatMap(({ vary }) => vary))]
}

/** Makes the function that tells which values are equal: as each scheme spells known versions, else as the format says. */
function createCanonical({ table, enabled }: Site): Canonical {
  const { known } = table
  const spellings = enabled.schemes.map(
    ({ scheme }) => new Map(known.list.map((version) => [scheme.fold(version), version])),
  )
  return (raw, index) =>
    spellings[index]?.get(raw) ?? known.find(raw) ?? canonicalVersion(raw, known.format) ?? raw
}

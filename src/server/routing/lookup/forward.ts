import { isPromise } from '../../../base/values.ts'
import { METHODS } from '../../../http/http.ts'
import { find, type Match, type PathAt } from '../../../router/find.ts'
import { isRetired } from '../../../versioning/policy.ts'
import { hasStatus } from '../../../versioning/version.ts'
import type { Endpoint } from '../../pipeline/endpoint.ts'
import { pathOf, type Target } from './target.ts'
import { createSegments } from './locate-segment.ts'
import type { Locate, RouteMatch, VersionMatch, LookupParts } from './resolution.ts'

/** Looks a path up in another version than that of the request. */
type LookIn = (
  resolution: VersionMatch,
  at: PathAt,
  version: string,
  method: number,
) => RouteMatch | undefined

/**
 * Has a later version answer in the place of one that is retired: docs/guide/deprecation.md#forwarding. The next version without a status
 * that serves the path is taken, whatever the method.
 */
export function forwarding(parts: LookupParts, locate: Locate): Locate {
  const { table, versioning, whole } = parts
  const { lifetimes, known } = table
  if (!lifetimes.forwards) return locate
  const { clock } = versioning.common
  const lookIn = createLookIn(parts)
  const targets = known.list.map((version) => !hasStatus(version) && !known.isElsewhere(version))

  const isServing = (resolution: VersionMatch, at: PathAt, version: string): boolean =>
    METHODS.some((_, method) => {
      const endpoint = endpointOf(lookIn(resolution, at, version, method)?.match, method)
      return endpoint !== undefined && !isRetired(lifetimes.of(endpoint, version), clock)
    })

  const settle = (located: RouteMatch, target: Target, method: number): RouteMatch => {
    const { match, resolution } = located
    const { version } = resolution
    if (resolution.kind !== 'known' || version === null) return located
    const endpoint = endpointOf(match, method)
    const lifetime = endpoint === undefined ? lifetimes.ofVersion(version) : lifetimes.of(endpoint, version)
    if (lifetime?.forward !== true || !isRetired(lifetime, clock)) return located
    const at = whole(pathOf(target))
    const position = known.list.indexOf(version)
    const next = known.list.find(
      (later, index) => index > position && targets[index] === true && isServing(resolution, at, later),
    )
    const found = next === undefined ? undefined : lookIn(resolution, at, next, method)
    if (found === undefined) return located
    const { requested, sources, scheme, vary } = resolution
    const own = { requested, sources, scheme, vary, isReplaced: true, ended: { version, lifetime } }
    return { match: found.match, resolution: { ...found.resolution, ...own } }
  }
  return (context, target, method) => {
    const located = locate(context, target, method)
    return isPromise(located)
      ? located.then((settled) => settle(settled, target, method))
      : settle(located, target, method)
  }
}

function endpointOf(match: Match<Endpoint> | undefined, method: number): Endpoint | undefined {
  return match?.leaf?.methods[method]
}

/** Creates the lookup in another version, by its root or by its segment. */
function createLookIn(parts: LookupParts): LookIn {
  const { table, versioning, whole } = parts
  const segments = versioning.path === undefined ? undefined : createSegments(parts)
  return (resolution, at, version, method) => {
    const root = table.roots.get(version)
    if (!resolution.inPath && root !== undefined)
      return { match: find(root, at, method), resolution: { ...resolution, version, root } }
    if (resolution.inPath) return segments?.inVersion(at, version, version, method)
    // the default version has no segment in the path, and the version that answers has one here
    const { prefix } = table.zoneAt(at.text)
    const found = segments?.inVersion(
      whole(`${prefix}/-${at.text.slice(prefix.length)}`),
      version,
      version,
      method,
    )
    return found && { ...found, match: { ...found.match, version: null } }
  }
}

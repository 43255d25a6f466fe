import { isPromise, type Awaitable } from '../../../base/values.ts'
import { find, findLeaves, wholePath, type PathAt } from '../../../router/find.ts'
import { SchemeFailure, selectorOf, findDefault, type Versioning } from '../../../versioning/versioning.ts'
import type { VersionValue } from '../../../versioning/schemes/scheme.ts'
import type { RequestContext } from '../../pipeline/context.ts'
import { forwarding } from './forward.ts'
import { createSegmentLocate, segmentEnd } from './locate-segment.ts'
import { createSeveralLocate } from './locate-several.ts'
import { createPlainLocate } from './locate.ts'
import {
  withoutVersion,
  createVersionRoots,
  createResolve,
  type Locate,
  type RouteMatch,
  type VersionMatch,
  type LookupParts,
  type ResolveDefault,
} from './resolution.ts'
import { pathOf, type Target } from './target.ts'
import type { Table } from '../table/table.ts'
import type { VersionChoice } from '../../../versioning/options.ts'
import { cutVersion } from '../../../versioning/version.ts'
import { livingVersions } from './version-miss.ts'

/** Creates the lookup for a table and its versioning schemes. */
export function createVersionLocate(
  table: Table,
  versioning: Versioning | undefined,
  mode: { readonly strict: boolean },
): Locate {
  if (versioning === undefined) return createPlainLocate(table)
  const parts: LookupParts = {
    table,
    versioning,
    strict: mode.strict,
    whole: (path) => wholePath(path, mode.strict),
    resolveDefault: createDefaultResolver(table, versioning),
  }
  return withFailures(parts, forwarding(parts, choosingByPath(parts, createSchemeLocate(parts))))
}

/** Sets the default version of the path for requests that name no version. */
function choosingByPath({ table, versioning }: LookupParts, locate: Locate): Locate {
  const { known } = table
  if (selectorOf(versioning, known) === undefined) return locate
  const none = withoutVersion(table, versioning.vary)
  const byVersion = new Map<string | null, VersionMatch>(
    known.list.map((version) => [version, { ...none, kind: 'known', version }]),
  )
  const settle = (located: RouteMatch): RouteMatch => {
    const { match, resolution } = located
    if (resolution.requested !== undefined || match.leaf === null || resolution.kind !== 'known')
      return located
    const own = byVersion.get(match.leaf.shape.defaultVersion)
    return own === undefined || own.version === resolution.version ? located : { match, resolution: own }
  }
  return (context, target, method) => {
    const located = locate(context, target, method)
    return isPromise(located) ? located.then(settle) : settle(located)
  }
}

function createSchemeLocate(parts: LookupParts): Locate {
  const { versioning } = parts
  const [only, ...others] = versioning.schemes
  if (only === undefined || others.length > 0) return createSeveralLocate(parts)
  return versioning.path === undefined ? createValueLocate(parts, only) : createSegmentLocate(parts)
}

/**
 * Adds `Vary` to errors that a `defaultVersion` function or a custom scheme throws: docs/guide/versioning-rules.md#vary-and-caches
 * If a scheme throws, what has no versions is answered as if the version of the request could not be read.
 */
function withFailures(parts: LookupParts, locate: Locate): Locate {
  const { table, versioning, whole } = parts
  const vary = versioning.defaultVary
  // the built-in schemes never throw
  const mayFail =
    typeof versioning.defaultVersion === 'function' ||
    versioning.schemes.some(({ scheme }) => scheme.options === undefined)
  if (!mayFail) return locate
  const unreadable: VersionMatch = { ...createVersionRoots(parts).common, kind: 'invalid' }
  const logged = new Set<string>()
  const fail = (context: RequestContext, target: Target, method: number, error: unknown): RouteMatch => {
    const path = pathOf(target)
    const { end } = whole(path)
    const { prefix, unionBehind } = table.zoneAt(path)
    const behind = Math.min(segmentEnd(path, prefix) + 1, end)
    const leaves = [
      ...findLeaves(table.all, path, 1, end),
      ...(versioning.path === undefined ? [] : findLeaves(unionBehind, path, behind, end)),
    ]
    const isOfScheme = error instanceof SchemeFailure
    if (isOfScheme) {
      const located = toLocated(unreadable, target, method)
      const answers = located.match.leaf?.methods[method] !== undefined
      if (answers || leaves.every(({ shape }) => shape.versions.length === 0)) {
        if (!logged.has(error.message)) context.log.error({ err: error.cause }, error.message)
        logged.add(error.message)
        return located
      }
    }
    if (vary.length > 0 && leaves.some(({ shape }) => shape.vary)) context.vary = vary
    throw isOfScheme ? error.cause : error
  }
  return (context, target, method) => {
    try {
      const located = locate(context, target, method)
      return isPromise(located)
        ? located.then(undefined, (error) => fail(context, target, method, error))
        : located
    } catch (error) {
      return fail(context, target, method, error)
    }
  }
}

/** Versions in a header, the query or the host: each leads to a root. */
function createValueLocate(parts: LookupParts, scheme: Versioning['schemes'][number]): Locate {
  const { resolveDefault } = parts
  const resolve = createResolve(parts, scheme, createVersionRoots(parts))
  const { read } = scheme
  return (context, target, method) => {
    const value = read(context.request)
    return isPromise(value)
      ? locateLater(context, target, method, value)
      : locate(context, target, method, value)
  }

  // in a function of its own: a closure would cost every request
  function locateLater(
    context: RequestContext,
    at: PathAt,
    method: number,
    value: PromiseLike<VersionValue>,
  ): PromiseLike<RouteMatch> {
    return value.then((settled) => locate(context, at, method, settled))
  }

  function locate(
    context: RequestContext,
    at: PathAt,
    method: number,
    value: VersionValue,
  ): Awaitable<RouteMatch> {
    if (value !== undefined && value !== '') return toLocated(resolve(value, at, method), at, method)
    const resolution = resolveDefault(context)
    return isPromise(resolution) ? toLocatedLater(resolution, at, method) : toLocated(resolution, at, method)
  }
}

function toLocated(resolution: VersionMatch, at: PathAt, method: number): RouteMatch {
  return { match: find(resolution.root, at, method), resolution }
}

function toLocatedLater(
  resolution: PromiseLike<VersionMatch>,
  at: PathAt,
  method: number,
): PromiseLike<RouteMatch> {
  return resolution.then((settled) => toLocated(settled, at, method))
}

/** Creates the function that settles the version of requests that name none. */
function createDefaultResolver(
  table: Table,
  { defaultVersion, vary, defaultVary, common }: Versioning,
): ResolveDefault {
  const none = withoutVersion(table, vary)
  if (defaultVersion === null) return () => none
  if (typeof defaultVersion === 'string') {
    const always: VersionMatch = { ...none, kind: 'known', version: table.defaultVersion }
    return () => always
  }
  const unchosen = { ...none, vary: defaultVary }
  const byVersion = new Map(
    [...table.defaults].map(([version, root]): readonly [string, VersionMatch] => [
      version,
      { ...unchosen, kind: 'known', root, version },
    ]),
  )
  const { known } = table
  const choice: VersionChoice = {
    find: (name) => (byVersion.has(name) ? name : (known.find(name) ?? findDefault(name, known))),
    supported: () => livingVersions(table, common.clock),
  }
  const toResolution = (version: unknown): VersionMatch => {
    if (version === null) return unchosen
    const isVersion = typeof version === 'string'
    const resolution = isVersion ? byVersion.get(known.find(version) ?? '') : undefined
    if (resolution !== undefined) return resolution
    const given = isVersion ? JSON.stringify(cutVersion(version)) : typeof version
    throw new Error(
      `The function defaultVersion gave ${given}, not a known version (${known.list.join(', ')}) or null`,
    )
  }
  return (context) => {
    const chosen = defaultVersion(context.request, choice, context)
    return isPromise(chosen) ? chosen.then(toResolution) : toResolution(chosen)
  }
}

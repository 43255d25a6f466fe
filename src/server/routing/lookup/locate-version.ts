import { isPromise, type Awaitable } from '../../../base/values.ts'
import { find, findLeaves, wholePath, type PathAt, type Match } from '../../../router/find.ts'
import { SchemeFailure, selectorOf, findDefault, type Versioning } from '../../../versioning/versioning.ts'
import type { VersionValue } from '../../../versioning/schemes/scheme.ts'
import type { RequestContext } from '../../pipeline/context.ts'
import { createSegmentLocate, segmentEnd, createSeveralLocate, createSegments } from './locate-several.ts'
import { besideRest, createPlainLocate, createPathLookup } from './places.ts'
import {
  withoutVersion,
  createVersionRoots,
  createResolve,
  allowHeaders,
  createPlainMiss,
  allowedMethods,
  notAllowed,
  notFoundAnswer,
  type Locate,
  type RouteMatch,
  type VersionMatch,
  type LookupParts,
  type ResolveDefault,
  type PathLeaves,
  type Miss,
  type MissAnswer,
} from './resolution.ts'
import { targetPath, type Target } from './target.ts'
import type { Table } from '../table/table.ts'
import type { VersionChoice } from '../../../versioning/options.ts'
import { cutVersion, hasStatus } from '../../../versioning/version.ts'
import { METHODS, type Method } from '../../../http/http.ts'
import { isRetired } from '../../../versioning/policy.ts'
import type { Endpoint } from '../../pipeline/endpoint.ts'
import type { Endpoints } from '../../../router/node.ts'
import { createVersionError } from './version-error.ts'

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
  const locate = withFailures(parts, forwarding(parts, choosingByPath(parts, createSchemeLocate(parts))))
  return besideRest(table, createPathLookup(table, mode), locate)
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
    const path = targetPath(target)
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
    if (vary.length > 0 && leaves.some(({ shape }) => shape.varies)) context.vary = vary
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
  const { known } = table
  /** The version that the application around this one gives. */
  const fromHost = (version: string): VersionMatch => {
    const name = known.find(version)
    const root = name === undefined ? undefined : table.roots.get(name)
    if (name === undefined || root === undefined)
      throw new Error(
        `The function version gave ${JSON.stringify(cutVersion(version))}, not a known version (${known.list.join(', ')})`,
      )
    return { ...none, kind: 'known', version: name, root }
  }
  if (typeof defaultVersion !== 'function') {
    const always: VersionMatch =
      defaultVersion === null ? none : { ...none, kind: 'known', version: table.defaultVersion }
    return ({ raw }) => (raw.version === undefined ? always : fromHost(raw.version))
  }
  const unchosen = { ...none, vary: defaultVary }
  const byVersion = new Map(
    [...table.defaults].map(([version, root]): readonly [string, VersionMatch] => [
      version,
      { ...unchosen, kind: 'known', root, version },
    ]),
  )
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
    if (context.raw.version !== undefined) return fromHost(context.raw.version)
    const chosen = defaultVersion(context.request, choice, context)
    return isPromise(chosen) ? chosen.then(toResolution) : toResolution(chosen)
  }
}

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
function forwarding(parts: LookupParts, locate: Locate): Locate {
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
    const at = whole(targetPath(target))
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

const OPTIONS = METHODS.indexOf('OPTIONS')

/** The versions in which a path without versions of its own answers. */
function livingVersions({ known, lifetimes }: Table, clock: () => number): readonly string[] {
  return known.list.filter((version) => !isRetired(lifetimes.ofVersion(version), clock))
}

/** Explains why no route matched, in the order of docs/guide/versioning-rules.md#misses */
export function createVersionMiss(
  table: Table,
  versioning: Versioning | undefined,
  mode: { readonly strict: boolean },
): Miss {
  if (versioning === undefined) return createPlainMiss(table)
  const places = createPathLookup(table, mode)
  const { clock } = versioning.common
  const isLate = createIsLate(versioning)
  const versionError = createVersionError(versioning)

  /** The leaves in the version of the request. All versions count if it is not known, or if a preflight leaves it open. */
  const chosen = (located: RouteMatch, all: PathLeaves, isPreflight: boolean): PathLeaves => {
    const { resolution } = located
    if (resolution.kind === 'none' || (isPreflight && isLate(resolution))) return all
    return isUnreadable(resolution) && all.some(hasVersions) ? [] : places.own(located)
  }

  const miss = (located: RouteMatch, method: number, isPreflight: boolean): MissAnswer => {
    const { resolution } = located
    const all = places.anywhere(located)
    if (all.length === 0) return notFoundAnswer()
    const shapes = all.map(({ shape }) => shape)
    const report = table.lifetimes.report(shapes, clock())
    const varies = shapes.some((shape) => shape.varies)
    const isUndescribed = all.every(({ methods }) => methods[method] === undefined)
    if (resolution.kind === 'none' && method !== OPTIONS && !isUndescribed)
      return { varies, isUndescribed, report, error: versionError('unspecified', resolution, report) }
    const leaves = chosen(located, all, isPreflight)
    if (leaves.length > 0) {
      const headers = allowHeaders(leaves)
      if (method === OPTIONS) return { varies, isUndescribed, report, headers, leaves }
      return { varies, isUndescribed, report: undefined, error: notAllowed(headers) }
    }
    const { version } = resolution
    const lifetime = version === null ? undefined : table.lifetimes.ofVersion(version)
    const isOver = resolution.kind === 'known' && isRetired(lifetime, clock)
    return {
      varies,
      isUndescribed,
      report,
      error: isOver
        ? versionError('retired', resolution, report, lifetime)
        : versionError(
            faultOf(resolution, table),
            resolution,
            all.some(hasVersions) ? report : { ...report, supported: livingVersions(table, clock) },
          ),
    }
  }

  return Object.assign(miss, {
    allowed: (located: RouteMatch, isPreflight: boolean): readonly Method[] => {
      const all = places.anywhere(located)
      const own = chosen(located, all, isPreflight)
      const leaves = own.length > 0 ? own : all
      return leaves.length === 0 ? [] : allowedMethods(leaves)
    },
  })
}

/**
 * Creates the function that decides whether a preflight leaves the version open. A preflight has neither the headers nor the cookies of
 * the request that it announces: docs/guide/versioning-rules.md#preflights
 */
function createIsLate({ vary, defaultVersion }: Versioning): (resolution: VersionMatch) => boolean {
  const isOpen = vary.length > 0 || typeof defaultVersion === 'function'
  return ({ scheme }) => scheme === undefined && isOpen
}

function faultOf(
  { kind, version }: VersionMatch,
  { known }: Table,
): 'ambiguous' | 'invalid' | 'unsupported' | 'elsewhere' {
  if (kind === 'ambiguous' || kind === 'invalid') return kind
  return version !== null && known.isElsewhere(version) ? 'elsewhere' : 'unsupported'
}

/** Whether the version cannot be read. At paths with versions, that error comes before a wrong method. */
function isUnreadable({ kind }: VersionMatch): boolean {
  return kind === 'ambiguous' || kind === 'invalid'
}

function hasVersions({ shape }: Endpoints<Endpoint>): boolean {
  return shape.versions.length > 0
}

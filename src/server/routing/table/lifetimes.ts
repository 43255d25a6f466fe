import { METHODS, type Method } from '../../../http/http.ts'
import type { PathInfo, PathShape } from '../../../router/node.ts'
import type { Versioning } from '../../../versioning/versioning.ts'
import {
  statusAt,
  toLifetime,
  type Lifetime,
  type RoutePolicy,
  type VersionPolicy,
} from '../../../versioning/policy.ts'
import {
  createSelect,
  isVersioned,
  type ExpandedSpec,
  type KnownVersions,
} from '../../../versioning/version.ts'
import type { Endpoint } from '../../pipeline/endpoint.ts'
import type { AnsweringRoute, Lifetimes, TableRoute, VersionReport, Versions } from './table.ts'
import type { InfoOf } from './version-leaves.ts'

/** Merges the policies of versions, modules, controllers and routes into lifetimes: docs/guide/deprecation.md#levels */
export function createLifetimes(
  shapes: readonly PathShape<TableRoute>[],
  infoOf: InfoOf,
  versioning: Versioning | undefined,
  { known, defaultVersion }: Versions,
): Lifetimes {
  const policies = byKnown(versioning?.policies ?? [], known)
  const versions = new Map<string, Lifetime>()
  for (const [version, policy] of policies) {
    const lifetime = toLifetime([policy])
    if (lifetime !== undefined) versions.set(version, lifetime)
  }
  // a function may choose any version, and routes without version then answer it
  const isChosen = typeof versioning?.defaultVersion === 'function'
  const find = createFind(shapes, policies, known, (version) => isChosen || version === defaultVersion)
  const answeringAt = createAnsweringAt(defaultVersion, find.of)
  const own = toOwn(shapes, infoOf, answeringAt)
  const lifetimesAt = (leaf: PathInfo, version: string): readonly (Lifetime | undefined)[] =>
    own.get(leaf)?.get(version) ?? [versions.get(version)]
  return {
    isEmpty: versions.size === 0 && find.isEmpty,
    forwards: allPolicies(shapes, policies).some(({ retired }) => retired === 'forward'),
    ofVersion: (version) => versions.get(version),
    of: find.of,
    report: (leaves, now) => toVersionReport(leaves, known, lifetimesAt, now),
    answering: () => {
      const byVersion = new Map(known.list.map((version) => [version, [] as AnsweringRoute[]]))
      for (const shape of shapes) {
        const inVersion = answeringAt(shape)
        for (const [version, found] of byVersion) found.push(...inVersion(version))
      }
      return byVersion
    },
  }
}

/** Every policy of versions and of routes, whatever its level. */
function allPolicies(
  shapes: readonly PathShape<TableRoute>[],
  policies: ReadonlyMap<string, VersionPolicy>,
): readonly VersionPolicy[] {
  const levels = new Set(shapes.flatMap(({ routes }) => routes.flatMap(({ route }) => route.policies)))
  return [
    ...policies.values(),
    ...[...levels].flatMap((level) => [level, ...Object.values(level.versions ?? {})]),
  ]
}

/** Where the versions of some shapes stand. */
function toVersionReport(
  leaves: readonly PathInfo[],
  { list, isElsewhere }: KnownVersions,
  lifetimesAt: (leaf: PathInfo, version: string) => readonly (Lifetime | undefined)[],
  now: number,
): VersionReport {
  const supported: string[] = []
  const deprecated: string[] = []
  for (const version of list) {
    const statuses = leaves
      .filter(({ versions }) => versions.includes(version) || (versions.length > 0 && isElsewhere(version)))
      .flatMap((leaf) => lifetimesAt(leaf, version).map((lifetime) => statusAt(lifetime, now)))
    if (statuses.includes('active')) supported.push(version)
    else if (statuses.some((status) => status !== 'retired')) deprecated.push(version)
  }
  return { supported, deprecated }
}

/** Policies by the known version that each stands for, however it is written. */
export function byKnown(
  policies: Iterable<readonly [written: string, policy: VersionPolicy]>,
  known: KnownVersions,
): ReadonlyMap<string, VersionPolicy> {
  return new Map([...policies].map(([written, policy]) => [known.find(written) ?? written, policy]))
}

interface Find {
  readonly isEmpty: boolean
  readonly of: Lifetimes['of']
}

/** Creates the function that finds the lifetime of an endpoint. */
function createFind(
  shapes: readonly PathShape<TableRoute>[],
  policies: ReadonlyMap<string, VersionPolicy>,
  known: KnownVersions,
  isDefault: (version: string) => boolean,
): Find {
  const byEndpoint = new Map<Endpoint, ReadonlyMap<string | null, Lifetime>>()
  // routes without a policy share the lifetimes of their versions
  const shared = new Map<ExpandedSpec, ReadonlyMap<string | null, Lifetime>>()
  const lifetimesIn = (row: TableRoute, isOpted: boolean): ReadonlyMap<string | null, Lifetime> => {
    const { spec, route } = row
    if (isOpted && spec.unversioned) return lifetimesOf(row, policies, known, isDefault)
    const isNamed = (version: string): boolean => spec.claims.has(version)
    if (route.policies.length > 0) return lifetimesOf(row, policies, known, isNamed)
    const found = shared.get(spec) ?? lifetimesOf(row, policies, known, isNamed)
    shared.set(spec, found)
    return found
  }
  for (const { routes } of shapes) {
    const isOpted = isVersioned(routes)
    for (const row of routes) {
      const found = lifetimesIn(row, isOpted)
      if (found.size === 0) continue
      for (const endpoint of row.endpoints.values()) byEndpoint.set(endpoint, found)
    }
  }
  return {
    isEmpty: byEndpoint.size === 0,
    of: (endpoint, version) => byEndpoint.get(endpoint)?.get(version),
  }
}

/** The policies of one level, for all and for some versions. */
interface PolicyLevel {
  readonly level: RoutePolicy
  readonly byVersion: ReadonlyMap<string | null, VersionPolicy>
}

/** Returns the lifetimes of a route, by the version that it answers. What is said of a version is said of the routes that stand for it. */
function lifetimesOf(
  { route }: TableRoute,
  policies: ReadonlyMap<string, VersionPolicy>,
  known: KnownVersions,
  isNamed: (version: string) => boolean,
): ReadonlyMap<string | null, Lifetime> {
  const lifetimes = new Map<string | null, Lifetime>()
  const levels = route.policies.map((level): PolicyLevel => ({
    level,
    byVersion: byKnown(Object.entries(level.versions ?? {}), known),
  }))
  const plain = toLifetime(route.policies)
  const versions = levels.length > 0 ? [null, ...known.list] : policies.keys()
  for (const version of versions) {
    const ofVersion = version !== null && isNamed(version) ? policies.get(version) : undefined
    const own = levels.flatMap(({ byVersion, level }) => [byVersion.get(version), level])
    // versions without a policy share the lifetime of the route
    const isPlain = ofVersion === undefined && !levels.some(({ byVersion }) => byVersion.has(version))
    const lifetime = isPlain ? plain : toLifetime([...own, ofVersion])
    if (lifetime !== undefined) lifetimes.set(version, lifetime)
  }
  return lifetimes
}

/** Lists the routes that answer in a version, each with its methods. */
type AnsweringRoutes = (version: string) => readonly AnsweringRoute[]

/** Creates the function that lists the routes of a shape. It is not cached, because it grows with shapes and versions. */
type AnsweringAt = (shape: PathShape<TableRoute>) => AnsweringRoutes

function createAnsweringAt(defaultVersion: string | null, lifetimeOf: Lifetimes['of']): AnsweringAt {
  return ({ routes }) => {
    if (!isVersioned(routes)) return () => []
    const selects = METHODS.flatMap((method) => {
      const candidates = routes.filter(({ endpoints }) => endpoints.has(method))
      return candidates.length === 0 ? [] : [{ method, select: createSelect(candidates) }]
    })
    return (version) => {
      const methodsOf = new Map<TableRoute, Method[]>()
      for (const { method, select } of selects) {
        const [row] = select(version, { unversioned: version === defaultVersion, neutral: false })
        if (row !== undefined) methodsOf.set(row, [...(methodsOf.get(row) ?? []), method])
      }
      return [...methodsOf].map(([row, methods]) => {
        const [endpoint] = row.endpoints.values()
        return { row, methods, lifetime: endpoint && lifetimeOf(endpoint, version) }
      })
    }
  }
}

/** At shapes whose routes say something themselves: what is said of each version there, by everything that answers it. */
function toOwn(
  shapes: readonly PathShape<TableRoute>[],
  infoOf: InfoOf,
  answeringAt: AnsweringAt,
): ReadonlyMap<PathInfo, ReadonlyMap<string, readonly (Lifetime | undefined)[]>> {
  const telling = shapes.filter(({ routes }) => routes.some(({ route }) => route.policies.length > 0))
  return new Map(
    telling.map((shape) => {
      const info = infoOf(shape)
      const inVersion = answeringAt(shape)
      const byVersion = info.versions.map((version) => {
        const lifetimes = inVersion(version).map(({ lifetime }) => lifetime)
        return [version, lifetimes] as const
      })
      return [info, new Map(byVersion)]
    }),
  )
}

import type { LeafShape } from '../router/node.ts'
import type { Shape } from '../router/tree.ts'
import { staticDefault } from '../versioning/enable.ts'
import type { Enabled } from '../versioning/enable.ts'
import { statusAt, toLifetime } from '../versioning/policy.ts'
import type { Lifetime, RoutePolicy, VersionPolicy, VersionStatus } from '../versioning/policy.ts'
import { isVersioned } from '../versioning/select.ts'
import type { KnownVersions } from '../versioning/spec.ts'
import type { Endpoint } from './endpoint.ts'
import type { InfoOf, TableRoute } from './leaves.ts'

/** The versions of a path, oldest first; a deprecated one is in the second list only (rule R11), a retired one in none. */
export interface VersionReport {
  readonly supported: readonly string[]
  readonly deprecated: readonly string[]
}

/** What is said of the lives of versions and routes. Made when the application is built; only the moment is asked later. */
export interface Lifetimes {
  /** Whether nothing is said anywhere. */
  readonly isEmpty: boolean
  /** Of a version as a whole. */
  readonly ofVersion: (version: string) => Lifetime | undefined
  /** Of what answers, in the version that it answers. */
  readonly of: (endpoint: Endpoint, version: string | null) => Lifetime | undefined
  /** The versions with a handler at some of the shapes. */
  readonly report: (shapes: readonly LeafShape[], now: number) => VersionReport
}

/** Works the policies of versions, modules, controllers and routes into lifetimes (section 2.13). */
export function createLifetimes(
  shapes: readonly Shape<TableRoute>[],
  infoOf: InfoOf,
  enabled: Enabled | undefined,
  known: KnownVersions,
): Lifetimes {
  const policies = policiesByVersion(enabled, known)
  const versions = new Map<string, Lifetime>()
  for (const [version, policy] of policies) {
    const lifetime = toLifetime([policy])
    if (lifetime !== undefined) versions.set(version, lifetime)
  }
  const find = createFind(shapes, policies, enabled, known)
  const own = toOwn(shapes, infoOf, find, known)
  return {
    isEmpty: versions.size === 0 && find.isEmpty,
    ofVersion: (version) => versions.get(version),
    of: find.of,
    report: (leaves, now) => {
      const statuses = new Map<string, Set<VersionStatus>>()
      for (const leaf of leaves) {
        for (const version of leaf.versions) {
          const lives = own.get(leaf)?.get(version) ?? [versions.get(version)]
          const known = statuses.get(version) ?? new Set()
          statuses.set(version, known)
          for (const life of lives) known.add(statusAt(life, now))
        }
      }
      const within = (test: (found: ReadonlySet<VersionStatus>) => boolean): readonly string[] =>
        known.list.filter((version) => test(statuses.get(version) ?? RETIRED))
      return {
        supported: within((found) => found.has('active')),
        deprecated: within(
          (found) => !found.has('active') && (found.has('deprecated') || found.has('sunset')),
        ),
      }
    },
  }
}

const RETIRED: ReadonlySet<VersionStatus> = new Set(['retired'])

function policiesByVersion(
  enabled: Enabled | undefined,
  known: KnownVersions,
): ReadonlyMap<string, VersionPolicy> {
  return new Map(
    [...(enabled?.policies ?? [])].map(([version, policy]) => [known.find(version) ?? version, policy]),
  )
}

interface Find {
  readonly isEmpty: boolean
  readonly of: Lifetimes['of']
}

/** Makes the function that finds what is said of an endpoint. */
function createFind(
  shapes: readonly Shape<TableRoute>[],
  policies: ReadonlyMap<string, VersionPolicy>,
  enabled: Enabled | undefined,
  known: KnownVersions,
): Find {
  const defaultVersion = staticDefault(enabled, known)
  const byEndpoint = new Map<Endpoint, ReadonlyMap<string | null, Lifetime>>()
  // routes that say nothing themselves share what is said of their versions
  const shared = new Map<unknown, ReadonlyMap<string | null, Lifetime>>()
  for (const { routes } of shapes) {
    const opted = isVersioned(routes)
    for (const row of routes) {
      const { spec, route, endpoints } = row
      const answersDefault = opted && spec.unversioned && defaultVersion !== undefined
      const isPlain = route.policies.length === 0 && !answersDefault
      const found =
        (isPlain ? shared.get(spec) : undefined) ??
        lifetimesOf(row, policies, known, answersDefault ? defaultVersion : undefined)
      if (isPlain) shared.set(spec, found)
      if (found.size > 0) for (const endpoint of endpoints.values()) byEndpoint.set(endpoint, found)
    }
  }
  return {
    isEmpty: byEndpoint.size === 0,
    of: (endpoint, version) => byEndpoint.get(endpoint)?.get(version),
  }
}

/** What is said of a route, by the version that it answers. */
function lifetimesOf(
  { route, spec }: TableRoute,
  policies: ReadonlyMap<string, VersionPolicy>,
  known: KnownVersions,
  asDefault: string | undefined,
): ReadonlyMap<string | null, Lifetime> {
  const lifetimes = new Map<string | null, Lifetime>()
  const versions = route.policies.length > 0 ? [null, ...known.list] : known.list
  for (const version of versions) {
    // what is said of a version is said of the routes that name it, not of neutral ones
    const isNamed = version !== null && (spec.claims.has(version) || version === asDefault)
    const levels = route.policies.flatMap((level) => [inVersion(level, version, known), level])
    const lifetime = toLifetime(isNamed ? [...levels, policies.get(version)] : levels)
    if (lifetime !== undefined) lifetimes.set(version, lifetime)
  }
  return lifetimes
}

function inVersion(
  { versions = {} }: RoutePolicy,
  version: string | null,
  known: KnownVersions,
): VersionPolicy | undefined {
  if (version === null) return undefined
  return Object.entries(versions).find(([written]) => known.find(written) === version)?.[1]
}

/** At shapes whose routes say something themselves: what is said of each version there, by everything that answers it. */
function toOwn(
  shapes: readonly Shape<TableRoute>[],
  infoOf: InfoOf,
  find: Find,
  known: KnownVersions,
): ReadonlyMap<LeafShape, ReadonlyMap<string, readonly (Lifetime | undefined)[]>> {
  const own = new Map<LeafShape, ReadonlyMap<string, readonly (Lifetime | undefined)[]>>()
  for (const shape of shapes) {
    if (!shape.routes.some(({ route }) => route.policies.length > 0)) continue
    const byVersion = known.list.map((version) => {
      const answering = shape.routes.filter(({ spec }) => spec.claims.has(version) || spec.unversioned)
      const named = answering.filter(({ spec }) => spec.claims.has(version))
      const rows = named.length > 0 ? named : answering
      const lives = rows.flatMap(({ endpoints }) =>
        [...endpoints.values()].map((endpoint) => find.of(endpoint, version)),
      )
      return [version, lives] as const
    })
    own.set(infoOf(shape), new Map(byVersion))
  }
  return own
}

import { importInTurn } from '../../../base/values.ts'
import {
  DefinitionError,
  type DefinitionProblem,
  type DefinitionWarning,
} from '../../../base/definition-error.ts'
import type { ResolvedRoute } from '../../../routes/resolved-route.ts'
import { literalsOf, mount, withoutPath, type Mount } from '../../../router/mount.ts'
import { createTree, type Endpoints, type Node, type PathShape, type PathInfo } from '../../../router/node.ts'
import { createSealer, EMPTY_NODE, compileTrie, type Variants } from '../../../router/compile-trie.ts'
import {
  chooseVersion,
  selectorOf,
  staticDefault,
  type Versioning,
  type ActiveScheme,
} from '../../../versioning/versioning.ts'
import {
  isVersioned,
  specEntries,
  createKnown,
  declaredVersions,
  expandSpec,
  type Versioned,
  type ExpandedSpec,
  type KnownVersions,
} from '../../../versioning/version.ts'
import {
  lifetimeProblems,
  cutList,
  routeGroups,
  versionsText,
  type RouteGroup,
} from './checks/versioning-lifetimes.ts'
import { versioningProblems } from './checks/versioning.ts'
import type { Endpoint } from '../../pipeline/endpoint.ts'
import { createLifetimes } from './lifetimes.ts'
import type { CompiledRoute, Roots, Table, TableMode, TableRoute, Versions, Zone } from './table.ts'
import { createLeaves, createNotes, type LeafChooser } from './version-leaves.ts'
import { METHODS } from '../../../http/http.ts'

/**
 * Compiles the routes of an application, with versioning or without.
 *
 * @throws `DefinitionError` for mistakes that depend on versioning, and for duplicate routes.
 */
export function createVersionTable(
  routes: readonly CompiledRoute[],
  versioning: Versioning | undefined,
  mode: TableMode,
): Table {
  return versioning === undefined ? createPlainTable(routes, mode) : buildTable(routes, versioning, mode)
}

function buildTable(routes: readonly CompiledRoute[], versioning: Versioning, mode: TableMode): Table {
  const declared = declaredVersions(routes.map(({ route }) => route.version))
  const known = createKnown(versioning, declared)
  const specs = new Map<unknown, ExpandedSpec>()
  // routes with equal versions share the written-out list
  const specOf = (version: ResolvedRoute['version']): ExpandedSpec => {
    const key = JSON.stringify(specEntries(version).map(String)) + String(version === undefined)
    const spec = specs.get(key) ?? expandSpec(version, known)
    specs.set(version, spec).set(key, spec)
    return spec
  }
  const rows = routes.map(({ route, endpoints }): TableRoute => {
    const spec = specs.get(route.version) ?? specOf(route.version)
    return { route, pattern: route.pattern, endpoints, spec }
  })
  const versions = createVersions(versioning, known)
  const problems = versionedProblems(rows, versioning, versions)
  const tree = createTree(rows, mode.strict)
  const leaves = createLeaves(rows, tree.strict, versioning, versions)
  const sealer = createSealer<Endpoint>()
  const roots = toRoots((select) => compileTrie(tree, select, sealer), leaves, versioning, { known, ...mode })
  const shapes = [...tree.shapes.values()]
  const lifetimes = createLifetimes(shapes, leaves.infoOf, versioning, versions)
  // what ranges cover is not known before their list is complete
  const isSettled = !problems.some(({ code }) => UNSETTLED.includes(code))
  const all = [
    ...problems,
    ...(isSettled ? [...leaves.problems(), ...rangeSplits(shapes, known)] : []),
    ...lifetimeProblems(rows, lifetimes, known, versioning.placeOf()),
  ]
  if (all.length > 0) throw new DefinitionError(all)
  const findWarnings = createWarnings(shapes, versioning, { ...versions, unused: leaves.unused() })
  const withoutSegment = findWithoutSegment(shapes, leaves, versioning)
  return { ...roots, ...versions, withoutSegment, lifetimes, rows, shapes, findWarnings }
}

/** Creates the function that finds warnings. Its code is loaded with the start, because requests never need it. */
function createWarnings(
  shapes: readonly PathShape<TableRoute>[],
  versioning: Versioning,
  rest: Versions & { readonly unused: ReadonlySet<TableRoute> },
): Table['findWarnings'] {
  return async () => {
    const { versionWarnings } = await importInTurn(() => import('./checks/version-warnings.ts'))
    const warnings = await findMountWarnings(shapes.flatMap(({ routes }) => routes))
    return [...versionWarnings(shapes, versioning, rest), ...warnings]
  }
}

async function findMountWarnings(rows: readonly TableRoute[]): Promise<readonly DefinitionWarning[]> {
  if (rows.every(({ route }) => route.mount === undefined)) return []
  return (await importInTurn(() => import('./checks/mounts.ts'))).mountWarnings(rows)
}

/** The neutral routes whose every method answers requests without a version, if versions are in the path. */
function findWithoutSegment(
  shapes: readonly PathShape<TableRoute>[],
  leaves: LeafChooser,
  versioning: Versioning,
): ReadonlySet<ResolvedRoute> {
  if (versioning.path === undefined) return new Set()
  const isChosen = typeof versioning.defaultVersion === 'function'
  return new Set(
    shapes.flatMap((shape) => {
      // a function chooses what answers there
      if (isChosen && isVersioned(shape.routes)) return []
      const unversioned = leaves.withoutVersion(shape)?.methods ?? []
      return shape.routes
        .filter(
          ({ spec, endpoints }) =>
            spec.neutral && [...endpoints.values()].every((each) => unversioned.includes(each)),
        )
        .map(({ route }) => route)
    }),
  )
}

const UNSETTLED: readonly string[] = ['range_without_versions', 'version_not_listed']

/** @throws `DefinitionError` when the options cannot be used: nothing that depends on them is worth a report. */
function versionedProblems(
  rows: readonly TableRoute[],
  versioning: Versioning,
  versions: Versions,
): readonly DefinitionProblem[] {
  if (!versioning.usable) throw new DefinitionError(versioning.problems)
  return [...versioning.problems, ...versioningProblems(rows, versioning, versions)]
}

type SealWith = (
  select: (shape: PathShape<TableRoute>) => Variants<Endpoints<Endpoint>>,
) => Variants<Node<Endpoint>>

function toRoots(
  sealWith: SealWith,
  leaves: LeafChooser,
  versioning: Versioning,
  { known, prefix, strict }: TableMode & Pick<Versions, 'known'>,
): Pick<
  Table,
  'withoutVersion' | 'pathRoot' | 'roots' | 'defaults' | 'unknownVersion' | 'all' | 'prefixZones' | 'zoneAt'
> {
  const always = (leaf: (shape: PathShape<TableRoute>) => Endpoints<Endpoint> | null): Node<Endpoint> =>
    sealWith((shape) => ({ rest: leaf(shape), at: undefined })).rest ?? EMPTY_NODE
  const withoutVersion = always(leaves.withoutVersion)
  const union = always(leaves.union)
  const { path, schemes } = versioning
  const versions = byVersion(
    sealWith((shape) => leaves.versions(shape)),
    known,
  )
  const toZone = (before: string, behind: (node: Node<Endpoint>) => Node<Endpoint>): Zone => ({
    prefix: before,
    inPath:
      path === undefined ? NONE : new Map([...versions].map(([version, node]) => [version, behind(node)])),
    unionBehind: path === undefined ? union : behind(union),
  })
  const literals = literalsIn(prefix.path)
  const inner = toZone(prefix.path, (node) =>
    literals.length === 0 ? node : nodeBelow(node, literals, strict),
  )
  // routes without the prefix have their version in the first segment
  const outer =
    literals.length === 0 || prefix.exclusions.length === 0
      ? undefined
      : toZone('', (node) => withoutPath(node, literals))
  const prefixZones = outer === undefined ? ([inner] as const) : ([inner, outer] as const)
  return {
    withoutVersion,
    pathRoot:
      path === undefined
        ? withoutVersion
        : prefixZones.reduce(
            (root, zone) => mount(root, literalsIn(zone.prefix), toMounts(path, zone.inPath, known)),
            withoutVersion,
          ),
    roots: schemes.some((scheme) => scheme !== path) ? versions : NONE,
    defaults:
      typeof versioning.defaultVersion === 'function'
        ? byVersion(
            sealWith((shape) => leaves.defaults(shape)),
            known,
          )
        : NONE,
    unknownVersion: always(leaves.other),
    all: union,
    prefixZones,
    zoneAt: createZoneAt(inner, outer, prefix),
  }
}

/** Creates the function that finds the zone of a path. It stands apart from what builds the table, which would stay in memory with it. */
function createZoneAt(inner: Zone, outer: Zone | undefined, prefix: TableMode['prefix']): Table['zoneAt'] {
  return outer === undefined ? () => inner : (asked) => (prefix.at(asked) === '' ? outer : inner)
}

function literalsIn(prefix: string): readonly string[] {
  return prefix.split('/').filter(Boolean)
}

const NONE: ReadonlyMap<string, never> = new Map<string, never>()

/** Returns the nodes that the segments of each version lead to. */
function toMounts(
  { scheme, options }: ActiveScheme,
  inPath: Roots,
  { spellings }: KnownVersions,
): ReadonlyMap<string, Mount<Endpoint>> {
  const texts = [...spellings, ...[...inPath.keys()].map((version) => [version, version] as const)]
  return new Map(
    texts.flatMap(([text, version]) => {
      const root = inPath.get(version)
      const segments = root === undefined ? [] : (scheme.segments?.(text, options) ?? [])
      return segments.map((segment) => [segment, { version, root: root ?? EMPTY_NODE }] as const)
    }),
  )
}

/** Returns the node below a path of literal segments; where slashes do not count, the path itself ends there with and without one. */
function nodeBelow(
  node: Node<Endpoint>,
  [first, ...rest]: readonly string[],
  strict: boolean,
): Node<Endpoint> {
  if (first === undefined) return strict ? node : { ...node, slash: node.slash ?? node.leaf }
  return nodeBelow(literalsOf(node).find(({ key }) => key === first) ?? EMPTY_NODE, rest, strict)
}

function byVersion({ rest, at }: Variants<Node<Endpoint>>, { list }: KnownVersions): Roots {
  return new Map(
    list.map((version, position) => [version, (at === undefined ? rest : at[position]) ?? EMPTY_NODE]),
  )
}

/** Returns the versions of an application for handlers. */
function createVersions(versioning: Versioning, known: KnownVersions): Versions {
  const defaultVersion = staticDefault(versioning, known) ?? null
  const selector = selectorOf(versioning, known)
  const servedAt = (rows: readonly Versioned[]): readonly string[] => {
    const served = namedIn(rows)
    if (served.size > 0 && defaultVersion !== null && rows.some(({ spec }) => spec.unversioned)) {
      served.add(defaultVersion)
    }
    return known.list.filter((version) => served.has(version))
  }
  // a selector chooses among the versions of a path, so that the path does not end when another one gets a new version
  const defaultAt: Versions['defaultAt'] =
    selector === undefined
      ? () => defaultVersion
      : (rows) => chooseVersion(selector, servedAt(rows)) ?? defaultVersion
  return { known, defaultVersion, servedAt, defaultAt }
}

function namedIn(rows: readonly Versioned[]): Set<string> {
  const named = new Set<string>()
  for (const { spec } of rows) for (const version of spec.claims.keys()) named.add(version)
  return named
}

const UNVERSIONED: ExpandedSpec = { unversioned: true, neutral: false, claims: NONE }
const NO_VERSIONS: KnownVersions = {
  list: [],
  format: 'string',
  isOrdered: true,
  find: () => undefined,
  isElsewhere: () => false,
  spellings: NONE,
}
const UNKNOWN: Versions = {
  known: NO_VERSIONS,
  defaultVersion: null,
  servedAt: () => [],
  defaultAt: () => null,
}
const GET = METHODS.indexOf('GET')
const HEAD = METHODS.indexOf('HEAD')

/** Compiles the routes of an application without versioning. @throws `DefinitionError` for duplicate routes and policies that contradict each other. */
function createPlainTable(routes: readonly CompiledRoute[], { strict, prefix }: TableMode): Table {
  const rows = routes.map(({ route, endpoints }): TableRoute => ({
    route,
    pattern: route.pattern,
    endpoints,
    spec: UNVERSIONED,
  }))
  const tree = createTree(rows, strict)
  const notes = createNotes(false)
  const methodsOf = ({ routes: rivals }: PathShape<TableRoute>): (Endpoint | undefined)[] => {
    const methods = METHODS.map((method) => {
      const [chosen, ...others] = rivals.filter(({ endpoints }) => endpoints.has(method))
      for (const other of others) if (chosen) notes.duplicate(chosen.route, other.route, method, null)
      return chosen?.endpoints.get(method)
    })
    // HEAD answers from GET unless it is declared
    methods[HEAD] ??= methods[GET]
    return methods
  }
  const sealed = compileTrie<TableRoute, Endpoint>(tree, (shape) => ({
    rest: { methods: methodsOf(shape), shape: routeInfo(shape) },
    at: undefined,
  }))
  const shapes = [...tree.shapes.values()]
  const lifetimes = createLifetimes(shapes, routeInfo, undefined, UNKNOWN)
  const problems = [...notes.problems(), ...lifetimeProblems(rows, lifetimes, NO_VERSIONS, 'createApp')]
  if (problems.length > 0) throw new DefinitionError(problems)
  const withoutVersion = sealed.rest ?? EMPTY_NODE
  const zone: Zone = { prefix: prefix.path, inPath: NONE, unionBehind: withoutVersion }
  return {
    withoutVersion,
    pathRoot: withoutVersion,
    roots: NONE,
    defaults: NONE,
    unknownVersion: EMPTY_NODE,
    all: withoutVersion,
    prefixZones: [zone],
    zoneAt: () => zone,
    ...UNKNOWN,
    withoutSegment: new Set(),
    lifetimes,
    rows,
    shapes,
    findWarnings: () => findMountWarnings(rows),
  }
}

function routeInfo({ pattern }: PathShape<TableRoute>): PathInfo {
  return { pattern: pattern.text, varies: false, versions: [], defaultVersion: null }
}

/**
 * Reports a range that goes on above a version which another route names, so that a newer version would get older code than the one
 * before it. A range that leaves the version out goes on because its definition says so.
 */
function rangeSplits(
  shapes: readonly PathShape<TableRoute>[],
  known: KnownVersions,
): readonly DefinitionProblem[] {
  const shared = shapes.filter(({ routes }) => routes.length > 1 && routes.some(hasRange))
  const problems = routeGroups(shared).flatMap((group) =>
    group.rows.flatMap((row) => splitOf(row, group, known)),
  )
  // a route of several methods is looked at for each of them
  return [...new Map(problems.map((problem) => [problem.where + problem.message, problem])).values()]
}

function hasRange({ spec }: TableRoute): boolean {
  // a loop, because hundreds of routes may name a hundred versions each
  for (const { strength } of spec.claims.values()) if (strength === 1) return true
  return false
}

function splitOf(
  row: TableRoute,
  { claimant }: RouteGroup,
  { list }: KnownVersions,
): readonly DefinitionProblem[] {
  const covered = list.filter((version) => row.spec.claims.get(version)?.strength === 1)
  const own = covered.filter((version) => claimant(version) === row)
  const [lowest = '', highest = ''] = [own[0], own.at(-1)]
  const inside = covered.slice(covered.indexOf(lowest), covered.indexOf(highest) + 1)
  const named = inside.filter((version) => claimant(version)?.spec.claims.get(version)?.strength === 0)
  const [first] = named
  if (first === undefined) return []
  const labels = named.flatMap((version) => claimant(version)?.route.label ?? [])
  const above = own.filter((version) => covered.indexOf(version) > covered.indexOf(first))
  const verb = new Set(labels).size === 1 ? 'answers' : 'answer'
  return [
    {
      code: 'range_split',
      where: row.route.label,
      message: `${cutList(labels)} ${verb} ${versionsText(named)} inside this range, and the range answers ${versionsText(above)} above`,
      fix: `end the range with <${first}, or leave the ${named.length === 1 ? 'version' : 'versions'} out if it is to go on: [${rangesWithout(named, covered, list).join(', ')}]`,
    },
  ]
}

/** Ranges over the covered versions that leave out the named ones. */
function rangesWithout(
  named: readonly string[],
  covered: readonly string[],
  list: readonly string[],
): readonly string[] {
  const top = covered.at(-1)
  const end = top === undefined || top === list.at(-1) ? '' : ` <=${top}`
  const starts = [`>=${covered[0]}`, ...named.map((version) => `>${version}`)]
  const ends = [...named.map((version) => ` <${version}`), end]
  const places = [-1, ...named.map((version) => covered.indexOf(version)), covered.length]
  return starts.flatMap((start, index) => {
    const isEmpty = (places[index + 1] ?? 0) - (places[index] ?? 0) < 2
    return isEmpty ? [] : [`'${start}${ends[index]}'`]
  })
}

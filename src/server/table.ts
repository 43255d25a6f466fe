import { DefinitionError } from '../definition-error.ts'
import type { DefinitionProblem } from '../definition-error.ts'
import type { FlatRoute } from '../define/flat-route.ts'
import { METHODS } from '../http.ts'
import { EMPTY_NODE, mount, seal } from '../router/seal.ts'
import type { Variants } from '../router/seal.ts'
import type { Leaf, LeafShape, Mount, Node } from '../router/node.ts'
import { overlaps } from '../router/overlap.ts'
import { createTree } from '../router/tree.ts'
import type { Shape } from '../router/tree.ts'
import type { Enabled } from '../versioning/enable.ts'
import { isVersioned, selectFor } from '../versioning/select.ts'
import type { Versioned } from '../versioning/select.ts'
import { createKnown, declaredVersions, expandSpec } from '../versioning/spec.ts'
import type { KnownVersions } from '../versioning/spec.ts'
import { versioningProblems } from './check-versioning.ts'
import type { Endpoint } from './endpoint.ts'

/** A route on its way into the table: its pattern for the trie, its versions written out. */
export interface TableRoute extends Versioned {
  readonly route: FlatRoute
  readonly pattern: FlatRoute['pattern']
  /** One for each method of the route. */
  readonly endpoints: ReadonlyMap<string, Endpoint>
}

/** The root of one version. */
export interface VersionRoot {
  readonly version: string
  readonly node: Node<Endpoint>
}

/** Every route, compiled for lookups. Nothing in it is written after it was built. */
export interface Table {
  readonly known: KnownVersions
  /** Where a request without a version looks: the default version's routes, or those that answer without. */
  readonly bare: Node<Endpoint>
  /** By the spelling that a request uses. */
  readonly roots: ReadonlyMap<string, VersionRoot>
  /** Version roots for versions that a default function chooses: unversioned routes answer there too. */
  readonly defaults: ReadonlyMap<string, VersionRoot>
  /** For values that name no known version: paths that never opted into versioning. */
  readonly other: Node<Endpoint>
  /** All routes of all versions, to tell apart why nothing matched. */
  readonly union: Node<Endpoint>
  /** What deserves a look, though it works. */
  readonly warnings: readonly { readonly where: string; readonly message: string }[]
}

/** Compiles the routes. @throws `DefinitionError` for mistakes that depend on versioning, and for duplicate routes. */
export function createTable(
  routes: readonly { readonly route: FlatRoute; readonly endpoints: ReadonlyMap<string, Endpoint> }[],
  enabled: Enabled | undefined,
  mode: { readonly strict: boolean; readonly prefix: string },
): Table {
  const flat = routes.map(({ route }) => route)
  const declared = enabled === undefined ? [] : flat.flatMap(({ version }) => declaredVersions(version))
  const known = createKnown(enabled?.versions ?? [], declared, enabled?.format ?? 'string')
  const problems =
    enabled === undefined
      ? []
      : [...enabled.problems, ...versioningProblems(flat, enabled, known, mode.prefix)]
  if (problems.length > 0) throw new DefinitionError(problems)
  const rows = routes.map(({ route, endpoints }): TableRoute => {
    const spec = expandSpec(enabled === undefined ? undefined : route.version, known)
    return { route, pattern: route.pattern, endpoints, spec }
  })
  const tree = createTree(rows, mode.strict)
  const leaves = createLeaves(rows, tree.strict, enabled, known)
  const table = toTable((select) => seal(tree, select), leaves, enabled, { known, prefix: mode.prefix })
  const duplicates = leaves.problems()
  if (duplicates.length > 0) throw new DefinitionError(duplicates)
  return { ...table, known, warnings: leaves.warnings() }
}

type SealWith = (select: (shape: Shape<TableRoute>) => Variants<Leaf<Endpoint>>) => Variants<Node<Endpoint>>

function toTable(
  sealWith: SealWith,
  leaves: Leaves,
  enabled: Enabled | undefined,
  { known, prefix }: { readonly known: KnownVersions; readonly prefix: string },
): Omit<Table, 'known' | 'warnings'> {
  const always = (leaf: (shape: Shape<TableRoute>) => Leaf<Endpoint> | null): Node<Endpoint> =>
    sealWith((shape) => ({ rest: leaf(shape), by: new Map() })).rest ?? EMPTY_NODE
  const defaultVersion =
    typeof enabled?.defaultVersion === 'string' ? (known.find(enabled.defaultVersion) ?? null) : null
  const bare = always((shape) => leaves.bare(shape, defaultVersion))
  if (enabled === undefined)
    return { bare, roots: new Map(), defaults: new Map(), other: EMPTY_NODE, union: bare }

  const versioned = sealWith((shape) => leaves.versions(shape, defaultVersion))
  const roots = toRoots(versioned, known, (version) => enabled.scheme.fold(version))
  const dynamic = typeof enabled.defaultVersion === 'function'
  const { segments } = enabled.scheme
  const mounts = new Map<string, Mount<Endpoint>>()
  if (segments !== undefined) {
    for (const { version, node } of roots.values()) {
      for (const segment of segments(version, enabled.options)) mounts.set(segment, { version, root: node })
    }
  }
  // where a function chooses the default, a path without version waits for it
  const ground = dynamic && segments !== undefined ? EMPTY_NODE : bare
  return {
    bare: segments === undefined ? bare : mount(ground, prefix.split('/').filter(Boolean), mounts),
    roots,
    defaults: dynamic
      ? toRoots(
          sealWith((shape) => leaves.defaults(shape)),
          known,
          (version) => version,
        )
      : new Map(),
    other: always(leaves.other),
    union: always(leaves.union),
  }
}

function toRoots(
  variants: Variants<Node<Endpoint>>,
  known: KnownVersions,
  spell: (version: string) => string,
): ReadonlyMap<string, VersionRoot> {
  return new Map(
    known.list.map((version) => {
      const node = variants.by.has(version) ? variants.by.get(version) : variants.rest
      return [spell(version), { version, node: node ?? EMPTY_NODE }]
    }),
  )
}

/** Chooses what answers at each path shape, and notes what conflicts. */
interface Leaves {
  readonly bare: (shape: Shape<TableRoute>, defaultVersion: string | null) => Leaf<Endpoint> | null
  readonly versions: (shape: Shape<TableRoute>, defaultVersion: string | null) => Variants<Leaf<Endpoint>>
  readonly defaults: (shape: Shape<TableRoute>) => Variants<Leaf<Endpoint>>
  readonly other: (shape: Shape<TableRoute>) => Leaf<Endpoint> | null
  readonly union: (shape: Shape<TableRoute>) => Leaf<Endpoint> | null
  readonly problems: () => readonly DefinitionProblem[]
  readonly warnings: () => Table['warnings']
}

interface Answers {
  readonly unversioned: boolean
  readonly neutral: boolean
}

function createLeaves(
  rows: readonly TableRoute[],
  strict: boolean,
  enabled: Enabled | undefined,
  known: KnownVersions,
): Leaves {
  const problems = new Map<string, DefinitionProblem>()
  const warnings = new Map<string, { readonly where: string; readonly message: string }>()
  const used = new Set<Endpoint>()
  const inPath = enabled?.scheme.segments !== undefined
  const versionedRows = rows.filter((row) => isVersioned([row]))
  const versionedTree =
    (enabled?.vary.length ?? 0) > 0 && versionedRows.length > 0
      ? createTree(versionedRows, strict)
      : undefined
  const shapes = new Map<Shape<TableRoute>, LeafShape>()

  const shapeInfo = (shape: Shape<TableRoute>): LeafShape => {
    const info = shapes.get(shape) ?? {
      pattern: shape.pattern.text,
      vary: versionedTree !== undefined && overlaps(versionedTree, shape.pattern),
      versions: servedVersions(shape.routes, known, enabled),
    }
    shapes.set(shape, info)
    return info
  }

  const leafFor = (
    shape: Shape<TableRoute>,
    version: string | null,
    answers: Answers,
  ): Leaf<Endpoint> | null => {
    const methods = METHODS.map((method) => {
      const candidates = shape.routes.filter(({ endpoints }) => endpoints.has(method))
      const [chosen, rival] = selectFor(candidates, version, answers)
      if (chosen === undefined) return undefined
      if (rival !== undefined) noteDuplicate(chosen.route, rival.route, method, version)
      const endpoint = chosen.endpoints.get(method)
      if (endpoint !== undefined) used.add(endpoint)
      if (
        chosen.spec.unversioned &&
        !isVersioned(shape.routes) &&
        candidates.some(({ spec }) => spec.neutral)
      ) {
        warnings.set(chosen.route.label, {
          where: chosen.route.label,
          message: 'a neutral route stands beside this unversioned one and never answers without a version',
        })
      }
      return endpoint
    })
    if (methods.every((endpoint) => endpoint === undefined)) return null
    // HEAD answers from GET unless it is declared
    methods[HEAD] ??= methods[GET]
    return { methods, shape: shapeInfo(shape) }
  }

  const noteDuplicate = (a: FlatRoute, b: FlatRoute, method: string, version: string | null): void => {
    const key = `${a.label}\n${b.label}\n${method}`
    if (problems.has(key)) return
    const versions = enabled !== undefined && version !== null ? ` for version ${version}` : ''
    problems.set(key, {
      code: 'duplicate_route',
      where: b.label,
      message: `${a.label} answers ${method} on the same path${versions} too`,
      fix:
        enabled === undefined && (a.version !== undefined || b.version !== undefined)
          ? 'call app.enableVersioning: their versions do not count before'
          : 'change the path, the method or the version of one of them',
    })
  }

  const variants = (
    shape: Shape<TableRoute>,
    versions: Iterable<string>,
    answersFor: (version: string | null) => Answers,
  ): Variants<Leaf<Endpoint>> => ({
    rest: leafFor(shape, null, answersFor(null)),
    by: new Map([...versions].map((version) => [version, leafFor(shape, version, answersFor(version))])),
  })

  return {
    bare: (shape, defaultVersion) => leafFor(shape, defaultVersion, { unversioned: true, neutral: true }),
    versions: (shape, defaultVersion) => {
      const opted = isVersioned(shape.routes)
      const named = new Set(shape.routes.flatMap(({ spec }) => [...spec.claims.keys()]))
      if (opted && defaultVersion !== null) named.add(defaultVersion)
      return variants(shape, named, (version) => ({
        unversioned: opted ? version !== null && version === defaultVersion : !inPath,
        neutral: true,
      }))
    },
    defaults: (shape) => {
      const named = new Set(shape.routes.flatMap(({ spec }) => [...spec.claims.keys()]))
      return variants(shape, named, () => ({ unversioned: true, neutral: true }))
    },
    other: (shape) =>
      isVersioned(shape.routes) ? null : leafFor(shape, null, { unversioned: true, neutral: true }),
    union: (shape) => {
      const methods = METHODS.map((method) =>
        shape.routes.find(({ endpoints }) => endpoints.has(method))?.endpoints.get(method),
      )
      methods[HEAD] ??= methods[GET]
      return { methods, shape: shapeInfo(shape) }
    },
    problems: () => [...problems.values()],
    warnings: () => [
      ...warnings.values(),
      ...rows
        .filter(({ endpoints }) => ![...endpoints.values()].some((endpoint) => used.has(endpoint)))
        .map(({ route }) => ({
          where: route.label,
          message: 'this route can never be reached: others answer for every version',
        })),
    ],
  }
}

const GET = METHODS.indexOf('GET')
const HEAD = METHODS.indexOf('HEAD')

/** The versions with a handler at a path shape, oldest first; neutral handlers do not count. */
function servedVersions(
  rows: readonly TableRoute[],
  known: KnownVersions,
  enabled: Enabled | undefined,
): readonly string[] {
  const served = new Set(rows.flatMap(({ spec }) => [...spec.claims.keys()]))
  const defaultVersion =
    typeof enabled?.defaultVersion === 'string' ? known.find(enabled.defaultVersion) : undefined
  if (served.size > 0 && defaultVersion !== undefined && rows.some(({ spec }) => spec.unversioned))
    served.add(defaultVersion)
  return known.list.filter((version) => served.has(version))
}

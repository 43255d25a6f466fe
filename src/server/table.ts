import { DefinitionError } from '../definition-error.ts'
import type { FlatRoute } from '../define/flat-route.ts'
import { EMPTY_NODE, literalsOf, mount, seal } from '../router/seal.ts'
import type { Variants } from '../router/seal.ts'
import type { Leaf, Mount, Node } from '../router/node.ts'
import { createTree } from '../router/tree.ts'
import type { Shape } from '../router/tree.ts'
import { staticDefault } from '../versioning/enable.ts'
import type { Enabled } from '../versioning/enable.ts'
import { createKnown, declaredVersions, expandSpec } from '../versioning/spec.ts'
import type { KnownVersions } from '../versioning/spec.ts'
import { versioningProblems } from './check-versioning.ts'
import type { Endpoint } from './endpoint.ts'
import { createLeaves } from './leaves.ts'
import type { Leaves, TableRoute, Warning } from './leaves.ts'

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
  /** Where versions are in the path: the start of every lookup. Version segments lead from it into their roots. */
  readonly entry: Node<Endpoint>
  /** By the spelling that a request uses. Where versions are in the path, without the prefix before their segments. */
  readonly roots: ReadonlyMap<string, VersionRoot>
  /** Version roots for versions that a default function chooses: unversioned routes answer there too. */
  readonly defaults: ReadonlyMap<string, VersionRoot>
  /** For values that name no known version: paths that never opted into versioning. */
  readonly other: Node<Endpoint>
  /** All routes of all versions, to tell apart why nothing matched. */
  readonly union: Node<Endpoint>
  /** The same behind a version segment. */
  readonly unionBehind: Node<Endpoint>
  readonly warnings: readonly Warning[]
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
      : [
          ...enabled.problems,
          ...(enabled.usable ? versioningProblems(flat, enabled, known, mode.prefix) : []),
        ]
  if (problems.length > 0) throw new DefinitionError(problems)
  const rows = routes.map(({ route, endpoints }): TableRoute => {
    const spec = expandSpec(enabled === undefined ? undefined : route.version, known)
    return { route, pattern: route.pattern, endpoints, spec }
  })
  const tree = createTree(rows, mode.strict)
  const leaves = createLeaves(rows, tree.strict, enabled, known)
  const table = toTable((select) => seal(tree, select), leaves, enabled, { known, ...mode })
  const duplicates = leaves.problems()
  if (duplicates.length > 0) throw new DefinitionError(duplicates)
  return { ...table, known, warnings: leaves.warnings() }
}

type SealWith = (select: (shape: Shape<TableRoute>) => Variants<Leaf<Endpoint>>) => Variants<Node<Endpoint>>

function toTable(
  sealWith: SealWith,
  leaves: Leaves,
  enabled: Enabled | undefined,
  {
    known,
    prefix,
    strict,
  }: { readonly known: KnownVersions; readonly prefix: string; readonly strict: boolean },
): Omit<Table, 'known' | 'warnings'> {
  const always = (leaf: (shape: Shape<TableRoute>) => Leaf<Endpoint> | null): Node<Endpoint> =>
    sealWith((shape) => ({ rest: leaf(shape), by: new Map() })).rest ?? EMPTY_NODE
  const defaultVersion = staticDefault(enabled, known) ?? null
  const bare = always((shape) => leaves.bare(shape, defaultVersion))
  if (enabled === undefined) {
    return {
      bare,
      entry: bare,
      roots: new Map(),
      defaults: new Map(),
      other: EMPTY_NODE,
      union: bare,
      unionBehind: bare,
    }
  }

  const union = always(leaves.union)
  const { segments } = enabled.scheme
  const literals = prefix.split('/').filter(Boolean)
  const behind = (node: Node<Endpoint>): Node<Endpoint> =>
    segments === undefined || literals.length === 0 ? node : below(node, literals, strict)
  const versioned = sealWith((shape) => leaves.versions(shape, defaultVersion))
  const roots = toRoots(versioned, known, { spell: enabled.scheme.fold, behind })
  const mounts = new Map<string, Mount<Endpoint>>()
  if (segments !== undefined) {
    for (const { version, node } of roots.values()) {
      for (const segment of segments(version, enabled.options)) mounts.set(segment, { version, root: node })
    }
  }
  return {
    bare,
    entry: segments === undefined ? bare : mount(bare, literals, mounts),
    roots,
    defaults:
      typeof enabled.defaultVersion === 'function'
        ? toRoots(
            sealWith((shape) => leaves.defaults(shape)),
            known,
          )
        : new Map(),
    other: always(leaves.other),
    union,
    unionBehind: behind(union),
  }
}

const asItIs = <V>(value: V): V => value

/** What is below a path of literal segments; where slashes do not count, the path itself ends there with and without one. */
function below(node: Node<Endpoint>, [first, ...rest]: readonly string[], strict: boolean): Node<Endpoint> {
  if (first === undefined) return strict ? node : { ...node, slash: node.slash ?? node.leaf }
  return below(literalsOf(node).find(({ key }) => key === first) ?? EMPTY_NODE, rest, strict)
}

function toRoots(
  variants: Variants<Node<Endpoint>>,
  known: KnownVersions,
  {
    spell = asItIs,
    behind = asItIs,
  }: {
    readonly spell?: (version: string) => string
    readonly behind?: (node: Node<Endpoint>) => Node<Endpoint>
  } = {},
): ReadonlyMap<string, VersionRoot> {
  return new Map(
    known.list.map((version) => {
      const node = variants.by.has(version) ? variants.by.get(version) : variants.rest
      return [spell(version), { version, node: behind(node ?? EMPTY_NODE) }]
    }),
  )
}

import type { DefinitionProblem } from '../definition-error.ts'
import type { FlatRoute } from '../define/flat-route.ts'
import { METHODS } from '../http.ts'
import type { Variants } from '../router/seal.ts'
import type { Leaf, LeafShape } from '../router/node.ts'
import { overlaps } from '../router/overlap.ts'
import { createTree } from '../router/tree.ts'
import type { Shape } from '../router/tree.ts'
import { staticDefault } from '../versioning/enable.ts'
import type { Enabled } from '../versioning/enable.ts'
import { isVersioned, selectFor } from '../versioning/select.ts'
import type { Versioned } from '../versioning/select.ts'
import type { KnownVersions } from '../versioning/spec.ts'
import type { Endpoint } from './endpoint.ts'

/** A route on its way into the table: its pattern for the trie, its versions written out. */
export interface TableRoute extends Versioned {
  readonly route: FlatRoute
  readonly pattern: FlatRoute['pattern']
  /** One for each method of the route. */
  readonly endpoints: ReadonlyMap<string, Endpoint>
}

/** What deserves a look, though it works. */
export interface Warning {
  readonly where: string
  readonly message: string
}

/** Chooses what answers at each path shape, and notes what conflicts. */
export interface Leaves {
  readonly bare: (shape: Shape<TableRoute>, defaultVersion: string | null) => Leaf<Endpoint> | null
  readonly versions: (shape: Shape<TableRoute>, defaultVersion: string | null) => Variants<Leaf<Endpoint>>
  readonly defaults: (shape: Shape<TableRoute>) => Variants<Leaf<Endpoint>>
  readonly other: (shape: Shape<TableRoute>) => Leaf<Endpoint> | null
  readonly union: (shape: Shape<TableRoute>) => Leaf<Endpoint> | null
  readonly problems: () => readonly DefinitionProblem[]
  readonly warnings: () => readonly Warning[]
}

interface Answers {
  readonly unversioned: boolean
  readonly neutral: boolean
}

/** Prepares the choice for the rows of a table; under `strict` a trailing slash makes another path. */
export function createLeaves(
  rows: readonly TableRoute[],
  strict: boolean,
  enabled: Enabled | undefined,
  known: KnownVersions,
): Leaves {
  const notes = createNotes(enabled)
  const infoOf = createInfo(rows, strict, enabled, known)
  const leafFor = createLeafFor(notes, infoOf)
  const inPath = enabled?.scheme.segments !== undefined
  const variants = (
    shape: Shape<TableRoute>,
    versions: Iterable<string>,
    answersFor: (version: string | null) => Answers,
  ): Variants<Leaf<Endpoint>> => ({
    rest: leafFor(shape, null, answersFor(null)),
    by: new Map([...versions].map((version) => [version, leafFor(shape, version, answersFor(version))])),
  })
  return {
    bare: (shape, defaultVersion) => leafFor(shape, defaultVersion, ALL),
    versions: (shape, defaultVersion) => {
      const opted = isVersioned(shape.routes)
      const named = namedIn(shape.routes)
      if (opted && defaultVersion !== null) named.add(defaultVersion)
      return variants(shape, named, (version) => ({
        unversioned: opted ? version !== null && version === defaultVersion : !inPath,
        neutral: true,
      }))
    },
    defaults: (shape) => variants(shape, namedIn(shape.routes), () => ALL),
    other: (shape) => (isVersioned(shape.routes) ? null : leafFor(shape, null, ALL)),
    union: (shape) => {
      const methods = METHODS.map((method) =>
        shape.routes.find(({ endpoints }) => endpoints.has(method))?.endpoints.get(method),
      )
      methods[HEAD] ??= methods[GET]
      return { methods, shape: infoOf(shape) }
    },
    problems: notes.problems,
    warnings: () => notes.warnings(rows),
  }
}

const ALL: Answers = { unversioned: true, neutral: true }

/** The versions that some of the routes name. */
function namedIn(rows: readonly TableRoute[]): Set<string> {
  return new Set(rows.flatMap(({ spec }) => [...spec.claims.keys()]))
}

type InfoOf = (shape: Shape<TableRoute>) => LeafShape

/** Makes the function that describes a path shape, each once. */
function createInfo(
  rows: readonly TableRoute[],
  strict: boolean,
  enabled: Enabled | undefined,
  known: KnownVersions,
): InfoOf {
  const versionedRows = rows.filter((row) => isVersioned([row]))
  const versionedTree =
    (enabled?.vary.length ?? 0) > 0 && versionedRows.length > 0
      ? createTree(versionedRows, strict)
      : undefined
  const shapes = new Map<Shape<TableRoute>, LeafShape>()
  return (shape) => {
    const info = shapes.get(shape) ?? {
      pattern: shape.pattern.text,
      vary: versionedTree !== undefined && overlaps(versionedTree, shape.pattern),
      versions: servedVersions(shape.routes, known, enabled),
    }
    shapes.set(shape, info)
    return info
  }
}

type LeafFor = (shape: Shape<TableRoute>, version: string | null, answers: Answers) => Leaf<Endpoint> | null

/** Makes the function that chooses what answers at a path shape in one version. */
function createLeafFor(notes: Notes, infoOf: InfoOf): LeafFor {
  return (shape, version, answers) => {
    const methods = METHODS.map((method) => {
      const candidates = shape.routes.filter(({ endpoints }) => endpoints.has(method))
      const [chosen, ...rivals] = selectFor(candidates, version, answers)
      if (chosen === undefined) return undefined
      for (const rival of rivals) notes.duplicate(chosen.route, rival.route, method, version)
      const shadows = !isVersioned(shape.routes) && candidates.some(({ spec }) => spec.neutral)
      if (chosen.spec.unversioned && shadows) notes.shadow(chosen.route)
      const endpoint = chosen.endpoints.get(method)
      if (endpoint !== undefined) notes.use(endpoint)
      return endpoint
    })
    if (methods.every((endpoint) => endpoint === undefined)) return null
    // HEAD answers from GET unless it is declared
    methods[HEAD] ??= methods[GET]
    return { methods, shape: infoOf(shape) }
  }
}

/** Collects what is wrong or odd while leaves are chosen. */
interface Notes {
  readonly duplicate: (a: FlatRoute, b: FlatRoute, method: string, version: string | null) => void
  /** An unversioned route that a neutral one stands beside. */
  readonly shadow: (route: FlatRoute) => void
  readonly use: (endpoint: Endpoint) => void
  readonly problems: () => readonly DefinitionProblem[]
  readonly warnings: (rows: readonly TableRoute[]) => readonly Warning[]
}

function createNotes(enabled: Enabled | undefined): Notes {
  const problems = new Map<string, DefinitionProblem>()
  const shadows = new Set<string>()
  const used = new Set<Endpoint>()
  return {
    duplicate: (a, b, method, version) => {
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
    },
    shadow: ({ label }) => void shadows.add(label),
    use: (endpoint) => void used.add(endpoint),
    problems: () => [...problems.values()],
    warnings: (rows) => [
      ...[...shadows].map((where) => ({
        where,
        message: 'a neutral route stands beside this unversioned one and never answers without a version',
      })),
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
  const served = namedIn(rows)
  const defaultVersion = staticDefault(enabled, known)
  if (served.size > 0 && defaultVersion !== undefined && rows.some(({ spec }) => spec.unversioned)) {
    served.add(defaultVersion)
  }
  return known.list.filter((version) => served.has(version))
}

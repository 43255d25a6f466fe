import { DefinitionError } from '../../../base/definition-error.ts'
import { METHODS } from '../../../http/http.ts'
import { createTree, type PathInfo, type PathShape } from '../../../router/node.ts'
import { EMPTY_NODE, compileTrie } from '../../../router/compile-trie.ts'
import type { ExpandedSpec, KnownVersions } from '../../../versioning/version.ts'
import type { Endpoint } from '../../pipeline/endpoint.ts'
import { createNotes } from './version-leaves.ts'
import { createLifetimes } from './lifetimes.ts'
import type { CompiledRoute, Table, TableMode, TableRoute, Versions, Zone } from './table.ts'
import { lifetimeProblems } from './checks/versioning-lifetimes.ts'

const NONE: ReadonlyMap<string, never> = new Map<string, never>()
const UNVERSIONED: ExpandedSpec = { unversioned: true, neutral: false, claims: NONE }
const NO_VERSIONS: KnownVersions = {
  list: [],
  format: 'string',
  isOrdered: true,
  find: () => undefined,
  isElsewhere: () => false,
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
export function createPlainTable(routes: readonly CompiledRoute[], { strict, prefix }: TableMode): Table {
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
    rest: { methods: methodsOf(shape), shape: toInfo(shape) },
    at: undefined,
  }))
  const shapes = [...tree.shapes.values()]
  const lifetimes = createLifetimes(shapes, toInfo, undefined, UNKNOWN)
  const problems = [...notes.problems(), ...lifetimeProblems(rows, lifetimes, NO_VERSIONS)]
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
    findWarnings: () => Promise.resolve([]),
  }
}

function toInfo({ pattern }: PathShape<TableRoute>): PathInfo {
  return { pattern: pattern.text, vary: false, versions: [], defaultVersion: null }
}

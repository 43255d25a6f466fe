import { DefinitionError } from '../../../base/definition-error.ts'
import { METHODS } from '../../../http/http.ts'
import type { PathInfo } from '../../../router/node.ts'
import { EMPTY_NODE, compileTrie } from '../../../router/compile-trie.ts'
import { createTree } from '../../../router/tree.ts'
import type { PathShape } from '../../../router/tree.ts'
import type { ExpandedSpec, KnownVersions } from '../../../versioning/spec.ts'
import type { Endpoint } from '../../pipeline/endpoint.ts'
import { createNotes } from './notes.ts'
import type { CompiledRoute, Lifetimes, Table, TableMode, TableRoute, Zone } from './table.ts'

const NONE: ReadonlyMap<string, never> = new Map<string, never>()
const UNVERSIONED: ExpandedSpec = { unversioned: true, neutral: false, claims: NONE }
const NO_VERSIONS: KnownVersions = {
  list: [],
  format: 'string',
  isOrdered: true,
  find: () => undefined,
  isElsewhere: () => false,
}
const NO_LIFETIMES: Lifetimes = {
  isEmpty: true,
  forwards: false,
  ofVersion: () => undefined,
  of: () => undefined,
  report: () => ({ supported: [], deprecated: [] }),
  answering: () => NONE,
}
const GET = METHODS.indexOf('GET')
const HEAD = METHODS.indexOf('HEAD')

/** Compiles the routes of an application without versioning. @throws `DefinitionError` for duplicate routes. */
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
  const sealed = compileTrie<TableRoute, Endpoint>(tree, (shape) => {
    const info: PathInfo = { pattern: shape.pattern.text, vary: false, versions: [], defaultVersion: null }
    return { rest: { methods: methodsOf(shape), shape: info }, at: undefined }
  })
  const problems = notes.problems()
  if (problems.length > 0) throw new DefinitionError(problems)
  const bare = sealed.rest ?? EMPTY_NODE
  const zone: Zone = { prefix: prefix.path, inPath: NONE, unionBehind: bare }
  return {
    withoutVersion: bare,
    pathRoot: bare,
    roots: NONE,
    defaults: NONE,
    unknownVersion: EMPTY_NODE,
    all: bare,
    prefixZones: [zone],
    zoneAt: () => zone,
    known: NO_VERSIONS,
    defaultVersion: null,
    servedAt: () => [],
    defaultAt: () => null,
    withoutSegment: new Set(),
    lifetimes: NO_LIFETIMES,
    rows,
    shapes: [...tree.shapes.values()],
    findWarnings: () => Promise.resolve([]),
  }
}

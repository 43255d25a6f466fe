import { METHOD_INDEX, METHODS } from '../../src/http/http.ts'
import { parsePattern, type Pattern } from '../../src/router/path/pattern.ts'
import { find, wholePath, type Match } from '../../src/router/find.ts'
import { createTree, type Endpoints, type Node, type PathShape } from '../../src/router/node.ts'
import { EMPTY_NODE, compileTrie, type Variants } from '../../src/router/compile-trie.ts'
import { DEFAULT_LIMITS } from '../../src/server/options/app-options.ts'
import { readTarget } from '../../src/server/routing/lookup/target.ts'
import { fromRecord, toContestant, toHandlers, type Contestant, type Handler } from './contestant.ts'
import type { BenchRoute } from './github.ts'
import type { Found } from './requests.ts'

interface Row {
  readonly method: string
  readonly pattern: Pattern
  readonly version: string
  readonly handler: Handler
}

const VERSIONS = ['1.0.0', '2.0.0']
const ASKED = '2.0.0'

/** The lookup as a request makes it: the target is read and decoded, the trie walked, the values cut out. */
export function createOctavo(routes: readonly BenchRoute[]): Contestant {
  const root = toRoot(routes)
  return toContestant((method, target) => lookUp(root, method, target), readMatch)
}

/** The same with every route in two versions: one root for each, found by the version's spelling. */
export function createOctavoVersions(routes: readonly BenchRoute[]): Contestant {
  const { at } = compileTrie(createTree(toRows(routes, VERSIONS), false), toVariants)
  const roots = new Map(VERSIONS.map((version, place) => [version, at?.[place] ?? EMPTY_NODE]))
  return toContestant((method, target) => lookUp(roots.get(ASKED) ?? EMPTY_NODE, method, target), readMatch)
}

/** The lookup with the values in a record by name, as most other routers give them. */
export function createOctavoNamed(routes: readonly BenchRoute[]): Contestant {
  const root = toRoot(routes)
  return toContestant(
    (method, target) => {
      const { leaf, values, method: index } = lookUp(root, method, target)
      const handler = leaf?.methods[index]
      if (handler === undefined) return null
      const params: Record<string, string> = new NullRecord()
      const { names } = handler
      for (let at = 0; at < names.length; at++) params[names[at] ?? ''] = values[at] ?? ''
      return { handler, params }
    },
    (result) => (result === null ? undefined : fromRecord(result.handler, result.params)),
  )
}

/** The walk alone, on a path that is read and decoded already: longer ones than a request may have come through, too. */
export function createOctavoWalk(routes: readonly BenchRoute[]): Contestant {
  const root = toRoot(routes)
  return toContestant((method, path) => {
    const index = METHOD_INDEX.get(method) ?? -1
    return find(root, wholePath(path, false), index)
  }, readMatch)
}

function lookUp(root: Node<Handler>, method: string, target: string): Match<Handler> {
  const at = readTarget({ target }, { limits: DEFAULT_LIMITS, trailingSlash: 'ignore' })
  return find(root, at, METHOD_INDEX.get(method) ?? -1)
}

function readMatch({ leaf, values, method }: Match<Handler>): Found | undefined {
  const handler = leaf?.methods[method]
  return handler === undefined ? undefined : { route: handler.route, values }
}

function toRoot(routes: readonly BenchRoute[]): Node<Handler> {
  return compileTrie(createTree(toRows(routes, ['1.0.0']), false), toVariants).rest ?? EMPTY_NODE
}

function toRows(routes: readonly BenchRoute[], versions: readonly string[]): readonly Row[] {
  return toHandlers(routes).flatMap((handler, index) => {
    const { method = '', path = '' } = routes[index] ?? {}
    const pattern = parsePattern(path)
    if (!('segments' in pattern)) throw new Error(`${path} is not a pattern`)
    return versions.map((version) => ({ method, pattern, version, handler }))
  })
}

function toVariants(shape: PathShape<Row>): Variants<Endpoints<Handler>> {
  const [first] = shape.routes
  return shape.routes.every(({ version }) => version === first?.version)
    ? { rest: toLeaf(shape, first?.version ?? ''), at: undefined }
    : { rest: null, at: VERSIONS.map((version) => toLeaf(shape, version)) }
}

function toLeaf({ pattern, routes }: PathShape<Row>, version: string): Endpoints<Handler> {
  const rows = routes.filter((row) => row.version === version)
  return {
    methods: METHODS.map((method) => rows.find((row) => row.method === method)?.handler),
    shape: { pattern: pattern.text, varies: false, versions: [], defaultVersion: null },
  }
}

/** A record without prototype that V8 keeps as a plain object, unlike that of `Object.create(null)`. */
const NullRecord = function NullRecord(): void {} as unknown as new () => Record<string, string>
Object.defineProperty(NullRecord, 'prototype', { value: Object.freeze(Object.create(null)) })

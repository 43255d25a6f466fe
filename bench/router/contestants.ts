import findMyWay from 'find-my-way'

import { METHOD_INDEX, METHODS } from '../../src/http.ts'
import { parsePattern } from '../../src/pattern.ts'
import type { Pattern } from '../../src/pattern.ts'
import { find, trimSlash } from '../../src/router/find.ts'
import type { Leaf, Node } from '../../src/router/node.ts'
import { EMPTY_NODE, seal } from '../../src/router/seal.ts'
import { createTree } from '../../src/router/tree.ts'
import type { Shape } from '../../src/router/tree.ts'
import { readTarget } from '../../src/server/target.ts'
import type { BenchRoute } from './github.ts'

/** Looks up a request target as it came over the wire; a number that depends on what was found, 0 when nothing was. */
export type Lookup = (method: string, target: string) => number

/** What the benchmark stores at a route. */
interface Handler {
  readonly names: readonly string[]
}

interface Row {
  readonly method: string
  readonly pattern: Pattern
  readonly version: string
  readonly handler: Handler
}

const VERSIONS = ['1.0.0', '2.0.0']
const ASKED = '2.0.0'

/** Our lookup as a request makes it: the target is read and decoded, the trie walked, the values cut out. */
export function createOctavo(routes: readonly BenchRoute[]): Lookup {
  return toLookup(seal(createTree(toRows(routes, ['1.0.0']), false), toVariants).rest ?? EMPTY_NODE)
}

/** The same with every route in two versions: one root for each, found by the version's spelling. */
export function createOctavoVersions(routes: readonly BenchRoute[]): Lookup {
  const sealed = seal(createTree(toRows(routes, VERSIONS), false), toVariants)
  const roots = new Map(
    VERSIONS.map((version) => [version, toLookup(sealed.by.get(version) ?? EMPTY_NODE)] as const),
  )
  return (method, target) => roots.get(ASKED)?.(method, target) ?? 0
}

/** Our lookup with the values in a record by name, as find-my-way gives them and as endpoints need them. */
export function createOctavoNamed(routes: readonly BenchRoute[]): Lookup {
  const root = seal(createTree(toRows(routes, ['1.0.0']), false), toVariants).rest ?? EMPTY_NODE
  return (method, target) => {
    const { path } = readTarget(target)
    const index = METHOD_INDEX.get(method) ?? -1
    const { leaf, values } = find(root, path, path.length, trimSlash(path, path.length), index)
    if (leaf === null) return 0
    const params: Record<string, string> = new NullRecord()
    const names = leaf.methods[index]?.names ?? []
    for (let at = 0; at < names.length; at++) params[names[at] ?? ''] = values[at] ?? ''
    return 1 + weigh(params)
  }
}

export function createFindMyWay(routes: readonly BenchRoute[]): Lookup {
  const router = findMyWay({ ignoreTrailingSlash: true })
  for (const { method, path } of routes) router.on(toMethod(method), toColons(path), noop)
  return (method, target) => {
    const found = router.find(toMethod(method), target)
    return found === null ? 0 : 1 + weigh(found.params)
  }
}

export function createFindMyWayVersions(routes: readonly BenchRoute[]): Lookup {
  const router = findMyWay({ ignoreTrailingSlash: true })
  for (const { method, path } of routes) {
    for (const version of VERSIONS)
      router.on(toMethod(method), toColons(path), { constraints: { version } }, noop)
  }
  const constraints = { version: ASKED }
  return (method, target) => {
    const found = router.find(toMethod(method), target, constraints)
    return found === null ? 0 : 1 + weigh(found.params)
  }
}

/** Our walk alone, on a path that is read and decoded already: longer ones than a request may have come through, too. */
export function createOctavoWalk(routes: readonly BenchRoute[]): Lookup {
  const root = seal(createTree(toRows(routes, ['1.0.0']), false), toVariants).rest ?? EMPTY_NODE
  return (method, path) => {
    const index = METHOD_INDEX.get(method) ?? -1
    return find(root, path, path.length, trimSlash(path, path.length), index).leaf === null ? 0 : 1
  }
}

function toLookup(root: Node<Handler>): Lookup {
  return (method, target) => {
    const { path } = readTarget(target)
    const index = METHOD_INDEX.get(method) ?? -1
    const { leaf, values } = find(root, path, path.length, trimSlash(path, path.length), index)
    return leaf === null ? 0 : 1 + weigh(values)
  }
}

/** Uses a result, so that making it cannot be optimized away. */
function weigh(value: object): number {
  return typeof value === 'object' ? 1 : 0
}

function toRows(routes: readonly BenchRoute[], versions: readonly string[]): readonly Row[] {
  return routes.flatMap(({ method, path }) => {
    const pattern = parsePattern(path)
    if (!('segments' in pattern)) throw new Error(`${path} is not a pattern`)
    const handler = { names: pattern.params.map(({ name }) => name) }
    return versions.map((version) => ({ method, pattern, version, handler }))
  })
}

function toVariants(shape: Shape<Row>): {
  readonly rest: Leaf<Handler> | null
  readonly by: ReadonlyMap<string, Leaf<Handler>>
} {
  const versions = [...new Set(shape.routes.map(({ version }) => version))]
  const leaves = versions.map((version) => [version, toLeaf(shape, version)] as const)
  return versions.length === 1
    ? { rest: leaves[0]?.[1] ?? null, by: new Map() }
    : { rest: null, by: new Map(leaves) }
}

function toLeaf({ pattern, routes }: Shape<Row>, version: string): Leaf<Handler> {
  const rows = routes.filter((row) => row.version === version)
  return {
    methods: METHODS.map((method) => rows.find((row) => row.method === method)?.handler),
    shape: { pattern: pattern.text, vary: false, versions: [] },
  }
}

function toColons(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

function toMethod(method: string): findMyWay.HTTPMethod {
  return method as findMyWay.HTTPMethod
}

function noop(): void {}

/** A record without prototype that V8 keeps as a plain object, unlike that of `Object.create(null)`. */
const NullRecord = function NullRecord(): void {} as unknown as new () => Record<string, string>
Object.defineProperty(NullRecord, 'prototype', { value: Object.freeze(Object.create(null)) })

import findMyWay from 'find-my-way'
import { Memoirist } from 'memoirist'
import { addRoute, createRouter, findRoute } from 'rou3'

import { METHOD_INDEX, METHODS } from '../../src/http/http.ts'
import { parsePattern, type Pattern } from '../../src/router/path/pattern.ts'
import { find } from '../../src/router/find.ts'
import { createTree, type Endpoints, type PathShape } from '../../src/router/node.ts'
import { EMPTY_NODE, compileTrie } from '../../src/router/compile-trie.ts'
import { DEFAULT_LIMITS } from '../../src/server/options/app-options.ts'
import { readTarget } from '../../src/server/routing/lookup/target.ts'
import type { ScaleRoute } from './routes.ts'

/** The place of the route that answers a request, with its parameters cut out; -1 when there is none. */
export type Lookup = (method: string, target: string) => number

/** Builds a router of many routes. */
export type Build = (routes: readonly ScaleRoute[]) => Lookup

/** Keeps the last parameters that were found, so that making them cannot be optimized away. */
export const last: { params: object | undefined } = { params: undefined }

export const ROUTERS: Readonly<Record<string, Build>> = {
  octavo: createOctavo,
  'find-my-way': (routes) => {
    const router = findMyWay()
    for (const [index, { method, path }] of routes.entries())
      router.on(method as findMyWay.HTTPMethod, toColons(path), noop, index)
    return (method, target) => {
      const found = router.find(method as findMyWay.HTTPMethod, target)
      last.params = found?.params
      return found === null ? -1 : Number(found.store)
    }
  },
  memoirist: (routes) => {
    const router = new Memoirist<number>()
    for (const [index, { method, path }] of routes.entries()) router.add(method, toColons(path), index)
    return (method, target) => {
      const found = router.find(method, target)
      last.params = found?.params
      return found === null ? -1 : found.store
    }
  },
  rou3: (routes) => {
    const router = createRouter<number>()
    for (const [index, { method, path }] of routes.entries()) addRoute(router, method, toColons(path), index)
    return (method, target) => {
      const found = findRoute(router, method, target)
      last.params = found?.params
      return found?.data ?? -1
    }
  },
}

interface Row {
  readonly method: string
  readonly pattern: Pattern
  readonly index: number
}

/** Our lookup as a request makes it: the target is read and decoded, the trie walked, the values cut out. */
function createOctavo(routes: readonly ScaleRoute[]): Lookup {
  const rows = routes.map(({ method, path }, index): Row => {
    const pattern = parsePattern(path)
    if (!('segments' in pattern)) throw new Error(`${path} is not a pattern`)
    return { method, pattern, index }
  })
  const root = compileTrie(createTree(rows, false), (shape) => ({ rest: toLeaf(shape), at: undefined })).rest
  return (method, target) => {
    const path = readTarget({ target }, { limits: DEFAULT_LIMITS, trailingSlash: 'ignore' })
    const at = METHOD_INDEX.get(method) ?? -1
    const { leaf, values } = find(root ?? EMPTY_NODE, path, at)
    last.params = values
    return leaf?.methods[at]?.index ?? -1
  }
}

function toLeaf({ pattern, routes }: PathShape<Row>): Endpoints<Row> {
  return {
    methods: METHODS.map((method) => routes.find((row) => row.method === method)),
    shape: { pattern: pattern.text, varies: false, versions: [], defaultVersion: null },
  }
}

function toColons(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

function noop(): void {}

import { toSplit } from './mixed.ts'
import { createRouter, type RadixNode } from 'radix3'

import { mixedShape, sectionOf, shapeOf, type Pattern, type Segment } from './path/pattern.ts'
import type { Edge } from './node.ts'

/** A path shape: patterns that differ only in the names of their parameters share one. */
export interface PathShape<R> {
  /** The sections that radix3 keys the trie by. */
  readonly key: string
  /** The pattern of the first route, for messages and printing. */
  readonly pattern: Pattern
  readonly routes: R[]
}

/** How a placeholder child of the trie tests its segment. */
export type EdgeRule = Omit<Edge<never>, 'node' | 'next'> & { readonly order: readonly (number | string)[] }

/** The trie of every route, before it is sealed for a version. */
export interface Tree<R> {
  /** The node of the path's first slash. */
  readonly root: RadixNode
  /** By the key that the radix3 nodes carry in `data.key`. */
  readonly shapes: ReadonlyMap<string, PathShape<R>>
  /** The rule of each placeholder, by its radix3 name. */
  readonly rules: ReadonlyMap<string, EdgeRule>
  readonly strict: boolean
}

/**
 * Builds the trie of all routes with radix3, one leaf for each path shape. Under `strict` a trailing slash makes another shape.
 *
 * radix3 only keeps the tree: its own `lookup` neither backtracks nor knows types, methods and versions.
 */
export function createTree<R extends { readonly pattern: Pattern }>(
  routes: readonly R[],
  strict: boolean,
): Tree<R> {
  const router = createRouter<{ key: string }>({ strictTrailingSlash: true })
  const shapes = new Map<string, PathShape<R>>()
  const rules = new Map<string, EdgeRule>()
  for (const route of routes) {
    const key = shapeOf(route.pattern, strict)
    const shape = shapes.get(key)
    if (shape !== undefined) {
      shape.routes.push(route)
      continue
    }
    shapes.set(key, { key, pattern: route.pattern, routes: [route] })
    router.insert(key, { key })
    for (const segment of route.pattern.segments) {
      if (segment.kind === 'param' || segment.kind === 'mixed')
        rules.set(sectionOf(segment).slice(1), toRule(segment))
    }
  }
  return {
    root: router.ctx.rootNode.children.get('') ?? router.ctx.rootNode,
    shapes,
    rules,
    strict,
  }
}

const MIXED_RANK = -1

function toRule(segment: Segment & { kind: 'param' | 'mixed' }): EdgeRule {
  if (segment.kind === 'param') {
    const { name, rank, test } = segment.param.type
    return {
      test: name === 'str' ? null : test,
      split: null,
      count: 1,
      label: `{${name}}`,
      order: [rank, name],
    }
  }
  const { parts } = segment
  const literal = parts.filter((part) => typeof part === 'string').join('').length
  const start = typeof parts[0] === 'string' ? parts[0].length : 0
  const label = mixedShape(parts)
  const params = parts.filter((part) => typeof part !== 'string')
  // types before the text of the pattern: else {name}.json would hide {id:uuid}.json
  const types = params.map(({ type }) => type.rank).join('')
  const order = [MIXED_RANK, -literal, -start, types, label]
  return { test: null, split: toSplit(parts), count: params.length, label, order }
}

/** Orders rules by specificity: mixed segments first (more text first), then typed parameters, then `str`. */
export function compareRules(a: EdgeRule, b: EdgeRule): number {
  for (const [index, value] of a.order.entries()) {
    const other = b.order[index] ?? 0
    if (value < other) return -1
    if (value > other) return 1
  }
  return 0
}

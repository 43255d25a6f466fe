import { createRouter, type RadixNode } from 'radix3'

import { toSplit } from './mixed.ts'
import { mixedShape, sectionOf, patternShape, type Pattern, type Segment } from './path/pattern.ts'

/** The endpoints of one path shape: one slot for each method, in the order of `METHODS`. */
export interface Endpoints<T> {
  readonly methods: readonly (T | undefined)[]
  readonly shape: PathInfo
}

/** The facts about a path shape, whatever the version. */
export interface PathInfo {
  readonly pattern: string
  /** Whether a header may decide which handler answers here (RFC 9110 section 12.5.5). */
  readonly varies: boolean
  /** The versions that have a handler here, oldest first. */
  readonly versions: readonly string[]
  /** The version that requests which name none get here, or `null` if there is none or a function chooses it. */
  readonly defaultVersion: string | null
}

/** A child that is reached by a segment with parameters. */
export interface Edge<T> {
  /** Whether a segment fits, or `null` if every segment that is not empty does. */
  readonly test: ((path: string, start: number, end: number) => boolean) | null
  /** For segments that mix text and parameters: the values, `undefined` when the segment does not fit. */
  readonly split: ((segment: string) => readonly string[] | undefined) | null
  /** The number of parameters in the segment. */
  readonly count: number
  /** The segment as a pattern without names, for printing. */
  readonly label: string
  readonly node: Node<T>
  /** The next edge of the same node, less specific or equally so. */
  readonly next: Edge<T> | null
}

/** Literal children by their whole segment. */
export interface Wide<T> {
  /** Characters of the longest segment: a longer one is not worth hashing. */
  readonly longest: number
  readonly children: ReadonlyMap<string, Node<T>>
}

/**
 * A node of the sealed trie: what the matcher walks. It is not written after it was built. Children are linked rather than in arrays:
 * what a lookup reads is seldom in the processor's caches where versions or routes are many.
 */
export interface Node<T> {
  /** The literal segment that leads here; `''` for roots and the children of edges. */
  readonly key: string
  /** The next of the parent's few children, or in the same bucket of its table. */
  readonly next: Node<T> | null
  /** Literal children, where they are few: the first of them. */
  readonly first: Node<T> | null
  /** Literal children, in buckets by first character. */
  readonly table: readonly (Node<T> | null)[] | null
  /** Literal children, where many begin with the same character. */
  readonly wide: Wide<T> | null
  /** The first child with parameters, the most specific one. */
  readonly edge: Edge<T> | null
  /** The endpoints if the path ends here. */
  readonly leaf: Endpoints<T> | null
  /** The endpoints if the path ends here with a slash that counts. */
  readonly slash: Endpoints<T> | null
  /** The endpoints for the rest of the path, whatever it is. */
  readonly rest: Endpoints<T> | null
  /** `rest`, where the path may end here without the slash before it. */
  readonly emptyRest: Endpoints<T> | null
  /** For the literal segment of a version: that version. */
  readonly version: string | null
  /** The root of the version, where ordinary paths go on behind the segment too, or `null` if this node is that root. */
  readonly mount: Node<T> | null
}

/** A node all of whose fields are in one object of one hidden class: after a spread, V8 would put them into another object. */
export function plainNode<T>(node: Node<T>): Node<T> {
  return {
    key: node.key,
    next: node.next,
    first: node.first,
    table: node.table,
    wide: node.wide,
    edge: node.edge,
    leaf: node.leaf,
    slash: node.slash,
    rest: node.rest,
    emptyRest: node.emptyRest,
    version: node.version,
    mount: node.mount,
  }
}

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
    const key = patternShape(route.pattern, strict)
    const shape = shapes.get(key)
    if (shape !== undefined) {
      shape.routes.push(route)
      continue
    }
    shapes.set(key, { key, pattern: route.pattern, routes: [route] })
    router.insert(key, { key })
    for (const segment of route.pattern.segments) {
      if (segment.kind === 'param' || segment.kind === 'mixed')
        rules.set(sectionOf(segment).slice(1), edgeRule(segment))
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

function edgeRule(segment: Segment & { kind: 'param' | 'mixed' }): EdgeRule {
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

/** As many children need no table. */
const FEW = 2
/** The longest bucket that is searched key by key. */
const NARROW = 12

/** A literal child with what follows it in its bucket. */
export type LinkLiteral<T> = (literal: Node<T>, next: Node<T> | null) => Node<T>

/** Literal children in a power of two of buckets, or in a map where a bucket would be long. */
export function toTables<T>(
  literals: readonly Node<T>[],
  link: LinkLiteral<T> = linkLiteral,
): Pick<Node<T>, 'first' | 'table' | 'wide'> {
  if (literals.length <= FEW) {
    const first = literals.reduceRight<Node<T> | null>((next, literal) => link(literal, next), null)
    return { first, table: null, wide: null }
  }
  let size = 1
  while (size < literals.length * 2) size *= 2
  const counts = new Map<number, number>()
  for (const { key } of literals) {
    const bucket = key.charCodeAt(0) & (size - 1)
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1)
  }
  if ([...counts.values()].some((count) => count > NARROW))
    return { first: null, table: null, wide: toWide(literals) }
  const table: (Node<T> | null)[] = Array.from({ length: size }, () => null)
  for (const literal of literals) {
    const bucket = literal.key.charCodeAt(0) & (size - 1)
    table[bucket] = link(literal, table[bucket] ?? null)
  }
  return { first: null, table, wide: null }
}

/** A literal child that is followed by another one. */
export function linkLiteral<T>(literal: Node<T>, next: Node<T> | null): Node<T> {
  return literal.next === next ? literal : plainNode({ ...literal, next })
}

function toWide<T>(literals: readonly Node<T>[]): Wide<T> {
  let longest = 0
  for (const { key } of literals) longest = Math.max(longest, key.length)
  return { longest, children: new Map(literals.map((literal) => [literal.key, literal])) }
}

/** The children with parameters of a node. */
export function edgesIn<T>({ edge }: Node<T>): readonly Edge<T>[] {
  return listChain(edge)
}

export function listChain<E extends { readonly next: E | null }>(first: E | null): readonly E[] {
  const chain: E[] = []
  for (let each = first; each !== null; each = each.next) chain.push(each)
  return chain
}

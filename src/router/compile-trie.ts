import type { RadixNode } from 'radix3'

import {
  plainNode,
  compareRules,
  linkLiteral,
  toTables,
  type Edge,
  type Endpoints,
  type Node,
  type EdgeRule,
  type PathShape,
  type Tree,
  type LinkLiteral,
} from './node.ts'

/**
 * A value that may differ between versions. Building a tree for every version this way costs what differs between versions, not
 * versions × routes.
 */
export interface Variants<V> {
  /** For what is no known version. */
  readonly rest: V | null
  /** For each known version, by its place among them, or `undefined` if all of them have `rest`. */
  readonly at: readonly (V | null)[] | undefined
}

/** Chooses what answers at a shape, for each version. */
export type Select<R, T> = (shape: PathShape<R>) => Variants<Endpoints<T>>

/** One sealed trie for each version that differs; equal subtrees are one object, also between tries of one sealer. */
export function compileTrie<R, T>(
  tree: Tree<R>,
  select: Select<R, T>,
  sealer: Sealer<T> = createSealer<T>(),
): Variants<Node<T>> {
  return sealNode(tree.root, '', true)

  function sealNode(radix: RadixNode, key: string, root: boolean): Variants<Node<T>> {
    const leaf = leafOf(radix)
    const children = [...radix.children].flatMap(([section, child]): TrieChild<T>[] => {
      if (section === '') return [{ kind: 'slash', leaf: leafOf(child) }]
      if (section === '**') return [{ kind: 'rest', leaf: leafOf(child) }]
      if (section.startsWith(':')) {
        return [{ kind: 'edge', section: section.slice(1), node: sealNode(child, '', false) }]
      }
      return [{ kind: 'literal', node: sealNode(child, section, false) }]
    })
    return {
      rest: buildNode(undefined),
      at: byPlace([leaf, ...children.map(variantsOf)], buildNode),
    }

    function buildNode(place: number | undefined): Node<T> | null {
      return sealer.intern(toNodeParts({ key, leaf, children, root, tree }, place))
    }
  }

  function leafOf(radix: RadixNode): Variants<Endpoints<T>> {
    const shape = radix.data === null ? undefined : tree.shapes.get(String(radix.data['key']))
    return shape === undefined ? NOTHING : select(shape)
  }
}

/** A trie that matches nothing. */
export const EMPTY_NODE: Node<never> = {
  key: '',
  next: null,
  first: null,
  table: null,
  wide: null,
  edge: null,
  leaf: null,
  slash: null,
  rest: null,
  emptyRest: null,
  version: null,
  mount: null,
}

const NOTHING = { rest: null, at: undefined }

type TrieChild<T> =
  | { readonly kind: 'literal'; readonly node: Variants<Node<T>> }
  | { readonly kind: 'edge'; readonly section: string; readonly node: Variants<Node<T>> }
  | { readonly kind: 'slash'; readonly leaf: Variants<Endpoints<T>> }
  | { readonly kind: 'rest'; readonly leaf: Variants<Endpoints<T>> }

function variantsOf<T>(child: TrieChild<T>): Variants<unknown> {
  return child.kind === 'slash' || child.kind === 'rest' ? child.leaf : child.node
}

function pickVariant<V>({ rest, at }: Variants<V>, place: number | undefined): V | null {
  return at === undefined || place === undefined ? rest : (at[place] ?? null)
}

/** Builds a node for each version, once for neighbours that pick the same of every part. */
function byPlace<T>(
  parts: readonly Variants<unknown>[],
  build: (place: number) => Node<T> | null,
): readonly (Node<T> | null)[] | undefined {
  const differs: boolean[] = []
  for (const { at = [] } of parts)
    for (let place = 0; place < at.length; place++)
      differs[place] ||= place === 0 || at[place] !== at[place - 1]
  if (differs.length === 0) return undefined
  let last: Node<T> | null = null
  return differs.map((isOther, place) => (last = isOther ? build(place) : last))
}

interface NodeParts<T> {
  readonly key: string
  readonly literals: readonly Node<T>[]
  readonly edges: readonly Ordered<T>[]
  readonly leaf: Endpoints<T> | null
  readonly slash: Endpoints<T> | null
  readonly rest: Endpoints<T> | null
  readonly emptyRest: Endpoints<T> | null
}

interface TreeNode<T> {
  readonly key: string
  readonly leaf: Variants<Endpoints<T>>
  readonly children: readonly TrieChild<T>[]
  readonly root: boolean
  readonly tree: Tree<unknown>
}

function toNodeParts<T>(
  { key, leaf, children, root, tree }: TreeNode<T>,
  place: number | undefined,
): NodeParts<T> {
  const literals: Node<T>[] = []
  const edges: Ordered<T>[] = []
  let slash: Endpoints<T> | null = null
  let rest: Endpoints<T> | null = null
  for (const child of children) {
    if (child.kind === 'slash') slash = pickVariant(child.leaf, place)
    else if (child.kind === 'rest') rest = pickVariant(child.leaf, place)
    else {
      const node = pickVariant(child.node, place)
      const rule = child.kind === 'edge' ? tree.rules.get(child.section) : undefined
      if (node !== null && rule !== undefined) edges.push({ rule, node })
      else if (node !== null) literals.push(node)
    }
  }
  const ordered = edges.toSorted((a, b) => compareRules(a.rule, b.rule))
  // radix3 keeps the path "/" as an empty section below the root; where slashes are ignored, the root itself may end a path
  const own = root && !tree.strict ? slash : pickVariant(leaf, place)
  return { key, literals, edges: ordered, leaf: own, slash, rest, emptyRest: tree.strict ? null : rest }
}

/** A child with parameters, and the rule that its place and its test come from. */
interface Ordered<T> {
  readonly rule: EdgeRule
  readonly node: Node<T>
}

function toEdge<T>({ rule, node }: Ordered<T>, next: Edge<T> | null): Edge<T> {
  const { test, split, count, label } = rule
  return { test, split, count, label, node, next }
}

/** Keeps every node that was made. */
export interface Sealer<T> {
  readonly intern: (parts: NodeParts<T>) => Node<T> | null
}

/** Creates each different node once. */
export function createSealer<T>(): Sealer<T> {
  const ids = new Map<unknown, number>()
  const nodes = new Map<string, Node<T>>()
  const links = new Map<string, Node<T>>()
  const idOf = (value: unknown): number => {
    const known = ids.get(value)
    if (known !== undefined) return known
    ids.set(value, ids.size)
    return ids.size - 1
  }
  const link: LinkLiteral<T> = (literal, next) => {
    if (literal.next === next) return literal
    const identity = `${idOf(literal)}/${idOf(next)}`
    const linked = links.get(identity) ?? linkLiteral(literal, next)
    links.set(identity, linked)
    return linked
  }
  return {
    intern: (parts) => {
      const { key, literals, edges, leaf, slash, rest, emptyRest } = parts
      if (literals.length + edges.length === 0 && leaf === null && slash === null && rest === null)
        return null
      const identity = [
        key,
        [leaf, slash, rest].map(idOf).join(),
        literals.map(idOf).join(),
        edges.map(({ rule, node }) => `${rule.label}${idOf(node)}`).join(),
      ].join('/')
      const known = nodes.get(identity)
      if (known !== undefined) return known
      const node = plainNode({
        key,
        next: null,
        ...toTables(literals, link),
        edge: edges.reduceRight<Edge<T> | null>((next, edge) => toEdge(edge, next), null),
        leaf,
        slash,
        rest,
        emptyRest,
        version: null,
        mount: null,
      })
      nodes.set(identity, node)
      return node
    },
  }
}

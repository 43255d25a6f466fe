import { toNode, type Edge, type Node, type Wide } from './node.ts'

/** As many children need no table. */
const FEW = 2
/** The longest bucket that is searched key by key. */
const NARROW = 12

/** A literal child with what follows it in its bucket. */
export type Link<T> = (literal: Node<T>, next: Node<T> | null) => Node<T>

/** Literal children in a power of two of buckets, or in a map where a bucket would be long. */
export function toTables<T>(
  literals: readonly Node<T>[],
  link: Link<T> = linkTo,
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
export function linkTo<T>(literal: Node<T>, next: Node<T> | null): Node<T> {
  return literal.next === next ? literal : toNode({ ...literal, next })
}

function toWide<T>(literals: readonly Node<T>[]): Wide<T> {
  let longest = 0
  for (const { key } of literals) longest = Math.max(longest, key.length)
  return { longest, children: new Map(literals.map((literal) => [literal.key, literal])) }
}

/** The children with parameters of a node. */
export function edgesOf<T>({ edge }: Node<T>): readonly Edge<T>[] {
  return listChain(edge)
}

/** The members of a chain. */
export function listChain<E extends { readonly next: E | null }>(first: E | null): readonly E[] {
  const chain: E[] = []
  for (let each = first; each !== null; each = each.next) chain.push(each)
  return chain
}

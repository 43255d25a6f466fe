import type { Node, Wide } from './node.ts'

/** The longest bucket that is searched key by key. */
const NARROW = 12

/** A literal child with what follows it in its bucket. */
export type Link<T> = (literal: Node<T>, next: Node<T> | null) => Node<T>

/** Literal children in a power of two of buckets, or in a map where a bucket would be long. */
export function toTables<T>(
  literals: readonly Node<T>[],
  link: Link<T> = (literal, next) => ({ ...literal, next }),
): Pick<Node<T>, 'table' | 'wide'> {
  if (literals.length === 0) return { table: null, wide: null }
  let size = 1
  while (size < literals.length * 2) size *= 2
  const table: (Node<T> | null)[] = Array.from({ length: size }, () => null)
  const counts = new Map<number, number>()
  for (const literal of literals) {
    const bucket = literal.key.charCodeAt(0) & (size - 1)
    table[bucket] = link(literal, table[bucket] ?? null)
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1)
  }
  return [...counts.values()].some((count) => count > NARROW)
    ? { table: null, wide: toWide(literals) }
    : { table, wide: null }
}

function toWide<T>(literals: readonly Node<T>[]): Wide<T> {
  let longest = 0
  for (const { key } of literals) longest = Math.max(longest, key.length)
  return { longest, children: new Map(literals.map((literal) => [literal.key, literal])) }
}

/** The literal children of a node. */
export function literalsOf<T>({ table, wide }: Node<T>): readonly Node<T>[] {
  if (wide !== null) return [...wide.children.values()]
  return (table ?? []).flatMap((head) => {
    const chain: Node<T>[] = []
    for (let child = head; child !== null; child = child.next) chain.push(child)
    return chain
  })
}

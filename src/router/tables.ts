import type { Node } from './node.ts'

/** The longest bucket that is searched key by key. */
const NARROW = 12

/** A literal child with what follows it in its bucket. */
export type Link<T> = (literal: Node<T>, next: Node<T> | null) => Node<T>

/**
 * Literal children in a power of two of buckets: by their first character, or, where a bucket would be long, by all of them. A map of
 * them takes twice as long on find, 100,000 routes (bench/scale): it has to be given the segment as a string, and hashes it.
 */
export function toTables<T>(
  literals: readonly Node<T>[],
  link: Link<T> = (literal, next) => ({ ...literal, next }),
): Pick<Node<T>, 'table' | 'wide'> {
  if (literals.length === 0) return { table: null, wide: null }
  const counts = new Map<number, number>()
  const table = toBuckets(literals, link, ({ key }) => key.charCodeAt(0))
  for (const { key } of literals) {
    const bucket = key.charCodeAt(0) & (table.length - 1)
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1)
  }
  if (![...counts.values()].some((count) => count > NARROW)) return { table, wide: null }
  const longest = literals.reduce((most, { key }) => Math.max(most, key.length), 0)
  const hashed = toBuckets(literals, link, ({ key }) => hashOf(key, 0, key.length))
  return { table: null, wide: { longest, table: hashed } }
}

function toBuckets<T>(
  literals: readonly Node<T>[],
  link: Link<T>,
  hash: (literal: Node<T>) => number,
): readonly (Node<T> | null)[] {
  let size = 1
  while (size < literals.length * 2) size *= 2
  const table: (Node<T> | null)[] = Array.from({ length: size }, () => null)
  for (const literal of literals) {
    const bucket = hash(literal) & (size - 1)
    table[bucket] = link(literal, table[bucket] ?? null)
  }
  return table
}

/** A number for the text from `start` to `end`. Texts that collide are a matter of the routes: no request adds to a table. */
export function hashOf(text: string, start: number, end: number): number {
  let hash = 0
  for (let index = start; index < end; index++) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0
  // the low bits alone choose the bucket
  return hash ^ (hash >>> 15)
}

/** The literal children of a node. */
export function literalsOf<T>({ table, wide }: Node<T>): readonly Node<T>[] {
  return (wide?.table ?? table ?? []).flatMap((head) => {
    const chain: Node<T>[] = []
    for (let child = head; child !== null; child = child.next) chain.push(child)
    return chain
  })
}

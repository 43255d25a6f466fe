import { plainNode, listChain, toTables, type Node } from './node.ts'
import { EMPTY_NODE } from './compile-trie.ts'

/** The root of one version, to be reached through a literal segment. */
export interface Mount<T> {
  readonly version: string
  readonly root: Node<T>
}

/** A copy of the trie with version roots below `prefix`: each literal leads into the root of its version. */
export function mount<T>(
  root: Node<T> | null,
  prefix: readonly string[],
  mounts: ReadonlyMap<string, Mount<T>>,
): Node<T> {
  const node = root ?? EMPTY_NODE
  const [first, ...rest] = prefix
  const literals = literalsOf(node)
  if (first !== undefined) {
    const child = literals.find(({ key }) => key === first)
    const others = literals.filter((literal) => literal !== child)
    return plainNode({
      ...node,
      ...toTables([...others, plainNode({ ...mount(child ?? null, rest, mounts), key: first })]),
    })
  }
  const ordinary = new Set(literals.map(({ key }) => key))
  const missing = [...mounts].filter(([key]) => !ordinary.has(key))
  return plainNode({
    ...node,
    ...toTables([
      ...literals.map((literal) => {
        const mounted = mounts.get(literal.key)
        return plainNode({ ...literal, version: mounted?.version ?? null, mount: mounted?.root ?? null })
      }),
      // where no ordinary path goes on, the root itself stands behind the segment
      ...missing.map(([key, mounted]) => plainNode({ ...mounted.root, key, version: mounted.version })),
    ]),
  })
}

/** A copy of the trie without a path of literal segments and everything below it. */
export function withoutPath<T>(node: Node<T>, [first, ...rest]: readonly string[]): Node<T> {
  const literals = literalsOf(node)
  const child = literals.find(({ key }) => key === first)
  if (child === undefined) return node
  const others = literals.filter((literal) => literal !== child)
  const kept = rest.length === 0 ? [] : [withoutPath(child, rest)]
  return plainNode({ ...node, ...toTables([...others, ...kept]) })
}

export function literalsOf<T>({ first, table, wide }: Node<T>): readonly Node<T>[] {
  if (wide !== null) return [...wide.children.values()]
  return (table ?? [first]).flatMap(listChain)
}

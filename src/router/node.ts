/** The endpoints of one path shape: one slot for each method, in the order of `METHODS`. */
export interface Endpoints<T> {
  readonly methods: readonly (T | undefined)[]
  readonly shape: PathInfo
}

/** The facts about a path shape, whatever the version. */
export interface PathInfo {
  readonly pattern: string
  /** Whether a header may decide which handler answers here (RFC 9110 section 12.5.5). */
  readonly vary: boolean
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
export function toNode<T>(node: Node<T>): Node<T> {
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

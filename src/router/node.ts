/** What is served at one path shape: one slot for each method, in the order of `METHODS`. */
export interface Leaf<T> {
  readonly methods: readonly (T | undefined)[]
  readonly shape: LeafShape
}

/** What is known of a path shape, whatever the version. */
export interface LeafShape {
  readonly pattern: string
  /** Whether a header may decide which handler answers here (RFC 9110 section 12.5.5). */
  readonly vary: boolean
  /** The versions that have a handler here, oldest first. */
  readonly versions: readonly string[]
}

/** A child that is reached by a segment with parameters. */
export interface Edge<T> {
  /** Whether a segment fits; `null` when every segment that is not empty does. */
  readonly test: ((path: string, start: number, end: number) => boolean) | null
  /** For segments that mix text and parameters: the values, `undefined` when the segment does not fit. */
  readonly split: ((segment: string) => readonly string[] | undefined) | null
  /** The number of parameters in the segment. */
  readonly count: number
  /** The segment as a pattern without names, for printing. */
  readonly label: string
  readonly node: Node<T>
}

/** The root of one version, reached through a literal segment. */
export interface Mount<T> {
  readonly version: string
  readonly root: Node<T>
  /** Whether no ordinary path goes on behind the segment. */
  readonly alone: boolean
}

/** Literal children by their whole segment. */
export interface Wide<T> {
  /** Characters of the longest segment: a longer one is not worth hashing. */
  readonly longest: number
  readonly children: ReadonlyMap<string, Node<T>>
}

/** A node of the sealed trie: what the matcher walks. It is not written after it was built. */
export interface Node<T> {
  /** The literal segment that leads here; `''` for roots and the children of edges. */
  readonly key: string
  /** The next child in the same bucket of the parent's table. */
  readonly next: Node<T> | null
  /** Literal children, in buckets by first character; `null` when there are none or `wide` has them. */
  readonly table: readonly (Node<T> | null)[] | null
  /** Literal children, where many begin with the same character. */
  readonly wide: Wide<T> | null
  /** Children with parameters, most specific first. */
  readonly edges: readonly Edge<T>[]
  /** What answers when the path ends here. */
  readonly leaf: Leaf<T> | null
  /** What answers when the path ends here with a slash that counts. */
  readonly slash: Leaf<T> | null
  /** What answers for the rest of the path, whatever it is. */
  readonly rest: Leaf<T> | null
  /** `rest`, where the path may end here without the slash before it. */
  readonly emptyRest: Leaf<T> | null
  readonly mount: Mount<T> | null
}

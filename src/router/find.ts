import { edgesIn, type Edge, type Endpoints, type Node, type Wide } from './node.ts'

/** Where a path stands in a text. It is decoded, begins with a slash and has no query. */
export interface PathAt {
  readonly text: string
  /** Where the path begins. A path is looked up where it stands, because JavaScriptCore takes as long to cut it out as for the lookup. */
  readonly start: number
  /** Where the path ends for matching: before a trailing slash that does not count. */
  readonly end: number
  /** Where the path really ends. */
  readonly fullEnd: number
}

/** A lookup and, when it succeeded, its answer. */
export interface Match<T> extends PathAt {
  readonly method: number
  leaf: Endpoints<T> | null
  /** The version whose root was entered through the path, or `null` if none was. */
  version: string | null
  /** The text of each parameter, in the order of the pattern. */
  values: string[]
}

const SLASH = 47
const NO_VALUES: string[] = []

/**
 * Finds what answers a method on a path: literal segments before mixed, typed and plain parameters, with full backtracking over
 * path and method. Returns a match whose `leaf` is `null` when nothing answers; its `version` then tells which version root was entered.
 */
export function find<T>(root: Node<T>, at: PathAt, method: number): Match<T> {
  const { text, start, end, fullEnd } = at
  const match: Match<T> = { text, start, end, fullEnd, method, leaf: null, version: null, values: NO_VALUES }
  walk(match, root, start + 1, 0)
  return match
}

/** A path that is a text of its own. */
export function wholePath(path: string, strict: boolean): PathAt {
  const { length } = path
  return { text: path, start: 0, end: strict ? length : trimSlash(path, 0, length), fullEnd: length }
}

/** Where a path ends when one trailing slash does not count: `//` keeps both. */
export function trimSlash(text: string, start: number, end: number): number {
  return end > start + 1 && text.charCodeAt(end - 1) === SLASH && text.charCodeAt(end - 2) !== SLASH
    ? end - 1
    : end
}

/** Matches the segment that begins at `start`, `count` parameters being matched already. */
function walk<T>(match: Match<T>, node: Node<T>, start: number, count: number): boolean {
  const { text, end } = match
  if (start === end) return matchLeaf(match, node.slash, count) || answerRest(match, node.rest, start, count)
  const literal = findLiteral(node, text, start, end)
  if (literal !== null) {
    const stop = start + literal.key.length
    const { version, mount } = literal
    if (version === null) {
      if (descend(match, literal, stop, count)) return true
    } else {
      if (mount !== null && descend(match, literal, stop, count)) return true
      // a version root is never left again: what it lacks is missing in that version
      match.version = version
      return descend(match, mount ?? literal, stop, 0)
    }
  }
  const { edge } = node
  if (edge !== null && followEdges(match, edge, start, count)) return true
  return answerRest(match, node.rest, start, count)
}

function followEdges<T>(match: Match<T>, first: Edge<T>, start: number, count: number): boolean {
  const { text, end } = match
  const stop = segmentEnd(text, start, end)
  for (let edge: Edge<T> | null = first; edge !== null; edge = edge.next) {
    if (edge.split !== null) {
      const values = edge.split(text.slice(start, stop))
      if (values === undefined || !descend(match, edge.node, stop, count + edge.count)) continue
      for (let at = 0; at < edge.count; at++) match.values[count + at] = values[at] ?? ''
      return true
    }
    if (edge.test === null ? stop === start : !edge.test(text, start, stop)) continue
    if (!descend(match, edge.node, stop, count + 1)) continue
    match.values[count] = text.slice(start, stop)
    return true
  }
  return false
}

/** Goes on behind a segment that ends at `stop`. */
function descend<T>(match: Match<T>, node: Node<T>, stop: number, count: number): boolean {
  return stop === match.end ? arrive(match, node, count) : walk(match, node, stop + 1, count)
}

function arrive<T>(match: Match<T>, node: Node<T>, count: number): boolean {
  return matchLeaf(match, node.leaf, count) || answerRest(match, node.emptyRest, match.fullEnd, count)
}

function matchLeaf<T>(match: Match<T>, leaf: Endpoints<T> | null, count: number): boolean {
  if (leaf === null || leaf.methods[match.method] === undefined) return false
  match.leaf = leaf
  // `new Array`: `Array.from({ length })` makes find more than twice as slow, 203 routes (bench/router)
  // oxlint-disable-next-line unicorn/no-new-array
  if (count > 0) match.values = new Array<string>(count)
  return true
}

function answerRest<T>(match: Match<T>, leaf: Endpoints<T> | null, start: number, count: number): boolean {
  if (leaf === null || !matchLeaf(match, leaf, count + 1)) return false
  match.values[count] = match.text.slice(start, match.fullEnd)
  return true
}

// `indexOf`: 8 % less than a loop over the characters on find, 203 routes (bench/router)
function segmentEnd(path: string, start: number, end: number): number {
  const slash = path.indexOf('/', start)
  return slash === -1 || slash > end ? end : slash
}

/**
 * The literal child whose key is the segment that begins at `start`. Its end is not looked for: that a key ends where a slash or
 * the path does is one comparison, and refuses most keys. 12 % less than a search by length on find, 203 routes (bench/router).
 */
function findLiteral<T>(node: Node<T>, path: string, start: number, end: number): Node<T> | null {
  const { table } = node
  let child = node.first
  if (table !== null) child = table[path.charCodeAt(start) & (table.length - 1)] ?? null
  else if (node.wide !== null) return findWide(node.wide, path, start, end)
  while (child !== null) {
    const { key } = child
    const stop = start + key.length
    const whole = stop === end || (stop < end && path.charCodeAt(stop) === SLASH)
    if (whole && startsAt(path, start, key)) return child
    child = child.next
  }
  return null
}

function findWide<T>(wide: Wide<T>, path: string, start: number, end: number): Node<T> | null {
  const stop = segmentEnd(path, start, end)
  return stop - start > wide.longest ? null : (wide.children.get(path.slice(start, stop)) ?? null)
}

function startsAt(path: string, start: number, key: string): boolean {
  for (let index = key.length - 1; index >= 0; index--) {
    if (path.charCodeAt(start + index) !== key.charCodeAt(index)) return false
  }
  return true
}

/** Every leaf that the path reaches, whatever the method, most specific first: for 405, OPTIONS and version errors. */
export function findLeaves<T>(
  root: Node<T>,
  path: string,
  start: number,
  end: number,
): readonly Endpoints<T>[] {
  const leaves: (Endpoints<T> | null)[] = []
  walkNode(root, start)
  return [...new Set(leaves)].filter((leaf) => leaf !== null)

  function walkNode(node: Node<T>, from: number): void {
    if (from === end) {
      leaves.push(node.slash, node.rest)
      return
    }
    const stop = segmentEnd(path, from, end)
    const literal = findLiteral(node, path, from, end)
    if (literal !== null) followChild(literal, stop)
    for (const edge of edgesIn(node)) {
      const fits =
        edge.split === null
          ? testEdge(edge.test, path, from, stop)
          : edge.split(path.slice(from, stop)) !== undefined
      if (fits) followChild(edge.node, stop)
    }
    leaves.push(node.rest)
  }

  function followChild(node: Node<T>, stop: number): void {
    if (stop === end) leaves.push(node.leaf, node.emptyRest)
    else walkNode(node, stop + 1)
  }
}

function testEdge(
  test: ((path: string, start: number, end: number) => boolean) | null,
  path: string,
  start: number,
  stop: number,
): boolean {
  return test === null ? stop > start : test(path, start, stop)
}

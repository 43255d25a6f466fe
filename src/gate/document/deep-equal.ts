import { OF_ITSELF } from '../../base/json-schema.ts'
import { isRecord, isString } from '../../base/values.ts'
import { PairMap } from '../pair-map.ts'
import type { Node, ComparedSource } from './source.ts'

/** An object, and the document that has it. */
export interface WrittenSchema {
  readonly node: Node
  readonly source: ComparedSource
}

/** Whether two objects of two documents say the same word for word, with everything that they refer to. */
export type IsSame = (one: WrittenSchema, other: WrittenSchema) => boolean

/** References with the same words, one in each document. */
interface ResolvedPair {
  readonly one: Node
  readonly other: Node
  /** Whether they stand for the schema that has them: alone, or in `allOf`, `anyOf` or `oneOf`. */
  readonly isBare: boolean
}

/** The state of comparing two values. */
interface KnownPairs {
  readonly isEqual: boolean
  /** The values that references in both lead to. */
  readonly targets: readonly (readonly [one: unknown, other: unknown, isBare: boolean])[]
  /** Whether everything that they lead to is equal, too. */
  isSame: boolean | undefined
}

type Look = (one: unknown, other: unknown) => KnownPairs

/**
 * Creates the comparison, a shortcut that reads no schema. `false` means that the objects have to be read: because they differ, because a
 * reference leads nowhere, or because a schema contains itself.
 */
export function createIsSame(base: ComparedSource, revision: ComparedSource): IsSame {
  // the same words mean something else in another dialect
  if (base.is30 !== revision.is30) return () => false
  const known = new PairMap<unknown, KnownPairs>()
  const look: Look = (one, other) => {
    const found = known.get(one, other)
    if (found !== undefined) return found
    const references: ResolvedPair[] = []
    const hasEqualWords = areEqual(one, other, (pair) => references.push(pair))
    const targets = (hasEqualWords ? references : []).map(
      (pair) => [base.follow(pair.one), revision.follow(pair.other), pair.isBare] as const,
    )
    const isEqual = hasEqualWords && targets.every((pair) => !pair.includes(undefined))
    const made = { isEqual, targets, isSame: isEqual ? undefined : false }
    known.set(one, other, made)
    return made
  }
  const isSame = (one: unknown, other: unknown): boolean => {
    const start = look(one, other)
    return (start.isSame ??= areAllSame(start, look))
  }
  return (one, other) => {
    if (one.source === other.source) return one.node === other.node
    return one.source === base ? isSame(one.node, other.node) : isSame(other.node, one.node)
  }
}

/** Looks at all that two values lead to, which may be each other. */
function areAllSame(start: KnownPairs, look: Look): boolean {
  const all = new Set([start])
  for (const pair of all) {
    if (pair.isSame === false) return false
    if (pair.isSame === undefined) for (const [one, other] of pair.targets) all.add(look(one, other))
  }
  if (hasCircle(all, look)) return false
  for (const pair of all) pair.isSame = true
  return true
}

/** Whether a schema contains itself without anything between. */
function hasCircle(all: Iterable<KnownPairs>, look: Look): boolean {
  const open = new Set<KnownPairs>()
  const done = new Set<KnownPairs>()
  const leadsBack = (pair: KnownPairs): boolean => {
    if (done.has(pair) || pair.isSame === true) return false
    if (open.has(pair)) return true
    open.add(pair)
    const isCircle = pair.targets.some(([one, other, isBare]) => isBare && leadsBack(look(one, other)))
    open.delete(pair)
    done.add(pair)
    return isCircle
  }
  for (const pair of all) if (leadsBack(pair)) return true
  return false
}

/** Whether two values of JSON are equal, references as they are written. `note` is called for each pair of references. */
export function areEqual(
  one: unknown,
  other: unknown,
  note?: (references: ResolvedPair) => void,
  isBare = true,
): boolean {
  if (Array.isArray(one))
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, at) => areEqual(item, other[at], note, isBare))
    )
  if (!isRecord(one)) return one === other
  if (!isRecord(other)) return false
  const names = Object.keys(one)
  if (names.length !== Object.keys(other).length) return false
  if (note !== undefined && isString(one['$ref'])) note({ one, other, isBare })
  return names.every(
    (name) =>
      Object.hasOwn(other, name) && areEqual(one[name], other[name], note, isBare && OF_ITSELF.has(name)),
  )
}

import { createIsSame } from '../document/same.ts'
import type { Node, Source } from '../document/source.ts'
import type { Circumstances, Strictness } from '../level.ts'
import type { Pair } from '../schema/fact.ts'
import type { MessageValues } from '../schema/aspects.ts'
import { createComparing, type SchemaComparing } from '../schema/facts.ts'
import { createReader } from '../schema/read.ts'
import type { Reader, Side } from '../schema/keyword-rules.ts'
import type { ValueSet } from '../schema/shape.ts'

/** The two documents that are compared, with what was read and found so far. */
export interface Documents {
  readonly base: Source
  readonly revision: Source
  readonly strictness: Strictness
  /** Whether an object of the older document says the same as one of the newer, word for word: then nothing in them has to be read. */
  readonly isSame: (old: Node, now: Node) => boolean
  readonly sides: Readonly<Record<Side, SideOf>>
}

/** The functions that compare schemas in requests, or in responses. */
interface SideOf {
  readonly base: Reader
  readonly revision: Reader
  readonly comparing: SchemaComparing
}

/** Prepares two documents for comparison. `reverse`: the same in the other direction, of which all that was read is known. */
export function createDocuments(
  base: Source,
  revision: Source,
  strictness: Strictness,
  reverse?: Documents,
): Documents {
  const isSame = createIsSame(base, revision)
  const toSide = (side: Side): SideOf => {
    const known = reverse?.sides[side]
    return {
      base: known?.revision ?? createReader(base, side),
      revision: known?.base ?? createReader(revision, side),
      comparing: createComparing(side, strictness, isSame, known?.comparing.inclusion),
    }
  }
  return {
    base,
    revision,
    strictness,
    isSame: (old, now) => isSame({ node: old, source: base }, { node: now, source: revision }),
    sides: { request: toSide('request'), response: toSide('response') },
  }
}

/** A difference of an operation. */
export interface Difference {
  readonly rule: string
  readonly at: readonly string[]
  /** The values of its message, which its rule has. */
  readonly values?: MessageValues
  /** The object in the older document, or `undefined` if it isn't there. */
  readonly base: object | undefined
  readonly revision: object | undefined
  readonly is?: Circumstances
}

/** Where a schema is used. */
interface Owner {
  readonly side: Side
  /** The position of the schema: part of the names of rules. */
  readonly place: 'parameter' | 'body' | 'header'
  readonly at: readonly string[]
  /** The name of the place, as `octavo versions --explain` has it. */
  readonly origin?: string
}

/** Schemas of an operation that differ somewhere inside. */
export interface DifferentSchemas extends Owner {
  readonly pair: Pair
  readonly is?: Circumstances
}

/** A difference in an operation, or two schemas that have some. */
export type Found = Difference | DifferentSchemas

/** Compares two schemas where they are used. */
export function compareSchemas(
  base: ValueSet,
  revision: ValueSet,
  owner: Owner,
  { sides }: Documents,
): readonly DifferentSchemas[] {
  const pair = sides[owner.side].comparing.toPair(base, revision)
  return pair === undefined || pair.seen === 0 ? [] : [{ ...owner, pair }]
}

/** Differences, with what else is known of the place where all of them are. */
export function withCircumstances(found: readonly Found[], is: Circumstances): readonly Found[] {
  return found.map((one) => ({ ...one, is: { ...is, ...one.is } }))
}

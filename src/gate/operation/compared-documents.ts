import { createIsSame } from '../document/deep-equal.ts'
import type { Node, ComparedSource } from '../document/source.ts'
import type { Circumstances, Strictness } from '../severity.ts'
import type { SchemaPair } from '../schema/schema-difference.ts'
import type { MessageValues } from '../schema/schema-rules.ts'
import { createComparing, type SchemaComparing } from '../schema/compare-schemas.ts'
import { createShapeReader } from '../schema/read-shape.ts'
import type { ReadSchema, Side } from '../schema/keyword-rules.ts'
import type { ValueSet } from '../schema/shape.ts'

/** The two documents that are compared, with what was read and found so far. */
export interface ComparedDocuments {
  readonly base: ComparedSource
  readonly revision: ComparedSource
  readonly strictness: Strictness
  /** Whether an object of the older document says the same as one of the newer, word for word: then nothing in them has to be read. */
  readonly isSame: (old: Node, now: Node) => boolean
  readonly sides: Readonly<Record<Side, SideOf>>
}

/** The functions that compare schemas in requests, or in responses. */
interface SideOf {
  readonly base: ReadSchema
  readonly revision: ReadSchema
  readonly comparing: SchemaComparing
}

/** Prepares two documents for comparison. `reverse` compares in the other direction, and shares everything that was read. */
export function prepareComparison(
  base: ComparedSource,
  revision: ComparedSource,
  strictness: Strictness,
  reverse?: ComparedDocuments,
): ComparedDocuments {
  const isSame = createIsSame(base, revision)
  const toSide = (side: Side): SideOf => {
    const known = reverse?.sides[side]
    return {
      base: known?.revision ?? createShapeReader(base, side),
      revision: known?.base ?? createShapeReader(revision, side),
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
export interface OperationDifference {
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
interface SchemaUse {
  readonly side: Side
  /** The position of the schema: part of the names of rules. */
  readonly place: 'parameter' | 'body' | 'header'
  readonly at: readonly string[]
  /** The name of the place, as `octavo versions --explain` has it. */
  readonly origin?: string
}

/** Schemas of an operation that differ somewhere inside. */
export interface DifferentSchemas extends SchemaUse {
  readonly pair: SchemaPair
  readonly is?: Circumstances
}

/** A difference in an operation, or two schemas that have some. */
export type FoundDifference = OperationDifference | DifferentSchemas

/** Compares two schemas where they are used. */
export function compareSchemas(
  base: ValueSet,
  revision: ValueSet,
  owner: SchemaUse,
  { sides }: ComparedDocuments,
): readonly DifferentSchemas[] {
  const pair = sides[owner.side].comparing.toPair(base, revision)
  return pair === undefined || pair.seen === 0 ? [] : [{ ...owner, pair }]
}

/** Differences, with what else is known of the place where all of them are. */
export function withCircumstances(
  found: readonly FoundDifference[],
  is: Circumstances,
): readonly FoundDifference[] {
  return found.map((one) => ({ ...one, is: { ...is, ...one.is } }))
}

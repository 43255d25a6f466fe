import { createIsSame } from '../document/same.ts'
import type { Node, Source } from '../document/source.ts'
import type { Level } from '../finding.ts'
import { createComparing } from '../schema/facts.ts'
import type { Comparing, Fact, Strictness } from '../schema/fact.ts'
import { createReader } from '../schema/read.ts'
import type { Reader, Side } from '../schema/read.ts'

/** The position of a schema in an operation: part of the names of rules. */
type Place = 'parameter' | 'body' | 'header'

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
  readonly comparing: Comparing
}

/** Prepares two documents for comparison. */
export function createDocuments(base: Source, revision: Source, strictness: Strictness): Documents {
  const isSame = createIsSame(base, revision)
  const toSide = (side: Side): SideOf => ({
    base: createReader(base, side),
    revision: createReader(revision, side),
    comparing: createComparing(side, strictness, isSame),
  })
  return {
    base,
    revision,
    strictness,
    isSame: (old, now) => isSame({ node: old, source: base }, { node: now, source: revision }),
    sides: { request: toSide('request'), response: toSide('response') },
  }
}

/** A difference of an operation: a finding whose operation is known further out. */
export interface Difference {
  readonly rule: string
  readonly level: Level
  readonly at: readonly string[]
  readonly message: string
  readonly base: string
  readonly revision: string
}

/** Where a schema is used. */
interface Owner {
  readonly side: Side
  readonly place: Place
  readonly at: readonly string[]
  readonly documents: Documents
}

/** Facts of a schema as differences of an operation: the name of the rule gets its side and place. */
export function toDifferences(
  facts: readonly Fact[],
  { side, place, at, documents }: Owner,
): readonly Difference[] {
  return facts.map((fact) => {
    const { rule, isNamed, level, message, base, revision } = fact
    const where = place === 'body' && fact.at.length > 0 ? 'property' : place
    const isDefault = place === 'parameter' && rule.startsWith('default-value-') && fact.at.length === 0
    return {
      rule: isNamed === true ? rule : `${side}-${where}-${rule}`,
      // parameters without a value are the rule, not the exception
      level: isDefault && level === 'warning' ? 'breaking' : level,
      at: [...at, ...fact.at],
      message,
      base: documents.base.pointerOf(base),
      revision: documents.revision.pointerOf(revision),
    }
  })
}

import type { Source } from '../document/source.ts'
import type { Level } from '../finding.ts'
import { createComparing } from '../schema/facts.ts'
import type { Comparing, Fact, Strictness } from '../schema/fact.ts'
import { createInclusion } from '../schema/includes.ts'
import { createReader } from '../schema/read.ts'
import type { Reader, Side } from '../schema/read.ts'

/** What stands where in an operation: part of the names of rules. */
export type Place = 'parameter' | 'body' | 'header'

/** The two documents that are compared, with what was read and found so far. */
export interface Documents {
  readonly base: Source
  readonly revision: Source
  readonly strictness: Strictness
  readonly sides: Readonly<Record<Side, SideOf>>
}

/** What compares schemas in requests, or in responses. */
interface SideOf {
  readonly base: Reader
  readonly revision: Reader
  readonly comparing: Comparing
}

/** Prepares two documents for comparison. */
export function createDocuments(base: Source, revision: Source, strictness: Strictness): Documents {
  const toSide = (side: Side): SideOf => ({
    base: createReader(base, side),
    revision: createReader(revision, side),
    comparing: createComparing(side, strictness, createInclusion(side === 'response')),
  })
  return { base, revision, strictness, sides: { request: toSide('request'), response: toSide('response') } }
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

/** Facts of a schema as differences of an operation: the name of the rule gets its side and place. */
export function toDifferences(
  facts: readonly Fact[],
  side: Side,
  place: Place,
  at: readonly string[],
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
      base,
      revision,
    }
  })
}

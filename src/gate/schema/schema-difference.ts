import { severityOf, type Circumstances, type Strictness } from '../severity.ts'
import type { Severity } from '../finding.ts'
import { SCHEMA_RULES, fillMessage, type SchemaRuleName, type MessageValues } from './schema-rules.ts'
import type { Inclusion } from './includes.ts'
import type { Side } from './keyword-rules.ts'
import type { ValueSet } from './shape.ts'

/** A step from a schema to one inside of it. */
export interface SchemaStep {
  /** The name that findings have for it, such as `role`, `items` or `(Cat)`. */
  readonly name: string
  /** The same in the names of places, such as `.role` or `[]`. */
  readonly place: string
  /** The object schemas that have the member, in both documents, if the step leads to a member. */
  readonly owners?: { readonly base: readonly object[]; readonly revision: readonly object[] }
  /** Whether the schema has several alternatives, of which the step takes one. */
  readonly isChoice?: boolean
}

/** A difference of two schemas themselves. */
export interface SchemaDifference {
  /** The name of the rule without side and place, or the whole name if `isNamed`. */
  readonly rule: string
  readonly isNamed?: boolean
  readonly is: Circumstances
  /** Steps from the schema to the place. */
  readonly at: readonly SchemaStep[]
  readonly message: string
  /** Whether it tells of values that are no longer, or newly, in the set. It is none if the set as a whole is kept. */
  readonly isOfSet: boolean
  /** The older schema. */
  readonly base: object | undefined
  /** The newer schema. */
  readonly revision: object | undefined
}

/** Schemas further inside that differ, with the steps that lead to them. */
export interface PairLink {
  readonly at: readonly SchemaStep[]
  readonly pair: SchemaPair
}

/** Two schemas that are compared. Each pair is compared once, whatever leads to it. */
export interface SchemaPair {
  readonly base: ValueSet
  readonly revision: ValueSet
  facts: readonly SchemaDifference[]
  links: readonly PairLink[]
  /** The pairs that link to it. */
  readonly above: Set<SchemaPair>
  /** The verdict of the sets as a whole on the differences inside. */
  verdict: PairVerdict
  /** Which kinds of differences are in it and further inside, as seen from outside. */
  seen: number
  isSettled: boolean
}

/** Whether all differences count, without `harmless` ones, without differences of values (`same`), or with `proven` doubts. */
export type PairVerdict = 'all' | 'harmless' | 'same' | 'proven'

/** The parts that comparing two schemas needs. */
export interface Comparing {
  readonly side: Side
  readonly strictness: Strictness
  /** In the direction that keeps clients working: from older to newer in requests, from newer to older in responses. */
  readonly inclusion: Inclusion
  /** The differences of schemas further inside. */
  readonly compare: (base: ValueSet, revision: ValueSet) => readonly (SchemaDifference | PairLink)[]
}

/** A fact of two shapes themselves. */
export function toSchemaDifference(
  aspect: SchemaRuleName,
  base: Pick<ValueSet, 'place'>,
  revision: Pick<ValueSet, 'place'>,
  side: Side,
  values?: MessageValues,
): SchemaDifference {
  return {
    rule: aspect,
    is: {},
    at: [],
    message: fillMessage(SCHEMA_RULES[aspect], values),
    isOfSet:
      !ABOUT_MEANING.has(aspect) && !(aspect === 'additional-properties-closed' && side === 'response'),
    base: base.place,
    revision: revision.place,
  }
}

const ABOUT_MEANING: ReadonlySet<string> = new Set<SchemaRuleName>([
  'default-value-added',
  'default-value-changed',
  'default-value-removed',
  'deprecated',
  'reactivated',
  'became-read-only',
  'discriminator-property-name-changed',
  'additional-properties-opened',
])

/** The name of a fact's rule at a place. */
export function ruleAt({ rule, isNamed }: SchemaDifference, side: Side, place: string): string {
  return isNamed === true ? rule : `${side}-${place}-${rule}`
}

/** The level of a fact, wherever its schema is used. */
export function severityOfDifference(fact: SchemaDifference, { side, strictness }: Comparing): Severity {
  return severityOf(ruleAt(fact, side, 'body'), fact.is, strictness)
}

/** Facts, one step further inside. */
export function inside<T extends SchemaDifference | PairLink>(
  step: SchemaStep,
  found: readonly T[],
): readonly T[] {
  return found.map((one) => ({ ...one, at: [step, ...one.at] }))
}

/** Creates a fact of the schemas that are compared. */
export type SayDifference = (aspect: SchemaRuleName, values?: MessageValues) => SchemaDifference

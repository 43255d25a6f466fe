import type { Level } from '../finding.ts'
import { ASPECTS } from './aspects.ts'
import type { AspectName } from './aspects.ts'
import type { Inclusion } from './includes.ts'
import type { Side } from './read.ts'
import type { ValueSet } from './shape.ts'

/** A difference between two schemas, told relative to them. */
export interface Fact {
  /** The name of the rule without side and place, or the whole name if `isNamed`. */
  readonly rule: string
  readonly isNamed?: boolean
  readonly level: Level
  /** Steps from the schema to the place. */
  readonly at: readonly string[]
  readonly message: string
  /** Whether it tells of values that are no longer, or newly, in the set. It is none if the set as a whole is kept. */
  readonly isOfSet: boolean
  /** The older schema. */
  readonly base: object | undefined
  /** The newer schema. */
  readonly revision: object | undefined
}

/** How strict a comparison is. */
export interface Strictness {
  /** New values of enumerations in responses are breaking. */
  readonly closedEnums: boolean
  /** New members in responses are breaking. */
  readonly closedClients: boolean
  /** The day after which a sunset is still to come: milliseconds. */
  readonly now: number
}

/** The parts that comparing two schemas needs. */
export interface Comparing {
  readonly side: Side
  readonly strictness: Strictness
  /** In the direction that keeps clients working: from older to newer in requests, from newer to older in responses. */
  readonly inclusion: Inclusion
  /** The facts of schemas further inside. */
  readonly compare: (base: ValueSet, revision: ValueSet) => readonly Fact[]
}

/** A fact of two shapes themselves. */
export function toFact(
  aspect: AspectName,
  base: Pick<ValueSet, 'place'>,
  revision: Pick<ValueSet, 'place'>,
  side: Side,
  detail?: string,
): Fact {
  const { [side]: level, description: says } = ASPECTS[aspect]
  return {
    rule: aspect,
    level,
    at: [],
    message: detail ?? says,
    isOfSet:
      !ABOUT_MEANING.has(aspect) && !(aspect === 'additional-properties-closed' && side === 'response'),
    base: base.place,
    revision: revision.place,
  }
}

const ABOUT_MEANING: ReadonlySet<string> = new Set<AspectName>([
  'default-value-added',
  'default-value-changed',
  'default-value-removed',
  'deprecated',
  'reactivated',
  'became-read-only',
  'discriminator-property-name-changed',
  'additional-properties-opened',
])

/** Facts, one step further inside. */
export function inside(step: string, facts: readonly Fact[]): readonly Fact[] {
  return facts.map((fact) => ({ ...fact, at: [step, ...fact.at] }))
}

/** Creates a fact of the schemas that are compared. */
export type Say = (aspect: AspectName, detail?: string) => Fact

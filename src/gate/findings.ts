import {
  isAtLeast,
  worst,
  type Severity,
  type Passed,
  type TracedFinding,
  type TracedPlace,
} from './finding.ts'
import { severityOf, type Circumstances } from './severity.ts'
import type {
  OperationDifference,
  DifferentSchemas,
  ComparedDocuments,
  FoundDifference,
} from './operation/compared-documents.ts'
import { ruleMessage } from './rules.ts'
import {
  ruleAt,
  type SchemaDifference,
  type SchemaPair,
  type SchemaStep,
} from './schema/schema-difference.ts'
import { asSeen, behind } from './schema/verdicts.ts'
import { isAny } from './schema/shape.ts'
import { ELSEWHERE, findNamedSchema, isElsewhere, type NamedPlace } from './schema-location.ts'

/** The differences of one operation. */
export interface OfOperation {
  /** Method and path. */
  readonly operation: string
  readonly route: string | undefined
  readonly isPreview: boolean
  readonly found: readonly FoundDifference[]
}

/** A difference at one place of an operation. */
interface PlacedDifference extends Pick<OperationDifference, 'rule' | 'base' | 'revision'> {
  readonly message: string
  readonly is: Circumstances
  readonly steps: readonly string[]
  readonly passed: readonly Passed[]
  readonly named: () => NamedPlace | undefined
}

/** A difference, with all places that it reaches. */
interface FindingPlaces {
  readonly difference: PlacedDifference
  readonly pointers: readonly [base: string, revision: string]
  readonly places: TracedPlace[]
}

/** Lists each difference of at least a level once, with the operations and places that it reaches. */
export function listFindings(
  all: readonly OfOperation[],
  documents: ComparedDocuments,
  least: Severity = 'info',
): readonly TracedFinding[] {
  const groups = new Map<string, FindingPlaces>()
  for (const { operation, route, isPreview, found } of all)
    for (const difference of found.flatMap((one) => toPlaced(one, documents))) {
      const { rule, message, base, revision, is, steps, passed } = difference
      const level = severityOf(rule, { ...is, isPreview }, documents.strictness)
      if (!isAtLeast(level, least)) continue
      const pointers = [documents.base.pointerOf(base), documents.revision.pointerOf(revision)] as const
      const key = [rule, ...pointers, message].join('\n')
      const group = groups.get(key) ?? { difference, pointers, places: [] }
      groups.set(key, group)
      const own = route === undefined ? {} : { route }
      group.places.push({ operation, ...own, at: steps.join('/'), level, steps, passed })
    }
  return [...groups.values()].map(toFinding)
}

function toFinding({ difference, pointers: [base, revision], places }: FindingPlaces): TracedFinding {
  const { rule, message } = difference
  const named = difference.named()
  const [first] = places
  const { operation = '', route } = named === undefined ? { ...first } : {}
  return {
    rule,
    level: worst(places.map(({ level }) => level)),
    ...(named ?? { at: first?.at ?? '' }),
    operation,
    ...(route === undefined ? {} : { route }),
    message,
    base: { pointer: base },
    revision: { pointer: revision },
    places,
  }
}

function toPlaced(one: FoundDifference, documents: ComparedDocuments): readonly PlacedDifference[] {
  if (!('pair' in one)) {
    const { rule, values, base, revision, is = {}, at } = one
    return [
      {
        rule,
        message: ruleMessage(rule, values),
        base,
        revision,
        is,
        steps: at,
        passed: [],
        named: () => undefined,
      },
    ]
  }
  return factsOf(one, documents).map(({ fact, way, entry }): PlacedDifference => {
    const steps = stepsOfWay(way)
    const isInside = one.place === 'body' && steps.length > 0
    return {
      rule: ruleAt(fact, one.side, isInside ? 'property' : one.place),
      message: fact.message,
      base: fact.base,
      revision: fact.revision,
      is: { ...one.is, ...fact.is },
      steps: [...one.at, ...steps.map(({ name }) => name)],
      passed: toPassed(steps, one.origin),
      named: () => {
        const named = findNamedSchema(fact, documents)
        if (named !== undefined && named !== ELSEWHERE && named.schema !== entry?.schema) return named
        return named === undefined || entry === undefined
          ? undefined
          : {
              schema: entry.schema,
              at: steps
                .slice(entry.depth)
                .map(({ name }) => name)
                .join('/'),
            }
      },
    }
  })
}

/** The steps to a pair, from the inside to the outside. */
interface FoundWay {
  readonly steps: readonly SchemaStep[]
  readonly above: FoundWay | undefined
  /** How many steps there are, with those above. */
  readonly depth: number
}

function stepsOfWay(way: FoundWay | undefined): readonly SchemaStep[] {
  const all: (readonly SchemaStep[])[] = []
  for (let each = way; each !== undefined; each = each.above) all.push(each.steps)
  return all.toReversed().flat()
}

/** A pair that is looked into, and how it was reached. */
interface Visit {
  readonly pair: SchemaPair
  readonly outlook: number
  readonly way: FoundWay | undefined
  /** The last named schema on the way. */
  readonly entry: SchemaEntry | undefined
}

interface SchemaEntry {
  readonly schema: string
  /** How many steps lead to it. */
  readonly depth: number
}

interface Met extends Pick<Visit, 'way' | 'entry'> {
  readonly fact: SchemaDifference
}

function further(steps: readonly SchemaStep[], above: FoundWay | undefined): FoundWay | undefined {
  return steps.length === 0 ? above : { steps, above, depth: steps.length + (above?.depth ?? 0) }
}

/** The facts of two schemas and of those inside, each by the shortest way. */
function factsOf({ pair: root, side }: DifferentSchemas, documents: ComparedDocuments): readonly Met[] {
  const { comparing } = documents.sides[side]
  const known = new Map<SchemaPair, number>()
  const open: Visit[] = []
  const enter = (pair: SchemaPair, above: Omit<Visit, 'pair'>): void => {
    const outlook = behind(pair, above.outlook)
    const seen = known.get(pair) ?? 0
    if (outlook === undefined || (seen & (1 << outlook)) !== 0) return
    known.set(pair, seen | (1 << outlook))
    // a finding without a place has the place of its operation
    const { place, schema: own } = pair.revision
    const schema = own === undefined && isAny(pair.revision) ? undefined : documents.revision.schemaOf(place)
    const isEntry =
      schema !== undefined && !isElsewhere(documents.base.schemaOf(pair.base.place), schema, documents)
    const entry = isEntry ? { schema, depth: above.way?.depth ?? 0 } : above.entry
    open.push({ pair, outlook, way: above.way, entry })
  }
  enter(root, { outlook: 0, way: undefined, entry: undefined })
  const met: Met[] = []
  // what is found on the way is added at the end, so that short ways come first
  for (const { pair, outlook, way, entry } of open) {
    for (const each of pair.facts) {
      const fact = asSeen(each, outlook, comparing)
      if (fact !== undefined) met.push({ fact, way: further(fact.at, way), entry })
    }
    for (const { pair: inner, at } of pair.links) enter(inner, { outlook, way: further(at, way), entry })
  }
  return met
}

/** The objects that steps lead through. */
function toPassed(steps: readonly SchemaStep[], origin = ''): readonly Passed[] {
  const passed: Passed[] = []
  let place = origin
  let isAlone = true
  for (const { name, place: step, owners, isChoice } of steps) {
    if (isChoice === true) isAlone = false
    if (owners !== undefined) passed.push({ field: name, ...owners, place, isAlone })
    place += step
  }
  return passed
}

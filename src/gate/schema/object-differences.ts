import {
  toSchemaDifference,
  inside,
  type Comparing,
  type SchemaDifference,
  type PairLink,
  type SayDifference,
  type SchemaStep,
} from './schema-difference.ts'
import { ruleMessage } from '../rules.ts'
import type { MessageValues } from './schema-rules.ts'
import { finite, toLimitFacts } from './scalar-differences.ts'
import {
  isOpenRest,
  type ObjectPart,
  type Property,
  type OtherMembers,
  type ValueSet,
  type ArrayPart,
} from './shape.ts'

/** Two schemas of objects that are compared. */
interface ObjectPair {
  readonly base: ValueSet
  readonly revision: ValueSet
  readonly say: SayDifference
  readonly comparing: Comparing
}

/** The differences of two sets of objects. */
export function toObjectFacts(
  old: ObjectPart,
  now: ObjectPart,
  pair: ObjectPair,
): readonly (SchemaDifference | PairLink)[] {
  const { say, comparing } = pair
  const facts: (SchemaDifference | PairLink)[] = [
    ...toLimitFacts('min-properties', old.minProperties || undefined, now.minProperties || undefined, say),
    ...toLimitFacts('max-properties', finite(old.maxProperties), finite(now.maxProperties), say),
  ]
  for (const name of new Set([...old.properties.keys(), ...now.properties.keys()]))
    facts.push(...inside(propertyStep(name, old, now), toPropertyFacts(name, old, now, pair)))
  facts.push(...toRestFacts(old.rest, now.rest, say, comparing))
  if (old.names === undefined && now.names !== undefined) facts.push(say('property-names-added'))
  if (old.names !== undefined && now.names === undefined) facts.push(say('property-names-removed'))
  if (old.names !== undefined && now.names !== undefined)
    facts.push(...inside({ name: '(names)', place: '' }, comparing.compare(old.names(), now.names())))
  for (const pattern of new Set([...old.patterns.keys(), ...now.patterns.keys()])) {
    const [before, after] = [old.patterns.get(pattern), now.patterns.get(pattern)]
    if (before === undefined) facts.push(say('pattern-properties-added'))
    else if (after === undefined) facts.push(say('pattern-properties-removed'))
    else facts.push(...inside({ name: `(${pattern})`, place: '' }, comparing.compare(before(), after())))
  }
  return facts
}

/** A property that the side writes. Who does not write one never sends it, whatever it looks like. */
function findWritten(part: ObjectPart, name: string): Property | undefined {
  const property = findProperty(part, name)
  return property?.isForeign === true ? undefined : property
}

function propertyStep(name: string, old: ObjectPart, now: ObjectPart): SchemaStep {
  const ownersIn = (part: ObjectPart): readonly object[] => part.properties.get(name)?.owners ?? part.owners
  return {
    name,
    place: `.${name}`,
    owners: { base: ownersIn(old), revision: ownersIn(now) },
    isChoice: old.owners.length > 1 || now.owners.length > 1,
  }
}

/** A property that can be there; one whose schema has no value cannot. */
function findProperty({ properties }: ObjectPart, name: string): Property | undefined {
  const property = properties.get(name)
  return property !== undefined && (property.isRequired || property.shape().parts.length > 0)
    ? property
    : undefined
}

/** Where a property stands, even if it refers to another schema. */
function propertyPlace({ node, shape }: Property): Pick<ValueSet, 'place'> {
  return { place: node ?? shape().place }
}

function toPropertyFacts(
  name: string,
  old: ObjectPart,
  now: ObjectPart,
  pair: ObjectPair,
): readonly (SchemaDifference | PairLink)[] {
  const { compare, side } = pair.comparing
  const [before, after] = [findWritten(old, name), findWritten(now, name)]
  if (before !== undefined && after !== undefined) {
    const found = [...compare(before.shape(), after.shape())]
    const say: SayDifference = (aspect) =>
      toSchemaDifference(aspect, propertyPlace(before), propertyPlace(after), side)
    if (!before.isRequired && after.isRequired) found.push(say('became-required'))
    if (before.isRequired && !after.isRequired) found.push(say('became-optional'))
    return found
  }
  const foreign = findProperty(now, name)
  if (before !== undefined && foreign !== undefined && side === 'request')
    return [toSchemaDifference('became-read-only', propertyPlace(before), propertyPlace(foreign), side)]
  if (before !== undefined) return removedProperty(before, now, pair)
  return after === undefined ? [] : addedProperty(after, old, pair)
}

function removedProperty(
  before: Property,
  now: ObjectPart,
  { comparing, revision }: ObjectPair,
): readonly (SchemaDifference | PairLink)[] {
  const { side, compare, strictness } = comparing
  const shape = before.shape()
  if (typeof now.rest === 'function') {
    const found = compare(shape, now.rest())
    if (side === 'request' || !before.isRequired) return found
  }
  const { deprecated, sunset } = shape.notes
  const isExpected = deprecated === true && (sunset === undefined || Date.parse(sunset) <= strictness.now)
  const fact = { base: propertyPlace(before).place, revision: revision.place, at: [] } as const
  if (side === 'request') {
    const isRefused = now.rest === 'closed'
    const consequence = isRefused ? ', and unknown members are rejected' : ''
    // what is ignored is no matter of the set
    return [
      {
        ...fact,
        ...namedDifference('request-property-removed', { consequence }),
        is: { isRefused, isExpected },
        isOfSet: isRefused,
      },
    ]
  }
  const kind = before.isRequired ? 'required' : 'optional'
  return [
    {
      ...fact,
      ...namedDifference(`response-${kind}-property-removed`),
      is: { isExpected },
      isOfSet: before.isRequired,
    },
  ]
}

function addedProperty(
  after: Property,
  old: ObjectPart,
  { comparing, base }: ObjectPair,
): readonly (SchemaDifference | PairLink)[] {
  const { side, compare } = comparing
  const shape = after.shape()
  const hasRest = typeof old.rest === 'function'
  const found = hasRest ? compare(old.rest(), shape) : []
  const fact = { base: base.place, revision: propertyPlace(after).place, is: {}, at: [] } as const
  const kind = after.isRequired ? 'required' : 'optional'
  if (side === 'response')
    return [...found, { ...fact, ...namedDifference(`response-${kind}-property-added`), isOfSet: false }]
  if (after.isRequired) {
    const rule = `new-required-request-property${'default' in shape.notes ? '-with-default' : ''}`
    return [...found, { ...fact, ...namedDifference(rule), isOfSet: true }]
  }
  return hasRest ? found : [{ ...fact, ...namedDifference('new-optional-request-property'), isOfSet: false }]
}

/** The part of a fact that has a rule of its own name. */
function namedDifference(
  rule: string,
  values?: MessageValues,
): Pick<SchemaDifference, 'rule' | 'isNamed' | 'message'> {
  return { rule, isNamed: true, message: ruleMessage(rule, values) }
}

function toRestFacts(
  old: OtherMembers,
  now: OtherMembers,
  say: SayDifference,
  { compare }: Comparing,
): readonly (SchemaDifference | PairLink)[] {
  if (old === now || (isOpenRest(old) && isOpenRest(now))) return []
  if (typeof old === 'function' && typeof now === 'function')
    return inside({ name: '*', place: '{}' }, compare(old(), now()))
  if (now === 'closed') return [say('additional-properties-closed')]
  if (now === 'open')
    return [say(old === 'closed' ? 'additional-properties-opened' : 'additional-properties-widened')]
  return [say(old === 'closed' ? 'additional-properties-opened' : 'additional-properties-narrowed')]
}

/** The differences of two sets of lists. */
export function toArrayFacts(
  old: ArrayPart,
  now: ArrayPart,
  say: SayDifference,
  { compare }: Comparing,
): readonly (SchemaDifference | PairLink)[] {
  const facts: (SchemaDifference | PairLink)[] = [
    ...toLimitFacts('min-items', old.minItems || undefined, now.minItems || undefined, say),
    ...toLimitFacts('max-items', finite(old.maxItems), finite(now.maxItems), say),
  ]
  if (!old.isUnique && now.isUnique) facts.push(say('unique-items-set'))
  if (old.isUnique && !now.isUnique) facts.push(say('unique-items-unset'))
  const length = Math.min(
    Math.max(old.prefix.length, now.prefix.length),
    Math.max(old.maxItems, now.maxItems),
  )
  for (let at = 0; at < length; at++) {
    const [before, after] = [(old.prefix[at] ?? old.items)(), (now.prefix[at] ?? now.items)()]
    if (before.parts.length > 0 && after.parts.length > 0)
      facts.push(...inside({ name: String(at), place: `[${at}]` }, compare(before, after)))
  }
  const [items, newItems] = [old.items(), now.items()]
  if (items.parts.length > 0 && newItems.parts.length > 0)
    facts.push(...inside({ name: 'items', place: '[]' }, compare(items, newItems)))
  return facts
}

import type { Level } from '../finding.ts'
import { toFact, inside } from './fact.ts'
import type { Comparing, Fact, Say } from './fact.ts'
import { finite, toLimitFacts } from './scalar-facts.ts'
import type { ObjectPart, Property, OtherMembers, ValueSet } from './shape.ts'

/** Two schemas of objects that are compared. */
interface Pair {
  readonly base: ValueSet
  readonly revision: ValueSet
  readonly say: Say
  readonly comparing: Comparing
}

/** The differences of two sets of objects. */
export function toObjectFacts(old: ObjectPart, now: ObjectPart, pair: Pair): readonly Fact[] {
  const { say, comparing } = pair
  const facts = [
    ...toLimitFacts('min-properties', old.minProperties || undefined, now.minProperties || undefined, say),
    ...toLimitFacts('max-properties', finite(old.maxProperties), finite(now.maxProperties), say),
  ]
  for (const name of new Set([...old.properties.keys(), ...now.properties.keys()]))
    facts.push(...inside(name, toPropertyFacts(name, old, now, pair)))
  facts.push(...toRestFacts(old.rest, now.rest, say, comparing))
  if (old.names === undefined && now.names !== undefined) facts.push(say('property-names-added'))
  if (old.names !== undefined && now.names === undefined) facts.push(say('property-names-removed'))
  if (old.names !== undefined && now.names !== undefined)
    facts.push(...inside('(names)', comparing.compare(old.names(), now.names())))
  for (const pattern of new Set([...old.patterns.keys(), ...now.patterns.keys()])) {
    const [before, after] = [old.patterns.get(pattern), now.patterns.get(pattern)]
    if (before === undefined) facts.push(say('pattern-properties-added'))
    else if (after === undefined) facts.push(say('pattern-properties-removed'))
    else facts.push(...inside(`(${pattern})`, comparing.compare(before(), after())))
  }
  return facts
}

/** A property that can be there; one whose schema has no value cannot. */
function find({ properties }: ObjectPart, name: string): Property | undefined {
  const property = properties.get(name)
  return property !== undefined && (property.isRequired || property.shape().parts.length > 0)
    ? property
    : undefined
}

function toPropertyFacts(name: string, old: ObjectPart, now: ObjectPart, pair: Pair): readonly Fact[] {
  const { compare, side } = pair.comparing
  const [before, after] = [find(old, name), find(now, name)]
  if (before !== undefined && after !== undefined) {
    const facts = [...compare(before.shape(), after.shape())]
    const say: Say = (aspect) => toFact(aspect, before.shape(), after.shape(), side)
    if (!before.isRequired && after.isRequired) facts.push(say('became-required'))
    if (before.isRequired && !after.isRequired) facts.push(say('became-optional'))
    return facts
  }
  if (before !== undefined) return toRemoved(before, now, pair)
  return after === undefined ? [] : toAdded(after, old, pair)
}

function toRemoved(before: Property, now: ObjectPart, { comparing, revision }: Pair): readonly Fact[] {
  const { side, compare, strictness } = comparing
  const shape = before.shape()
  if (typeof now.rest === 'function') {
    const facts = compare(shape, now.rest())
    if (side === 'request' || !before.isRequired) return facts
  }
  const { deprecated, sunset } = shape.notes
  const isOver = deprecated === true && (sunset === undefined || Date.parse(sunset) <= strictness.now)
  const at = { base: shape.place, revision: revision.place }
  if (side === 'request') {
    const isRefused = now.rest === 'closed'
    const ignored = isOver ? 'info' : 'warning'
    const level: Level = isRefused ? 'breaking' : ignored
    const message = isRefused
      ? 'the property was removed, and unknown members are rejected'
      : 'the property was removed'
    // what is ignored is no matter of the set
    return [
      { ...at, rule: 'request-property-removed', isNamed: true, level, at: [], message, isOfSet: isRefused },
    ]
  }
  const [kind, level]: readonly [string, Level] = before.isRequired
    ? ['required', 'breaking']
    : ['optional', 'warning']
  return [
    {
      ...at,
      rule: `response-${kind}-property-removed`,
      isNamed: true,
      level: isOver && !before.isRequired ? 'info' : level,
      at: [],
      message: `the ${kind} property was removed`,
      isOfSet: before.isRequired,
    },
  ]
}

function toAdded(after: Property, old: ObjectPart, { comparing, base }: Pair): readonly Fact[] {
  const { side, compare, strictness } = comparing
  const shape = after.shape()
  const facts = typeof old.rest === 'function' ? compare(old.rest(), shape) : []
  const at = { base: base.place, revision: shape.place, at: [], isNamed: true } as const
  if (side === 'request') {
    if (!after.isRequired)
      return typeof old.rest === 'function'
        ? facts
        : [
            {
              ...at,
              rule: 'new-optional-request-property',
              level: 'info',
              message: 'an optional property was added',
              isOfSet: false,
            },
          ]
    const rule =
      'default' in shape.notes
        ? 'new-required-request-property-with-default'
        : 'new-required-request-property'
    return [
      ...facts,
      { ...at, rule, level: 'breaking', message: 'a required property was added', isOfSet: true },
    ]
  }
  const kind = after.isRequired ? 'required' : 'optional'
  return [
    ...facts,
    {
      ...at,
      rule: `response-${kind}-property-added`,
      level: strictness.closedClients ? 'breaking' : 'info',
      message: `a${after.isRequired ? ' required' : 'n optional'} property was added`,
      isOfSet: false,
    },
  ]
}

function toRestFacts(
  old: OtherMembers,
  now: OtherMembers,
  say: Say,
  { compare }: Comparing,
): readonly Fact[] {
  if (old === now) return []
  if (typeof old === 'function' && typeof now === 'function') return inside('*', compare(old(), now()))
  if (now === 'closed') return [say('additional-properties-closed')]
  if (now === 'open')
    return [say(old === 'closed' ? 'additional-properties-opened' : 'additional-properties-widened')]
  return [say(old === 'closed' ? 'additional-properties-opened' : 'additional-properties-narrowed')]
}

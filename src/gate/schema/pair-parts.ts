import { toStableText } from '../json.ts'
import { propertyValues } from './check-value.ts'
import type { Inclusion } from './includes.ts'
import type { Side } from './keyword-rules.ts'
import { toAlone, type Alternative, type ValueSet } from './shape.ts'

/** Alternatives of two unions that belong together, and those that have no partner. */
export interface PartPairs {
  readonly pairs: readonly (readonly [Alternative, Alternative])[]
  readonly removed: readonly Alternative[]
  readonly added: readonly Alternative[]
}

/** Pairs the alternatives of two unions: by the property that tells them apart, by name, by equality, and what is left if it is one each. */
export function pairParts(
  old: readonly Alternative[],
  now: readonly Alternative[],
  [base, revision]: readonly [ValueSet, ValueSet],
  inclusion: Inclusion,
  side: Side,
): PartPairs {
  const [first, second] = [old[0], now[0]]
  if (first !== undefined && second !== undefined && old.length + now.length === 2)
    return { pairs: [[first, second]], removed: [], added: [] }
  const left = new Set(old)
  const free = new Set(now)
  const pairs: [Alternative, Alternative][] = []
  const take = (one: Alternative, other: Alternative | undefined): void => {
    if (other === undefined) return
    pairs.push([one, other])
    left.delete(one)
    free.delete(other)
  }
  const tag = findTag(old, now)
  const match = (isPartner: (one: Alternative, other: Alternative) => boolean): void => {
    for (const one of left)
      take(
        one,
        [...free].find((other) => isPartner(one, other)),
      )
  }
  const isTwin = (one: Alternative, other: Alternative): boolean =>
    hasSameMembers(one, other) && isEqual(one, other, inclusion)
  if (!areNamed(old) || !areNamed(now)) match((one, other) => one.name === other.name && isTwin(one, other))
  if (tag !== undefined)
    match((one, other) => {
      const [values, others] = [discriminatorTags(one, tag), discriminatorTags(other, tag)]
      return values.some((value) => others.includes(value))
    })
  else {
    match((one, other) => one.name !== undefined && one.name === other.name)
    if (left.size > 1 || free.size > 1) {
      match(isTwin)
      match((one, other) => isEqual(one, other, inclusion))
    }
    match(isAlikeAlternative)
    match(isAlikeAlternative)
  }
  if (left.size === 1 && free.size === 1 && tag === undefined) for (const one of left) take(one, [...free][0])
  // an alternative that the others cover is no loss
  const isCovered = (part: Alternative, whole: ValueSet): boolean => inclusion.isPartIn(part, whole) === 'yes'
  const removed = [...left].filter((part) => side === 'response' || !isCovered(part, revision))
  const added = [...free].filter((part) => side === 'request' || !isCovered(part, base))
  return { pairs, removed, added }
}

function withoutRules(part: Alternative): Alternative {
  return part.rules.length === 0 ? part : { ...part, rules: [] }
}

/** Whether each alternative has a name of its own. */
function areNamed(parts: readonly Alternative[]): boolean {
  const names = new Set(parts.map(({ name }) => name))
  return names.size === parts.length && !names.has(undefined)
}

function isEqual(one: Alternative, other: Alternative, { isPartIn }: Inclusion): boolean {
  // rules say what is left of both: a difference there is told of the pair
  const [own, its] = [withoutRules(one), withoutRules(other)]
  return isPartIn(own, toAlone(its)) === 'yes' && isPartIn(its, toAlone(own)) === 'yes'
}

/** Whether two objects, and the objects in them, have equal property names. Optional properties may be absent on either side. */
function hasSameMembers(one: Alternative, other: Alternative, depth = 2): boolean {
  if (one.kind !== 'object' || other.kind !== 'object') return true
  if (one.properties.size !== other.properties.size) return false
  return [...one.properties].every(([name, { shape }]) => {
    const its = other.properties.get(name)
    if (its === undefined || depth === 0) return its !== undefined
    const [own, [partner]] = [shape().parts, its.shape().parts]
    return (
      own.length !== 1 ||
      own.every((part) => partner === undefined || hasSameMembers(part, partner, depth - 1))
    )
  })
}

/** Whether at least half of the properties of two objects have the same names. */
function isAlikeAlternative(one: Alternative, other: Alternative): boolean {
  if (one.kind !== 'object' || other.kind !== 'object') return false
  const names = new Set([...one.properties.keys(), ...other.properties.keys()])
  const shared = [...names].filter((name) => one.properties.has(name) && other.properties.has(name))
  return shared.length > 0 && shared.length * 2 >= names.size
}

/** The name of a property that all alternatives require, and that has its own values in each of a union. */
function findTag(old: readonly Alternative[], now: readonly Alternative[]): string | undefined {
  const [first] = old
  if (first?.kind !== 'object' || old.length + now.length < 3) return undefined
  return [...first.properties.keys()].find((name) => isTag(old, name) && isTag(now, name))
}

function isTag(parts: readonly Alternative[], name: string): boolean {
  const values = parts.map((part) => discriminatorTags(part, name))
  const all = values.flat()
  return values.every((own) => own.length > 0) && new Set(all).size === all.length
}

function discriminatorTags(part: Alternative, name: string): readonly string[] {
  const property = part.kind === 'object' ? part.properties.get(name) : undefined
  if (property?.isRequired !== true) return []
  return (propertyValues(property) ?? []).map(toStableText)
}

import type { IsSame } from '../document/same.ts'
import { PairMap } from '../pair-map.ts'
import { toArrayFacts } from './array-facts.ts'
import { inside, toFact } from './fact.ts'
import type { Comparing, Fact, Say, Strictness } from './fact.ts'
import { createInclusion } from './includes.ts'
import { toNoteFacts } from './note-facts.ts'
import { toObjectFacts } from './object-facts.ts'
import { pairParts } from './pairs.ts'
import type { Side } from './read.ts'
import { toRuleFacts } from './rule-facts.ts'
import { toNumberFacts, toStringFacts } from './scalar-facts.ts'
import { areWrittenSame, isAny, typeOf } from './shape.ts'
import type { JsonType, Alternative, ValueSet } from './shape.ts'
import { toValueFacts } from './value-facts.ts'
import type { Values } from './value-facts.ts'

/** Creates the comparison of schemas for one side. It compares a pair of schemas once. */
export function createComparing(side: Side, strictness: Strictness, isSame: IsSame): Comparing {
  const inclusion = createInclusion(side === 'response', isSame)
  const known = new PairMap<ValueSet, readonly Fact[]>()
  const comparing: Comparing = {
    side,
    strictness,
    inclusion,
    compare: (base, revision) => {
      const found = known.get(base, revision)
      if (found !== undefined) return found
      if (areWrittenSame(base, revision, isSame)) return []
      // a pair that leads back to itself has been told further up
      known.set(base, revision, [])
      const facts = dropImpossible(
        base,
        revision,
        [...toNoteFacts(base, revision, side), ...toFacts(base, revision, comparing)],
        comparing,
      )
      known.set(base, revision, facts)
      return facts
    },
  }
  return comparing
}

/** Whether a fact says that values are lost, or come newly. */
function isBad({ level, isOfSet }: Fact): boolean {
  return isOfSet && (level === 'breaking' || level === 'warning')
}

/** Leaves out what the set as a whole does not confirm, and adds what no single difference tells. */
function dropImpossible(
  base: ValueSet,
  revision: ValueSet,
  facts: readonly Fact[],
  { side, inclusion }: Comparing,
): readonly Fact[] {
  const [part, whole] = side === 'request' ? [base, revision] : [revision, base]
  const kept = inclusion.isIn(part, whole)
  const bad = facts.filter(isBad)
  if (kept === 'yes') {
    const isSame = inclusion.isIn(whole, part) === 'yes'
    return facts.filter((fact) => (isSame ? !fact.isOfSet : !bad.includes(fact)))
  }
  // new values of an enumeration are judged by themselves
  const isOfValues = ({ rule }: Fact): boolean => side === 'response' && rule === 'enum-value-added'
  const others = bad.filter((fact) => !isOfValues(fact))
  if (others.some(({ level }) => level === 'breaking')) return facts
  if (others.length === 0 && facts.some(isOfValues)) return facts
  if (kept === 'unknown')
    return others.length > 0 ? facts : [...facts, toFact('undecided', base, revision, side)]
  if (others.length > 0)
    return facts.map((fact) => (others.includes(fact) ? { ...fact, level: 'breaking' } : fact))
  const isTold = facts.some(({ level }) => level === 'warning' || level === 'breaking')
  const detail = side === 'request' ? 'fewer values are allowed' : 'more values are allowed'
  return isTold ? facts : [...facts, toFact('type-changed', base, revision, side, detail)]
}

function toFacts(base: ValueSet, revision: ValueSet, comparing: Comparing): readonly Fact[] {
  if (isAny(base) && isAny(revision)) return []
  const { side } = comparing
  const say: Say = (aspect, detail) => toFact(aspect, base, revision, side, detail)
  const [old, now] = [toTypes(base), toTypes(revision)]
  const isPlain = old.size > 0 && now.size > 0 && !isAny(base) && !isAny(revision)
  const nulls = isPlain ? toNullFacts(old, now, say) : []
  const [removed, added] = [without(old, now), without(now, old)]
  const isReplaced = removed.length > 0 === added.length > 0
  if (isReplaced && isEnvelope(base, revision, comparing))
    return [...nulls, say('wrapped', 'the value was wrapped in an object or list')]
  const change = `it was ${toTypeText(old)} and is ${toTypeText(now)}`
  if (removed.length > 0 && added.length > 0) return [...nulls, say('type-changed', change)]
  const shared = [...old].filter((type) => type !== 'null' && now.has(type))
  return [
    ...nulls,
    ...(removed.length > 0 ? [say(side === 'request' ? 'type-changed' : 'type-specialized', change)] : []),
    ...(added.length > 0 ? [say('type-generalized', change)] : []),
    ...shared.flatMap((type) => toTypeFacts(type, base, revision, comparing)),
  ]
}

function toNullFacts(old: ReadonlySet<JsonType>, now: ReadonlySet<JsonType>, say: Say): readonly Fact[] {
  if (old.has('null') === now.has('null')) return []
  return [say(old.has('null') ? 'became-not-nullable' : 'became-nullable')]
}

function toTypes({ parts }: ValueSet): ReadonlySet<JsonType> {
  return new Set(parts.map(typeOf))
}

function without(one: ReadonlySet<JsonType>, other: ReadonlySet<JsonType>): readonly JsonType[] {
  return [...one].filter((type) => type !== 'null' && !other.has(type))
}

function toTypeText(types: ReadonlySet<JsonType>): string {
  if (types.size === 0) return 'no value'
  return types.size === 6 ? 'anything' : [...types].toSorted().join(' or ')
}

/** Whether the newer value has the older one in it: an item of a list, or a member of an object that has nothing of it otherwise. */
function isEnvelope(base: ValueSet, revision: ValueSet, { inclusion }: Comparing): boolean {
  const [old, now] = [toOnly(base), toOnly(revision)]
  if (old?.kind !== 'object' && old?.kind !== 'array') return false
  const isOld = (shape: ValueSet): boolean =>
    !isAny(shape) && inclusion.isIn(base, shape) === 'yes' && inclusion.isIn(shape, base) === 'yes'
  if (now?.kind === 'array') return old.kind === 'object' && isOld(now.items())
  if (now?.kind !== 'object') return false
  const names = old.kind === 'object' ? [...old.properties.keys()] : []
  if (names.some((name) => now.properties.has(name))) return false
  return [...now.properties.values()].some(({ shape }) => isOld(shape()))
}

function toOnly({ parts }: ValueSet): Alternative | undefined {
  return parts.length === 1 ? parts[0] : undefined
}

function toTypeFacts(
  type: JsonType,
  base: ValueSet,
  revision: ValueSet,
  comparing: Comparing,
): readonly Fact[] {
  const [old, now] = [ofType(base, type), ofType(revision, type)]
  const say: Say = (aspect, detail) => toFact(aspect, base, revision, comparing.side, detail)
  const isExtensible = base.notes.isExtensible === true
  return [
    ...toValueFacts(old, now, say, isExtensible, comparing),
    ...toPlainFacts(old.plain, now.plain, [base, revision], comparing),
  ]
}

function ofType({ parts }: ValueSet, type: JsonType): Values & { readonly plain: readonly Alternative[] } {
  const own = parts.filter((part) => typeOf(part) === type)
  const plain = own.filter(({ kind }) => kind !== 'value')
  return { values: own.filter((part) => part.kind === 'value'), plain, isOpen: plain.length > 0 }
}

function toPlainFacts(
  old: readonly Alternative[],
  now: readonly Alternative[],
  shapes: readonly [ValueSet, ValueSet],
  comparing: Comparing,
): readonly Fact[] {
  const [base, revision] = shapes
  const { side, inclusion } = comparing
  if (old.length === 0 || now.length === 0) return []
  const { pairs, removed, added } = pairParts(old, now, shapes, inclusion, side)
  const isSingle = old.length === 1 && now.length === 1
  const facts = pairs.flatMap(([one, other], at) => {
    const own = toPairFacts(one, other, shapes, comparing)
    const name = one.name ?? other.name
    return isSingle ? own : inside(`(${name ?? at + 1})`, own)
  })
  if (removed.length > 0)
    facts.push(
      toFact('any-of-removed', base, revision, side, `the alternative ${toNames(removed)} was removed`),
    )
  if (added.length > 0)
    facts.push(toFact('any-of-added', base, revision, side, `the alternative ${toNames(added)} was added`))
  return facts
}

function toNames(parts: readonly Alternative[]): string {
  return parts.map((part) => part.name ?? typeOf(part)).join(', ')
}

function toPairFacts(
  old: Alternative,
  now: Alternative,
  [base, revision]: readonly [ValueSet, ValueSet],
  comparing: Comparing,
): readonly Fact[] {
  const { side } = comparing
  const say: Say = (aspect, detail) => toFact(aspect, base, revision, side, detail)
  const facts = [...toRuleFacts(old, now, say)]
  if (old.kind === 'number' && now.kind === 'number') facts.push(...toNumberFacts(old, now, say, side))
  if (old.kind === 'string' && now.kind === 'string') facts.push(...toStringFacts(old, now, say))
  if (old.kind === 'array' && now.kind === 'array') facts.push(...toArrayFacts(old, now, say, comparing))
  if (old.kind === 'object' && now.kind === 'object')
    facts.push(...toObjectFacts(old, now, { base, revision, say, comparing }))
  return facts
}

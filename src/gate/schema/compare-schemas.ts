import type { IsSame } from '../document/deep-equal.ts'
import type { Strictness } from '../severity.ts'
import { PairMap } from '../pair-map.ts'
import { toArrayFacts, toObjectFacts } from './object-differences.ts'
import {
  inside,
  toSchemaDifference,
  type Comparing,
  type SchemaDifference,
  type PairLink,
  type SchemaPair,
  type SayDifference,
} from './schema-difference.ts'
import { createInclusion, type Inclusion } from './includes.ts'
import { toNoteFacts, toRuleFacts, toValueFacts, type ListedValues } from './value-differences.ts'
import { pairParts } from './pair-parts.ts'
import type { Side } from './keyword-rules.ts'
import { toNumberFacts, toStringFacts } from './scalar-differences.ts'
import { settlePairs } from './verdicts.ts'
import {
  areWrittenSame,
  isAny,
  alternativeType,
  type JsonType,
  type Alternative,
  type ValueSet,
} from './shape.ts'

/** Compares schemas for one side. */
export interface SchemaComparing extends Comparing {
  /** The pair of two schemas with everything inside compared, or `undefined` if they say the same word for word. */
  readonly toPair: (base: ValueSet, revision: ValueSet) => SchemaPair | undefined
}

/** Creates the comparison of schemas for one side. Time grows with the number of pairs, not with the number of ways to them. */
export function createComparing(
  side: Side,
  strictness: Strictness,
  isSame: IsSame,
  inclusion: Inclusion = createInclusion(side === 'response', isSame),
): SchemaComparing {
  const known = new PairMap<ValueSet, SchemaPair>()
  const open: SchemaPair[] = []
  const find = (base: ValueSet, revision: ValueSet): SchemaPair | undefined => {
    const found = known.get(base, revision)
    if (found !== undefined || areWrittenSame(base, revision, isSame)) return found
    const pair: SchemaPair = {
      base,
      revision,
      facts: [],
      links: [],
      above: new Set(),
      verdict: 'all',
      seen: 0,
      isSettled: false,
    }
    known.set(base, revision, pair)
    open.push(pair)
    return pair
  }
  const comparing: SchemaComparing = {
    side,
    strictness,
    inclusion,
    compare: (base, revision) => {
      const pair = find(base, revision)
      return pair === undefined ? [] : [{ at: [], pair }]
    },
    toPair: (base, revision) => {
      const root = find(base, revision)
      // schemas may lead to each other in long rows: a list of what is open, not functions that call each other
      for (let pair = open.pop(); pair !== undefined; pair = open.pop()) expand(pair, comparing)
      if (root !== undefined && !root.isSettled) settlePairs(root, comparing)
      return root
    },
  }
  return comparing
}

function expand(pair: SchemaPair, comparing: Comparing): void {
  const { base, revision } = pair
  const { side } = comparing
  const unreadable = revision.notes.unreadable ?? base.notes.unreadable
  const found =
    unreadable === undefined
      ? [...toNoteFacts(base, revision, side), ...toFacts(base, revision, comparing)]
      : [toSchemaDifference('unresolved', base, revision, side, { problem: unreadable })]
  pair.links = found.filter((one): one is PairLink => 'pair' in one)
  pair.facts = found.filter((one): one is SchemaDifference => !('pair' in one))
  for (const link of pair.links) link.pair.above.add(pair)
}

function toFacts(
  base: ValueSet,
  revision: ValueSet,
  comparing: Comparing,
): readonly (SchemaDifference | PairLink)[] {
  if (isAny(base) && isAny(revision)) return []
  const { side } = comparing
  const say: SayDifference = (aspect, values) => toSchemaDifference(aspect, base, revision, side, values)
  const [old, now] = [jsonTypes(base), jsonTypes(revision)]
  const [removed, added] = [withoutTypes(old, now), withoutTypes(now, old)]
  // of what can be anything, the types say all
  const isBlank = [old.size, now.size].includes(ALL) && removed.length + added.length > 0
  const nulls = isBlank ? [] : toNullFacts(old, now, say)
  const isReplaced = removed.length > 0 === added.length > 0
  if (isReplaced && isEnvelope(base, revision, comparing)) return [...nulls, say('wrapped')]
  const change = { change: `it was ${toTypeText(old)} and is ${toTypeText(now)}` }
  if (removed.length > 0 && added.length > 0) return [...nulls, say('type-changed', change)]
  const shared =
    isBlank && [base, revision].some(isAny) ? [] : [...old].filter((type) => type !== 'null' && now.has(type))
  return [
    ...nulls,
    ...(removed.length > 0 ? [say(side === 'request' ? 'type-changed' : 'type-specialized', change)] : []),
    ...(added.length > 0 ? [say('type-generalized', change)] : []),
    ...shared.flatMap((type) => toTypeFacts(type, base, revision, comparing)),
  ]
}

/** How many types there are. */
const ALL = 6

function toNullFacts(
  old: ReadonlySet<JsonType>,
  now: ReadonlySet<JsonType>,
  say: SayDifference,
): readonly SchemaDifference[] {
  if (old.size === 0 || now.size === 0 || old.has('null') === now.has('null')) return []
  return [say(old.has('null') ? 'became-not-nullable' : 'became-nullable')]
}

function jsonTypes({ parts }: ValueSet): ReadonlySet<JsonType> {
  return new Set(parts.map(alternativeType))
}

function withoutTypes(one: ReadonlySet<JsonType>, other: ReadonlySet<JsonType>): readonly JsonType[] {
  return [...one].filter((type) => type !== 'null' && !other.has(type))
}

function toTypeText(types: ReadonlySet<JsonType>): string {
  if (types.size === 0) return 'no value'
  return types.size === ALL ? 'anything' : [...types].toSorted().join(' or ')
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
): readonly (SchemaDifference | PairLink)[] {
  const [old, now] = [partsOfType(base, type), partsOfType(revision, type)]
  const say: SayDifference = (aspect, values) =>
    toSchemaDifference(aspect, base, revision, comparing.side, values)
  const isExtensible = base.notes.isExtensible === true
  return [
    ...toValueFacts(old, now, say, isExtensible),
    ...toPlainFacts(old.plain, now.plain, [base, revision], comparing),
  ]
}

function partsOfType(
  { parts }: ValueSet,
  type: JsonType,
): ListedValues & { readonly plain: readonly Alternative[] } {
  const own = parts.filter((part) => alternativeType(part) === type)
  const plain = own.filter(({ kind }) => kind !== 'value')
  return { values: own.filter((part) => part.kind === 'value'), plain, isOpen: plain.length > 0 }
}

function toPlainFacts(
  old: readonly Alternative[],
  now: readonly Alternative[],
  shapes: readonly [ValueSet, ValueSet],
  comparing: Comparing,
): readonly (SchemaDifference | PairLink)[] {
  const [base, revision] = shapes
  const { side, inclusion } = comparing
  if (old.length === 0 || now.length === 0) return []
  const { pairs, removed, added } = pairParts(old, now, shapes, inclusion, side)
  const isSingle = old.length === 1 && now.length === 1
  const found = pairs.flatMap(([one, other], at) => {
    const own = toPairFacts(one, other, shapes, comparing)
    const name = one.name ?? other.name ?? one.branch ?? other.branch ?? at
    return isSingle ? own : inside({ name: `(${name})`, place: '', isChoice: true }, own)
  })
  if (removed.length > 0)
    found.push(
      toSchemaDifference('any-of-removed', base, revision, side, { alternatives: alternativeNames(removed) }),
    )
  if (added.length > 0)
    found.push(
      toSchemaDifference('any-of-added', base, revision, side, { alternatives: alternativeNames(added) }),
    )
  return found
}

function alternativeNames(parts: readonly Alternative[]): string {
  return [...new Set(parts.map((part) => part.name ?? alternativeType(part)))].join(', ')
}

function toPairFacts(
  old: Alternative,
  now: Alternative,
  [base, revision]: readonly [ValueSet, ValueSet],
  comparing: Comparing,
): readonly (SchemaDifference | PairLink)[] {
  const { side, compare } = comparing
  const say: SayDifference = (aspect, values) => toSchemaDifference(aspect, base, revision, side, values)
  const rules = toRuleFacts(old, now, say)
  // a reference: what differs inside is told where the schemas stand
  if (old.home !== undefined && now.home !== undefined) {
    const [was, is] = [old.home(), now.home()]
    if (was !== base && is !== revision) return [...rules, ...compare(was, is)]
  }
  const found: (SchemaDifference | PairLink)[] = [...rules]
  if (old.kind === 'number' && now.kind === 'number') found.push(...toNumberFacts(old, now, say, side))
  if (old.kind === 'string' && now.kind === 'string') found.push(...toStringFacts(old, now, say))
  if (old.kind === 'array' && now.kind === 'array') found.push(...toArrayFacts(old, now, say, comparing))
  if (old.kind === 'object' && now.kind === 'object')
    found.push(...toObjectFacts(old, now, { base, revision, say, comparing }))
  return found
}

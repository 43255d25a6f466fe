import { toShortText, toStableText } from '../json.ts'
import { formatFirst, toKebab } from '../../base/values.ts'
import type { MessageValues } from './aspects.ts'
import { toFact, type Fact, type Say } from './fact.ts'
import { toValue, rulesOf, type ValuePart, type ValueSet, type Alternative, type Rule } from './shape.ts'
import type { Side } from './keyword-rules.ts'

/** The values of a type that a schema lists. */
export interface Values {
  readonly values: readonly ValuePart[]
  /** Whether values that are not listed are allowed. */
  readonly isOpen: boolean
}

/** The differences of two lists of values. */
export function toValueFacts(old: Values, now: Values, say: Say, isExtensible: boolean): readonly Fact[] {
  if (old.isOpen)
    return now.isOpen
      ? []
      : [say(now.values.length === 1 ? 'const-added' : 'became-enum', listed(now.values))]
  if (now.isOpen) return [say(old.values.length === 1 ? 'const-removed' : 'enum-removed', listed(old.values))]
  const removed = without(old, now)
  const added = without(now, old)
  if (removed.length > 0 && added.length > 0 && old.values.length === 1 && now.values.length === 1)
    return [say('const-changed', { was: toText(removed), now: toText(added) })]
  return [
    ...(removed.length > 0 ? [say('enum-value-removed', listed(removed))] : []),
    ...(added.length > 0
      ? [
          {
            ...say('enum-value-added', listed(added)),
            is: { isExpected: isExtensible },
          },
        ]
      : []),
  ]
}

const toListed = (all: readonly unknown[]): Values => ({ values: all.map(toValue), isOpen: false })

/** The differences of two lists of values beside which others may come: they don't change what a schema allows. */
function toAnnouncedFacts(old: readonly unknown[], now: readonly unknown[], say: Say): readonly Fact[] {
  return toValueFacts(toListed(old), toListed(now), say, true)
    .filter(({ rule }) => rule.startsWith('enum-value-'))
    .map((fact) => ({ ...fact, isOfSet: false }))
}

function without(one: Values, other: Values): readonly ValuePart[] {
  const texts = new Set(other.values.map(({ value }) => toStableText(value)))
  return one.values.filter(({ value }) => !texts.has(toStableText(value)))
}

/** Values as the subject of a message. */
function listed(values: readonly ValuePart[]): MessageValues {
  return { values: `${toText(values)} ${values.length === 1 ? 'is' : 'are'}` }
}

function toText(parts: readonly ValuePart[]): string {
  return formatFirst(parts.map(({ value }) => toShortText(value)).toSorted(), 5)
}

/** The differences in what two schemas say beside their values. */
export function toNoteFacts(base: ValueSet, revision: ValueSet, side: Side): readonly Fact[] {
  const say: Say = (aspect, values) => toFact(aspect, base, revision, side, values)
  const [old, now] = [base.notes, revision.notes]
  const facts = side === 'request' ? toDefaultFacts(base, revision) : []
  const { discriminator: was } = old
  const { discriminator: is } = now
  const isRenamed = was !== undefined && is !== undefined && was !== is
  return [
    ...facts,
    ...(old.announced && now.announced ? toAnnouncedFacts(old.announced, now.announced, say) : []),
    ...(!old.deprecated && now.deprecated ? [say('deprecated')] : []),
    ...(old.deprecated && !now.deprecated ? [say('reactivated')] : []),
    ...(isRenamed ? [say('discriminator-property-name-changed', { was, now: is })] : []),
  ]
}

function toDefaultFacts(base: ValueSet, revision: ValueSet): readonly Fact[] {
  const say: Say = (aspect, values) => toFact(aspect, base, revision, 'request', values)
  const [had, has] = ['default' in base.notes, 'default' in revision.notes]
  const [before, after] = [base.notes.default, revision.notes.default]
  const [was, now] = [toShortText(before), toShortText(after)]
  if (had && !has) return [say('default-value-removed', { was })]
  if (!had && has) return [say('default-value-added', { now })]
  return toStableText(before) === toStableText(after) ? [] : [say('default-value-changed', { was, now })]
}

/** The differences in rules that cannot be compared: each is named by its keyword. */
export function toRuleFacts(old: Alternative, now: Alternative, say: Say): readonly Fact[] {
  const [before, after] = [ownRules(old), ownRules(now)]
  // alternatives may exclude each other now, so that there is nothing left for oneOf to refuse
  const isWritten = (key: string): boolean => key === 'oneOf' && now.rules.some((rule) => rule.key === key)
  const removed = before.filter(({ key }) => !isWritten(key) && !after.some((rule) => rule.key === key))
  const added = after.filter(({ key }) => !before.some((rule) => rule.key === key))
  const facts = [
    ...removed.map(({ keyword }) => ({
      ...say('constraint-removed', { keyword }),
      rule: `${toKebab(keyword)}-removed`,
    })),
    ...added.map(({ keyword }) => ({
      ...say('constraint-added', { keyword }),
      rule: `${toKebab(keyword)}-added`,
    })),
  ]
  const changed = removed.find(({ keyword }) => added.some((rule) => rule.keyword === keyword))
  if (changed === undefined) return facts
  const rest = facts.filter(({ rule }) => !rule.startsWith(toKebab(changed.keyword)))
  return [
    ...rest,
    {
      ...say('undecided', { what: changed.keyword }),
      rule: `${toKebab(changed.keyword)}-changed`,
    },
  ]
}

/** The rules of a part that the schema behind it has not. */
function ownRules(part: Alternative): readonly Rule[] {
  const behind = part.home?.().parts.flatMap(rulesOf) ?? []
  return rulesOf(part).filter(({ key }) => !behind.some((rule) => rule.key === key))
}

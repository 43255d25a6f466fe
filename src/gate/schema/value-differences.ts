import { shortJson, toStableText } from '../json.ts'
import { formatFirst, toKebab } from '../../base/values.ts'
import type { MessageValues } from './schema-rules.ts'
import { toSchemaDifference, type SchemaDifference, type SayDifference } from './schema-difference.ts'
import {
  toValuePart,
  alternativeRules,
  type ValuePart,
  type ValueSet,
  type Alternative,
  type Rule,
} from './shape.ts'
import type { Side } from './keyword-rules.ts'

/** The values of a type that a schema lists. */
export interface ListedValues {
  readonly values: readonly ValuePart[]
  /** Whether values that are not listed are allowed. */
  readonly isOpen: boolean
}

/** The differences of two lists of values. */
export function toValueFacts(
  old: ListedValues,
  now: ListedValues,
  say: SayDifference,
  isExtensible: boolean,
): readonly SchemaDifference[] {
  if (old.isOpen)
    return now.isOpen
      ? []
      : [say(now.values.length === 1 ? 'const-added' : 'became-enum', listedValues(now.values))]
  if (now.isOpen)
    return [say(old.values.length === 1 ? 'const-removed' : 'enum-removed', listedValues(old.values))]
  const removed = withoutValues(old, now)
  const added = withoutValues(now, old)
  if (removed.length > 0 && added.length > 0 && old.values.length === 1 && now.values.length === 1)
    return [say('const-changed', { was: valuesText(removed), now: valuesText(added) })]
  return [
    ...(removed.length > 0 ? [say('enum-value-removed', listedValues(removed))] : []),
    ...(added.length > 0
      ? [
          {
            ...say('enum-value-added', listedValues(added)),
            is: { isExpected: isExtensible },
          },
        ]
      : []),
  ]
}

const toListed = (all: readonly unknown[]): ListedValues => ({ values: all.map(toValuePart), isOpen: false })

function withoutValues(one: ListedValues, other: ListedValues): readonly ValuePart[] {
  const texts = new Set(other.values.map(({ value }) => toStableText(value)))
  return one.values.filter(({ value }) => !texts.has(toStableText(value)))
}

/** Values as the subject of a message. */
function listedValues(values: readonly ValuePart[]): MessageValues {
  return { values: `${valuesText(values)} ${values.length === 1 ? 'is' : 'are'}` }
}

function valuesText(parts: readonly ValuePart[]): string {
  return formatFirst(parts.map(({ value }) => shortJson(value)).toSorted(), 5)
}

/** The differences in what two schemas say beside their values. */
export function toNoteFacts(base: ValueSet, revision: ValueSet, side: Side): readonly SchemaDifference[] {
  const say: SayDifference = (aspect, values) => toSchemaDifference(aspect, base, revision, side, values)
  const [old, now] = [base.notes, revision.notes]
  const facts = side === 'request' ? toDefaultFacts(base, revision) : []
  const { discriminator: was } = old
  const { discriminator: is } = now
  const isRenamed = was !== undefined && is !== undefined && was !== is
  // other values may come beside announced ones, so their differences don't change what a schema allows
  const announced =
    old.announced && now.announced
      ? toValueFacts(toListed(old.announced), toListed(now.announced), say, true)
          .filter(({ rule }) => rule.startsWith('enum-value-'))
          .map((fact) => ({ ...fact, isOfSet: false }))
      : []
  return [
    ...facts,
    ...announced,
    ...(!old.deprecated && now.deprecated ? [say('deprecated')] : []),
    ...(old.deprecated && !now.deprecated ? [say('reactivated')] : []),
    ...(isRenamed ? [say('discriminator-property-name-changed', { was, now: is })] : []),
  ]
}

function toDefaultFacts(base: ValueSet, revision: ValueSet): readonly SchemaDifference[] {
  const say: SayDifference = (aspect, values) => toSchemaDifference(aspect, base, revision, 'request', values)
  const [had, has] = ['default' in base.notes, 'default' in revision.notes]
  const [before, after] = [base.notes.default, revision.notes.default]
  const [was, now] = [shortJson(before), shortJson(after)]
  if (had && !has) return [say('default-value-removed', { was })]
  if (!had && has) return [say('default-value-added', { now })]
  return toStableText(before) === toStableText(after) ? [] : [say('default-value-changed', { was, now })]
}

/** The differences in rules that cannot be compared: each is named by its keyword. */
export function toRuleFacts(
  old: Alternative,
  now: Alternative,
  say: SayDifference,
): readonly SchemaDifference[] {
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
  const behind = part.home?.().parts.flatMap(alternativeRules) ?? []
  return alternativeRules(part).filter(({ key }) => !behind.some((rule) => rule.key === key))
}

import { toShortText, toStableText } from '../json.ts'
import { formatFirst } from '../../base/values.ts'
import type { AspectName } from './aspects.ts'
import type { Fact, Say } from './fact.ts'
import { toValue, type ValuePart } from './shape.ts'

/** The values of a type that a schema lists. */
export interface Values {
  readonly values: readonly ValuePart[]
  /** Whether values that are not listed are allowed. */
  readonly isOpen: boolean
}

/** The differences of two lists of values. */
export function toValueFacts(old: Values, now: Values, say: Say, isExtensible: boolean): readonly Fact[] {
  if (old.isOpen) return now.isOpen ? [] : [sayOf(now, ['const-added', 'became-enum'], 'only', say)]
  if (now.isOpen) return [sayOf(old, ['const-removed', 'enum-removed'], 'not only', say)]
  const removed = without(old, now)
  const added = without(now, old)
  if (removed.length > 0 && added.length > 0 && old.values.length === 1 && now.values.length === 1)
    return [say('const-changed', `the value was ${toText(removed)} and is ${toText(added)}`)]
  return [
    ...(removed.length > 0
      ? [say('enum-value-removed', `${toText(removed)} ${areOf(removed)} no longer allowed`)]
      : []),
    ...(added.length > 0
      ? [
          {
            ...say('enum-value-added', `${toText(added)} ${areOf(added)} allowed`),
            is: { isExpected: isExtensible },
          },
        ]
      : []),
  ]
}

const toListed = (all: readonly unknown[]): Values => ({ values: all.map(toValue), isOpen: false })

/** The differences of two lists of values beside which others may come: they don't change what a schema allows. */
export function toAnnouncedFacts(
  old: readonly unknown[],
  now: readonly unknown[],
  say: Say,
): readonly Fact[] {
  return toValueFacts(toListed(old), toListed(now), say, true)
    .filter(({ rule }) => rule.startsWith('enum-value-'))
    .map((fact) => ({ ...fact, isOfSet: false }))
}

function sayOf(
  listed: Values,
  [single, several]: readonly [AspectName, AspectName],
  how: string,
  say: Say,
): Fact {
  const { values } = listed
  const aspect = values.length === 1 ? single : several
  return say(aspect, `${how} ${toText(values)} ${areOf(values)} allowed`)
}

function without(one: Values, other: Values): readonly ValuePart[] {
  const texts = new Set(other.values.map(({ value }) => toStableText(value)))
  return one.values.filter(({ value }) => !texts.has(toStableText(value)))
}

function areOf({ length }: readonly unknown[]): string {
  return length === 1 ? 'is' : 'are'
}

function toText(parts: readonly ValuePart[]): string {
  return formatFirst(parts.map(({ value }) => toShortText(value)).toSorted(), 5)
}

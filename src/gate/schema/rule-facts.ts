import { toKebab } from '../../base/values.ts'
import type { Fact, Say } from './fact.ts'
import { rulesOf, type Alternative, type Rule } from './shape.ts'

/** The differences in rules that cannot be compared: each is named by its keyword. */
export function toRuleFacts(old: Alternative, now: Alternative, say: Say): readonly Fact[] {
  const [before, after] = [ownRules(old), ownRules(now)]
  // alternatives may exclude each other now, so that there is nothing left for oneOf to refuse
  const isWritten = (key: string): boolean => key === 'oneOf' && now.rules.some((rule) => rule.key === key)
  const removed = before.filter(({ key }) => !isWritten(key) && !after.some((rule) => rule.key === key))
  const added = after.filter(({ key }) => !before.some((rule) => rule.key === key))
  const facts = [
    ...removed.map(({ keyword }) => ({
      ...say('constraint-removed', `${keyword} was removed and cannot be compared`),
      rule: `${toKebab(keyword)}-removed`,
    })),
    ...added.map(({ keyword }) => ({
      ...say('constraint-added', `${keyword} was added and cannot be compared`),
      rule: `${toKebab(keyword)}-added`,
    })),
  ]
  const changed = removed.find(({ keyword }) => added.some((rule) => rule.keyword === keyword))
  if (changed === undefined) return facts
  const rest = facts.filter(({ rule }) => !rule.startsWith(toKebab(changed.keyword)))
  return [
    ...rest,
    {
      ...say('undecided', `${changed.keyword} changed and cannot be compared`),
      rule: `${toKebab(changed.keyword)}-changed`,
    },
  ]
}

/** The rules of a part that the schema behind it has not. */
function ownRules(part: Alternative): readonly Rule[] {
  const behind = part.home?.().parts.flatMap(rulesOf) ?? []
  return rulesOf(part).filter(({ key }) => !behind.some((rule) => rule.key === key))
}

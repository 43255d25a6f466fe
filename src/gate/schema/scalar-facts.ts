import { LIMITS, type AspectName } from './aspects.ts'
import { isMultiple } from './check.ts'
import type { Fact, Say } from './fact.ts'
import type { Side } from './keyword-rules.ts'
import type { Bound, NumberPart, StringPart } from './shape.ts'

/** Lists the findings about a limit. */
export function toLimitFacts(
  limit: keyof typeof LIMITS,
  old: number | undefined,
  now: number | undefined,
  say: Say,
): readonly Fact[] {
  const label = LIMITS[limit]
  const tell = (aspect: AspectName, detail: string): readonly Fact[] => [say(aspect, `${label} ${detail}`)]
  if (old === now) return []
  if (old === undefined) return tell(`${limit}-set`, `was set to ${now}`)
  if (now === undefined) return tell(`${limit}-unset`, `${old} was removed`)
  return now > old
    ? tell(`${limit}-increased`, `was ${old} and is ${now}`)
    : tell(`${limit}-decreased`, `was ${old} and is ${now}`)
}

function toText(all: readonly (string | number)[]): string {
  return all.length === 0 ? 'missing' : all.join(', ')
}

/** A limit that says something. */
export function finite(limit: number): number | undefined {
  return Number.isFinite(limit) ? limit : undefined
}

/** The differences of two sets of numbers. */
export function toNumberFacts(old: NumberPart, now: NumberPart, say: Say, side: Side): readonly Fact[] {
  const facts: Fact[] = []
  if (old.isInteger && !now.isInteger)
    facts.push(say('type-generalized', 'it was an integer and is a number'))
  if (!old.isInteger && now.isInteger)
    facts.push(
      say(side === 'request' ? 'type-changed' : 'type-specialized', 'it was a number and is an integer'),
    )
  facts.push(...toBoundFacts('min', old.min, now.min, say), ...toBoundFacts('max', old.max, now.max, say))
  const [before, after] = [old.multiples, now.multiples]
  const isTighter = after.some((one) => !before.some((other) => isMultiple(other, one)))
  const isLooser = before.some((one) => !after.some((other) => isMultiple(other, one)))
  const change = `multipleOf was ${toText(before)} and is ${toText(after)}`
  if (isTighter) facts.push(say('multiple-of-tightened', change))
  if (isLooser) facts.push(say('multiple-of-loosened', change))
  return [...facts, ...toTextRuleFacts('format', old.formats, now.formats, say)]
}

function toBoundFacts(
  limit: 'min' | 'max',
  old: Bound | undefined,
  now: Bound | undefined,
  say: Say,
): readonly Fact[] {
  const facts = toLimitFacts(limit, old?.value, now?.value, say)
  if (facts.length > 0 || old?.isExclusive === now?.isExclusive) return facts
  const isUp = (limit === 'min') === (now?.isExclusive === true)
  const change = `${LIMITS[limit]} ${old?.value} itself is ${now?.isExclusive === true ? 'no longer' : 'now'} allowed`
  return [say(isUp ? `${limit}-increased` : `${limit}-decreased`, change)]
}

/** The differences of two sets of texts. */
export function toStringFacts(old: StringPart, now: StringPart, say: Say): readonly Fact[] {
  return [
    ...toLimitFacts('min-length', old.minLength || undefined, now.minLength || undefined, say),
    ...toLimitFacts('max-length', finite(old.maxLength), finite(now.maxLength), say),
    ...toTextRuleFacts('pattern', old.patterns, now.patterns, say),
    ...toTextRuleFacts('format', old.formats, now.formats, say),
  ]
}

function toTextRuleFacts(
  kind: 'pattern' | 'format',
  old: readonly string[],
  now: readonly string[],
  say: Say,
): readonly Fact[] {
  const removed = old.filter((one) => !now.includes(one))
  const added = now.filter((one) => !old.includes(one))
  if (removed.length > 0 && added.length > 0)
    return [
      say(
        `${kind}-changed`,
        `the ${kind} was ${toText(removed)} and is ${toText(added)}, and they cannot be compared`,
      ),
    ]
  if (removed.length > 0) return [say(`${kind}-removed`, `the ${kind} ${toText(removed)} was removed`)]
  return added.length > 0 ? [say(`${kind}-added`, `the ${kind} ${toText(added)} was added`)] : []
}

import type { LIMITS } from './schema-rules.ts'
import { isMultiple } from './check-value.ts'
import type { SchemaDifference, SayDifference } from './schema-difference.ts'
import type { Side } from './keyword-rules.ts'
import type { Bound, NumberPart, StringPart } from './shape.ts'

/** Lists the findings about a limit. */
export function toLimitFacts(
  limit: keyof typeof LIMITS,
  old: number | undefined,
  now: number | undefined,
  say: SayDifference,
): readonly SchemaDifference[] {
  if (old === now) return []
  if (old === undefined || now === undefined)
    return [now === undefined ? say(`${limit}-unset`, { was: String(old) }) : say(`${limit}-set`, { now })]
  return [say(`${limit}-${now > old ? 'increased' : 'decreased'}`, { change: `was ${old} and is ${now}` })]
}

function constraintsText(all: readonly (string | number)[]): string {
  return all.length === 0 ? 'missing' : all.join(', ')
}

/** A limit that says something. */
export function finite(limit: number): number | undefined {
  return Number.isFinite(limit) ? limit : undefined
}

/** The differences of two sets of numbers. */
export function toNumberFacts(
  old: NumberPart,
  now: NumberPart,
  say: SayDifference,
  side: Side,
): readonly SchemaDifference[] {
  const facts: SchemaDifference[] = []
  if (old.isInteger && !now.isInteger)
    facts.push(say('type-generalized', { change: 'it was an integer and is a number' }))
  if (!old.isInteger && now.isInteger)
    facts.push(
      say(side === 'request' ? 'type-changed' : 'type-specialized', {
        change: 'it was a number and is an integer',
      }),
    )
  facts.push(...toBoundFacts('min', old.min, now.min, say), ...toBoundFacts('max', old.max, now.max, say))
  const [before, after] = [old.multiples, now.multiples]
  const isTighter = after.some((one) => !before.some((other) => isMultiple(other, one)))
  const isLooser = before.some((one) => !after.some((other) => isMultiple(other, one)))
  const change = { was: constraintsText(before), now: constraintsText(after) }
  if (isTighter) facts.push(say('multiple-of-tightened', change))
  if (isLooser) facts.push(say('multiple-of-loosened', change))
  return [...facts, ...toTextRuleFacts('format', old.formats, now.formats, say)]
}

function toBoundFacts(
  limit: 'min' | 'max',
  old: Bound | undefined,
  now: Bound | undefined,
  say: SayDifference,
): readonly SchemaDifference[] {
  const facts = toLimitFacts(limit, old?.value, now?.value, say)
  if (facts.length > 0 || old?.isExclusive === now?.isExclusive) return facts
  const isUp = (limit === 'min') === (now?.isExclusive === true)
  const change = `${old?.value} itself is ${now?.isExclusive === true ? 'no longer' : 'now'} allowed`
  return [say(isUp ? `${limit}-increased` : `${limit}-decreased`, { change })]
}

/** The differences of two sets of texts. */
export function toStringFacts(
  old: StringPart,
  now: StringPart,
  say: SayDifference,
): readonly SchemaDifference[] {
  return [
    ...toLimitFacts('min-length', old.minLength || undefined, now.minLength || undefined, say),
    ...toLimitFacts('max-length', finite(old.maxLength), finite(now.maxLength), say),
    ...toTextRuleFacts('pattern', old.patterns, now.patterns, say),
    ...toTextRuleFacts('format', old.formats, now.formats, say),
  ]
}

function toTextRuleFacts(
  kind: 'pattern' | 'format',
  before: readonly string[],
  after: readonly string[],
  say: SayDifference,
): readonly SchemaDifference[] {
  const removed = before.filter((one) => !after.includes(one))
  const added = after.filter((one) => !before.includes(one))
  const [was, now] = [constraintsText(removed), constraintsText(added)]
  if (removed.length > 0)
    return [added.length > 0 ? say(`${kind}-changed`, { was, now }) : say(`${kind}-removed`, { was })]
  return added.length > 0 ? [say(`${kind}-added`, { now })] : []
}

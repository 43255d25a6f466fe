import { inside, type Comparing, type Fact, type Link, type Say } from './fact.ts'
import { finite, toLimitFacts } from './scalar-facts.ts'
import type { ArrayPart } from './shape.ts'

/** The differences of two sets of lists. */
export function toArrayFacts(
  old: ArrayPart,
  now: ArrayPart,
  say: Say,
  { compare }: Comparing,
): readonly (Fact | Link)[] {
  const facts: (Fact | Link)[] = [
    ...toLimitFacts('min-items', old.minItems || undefined, now.minItems || undefined, say),
    ...toLimitFacts('max-items', finite(old.maxItems), finite(now.maxItems), say),
  ]
  if (!old.isUnique && now.isUnique) facts.push(say('unique-items-set'))
  if (old.isUnique && !now.isUnique) facts.push(say('unique-items-unset'))
  const length = Math.min(
    Math.max(old.prefix.length, now.prefix.length),
    Math.max(old.maxItems, now.maxItems),
  )
  for (let at = 0; at < length; at++) {
    const [before, after] = [(old.prefix[at] ?? old.items)(), (now.prefix[at] ?? now.items)()]
    if (before.parts.length > 0 && after.parts.length > 0)
      facts.push(...inside({ name: String(at), place: `[${at}]` }, compare(before, after)))
  }
  const [items, newItems] = [old.items(), now.items()]
  if (items.parts.length > 0 && newItems.parts.length > 0)
    facts.push(...inside({ name: 'items', place: '[]' }, compare(items, newItems)))
  return facts
}

import { toShortText, toStableText } from '../json.ts'
import type { AspectName } from './aspects.ts'
import { toFact, type Fact } from './fact.ts'
import type { Side } from './keyword-rules.ts'
import type { ValueSet } from './shape.ts'
import { toAnnouncedFacts } from './value-facts.ts'

/** The differences in what two schemas say beside their values. */
export function toNoteFacts(base: ValueSet, revision: ValueSet, side: Side): readonly Fact[] {
  const say = (aspect: AspectName, detail?: string): Fact => toFact(aspect, base, revision, side, detail)
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
    ...(isRenamed
      ? [say('discriminator-property-name-changed', `the discriminator was ${was} and is ${is}`)]
      : []),
  ]
}

function toDefaultFacts(base: ValueSet, revision: ValueSet): readonly Fact[] {
  const say = (aspect: AspectName, detail: string): readonly Fact[] => [
    toFact(aspect, base, revision, 'request', detail),
  ]
  const [had, has] = ['default' in base.notes, 'default' in revision.notes]
  const [before, after] = [base.notes.default, revision.notes.default]
  if (had && !has) return say('default-value-removed', `the default ${toShortText(before)} was removed`)
  if (!had && has) return say('default-value-added', `the default ${toShortText(after)} was added`)
  return toStableText(before) === toStableText(after)
    ? []
    : say('default-value-changed', `the default was ${toShortText(before)} and is ${toShortText(after)}`)
}

import { editDistance } from '../../base/edit-distance.ts'
import { ReadError } from '../document/read-error.ts'
import { hasRule, RULES } from '../rules.ts'

/** Refuses a rule that no finding can have. @throws {ReadError} with the rule that was probably meant */
export function requireRule(rule: string, where: string): void {
  if (!hasRule(rule)) throw new ReadError(`${where}: unknown rule ${rule}${suggest(rule)}`)
}

function suggest(given: string): string {
  const [best] = RULES.map(({ rule }) => ({ rule, edits: editDistance(given, rule) })).toSorted(
    (one, other) => one.edits - other.edits,
  )
  return best !== undefined && best.edits <= given.length / 3 ? `. Did you mean ${best.rule}?` : ''
}

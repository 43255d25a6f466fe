import type { Severity } from './finding.ts'
import { NAMED_RULES, type GateRule } from './named-rules.ts'
import {
  NOTHING,
  SCHEMA_RULES,
  VERSION,
  fillMessage,
  type MessageValues,
  type SchemaRule,
} from './schema/schema-rules.ts'

const PLACES = {
  request: ['parameter', 'body', 'property'],
  response: ['body', 'property', 'header'],
} as const

/** Every rule. Those of schemas stand once for each place that a schema can have. */
export const RULES: readonly GateRule[] = [
  ...NAMED_RULES,
  ...(['request', 'response'] as const).flatMap((side) =>
    Object.entries<SchemaRule>(SCHEMA_RULES).flatMap(
      ([aspect, { [side]: level, description, fix, message }]) =>
        level === 'none'
          ? []
          : PLACES[side].map((place) => ({
              rule: `${side}-${place}-${aspect}`,
              direction: side,
              level:
                place === 'parameter' && aspect.startsWith('default-value-') ? ('breaking' as const) : level,
              description,
              fix,
              message,
            })),
    ),
  ),
]

const BY_NAME: ReadonlyMap<string, GateRule> = new Map(RULES.map((rule) => [rule.rule, rule]))

/** Keywords that cannot be compared. Each has rules of its own name. */
const OF_KEYWORD =
  /^((?:request|response)-(?:parameter|body|property|header))-(?:not|if|contains|one-of|dependent-required|dependent-schemas|dependencies|unevaluated-items|union)-(added|removed|changed)$/

/** Whether a rule exists. */
export function hasRule(rule: string): boolean {
  return BY_NAME.has(rule) || OF_KEYWORD.test(rule)
}

/** Returns the level of a rule, which circumstances may change. */
export function severityOfRule(rule: string): Severity {
  return findRule(rule)?.level ?? 'none'
}

/** A rule by its name. Rules of keywords that cannot be compared share theirs. */
function findRule(rule: string): GateRule | undefined {
  const [, place, change] = OF_KEYWORD.exec(rule) ?? []
  if (place === undefined || change === undefined) return BY_NAME.get(rule)
  return BY_NAME.get(`${place}-${change === 'changed' ? 'undecided' : `constraint-${change}`}`)
}

/** Returns the message of a finding, which its rule has. */
export function ruleMessage(rule: string, values: MessageValues = {}): string {
  return fillMessage(findRule(rule) ?? SCHEMA_RULES.undecided, values)
}

/** Returns the advice for a finding that is more than information, also if its rule is by default no more. */
export function ruleFix(rule: string): string {
  const fix = findRule(rule)?.fix ?? SCHEMA_RULES.undecided.fix
  return fix === NOTHING ? VERSION : fix
}

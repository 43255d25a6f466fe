import type { Severity } from '../finding.ts'

/** A kind of difference between two schemas, with its level in requests and in responses. */
export interface SchemaRule {
  readonly request: Severity
  readonly response: Severity
  readonly description: string
  readonly fix: string
  /** The message of its findings, with their values for words in braces. @default the description */
  readonly message?: string | undefined
}

/** A text of a finding for each word in braces of its message. `it` replaces the first word of a description. */
export type MessageValues = Readonly<Record<string, string | number>>

/** The message of a finding: the message of its rule with values, else the description of the rule. */
export function fillMessage(
  { description, message = description }: Pick<SchemaRule, 'description' | 'message'>,
  values: MessageValues = {},
): string {
  return message
    .replace(/^an? (?!.*\badded\b)/, 'the ')
    .replace(/^it\b/, String(values['it'] ?? 'it'))
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name]))
}

/** The fix of what breaks clients whatever they do. */
export const VERSION = 'Make the change part of a new version.'
/** The fix of what breaks no client. */
export const NOTHING = "You don't have to do anything."
const KEEP = 'Keep accepting the values of your clients, or make the change part of a new version.'
const READ = 'Keep sending values that your clients know, or make the change part of a new version.'

const rule = (
  request: Severity,
  response: Severity,
  description: string,
  fix = VERSION,
  message?: string,
): SchemaRule => ({ request, response, description, fix, message })
const narrows = (description: string, message?: string, fix = KEEP): SchemaRule =>
  rule('breaking', 'info', description, fix, message)
const widens = (description: string, message?: string, fix = READ): SchemaRule =>
  rule('info', 'breaking', description, fix, message)

/** The limits that a schema may have, in words. */
export const LIMITS = {
  min: 'the minimum',
  max: 'the maximum',
  'min-length': 'the minimum length',
  'max-length': 'the maximum length',
  'min-items': 'the minimum number of items',
  'max-items': 'the maximum number of items',
  'min-properties': 'the minimum number of members',
  'max-properties': 'the maximum number of members',
} as const

/** The rules of a limit: set, removed, and moved either way. */
function limit<N extends keyof typeof LIMITS>(
  name: N,
): Readonly<Record<`${N}-${'set' | 'unset' | 'increased' | 'decreased'}`, SchemaRule>> {
  const label = LIMITS[name]
  const [up, down] = name.startsWith('min') ? [narrows, widens] : [widens, narrows]
  const entries: Record<string, SchemaRule> = {
    [`${name}-set`]: narrows(`${label} was set`, `${label} was set to {now}`),
    [`${name}-unset`]: widens(`${label} was removed`, `${label} {was} was removed`),
    [`${name}-increased`]: up(`${label} was increased`, `${label} {change}`),
    [`${name}-decreased`]: down(`${label} was decreased`, `${label} {change}`),
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names are made of the parameter
  return entries as Readonly<Record<`${N}-${'set' | 'unset' | 'increased' | 'decreased'}`, SchemaRule>>
}

/** Every kind of difference between schemas. The name of a rule consists of the side, the place and one of these. */
export const SCHEMA_RULES = {
  'type-changed': rule(
    'breaking',
    'breaking',
    'the type changed',
    'Add a field of the new type beside it, or make the change part of a new version.',
    '{change}',
  ),
  'type-generalized': widens('more types are allowed', '{change}'),
  // in requests this is reported as type-changed
  'type-specialized': { ...narrows('fewer types are allowed', '{change}'), request: 'none' },
  wrapped: rule(
    'breaking',
    'breaking',
    'the value was wrapped in an object or list',
    'Add the envelope in a new version.',
  ),
  'became-nullable': widens('null is allowed'),
  'became-not-nullable': narrows('null is no longer allowed'),
  'became-enum': narrows('an enum was added', 'only {values} allowed'),
  'enum-removed': widens('the enum was removed', 'not only {values} allowed'),
  'const-added': narrows('a constant was added', 'only {values} allowed'),
  'const-removed': widens('the constant was removed', 'not only {values} allowed'),
  'const-changed': rule(
    'breaking',
    'breaking',
    'the constant changed',
    undefined,
    'the value was {was} and is {now}',
  ),
  'enum-value-removed': narrows('an enum value was removed', '{values} no longer allowed'),
  'enum-value-added': rule(
    'info',
    'warning',
    'an enum value was added',
    'Mark the enum with x-extensible-enum, or write a `down` in your change so that only new versions send the value.',
    '{values} allowed',
  ),
  ...limit('min'),
  ...limit('max'),
  ...limit('min-length'),
  ...limit('max-length'),
  ...limit('min-items'),
  ...limit('max-items'),
  ...limit('min-properties'),
  ...limit('max-properties'),
  'multiple-of-tightened': narrows('fewer multiples are allowed', 'multipleOf was {was} and is {now}'),
  'multiple-of-loosened': widens('more multiples are allowed', 'multipleOf was {was} and is {now}'),
  'unique-items-set': narrows('items have to be distinct'),
  'unique-items-unset': widens('items no longer have to be distinct'),
  'pattern-added': narrows('a pattern was added', 'the pattern {now} was added'),
  'pattern-removed': widens('a pattern was removed', 'the pattern {was} was removed'),
  'pattern-changed': rule(
    'warning',
    'warning',
    'the pattern changed and cannot be compared',
    'Compare the patterns, and allow the finding if you accept it.',
    'the pattern was {was} and is {now}, and they cannot be compared',
  ),
  'format-added': narrows('a format was added', 'the format {now} was added'),
  'format-removed': widens('a format was removed', 'the format {was} was removed'),
  'format-changed': rule(
    'warning',
    'warning',
    'the format changed and cannot be compared',
    'Compare the formats, and allow the finding if you accept it.',
    'the format was {was} and is {now}, and they cannot be compared',
  ),
  'any-of-added': widens('an alternative was added', 'the alternative {alternatives} was added'),
  'any-of-removed': narrows('an alternative was removed', 'the alternative {alternatives} was removed'),
  'additional-properties-closed': narrows('additional members are rejected'),
  'additional-properties-opened': rule('info', 'info', 'additional members are allowed', NOTHING),
  'additional-properties-narrowed': narrows('additional members have to match a schema'),
  'additional-properties-widened': widens('additional members can have any value'),
  'property-names-added': narrows('the names of members are restricted'),
  'property-names-removed': widens('the names of members are no longer restricted'),
  'pattern-properties-added': narrows('members whose names match a pattern have to match a schema'),
  'pattern-properties-removed': widens('members whose names match a pattern can have any value'),
  'constraint-added': rule(
    'warning',
    'info',
    'a constraint was added that cannot be compared',
    'Check which values the constraint rejects, and allow the finding if you accept it.',
    '{keyword} was added and cannot be compared',
  ),
  'constraint-removed': rule(
    'info',
    'warning',
    'a constraint was removed that cannot be compared',
    'Check which values the constraint rejected, and allow the finding if you accept it.',
    '{keyword} was removed and cannot be compared',
  ),
  'discriminator-property-name-changed': rule(
    'breaking',
    'breaking',
    'the discriminator property changed',
    'Keep the property, or make the change part of a new version.',
    'the discriminator was {was} and is {now}',
  ),
  'default-value-added': rule(
    'warning',
    'none',
    'a default was added, which changes requests without the value',
    undefined,
    'the default {now} was added',
  ),
  'default-value-changed': rule(
    'warning',
    'none',
    'the default changed, which changes requests without the value',
    undefined,
    'the default was {was} and is {now}',
  ),
  'default-value-removed': rule(
    'warning',
    'none',
    'the default was removed, which changes requests without the value',
    undefined,
    'the default {was} was removed',
  ),
  'became-required': narrows(
    'it became required',
    undefined,
    'Keep it optional, or make the change part of a new version.',
  ),
  'became-optional': widens(
    'it became optional',
    undefined,
    'Keep sending it, or make the change part of a new version.',
  ),
  deprecated: rule('info', 'info', 'it is deprecated', NOTHING),
  reactivated: rule('info', 'info', 'it is no longer deprecated', NOTHING),
  'became-read-only': rule(
    'warning',
    'none',
    'it became read-only, so its values in requests are ignored or rejected',
    'Keep accepting it, or make the change part of a new version.',
  ),
  unresolved: rule('warning', 'warning', 'a reference leads nowhere', 'Fix the reference.', '{problem}'),
  undecided: rule(
    'warning',
    'warning',
    'the schemas differ in a way that cannot be compared',
    'Compare both schemas, and allow the finding if you accept it.',
    '{what} changed and cannot be compared',
  ),
} as const satisfies Readonly<Record<string, SchemaRule>>

/** The name of a difference between schemas. */
export type SchemaRuleName = keyof typeof SCHEMA_RULES

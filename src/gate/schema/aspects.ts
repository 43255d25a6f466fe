import type { Level } from '../finding.ts'

/** A kind of difference between two schemas, with its level in requests and in responses. */
export interface Aspect {
  readonly request: Level
  readonly response: Level
  readonly says: string
  readonly cure: string
}

const KEEP = 'Keep accepting the values of your clients, or make the change part of a new version.'
const READ = 'Keep sending values that your clients know, or make the change part of a new version.'

const narrows = (says: string, cure = KEEP): Aspect => ({ request: 'breaking', response: 'info', says, cure })
const widens = (says: string, cure = READ): Aspect => ({ request: 'info', response: 'breaking', says, cure })

/** A limit that a schema may have: set, removed, and moved either way. */
function limit<N extends string>(
  name: N,
  label: string,
  isLower: boolean,
): Readonly<Record<`${N}-${'set' | 'unset' | 'increased' | 'decreased'}`, Aspect>> {
  const [up, down] = isLower ? [narrows, widens] : [widens, narrows]
  const entries: Record<string, Aspect> = {
    [`${name}-set`]: narrows(`${label} was set`),
    [`${name}-unset`]: widens(`${label} was removed`),
    [`${name}-increased`]: up(`${label} was increased`),
    [`${name}-decreased`]: down(`${label} was decreased`),
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names are made of the parameter
  return entries as Readonly<Record<`${N}-${'set' | 'unset' | 'increased' | 'decreased'}`, Aspect>>
}

/** Every kind of difference between schemas. The name of a rule consists of the side, the place and one of these. */
export const ASPECTS = {
  'type-changed': {
    request: 'breaking',
    response: 'breaking',
    says: 'the type changed',
    cure: 'Add a field of the new type beside it, or make the change part of a new version.',
  },
  'type-generalized': widens('more types are allowed'),
  // in requests this is reported as type-changed
  'type-specialized': { ...narrows('fewer types are allowed'), request: 'none' },
  wrapped: {
    request: 'breaking',
    response: 'breaking',
    says: 'the value was wrapped in an object or list',
    cure: 'Add the envelope in a new version.',
  },
  'became-nullable': widens('null is allowed'),
  'became-not-nullable': narrows('null is no longer allowed'),
  'became-enum': narrows('an enum was added'),
  'enum-removed': widens('the enum was removed'),
  'const-added': narrows('a constant was added'),
  'const-removed': widens('the constant was removed'),
  'const-changed': {
    request: 'breaking',
    response: 'breaking',
    says: 'the constant changed',
    cure: 'Make the change part of a new version.',
  },
  'enum-value-removed': narrows('an enum value was removed'),
  'enum-value-added': {
    request: 'info',
    response: 'warning',
    says: 'an enum value was added',
    cure: 'Mark the enum with x-extensible-enum, or write a `down` in your change so that only new versions send the value.',
  },
  ...limit('min', 'the minimum', true),
  ...limit('max', 'the maximum', false),
  ...limit('min-length', 'the minimum length', true),
  ...limit('max-length', 'the maximum length', false),
  ...limit('min-items', 'the minimum number of items', true),
  ...limit('max-items', 'the maximum number of items', false),
  ...limit('min-properties', 'the minimum number of members', true),
  ...limit('max-properties', 'the maximum number of members', false),
  'multiple-of-tightened': narrows('fewer multiples are allowed'),
  'multiple-of-loosened': widens('more multiples are allowed'),
  'unique-items-set': narrows('items have to be distinct'),
  'unique-items-unset': widens('items no longer have to be distinct'),
  'pattern-added': narrows('a pattern was added'),
  'pattern-removed': widens('a pattern was removed'),
  'pattern-changed': {
    request: 'warning',
    response: 'warning',
    says: 'the pattern changed, and patterns cannot be compared',
    cure: 'Compare the patterns yourself, and allow the finding if you accept it.',
  },
  'format-added': narrows('a format was added'),
  'format-removed': widens('a format was removed'),
  'format-changed': {
    request: 'warning',
    response: 'warning',
    says: 'the format changed, and formats cannot be compared',
    cure: 'Compare the formats yourself, and allow the finding if you accept it.',
  },
  'any-of-added': widens('an alternative was added'),
  'any-of-removed': narrows('an alternative was removed'),
  'additional-properties-closed': narrows('additional members are rejected'),
  'additional-properties-opened': {
    request: 'info',
    response: 'info',
    says: 'additional members are allowed',
    cure: "You don't have to do anything.",
  },
  'additional-properties-narrowed': narrows('additional members have to match a schema'),
  'additional-properties-widened': widens('additional members can have any value'),
  'property-names-added': narrows('the names of members are restricted'),
  'property-names-removed': widens('the names of members are no longer restricted'),
  'pattern-properties-added': narrows('members whose names match a pattern have to match a schema'),
  'pattern-properties-removed': widens('members whose names match a pattern can have any value'),
  'constraint-added': {
    request: 'warning',
    response: 'info',
    says: 'a constraint was added that cannot be compared',
    cure: 'Check which values the constraint rejects, and allow the finding if you accept it.',
  },
  'constraint-removed': {
    request: 'info',
    response: 'warning',
    says: 'a constraint was removed that cannot be compared',
    cure: 'Check which values the constraint rejected, and allow the finding if you accept it.',
  },
  'discriminator-property-name-changed': {
    request: 'breaking',
    response: 'breaking',
    says: 'the discriminator property changed',
    cure: 'Keep the property, or make the change part of a new version.',
  },
  'default-value-added': {
    request: 'warning',
    response: 'none',
    says: 'a default was added, which changes the meaning of requests without the value',
    cure: 'Make the change part of a new version.',
  },
  'default-value-changed': {
    request: 'warning',
    response: 'none',
    says: 'the default changed, which changes the meaning of requests without the value',
    cure: 'Make the change part of a new version.',
  },
  'default-value-removed': {
    request: 'warning',
    response: 'none',
    says: 'the default was removed, which changes the meaning of requests without the value',
    cure: 'Make the change part of a new version.',
  },
  'became-required': narrows(
    'it became required',
    'Keep it optional, or make the change part of a new version.',
  ),
  'became-optional': widens(
    'it became optional',
    'Keep sending it, or make the change part of a new version.',
  ),
  deprecated: {
    request: 'info',
    response: 'info',
    says: 'it is deprecated',
    cure: "You don't have to do anything.",
  },
  reactivated: {
    request: 'info',
    response: 'info',
    says: 'it is no longer deprecated',
    cure: "You don't have to do anything.",
  },
  'became-read-only': {
    request: 'warning',
    response: 'none',
    says: 'it became read-only, so its values in requests are ignored or rejected',
    cure: 'Keep accepting it, or make the change part of a new version.',
  },
  undecided: {
    request: 'warning',
    response: 'warning',
    says: 'the schemas differ in a way that cannot be compared',
    cure: 'Compare both schemas yourself, and allow the finding if you accept it.',
  },
} as const satisfies Readonly<Record<string, Aspect>>

/** The name of a difference between schemas. */
export type AspectName = keyof typeof ASPECTS

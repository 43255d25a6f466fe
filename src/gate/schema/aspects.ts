import type { Level } from '../finding.ts'

/** What can be different between two schemas: how bad it is where clients write the values, and where they read them. */
export interface Aspect {
  readonly request: Level
  readonly response: Level
  readonly says: string
  readonly cure: string
}

const KEEP = 'Keep what older clients send valid, or make the change part of a new version.'
const READ = 'Keep what older clients read, or make the change part of a new version.'

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

/** Every difference between schemas that the gate tells. The name of a rule is made of the side, the place and one of these. */
export const ASPECTS = {
  'type-changed': {
    request: 'breaking',
    response: 'breaking',
    says: 'the type changed',
    cure: 'Add a field of the new type beside it, or make the change part of a new version.',
  },
  'type-generalized': widens('more types are possible'),
  // in requests this is told as type-changed
  'type-specialized': { ...narrows('fewer types are possible'), request: 'none' },
  wrapped: {
    request: 'breaking',
    response: 'breaking',
    says: 'the value was wrapped',
    cure: 'Begin with an envelope in a new version.',
  },
  'became-nullable': widens('null is possible'),
  'became-not-nullable': narrows('null is no longer possible'),
  'became-enum': narrows('only some values are left'),
  'enum-removed': widens('any value is possible, not only some'),
  'const-added': narrows('only one value is left'),
  'const-removed': widens('any value is possible, not only one'),
  'const-changed': {
    request: 'breaking',
    response: 'breaking',
    says: 'the only value changed',
    cure: 'Make the change part of a new version.',
  },
  'enum-value-removed': narrows('a value was removed'),
  'enum-value-added': {
    request: 'info',
    response: 'warning',
    says: 'a value was added',
    cure: 'Mark the enumeration with x-extensible-enum, or send the value in a new version only: give the change a `down`.',
  },
  ...limit('min', 'the minimum', true),
  ...limit('max', 'the maximum', false),
  ...limit('min-length', 'the least length', true),
  ...limit('max-length', 'the greatest length', false),
  ...limit('min-items', 'the least number of items', true),
  ...limit('max-items', 'the greatest number of items', false),
  ...limit('min-properties', 'the least number of members', true),
  ...limit('max-properties', 'the greatest number of members', false),
  'multiple-of-tightened': narrows('fewer multiples are possible'),
  'multiple-of-loosened': widens('more multiples are possible'),
  'unique-items-set': narrows('items have to be distinct'),
  'unique-items-unset': widens('items may be equal'),
  'pattern-added': narrows('a pattern was added'),
  'pattern-removed': widens('a pattern was removed'),
  'pattern-changed': {
    request: 'warning',
    response: 'warning',
    says: 'the pattern changed, and patterns cannot be compared',
    cure: 'Compare the patterns yourself, and allow the finding with a reason.',
  },
  'format-added': narrows('a format was added'),
  'format-removed': widens('a format was removed'),
  'format-changed': {
    request: 'warning',
    response: 'warning',
    says: 'the format changed, and formats cannot be compared',
    cure: 'Compare the formats yourself, and allow the finding with a reason.',
  },
  'any-of-added': widens('an alternative was added'),
  'any-of-removed': narrows('an alternative was removed'),
  'additional-properties-closed': narrows('members without a name of their own are refused'),
  'additional-properties-opened': {
    request: 'info',
    response: 'info',
    says: 'members without a name of their own are possible',
    cure: 'Nothing has to be done.',
  },
  'additional-properties-narrowed': narrows('members without a name of their own have a schema'),
  'additional-properties-widened': widens('members without a name of their own may be anything'),
  'property-names-added': narrows('the names of members are limited'),
  'property-names-removed': widens('the names of members are no longer limited'),
  'pattern-properties-added': narrows('members whose names match a pattern have a schema'),
  'pattern-properties-removed': widens('members whose names match a pattern may be anything'),
  'constraint-added': {
    request: 'warning',
    response: 'info',
    says: 'a constraint was added, which cannot be compared',
    cure: 'Look which values the constraint refuses, and allow the finding with a reason.',
  },
  'constraint-removed': {
    request: 'info',
    response: 'warning',
    says: 'a constraint was removed, which cannot be compared',
    cure: 'Look which values the constraint refused, and allow the finding with a reason.',
  },
  'discriminator-property-name-changed': {
    request: 'breaking',
    response: 'breaking',
    says: 'another property tells the alternatives apart',
    cure: 'Keep the property, or make the change part of a new version.',
  },
  'default-value-added': {
    request: 'warning',
    response: 'none',
    says: 'a default was added, so requests without the value mean something else',
    cure: 'Make the change part of a new version.',
  },
  'default-value-changed': {
    request: 'warning',
    response: 'none',
    says: 'the default changed, so requests without the value mean something else',
    cure: 'Make the change part of a new version.',
  },
  'default-value-removed': {
    request: 'warning',
    response: 'none',
    says: 'the default was removed, so requests without the value mean something else',
    cure: 'Make the change part of a new version.',
  },
  'became-required': narrows(
    'it became required',
    'Keep it optional, or make the change part of a new version.',
  ),
  'became-optional': widens(
    'it became optional',
    'Go on sending it, or make the change part of a new version.',
  ),
  deprecated: {
    request: 'info',
    response: 'info',
    says: 'it is deprecated',
    cure: 'Nothing has to be done.',
  },
  reactivated: {
    request: 'info',
    response: 'info',
    says: 'it is no longer deprecated',
    cure: 'Nothing has to be done.',
  },
  'became-read-only': {
    request: 'warning',
    response: 'none',
    says: 'it became read-only, so requests that send it are ignored or refused',
    cure: 'Go on taking it, or make the change part of a new version.',
  },
  undecided: {
    request: 'warning',
    response: 'warning',
    says: 'the schemas differ in a way that cannot be decided',
    cure: 'Look at both schemas yourself, and allow the finding with a reason.',
  },
} as const satisfies Readonly<Record<string, Aspect>>

/** The name of a difference between schemas. */
export type AspectName = keyof typeof ASPECTS

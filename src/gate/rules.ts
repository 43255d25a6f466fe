import type { Level } from './finding.ts'
import { ASPECTS } from './schema/aspects.ts'

/** A rule of the gate. */
export interface GateRule {
  readonly rule: string
  /** What is compared. */
  readonly direction: 'request' | 'response' | 'operation'
  readonly level: Level
  readonly says: string
  readonly cure: string
}

const VERSION = 'Make the change part of a new version.'
const NOTHING = 'Nothing has to be done.'

type Row = readonly [direction: GateRule['direction'], level: Level, says: string, cure: string]

/** Rules that are not made of a side, a place and an aspect. */
const NAMED: Readonly<Record<string, Row>> = {
  'api-path-removed-without-deprecation': [
    'operation',
    'breaking',
    'the last operation of a path was removed without deprecation',
    'Deprecate it first, and remove it after its sunset.',
  ],
  'api-path-removed-before-sunset': [
    'operation',
    'breaking',
    'the last operation of a path was removed before its sunset',
    'Wait for the sunset.',
  ],
  'api-path-removed-with-deprecation': [
    'operation',
    'info',
    'the last operation of a path was removed after its deprecation',
    NOTHING,
  ],
  'api-removed-without-deprecation': [
    'operation',
    'breaking',
    'an operation was removed without deprecation',
    'Deprecate it first, and remove it after its sunset.',
  ],
  'api-removed-before-sunset': [
    'operation',
    'breaking',
    'an operation was removed before its sunset',
    'Wait for the sunset.',
  ],
  'api-removed-with-deprecation': [
    'operation',
    'info',
    'an operation was removed after its deprecation',
    NOTHING,
  ],
  'endpoint-added': ['operation', 'info', 'an operation was added', NOTHING],
  'endpoint-deprecated': ['operation', 'info', 'an operation is deprecated', NOTHING],
  'deprecated-reactivated': ['operation', 'info', 'an operation is no longer deprecated', NOTHING],
  'deprecated-without-sunset': [
    'operation',
    'warning',
    'an operation is deprecated without a day on which it ends',
    'Give the deprecation a sunset.',
  ],
  'sunset-deleted': [
    'operation',
    'breaking',
    'the sunset of a deprecated operation was removed',
    'Keep the day that was announced.',
  ],
  'sunset-date-moved-earlier': [
    'operation',
    'breaking',
    'an operation ends earlier than was announced',
    'Keep the day that was announced, or choose a later one.',
  ],
  'api-stability-decreased': ['operation', 'breaking', 'an operation is less stable than it was', VERSION],
  'route-moved': [
    'operation',
    'breaking',
    'an operation has another method or path',
    'Keep the old one, or write the move as `operation({ route, path: { was } })` of a change.',
  ],
  'operation-id-changed': [
    'operation',
    'warning',
    'an operation has another operationId, which generated clients use as a name',
    'Keep the name of the route.',
  ],
  'api-security-added': ['operation', 'breaking', 'credentials that were enough no longer are', VERSION],
  'api-security-scope-added': ['operation', 'breaking', 'more scopes are asked for', VERSION],
  'api-security-removed': ['operation', 'info', 'other or fewer credentials are enough', NOTHING],
  'callback-removed': ['response', 'breaking', 'a callback was removed', VERSION],
  'webhook-removed': ['response', 'breaking', 'a webhook was removed', VERSION],
  'api-version-removed': [
    'operation',
    'breaking',
    'a released version was removed; info once its sunset is over',
    'Keep the version until its sunset is over.',
  ],
  'version-default-changed': [
    'operation',
    'breaking',
    'requests without a version get another one',
    'Keep the default version.',
  ],
  'version-order-changed': [
    'operation',
    'breaking',
    'released versions are in another order',
    'Keep the order.',
  ],
  'version-inserted': [
    'operation',
    'breaking',
    'a new version stands before a released one',
    'Give it a number or day that is newer.',
  ],
  'allow-expired': [
    'operation',
    'breaking',
    'a finding was allowed until a day that is over',
    'Mend what was allowed, or choose a later day.',
  ],
  'version-scheme-changed': [
    'operation',
    'breaking',
    'a place of requests that named the version no longer does',
    'Keep the scheme, and enable the new one beside it.',
  ],
  'range-retargeted': [
    'operation',
    'breaking',
    'another route serves a released version; a warning if its document stays as it was',
    'Let the route that served the version go on serving it.',
  ],
  'change-without-effect': [
    'operation',
    'warning',
    'a change reaches no route',
    'Make the schemas of routes from the model, remove the change, or give it `sideEffects: true`.',
  ],
  'diff-unexplained': [
    'operation',
    'warning',
    'two neighbouring versions differ, and no change tells of it',
    'Write the difference as a change of the newer version.',
  ],
  'change-lost': [
    'operation',
    'warning',
    'a value does not come back from a round trip through a change',
    'List the field in `lossy`, or have `up` or `down` return it.',
  ],
  'change-narrower': [
    'operation',
    'breaking',
    'values of today do not fit the older schema of a change, which has no `down`',
    'Give the field a `down`.',
  ],
  'change-unfit': [
    'operation',
    'warning',
    'a function of a change makes values that its schema refuses',
    'Return values that fit.',
  ],
  'change-failed': [
    'operation',
    'breaking',
    'a function of a change throws',
    'Let it return a value for everything that its schema takes.',
  ],
  'change-wrong-example': [
    'operation',
    'breaking',
    'an example of a change is not the result of its functions',
    'Mend the example or the function.',
  ],
  'change-unknown-field': [
    'operation',
    'breaking',
    'a change names a field that it does not touch',
    'Mend the name.',
  ],
  'change-unchecked': [
    'operation',
    'warning',
    'no values could be made to check a change with',
    'Give the change examples.',
  ],
  'webhook-added': ['response', 'info', 'a webhook was added', NOTHING],
  'new-request-path-parameter': [
    'request',
    'breaking',
    'the path of an operation has one more parameter',
    'Keep the old path beside the new one.',
  ],
  'new-required-request-parameter': [
    'request',
    'breaking',
    'a required parameter was added',
    'Make it optional.',
  ],
  'new-optional-request-parameter': ['request', 'info', 'an optional parameter was added', NOTHING],
  'request-parameter-removed': [
    'request',
    'warning',
    'a parameter was removed, so what clients send is ignored',
    'Deprecate it first.',
  ],
  'request-parameter-removed-before-sunset': [
    'request',
    'breaking',
    'a parameter was removed before its sunset',
    'Wait for the sunset.',
  ],
  'request-parameter-removed-with-deprecation': [
    'request',
    'info',
    'a parameter was removed after its deprecation',
    NOTHING,
  ],
  'request-parameter-location-changed': ['request', 'breaking', 'a parameter is somewhere else', VERSION],
  'request-parameter-serialization-changed': [
    'request',
    'breaking',
    'a list or object is written in another style',
    VERSION,
  ],
  'request-body-added-required': ['request', 'breaking', 'a required body was added', 'Make it optional.'],
  'request-body-added-optional': ['request', 'info', 'an optional body was added', NOTHING],
  'request-body-became-required': ['request', 'breaking', 'the body became required', 'Keep it optional.'],
  'request-body-became-optional': ['request', 'info', 'the body became optional', NOTHING],
  'request-body-removed': [
    'request',
    'warning',
    'the body was removed, so what clients send is ignored',
    VERSION,
  ],
  'request-body-media-type-removed': [
    'request',
    'breaking',
    'a media type of the body was removed',
    'Go on taking it.',
  ],
  'request-body-media-type-added': ['request', 'info', 'a media type of the body was added', NOTHING],
  'request-body-encoding-changed': [
    'request',
    'warning',
    'the encoding of parts of the body changed',
    VERSION,
  ],
  'response-body-encoding-changed': [
    'response',
    'warning',
    'the encoding of parts of the body changed',
    VERSION,
  ],
  'new-required-request-property': [
    'request',
    'breaking',
    'a required property was added',
    'Make it optional, or give the change an `up`.',
  ],
  'new-required-request-property-with-default': [
    'request',
    'breaking',
    'a required property was added that says it has a default',
    'Make it optional: a property with a default need not be required.',
  ],
  'new-optional-request-property': ['request', 'info', 'an optional property was added', NOTHING],
  'request-property-removed': [
    'request',
    'warning',
    'a property was removed, so what clients send is ignored; breaking if unknown members are refused',
    'Deprecate it first.',
  ],
  'response-required-property-removed': [
    'response',
    'breaking',
    'a property that was always there was removed',
    'Go on sending it, or give the change a `down`.',
  ],
  'response-optional-property-removed': [
    'response',
    'warning',
    'a property that was sometimes there was removed',
    'Go on sending it, or give the change a `down`.',
  ],
  'response-required-property-added': ['response', 'info', 'a property was added', NOTHING],
  'response-optional-property-added': ['response', 'info', 'an optional property was added', NOTHING],
  'response-success-status-removed': [
    'response',
    'breaking',
    'a status of success was removed',
    'Write it as `operation({ response: { status } })` of a change.',
  ],
  'response-success-status-added': [
    'response',
    'warning',
    'a status of success was added, which clients that ask for one status do not expect',
    VERSION,
  ],
  'response-non-success-status-removed': ['response', 'info', 'a status of failure was removed', NOTHING],
  'response-non-success-status-added': ['response', 'info', 'a status of failure was added', NOTHING],
  'status-of-default-changed': [
    'response',
    'breaking',
    'the only status of success is another one',
    'Write it as `operation({ response: { status } })` of a change.',
  ],
  'response-media-type-removed': [
    'response',
    'breaking',
    'a media type of the response was removed',
    'Go on sending it to those who ask for it.',
  ],
  'response-media-type-added': ['response', 'info', 'a media type of the response was added', NOTHING],
  'required-response-header-removed': [
    'response',
    'breaking',
    'a header that was always there was removed',
    'Go on sending it.',
  ],
  'optional-response-header-removed': [
    'response',
    'warning',
    'a header that was sometimes there was removed',
    'Go on sending it.',
  ],
  'response-header-became-optional': [
    'response',
    'breaking',
    'a header is no longer always there',
    'Go on sending it.',
  ],
  'response-header-became-required': ['response', 'info', 'a header is always there', NOTHING],
  'response-header-added': ['response', 'info', 'a header was added', NOTHING],
}

const PLACES = {
  request: ['parameter', 'body', 'property'],
  response: ['body', 'property', 'header'],
} as const

/** Every rule. Those of schemas stand once for each place that a schema can have. */
export const RULES: readonly GateRule[] = [
  ...Object.entries(NAMED).map(([rule, [direction, level, says, cure]]) => ({
    rule,
    direction,
    level,
    says,
    cure,
  })),
  ...(['request', 'response'] as const).flatMap((side) =>
    Object.entries(ASPECTS).flatMap(([aspect, { [side]: level, says, cure }]) =>
      level === 'none'
        ? []
        : PLACES[side].map((place) => ({
            rule: `${side}-${place}-${aspect}`,
            direction: side,
            level:
              place === 'parameter' && aspect.startsWith('default-value-') ? ('breaking' as const) : level,
            says,
            cure,
          })),
    ),
  ),
]

const BY_NAME = new Map(RULES.map((rule) => [rule.rule, rule]))

/** Keywords that cannot be compared. Each has rules of its own name. */
const OF_KEYWORD =
  /^((?:request|response)-(?:parameter|body|property|header))-(?:not|if|contains|one-of|dependent-required|dependent-schemas|dependencies|unevaluated-items)-(added|removed|changed)$/

/** Whether a rule can be told. */
export function hasRule(rule: string): boolean {
  return BY_NAME.has(rule) || OF_KEYWORD.test(rule)
}

/** What can be done about a finding. Rules of keywords that cannot be compared share theirs. */
export function cureOf(rule: string): string {
  const known = BY_NAME.get(rule) ?? BY_NAME.get(rule.replace(OF_KEYWORD, '$1-constraint-$2'))
  return known?.cure ?? ASPECTS.undecided.cure
}

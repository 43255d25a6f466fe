import type { Level } from './finding.ts'
import { ASPECTS } from './schema/aspects.ts'

/** A rule of the gate. */
export interface GateRule {
  readonly rule: string
  /** The side that is compared. */
  readonly direction: 'request' | 'response' | 'operation'
  readonly level: Level
  readonly description: string
  readonly fix: string
}

const VERSION = 'Make the change part of a new version.'
const NOTHING = "You don't have to do anything."

type Row = readonly [direction: GateRule['direction'], level: Level, description: string, fix: string]

/** Rules that are not made of a side, a place and an aspect. */
const NAMED: Readonly<Record<string, Row>> = {
  'api-path-removed-without-deprecation': [
    'operation',
    'breaking',
    'the last operation of a path was removed without deprecation',
    'Deprecate it first, then remove it after its sunset.',
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
    'Deprecate it first, then remove it after its sunset.',
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
    'an operation is deprecated without a sunset date',
    'Add a sunset to the deprecation.',
  ],
  'sunset-deleted': [
    'operation',
    'breaking',
    'the sunset of a deprecated operation was removed',
    'Keep the date that you announced.',
  ],
  'sunset-date-moved-earlier': [
    'operation',
    'breaking',
    'the sunset of an operation is earlier than announced',
    'Keep the date that you announced, or choose a later one.',
  ],
  'api-stability-decreased': [
    'operation',
    'breaking',
    'the stability level of an operation decreased',
    VERSION,
  ],
  'route-moved': [
    'operation',
    'breaking',
    'the method or path of an operation changed',
    'Keep the old one, or describe the move with `operation({ route, path: { was } })` in a change.',
  ],
  'operation-id-changed': [
    'operation',
    'warning',
    'the operationId of an operation changed, and generated clients use it as a name',
    'Keep the name of the route.',
  ],
  'api-security-added': ['operation', 'breaking', 'credentials that were sufficient are refused', VERSION],
  'api-security-scope-added': ['operation', 'breaking', 'more scopes are required', VERSION],
  'api-security-removed': ['operation', 'info', 'other or fewer credentials are sufficient', NOTHING],
  'callback-removed': ['response', 'breaking', 'a callback was removed', VERSION],
  'webhook-removed': ['response', 'breaking', 'a webhook was removed', VERSION],
  'api-version-removed': [
    'operation',
    'breaking',
    'a released version was removed',
    'Keep the version until its sunset has passed. The level is `info` after that.',
  ],
  'version-default-changed': [
    'operation',
    'breaking',
    'the default version changed',
    'Keep the default version, because clients that send no version depend on it.',
  ],
  'version-order-changed': [
    'operation',
    'breaking',
    'the order of released versions changed',
    'Keep the order of the versions that you released.',
  ],
  'version-inserted': [
    'operation',
    'breaking',
    'a new version was added before a released one',
    'Use a newer number or date.',
  ],
  'allow-expired': [
    'operation',
    'breaking',
    'the end date of an allowed finding has passed',
    'Fix the finding, or choose a later date.',
  ],
  'version-scheme-changed': [
    'operation',
    'breaking',
    'requests can no longer name the version in the same place',
    'Keep the scheme and enable the new one as well.',
  ],
  'range-retargeted': [
    'operation',
    'breaking',
    'another route serves a released version',
    'Keep the version on its route. The level is `warning` if your document is the same as before.',
  ],
  'change-without-effect': [
    'operation',
    'warning',
    'a change reaches no route',
    'Derive the schemas of your routes from the model, remove the change, or set `sideEffects: true`.',
  ],
  'diff-unexplained': [
    'operation',
    'warning',
    'two consecutive versions differ, and no change describes the difference',
    'Describe the difference in a change of the newer version.',
  ],
  'change-lost': [
    'operation',
    'warning',
    'a value is lost in a round trip through a change',
    'List the field in `lossy`, or return it from `up` or `down`.',
  ],
  'change-narrower': [
    'operation',
    'breaking',
    'current values do not match the older schema of a change without `down`',
    'Add a `down` to the field.',
  ],
  'change-unfit': [
    'operation',
    'warning',
    'a function of a change returns values that its schema rejects',
    'Return values that match the schema.',
  ],
  'change-failed': [
    'operation',
    'breaking',
    'a function of a change throws',
    'Return a value for every input that its schema accepts.',
  ],
  'change-wrong-example': [
    'operation',
    'breaking',
    'an example of a change differs from the result of its functions',
    'Fix your example or the function.',
  ],
  'change-unknown-field': [
    'operation',
    'breaking',
    'a change names a field that it does not change',
    'Fix the name.',
  ],
  'change-unchecked': [
    'operation',
    'warning',
    'no values could be generated to check a change',
    'Add `examples` to your change.',
  ],
  'webhook-added': ['response', 'info', 'a webhook was added', NOTHING],
  'new-request-path-parameter': [
    'request',
    'breaking',
    'the path of an operation has one more parameter',
    'Keep the old path and add the new one.',
  ],
  'new-required-request-parameter': [
    'request',
    'breaking',
    'a required parameter was added',
    'Make it optional, so that requests of your clients stay valid.',
  ],
  'new-optional-request-parameter': ['request', 'info', 'an optional parameter was added', NOTHING],
  'request-parameter-removed': [
    'request',
    'warning',
    'a parameter was removed, so its values are ignored',
    'Deprecate it first, so that your clients can stop sending it.',
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
  'request-parameter-location-changed': [
    'request',
    'breaking',
    'the location of a parameter changed',
    VERSION,
  ],
  'request-parameter-serialization-changed': [
    'request',
    'breaking',
    'the style of a list or object changed',
    VERSION,
  ],
  'request-body-added-required': [
    'request',
    'breaking',
    'a required body was added',
    'Make it optional, so that requests of your clients stay valid.',
  ],
  'request-body-added-optional': ['request', 'info', 'an optional body was added', NOTHING],
  'request-body-became-required': ['request', 'breaking', 'the body became required', 'Keep it optional.'],
  'request-body-became-optional': ['request', 'info', 'the body became optional', NOTHING],
  'request-body-removed': [
    'request',
    'warning',
    'the body was removed, so bodies of clients are ignored',
    VERSION,
  ],
  'request-body-media-type-removed': [
    'request',
    'breaking',
    'a media type of the body was removed',
    'Keep accepting it.',
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
    'Make it optional, or write an `up` in your change.',
  ],
  'new-required-request-property-with-default': [
    'request',
    'breaking',
    'a required property with a default was added',
    'Make it optional, because a property with a default does not have to be required.',
  ],
  'new-optional-request-property': ['request', 'info', 'an optional property was added', NOTHING],
  'request-property-removed': [
    'request',
    'warning',
    'a property was removed, so its values are ignored or rejected',
    'Deprecate it first, so that your clients can stop sending it.',
  ],
  'response-required-property-removed': [
    'response',
    'breaking',
    'a required property was removed',
    'Keep sending it, or write a `down` in your change.',
  ],
  'response-optional-property-removed': [
    'response',
    'warning',
    'an optional property was removed',
    'Keep sending it, or write a `down` in your change.',
  ],
  'response-required-property-added': ['response', 'info', 'a property was added', NOTHING],
  'response-optional-property-added': ['response', 'info', 'an optional property was added', NOTHING],
  'response-success-status-removed': [
    'response',
    'breaking',
    'a success status was removed',
    'Describe it with `operation({ response: { status } })` in your change.',
  ],
  'response-success-status-added': [
    'response',
    'warning',
    'a success status was added, and clients that check for one status do not expect it',
    VERSION,
  ],
  'response-non-success-status-removed': ['response', 'info', 'an error status was removed', NOTHING],
  'response-non-success-status-added': ['response', 'info', 'an error status was added', NOTHING],
  'status-of-default-changed': [
    'response',
    'breaking',
    'the only success status changed',
    'Describe it with `operation({ response: { status } })` in your change.',
  ],
  'response-media-type-removed': [
    'response',
    'breaking',
    'a media type of the response was removed',
    'Keep sending it to clients that request it.',
  ],
  'response-media-type-added': ['response', 'info', 'a media type of the response was added', NOTHING],
  'required-response-header-removed': [
    'response',
    'breaking',
    'a required header was removed',
    'Keep sending it.',
  ],
  'optional-response-header-removed': [
    'response',
    'warning',
    'an optional header was removed',
    'Keep sending it.',
  ],
  'response-header-became-optional': [
    'response',
    'breaking',
    'a required header became optional',
    'Keep sending it.',
  ],
  'response-header-became-required': ['response', 'info', 'an optional header became required', NOTHING],
  'response-header-added': ['response', 'info', 'a header was added', NOTHING],
}

const PLACES = {
  request: ['parameter', 'body', 'property'],
  response: ['body', 'property', 'header'],
} as const

/** Every rule. Those of schemas stand once for each place that a schema can have. */
export const RULES: readonly GateRule[] = [
  ...Object.entries(NAMED).map(([rule, [direction, level, description, fix]]) => ({
    rule,
    direction,
    level,
    description,
    fix,
  })),
  ...(['request', 'response'] as const).flatMap((side) =>
    Object.entries(ASPECTS).flatMap(([aspect, { [side]: level, description, fix }]) =>
      level === 'none'
        ? []
        : PLACES[side].map((place) => ({
            rule: `${side}-${place}-${aspect}`,
            direction: side,
            level:
              place === 'parameter' && aspect.startsWith('default-value-') ? ('breaking' as const) : level,
            description,
            fix,
          })),
    ),
  ),
]

const BY_NAME = new Map(RULES.map((rule) => [rule.rule, rule]))

/** Keywords that cannot be compared. Each has rules of its own name. */
const OF_KEYWORD =
  /^((?:request|response)-(?:parameter|body|property|header))-(?:not|if|contains|one-of|dependent-required|dependent-schemas|dependencies|unevaluated-items)-(added|removed|changed)$/

/** Whether a rule exists. */
export function hasRule(rule: string): boolean {
  return BY_NAME.has(rule) || OF_KEYWORD.test(rule)
}

/** Returns the advice for a finding. Rules of keywords that cannot be compared share theirs. */
export function cureOf(rule: string): string {
  const known = BY_NAME.get(rule) ?? BY_NAME.get(rule.replace(OF_KEYWORD, '$1-constraint-$2'))
  return known?.fix ?? ASPECTS.undecided.fix
}

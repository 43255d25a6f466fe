import type { Severity } from './finding.ts'
import { NOTHING, VERSION } from './schema/schema-rules.ts'

/** A rule of the gate. */
export interface GateRule {
  readonly rule: string
  /** The side that is compared. */
  readonly direction: 'request' | 'response' | 'operation'
  readonly level: Severity
  readonly description: string
  readonly fix: string
  /** The message of its findings, with their values for words in braces. @default the description */
  readonly message?: string | undefined
}

/** The description of a rule, with its fix if that isn't the usual one of its level, and the message of its findings if that has values. */
type NamedRow = string | readonly [description: string, fix: string | undefined, message?: string]

/** Rules that are not made of a side, a place and an aspect, by direction and level. */
const NAMED: Readonly<
  Record<GateRule['direction'], Partial<Readonly<Record<Severity, Readonly<Record<string, NamedRow>>>>>>
> = {
  operation: {
    breaking: {
      'api-path-removed-without-deprecation': [
        'the last operation of a path was removed without deprecation',
        'Deprecate it first, then remove it after its sunset.',
        'the operation was removed without deprecation',
      ],
      'api-path-removed-before-sunset': [
        'the last operation of a path was removed before its sunset',
        'Wait for the sunset.',
        'the operation was removed before its sunset',
      ],
      'api-removed-without-deprecation': [
        'an operation was removed without deprecation',
        'Deprecate it first, then remove it after its sunset.',
      ],
      'api-removed-before-sunset': ['an operation was removed before its sunset', 'Wait for the sunset.'],
      'sunset-deleted': [
        'the sunset of a deprecated operation was removed',
        'Keep the date that you announced.',
        'the sunset of {subject} was removed',
      ],
      'sunset-date-moved-earlier': [
        'the sunset of an operation is earlier than announced',
        'Keep the date that you announced, or choose a later one.',
        'the sunset of {subject} is earlier than before',
      ],
      'api-stability-decreased': [
        'the stability level of an operation decreased',
        undefined,
        'the stability level decreased',
      ],
      'route-moved': [
        'the method or path of an operation changed',
        'Keep the old one, or describe the move with `operation({ route, path: { was } })` in a change.',
        'the operation was {was} and is {now}',
      ],
      'tool-removed': [
        'an operation is no longer a tool of agents, or has another name as one',
        'Keep the name of the tool, or make the change part of a new version.',
        'the tool {tool} is {now}',
      ],
      'api-security-added': [
        'credentials that were sufficient are refused',
        undefined,
        '{credentials} is no longer sufficient',
      ],
      'api-security-scope-added': [
        'more scopes are required',
        undefined,
        '{credentials} needs the scope {scopes}',
      ],
      'api-version-removed': [
        'a released version was removed',
        'Keep the version until its sunset has passed. The level is `info` after that.',
        'version {version} was removed {when} its sunset',
      ],
      'version-default-changed': [
        'the default version changed',
        'Keep the default version, because clients that send no version depend on it.',
        'the default version was {was} and is {now}',
      ],
      'version-order-changed': [
        'the order of released versions changed',
        'Keep the order of the versions that you released.',
        'the order of the versions changed',
      ],
      'version-inserted': [
        'a new version was added before a released one',
        'Use a newer number or date.',
        'version {version} was added before a released version',
      ],
      'allow-expired': [
        'the end date of an allowed finding has passed',
        'Fix the finding, or choose a later date.',
        '{rule} was allowed until {until}: {reason}',
      ],
      'version-scheme-changed': [
        'requests can no longer name the version in the same place',
        'Keep the scheme and enable the new one as well.',
        'versions were read from {was} and are read from {now}',
      ],
      'range-retargeted': [
        'another route serves a released version',
        'Keep the version on its route. The level is `warning` if your document is the same as before.',
        'the versions {versions} were served by {was}, and are served by {now}',
      ],
      'change-narrower': [
        'current values do not match the older schema of a change without `down`',
        'Add a `down` to the field.',
        '{problem}',
      ],
      'change-failed': [
        'a function of a change throws',
        'Return a value for every input that its schema accepts.',
        '{problem}',
      ],
      'change-wrong-example': [
        'an example of a change differs from the result of its functions',
        'Fix your example or the function.',
        '{problem}',
      ],
      'change-unknown-field': [
        'a change names a field that it does not change',
        'Fix the name.',
        '{problem}',
      ],
    },
    warning: {
      'deprecated-without-sunset': [
        'an operation is deprecated without a sunset date',
        'Add a sunset to the deprecation.',
        '{subject} is deprecated without a sunset',
      ],
      'operation-id-changed': [
        'the operationId of an operation changed, and generated clients use it as a name',
        'Keep the name of the route.',
        'the operationId was {was} and is {now}',
      ],
      'tool-description-changed': [
        'the description of a tool of agents changed, and models choose tools by it',
        'Try the new text with your agents, or make the change part of a new version.',
        'the description of the tool {tool} changed',
      ],
      'sunset-date-in-the-past': [
        'an operation is deprecated with a sunset that is over, so clients have no time to move',
        'Choose a later date.',
        '{subject} is deprecated with a sunset that is over',
      ],
      'reference-unresolved': ['a reference leads nowhere', 'Fix the reference.', '{problem}'],
      'change-without-effect': [
        'a change reaches no route',
        'Derive the schemas of your routes from the model, remove the change, or set `sideEffects: true`.',
      ],
      'diff-unexplained': [
        'two consecutive versions differ, and no change describes the difference',
        'Describe the difference in a change of the newer version.',
        'the operation differs from version {older}, and no change describes the difference',
      ],
      'change-lost': [
        'a value is lost in a round trip through a change',
        'List the field in `lossy`, or return it from `up` or `down`.',
        '{problem}',
      ],
      'change-unfit': [
        'a function of a change returns values that its schema rejects',
        'Return values that match the schema.',
        '{problem}',
      ],
      'change-unchecked': [
        'no values could be generated to check a change',
        'Add `examples` to your change.',
        '{problem}',
      ],
    },
    info: {
      'api-path-removed-with-deprecation': [
        'the last operation of a path was removed after its deprecation',
        undefined,
        'the operation was removed after its deprecation',
      ],
      'api-removed-with-deprecation': 'an operation was removed after its deprecation',
      'endpoint-added': 'an operation was added',
      'endpoint-deprecated': ['an operation is deprecated', undefined, '{subject} is deprecated'],
      'deprecated-reactivated': [
        'an operation is no longer deprecated',
        undefined,
        '{subject} is no longer deprecated',
      ],
      'api-security-removed': [
        'other or fewer credentials are sufficient',
        undefined,
        '{credentials} is sufficient',
      ],
    },
  },
  request: {
    breaking: {
      'new-request-path-parameter': [
        'the path of an operation has one more parameter',
        'Keep the old path and add the new one.',
        'the operation was {was} and is {now}',
      ],
      'new-required-request-parameter': [
        'a required parameter was added',
        'Make it optional, so that requests of your clients stay valid.',
        'a required {what} was added',
      ],
      'request-parameter-removed-before-sunset': [
        'a parameter was removed before its sunset',
        'Wait for the sunset.',
      ],
      'request-parameter-renamed': [
        'a parameter of the query was probably renamed, so lists are no longer filtered by the old name',
        'Accept both names, or describe it with `operation({ query })` in a change.',
        'the parameter was probably renamed to {now}, so its values are ignored',
      ],
      'request-parameter-location-changed': [
        'the location of a parameter changed',
        undefined,
        'the parameter moved from {was} to {now}',
      ],
      'request-parameter-serialization-changed': [
        'the style of a list or object changed',
        undefined,
        'the style of the parameter was {was} and is {now}',
      ],
      'request-body-added-required': [
        'a required body was added',
        'Make it optional, so that requests of your clients stay valid.',
      ],
      'request-body-became-required': ['the body became required', 'Keep it optional.'],
      'request-body-media-type-removed': [
        'a media type of the body was removed',
        'Keep accepting it.',
        'the media type {type} was removed',
      ],
      'new-required-request-property': [
        'a required property was added',
        'Make it optional, or write an `up` in your change.',
      ],
      'new-required-request-property-with-default': [
        'a required property with a default was added',
        'Make it optional, because a property with a default does not have to be required.',
        'a required property was added',
      ],
    },
    warning: {
      'request-parameter-removed': [
        'a parameter was removed, so its values are ignored',
        'Deprecate it first, so that your clients can stop sending it.',
        'the {what} was removed',
      ],
      'request-body-removed': [
        'the body was removed, so bodies of clients are ignored',
        undefined,
        'the body was removed',
      ],
      'request-body-encoding-changed': [
        'the encoding of parts of the body changed',
        undefined,
        'the encoding of the parts changed',
      ],
      'request-property-removed': [
        'a property was removed, so its values are ignored or rejected',
        'Deprecate it first, so that your clients can stop sending it.',
        'the property was removed{consequence}',
      ],
    },
    info: {
      'new-optional-request-parameter': [
        'an optional parameter was added',
        undefined,
        'an optional {what} was added',
      ],
      'request-parameter-removed-with-deprecation': [
        'a parameter was removed after its deprecation',
        undefined,
        'the parameter was removed',
      ],
      'request-body-added-optional': 'an optional body was added',
      'request-body-became-optional': 'the body became optional',
      'request-body-media-type-added': [
        'a media type of the body was added',
        undefined,
        'the media type {type} was added',
      ],
      'new-optional-request-property': 'an optional property was added',
    },
  },
  response: {
    breaking: {
      'callback-expression-changed': [
        'a callback is sent to an address that is found in another place',
        'Read the address from the old place, too.',
        'the address of the callback was {was} and is {now}',
      ],
      'callback-removed': 'a callback was removed',
      'webhook-removed': 'a webhook was removed',
      'response-problem-status-changed': [
        'the status of a declared problem changed',
        'Describe it with `operation({ errors })` in your change.',
        'the problem {code} had the status {was} and has {now}',
      ],
      'response-required-property-removed': [
        'a required property was removed',
        'Keep sending it, or write a `down` in your change.',
      ],
      'response-success-status-removed': [
        'a success status was removed',
        'Describe it with `operation({ response: { status } })` in your change.',
        'the status {status} was removed',
      ],
      'status-of-default-changed': [
        'the only success status changed',
        'Describe it with `operation({ response: { status } })` in your change.',
        'the success status was {was} and is {now}',
      ],
      'response-media-type-removed': [
        'a media type of the response was removed',
        'Keep sending it to clients that request it.',
        'the media type {type} was removed',
      ],
      'required-response-header-removed': ['a required header was removed', 'Keep sending it.'],
      'response-header-became-optional': [
        'a required header became optional',
        'Keep sending it.',
        'the header became optional',
      ],
    },
    warning: {
      'response-body-encoding-changed': [
        'the encoding of parts of the body changed',
        undefined,
        'the encoding of the parts changed',
      ],
      'response-optional-property-removed': [
        'an optional property was removed',
        'Keep sending it, or write a `down` in your change.',
      ],
      'response-problem-added': [
        'a declared problem was added',
        'Describe the older code with `operation({ errors })` in your change, so that only new versions send the new one.',
        'the problem {code} may come',
      ],
      'response-success-status-added': [
        'a success status was added, and clients that check for one status do not expect it',
        undefined,
        'the status {status} was added',
      ],
      'optional-response-header-removed': ['an optional header was removed', 'Keep sending it.'],
    },
    info: {
      'webhook-added': 'a webhook was added',
      'response-required-property-added': [
        'a property was added',
        undefined,
        'a required property was added',
      ],
      'response-optional-property-added': 'an optional property was added',
      'response-problem-removed': [
        'a declared problem was removed',
        undefined,
        'the problem {code} is no longer declared',
      ],
      'response-non-success-status-removed': [
        'an error status was removed',
        undefined,
        'the status {status} was removed',
      ],
      'response-non-success-status-added': [
        'an error status was added',
        undefined,
        'the status {status} was added',
      ],
      'response-media-type-added': [
        'a media type of the response was added',
        undefined,
        'the media type {type} was added',
      ],
      'response-header-became-required': [
        'an optional header became required',
        undefined,
        'the header became required',
      ],
      'response-header-added': 'a header was added',
    },
  },
}

/** These rules in a list. */
export const NAMED_RULES: readonly GateRule[] = (['operation', 'request', 'response'] as const).flatMap(
  (direction) =>
    (['breaking', 'warning', 'info'] as const).flatMap((level) =>
      Object.entries(NAMED[direction][level] ?? {}).map(([rule, row]): GateRule => {
        const usual = level === 'info' ? NOTHING : VERSION
        const [description, fix = usual, message] = typeof row === 'string' ? [row, undefined] : row
        return { rule, direction, level, description, fix, message }
      }),
    ),
)

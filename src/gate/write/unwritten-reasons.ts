import type { TracedPlace, VersionFinding } from '../finding.ts'

/** A finding at one of its places; without a place if it concerns the whole API. */
export interface PlacedFinding {
  readonly finding: VersionFinding
  readonly place: TracedPlace | undefined
}

/** Why a finding of an operation cannot be written as a change, and what helps. */
export function unwrittenReason({ finding: { rule, version }, place }: PlacedFinding): string {
  const [section = '', where = ''] = place?.steps ?? []
  const key = [rule, section, where].join(' ')
  const found = REASONS.find(([pattern]) => pattern.test(key))
  return found === undefined ? 'a change cannot describe this difference' : found[1](version, section, where)
}

type Reason = (version: string, section: string, where: string) => string

/** The reasons by the rule of a finding, the part of the operation and its name, in this order. */
const REASONS: readonly (readonly [pattern: RegExp, reason: Reason])[] = [
  [
    /^api-(path-)?removed/,
    (version) =>
      `restore the route with version: '<=${version}', because a change cannot contain a handler. If nothing can answer any more: handler: () => { throw gone() }`,
  ],
  [
    /^api-security/,
    () =>
      'keep accepting the old credentials and scopes, because guards run before changes: withoutGuards: [TheNewGuard] of an operation lets older clients pass',
  ],
  [
    /^request-parameter-location-changed/,
    () => 'accept the parameter in both places, because a change cannot move it',
  ],
  [
    /^\S* parameters path$/,
    () => 'derive input.params from a model, such as User.pick({ id: true }), so that changes reach it',
  ],
  [
    /^deprecated-/,
    () => 'announce the date of the end as sunset in deprecation of the route or of the version',
  ],
  [
    /^response-problem-added/,
    () => 'describe it by errors of an operation: `errors: { new_code: { was: "older_code" } }`',
  ],
  [
    /^response-success-status-added/,
    (_, __, status) =>
      `describe the status with its body: response: { status: { ${status}: { was } }, body: { ${status}: { now, was, down } } } of an operation`,
  ],
  [
    /^\S* requestBody \S*form/,
    () =>
      'derive input.form from a model, such as const Form = model("Form", { … }), so that a reshape of it converts the fields of the form',
  ],
  [
    /^\S* (requestBody|responses) /,
    (_, section, where) =>
      `describe the whole body by ${bodyMemberHint(section === 'requestBody' ? 'body' : where)} of an operation`,
  ],
]

/** The member of an operation that describes a body. */
export function bodyMemberHint(key: string | number): string {
  return key === 'body' ? 'body: { now, was, up }' : `response: { body: { ${key}: { now, was, down } } }`
}

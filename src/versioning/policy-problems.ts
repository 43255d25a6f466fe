import { type Rules, suggestion, type DefinitionProblem } from '../base/definition-error.ts'
import { describeValue, isBoolean, isRecord } from '../base/values.ts'
import { cutVersion } from './version.ts'
import { toTime } from './policy.ts'

/** Reports what cannot be used in the policy of a version. */
export function versionPolicyProblems(
  where: string,
  field: string,
  policy: unknown,
): readonly DefinitionProblem[] {
  return hasFields(policy)
    ? policyFieldProblems(where, field, policy, NAMES)
    : [wrongPolicyField(where, field, A_POLICY, policy)]
}

/** Reports what cannot be used in the policy of a route, controller, router or module. */
export function routePolicyProblems(
  where: string,
  field: string,
  policy: unknown,
): readonly DefinitionProblem[] {
  if (!hasFields(policy)) return [wrongPolicyField(where, field, A_ROUTE_POLICY, policy)]
  const { versions, ...own } = policy
  const found = policyFieldProblems(where, field, own, [...NAMES, 'versions'])
  if (versions === undefined) return found
  if (!hasFields(versions))
    return [...found, wrongPolicyField(where, `${field}.versions`, 'a policy for each version', versions)]
  const inner = Object.entries(versions).flatMap(([version, each]) =>
    versionPolicyProblems(where, `${field}.versions["${cutVersion(version)}"]`, each),
  )
  return [...found, ...inner]
}

const A_MOMENT =
  "an ISO 8601 date ('2026-12-31'), a date and time with its zone ('2026-12-31T23:59:59Z') or a Date"

const RULES: Rules = {
  deprecated: [(value) => isBoolean(value) || toTime(value) !== undefined, `true, false or ${A_MOMENT}`],
  sunset: [(value) => value === false || toTime(value) !== undefined, `false or ${A_MOMENT}`],
  links: [
    (value) =>
      hasFields(value) &&
      Object.entries(value).every(
        ([rel, link]) => ['deprecation', 'sunset'].includes(rel) && (link === undefined || isLink(link)),
      ),
    '{ deprecation, sunset }, each a URL or { href, type, title } in printable ASCII, URLs without spaces, < and >',
  ],
  retired: [
    (value) => ['serve', 'gone', 'forward'].some((each) => each === value),
    "'serve', 'gone' or 'forward'",
  ],
  brownouts: [
    (value) => Array.isArray(value) && value.every(isBrownout),
    `a list of { from, to }, each ${A_MOMENT}, \`from\` before \`to\``,
  ],
}

const NAMES = Object.keys(RULES)
const A_POLICY = `an object with ${NAMES.join(', ')}`
const A_ROUTE_POLICY = `${A_POLICY}, versions`

function policyFieldProblems(
  where: string,
  field: string,
  policy: Readonly<Record<string, unknown>>,
  names: readonly string[],
): readonly DefinitionProblem[] {
  return Object.entries(policy).flatMap(([name, value]): readonly DefinitionProblem[] => {
    const rule = Object.hasOwn(RULES, name) ? RULES[name] : undefined
    if (rule === undefined) {
      return [
        {
          code: 'unknown_field',
          where,
          message: `${field} has no field "${cutVersion(name)}"`,
          fix: suggestion(name, names),
        },
      ]
    }
    return value === undefined || rule[0](value)
      ? []
      : [wrongPolicyField(where, `${field}.${name}`, rule[1], value)]
  })
}

function wrongPolicyField(where: string, field: string, expected: string, value: unknown): DefinitionProblem {
  // a text is quoted, for it is often nearly right: a day that does not exist, a time without zone
  const is = typeof value === 'string' ? JSON.stringify(cutVersion(value)) : describeValue(value)
  return { code: 'invalid_field', where, message: `${field} is ${is}`, fix: `give ${expected}` }
}

const LINK_FIELDS = ['href', 'type', 'title']

/** Whether the value can be written as a member of a `Link` header (RFC 8288 section 3). */
function isLink(link: unknown): boolean {
  const fields: Readonly<Record<string, unknown>> = hasFields(link) ? link : { href: link }
  const { href, type, title } = fields
  return (
    Object.keys(fields).every((name) => LINK_FIELDS.includes(name)) &&
    isMatch(href, /^[!-;=?-~]+$/) &&
    (type === undefined || isMatch(type, /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/)) &&
    (title === undefined || isMatch(title, /^[ -~]*$/))
  )
}

function isBrownout(value: unknown): boolean {
  if (!hasFields(value)) return false
  const { from, to, ...others } = value
  const [start = Number.NaN, end = Number.NaN] = [toTime(from), toTime(to)]
  return start < end && Object.keys(others).length === 0
}

function isMatch(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value)
}

/** Whether the value is an object that can have fields; a `Date` is a value of its own. */
function hasFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && !(value instanceof Date)
}

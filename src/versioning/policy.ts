import type { DefinitionProblem } from '../definition-error.ts'

/** A moment: an ISO 8601 date (the first instant of that day in UTC), a date and time with its zone, or a `Date`. */
export type Moment = string | Date

/** Where a policy is explained: a URL, absolute or relative, with what may be told of it (RFC 8288). */
export type PolicyLink =
  | string
  | {
      readonly href: string
      /** @default 'text/html' */
      readonly type?: string
      readonly title?: string
    }

/** What clients are told of the life of a version. Every field replaces that of the level above. */
export interface VersionPolicy {
  /** Deprecated: from a moment on (RFC 9745), or `true` without telling since when. */
  readonly deprecated?: boolean | Moment
  /** The moment from which it may stop answering (RFC 8594); `false` for none, where a level above has one. */
  readonly sunset?: Moment | false
  readonly links?: {
    readonly deprecation?: PolicyLink
    readonly sunset?: PolicyLink
  }
  /** What happens after `sunset`: it goes on answering, or it is answered with 410. @default 'serve' */
  readonly retired?: 'serve' | 'gone'
}

/** The policy of a route, controller, router or module: for all its versions, and for some of them. */
export interface RoutePolicy extends VersionPolicy {
  /** By version; these win over the fields beside them. */
  readonly versions?: Readonly<Record<string, VersionPolicy>>
}

/** A policy with the levels above worked in: what a request needs of it. */
export interface Lifetime {
  /** `true` without a date; else milliseconds since 1970, in the past or to come. */
  readonly deprecated: boolean | number
  /** Milliseconds since 1970. */
  readonly sunset: number | undefined
  /** Whether it is answered with 410 after `sunset`. */
  readonly gone: boolean
  /** `Deprecation` and `Sunset` as responses tell them. */
  readonly headers: Readonly<Record<string, string>>
  /** Members of a `Link` header. */
  readonly links: readonly string[]
}

/** Where a version stands in its life. */
export type VersionStatus = 'active' | 'deprecated' | 'sunset' | 'retired'

/** Works policies into one, the most specific first; `undefined` when none of them says anything. */
export function toLifetime(policies: readonly (VersionPolicy | undefined)[]): Lifetime | undefined {
  const given = policies.filter((policy) => policy !== undefined)
  const deprecated = given.find((policy) => policy.deprecated !== undefined)?.deprecated ?? false
  const sunset = given.find((policy) => policy.sunset !== undefined)?.sunset
  const retired = given.find((policy) => policy.retired !== undefined)?.retired
  const links = {
    deprecation: given.find((policy) => policy.links?.deprecation !== undefined)?.links?.deprecation,
    sunset: given.find((policy) => policy.links?.sunset !== undefined)?.links?.sunset,
  }
  const isDeprecated = deprecated !== false
  const hasSunset = sunset !== undefined && sunset !== false
  const members = [
    ...(links.deprecation === undefined ? [] : [toLink(links.deprecation, 'deprecation')]),
    ...(links.sunset === undefined ? [] : [toLink(links.sunset, 'sunset')]),
  ]
  if (!isDeprecated && !hasSunset && members.length === 0) return undefined
  const since = typeof deprecated === 'boolean' ? undefined : toTime(deprecated)
  const until = hasSunset ? toTime(sunset) : undefined
  return {
    deprecated: since ?? isDeprecated,
    sunset: until,
    gone: retired === 'gone',
    headers: {
      ...(since === undefined ? {} : { deprecation: `@${Math.floor(since / 1000)}` }),
      ...(until === undefined ? {} : { sunset: new Date(until).toUTCString() }),
    },
    links: members,
  }
}

/** Where something with this lifetime stands at a moment. */
export function statusAt(lifetime: Lifetime | undefined, now: number): VersionStatus {
  if (lifetime === undefined) return 'active'
  const { deprecated, sunset, gone } = lifetime
  if (sunset !== undefined && now >= sunset) return gone ? 'retired' : 'sunset'
  return deprecated === true || (deprecated !== false && now >= deprecated) ? 'deprecated' : 'active'
}

/** Milliseconds since 1970; `undefined` when it is no moment. */
export function toTime(moment: unknown): number | undefined {
  if (moment instanceof Date) return Number.isNaN(moment.getTime()) ? undefined : moment.getTime()
  if (typeof moment !== 'string' || !MOMENT.test(moment)) return undefined
  const time = Date.parse(moment)
  // Date.parse takes 2026-02-30 for the second of March
  const day = new Date(Date.parse(moment.slice(0, 10)))
  return Number.isNaN(time) ||
    Number.isNaN(day.getTime()) ||
    day.toISOString().slice(0, 10) !== moment.slice(0, 10)
    ? undefined
    : time
}

const MOMENT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/

/** A member of a `Link` header (RFC 8288 section 3). */
function toLink(link: PolicyLink, rel: 'deprecation' | 'sunset'): string {
  const { href, type = 'text/html', title = undefined } = typeof link === 'string' ? { href: link } : link
  const named = title === undefined ? '' : `; title="${title.replaceAll(/["\\]/g, '\\$&')}"`
  return `<${href}>; rel="${rel}"; type="${type}"${named}`
}

/** Reports what cannot be used in a policy, and a sunset that comes before the deprecation (RFC 9745 section 4). */
export function policyProblems(where: string, field: string, policy: unknown): readonly DefinitionProblem[] {
  if (!isRecord(policy)) return [wrong(where, field, 'an object with deprecated, sunset, links and retired')]
  const { versions, ...own } = policy
  const inner =
    versions === undefined
      ? []
      : isRecord(versions)
        ? Object.entries(versions).flatMap(([version, each]) =>
            policyProblems(where, `${field}.versions["${version.slice(0, 64)}"]`, each),
          )
        : [wrong(where, `${field}.versions`, 'a policy for each version')]
  return [...fieldProblems(where, field, own), ...inner]
}

type Test = readonly [name: string, test: (value: unknown) => boolean, expected: string]

const isText = (value: unknown): boolean => typeof value === 'string'
const A_MOMENT =
  "an ISO 8601 date ('2026-12-31'), a date and time with its zone ('2026-12-31T23:59:59Z') or a Date"
const TESTS: readonly Test[] = [
  [
    'deprecated',
    (value) => typeof value === 'boolean' || toTime(value) !== undefined,
    `true, false or ${A_MOMENT}`,
  ],
  ['sunset', (value) => value === false || toTime(value) !== undefined, `false or ${A_MOMENT}`],
  ['retired', (value) => value === 'serve' || value === 'gone', "'serve' or 'gone'"],
  [
    'links',
    (value) =>
      isRecord(value) &&
      Object.entries(value).every(
        ([rel, link]) => ['deprecation', 'sunset'].includes(rel) && (link === undefined || isLink(link)),
      ),
    '{ deprecation, sunset }, each a URL or { href, type, title } of printable ASCII without < > and spaces in URLs',
  ],
]

function fieldProblems(
  where: string,
  field: string,
  policy: Readonly<Record<string, unknown>>,
): readonly DefinitionProblem[] {
  const unknown = Object.keys(policy).find((name) => !TESTS.some(([known]) => known === name))
  if (unknown !== undefined) {
    return [
      {
        code: 'unknown_field',
        where,
        message: `a policy has no field "${unknown.slice(0, 64)}"`,
        fix: `use ${TESTS.map(([name]) => name).join(', ')}`,
      },
    ]
  }
  const found = TESTS.flatMap(([name, test, expected]) =>
    policy[name] === undefined || test(policy[name]) ? [] : [wrong(where, `${field}.${name}`, expected)],
  )
  return found
}

function wrong(where: string, field: string, expected: string): DefinitionProblem {
  return { code: 'invalid_field', where, message: `${field} is not ${expected}`, fix: `give ${expected}` }
}

function isLink(link: unknown): boolean {
  const { href, type, title }: Readonly<Record<string, unknown>> = isRecord(link) ? link : { href: link }
  return (
    typeof href === 'string' &&
    /^[!-;=?-~]+$/.test(href) &&
    (type === undefined || (isText(type) && /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(String(type)))) &&
    (title === undefined || (isText(title) && /^[ -~]*$/.test(String(title))))
  )
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

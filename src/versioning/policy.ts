import { suggestion } from '../definition-error.ts'
import type { DefinitionProblem } from '../definition-error.ts'
import { describeValue, isBoolean, isRecord } from '../values.ts'
import { cutVersion } from './version.ts'

/** A moment: an ISO 8601 date (the first instant of that day in UTC), a date and time with its zone, or a `Date`. */
export type Moment = string | Date

/** Where a policy is explained: a URL, absolute or relative, with what may be told of it (RFC 8288). */
export type PolicyLink =
  | string
  | {
      /** The URL of the page, absolute or relative. */
      readonly href: string
      /** The media type of the page. @default 'text/html' */
      readonly type?: string
      /** The title of the page. */
      readonly title?: string
    }

/** What clients are told of the life of a version. Every field replaces that of the level above. */
export interface VersionPolicy {
  /** Deprecated: from a moment on (RFC 9745), or `true` without telling since when. */
  readonly deprecated?: boolean | Moment
  /** The moment from which it may stop answering (RFC 8594); `false` for none, where a level above has one. */
  readonly sunset?: Moment | false
  /** Pages that explain the policy, which responses link to. */
  readonly links?: {
    /** The page about the deprecation. */
    readonly deprecation?: PolicyLink
    /** The page about the sunset. */
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

/** A policy with the place it was given at, for messages. */
export interface PlacedPolicy extends RoutePolicy {
  readonly where: string
}

/** A policy merged with the levels above, as requests need it. */
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

/** Merges policies, the most specific first. Returns `undefined` if all of them are empty. */
export function toLifetime(policies: readonly (VersionPolicy | undefined)[]): Lifetime | undefined {
  const deprecated = nearest(policies, 'deprecated') ?? false
  const sunset = nearest(policies, 'sunset') ?? false
  const links = toLinks(policies)
  if (deprecated === false && sunset === false && links.length === 0) return undefined
  const since = typeof deprecated === 'boolean' ? undefined : toTime(deprecated)
  const until = sunset === false ? undefined : toTime(sunset)
  return {
    deprecated: since ?? deprecated !== false,
    sunset: until,
    gone: nearest(policies, 'retired') === 'gone',
    headers: {
      ...(since === undefined ? {} : { deprecation: `@${Math.floor(since / 1000)}` }),
      ...(until === undefined ? {} : { sunset: new Date(until).toUTCString() }),
    },
    links,
  }
}

/** The field of the most specific policy that has it. */
function nearest<K extends keyof VersionPolicy>(
  policies: readonly (VersionPolicy | undefined)[],
  field: K,
): VersionPolicy[K] | undefined {
  return policies.find((policy) => policy?.[field] !== undefined)?.[field]
}

/** The links of all levels, each relation from the most specific one; `deprecated: false` and `sunset: false` undo theirs too. */
function toLinks(policies: readonly (VersionPolicy | undefined)[]): readonly string[] {
  return RELATIONS.flatMap(([rel, field]) => {
    if (nearest(policies, field) === false) return []
    const link = policies.find((policy) => policy?.links?.[rel] !== undefined)?.links?.[rel]
    return link === undefined ? [] : [toLink(link, rel)]
  })
}

const RELATIONS = [
  ['deprecation', 'deprecated'],
  ['sunset', 'sunset'],
] as const

/** Where something with this lifetime stands at a moment. */
export function statusAt(lifetime: Lifetime | undefined, now: number): VersionStatus {
  if (lifetime === undefined) return 'active'
  const { deprecated, sunset, gone } = lifetime
  if (sunset !== undefined && now >= sunset) return gone ? 'retired' : 'sunset'
  return deprecated === true || (deprecated !== false && now >= deprecated) ? 'deprecated' : 'active'
}

/** Whether requests get a 410 by now. */
export function isRetired(lifetime: Lifetime | undefined, clock: () => number): boolean {
  // reading the clock costs time, so only versions with a sunset do it
  return lifetime?.gone === true && lifetime.sunset !== undefined && statusAt(lifetime, clock()) === 'retired'
}

/** Milliseconds since 1970; `undefined` when it is no moment. */
function toTime(moment: unknown): number | undefined {
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

/** A policy link with its defaults. */
export interface VersionLink {
  /** The URL of the page, absolute or relative. */
  readonly href: string
  /** The media type of the page. */
  readonly type: string
  /** The title of the page. */
  readonly title?: string
}

/** Writes a policy link out. */
export function toFullLink(link: PolicyLink): VersionLink {
  return { type: 'text/html', ...(typeof link === 'string' ? { href: link } : link) }
}

/** A member of a `Link` header (RFC 8288 section 3). */
function toLink(link: PolicyLink, rel: 'deprecation' | 'sunset'): string {
  const { href, type, title } = toFullLink(link)
  const named = title === undefined ? '' : `; title="${title.replaceAll(/["\\]/g, '\\$&')}"`
  return `<${href}>; rel="${rel}"; type="${type}"${named}`
}

/** Reports what cannot be used in the policy of a version. */
export function policyProblems(where: string, field: string, policy: unknown): readonly DefinitionProblem[] {
  return hasFields(policy)
    ? fieldProblems(where, field, policy, NAMES)
    : [wrong(where, field, A_POLICY, policy)]
}

/** Reports what cannot be used in the policy of a route, controller, router or module. */
export function routePolicyProblems(
  where: string,
  field: string,
  policy: unknown,
): readonly DefinitionProblem[] {
  if (!hasFields(policy)) return [wrong(where, field, A_ROUTE_POLICY, policy)]
  const { versions, ...own } = policy
  const found = fieldProblems(where, field, own, [...NAMES, 'versions'])
  if (versions === undefined) return found
  if (!hasFields(versions))
    return [...found, wrong(where, `${field}.versions`, 'a policy for each version', versions)]
  const inner = Object.entries(versions).flatMap(([version, each]) =>
    policyProblems(where, `${field}.versions["${cutVersion(version)}"]`, each),
  )
  return [...found, ...inner]
}

interface Rule {
  readonly test: (value: unknown) => boolean
  readonly expected: string
}

const A_MOMENT =
  "an ISO 8601 date ('2026-12-31'), a date and time with its zone ('2026-12-31T23:59:59Z') or a Date"

const RULES: Readonly<Record<string, Rule>> = {
  deprecated: {
    test: (value) => isBoolean(value) || toTime(value) !== undefined,
    expected: `true, false or ${A_MOMENT}`,
  },
  sunset: {
    test: (value) => value === false || toTime(value) !== undefined,
    expected: `false or ${A_MOMENT}`,
  },
  links: {
    test: (value) =>
      hasFields(value) &&
      Object.entries(value).every(
        ([rel, link]) => ['deprecation', 'sunset'].includes(rel) && (link === undefined || isLink(link)),
      ),
    expected:
      '{ deprecation, sunset }, each a URL or { href, type, title } in printable ASCII, URLs without spaces, < and >',
  },
  retired: { test: (value) => value === 'serve' || value === 'gone', expected: "'serve' or 'gone'" },
}

const NAMES = Object.keys(RULES)
const A_POLICY = `an object with ${NAMES.join(', ')}`
const A_ROUTE_POLICY = `${A_POLICY}, versions`

function fieldProblems(
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
    return value === undefined || rule.test(value)
      ? []
      : [wrong(where, `${field}.${name}`, rule.expected, value)]
  })
}

function wrong(where: string, field: string, expected: string, value: unknown): DefinitionProblem {
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

function isMatch(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value)
}

/** Whether the value is an object that can have fields; a `Date` is a value of its own. */
function hasFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && !(value instanceof Date)
}

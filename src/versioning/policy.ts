/** Milliseconds since 1970, or `undefined` if it is no moment. */
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

/** A time in which a version does not answer, so that clients who still use it notice before it is gone. */
export interface Brownout {
  /** The first moment in which it does not answer. */
  readonly from: Moment
  /** The moment from which it answers again. */
  readonly to: Moment
}

/** The policy of a version's life, as clients see it. Every field replaces that of the level above. */
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
  /**
   * The behaviour after `sunset`: it goes on answering, it is answered with 410, or the next version that has the path answers in its
   * place.
   *
   * @default 'serve'
   */
  readonly retired?: 'serve' | 'gone' | 'forward'
  /**
   * Times in which it is answered with 410 and `Retry-After`. Responses before announce the next one in `api-brownout`. An empty list removes
   * those of the levels above.
   */
  readonly brownouts?: readonly Brownout[]
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
  /** Whether a later version answers in its place after `sunset`. */
  readonly forward: boolean
  /** The times in which it is answered with 410, in their order. */
  readonly brownouts: readonly Span[]
  /** `Deprecation` and `Sunset` as responses tell them. */
  readonly headers: Readonly<Record<string, string>>
  /** Members of a `Link` header. */
  readonly links: readonly string[]
}

/** A time between two moments, in milliseconds since 1970. The second one is not part of it. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Where a version stands in its life. */
export type VersionStatus = 'active' | 'deprecated' | 'sunset' | 'retired'

/** Merges policies, the most specific first. Returns `undefined` if all of them are empty. */
export function toLifetime(policies: readonly (VersionPolicy | undefined)[]): Lifetime | undefined {
  const deprecated = nearestPolicyField(policies, 'deprecated') ?? false
  const sunset = nearestPolicyField(policies, 'sunset') ?? false
  const links = toLinks(policies)
  const brownouts = toSpans(nearestPolicyField(policies, 'brownouts') ?? [])
  if (deprecated === false && sunset === false && links.length === 0 && brownouts.length === 0)
    return undefined
  const since = typeof deprecated === 'boolean' ? undefined : toTime(deprecated)
  const until = sunset === false ? undefined : toTime(sunset)
  return {
    deprecated: since ?? deprecated !== false,
    sunset: until,
    gone: nearestPolicyField(policies, 'retired') === 'gone',
    forward: nearestPolicyField(policies, 'retired') === 'forward',
    brownouts,
    headers: {
      ...(since === undefined ? {} : { deprecation: `@${Math.floor(since / 1000)}` }),
      ...(until === undefined ? {} : { sunset: new Date(until).toUTCString() }),
    },
    links,
  }
}

/** Brownouts as numbers, the earliest first. Those that meet are one, because a client may try again after the last of them. */
function toSpans(brownouts: readonly Brownout[]): readonly Span[] {
  const spans: Span[] = []
  const all = brownouts.map(({ from, to }) => ({ from: toTime(from) ?? 0, to: toTime(to) ?? 0 }))
  for (const { from, to } of all.toSorted((one, other) => one.from - other.from)) {
    const last = spans.at(-1)
    if (last === undefined || last.to < from) spans.push({ from, to })
    else spans.splice(-1, 1, { from: last.from, to: Math.max(last.to, to) })
  }
  return spans
}

/** Whether there is a brownout, past or to come. */
export function hasBrownouts(lifetime: Lifetime | undefined): lifetime is Lifetime {
  return lifetime !== undefined && lifetime.brownouts.length > 0
}

/** The brownout of this moment, else the next one. */
export function nextBrownout(lifetime: Lifetime | undefined, clock: () => number): Span | undefined {
  // reading the clock costs time, so only versions with brownouts do it
  if (!hasBrownouts(lifetime)) return undefined
  const now = clock()
  return lifetime.brownouts.find(({ to }) => now < to)
}

/** A span as an ISO 8601 interval. */
export function toInterval({ from, to }: Span): string {
  return `${new Date(from).toISOString()}/${new Date(to).toISOString()}`
}

/** The field of the most specific policy that has it. */
function nearestPolicyField<K extends keyof VersionPolicy>(
  policies: readonly (VersionPolicy | undefined)[],
  field: K,
): VersionPolicy[K] | undefined {
  return policies.find((policy) => policy?.[field] !== undefined)?.[field]
}

/** The links of all levels, each relation from the most specific one; `deprecated: false` and `sunset: false` undo theirs too. */
function toLinks(policies: readonly (VersionPolicy | undefined)[]): readonly string[] {
  return RELATIONS.flatMap(([rel, field]) => {
    if (nearestPolicyField(policies, field) === false) return []
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
  const { deprecated, sunset, gone, forward } = lifetime
  if (sunset !== undefined && now >= sunset) return gone || forward ? 'retired' : 'sunset'
  return deprecated === true || (deprecated !== false && now >= deprecated) ? 'deprecated' : 'active'
}

/** Whether it does not answer any more by now. */
export function isRetired(lifetime: Lifetime | undefined, clock: () => number): boolean {
  // reading the clock costs time, so only versions with a sunset do it
  return lifetime?.sunset !== undefined && (lifetime.gone || lifetime.forward) && clock() >= lifetime.sunset
}

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

/** The life of a version, or of a route in it: moments as ISO 8601 texts. */
export interface VersionLife {
  /** Where it stands at this moment. */
  readonly status: VersionStatus
  /** Since when it is deprecated, or will be; `true` without a date. Absent when it is not. */
  readonly deprecated?: true | string
  /** The moment from which it may stop answering. */
  readonly sunset?: string
  /** The brownouts that are not over. Absent without any. */
  readonly brownouts?: readonly { readonly from: string; readonly to: string }[]
}

/** The pages about the life of a version. */
export interface VersionLinks {
  /** The page about its deprecation. */
  readonly deprecation?: VersionLink
  /** The page about its sunset. */
  readonly sunset?: VersionLink
}

/** Writes a lifetime out as it stands at a moment. */
export function lifeAt(lifetime: Lifetime | undefined, now: number): VersionLife {
  const { deprecated = false, ...rest } = lifetime ?? {}
  const { sunset, brownouts = [] }: Partial<Lifetime> = rest
  const ahead = brownouts.filter(({ to }) => now < to)
  const since = typeof deprecated === 'number' ? toIso(deprecated) : deprecated
  return {
    status: statusAt(lifetime, now),
    ...(since === false ? {} : { deprecated: since }),
    ...(sunset === undefined ? {} : { sunset: toIso(sunset) }),
    ...(ahead.length === 0
      ? {}
      : { brownouts: ahead.map(({ from, to }) => ({ from: toIso(from), to: toIso(to) })) }),
  }
}

/** Writes the links of a policy out. */
export function toVersionLinks({ deprecation, sunset }: VersionPolicy['links'] = {}): VersionLinks {
  return {
    ...(deprecation === undefined ? {} : { deprecation: toFullLink(deprecation) }),
    ...(sunset === undefined ? {} : { sunset: toFullLink(sunset) }),
  }
}

function toIso(time: number): string {
  return new Date(time).toISOString()
}

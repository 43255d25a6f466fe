import {
  statusAt,
  toFullLink,
  type Lifetime,
  type VersionLink,
  type VersionPolicy,
  type VersionStatus,
} from './policy.ts'

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
export function toLife(lifetime: Lifetime | undefined, now: number): VersionLife {
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

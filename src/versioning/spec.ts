import type { VersionFormat } from './version.ts'

/**
 * Marks a route, controller or module that answers for every known version, and for requests without one. A handler for the
 * version itself always wins over it.
 */
export const VERSION_NEUTRAL: unique symbol = Symbol.for('octavo.version-neutral')

/** One entry of a version specification: a version, a range such as `'>=1.2 <2'`, or `VERSION_NEUTRAL`. */
export type VersionEntry = string | typeof VERSION_NEUTRAL

/** The option `version`: one entry or several. */
export type VersionSpec = VersionEntry | readonly VersionEntry[]

/** The versions an application knows, oldest first, and how raw values lead to them. */
export interface KnownVersions {
  readonly list: readonly string[]
  readonly format: VersionFormat
  /** Whether the order of the list means something: every version has one by value, or all are listed. */
  readonly isOrdered: boolean
  /** The known version that equals this text, or `undefined` for none. */
  readonly find: (text: string) => string | undefined
  /** Whether another deployment serves the known version. */
  readonly isElsewhere: (version: string) => boolean
}

/** How a specification covers a version: smaller is stronger; equal is a conflict. */
export interface Claim {
  /** 0 for the version itself, 1 for a range. */
  readonly strength: number
  /** For ranges: the place of the oldest and newest covered version in the list. */
  readonly low: number
  readonly high: number
}

/** A version specification over the known versions. */
export interface ExpandedSpec {
  /** Nothing was specified anywhere. */
  readonly unversioned: boolean
  readonly neutral: boolean
  /** The versions that it claims. */
  readonly claims: ReadonlyMap<string, Claim>
}

/** The entries of a specification; none when there is no specification. */
export function toEntries(spec: VersionSpec | undefined): readonly VersionEntry[] {
  if (spec === undefined) return []
  return typeof spec === 'string' || typeof spec === 'symbol' ? [spec] : spec
}

/** Whether the entry is a range rather than a version. */
export function isRange(entry: string): boolean {
  return /^\s*[<>=]/.test(entry)
}
